"""The rules of WCAG 2.1 AA, checked with axe on every section in both themes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import axe
import pytest
from requirements import missing
from scenarios import SHORT

if TYPE_CHECKING:
    from lab_page import LabPage
    from playwright.sync_api import Page


INSERT = "html => document.querySelector('main').insertAdjacentHTML('beforeend', html)"


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_no_section_breaks_a_rule(lab: LabPage, theme: Literal["light", "dark"]) -> None:
    if not axe.SCRIPT.exists():
        missing(f"{axe.SCRIPT} is not there: make site")
    page = lab.page
    page.emulate_media(color_scheme=theme, reduced_motion="reduce")
    page.get_by_role("button", name="Pin as A").click()
    lab.field("cell.queue").select_option("las")
    lab.settle()
    lab.complete()
    page.evaluate("document.querySelectorAll('details').forEach((group) => (group.open = true))")
    broken = {}
    for tab in page.get_by_role("tab").all():
        tab.click()
        broken[tab.inner_text()] = axe.violations(page)
    lab.edit(SHORT.replace("count = 2", "count = -2"))
    lab.error()
    broken["with an error"] = axe.violations(page)
    page.set_viewport_size({"width": 400, "height": 800})
    broken["400 pixels"] = axe.violations(page)
    assert {place: lines for place, lines in broken.items() if lines} == {}


@pytest.mark.parametrize(
    ("rule", "wrong"),
    [
        ("label", '<input type="number">'),
        ("button-name", "<button></button>"),
        ("color-contrast", '<p style="color: #999; background: #aaa">Wrong</p>'),
        ("image-alt", '<img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=">'),
    ],
)
def test_what_is_wrong_is_found(lab: LabPage, rule: str, wrong: str) -> None:
    """The check above can fail."""
    lab.page.evaluate(INSERT, wrong)
    [line] = axe.violations(lab.page)
    assert f": {rule}: " in line


def nameless(page: Page) -> list[str]:
    """Return the fields without a label, also in closed groups, which axe does not see."""
    found: list[str] = page.evaluate(
        """() => {
          document.querySelectorAll("details").forEach((group) => (group.open = true));
          const isNamed = (field) =>
            field.ariaLabel?.trim() ||
            [...(field.labels ?? [])].some((label) => label.innerText.trim());
          return [...document.querySelectorAll("input, select, textarea")]
            .filter((field) => !isNamed(field))
            .map((field) => field.outerHTML);
        }"""
    )
    return found


def test_every_control_has_a_label(lab: LabPage) -> None:
    assert nameless(lab.page) == []


@pytest.mark.parametrize(
    "wrong", ["<select></select>", "<label> </label><textarea></textarea>", '<input id="wrong">']
)
def test_a_control_without_a_label_is_found(lab: LabPage, wrong: str) -> None:
    lab.page.evaluate(INSERT, f"<details><summary>Closed</summary>{wrong}</details>")
    assert len(nameless(lab.page)) == 1
