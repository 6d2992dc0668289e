"""Draws the figures and makes the tables of their data."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any

from matplotlib.ticker import MultipleLocator

from evenair.papers.blefari2007.cells import Cell, Effort, over_many, over_schemes, over_stations
from evenair.papers.blefari2007.quantities import (
    SETTLING_S,
    flows_mbps,
    goodput_mbps,
    imbalance,
    in_period,
    jain_index,
    least_share,
    starved_uploads,
    total_mbps,
    udp_mbps,
)
from evenair.papers.claims import number
from evenair.papers.curves import curve, curves, from_zero, label
from evenair.papers.figures import Table
from evenair.plot.style import Line, legend_above, new_figure, styled
from evenair.statistics import estimate

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from evenair.papers.runs import Document, Runs

UP = Line("upstream", "#0072b2", "-", "o")
DOWN = Line("downstream", "#d6604d", "--", "^", filled=False)
TOTAL = Line("total", "#000000", "-.", "s")
RATE = Line("R of the limiter (IP level)", "#1b7837", ":", "")

GOODPUTS: tuple[tuple[str, Line, Callable[[Document], float]], ...] = (
    ("up", UP, partial(goodput_mbps, "up")),
    ("down", DOWN, partial(goodput_mbps, "down")),
    ("total", TOTAL, total_mbps),
)
"""The paper's three curves: column, style and quantity."""

_GOODPUT = "TCP goodput (Mb/s)"
_STATIONS = "Number of stations, N"

SCHEME_LINES: dict[str, Line] = {
    "off": Line("DropTail", "#000000", "", "o"),
    "spm-af": Line("SPM-AF", "#762a83", "", "P"),
    "las": Line("LAS", "#b8860b", "", "v", filled=False),
    "fq-codel": Line("FQ-CoDel", "#1b7837", "", "D", filled=False),
    "fixed": Line("fixed", "#2166ac", "", "s", filled=False),
    "polled": Line("adaptive, polled", "#e08214", "", "^", filled=False),
    "limiter": Line("adaptive", "#d6604d", "", "^"),
}
"""The schemes in one picture."""


def over(
    runs: Runs[Cell],
    effort: Effort,
    *,
    along: Callable[[Effort], Sequence[tuple[float, Cell]]],
    x: tuple[str, str],
    logarithmic: bool = False,
) -> tuple[Figure, Table]:
    """Draw upstream, downstream and total goodput over an axis; `x` is its column and its label."""
    column, x_label = x
    points = along(effort)
    with styled():
        figure, (axes,) = new_figure()
        for index, (_, line, quantity) in enumerate(GOODPUTS):
            curve(axes, runs, points, quantity, line.layered(index, len(GOODPUTS)))
        label(axes, x_label, _GOODPUT)
        if logarithmic:
            axes.set_xscale("log")
            axes.set_xticks([x for x, _ in points], [f"{x:g}" for x, _ in points])
            axes.minorticks_off()
        else:
            axes.xaxis.set_major_locator(MultipleLocator(1))
        from_zero(axes)
        legend_above(figure, axes, 3)
    header = [column]
    for name, _, _ in GOODPUTS:
        header += [f"{name}_mbps", f"{name}_ci95"]
    table = Table(tuple(header), [])
    for value, cell in points:
        estimates = [runs.estimate(cell, quantity) for _, _, quantity in GOODPUTS]
        table.rows.append((value, *(part for each in estimates for part in each)))
    return figure, table


def over_n(runs: Runs[Cell], effort: Effort, *, scheme: str) -> tuple[Figure, Table]:
    """Draw figures 4 and 8: goodput over N."""
    return over(runs, effort, along=partial(over_stations, scheme), x=("stations", _STATIONS))


def over_parameter(
    runs: Runs[Cell], effort: Effort, *, name: str, x: tuple[str, str]
) -> tuple[Figure, Table]:
    """Draw goodput over a parameter of the limiter, a name of SCHEME_SETS."""
    return over(runs, effort, along=lambda _: over_schemes(name), x=x, logarithmic=True)


