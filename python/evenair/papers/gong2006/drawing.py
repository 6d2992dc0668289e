"""Draws the figures and makes the tables of their data."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from matplotlib.ticker import MultipleLocator

from evenair.papers.claims import number
from evenair.papers.curves import Printed, curve, curves, from_zero, label, published
from evenair.papers.figures import Table
from evenair.papers.gong2006.cells import BUFFER, SCHEMES, Axis, Cell, Effort, sweep
from evenair.papers.gong2006.published import TABLE_1
from evenair.papers.gong2006.quantities import (
    QUANTITIES,
    cwnd_samples,
    direction_mbps,
    flow_mbps,
    queue_samples,
)
from evenair.plot.style import Line, legend_above, new_figure, styled

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from evenair.papers.runs import Document, Runs

LINES: dict[str, Line] = {
    "droptail": Line(SCHEMES["droptail"].label, "#000000", "-", "o"),
    "las": Line(SCHEMES["las"].label, "#1b7837", "--", "s", filled=False),
    "spm-tail": Line(SCHEMES["spm-tail"].label, "#2166ac", "-.", "^"),
    "spm-head": Line(SCHEMES["spm-head"].label, "#d6604d", ":", "D", filled=False),
}
"""The curves of figures 4, 5 and 8."""

VARIANTS: tuple[tuple[str, Cell], ...] = (
    ("DropTail", Cell("droptail", BUFFER)),
    ("SPM-AF tail", Cell("spm-tail", BUFFER)),
    ("SPM-AF tail, unmarked", Cell("spm-tail", BUFFER, case="unmarked")),
    ("SPM-AF tail, per ACK", Cell("spm-tail", BUFFER, case="per-ack")),
    ("SPM-AF head", Cell("spm-head", BUFFER)),
    ("SPM-AF head, unmarked", Cell("spm-head", BUFFER, case="unmarked")),
    ("SPM-AF head, per ACK", Cell("spm-head", BUFFER, case="per-ack")),
    ("LAS", Cell("las", BUFFER)),
    ("LAS by bytes", Cell("las", BUFFER, case="bytes")),
)
"""The rows of our own table."""

UPSTREAM = Line("Upstream flow", "#000000", "-", "^")
DOWNSTREAM = Line("Downstream flow", "#d6604d", "--", "v", filled=False)
ACKS = Line("ACK packets", "#000000", "-", "^")
DATA = Line("Data packets", "#d6604d", "--", "v", filled=False)


def throughput_limits(axes: Axes) -> None:
    """Show whole steps of half a Mb/s around the data, one Mb/s at least."""
    low, high = axes.get_ylim()
    middle = (low + high) / 2
    low, high = min(low, middle - 0.5), max(high, middle + 0.5)
    axes.set_ylim(math.floor(low * 2) / 2, math.ceil(high * 2) / 2)


def index_limits(axes: Axes) -> None:
    """Show Jain's index up to 1, from the next tenth below the data."""
    low = min(math.floor(axes.get_ylim()[0] * 10) / 10, 0.8)
    axes.set_ylim(max(low, 0.0), 1.02)


def table_1_points(quantity: Callable[[Sequence[float]], float]) -> Printed:
    """Return a quantity of Table I's flows under tail and head filtering, over the buffer size."""
    points = tuple((float(BUFFER), quantity(flows)) for flows in TABLE_1.values())
    return Printed("Table I, tail and head", points)


def jain_index(values: Sequence[float]) -> float:
    """Return Jain's fairness index."""
    return sum(values) ** 2 / (len(values) * sum(value**2 for value in values))


