"""What one sees of the controls at first, in a tour, and on a telephone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from lab_page import LabPage

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext
    from static_site import Site

SHOWN = """() => [...document.querySelectorAll("aside .control[data-key]")]
  .filter((control) => control.checkVisibility())
  .map(({ dataset }) => dataset.key)"""

# Names of menus and texts of fields that need more room than they have.
CUT = """() => {
  const pen = document.createElement("canvas").getContext("2d");
  return [...document.querySelectorAll("aside .control > :is(select, .value)")]
    .filter((field) => field.checkVisibility())
    .flatMap((field) => {
      // A table has lines.
      if (field.rows) return field.scrollHeight > field.clientHeight + 1 ? [field.value] : [];
      const style = getComputedStyle(field);
      pen.font = style.font;
      const texts = field.options ? [...field.options].map(({ text }) => text) : [field.value];
      const padding = parseFloat(style.paddingLeft) + parseFloat(style.paddingRight);
      // A menu has an arrow beside its text.
      const room = field.clientWidth - padding - (field.options ? 16 : 0);
      return texts.filter((text) => pen.measureText(text).width > room);
    });
}"""


def open_all(lab: LabPage) -> None:
    lab.page.evaluate(
        "document.querySelectorAll('aside details').forEach((group) => (group.open = true))"
    )


@pytest.mark.parametrize(
    ("name", "keys"),
    [
        ("gong2006", ["cell.queue.limit", "cell.queue", "station.0.count"]),
        # The first three that its comments compare with and that have a control.
        ("home", ["cell.scheduler", "cell.queue", "cell.channel_width"]),
    ],
)
def test_three_controls_come_first(lab: LabPage, name: str, keys: list[str]) -> None:
    lab.pick(name)
    assert lab.page.evaluate(SHOWN) == keys
    lab.page.get_by_text("All settings", exact=True).click()
    shown = lab.page.evaluate(SHOWN)
    assert len(shown) > 10
    assert len(set(shown)) == len(shown)


def test_a_step_marks_what_it_changes(context: BrowserContext, site: Site) -> None:
    lab = LabPage(context, site.address).open("#tour=uploads-win/5&seeds=1")
    marked = lab.page.locator(".is-of-step")
    keys = marked.evaluate_all("all => all.map(({ dataset }) => dataset.key)")
    assert set(keys) == {"cell.queue.limit"}
    assert lab.page.evaluate(SHOWN)[0] == "cell.queue.limit"
    lab.page.get_by_role("button", name="End the tour").click()
    assert marked.count() == 0
    assert lab.errors == []


def test_a_picture_of_a_step_is_not_shown_twice(context: BrowserContext, site: Site) -> None:
    lab = LabPage(context, site.address).open("#tour=uploads-win/1&seeds=1")
    goodput = lab.page.locator("[data-picture=goodput]")
    goodput.wait_for()
    assert goodput.count() == 1
    lab.page.get_by_role("button", name="Next").click()
    lab.page.locator(".tour [data-picture^=queue]").wait_for()
    assert goodput.count() == 1
    assert lab.page.locator("#section [data-picture=goodput]").count() == 1
    assert lab.errors == []


@pytest.mark.parametrize("name", ["gong2006", "home", "tsiknas2012-wimax"])
def test_no_value_is_cut(lab: LabPage, name: str) -> None:
    lab.pick(name)
    open_all(lab)
    assert lab.page.evaluate(CUT) == []


def test_a_value_that_is_cut_is_found(lab: LabPage) -> None:
    """The check above can fail."""
    lab.page.add_style_tag(content=".control > select { width: 3rem !important }")
    assert "droptail" in lab.page.evaluate(CUT)


def test_the_drawing_stays_in_sight_while_a_slider_moves(lab: LabPage) -> None:
    page = lab.page
    page.set_viewport_size({"width": 400, "height": 800})
    open_all(lab)
    slider = page.locator("aside input[type=range]").last
    slider.scroll_into_view_if_needed()
    box = slider.bounding_box()
    assert box is not None
    before = page.locator(".cell").bounding_box()
    assert before is not None
    assert before["y"] + before["height"] < 0
    page.mouse.move(box["x"] + 5, box["y"] + box["height"] / 2)
    page.mouse.down()
    held = page.locator(".cell-scene").bounding_box()
    assert held is not None
    assert held["y"] >= 0
    assert held["y"] + held["height"] < 800
    still = slider.bounding_box()
    assert still is not None
    assert still["y"] == box["y"]
    page.mouse.up()
    lab.settle()
