"""The rules of WCAG 2.1 AA, checked with axe on every section in both themes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import axe
import pytest
from requirements import missing
from scenarios import SHORT

if TYPE_CHECKING:
    from lab_page import LabPage


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


def test_every_control_has_a_label(lab: LabPage) -> None:
    """Also in groups that are closed, which axe does not see."""
    nameless = lab.page.evaluate(
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
    assert nameless == []