def four_schemes(
    runs: Runs[Cell],
    effort: Effort,
    *,
    axis: Axis,
    quantity: Callable[[Document], float],
    name: str,
    x_label: str,
    y_label: str,
    limits: Callable[[Axes], None],
    printed: Printed | None = None,
) -> tuple[Figure, Table]:
    """Draw one quantity over buffer size or number of flows, a curve for each scheme."""
    column = "buffer_packets" if axis == "buffer" else "downstream_flows"

    def finish(axes: Axes) -> None:
        axes.xaxis.set_major_locator(MultipleLocator(20 if axis == "buffer" else 5))
        limits(axes)

    return curves(
        runs,
        LINES,
        lambda scheme: sweep(scheme, effort, axis),
        quantity,
        columns=("scheme", column, name),
        labels=(x_label, y_label),
        finish=finish,
        printed=printed,
    )


def per_flow_throughput(runs: Runs[Cell], effort: Effort) -> tuple[Figure, Table]:
    """Draw figure 2: the throughput of each flow and of each direction, over buffer size."""
    along = sweep("droptail", effort, "buffer")
    table = Table(("flow", "buffer_packets", "throughput_mbps", "ci95"), [])
    with styled():
        figure, (axes,) = new_figure()
        for direction, line in (("up", UPSTREAM), ("down", DOWNSTREAM)):
            names = [f"{direction}-{k}" for k in range(1, 6)]
            for flow in names:
                estimates = [runs.estimate(cell, _flow(flow)) for _, cell in along]
                axes.plot(
                    [x for x, _ in along],
                    [value.mean for value in estimates],
                    **line.keywords() | {"linestyle": "none", "label": None},
                    markersize=3.0,
                    alpha=0.35,
                )
                for (x, _), value in zip(along, estimates, strict=True):
                    table.rows.append((flow, x, *value))
            curve(axes, runs, along, _direction(direction), line.keywords())
            for x, cell in along:
                value = runs.estimate(cell, _direction(direction))
                table.rows.append((f"mean of {direction}", x, *value))
        label(axes, "Buffer size (packets)", "Throughput of a flow (Mb/s)")
        axes.xaxis.set_major_locator(MultipleLocator(20))
        from_zero(axes)
        legend_above(figure, axes, 2)
    return figure, table