def single_stations(runs: Runs[Cell], effort: Effort, *, scheme: str) -> tuple[Figure, Table]:
    """Draw figures 5 and 9: goodput of each station's flows, one run as in the paper."""
    seed = effort.seeds[0]
    document = runs.documents[Cell(scheme), seed]
    table = Table(("station", "up_mbps", "down_mbps"), [])
    up, down = (flows_mbps(direction, document) for direction in ("up", "down"))
    table.rows.extend((k, *pair) for k, pair in enumerate(zip(up, down, strict=True), start=1))
    with styled():
        figure, (axes,) = new_figure()
        for rates, line, shift, hatch in ((up, UP, -0.2, "//"), (down, DOWN, 0.2, "")):
            places = [k + shift for k in range(1, len(rates) + 1)]
            keywords: dict[str, Any] = {"edgecolor": "black", "linewidth": 0.6, "hatch": hatch}
            axes.bar(places, rates, width=0.4, color=line.color, label=line.label, **keywords)
        label(axes, "Station", _GOODPUT)
        from_zero(axes)
        legend_above(figure, axes, 2)
    return figure, table


def over_time(
    runs: Runs[Cell], effort: Effort, *, scheme: str, traffic: str = "static"
) -> tuple[Figure, Table]:
    """Draw figures 6, 7, 10 and 11: goodput in each second of one run, and R."""
    document = runs.documents[Cell(scheme, traffic=traffic), effort.seeds[0]]
    series = document["series"]
    times = series["time_s"]
    up, down = ([bps / 1e6 for bps in series[name]] for name in ("up_bps", "down_bps"))
    total = [a + b for a, b in zip(up, down, strict=True)]
    rates = {round(sample["t_s"], 6): sample["rate_bps"] / 1e6 for sample in series["limiter"]}
    with styled():
        figure, (axes,) = new_figure(panel=(7.2, 3.4))
        for values, line in ((total, TOTAL), (up, UP), (down, DOWN)):
            axes.plot(times, values, **line.over_time(len(times)))
        if rates:
            axes.plot(list(rates), list(rates.values()), **RATE.keywords(), linewidth=1.1)
        label(axes, "Time (s)", _GOODPUT)
        from_zero(axes)
        legend_above(figure, axes, 4)
    table = Table(("time_s", "up_mbps", "down_mbps", "total_mbps", "rate_mbps"), [])
    for row in zip(times, up, down, total, strict=True):
        table.rows.append((*row, rates.get(round(row[0], 6), "")))
    return figure, table


def starved(runs: Runs[Cell], effort: Effort) -> tuple[Figure, Table]:
    """Draw how many uploads cannot start, over N up to 30, without and with the limiter."""

    def finish(axes: Axes) -> None:
        from_zero(axes)

    lines = {
        "off": Line("without limiter", "#000000", "-", "o"),
        "limiter": Line("with limiter", "#d6604d", "--", "^", filled=False),
    }
    return curves(
        runs,
        lines,
        lambda scheme: over_many(scheme, effort),
        starved_uploads,
        columns=("scheme", "stations", "starved_uploads"),
        labels=(_STATIONS, "Uploads below 1 % of the mean upload"),
        finish=finish,
    )


READINGS: tuple[tuple[str, float, Line], ...] = (
    ("limiter", 0.0, Line("air", "#d6604d", "-", "^")),
    ("passed", 0.0, Line("passed", "#0072b2", "-", "o")),
    ("limiter", SETTLING_S, Line("air, from 20 s on", "#d6604d", "--", "^", filled=False)),
    ("passed", SETTLING_S, Line("passed, from 20 s on", "#0072b2", "--", "o", filled=False)),
)
"""What R_up may count: scheme, where the period begins (seconds), and style."""


