"""The figures of docs/congestion show their data, and these are those of today's simulator."""

from __future__ import annotations

import importlib.util
import re
from typing import TYPE_CHECKING

import pytest
from evenair_command import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

IMAGES = ROOT / "docs" / "images"
spec = importlib.util.spec_from_file_location(
    "congestion_controls", IMAGES / "congestion_controls.py"
)
assert spec is not None
assert spec.loader is not None
script = importlib.util.module_from_spec(spec)
spec.loader.exec_module(script)

CURVES = {
    "cubic": [("cwnd", 1, "#000000")],
    "bbr": [("bandwidth_bps", 1e-6, "#d55e00"), ("cwnd", 1, "#000000")],
    "bbr1": [("bandwidth_bps", 1e-6, "#d55e00"), ("cwnd", 1, "#000000")],
    "dctcp": [("cwnd", 1, "#000000"), ("alpha", 1, "#d55e00")],
    "prague": [("cwnd", 1, "#000000"), ("alpha", 1, "#d55e00")],
}
"""A curve of each panel: its column, in the unit of the axis, and its colour."""


def scale(panel: str, axis: str) -> Callable[[float], float]:
    """From points of a panel to values, by the first and the last tick with their labels."""
    tick = rf'<g id="{axis}tick_.*?<use [^>]*\b{axis}="([\d.]+)".*?<!-- ([\d.]+) -->'
    ticks = [(float(place), float(label)) for place, label in re.findall(tick, panel, re.DOTALL)]
    (start, first), *_, (end, last) = ticks
    return lambda place: first + (last - first) * (place - start) / (end - start)


@pytest.mark.parametrize("control", script.CASES)
def test_the_picture_shows_the_data(control: str) -> None:
    svg = (IMAGES / f"{control}.svg").read_text(encoding="utf-8")
    rows = script.read(IMAGES / f"{control}.csv")
    _, *panels = re.split(r'<g id="axes_\d+">', svg)
    for panel, (name, unit, color) in zip(panels, CURVES[control], strict=True):
        across, down = scale(panel, "x"), scale(panel, "y")
        known = [(row["time_s"], row[name] * unit) for row in rows if row[name] is not None]
        paths = re.findall(rf'<path d="([^"]*)"[^>]*stroke: {color}', panel)
        curves = [[float(number) for number in re.findall(r"[\d.]+", path)] for path in paths]
        [points] = [curve for curve in curves if len(curve) == 2 * len(known)]
        shown = [(across(x), down(y)) for x, y in zip(points[::2], points[1::2], strict=True)]
        largest = max(value for _, value in known)
        for (x, y), (time, value) in zip(shown, known, strict=True):
            assert x == pytest.approx(time, abs=1e-3)
            assert y == pytest.approx(value, abs=1e-4 * largest)


@pytest.mark.parametrize("control", script.CASES)
def test_the_data_are_rebuilt(control: str, tmp_path: Path) -> None:
    """`make pictures` draws them anew."""
    rows = script.data(control)
    script.write(rows, tmp_path / "data.csv")
    assert (tmp_path / "data.csv").read_text() == (IMAGES / f"{control}.csv").read_text()
    script.draw(control, rows, tmp_path / "picture.svg")
    assert (tmp_path / "picture.svg").read_text().count('<g id="axes_') == len(CURVES[control])
