"""Draws the figures and makes the tables of their data."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

from matplotlib.ticker import LogLocator, NullLocator

from evenair.papers.claims import number
from evenair.papers.curves import from_zero
from evenair.papers.figures import Table
from evenair.papers.hoiland2017 import model
from evenair.papers.hoiland2017.cells import DELAYS_MS, SCHEMES, Cell
from evenair.papers.hoiland2017.quantities import (
    FAST,
    SLOW,
    added_latency_ms,
    airtime_part,
    jain_airtime,
    mos,
    page_load_s,
    station_mbps,
    total_mbps,
)
from evenair.plot.style import legend_above, new_figure, numbered, styled

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from evenair.papers.hoiland2017.cells import Effort
    from evenair.papers.runs import Document, Runs
    from evenair.statistics import Estimate

LABELS = {
    "fifo": "FIFO",
    "fq-codel": "FQ-CoDel",
    "fq-mac": "FQ-MAC",
    "airtime": "Airtime",
    "linux": "Linux 6",
}
"""The paper's names of the schemes, and ours of the last one."""

_FILLS = (("#ffffff", ""), ("#bdbdbd", "////"), ("#636363", ""), ("#2166ac", "\\\\\\\\"))
"""Face and hatch of the bars of a group: legible without colour."""

_Series = Mapping[str, tuple[str, "Callable[[Document], float]"]]
"""Traffic and quantity by the label of what has one value for each scheme."""


def _grouped(
    runs: Runs[Cell], series: _Series, y_label: str, column: str, *, logarithmic: bool = False
) -> tuple[Figure, Table]:
    """Draw a group for each scheme: bars from zero, or markers on a logarithmic axis."""
    table = Table(("scheme", "series", column, "ci95"), [])
    draw = _markers if logarithmic else _bars
    with styled():
        figure, (axes,) = new_figure()
        for index, (name, (traffic, quantity)) in enumerate(series.items()):
            estimates = [runs.estimate(Cell(scheme, traffic), quantity) for scheme in SCHEMES]
            draw(axes, index, len(series), estimates, name, intervals=len(runs.seeds) > 2)
            for scheme, value in zip(SCHEMES, estimates, strict=True):
                known = (None, None) if math.isnan(value.mean) else value
                table.rows.append((scheme, name, *known))
        axes.set_xticks(range(len(SCHEMES)), [LABELS[scheme] for scheme in SCHEMES])
        axes.set_ylabel(y_label)
        if logarithmic:
            axes.set_yscale("log")
            axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
            axes.yaxis.set_major_formatter("{x:g}")
            axes.yaxis.set_minor_locator(NullLocator())
        else:
            from_zero(axes)
        legend_above(figure, axes, 2 if len(series) == 4 else 3)
    return figure, table


def _bars(
    axes: Axes, index: int, count: int, estimates: list[Estimate], name: str, *, intervals: bool
) -> None:
    width = 0.8 / count
    face, hatch = _FILLS[index]
    axes.bar(
        [place + (index - (count - 1) / 2) * width for place in range(len(estimates))],
        [value.mean for value in estimates],
        width,
        yerr=[value.ci95 or 0.0 for value in estimates] if intervals else None,
        color=face,
        hatch=hatch,
        edgecolor="black",
        linewidth=0.8,
        error_kw={"elinewidth": 0.9, "capsize": 2.5},
        label=name,
    )


def _markers(
    axes: Axes, index: int, count: int, estimates: list[Estimate], name: str, *, intervals: bool
) -> None:
    axes.errorbar(
        [place + (index - (count - 1) / 2) * 0.6 / count for place in range(len(estimates))],
        [value.mean for value in estimates],
        [value.ci95 or 0.0 for value in estimates] if intervals else None,
        **numbered(index).keywords() | {"label": name, "linestyle": "none"},
        elinewidth=0.9,
        capsize=2.5,
    )


def latency(runs: Runs[Cell], _effort: Effort) -> tuple[Figure, Table]:
    """Draw medians and 95th percentiles of pings beside TCP downloads, fast and slow station."""
    series = {
        "fast, median": ("tcp", partial(added_latency_ms, FAST, "p50")),
        "slow, median": ("tcp", partial(added_latency_ms, SLOW, "p50")),
        "fast, 95 %": ("tcp", partial(added_latency_ms, FAST, "p95")),
        "slow, 95 %": ("tcp", partial(added_latency_ms, SLOW, "p95")),
    }
    label = "Round-trip time of pings less the wire's (ms)"
    return _grouped(runs, series, label, "added_latency_ms", logarithmic=True)


def airtime(runs: Runs[Cell], _effort: Effort) -> tuple[Figure, Table]:
    """Draw the slow station's part of the airtime by the kind of traffic."""
    names = {"UDP down": "udp", "TCP down": "tcp", "TCP both ways": "tcp-both"}
    series = {name: (traffic, partial(airtime_part, SLOW)) for name, traffic in names.items()}
    figure, table = _grouped(runs, series, "Slow station's part of the airtime", "airtime_part")
    axes = figure.axes[0]
    axes.set_ylim(0.0, 1.0)
    axes.axhline(1 / 3, color="black", linewidth=0.8, linestyle=":")
    return figure, table