def windows(runs: Runs[Cell], effort: Effort, *, schemes: Sequence[str]) -> tuple[Figure, Table]:
    """Draw figures 3 and 7: the congestion windows of up-1 and down-1 over time, first seed."""
    seed = effort.seeds[0]
    table = Table(("scheme", "time_s", "cwnd_up_segments", "cwnd_down_segments"), [])
    with styled():
        figure, panels = new_figure(len(schemes), panel=_panel(len(schemes)), share=True)
        for letter, scheme, axes in zip("ab", schemes, panels, strict=False):
            document = runs.documents[Cell(scheme, BUFFER), seed]
            times = document["series"]["time_s"]
            up, down = cwnd_samples("up-1", document), cwnd_samples("down-1", document)
            axes.plot(times, up, **UPSTREAM.over_time(len(times)))
            axes.plot(times, down, **DOWNSTREAM.over_time(len(times)))
            if scheme == "droptail":
                step = max(len(times) // 6, 1)
                around_2 = tuple((time, 2.0) for time in times[step // 2 :: step])
                published(axes, Printed("downstream around 2, section II", around_2))
            label(axes, "Time (s)", "Congestion window (packets)")
            if len(schemes) > 1:
                axes.set_title(f"({letter}) {SCHEMES[scheme].label}")
            axes.label_outer()
            table.rows.extend(
                (scheme, *row)
                for row in zip(times, map(_blank, up), map(_blank, down), strict=True)
            )
        from_zero(panels[0])  # the panels share their axes
        legend_above(figure, panels[0], 2)
    return figure, table


def queue_contents(runs: Runs[Cell], effort: Effort) -> tuple[Figure, Table]:
    """Draw figure 6: ACKs and data packets in the queue over time, a panel for each scheme."""
    seed = effort.seeds[0]
    table = Table(("scheme", "time_s", "acks", "data"), [])
    with styled():
        figure, panels = new_figure(2, 2, panel=(3.7, 2.5), share=True)
        for letter, scheme, axes in zip("abcd", SCHEMES, panels, strict=True):
            document = runs.documents[Cell(scheme, BUFFER), seed]
            times = document["series"]["time_s"]
            acks, data = queue_samples("acks", document), queue_samples("data", document)
            axes.plot(times, acks, **ACKS.over_time(len(times)))
            axes.plot(times, data, **DATA.over_time(len(times)))
            axes.set_title(f"({letter}) {SCHEMES[scheme].label}")
            label(axes, "Time (s)", "Packets in queue")
            axes.set_ylim(0.0, BUFFER)
            axes.yaxis.set_major_locator(MultipleLocator(10))
            axes.label_outer()
            table.rows.extend((scheme, *row) for row in zip(times, acks, data, strict=True))
        legend_above(figure, panels[0], 2)
    return figure, table


def flow_table(runs: Runs[Cell], effort: Effort) -> tuple[None, Table]:
    """Make Table I: the throughput of each flow under tail and head filtering."""
    header = ["flow", "direction"]
    for filtering in ("tail", "head"):
        header += [f"{filtering}_published_mbps", f"{filtering}_mbps", f"{filtering}_ci95"]
    rows: list[tuple[object, ...]] = []
    printed: list[tuple[str, ...]] = []
    sums = [0.0, 0.0]
    for flow in range(1, 11):
        direction = "up" if flow <= 5 else "down"
        quantity = _flow(f"{direction}-{(flow - 1) % 5 + 1}")
        row: list[object] = [flow, direction]
        text = [f"{flow} ({direction}stream)"]
        for column, scheme in enumerate(("spm-tail", "spm-head")):
            published = TABLE_1[scheme][flow - 1]
            ours = runs.estimate(Cell(scheme, BUFFER), quantity)
            row += [published, *ours]
            text += [f"{published:.2f}", number(ours)]
            sums[column] += ours.mean
        rows.append(tuple(row))
        printed.append(tuple(text))
    totals = [(sum(TABLE_1[scheme]), ours) for scheme, ours in zip(TABLE_1, sums, strict=True)]
    printed.append(("All", *(f"{total:.2f}" for pair in totals for total in pair)))
    titles = ("Flow", "Tail, published", "Tail, ours", "Head, published", "Head, ours")
    return None, Table(tuple(header), rows, (titles, printed))


def variant_table(runs: Runs[Cell], effort: Effort) -> tuple[None, Table]:
    """Make our own table: what the parts of the schemes contribute at 60 packets."""
    columns = {
        "jain_index": "jain",
        "aggregate_mbps": "aggregate_mbps",
        "upstream_mbps": "up_mbps",
        "downstream_mbps": "down_mbps",
        "downstream_timeouts": "down_timeouts",
        "upstream_cwnd": "up_cwnd_early",
    }
    header = ["variant"]
    for name in columns:
        header += [name, f"{name}_ci95"]
    rows: list[tuple[object, ...]] = []
    printed: list[tuple[str, ...]] = []
    for title, cell in VARIANTS:
        row = [runs.estimate(cell, QUANTITIES[name]) for name in columns.values()]
        rows.append((title, *(part for value in row for part in value)))
        printed.append((title, *map(number, row)))
    titles = ["", "Jain's index", "Aggregate (Mb/s)", "Upstream flow", "Downstream flow"]
    titles += ["Downstream timeouts", "Upstream window"]
    return None, Table(tuple(header), rows, (titles, printed))


def _flow(name: str) -> Callable[[Document], float]:
    return lambda document: flow_mbps(name, document)


def _direction(name: str) -> Callable[[Document], float]:
    return lambda document: direction_mbps(name, document)


def _panel(columns: int) -> tuple[float, float]:
    return (5.4, 3.5) if columns == 1 else (3.7, 3.0)


def _blank(value: float) -> float | None:
    return None if math.isnan(value) else value
