"""Figures of curves with 95% confidence intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evenair.papers.figures import Table
from evenair.style import Line, legend_above, new_figure, styled

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from evenair.papers.runs import Document, P, Runs


def curves(
    runs: Runs[P],
    lines: Mapping[str, Line],
    sweep: Callable[[str], Sequence[tuple[float, P]]],
    quantity: Callable[[Document], float],
    *,
    columns: tuple[str, str, str],
    labels: tuple[str, str],
    finish: Callable[[Axes], None],
) -> tuple[Figure, Table]:
    """Draw one quantity over an axis, a curve for each of `lines`.

    `sweep(name)` returns abscissa and point along a curve. `columns` are the headings of the
    table: the distinction between the curves, the abscissa and the quantity; its last column is the
    interval's half-width. `labels` are those of the two axes, and `finish` adjusts the axes.
    """
    table = Table((*columns, "ci95"), [])
    with styled():
        figure, (axes,) = new_figure()
        for name, line in lines.items():
            along = sweep(name)
            curve(axes, runs, along, quantity, line)
            for x, point in along:
                table.rows.append((name, x, *runs.estimate(point, quantity)))
        label(axes, *labels)
        finish(axes)
        legend_above(figure, axes, 2 if len(lines) < 5 else 3)
    return figure, table


def curve(
    axes: Axes,
    runs: Runs[P],
    along: Sequence[tuple[float, P]],
    quantity: Callable[[Document], float],
    line: Line,
) -> None:
    """Draw one curve: the mean of a quantity, with its interval, at the points in `along`."""
    estimates = [runs.estimate(point, quantity) for _, point in along]
    axes.errorbar(
        [x for x, _ in along],
        [value.mean for value in estimates],
        yerr=[value.ci95 or 0.0 for value in estimates],
        capsize=2.5,
        elinewidth=0.9,
        **line.keywords(),
    )


def label(axes: Axes, x_label: str, y_label: str) -> None:
    """Label both axes."""
    axes.set_xlabel(x_label)
    axes.set_ylabel(y_label)


def from_zero(axes: Axes) -> None:
    """Start the vertical axis at zero."""
    axes.set_ylim(0.0, max(axes.get_ylim()[1], 0.01))
