"""Figures over the packet error rate and over the queue of the congested link, of both media."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from matplotlib.ticker import MultipleLocator

from evenair.papers.curves import curves, from_zero
from evenair.papers.tsiknas2012.lines import GOODPUT, LINES
from evenair.papers.tsiknas2012.quantities import fairness, goodput_mbps

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from evenair.papers.figures import Table
    from evenair.papers.runs import Document, Runs
    from evenair.papers.tsiknas2012.downloads import Effort
    from evenair.papers.tsiknas2012.wimax import Point

_FAIRNESS = "Jain's fairness index"


def along_rates(
    runs: Runs[Point],
    effort: Effort,
    *,
    points: Callable[[str, Effort], Sequence[tuple[float, Point]]],
    quantity: Callable[[Document], float] = goodput_mbps,
) -> tuple[Figure, Table]:
    """Draw goodput or fairness over the packet error rate.

    `points` returns abscissa and configuration along the curve of a variant.
    """
    name, y_label, limits = axis(quantity)

    def finish(axes: Axes) -> None:
        axes.set_xscale("log")
        limits(axes)

    return curves(
        runs,
        LINES,
        lambda transport: points(transport, effort),
        quantity,
        columns=("transport", "packet_error_rate", name),
        labels=("Packet error rate", y_label),
        finish=finish,
    )


def along_queues(
    runs: Runs[Point],
    effort: Effort,
    *,
    points: Callable[[str, Effort], Sequence[tuple[float, Point]]],
) -> tuple[Figure, Table]:
    """Draw goodput over the queue limit of the congested link; `points` as in `along_rates`."""

    def finish(axes: Axes) -> None:
        axes.xaxis.set_major_locator(MultipleLocator(20))
        from_zero(axes)

    return curves(
        runs,
        LINES,
        lambda transport: points(transport, effort),
        goodput_mbps,
        columns=("transport", "queue_packets", "goodput_mbps"),
        labels=("Queue of the congested link (packets)", GOODPUT),
        finish=finish,
    )


def axis(quantity: Callable[[Document], float]) -> tuple[str, str, Callable[[Axes], None]]:
    """Return the column's name, the label and the limits of a quantity's axis."""
    if quantity is fairness:
        return "fairness", _FAIRNESS, _index_limits
    return "goodput_mbps", GOODPUT, from_zero


def _index_limits(axes: Axes) -> None:
    """Show Jain's index up to 1, from the next tenth below the data."""
    axes.set_ylim(max(min(math.floor(axes.get_ylim()[0] * 10) / 10, 0.8), 0.0), 1.02)
