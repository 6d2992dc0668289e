"""Controls in a quick hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scenarios import SHORT

if TYPE_CHECKING:
    from lab_page import LabPage


def test_a_slider_keeps_its_stops_while_it_moves(lab: LabPage) -> None:
    """The present value is a stop as long as it is present: the others do not move with it."""
    lab.edit(SHORT.replace("limit = 60", "limit = 23"))
    lab.settle()
    slider = lab.field("cell.queue.limit")
    slider.evaluate(
        """(slider) => {
          window.shown = [];
          new MutationObserver(() => shown.push(slider.ariaValueText))
            .observe(slider, { attributeFilter: ["aria-valuetext"] });
          const first = Number(slider.value);
          for (const place of [first + 1, first + 2]) {
            slider.value = place;
            slider.dispatchEvent(new Event("input", { bubbles: true }));
          }
        }"""
    )
    lab.page.wait_for_function("() => shown.length > 0")
    lab.settle()
    assert "limit = 30" in lab.toml
    # The next stops after 23 are 25 and 30.
    assert set(lab.page.evaluate("shown")) <= {"25", "30"}
    assert slider.get_attribute("aria-valuetext") == "30"
