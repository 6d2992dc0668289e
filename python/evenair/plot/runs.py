"""Plots of runs, drawn from their result documents. Importing this module imports matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evenair.plot.delays import Document, plot_delays
from evenair.plot.places import plot_places
from evenair.plot.style import (
    DIRECTIONS,
    DOWN,
    UP,
    Line,
    legend_over,
    literal,
    new_figure,
    numbered,
    run_title,
    styled,
)
from evenair.prototypes import RESERVED_COLUMNS
from evenair.statistics import Estimate, estimate, rounded
from evenair.tables import traces
from evenair.text.labels import Label, metric
from evenair.text.messages import downlink_sender, flow_names

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_DATA = {"color": "#4d4d4d", "label": "data"}
_ACKS = {"color": "#cccccc", "label": "ACKs"}
_CAPACITY = Line("capacity C", "#777777", ":", "s", filled=False)
_RATE = Line("rate R", "#000000", "-", "o")
_EVEN = Line("even share", "#000000", "-", "")
_CWND = Label("cwnd", "segments")
_MOST_STATIONS = 5
"""More stations are not named in the legend of a controller."""


def plot(runs: Sequence[Document], kind: str = "flows") -> Figure:
    """Draw the flows, or with `kind` "cdf" or "places" their delays. Raises ValueError."""
    if kind == "cdf":
        return plot_delays(runs)
    if kind == "places":
        return plot_places(runs)
    if kind != "flows":
        raise ValueError(f"kind: got {kind!r}, expected 'flows', 'cdf' or 'places'")
    return plot_flows(runs)


def plot_flows(runs: Sequence[Document]) -> Figure:
    """Draw goodput per flow; of several runs the mean, with its 95% confidence interval.

    If the runs were traced, cwnd and other numbers of the congestion controls per flow, the
    composition of the downlink queue, what a controller of the cell observes and the rounds of a
    limiter over time follow; of several runs, those of the first.
    """
    first = runs[0]
    series = first.get("series")
    controller = traces(series).get("controller") if series else None
    rounds = series.get("limiter") if series else None
    of_flows = _columns(series["flows"].values()) if series else {}
    has_queue = series and "ap_queue_data" in series
    rows = 1 + len(of_flows) + sum(map(bool, (has_queue, controller, rounds)))
    with styled():
        figure, axes = new_figure(1, rows, panel=(7.2, 3.4 if rows == 1 else 2.5))
        figure.suptitle(_title(runs), fontsize="medium")
        panels = iter(axes)
        _draw_goodput(next(panels), runs)
        for name, label in of_flows.items():
            _draw_column(next(panels), first["flows"], first["series"], name, label)
        if series and has_queue:
            _draw_queue(next(panels), series, downlink_sender(first))
        if series and controller:
            _draw_controller(next(panels), first["stations"], series["time_s"], controller)
        if rounds:
            _draw_rounds(next(panels), rounds)
        for panel in axes:
            panel.set_ylim(bottom=0, top=None if panel.dataLim.ymax > 0 else 1)
            legend_over(panel)
        over_time = axes[1:]
        for panel in over_time:
            panel.sharex(over_time[0])
            panel.margins(x=0.01)
            panel.set_xlabel("time (s)")
        if over_time and len(runs) > 1:
            over_time[0].set_title(f"the run with seed {first['seed']}", loc="left")
    return figure


def _draw_goodput(axes: Axes, runs: Sequence[Document]) -> None:
    flows = runs[0]["flows"]
    for direction, line in DIRECTIONS.items():
        own = [k for k, flow in enumerate(flows) if flow["direction"] == direction]
        if not own:
            continue
        goodputs = [estimate([run["flows"][k]["goodput_bps"] / 1e6 for run in runs]) for k in own]
        half = [goodput.ci95 or 0.0 for goodput in goodputs] if len(runs) > 1 else None
        axes.bar(own, [goodput.mean for goodput in goodputs], yerr=half, **line.bars())
    many = len(flows) > 15
    ticks = range(0, len(flows), max(1, len(flows) // 50))
    names = [literal(name) for name in flow_names(runs[0])[:: ticks.step]]
    spare = max(0.6, (8 - len(flows)) / 2)  # bars are not wider than those of eight
    # Some 95 characters have room beside each other; each name has that of its bar.
    long = max(map(len, names)) * (len(flows) - 1 + 2 * spare) > 95
    axes.set_xticks(ticks, names, rotation=90 if many or long else 0)
    axes.tick_params(axis="x", length=0)
    axes.set_xlim(-spare, len(flows) - 1 + spare)
    axes.grid(visible=False, axis="x")
    axes.set_xlabel("flow")
    axes.set_ylabel("goodput (Mb/s)")


def _columns(flows: Collection[Mapping[str, Sequence[Any]]]) -> dict[str, Label]:
    """Return the labels of the columns that have a panel: cwnd, and numbers of the controls."""
    columns = dict.fromkeys(
        name
        for flow in flows
        for name, values in flow.items()
        if name not in RESERVED_COLUMNS and any(isinstance(value, float) for value in values)
    )
    has_cwnd = any("cwnd" in flow for flow in flows)
    return {"cwnd": _CWND} | {name: metric(name) for name in columns} if has_cwnd else {}


def _draw_column(
    axes: Axes,
    flows: Sequence[dict[str, Any]],
    series: dict[str, Any],
    name: str,
    label: Label,
) -> None:
    times, seen = series["time_s"], set()
    for flow in flows:
        column = series["flows"].get(flow["id"], {}).get(name)
        if column is None:  # UDP, and other controls
            continue
        line = DIRECTIONS[flow["direction"]]
        again = {"label": None} if line in seen else {}
        seen.add(line)
        values = [float("nan") if value is None else value * label.scale for value in column]
        axes.plot(times, values, **line.over_time(len(times)) | again)
    axes.set_ylabel(label.with_unit)


def _draw_queue(axes: Axes, series: dict[str, Any], sender: str) -> None:
    layers = axes.stackplot(
        series["time_s"],
        series["ap_queue_data"],
        series["ap_queue_acks"],
        colors=[_DATA["color"], _ACKS["color"]],
        labels=[_DATA["label"], _ACKS["label"]],
        edgecolor="black",
        linewidth=0.4,
    )
    for layer in layers:
        layer.set_zorder(2)
    axes.set_ylabel(f"{sender} queue (packets)")


def _draw_controller(
    axes: Axes,
    stations: Sequence[dict[str, Any]],
    times: Sequence[float],
    controller: dict[str, Any],
) -> None:
    """Draw the stations' occupancy that the access point observes, and the even share."""
    named = len(stations) <= _MOST_STATIONS
    for k, station in enumerate(stations):
        line = numbered(k).over_time(len(times))
        label = literal(station.get("name") or station["id"]) if named else None
        percent = [100 * share for share in controller["shares"][station["id"]]]
        axes.plot(times, percent, **line | {"label": label})
    even = [100 * share for share in controller["p_even"]]
    axes.plot(times, even, **_EVEN.keywords() | {"linewidth": 1.6})
    axes.set_ylabel("channel occupancy (%)")


