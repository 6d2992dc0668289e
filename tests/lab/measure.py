"""Measure the lab's page against its bars: python tests/lab/measure.py [--page PAGE] [--json FILE].

For an idle machine, or with real-time priority (chrt -r 1). The status is 1 if a bar is missed.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import statistics
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import chromium
import evenair
from lab_page import LabPage
from scenarios import fragment
from static_site import Site

if TYPE_CHECKING:
    from playwright.sync_api import Browser

MOVES = 50

# Moves a slider, and waits for the picture. The first number is the time from the event of the hand
# to the frame in which the pictures have other descriptions, the second to the page's own mark.
MOVE = """
([key, place]) => new Promise((resolve) => {
  const slider = document.querySelector(`.control[data-key="${key}"] input[type=range]`);
  slider.value = place;
  const seen = observedLab.painted.length;
  const start = performance.now();
  slider.dispatchEvent(new Event("input", { bubbles: true }));
  const wait = () => {
    const painted = observedLab.painted.slice(seen).findLast((time) => time > start);
    if (painted && observedLab.isSettled()) {
      const marked = performance.getEntriesByName("evenair:picture").at(-1).startTime;
      resolve([painted - start, marked - start]);
    } else {
      setTimeout(wait, 1);
    }
  };
  wait();
})
"""


@dataclass(frozen=True)
class Measured:
    """A value beside its bar."""

    what: str
    value: float
    unit: str
    bar: float
    more: str = ""

    @property
    def holds(self) -> bool:
        return self.value <= self.bar


def first_use(browser: Browser, site: Site) -> list[Measured]:
    """Return how long the page takes to its first picture from a cold cache, and its size."""
    times = []
    for _ in range(5):
        context = browser.new_context()
        site.sent = 0
        lab = LabPage(context, site.address).open()
        times.append(
            lab.page.evaluate("performance.getEntriesByName('evenair:picture')[0].startTime")
        )
        context.close()
    return [
        Measured(
            "first picture, cold cache", statistics.median(times) / 1e3, "s", 2, spread(times)
        ),
        Measured("transferred for it", site.sent / 1e6, "MB", 2, "gzip"),
        Measured(
            "whole page", sum(len(body) for _, body in site.files.values()) / 1e6, "MB", 2, "gzip"
        ),
    ]


def moves(browser: Browser, site: Site, what: str, toml: str, bar: float) -> Measured:
    """Return the median time from a move of the queue's limit to the new picture."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    lab = LabPage(context, site.address).open(fragment(toml, seeds=10))
    places = int(lab.field("cell.queue.limit").get_attribute("max") or 0) + 1
    times = []
    marks = []
    for move in range(MOVES + 5):
        painted, marked = lab.page.evaluate(MOVE, ["cell.queue.limit", (5 + move) % places])
        times.append(painted)
        marks.append(marked)
    context.close()
    times, marks = times[5:], marks[5:]  # without the first ones, for which V8 compiles
    more = f"{spread(times)}; by the page's own mark {statistics.median(marks):.0f}"
    return Measured(what, statistics.median(times), "ms", bar, more)


def idle(browser: Browser, site: Site) -> Measured:
    """Return the processor time of a page that shows everything and is left alone."""
    context = browser.new_context()
    lab = LabPage(context, site.address).open()
    lab.complete()
    lab.rest()
    time.sleep(2)
    before = chromium.renderers_s(browser)
    time.sleep(10)
    used = chromium.renderers_s(browser) - before
    context.close()
    return Measured("processor time, idle for 10 s", used, "s", 0.05)


def drag(browser: Browser, site: Site) -> Measured:
    """Return how many runs were under way at once in a drag of 2 s."""
    context = browser.new_context()
    lab = LabPage(context, site.address).open(fragment(built_in(site, "gong2006")))
    slider = lab.field("cell.queue.limit")
    slider.evaluate(
        """async (slider) => {
          for (let move = 0; move < 200; move++) {
            slider.value = move % (Number(slider.max) + 1);
            slider.dispatchEvent(new Event("input", { bubbles: true }));
            await new Promise((resolve) => setTimeout(resolve, 10));
          }
        }"""
    )
    lab.settle()
    seen = lab.observed()
    context.close()
    return Measured(
        "runs at once in a drag", seen["most"], "", 1, f"{seen['runs']} runs of 200 moves"
    )


def built_in(site: Site, name: str) -> str:
    """Return the text of a scenario; `home` is what the page begins with."""
    scenarios = json.loads(gzip.decompress(site.files["/scenarios.json"][1]))
    text: str = next(one["toml"] for one in scenarios if one["name"] == name)
    return text


def spread(values: list[float]) -> str:
    return f"{min(values):.0f} to {max(values):.0f} ms"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--page", type=Path, default=Path(evenair.__file__).parent / "lab/page")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    before = os.getloadavg()[0]
    site = Site(arguments.page).start()
    with chromium.started(chromium.BROWSERS) as browser:
        small = built_in(site, "gong2006")
        large = small.replace("count = 5", "count = 20")
        measured = [
            *first_use(browser, site),
            moves(browser, site, "slider to picture, baseline", small, 150),
            moves(browser, site, "slider to picture, 20 + 20 stations", large, 400),
            moves(browser, site, "slider to picture, home", built_in(site, "home"), 500),
            idle(browser, site),
            drag(browser, site),
        ]
        version = browser.version
    site.stop()
    print(f"Chromium {version}, {os.cpu_count()} processors, load {before:.2f} before")
    for each in measured:
        value = f"{each.value:8.3g} {each.unit:3}"
        verdict = "holds" if each.holds else "MISSED"
        print(f"{each.what:38} {value} bar {each.bar:5g}  {verdict}  {each.more}")
    if arguments.json:
        document = [{**asdict(each), "holds": each.holds} for each in measured]
        arguments.json.write_text(json.dumps(document, indent=2) + "\n")
    return 0 if all(each.holds for each in measured) else 1


if __name__ == "__main__":
    sys.exit(main())
