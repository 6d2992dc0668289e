"""The page on a telephone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from lab_page import LabPage

# CSS pixels: a line of small text with its frame.
LINE = 32


@pytest.fixture(autouse=True)
def narrow(lab: LabPage) -> None:
    lab.page.set_viewport_size({"width": 400, "height": 800})


def covered(lab: LabPage) -> float:
    """Scroll down, and return how much of the top is covered by what stays in sight."""
    height: float = lab.page.evaluate(
        """() => {
          scrollTo(0, 1500);
          const boxes = [...document.querySelectorAll("main *")]
            .filter((element) => getComputedStyle(element).position === "sticky")
            .map((element) => element.getBoundingClientRect())
            .filter(({ top, height }) => top === 0 && height > 0);
          return Math.max(...boxes.map(({ height }) => height));
        }"""
    )
    return height


def test_the_numbers_stay_in_sight_in_one_line(lab: LabPage) -> None:
    assert covered(lab) <= LINE
    numbers = lab.page.locator(".summary dd").all()
    assert len(numbers) == 3
    for number in numbers:
        box = number.bounding_box()
        assert box is not None
        assert 0 <= box["y"] <= LINE
        assert box["x"] + box["width"] <= 400


def test_two_scenarios_have_a_line_each(lab: LabPage) -> None:
    lab.page.get_by_role("button", name="Pin as A").click()
    lab.field("cell.queue").select_option("las")
    lab.settle()
    assert covered(lab) <= 2 * LINE
