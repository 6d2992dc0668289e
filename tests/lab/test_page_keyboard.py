"""The lab without a mouse."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scenarios import SHORT

if TYPE_CHECKING:
    from lab_page import LabPage
    from playwright.sync_api import Locator

# More than there are places to stop at.
ENOUGH = 400

FOCUSABLE = "a[href], button, input, select, summary, [tabindex='0'], [contenteditable=true]"


def tab_to(lab: LabPage, target: Locator) -> None:
    """Press Tab until an element has the focus."""
    for _ in range(ENOUGH):
        if target.evaluate("element => element === document.activeElement"):
            return
        lab.page.keyboard.press("Tab")
    raise AssertionError(f"Tab does not reach {target}")


def test_everything_is_reached_and_seen(lab: LabPage) -> None:
    """Tab stops at everything that can be used, and what has the focus has an outline."""
    for tab in lab.page.get_by_role("tab").all():
        tab.click()
        lab.page.evaluate(
            """selector => {
              const isThere = (element) => element.checkVisibility() && !element.disabled;
              window.missed = new Set([...document.querySelectorAll(selector)].filter(isThere));
              window.unseen = new Set();
              document.activeElement.blur();
            }""",
            FOCUSABLE,
        )
        for _ in range(ENOUGH):
            lab.page.keyboard.press("Tab")
            left = lab.page.evaluate(
                """() => {
                  const { activeElement } = document;
                  missed.delete(activeElement);
                  const frame = activeElement.closest(".cm-editor") ?? activeElement;
                  const { outlineStyle, boxShadow } = getComputedStyle(frame);
                  if (outlineStyle === "none" && boxShadow === "none") unseen.add(activeElement);
                  // A tab that is not selected is reached by arrow keys.
                  return [...missed].filter((element) => element.tabIndex >= 0).length;
                }"""
            )
            if left == 0:
                break
        lists = lab.page.evaluate(
            """() => [missed, unseen].map((elements) => [...elements]
              .filter((element) => element.tabIndex >= 0 && element !== document.body)
              .map((element) => element.outerHTML.slice(0, 150)))"""
        )
        assert lists == [[], []], tab.inner_text()


def test_a_comparison_by_keys_alone(lab: LabPage) -> None:
    page = lab.page
    keys = page.keyboard
    tab_to(lab, page.get_by_role("button", name="Pin as A"))
    keys.press("Enter")

    slider = lab.page.locator('.control[data-key="station.0.count"] input[type=range]')
    tab_to(lab, slider)
    keys.press("ArrowRight")
    lab.settle()
    assert "count = 3" in lab.toml

    queue = lab.page.locator('.control[data-key="cell.queue"] select').first
    tab_to(lab, queue)
    before = queue.input_value()
    keys.press("ArrowDown")
    lab.settle()
    assert queue.input_value() != before

    editor = page.get_by_role("textbox", name="Scenario, TOML text")
    tab_to(lab, editor)
    keys.press("Control+End")
    keys.type("\n# by keyboard\n")
    keys.press("Tab")
    assert not editor.evaluate("element => element === document.activeElement")
    lab.settle()
    assert lab.toml.endswith("# by keyboard\n")

    tab_to(lab, page.get_by_role("tab", selected=True))
    keys.press("End")
    assert page.get_by_role("tab", selected=True).inner_text() != "Pictures"
    keys.press("Home")
    while page.get_by_role("tab", selected=True).inner_text() != "Export":
        keys.press("ArrowRight")
    tab_to(lab, page.get_by_role("button", name="Copy link"))
    keys.press("Enter")
    page.get_by_text("Link copied").wait_for()
    assert page.evaluate("navigator.clipboard.readText()").startswith(lab.address)

    tab_to(lab, page.get_by_role("button", name="Back to A"))
    keys.press(" ")
    lab.settle()
    assert lab.toml == SHORT


def test_a_picture_is_read_by_arrow_keys(lab: LabPage) -> None:
    picture = lab.page.locator('figure[data-picture="goodput"]')
    tab_to(lab, picture.get_by_role("img"))
    read = []
    for _ in range(3):
        lab.page.keyboard.press("ArrowRight")
        read.append(picture.locator("output").inner_text())
    assert len(set(read)) == 3
    assert all(read)
