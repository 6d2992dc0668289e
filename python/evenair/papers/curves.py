"""Figures of curves with 95% confidence intervals, and of published points."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from evenair.papers.figures import Table
from evenair.plot.style import Line, legend_above, new_figure, styled

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from evenair.papers.runs import Document, P, Runs
    from evenair.statistics import Estimate


def curves(
    runs: Runs[P],
    lines: Mapping[str, Line],
    sweep: Callable[[str], Sequence[tuple[float, P]]],
    quantity: Callable[[Document], float],
    *,
    columns: tuple[str, str, str],
    labels: tuple[str, str],
    finish: Callable[[Axes], None],
    printed: Printed | None = None,
) -> tuple[Figure, Table]:
    """Draw one quantity over an axis, a curve for each of `lines`.

    `sweep(name)` returns abscissa and point along a curve. `columns` are the headings of the
    table: the distinction between the curves, the abscissa and the quantity; its last column is the
    interval's half-width. `labels` are those of the two axes, `finish` adjusts the axes, and
    `printed` are points that the paper prints as numbers.
    """
    table = Table((*columns, "ci95"), [])
    with styled():
        figure, (axes,) = new_figure()
        for index, (name, line) in enumerate(lines.items()):
            along = sweep(name)
            curve(axes, runs, along, quantity, line.layered(index, len(lines)))
            for x, point in along:
                table.rows.append((name, x, *runs.estimate(point, quantity)))
        if printed is not None:
            published(axes, printed)
        label(axes, *labels)
        finish(axes)
        legend_above(figure, axes, 2 if len(lines) < 5 else 3)
    return figure, table


def curve(
    axes: Axes,
    runs: Runs[P],
    along: Sequence[tuple[float, P]],
    quantity: Callable[[Document], float],
    keywords: dict[str, Any],
) -> None:
    """Draw one curve: the mean of a quantity, with its interval, at the points in `along`.

    `keywords` are those of a `Line`.
    """
    estimates = [runs.estimate(point, quantity) for _, point in along]
    with_bars(axes, [x for x, _ in along], estimates, len(runs.seeds), keywords)


def with_bars(
    axes: Axes,
    x: Sequence[float],
    estimates: Sequence[Estimate],
    seeds: int,
    keywords: dict[str, Any],
) -> None:
    """Draw estimates over `x`, with their intervals from three seeds on.

    With two seeds Student's t is 12.7, and bars would fill the figure without saying anything.
    """
    bars = [value.ci95 or 0.0 for value in estimates] if seeds > 2 else None
    means = [value.mean for value in estimates]
    axes.errorbar(x, means, yerr=bars, capsize=2.5, elinewidth=0.9, **keywords)


@dataclass(frozen=True)
class Printed:
    """Points of a figure that the paper prints as numbers, in its text or a table."""

    where: str
    points: tuple[tuple[float, float], ...]


def published(axes: Axes, printed: Printed) -> None:
    """Draw published points: hollow stars, on top of all curves."""
    x, y = zip(*printed.points, strict=True)
    axes.errorbar(  # without bars; in the legend it then comes after the curves
        x,
        y,
        color="black",
        linestyle="none",
        marker="*",
        markersize=11.0,
        markerfacecolor="none",
        markeredgewidth=1.0,
        zorder=5,
        label=f"published ({printed.where})",
    )


def label(axes: Axes, x_label: str, y_label: str) -> None:
    """Label both axes."""
    axes.set_xlabel(x_label)
    axes.set_ylabel(y_label)


def from_zero(axes: Axes) -> None:
    """Start the vertical axis at zero, and end it above the data."""
    axes.set_ylim(0.0, max(axes.get_ylim()[1], 1.05 * axes.dataLim.ymax, 0.01))
