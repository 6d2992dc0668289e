"""Drawing the figures, and the tables of the numbers in them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from matplotlib.ticker import MultipleLocator

from evenair.papers.claims import number
from evenair.papers.gong2006.cells import BUFFER, SCHEMES, Axis, Cell, Effort, sweep
from evenair.papers.gong2006.published import TABLE_1
from evenair.papers.gong2006.quantities import (
    cwnd_samples,
    direction_mbps,
    flow_mbps,
    queue_samples,
)
from evenair.papers.paper import Table
from evenair.papers.style import Line, legend_above, new_figure, styled
from evenair.statistics import Estimate

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from evenair.papers.paper import Printed
    from evenair.papers.runs import Document, Runs

LINES: dict[str, Line] = {
    "droptail": Line(SCHEMES["droptail"].label, "#000000", "-", "o"),
    "las": Line(SCHEMES["las"].label, "#1b7837", "--", "s", filled=False),
    "spm-tail": Line(SCHEMES["spm-tail"].label, "#2166ac", "-.", "^"),
    "spm-head": Line(SCHEMES["spm-head"].label, "#d6604d", ":", "D", filled=False),
}
"""The curves of figures 4, 5 and 8."""

UPSTREAM = Line("Upstream flow", "#000000", "-", "^")
DOWNSTREAM = Line("Downstream flow", "#d6604d", "--", "v", filled=False)
ACKS = Line("ACK packets", "#000000", "-", "^")
DATA = Line("Data packets", "#d6604d", "--", "v", filled=False)


def from_zero(axes: Axes) -> None:
    """Let the vertical axis begin at zero, a little room above the data."""
    axes.set_ylim(0.0, max(axes.get_ylim()[1], 0.01))


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
) -> tuple[Figure, Table]:
    """Draw one quantity over buffer size or number of flows, a curve for each scheme."""
    column = "buffer_packets" if axis == "buffer" else "downstream_flows"
    table = Table(("scheme", column, name, "ci95"), [])
    with styled():
        figure, (axes,) = new_figure()
        for scheme, line in LINES.items():
            curve = sweep(scheme, effort, axis)
            _curve(axes, runs, curve, quantity, line)
            for x, cell in curve:
                table.rows.append((scheme, x, *runs.estimate(cell, quantity)))
        _label(axes, x_label, y_label)
        axes.xaxis.set_major_locator(MultipleLocator(20 if axis == "buffer" else 5))
        limits(axes)
        legend_above(figure, axes, 2)
    return figure, table


def per_flow_throughput(runs: Runs[Cell], effort: Effort) -> tuple[Figure, Table]:
    """Draw figure 2: the throughput of each flow and of each direction, over buffer size."""
    curve = sweep("droptail", effort, "buffer")
    table = Table(("flow", "buffer_packets", "throughput_mbps", "ci95"), [])
    with styled():
        figure, (axes,) = new_figure()
        for direction, line in (("up", UPSTREAM), ("down", DOWNSTREAM)):
            names = [f"{direction}-{k}" for k in range(1, 6)]
            for flow in names:
                estimates = [runs.estimate(cell, _flow(flow)) for _, cell in curve]
                axes.plot(
                    [x for x, _ in curve],
                    [value.mean for value in estimates],
                    **line.keywords() | {"linestyle": "none", "label": None},
                    markersize=3.0,
                    alpha=0.35,
                )
                for (x, _), value in zip(curve, estimates, strict=True):
                    table.rows.append((flow, x, *value))
            _curve(axes, runs, curve, _direction(direction), line)
            for x, cell in curve:
                value = runs.estimate(cell, _direction(direction))
                table.rows.append((f"mean of {direction}", x, *value))
        _label(axes, "Buffer size (packets)", "Throughput of a flow (Mb/s)")
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
            _label(axes, "Time (s)", "Congestion window (packets)")
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
            _label(axes, "Time (s)", "Packets in queue")
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
    for flow, (tail, head) in enumerate(
        zip(TABLE_1["spm-tail"], TABLE_1["spm-head"], strict=True), start=1
    ):
        direction = "up" if flow <= 5 else "down"
        quantity = _flow(f"{direction}-{(flow - 1) % 5 + 1}")
        row: list[object] = [flow, direction]
        for scheme, published in (("spm-tail", tail), ("spm-head", head)):
            row += [published, *runs.estimate(Cell(scheme, BUFFER), quantity)]
        rows.append(tuple(row))
    return None, Table(tuple(header), rows)


def printed_flow_table(table: Table) -> Printed:
    """Lay Table I out for the report, totals below."""
    header = ("Flow", "Tail, published", "Tail, ours", "Head, published", "Head, ours")
    rows: list[Sequence[str]] = []
    ours = [0.0, 0.0]
    for row in table.rows:
        flow, direction, tail_published, tail, tail_ci, head_published, head, head_ci = row
        values = [Estimate(*_floats(pair)) for pair in ((tail, tail_ci), (head, head_ci))]
        ours = [total + value.mean for total, value in zip(ours, values, strict=True)]
        rows.append(
            (
                f"{flow} ({direction}stream)",
                f"{tail_published:.2f}",
                number(values[0]),
                f"{head_published:.2f}",
                number(values[1]),
            )
        )
    published = [sum(column) for column in TABLE_1.values()]
    rows.append(
        ("All", f"{published[0]:.2f}", f"{ours[0]:.2f}", f"{published[1]:.2f}", f"{ours[1]:.2f}")
    )
    return header, rows


def _floats(pair: tuple[Any, Any]) -> tuple[float, float | None]:
    mean, ci95 = pair
    return float(mean), None if ci95 is None else float(ci95)


def _curve(
    axes: Axes,
    runs: Runs[Cell],
    curve: Sequence[tuple[int, Cell]],
    quantity: Callable[[Document], float],
    line: Line,
) -> None:
    estimates = [runs.estimate(cell, quantity) for _, cell in curve]
    axes.errorbar(
        [x for x, _ in curve],
        [value.mean for value in estimates],
        yerr=[value.ci95 or 0.0 for value in estimates],
        capsize=2.5,
        elinewidth=0.9,
        **line.keywords(),
    )


def _flow(name: str) -> Callable[[Document], float]:
    return lambda document: flow_mbps(name, document)


def _direction(name: str) -> Callable[[Document], float]:
    return lambda document: direction_mbps(name, document)


def _label(axes: Axes, x_label: str, y_label: str) -> None:
    axes.set_xlabel(x_label)
    axes.set_ylabel(y_label)


def _panel(columns: int) -> tuple[float, float]:
    return (5.4, 3.5) if columns == 1 else (3.7, 3.0)


def _blank(value: float) -> float | None:
    return None if math.isnan(value) else value
