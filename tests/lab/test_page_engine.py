"""The engine of the page: it comes late, does not come, traps, or is needed without the server."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import native
import pytest
from lab_page import LabPage
from scenarios import SHORT, fragment

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Route
    from static_site import Site

ENGINE = "**/evenair.wasm"

PAGES = 512  # of 64 KiB

# Millions of samples: they have no room in that memory.
TOO_MUCH = 'trace = { interval = "100 us" }\n' + SHORT


def unsigned(data: bytes, at: int) -> tuple[int, int]:
    """Return the number in LEB128 at a place, and the place after it."""
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def leb128(value: int) -> bytes:
    low, rest = value & 0x7F, value >> 7
    return bytes([low | 0x80]) + leb128(rest) if rest else bytes([low])


def limited(module: bytes, pages: int) -> bytes:
    """Return a module whose only memory cannot grow beyond so many pages."""
    at = 8
    while at < len(module):
        section = module[at]
        length, start = unsigned(module, at + 1)
        if section == 5:
            count, flags = module[start], module[start + 1]
            least, _ = unsigned(module, start + 2)
            assert (count, flags) == (1, 0)
            assert least < pages
            memory = b"\1\1" + leb128(least) + leb128(pages)
            return module[:at] + b"\5" + leb128(len(memory)) + memory + module[start + length :]
        at = start + length
    raise AssertionError("no memory")


def alert(lab: LabPage) -> str:
    """Wait for a message of an error, and return its own words."""
    text: str = lab.page.get_by_role("alert").first.evaluate("alert => alert.firstChild.data")
    return text


def run_again(lab: LabPage) -> None:
    lab.page.get_by_role("button", name="Run again").click()


def test_a_trap_is_told_in_one_line_and_the_page_goes_on(
    context: BrowserContext, site: Site
) -> None:
    """The page's own engine, without memory for a run: that run fails, again if it is asked to."""
    small = limited(gzip.decompress(site.files["/evenair.wasm"][1]), PAGES)
    context.route(ENGINE, lambda route: route.fulfill(body=small, content_type="application/wasm"))
    lab = LabPage(context, site.address).open(fragment(SHORT))
    before = lab.pictures()
    lab.edit(TOO_MUCH)
    message = alert(lab)
    assert message.startswith("the engine has failed: ")
    assert "\n" not in message
    assert lab.pictures() == before
    assert lab.page.get_by_text("Of the last run that did not fail.").is_visible()

    assert len(lab.observed()["traps"]) == 1
    run_again(lab)
    lab.page.wait_for_function("() => observedLab.traps.length === 2")
    assert alert(lab) == message

    lab.edit(SHORT.replace("limit = 60", "limit = 30"))
    lab.settle()
    assert lab.page.get_by_role("alert").count() == 0
    assert native.without_times(lab.export()[0]) == native.result(lab.toml)

    # What is shown already needs no run, and the failure is none of it.
    shown = lab.toml
    lab.show("Pictures")
    lab.edit(TOO_MUCH)
    alert(lab)
    lab.edit(shown)
    lab.settle()
    assert lab.page.get_by_role("alert").count() == 0
    assert lab.page.locator(".is-stale").count() == 0
    assert lab.errors == []


def test_an_engine_that_does_not_come_can_be_asked_for_again(
    context: BrowserContext, site: Site
) -> None:
    context.route(ENGINE, lambda route: route.abort())
    lab = LabPage(context, site.address)
    lab.page.goto(site.address + fragment(SHORT))
    assert "could not be loaded" in alert(lab)
    context.unroute(ENGINE)
    run_again(lab)
    lab.settle()
    assert lab.toml == SHORT
    assert lab.page.get_by_role("alert").count() == 0
    assert [error for error in lab.errors if "net::ERR_FAILED" not in error] == []


@pytest.mark.parametrize("link", ["", fragment(SHORT)], ids=["first scenario", "link"])
def test_text_that_is_typed_before_the_engine_is_there_stays(
    context: BrowserContext, site: Site, link: str
) -> None:
    held: list[Route] = []
    context.route(ENGINE, lambda route: held.append(route))
    lab = LabPage(context, site.address)
    lab.page.goto(site.address + link)
    typed = SHORT.replace("limit = 60", "limit = 25")
    lab.edit(typed)
    assert lab.page.get_by_role("alert").count() == 0
    while not held:
        lab.page.wait_for_timeout(10)
    for route in held:
        route.continue_()
    lab.settle()
    assert lab.toml == typed
    lab.complete()
    assert native.without_times(lab.export()[0]) == native.result(typed)
    assert lab.errors == []


def test_the_page_with_its_first_scenario_is_where_undo_ends(lab: LabPage) -> None:
    undo = lab.page.get_by_role("button", name="Undo")
    undo.click()
    assert lab.toml == SHORT
    lab.edit(SHORT.replace("limit = 60", "limit = 25"))
    lab.settle()
    for _ in range(3):
        undo.click()
    lab.settle()
    assert lab.toml == SHORT


def test_a_refusal_goes_with_the_next_change_of_the_text(lab: LabPage) -> None:
    lab.field("cell.queue.limit")
    value = lab.page.get_by_label("AP queue limit, packets, value")
    value.fill("-5")
    value.press("Enter")
    assert "cell.queue.limit" in alert(lab)
    assert lab.toml == SHORT
    lab.edit(SHORT.replace("limit = 60", "limit = 25"))
    lab.settle()
    assert lab.page.get_by_role("alert").count() == 0
