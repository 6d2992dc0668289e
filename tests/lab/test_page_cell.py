"""What the page opens with: a sentence on the result, and the cell drawn, moving with the run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import native
from lab_page import LabPage
from scenarios import SHORT, fragment

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext
    from static_site import Site

DOTS = "() => document.querySelector('.cell-dots.is-up').getAttribute('d')"


def headline(lab: LabPage) -> str:
    return lab.page.locator(".headline").last.inner_text()


def test_the_sentence_has_the_ratio_of_the_engine(lab: LabPage) -> None:
    flows = native.result(SHORT)["flows"]
    up = sum(flow["goodput_bps"] for flow in flows if flow["direction"] == "up") / 2
    down = sum(flow["goodput_bps"] for flow in flows if flow["direction"] == "down")
    assert up > 1.25 * down
    assert 10 <= up / down < 100  # two digits, without decimals
    assert f"Uploads get {up / down:.0f} times what downloads get" in headline(lab)


def test_the_drawing_says_what_each_station_gets(lab: LabPage) -> None:
    lab.rest()
    shown = lab.page.locator(".cell-scene .value").all_text_contents()
    flows = native.result(SHORT)["flows"]
    assert len(shown) == len(flows)
    for text, flow in zip(shown, flows, strict=True):
        assert abs(float(text.split()[0]) - flow["goodput_bps"] / 1e6) < 0.01


def test_it_moves_and_can_be_stopped(lab: LabPage) -> None:
    page = lab.page
    before = page.evaluate(DOTS)
    page.wait_for_function(f"before => ({DOTS})() !== before", arg=before)
    page.get_by_role("button", name="Pause the run").click()
    lab.rest()
    stopped = page.evaluate(DOTS)
    page.wait_for_timeout(300)
    assert page.evaluate(DOTS) == stopped
    page.get_by_role("button", name="Play the run").click()
    page.wait_for_function(f"before => ({DOTS})() !== before", arg=stopped)


def test_nothing_moves_for_who_wants_no_motion(context: BrowserContext, site: Site) -> None:
    lab = LabPage(context, site.address)
    lab.page.emulate_media(reduced_motion="reduce")
    lab.open(fragment(SHORT))
    before = lab.page.evaluate(DOTS)
    assert before
    lab.page.wait_for_timeout(500)
    assert lab.page.evaluate(DOTS) == before
    assert lab.errors == []


def test_a_and_b_have_a_sentence_each(lab: LabPage) -> None:
    lab.page.get_by_role("button", name="Pin as A").click()
    lab.field("cell.queue.limit").fill("0")
    lab.settle()
    sentences = lab.page.locator(".headline").all_inner_texts()
    assert len(sentences) == 2
    assert sentences[0].startswith("A")
    assert sentences[1].startswith("B")


def test_the_sentence_leads_to_its_tour(lab: LabPage) -> None:
    lab.pick("gong2006")
    lab.page.get_by_role("button", name="Take the tour about this").click()
    lab.page.get_by_text("Tour: Why uploads win, 1 of 6").wait_for()
