"""A long session: random changes, a drag, idleness, a server that goes and comes back."""

from __future__ import annotations

import os
import random
import time
from typing import TYPE_CHECKING

import chromium
import native
import pytest
import random_changes
from lab_page import LabPage
from scenarios import SHORT, fragment

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext
    from static_site import Site

CHANGES = 1000


@pytest.mark.timeout(1200)
def test_a_thousand_random_changes(lab: LabPage, browser: Browser) -> None:
    """No trap, no hang, no error on the console, and no memory that is kept.

    Some changes make scenarios that would run for hours: the next one must not wait for them.
    """
    chance = random.Random(18)
    heap = []
    rss = []
    for count in range(25, CHANGES + 1, 25):
        random_changes.make(lab, chance, 25)
        toml = SHORT.replace("limit = 60", f"limit = {20 + count}")
        for _ in range(50):  # each time, a move that still waits may be made in the new text
            lab.edit(toml)
            lab.settle()
            if lab.toml == toml:
                break
        assert lab.toml == toml
        if count % 100 == 0:
            heap.append(lab.heap_mb())
            # A worker may keep up to 128 MiB for its next run (pool.ts): how much depends on the
            # last runs, as linear memory never shrinks.
            engines = lab.observed()["engineBytes"] / 2**20
            rss.append(chromium.renderers_mb(browser) - engines)
    lab.complete()
    result = lab.export()[0]
    assert native.without_times(result) == native.result(lab.toml)
    print("JS heap", *(f"{value:.1f}" for value in heap), "MB")
    print("resident without linear memory", *(f"{value:.0f}" for value in rss), "MB")
    # The first hundreds fill caches, and the browser's own undo keeps the lines of the last
    # thousand edits (test_page_memory.py); what leaks goes on growing.
    assert max(heap[-3:]) < 1.2 * max(heap[2:5]) + 1
    assert max(rss[-3:]) < 1.5 * max(rss[2:5])


def test_a_drag_queues_one_run(lab: LabPage) -> None:
    """One run and, at most, one that waits for it; the last value is what is shown."""
    before = lab.observed()["runs"]
    slider = lab.field("cell.queue.limit")
    most = int(slider.get_attribute("max") or 0)
    places = [place % (most + 1) for place in range(60)]
    slider.evaluate(
        """async (slider, places) => {
          for (const place of places) {
            slider.value = place;
            slider.dispatchEvent(new Event("input", { bubbles: true }));
            await new Promise((resolve) => setTimeout(resolve, 5));
          }
          // A busy page handles the last input in the next frame.
          for (let frame = 0; frame < 2; frame += 1) await new Promise(requestAnimationFrame);
        }""",
        places,
    )
    at_the_end = lab.observed()
    lab.settle()
    after = lab.observed()
    # A run that is cancelled may still be counted when the next one starts.
    assert after["most"] <= 2
    assert after["runs"] - at_the_end["runs"] <= 2
    assert after["runs"] - before <= len(places)
    assert lab.export()[0]["ap_queue"] == native.result(lab.toml)["ap_queue"]


def test_an_idle_page_costs_nothing(lab: LabPage, browser: Browser) -> None:
    """The least of three times: what else a machine does can only add processor time."""

    def used_s() -> float:
        before = chromium.renderers_s(browser)
        time.sleep(3)
        return chromium.renderers_s(browser) - before

    lab.complete()
    lab.rest()
    time.sleep(1)  # what follows a change, such as the address
    used = [used_s() for _ in range(3)]
    print(f"{used} s of processor time in 3 s each")
    assert min(used) < 0.1


def test_the_page_outlives_its_server(context: BrowserContext, site: Site) -> None:
    """It simulates on: it has kept what workers are started from."""
    lab = LabPage(context, site.address).open(fragment(SHORT))
    site.stop()
    try:
        # More runs that take for ever, which end with their workers, than there are workers.
        for less in range(2 * (os.cpu_count() or 1)):
            lab.edit(SHORT.replace("20 s", f"{1_000_000 - less} s"))
            lab.page.wait_for_timeout(600)
        lab.edit(SHORT.replace("limit = 60", "limit = 30"))
        lab.settle()
        assert native.without_times(lab.export()[0]) == native.result(lab.toml)
        assert lab.errors == []
    finally:
        site.start()