def _draw_rounds(axes: Axes, rounds: Sequence[dict[str, Any]]) -> None:
    """Draw throughputs, rate and capacity of a limiter; crosses are rounds with losses."""
    times = [sample["t_s"] for sample in rounds]
    for name, line, width in (
        ("up_bps", UP, 0.9),
        ("down_bps", DOWN, 0.9),
        ("capacity_bps", _CAPACITY, 1.2),
        ("rate_bps", _RATE, 1.6),
    ):
        mbps = [float("nan") if s[name] is None else s[name] / 1e6 for s in rounds]
        axes.plot(times, mbps, **line.over_time(len(times)) | {"linewidth": width})
    lossy = [sample for sample in rounds if sample["lost"]]
    x, y = [s["t_s"] for s in lossy], [s["rate_bps"] / 1e6 for s in lossy]
    axes.plot(x, y, color="black", marker="x", linestyle="none", label="R after losses", zorder=4)
    axes.set_ylabel("limiter (Mb/s)")


def _title(runs: Sequence[Document]) -> str:
    aggregate = estimate([run["aggregate_goodput_bps"] / 1e6 for run in runs])
    jain = estimate([run["jain_index"] for run in runs])
    return (
        f"{run_title(runs, ', 95% intervals')}\n"
        f"aggregate {_show(aggregate, 2)} Mb/s, Jain's index {_show(jain, 3)}"
    )


def _show(metric: Estimate, decimals: int) -> str:
    mean, half = rounded(metric, decimals)
    return f"{mean} ± {half}" if half else mean
