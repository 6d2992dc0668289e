"""Draws the figure of a question, and makes the table of all its cells."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from matplotlib.ticker import FixedLocator, LogLocator, NullLocator

from evenair.papers.claims import number
from evenair.papers.curves import curve, from_zero, with_bars
from evenair.papers.figures import Table
from evenair.papers.today.cells import CONTROLS, PHYS, Cell
from evenair.papers.today.quantities import QUANTITIES
from evenair.papers.today.questions import QUESTIONS
from evenair.plot.style import legend_above, new_figure, numbered, styled

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from evenair.papers.runs import Runs
    from evenair.papers.today.cells import Effort

PHY_LABELS = {phy: keys["phy"] for phy, keys in PHYS.items()}

COLUMNS = {
    "down_over_up": "download / upload",
    "jain": "Jain's index",
    "total_mbps": "total (Mb/s)",
    "latency_ms": "latency (ms)",
    "slow_airtime": "slow half's airtime",
    "jain_airtime": "Jain's index of airtime",
    "fetch_s": "mean time of a file (s)",
}
"""Headings of quantities."""


@dataclass(frozen=True)
class Picture:
    """What the figure of a question shows."""

    title: str
    caption: str
    quantity: str
    """A name of QUANTITIES."""
    series: Mapping[str, Callable[[str, int], Cell]]
    """The cell of a PHY and a number of stations, by the label of a series."""
    columns: tuple[str, ...]
    """The quantities of the table."""
    stations: int = 10
    """The number of stations of the left panel."""
    over: tuple[int, ...] = (2, 10, 20)
    """Those of the right panel, 802.11ax."""
    lines: tuple[str, ...] | None = None
    """The series of the right panel [all]."""
    logarithmic: bool = False
    reference: float | None = None
    """A value that a thin line shows: equality."""
    y_label: str = field(default="", kw_only=True)


_SCHEMES = {
    "fifo": "FIFO",
    "las": "LAS",
    "spm-af": "SPM-AF",
    "limiter": "limiter",
    "linux-limiter": "Linux access point and limiter",
    "cot": "COT",
    "fq-codel": "FQ-CoDel above the driver",
    "linux": "Linux access point",
}


def _of_schemes(question: str, control: str = "cubic") -> Mapping[str, Callable[[str, int], Cell]]:
    def cell(phy: str, stations: int, *, scheme: str) -> Cell:
        return Cell(question, phy, control, scheme, stations)

    drawn = [scheme for scheme in QUESTIONS[question].schemes if scheme != "tab-1"]
    return {_SCHEMES[scheme]: partial(cell, scheme=scheme) for scheme in drawn}


def _window(phy: str, stations: int, *, case: str) -> Cell:
    return Cell("window", phy, case=case, stations=stations)


def _losses(phy: str, stations: int, *, control: str) -> Cell:
    return Cell("losses", phy, control, stations=stations, case="ip-0.001")


_INTERVALS = "Bars: 95% interval over the seeds."

PICTURES: dict[str, Picture] = {
    "uploads": Picture(
        "Do uploads still starve downloads?",
        "Mean goodput of a download over that of an upload, CUBIC. Left: five uploads and five "
        f"downloads. Right: 802.11ax, half of the stations upload. {_INTERVALS}",
        "down_over_up",
        _of_schemes("uploads"),
        ("down_over_up", "jain", "total_mbps", "latency_ms"),
        reference=1.0,
        y_label="Download / upload, goodput",
    ),
    "limiter": Picture(
        "Does the limiter of the gateway make both directions equal?",
        "Mean goodput of a download over that of an upload, CUBIC, an upload and a download for "
        "each station. Left: ten stations. Right: 802.11ax. The table also has Tab. 1 as it is, "
        f"behind which uploads starve. {_INTERVALS}",
        "down_over_up",
        _of_schemes("limiter"),
        ("down_over_up", "jain", "total_mbps", "latency_ms"),
        reference=1.0,
        y_label="Download / upload, goodput",
    ),
    "airtime": Picture(
        "Does COT give the airtime that airtime DRR gives?",
        "Part of the slow half of the stations in the airtime, TFRC downloads. Left: five stations "
        "with the highest rate and five with the lowest. Right: 802.11ax, half of the stations "
        f"are slow. {_INTERVALS}",
        "slow_airtime",
        _of_schemes("airtime", "tfrc"),
        ("slow_airtime", "jain_airtime", "total_mbps", "latency_ms"),
        reference=0.5,
        y_label="Slow half's part of the airtime",
    ),
    "window": Picture(
        "Is a window of one segment still enough, and do delayed ACKs still gain?",
        "Total goodput of persistent downloads, CUBIC, one FIFO queue, by the window W* and the "
        f"delayed-ACK factor d. Left: ten stations. Right: 802.11ax, d = 2. {_INTERVALS}",
        "total_mbps",
        {
            "W* = 1, d = 1": partial(_window, case="one"),
            "d = 1": partial(_window, case="d1"),
            "d = 2": partial(_window, case="d2"),
            "d = 4": partial(_window, case="d4"),
        },
        ("total_mbps", "jain", "fetch_s"),
        lines=("d = 2",),
        logarithmic=True,
        y_label="Total goodput (Mb/s)",
    ),
    "losses": Picture(
        "Does Westwood still gain where packets are lost at random?",
        "Total goodput of downloads over 45 ms of wire, one of 1000 packets lost after the MAC, "
        f"one FIFO queue. Left: two stations. Right: 802.11ax. {_INTERVALS}",
        "total_mbps",
        {
            "NewReno": partial(_losses, control="newreno"),
            "Westwood+": partial(_losses, control="westwood"),
            "CUBIC": partial(_losses, control="cubic"),
            "BBR": partial(_losses, control="bbr"),
        },
        ("total_mbps", "jain"),
        stations=2,
        logarithmic=True,
        y_label="Total goodput (Mb/s)",
    ),
}
"""The figures by question."""


def draw(
    question: str, grid: Callable[[str], set[Cell]], runs: Runs[Cell], _effort: Effort
) -> tuple[Figure, Table]:
    """Draw PHYs on the left, numbers of stations on the right; the table has all cells."""
    picture = PICTURES[question]
    quantity = QUANTITIES[picture.quantity]
    with styled():
        figure, (left, right) = new_figure(columns=2, panel=(4.6, 3.6), share=False)
        count = len(picture.series)
        for index, (name, cell) in enumerate(picture.series.items()):
            keywords = numbered(index).keywords() | {"label": name}
            places = [place + (index - (count - 1) / 2) * 0.6 / count for place in range(len(PHYS))]
            values = [runs.estimate(cell(phy, picture.stations), quantity) for phy in PHYS]
            with_bars(left, places, values, len(runs.seeds), keywords | {"linestyle": "none"})
            if picture.lines is None or name in picture.lines:
                along = [(float(n), cell("ax", n)) for n in picture.over]
                curve(right, runs, along, quantity, keywords)
        left.set_xticks(range(len(PHYS)), list(PHY_LABELS.values()))
        left.set_ylabel(picture.y_label)
        right.set_xlabel("Stations (802.11ax)")
        right.xaxis.set_major_locator(FixedLocator(list(picture.over)))
        for axes in (left, right):
            _scale(axes, picture)
        legend_above(figure, left, 3 if count > 4 else count)
    return figure, _table(picture, sorted(grid(question), key=sort_key), runs)


def _scale(axes: Axes, picture: Picture) -> None:
    if picture.logarithmic:
        axes.set_yscale("log")
        axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        axes.yaxis.set_major_formatter("{x:g}")
        axes.yaxis.set_minor_locator(NullLocator())
    else:
        from_zero(axes)
    if picture.reference is not None:
        axes.axhline(picture.reference, color="black", linewidth=0.8, linestyle=":")


def sort_key(cell: Cell) -> tuple[object, ...]:
    """Return the position of a cell in the table of its question."""
    question = QUESTIONS[cell.question]
    return (
        question.cases.index(cell.case),
        list(CONTROLS).index(cell.control),
        cell.stations,
        list(PHYS).index(cell.phy),
        list(question.schemes).index(cell.scheme),
    )


def _table(picture: Picture, cells: list[Cell], runs: Runs[Cell]) -> Table:
    fixed = ("phy", "control", "scheme", "stations", "case")
    header = [*fixed, *(part for name in picture.columns for part in (name, f"{name}_ci95"))]
    rows: list[tuple[object, ...]] = []
    printed = []
    for cell in cells:
        key = (PHY_LABELS[cell.phy], cell.control, cell.scheme, cell.stations, cell.case)
        values = [runs.estimate(cell, QUANTITIES[name]) for name in picture.columns]
        known = [(None, None) if math.isnan(value.mean) else value for value in values]
        rows.append((*key, *(part for value in known for part in value)))
        numbers = ["-" if math.isnan(value.mean) else number(value) for value in values]
        printed.append([*(str(part) for part in key), *numbers])
    names = [*fixed[:-1], "case", *(COLUMNS[name] for name in picture.columns)]
    return Table(tuple(header), rows, (names, printed))
