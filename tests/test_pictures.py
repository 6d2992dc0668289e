"""The README's figure shows its data, and its data are those of today's simulator."""

from __future__ import annotations

import csv
import re
from typing import TYPE_CHECKING

import evenair as ea
import pytest
from evenair.papers.gong2006 import PAPER
from evenair.papers.gong2006.cells import FULL, Cell
from evenair.papers.gong2006.drawing import LINES
from evenair_command import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable

IMAGES = ROOT / "docs" / "images"
SVG = (IMAGES / "fairness.svg").read_text(encoding="utf-8")
with (IMAGES / "fairness.csv").open(encoding="utf-8", newline="") as file:
    DATA = {(row["scheme"], int(row["buffer_packets"])): row for row in csv.DictReader(file)}
BUFFERS = sorted({buffer for _, buffer in DATA})


def scale(axis: str, coordinate: str) -> Callable[[float], float]:
    """From points of the picture to values, by the first and the last tick with their labels."""
    tick = rf'<g id="{axis}tick_.*?<use [^>]*\b{coordinate}="([\d.]+)".*?<!-- ([\d.]+) -->'
    ticks = [(float(place), float(label)) for place, label in re.findall(tick, SVG, re.S)]
    (start, first), *_, (end, last) = ticks
    return lambda place: first + (last - first) * (place - start) / (end - start)


def test_the_picture_shows_the_data() -> None:
    across, down = scale("x", "x"), scale("y", "y")
    for scheme, line in LINES.items():
        paths = re.findall(rf'<path d="([^"]*)"[^>]*stroke: {line.color}', SVG)
        curves = [[float(number) for number in re.findall(r"[\d.]+", path)] for path in paths]
        [points] = [curve for curve in curves if len(curve) == 2 * len(BUFFERS)]
        for buffer, x, y in zip(BUFFERS, points[::2], points[1::2], strict=True):
            assert across(x) == pytest.approx(buffer, abs=0.01)
            index = float(DATA[scheme, buffer]["jain_index"])
            assert down(y) == pytest.approx(index, abs=1e-4)


@pytest.mark.parametrize("scheme", LINES)
def test_the_data_are_rebuilt(scheme: str) -> None:
    """At 10 packets, where a result differs most between versions. `make pictures` draws anew."""
    runs = ea.run(PAPER.scenario(Cell(scheme, 10), FULL), runs=len(FULL.seeds))
    index = runs.summary["jain_index"]
    row = DATA[scheme, 10]
    assert index.mean == pytest.approx(float(row["jain_index"]), rel=1e-5)
    assert index.ci95 == pytest.approx(float(row["ci95"]), rel=1e-5)
