"""The paper's figures on WLANs, and the list of all figures."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from evenair.papers.figures import FigureSpec
from evenair.papers.tsiknas2012.biad import BIAD
from evenair.papers.tsiknas2012.downloads import (
    QUEUE_RATE,
    VARIANTS,
    Download,
    Effort,
    over_queues,
    over_rates,
)
from evenair.papers.tsiknas2012.drawing import along_queues, along_rates
from evenair.papers.tsiknas2012.tables import TABLES
from evenair.papers.tsiknas2012.wimax_figures import FIGURES as WIMAX_FIGURES
from evenair.papers.tsiknas2012.wimax_tables import TABLES as WIMAX_TABLES

if TYPE_CHECKING:
    from collections.abc import Callable

    from evenair.papers.tsiknas2012.wimax import Point


def _along(congested: bool) -> Callable[[str, Effort], list[tuple[float, Download]]]:
    return lambda transport, effort: over_rates(transport, congested, effort)


def _all_rates(effort: Effort, *, congested: bool) -> set[Point]:
    # Claims on figure 15 compare it with figure 14, the same without congestion.
    return {
        download
        for transport in VARIANTS
        for scenario in {False, congested}
        for _, download in over_rates(transport, scenario, effort)
    }


def _all_queues(effort: Effort) -> set[Point]:
    # Claims on figure 16 compare it with the same download without congestion.
    free: set[Point] = {Download(transport, QUEUE_RATE) for transport in VARIANTS}
    return free | {
        download for transport in VARIANTS for _, download in over_queues(transport, effort)
    }


FIGURES: tuple[FigureSpec[Point, Effort], ...] = (
    *WIMAX_FIGURES,
    FigureSpec(
        "14",
        "WLAN, scenario 1: goodput over the packet error rate",
        "One download over 45 ms of wire and a cell with errors. Bars: 95% interval over the "
        "seeds.",
        partial(_all_rates, congested=False),
        partial(along_rates, points=_along(False)),
    ),
    FigureSpec(
        "15",
        "WLAN, scenario 2: goodput over the packet error rate",
        "As figure 14, with a link on the wire that Pareto traffic congests in both directions. "
        "Bars: 95% interval over the seeds.",
        partial(_all_rates, congested=True),
        partial(along_rates, points=_along(True)),
    ),
    FigureSpec(
        "16",
        "WLAN, scenario 2: goodput over the queue of the congested link",
        "Packet error rate 0.00001. Bars: 95% interval over the seeds.",
        _all_queues,
        partial(along_queues, points=over_queues),
    ),
    *WIMAX_TABLES,
    *BIAD,
    *TABLES,
)
"""All figures in the order of the paper, and our own tables."""
