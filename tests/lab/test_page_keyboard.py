"""The lab without a mouse."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from scenarios import SHORT

if TYPE_CHECKING:
    from lab_page import LabPage
    from playwright.sync_api import Locator, Page

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


def not_reached_and_not_seen(page: Page) -> list[list[str]]:
    """Press Tab until it has been everywhere; return what it misses, and what has no outline.

    Of a group whose elements are reached by arrow keys, Tab stops at one.
    """
    page.evaluate(
        """selector => {
          const isThere = (element) => element.checkVisibility() && !element.disabled;
          window.missed = new Set([...document.querySelectorAll(selector)].filter(isThere));
          window.unseen = new Set();
          window.isByArrows = (element) => {
            const role = element.getAttribute("role");
            const group = role && element.closest("[role=tablist], [role=group]");
            const others = group ? [...group.querySelectorAll(`[role=${role}]`)] : [];
            return others.some((other) => other.tabIndex === 0 && !missed.has(other));
          };
          document.activeElement.blur();
        }""",
        FOCUSABLE,
    )
    for _ in range(ENOUGH):
        page.keyboard.press("Tab")
        left = page.evaluate(
            """async () => {
              const { activeElement, body } = document;
              missed.delete(activeElement);
              const frame = activeElement.closest(".cm-editor") ?? activeElement;
              const isUnseen = () => {
                const { outlineStyle, boxShadow } = getComputedStyle(frame);
                return outlineStyle === "none" && boxShadow === "none";
              };
              // The editor has its outline a moment later.
              for (let frames = 0; frames < 10 && activeElement !== body && isUnseen(); frames++) {
                await new Promise(requestAnimationFrame);
              }
              if (activeElement !== body && isUnseen()) unseen.add(activeElement);
              return [...missed].filter((element) => element.tabIndex >= 0).length;
            }"""
        )
        if left == 0:
            break
    lists: list[list[str]] = page.evaluate(
        """() => [[...missed].filter((element) => !isByArrows(element)), [...unseen]].map(
          (elements) => elements.map((element) => element.outerHTML.slice(0, 150)))"""
    )
    return lists


def test_everything_is_reached_and_seen(lab: LabPage) -> None:
    """Tab stops at everything that can be used, and what has the focus has an outline."""
    for tab in lab.page.get_by_role("tab").all():
        tab.click()
        assert not_reached_and_not_seen(lab.page) == [[], []], tab.inner_text()


@pytest.mark.parametrize(
    ("wrong", "expected"),
    [
        ('<button tabindex="-1">Wrong</button>', [1, 0]),
        ('<a href="#" tabindex="-1" role="tab">Wrong</a>', [1, 0]),
        ('<button style="outline: none; box-shadow: none">Wrong</button>', [0, 1]),
    ],
    ids=["not reached", "in no group", "not seen"],
)
def test_what_is_wrong_is_found(lab: LabPage, wrong: str, expected: list[int]) -> None:
    """The check above can fail."""
    lab.page.evaluate(
        """html => {
          const main = document.querySelector("main");
          main.insertAdjacentHTML("beforeend", html);
          main.lastElementChild.className = "wrong";
        }""",
        wrong,
    )
    lists = not_reached_and_not_seen(lab.page)
    assert [len(each) for each in lists] == expected
    assert all("Wrong" in element for each in lists for element in each)


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
