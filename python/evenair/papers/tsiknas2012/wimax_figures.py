"""The paper's figures on WiMAX."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

from matplotlib.ticker import FixedLocator, NullLocator

from evenair.papers.curves import curves, label
from evenair.papers.figures import FigureSpec, Table
from evenair.papers.tsiknas2012.downloads import QUEUE_RATE, VARIANTS, Effort
from evenair.papers.tsiknas2012.drawing import along_queues, along_rates, axis
from evenair.papers.tsiknas2012.lines import LINES
from evenair.papers.tsiknas2012.quantities import cwnd_samples, fairness, goodput_mbps
from evenair.papers.tsiknas2012.wimax import (
    ASYMMETRIC,
    RATIO_RATE,
    WINDOW_RATE,
    over_queues,
    over_rates,
    over_ratios,
    traced,
)
from evenair.plot.style import new_figure, styled

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from evenair.papers.runs import Document, Runs
    from evenair.papers.tsiknas2012.wimax import Point, Wimax


def windows(runs: Runs[Point], effort: Effort) -> tuple[Figure, Table]:
    """Draw figure 5: congestion windows over time, a panel for each variant, first seed."""
    seed = effort.seeds[0]
    table = Table(("transport", "time_s", "cwnd_segments"), [])
    with styled():
        figure, panels = new_figure(1, len(LINES), panel=(5.6, 1.45), share=True)
        for (name, line), axes in zip(LINES.items(), panels, strict=True):
            document = runs.documents[traced(name), seed]
            times, samples = document["series"]["time_s"], cwnd_samples(document)
            heights = [math.nan if value is None else value for value in samples]
            axes.plot(times, heights, color=line.color, linewidth=0.9)
            axes.set_title(line.label, loc="left", pad=3)
            table.rows.extend((name, *row) for row in zip(times, samples, strict=True))
        for axes in panels:
            axes.set_ylim(bottom=0.0)
            axes.label_outer()
        label(panels[-1], "Time (s)", "")
        figure.supylabel("Congestion window (segments)", fontsize=9.0)
    return figure, table


def along_ratios(
    runs: Runs[Point], effort: Effort, *, quantity: Callable[[Document], float]
) -> tuple[Figure, Table]:
    """Draw figures 12 and 13: goodput or fairness over the downlink's share of the frame."""
    name, y_label, limits = axis(quantity)

    def finish(axes: Axes) -> None:
        axes.xaxis.set_major_locator(FixedLocator([r / (r + 1) for r in effort.ratios]))
        axes.xaxis.set_minor_locator(NullLocator())
        axes.set_xticklabels([f"{r}:1" for r in effort.ratios])
        limits(axes)

    return curves(
        runs,
        {transport: LINES[transport] for transport in ASYMMETRIC},
        lambda transport: over_ratios(transport, effort),
        quantity,
        columns=("transport", "downlink_share", name),
        labels=("DL:UL ratio, at the downlink's share of the frame", y_label),
        finish=finish,
    )


def _along(scenario_number: int) -> Callable[[str, Effort], list[tuple[float, Wimax]]]:
    return lambda transport, effort: over_rates(transport, scenario_number, effort)


def _rates(effort: Effort, *, numbers: tuple[int, ...]) -> set[Point]:
    return {
        point
        for transport in VARIANTS
        for number in numbers
        for _, point in over_rates(transport, number, effort)
    }


def _windows(effort: Effort) -> set[Point]:
    return {traced(transport) for transport in VARIANTS}


def _queues(effort: Effort) -> set[Point]:
    return {point for transport in VARIANTS for _, point in over_queues(transport, effort)}


def _ratios(effort: Effort) -> set[Point]:
    return {point for transport in ASYMMETRIC for _, point in over_ratios(transport, effort)}


_BARS = "Bars: 95% interval over the seeds."

FIGURES: tuple[FigureSpec[Point, Effort], ...] = (
    FigureSpec(
        "4",
        "WiMAX, scenario 1: goodput over the packet error rate",
        f"One download over 45 ms of wire and an 802.16 cell with errors. {_BARS}",
        partial(_rates, numbers=(1,)),
        partial(along_rates, points=_along(1)),
    ),
    FigureSpec(
        "5",
        "WiMAX, scenario 1: congestion windows",
        f"Packet error rate {WINDOW_RATE:g}, first seed, a sample per second.",
        _windows,
        windows,
    ),
    FigureSpec(
        "7",
        "WiMAX, scenario 2: goodput over the packet error rate",
        "As figure 4, with a link on the wire that Pareto traffic congests in both directions. "
        f"{_BARS}",
        # Its claims compare it with figure 4.
        partial(_rates, numbers=(1, 2)),
        partial(along_rates, points=_along(2)),
    ),
    FigureSpec(
        "8",
        "WiMAX, scenario 2: goodput over the queue of the congested link",
        f"Packet error rate {QUEUE_RATE:.5f}. {_BARS}",
        _queues,
        partial(along_queues, points=over_queues),
    ),
    FigureSpec(
        "10",
        "WiMAX, scenario 3: goodput of a flow over the packet error rate",
        f"A download for each of six stations, DL:UL = 3:1. Mean over the flows. {_BARS}",
        partial(_rates, numbers=(3,)),
        partial(along_rates, points=_along(3)),
    ),
    FigureSpec(
        "11",
        "WiMAX, scenario 3: fairness over the packet error rate",
        f"As figure 10. {_BARS}",
        partial(_rates, numbers=(3,)),
        partial(along_rates, points=_along(3), quantity=fairness),
    ),
    FigureSpec(
        "12",
        "WiMAX, scenario 3: goodput of a flow over the DL:UL ratio",
        f"Packet error rate {RATIO_RATE:.5f}. Mean over the six flows. {_BARS}",
        _ratios,
        partial(along_ratios, quantity=goodput_mbps),
    ),
    FigureSpec(
        "13",
        "WiMAX, scenario 3: fairness over the DL:UL ratio",
        f"As figure 12. {_BARS}",
        _ratios,
        partial(along_ratios, quantity=fairness),
    ),
)
"""Figures 4 to 13 but for the sketches 6 and 9, in the order of the paper."""
