"""Draws the figures and makes the tables of their data."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from matplotlib.ticker import MultipleLocator, NullLocator

from evenair.papers.claims import number
from evenair.papers.curves import curve, curves, from_zero, label
from evenair.papers.figures import Table
from evenair.papers.kashibuchi2009.cells import Cell, Effort, over_rates, over_stations
from evenair.papers.kashibuchi2009.quantities import (
    aggregate_mbps,
    drop_ratio,
    first_share,
    jain_occupancy,
    occupancy,
    station_mbps,
)
from evenair.plot.style import Line, legend_above, new_figure, styled

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from evenair.papers.runs import Document, Runs

LINES: dict[str, Line] = {
    "tfrc": Line("TFRC", "#000000", "-", "o"),
    "cot": Line("TFRC with controller", "#d6604d", "--", "^", filled=False),
}
"""The paper's two curves."""

ALL_LINES: dict[str, Line] = {
    "tfrc": Line("TFRC, DropTail", "#000000", "-", "o"),
    "las": Line("TFRC, LAS", "#b8860b", ":", "v", filled=False),
    "spm-af": Line("TFRC, SPM-AF", "#762a83", "-.", "P"),
    "fq-codel": Line("TFRC, FQ-CoDel", "#1b7837", "--", "D", filled=False),
    "airtime-drr": Line("TFRC, airtime scheduler", "#2166ac", "-.", "s"),
    "cot": Line("TFRC with controller", "#d6604d", "--", "^", filled=False),
}
"""All schemes."""

_STATION_LINES: dict[str, tuple[Line, Line]] = {
    "tfrc": (
        Line("STA1, TFRC", "#000000", "-", "o"),
        Line("STA2, TFRC", "#000000", ":", "o", filled=False),
    ),
    "cot": (
        Line("STA1, controller", "#d6604d", "--", "^"),
        Line("STA2, controller", "#d6604d", "-.", "^", filled=False),
    ),
    "cot-sliding": (
        Line("STA1, overlapping slots", "#1b7837", "-", "D"),
        Line("STA2, overlapping slots", "#1b7837", ":", "D", filled=False),
    ),
    "airtime-drr": (
        Line("STA1, airtime scheduler", "#2166ac", "-", "s"),
        Line("STA2, airtime scheduler", "#2166ac", ":", "s", filled=False),
    ),
}
"""The curves of STA1 and STA2."""

Quantity = tuple[str, str, "Callable[[Document], float]", "Callable[[Axes], None]"]
"""Column, label of the axis, function of a run, and limits of the axis."""


def share_limits(axes: Axes) -> None:
    """Show shares from 0 to 1."""
    axes.set_ylim(0.0, 1.02)


AGGREGATE: Quantity = (
    "aggregate_mbps",
    "Aggregate throughput (Mb/s)",
    aggregate_mbps,
    from_zero,
)
FAIRNESS: Quantity = (
    "jain_occupancy",
    "Fairness of channel occupancy",
    jain_occupancy,
    share_limits,
)
DROPS: Quantity = ("drop_ratio", "Packet drop ratio", drop_ratio, from_zero)
"""What the panels of figure 4 show."""

_FIRST: Quantity = (
    "first_mbps",
    "Throughput of STA1 (Mb/s)",
    partial(station_mbps, 1),
    from_zero,
)
_SECOND: Quantity = (
    "second_mbps",
    "Throughput of STA2 (Mb/s)",
    partial(station_mbps, 2),
    from_zero,
)
_SHARE: Quantity = (
    "first_share",
    "STA1's part of the occupancy of both",
    first_share,
    share_limits,
)

RATE = "Data rate of STA2 (Mb/s)"
_STATIONS = "Number of stations"


