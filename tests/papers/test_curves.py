"""Curves: intervals, published points, curves on top of each other, truncated axes."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest
from evenair.papers.curves import Printed, curve, from_zero, published
from evenair.papers.gong2006.cells import QUICK
from evenair.papers.gong2006.figures import FIGURES
from evenair.papers.runs import Runs
from evenair.plot.style import Line, mark_truncated, new_figure
from fake_runs import simulate

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LINE = Line("curve", "#000000", "-", "o")


def drawn(*seeds: int) -> tuple[Figure, Axes]:
    figure, (axes,) = new_figure()
    documents: Any = {(p, seed): {"x": seed + p} for p in (0, 1) for seed in seeds}
    runs = Runs(seeds, documents)
    curve(axes, runs, [(0.0, 0), (1.0, 1)], lambda document: document["x"], LINE.keywords())
    return figure, axes


@pytest.mark.parametrize(("seeds", "bars"), [((1,), False), ((1, 2), False), ((1, 2, 3), True)])
def test_two_seeds_have_no_error_bars(seeds: tuple[int, ...], bars: bool) -> None:
    _, axes = drawn(*seeds)
    (container,) = axes.containers
    assert container.has_yerr is bars


def test_later_curves_are_thinner_and_on_top() -> None:
    for count in (2, 4, 5):
        styles = [LINE.layered(index, count) for index in range(count)]
        for below, above in pairwise(styles):
            assert below["linewidth"] > above["linewidth"]
            assert below["markersize"] > above["markersize"]
            assert below["zorder"] < above["zorder"]


def test_published_points() -> None:
    _, axes = drawn(1, 2)
    published(axes, Printed("Table 9", ((0.0, 7.0), (1.0, 8.0))))
    handles, labels = axes.get_legend_handles_labels()
    assert labels == ["curve", "published (Table 9)"]
    star = handles[1].lines[0]
    assert [*star.get_xdata()] == [0.0, 1.0]
    assert [*star.get_ydata()] == [7.0, 8.0]
    assert star.get_markerfacecolor() == "none"


def test_the_figures_with_published_points() -> None:
    points = sorted({point for spec in FIGURES for point in spec.points(QUICK)}, key=repr)
    runs = simulate(points, QUICK, None)
    with_points = set()
    for spec in FIGURES:
        figure, _ = spec.draw(runs, QUICK)
        labels = [
            text.get_text()
            for legend in (figure.legends if figure else [])
            for text in legend.get_texts()
        ]
        if any(label.startswith("published") for label in labels):
            with_points.add(spec.id)
    assert with_points == {"3", "4a", "4b"}


@pytest.mark.parametrize(
    ("low", "scale", "label"),
    [
        (2.5, "linear", "y\n(axis starts at 2.5)"),
        (0.0, "linear", "y"),
        (-1.0, "linear", "y"),
        (0.1, "log", "y"),
    ],
)
def test_truncated_axes_are_marked(low: float, scale: Any, label: str) -> None:
    figure, axes = drawn(1, 2)
    lines = len(axes.lines)
    axes.set_yscale(scale)
    axes.set_ylabel("y")
    axes.set_ylim(low, 9.0)
    mark_truncated(figure)
    assert axes.get_ylabel() == label
    assert len(axes.lines) - lines == (2 if "\n" in label else 0)
    assert axes.get_ylim() == (low, 9.0)


def test_an_axis_from_zero_ends_above_the_data() -> None:
    _, axes = drawn(100, 101)
    from_zero(axes)
    low, high = axes.get_ylim()
    assert low == 0.0
    assert high > 1.04 * 101.5  # the highest mean