def readings(runs: Runs[Cell], effort: Effort) -> tuple[Figure, Table]:
    """Draw upstream over downstream goodput over N, with what R_up may count."""
    header = ["scheme", "from_s", "stations"]
    for name in ("up_over_down", "total_over_unlimited"):
        header += [name, f"{name}_ci95"]
    rows: list[tuple[object, ...]] = []
    printed = []
    with styled():
        figure, (axes,) = new_figure()
        for index, (scheme, begin, line) in enumerate(READINGS):
            period = (begin, math.inf)
            ratio = partial(in_period, lambda up, down: up / down, period)
            total = partial(in_period, lambda up, down: up + down, period)
            along = over_stations(scheme, effort)
            curve(axes, runs, along, ratio, line.layered(index, len(READINGS)))
            for n, cell in along:
                shares = [
                    total(of(cell)) / total(of(Cell("off", stations=cell.stations)))
                    for of in map(runs.lookup, runs.seeds)
                ]
                values = (runs.estimate(cell, ratio), estimate(shares))
                rows.append((scheme, begin, n, *(part for value in values for part in value)))
                printed.append([line.label, f"{n:g}", *map(number, values)])
        label(axes, _STATIONS, "Upstream over downstream goodput")
        axes.xaxis.set_major_locator(MultipleLocator(1))
        legend_above(figure, axes, 2)
    titles = ["R_up counts", "N", "Up over down", "Total over that without limiter"]
    return figure, Table(tuple(header), rows, (titles, printed))


def fairness_and_goodput(runs: Runs[Cell], effort: Effort) -> tuple[Figure, Table]:
    """Draw Jain's index over total goodput, a point for each scheme."""
    names = ("total_mbps", "jain_index", "imbalance")
    quantities = (total_mbps, jain_index, imbalance)
    header = ["scheme"]
    for name in names:
        header += [name, f"{name}_ci95"]
    rows: list[tuple[object, ...]] = []
    printed = []
    with styled():
        figure, (axes,) = new_figure()
        for scheme, line in SCHEME_LINES.items():
            values = [runs.estimate(Cell(scheme), quantity) for quantity in quantities]
            total, jain, _ = values
            keywords = line.keywords() | {"linestyle": "none"}
            if len(runs.seeds) > 2:
                keywords |= {"xerr": total.ci95, "yerr": jain.ci95}
            axes.errorbar([total.mean], [jain.mean], capsize=2.5, **keywords)
            rows.append((scheme, *(part for value in values for part in value)))
            printed.append([line.label, *map(number, values)])
        label(axes, "Total TCP goodput (Mb/s)", "Jain's index of the 12 flows")
        axes.set_ylim(0.45, 1.03)
        legend_above(figure, axes, 3)
    titles = ["Scheme", "Total (Mb/s)", "Jain's index", "|up - down| over mean"]
    return figure, Table(tuple(header), rows, (titles, printed))


Column = tuple[str, str, "Callable[[Document], float]"]
"""Name in the data, title, and quantity."""

_UP: Column = ("up_mbps", "TCP up (Mb/s)", partial(goodput_mbps, "up"))
_DOWN: Column = ("down_mbps", "TCP down (Mb/s)", partial(goodput_mbps, "down"))
_TOTAL: Column = ("total_mbps", "TCP total (Mb/s)", total_mbps)
_LEAST: Column = ("least_share", "Smallest flow over mean", least_share)

GENERAL: tuple[Column, ...] = (_UP, _DOWN, _TOTAL, _LEAST)
WITH_UDP: tuple[Column, ...] = (
    _UP,
    _DOWN,
    ("udp_up_mbps", "UDP up (Mb/s)", partial(udp_mbps, "up")),
    ("udp_down_mbps", "UDP down (Mb/s)", partial(udp_mbps, "down")),
)


def table_of(
    runs: Runs[Cell],
    effort: Effort,
    *,
    cells: Mapping[str, Cell],
    columns: Sequence[Column],
) -> tuple[None, Table]:
    """Make a table with a row for each of `cells`, which has their titles."""
    header = ["case"]
    for name, _, _ in columns:
        header += [name, f"{name}_ci95"]
    rows: list[tuple[object, ...]] = []
    printed = []
    for title, cell in cells.items():
        documents = [runs.documents[cell, seed] for seed in runs.seeds]
        values = [estimate([of(document) for document in documents]) for _, _, of in columns]
        rows.append((title, *(part for value in values for part in value)))
        printed.append([title, *map(number, values)])
    titles = ["Case", *(title for _, title, _ in columns)]
    return None, Table(tuple(header), rows, (titles, printed))