def two_stations(
    runs: Runs[Cell],
    effort: Effort,
    *,
    schemes: Sequence[str] = ("tfrc", "cot"),
    traffic: str = "down",
    x_label: str = RATE,
) -> tuple[Figure, Table]:
    """Draw throughput and occupancy of STA1 and STA2 over STA2's rate, as figure 3."""
    panels: tuple[tuple[str, Callable[[int, Document], float]], ...] = (
        ("Throughput (Mb/s)", station_mbps),
        ("Channel occupancy ratio", occupancy),
    )
    lines = [
        (scheme, station, _STATION_LINES[scheme][station - 1])
        for scheme in schemes
        for station in (1, 2)
    ]
    with styled():
        figure, both = new_figure(2, panel=(4.4, 3.3))
        for axes, (y_label, quantity) in zip(both, panels, strict=True):
            for index, (scheme, station, line) in enumerate(lines):
                along = over_rates(scheme, effort, traffic)
                keywords = line.layered(index, len(lines))
                curve(axes, runs, along, partial(quantity, station), keywords)
            label(axes, x_label, y_label)
            _rate_ticks(axes, effort)
            from_zero(axes)
        legend_above(figure, both[0], len(schemes) if len(schemes) > 2 else 4)
    header = ("scheme", "station", "rate_mbps", "throughput_mbps", "throughput_ci95")
    table = Table((*header, "occupancy", "occupancy_ci95"), [])
    for scheme, station, _ in lines:
        for rate, cell in over_rates(scheme, effort, traffic):
            estimates = [runs.estimate(cell, partial(of, station)) for _, of in panels]
            row = (part for value in estimates for part in value)
            table.rows.append((scheme, f"STA{station}", rate, *row))
    return figure, table


def many_stations(runs: Runs[Cell], effort: Effort, *, quantity: Quantity) -> tuple[Figure, Table]:
    """Draw one quantity over the number of stations, plain TFRC and with the controller."""
    name, y_label, function, limits = quantity

    def finish(axes: Axes) -> None:
        _station_ticks(axes)
        limits(axes)

    return curves(
        runs,
        LINES,
        lambda scheme: over_stations(scheme, effort),
        function,
        columns=("scheme", "stations", name),
        labels=(_STATIONS, y_label),
        finish=finish,
    )


def schemes_over_rates(runs: Runs[Cell], effort: Effort) -> tuple[Figure, Table]:
    """Draw figure 3's quantities for all schemes, a panel for each."""
    return _all_schemes(
        runs,
        lambda scheme: over_rates(scheme, effort),
        (_FIRST, _SECOND, _SHARE),
        ("rate_mbps", RATE, lambda axes: _rate_ticks(axes, effort)),
    )


def schemes_over_stations(runs: Runs[Cell], effort: Effort) -> tuple[Figure, Table]:
    """Draw figure 4's quantities for all schemes, a panel for each."""
    return _all_schemes(
        runs,
        lambda scheme: over_stations(scheme, effort),
        (AGGREGATE, FAIRNESS, DROPS),
        ("stations", _STATIONS, _station_ticks),
    )


def _all_schemes(
    runs: Runs[Cell],
    sweep: Callable[[str], Sequence[tuple[float, Cell]]],
    quantities: Sequence[Quantity],
    x: tuple[str, str, Callable[[Axes], None]],
) -> tuple[Figure, Table]:
    column, x_label, ticks = x
    with styled():
        figure, panels = new_figure(len(quantities), panel=(3.7, 3.3))
        for axes, (_, y_label, quantity, limits) in zip(panels, quantities, strict=True):
            for index, (scheme, line) in enumerate(ALL_LINES.items()):
                keywords = line.layered(index, len(ALL_LINES))
                curve(axes, runs, sweep(scheme), quantity, keywords)
            label(axes, x_label, y_label)
            ticks(axes)
            limits(axes)
        legend_above(figure, panels[0], 6)
    header = ["scheme", column]
    for name, _, _, _ in quantities:
        header += [name, f"{name}_ci95"]
    rows: list[tuple[object, ...]] = []
    printed: list[list[str]] = []
    for scheme, line in ALL_LINES.items():
        for position, cell in sweep(scheme):
            estimates = [runs.estimate(cell, quantity) for _, _, quantity, _ in quantities]
            rows.append((scheme, position, *(part for value in estimates for part in value)))
            printed.append([line.label, f"{position:g}", *map(number, estimates)])
    titles = ["Scheme", x_label, *(y_label for _, y_label, _, _ in quantities)]
    return figure, Table(tuple(header), rows, (titles, printed))


def _rate_ticks(axes: Axes, effort: Effort) -> None:
    axes.set_xticks(effort.rates, [f"{rate:g}" for rate in effort.rates])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xlim(0.0, 57.0)


def _station_ticks(axes: Axes) -> None:
    axes.xaxis.set_major_locator(MultipleLocator(5))
    axes.set_xlim(0.0, 20.8)