def throughput(runs: Runs[Cell], _effort: Effort) -> tuple[Figure, Table]:
    """Draw the total goodput by the kind of traffic."""
    names = {"UDP down": "udp", "TCP down": "tcp", "TCP, 30 stations": "many"}
    series = {name: (traffic, total_mbps) for name, traffic in names.items()}
    return _grouped(runs, series, "Total goodput (Mb/s)", "total_mbps")


def many(runs: Runs[Cell], _effort: Effort) -> tuple[Figure, Table]:
    """Draw the latency of pings among 30 stations."""
    series = {
        "fast, median": ("many", partial(added_latency_ms, FAST, "p50")),
        "slow, median": ("many", partial(added_latency_ms, SLOW, "p50")),
    }
    label = "Round-trip time of pings less the wire's (ms)"
    return _grouped(runs, series, label, "added_latency_ms", logarithmic=True)


def calls(runs: Runs[Cell], _effort: Effort) -> tuple[None, Table]:
    """Make the table of calls to the slow station: MOS by scheme, category and delay."""
    columns = [(kind, delay) for delay in DELAYS_MS for kind in ("voice-be", "voice-vo")]
    header = ("scheme", "traffic", "delay", "mos", "ci95")
    rows: list[tuple[object, ...]] = []
    printed = []
    for scheme in SCHEMES:
        estimates = [runs.estimate(Cell(scheme, *column), mos) for column in columns]
        rows += [
            (scheme, *column, *value) for column, value in zip(columns, estimates, strict=True)
        ]
        printed.append([LABELS[scheme], *(number(value) for value in estimates)])
    names = ["", *(f"{traffic[-2:].upper()}, {delay}" for traffic, delay in columns)]
    return None, Table(header, rows, (names, printed))


def stations(runs: Runs[Cell], _effort: Effort) -> tuple[None, Table]:
    """Make the table of TCP in both directions, by the queue of the stations."""
    quantities: dict[str, tuple[str, Callable[[Document], float]]] = {
        "jain_airtime": ("Jain's index of airtime", jain_airtime),
        "slow_airtime": ("slow station's part", partial(airtime_part, SLOW)),
        "total_mbps": ("total (Mb/s)", total_mbps),
        "fast_latency_ms": ("fast, median (ms)", partial(added_latency_ms, FAST, "p50")),
        "slow_latency_ms": ("slow, median (ms)", partial(added_latency_ms, SLOW, "p50")),
    }
    rows: list[tuple[object, ...]] = []
    printed = []
    for traffic, queue in (("tcp-both", "DropTail"), ("tcp-both-managed", "FQ-CoDel")):
        for scheme in SCHEMES:
            values = [
                runs.estimate(Cell(scheme, traffic), quantity)
                for _, quantity in quantities.values()
            ]
            rows.append((queue, scheme, *(part for value in values for part in value)))
            printed.append([queue, LABELS[scheme], *(number(value) for value in values)])
    header = ["queue", "scheme", *(part for name in quantities for part in (name, f"{name}_ci95"))]
    names = ["stations", "access point", *(title for title, _ in quantities.values())]
    return None, Table(tuple(header), rows, (names, printed))


def pages(runs: Runs[Cell], _effort: Effort) -> tuple[Figure, Table]:
    """Draw load times of pages at the fast station."""
    series = {"small page": ("page-small", page_load_s), "large page": ("page-large", page_load_s)}
    return _grouped(runs, series, "Median page load time (s)", "page_load_s", logarithmic=True)


EXPECTED_MPDUS = (42, 42, 3)
"""Packets in A-MPDUs: 65,535 bytes have room for 42, and 5.484 ms at 7.2 Mb/s for 3."""

RATES_MBPS = (144.4, 144.4, 7.2)

EQUAL: dict[str, model.Equal] = {
    "fifo": "packets",
    "fq-codel": "packets",
    "fq-mac": "transmissions",
    "airtime": "airtime",
    "linux": "airtime",
}
"""What stations have the same of when each has a flow of the same rate, by scheme."""


def of_model(runs: Runs[Cell], _effort: Effort) -> tuple[None, Table]:
    """Make the table of UDP downloads: the paper's model beside the simulation."""
    header = ("scheme", "station", "model_mbps", "simulated_mbps", "ci95")
    rows: list[tuple[object, ...]] = []
    printed = []
    payload = 1472 / 1500
    for scheme, equal in EQUAL.items():
        expected = model.throughputs_mbps(EXPECTED_MPDUS, RATES_MBPS, equal)
        for place, name in enumerate(("fast", "fast", "slow")):
            value = runs.estimate(Cell(scheme, "udp"), partial(station_mbps, place))
            rows.append((scheme, place + 1, payload * expected[place], *value))
            printed.append(
                [LABELS[scheme], name, f"{payload * expected[place]:.2f}", number(value)]
            )
    return None, Table(header, rows, (("", "station", "model (Mb/s)", "simulated (Mb/s)"), printed))
