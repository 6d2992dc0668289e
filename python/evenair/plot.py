"""Plots of runs, drawn from their result documents. Importing this module imports matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from matplotlib.figure import Figure
from matplotlib.patches import Patch

from evenair.delay_plot import Document, plot_delays
from evenair.messages import downlink_sender
from evenair.statistics import Estimate, estimate
from evenair.style import literal
from evenair.tables import traces

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

# Okabe and Ito's colours for colour-blind readers; hatches and dashes repeat the distinction.
_STYLES: dict[str, dict[str, Any]] = {
    "up": {"facecolor": "#56B4E9", "hatch": "//", "line": "-", "label": "upstream"},
    "down": {"facecolor": "#E69F00", "hatch": "", "line": "--", "label": "downstream"},
}
_DATA = {"facecolor": "#F0E442", "hatch": "..", "label": "data"}
_ACKS = {"facecolor": "#999999", "hatch": "xx", "label": "ACKs"}
_COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9")
_DASHES = ("-", "--", "-.", ":")


def plot(runs: Sequence[Document], kind: str = "flows") -> Figure:
    """Draw the flows, or with `kind` "cdf" the distributions of delays. Raises ValueError."""
    if kind == "cdf":
        return plot_delays(runs)
    if kind != "flows":
        raise ValueError(f"kind: got {kind!r}, expected 'flows' or 'cdf'")
    return plot_flows(runs)


def plot_flows(runs: Sequence[Document]) -> Figure:
    """Draw goodput per flow; of several runs the mean, with its 95% confidence interval.

    If the runs were traced, cwnd per flow, the composition of the downlink queue, what a
    controller of the cell observes and the rounds of a limiter over time follow; of several runs,
    those of the first.
    """
    first = runs[0]
    series = first.get("series")
    controller = traces(series).get("controller") if series else None
    rounds = series.get("limiter") if series else None
    has_cwnd = series and any("cwnd" in flow for flow in series["flows"].values())
    has_queue = series and "ap_queue_data" in series
    rows = 1 + sum(map(bool, (has_cwnd, has_queue, controller, rounds)))
    figure = Figure(figsize=(7.5, 3.6 if rows == 1 else 1.0 + 2.5 * rows), layout="constrained")
    panels = iter(figure.subplots(rows, 1, squeeze=False)[:, 0])
    _draw_goodput(next(panels), runs)
    over_time = list(panels)
    rest = iter(over_time)
    if series and has_cwnd:
        _draw_cwnd(next(rest), first["flows"], series)
    if series and has_queue:
        _draw_queue(next(rest), series, downlink_sender(first))
    if series and controller:
        _draw_controller(next(rest), first["stations"], series["time_s"], controller)
    if rounds:
        _draw_rounds(next(rest), rounds)
    for axes in over_time[1:]:
        axes.sharex(over_time[0])
    if over_time and len(runs) > 1:
        over_time[0].set_title(f"the run with seed {runs[0]['seed']}", fontsize="medium")
    return figure


def _draw_goodput(axes: Axes, runs: Sequence[Document]) -> None:
    flows = runs[0]["flows"]
    goodputs = [
        estimate([run["flows"][k]["goodput_bps"] / 1e6 for run in runs]) for k in range(len(flows))
    ]
    for k, (flow, goodput) in enumerate(zip(flows, goodputs, strict=True)):
        style = _STYLES[flow["direction"]]
        axes.bar(
            k,
            goodput.mean,
            yerr=goodput.ci95,
            capsize=3,
            facecolor=style["facecolor"],
            hatch=style["hatch"],
            edgecolor="black",
            linewidth=0.6,
        )
    many = len(flows) > 15
    ticks = range(0, len(flows), max(1, len(flows) // 50))
    names = [literal(flows[k].get("name") or flows[k]["id"]) for k in ticks]
    long = sum(map(len, names)) > 100
    axes.set_xticks(ticks, names, rotation=90 if many or long else 0)
    axes.set_xlabel("flow")
    axes.set_ylabel("goodput (Mb/s)")
    axes.set_title(_title(runs), fontsize="medium")
    _leave_room_for_legend(axes)
    directions = dict.fromkeys(flow["direction"] for flow in flows)
    axes.legend(handles=[_patch(_STYLES[d]) for d in directions], ncols=2, loc="upper right")


def _draw_cwnd(axes: Axes, flows: Sequence[dict[str, Any]], series: dict[str, Any]) -> None:
    seen = set()
    for flow in flows:
        cwnd = series["flows"].get(flow["id"], {}).get("cwnd")
        if cwnd is None:  # UDP
            continue
        style = _STYLES[flow["direction"]]
        label = None if style["label"] in seen else style["label"]
        seen.add(style["label"])
        axes.plot(
            series["time_s"],
            [float("nan") if value is None else value for value in cwnd],
            color={"up": "#0072B2", "down": "#D55E00"}[flow["direction"]],
            linestyle=style["line"],
            linewidth=1,
            label=label,
        )
    axes.set_ylabel("cwnd (segments)")
    axes.set_xlabel("time (s)")
    _leave_room_for_legend(axes)
    if seen:
        axes.legend(ncols=2, loc="upper right")


def _draw_queue(axes: Axes, series: dict[str, Any], sender: str) -> None:
    layers = axes.stackplot(
        series["time_s"],
        series["ap_queue_data"],
        series["ap_queue_acks"],
        colors=[_DATA["facecolor"], _ACKS["facecolor"]],
        edgecolor="black",
        linewidth=0.4,
    )
    for layer, style in zip(layers, (_DATA, _ACKS), strict=True):
        layer.set_hatch(style["hatch"])
    axes.set_ylabel(f"{sender} queue (packets)")
    axes.set_xlabel("time (s)")
    _leave_room_for_legend(axes)
    axes.legend(handles=[_patch(_ACKS), _patch(_DATA)], ncols=2, loc="upper right")


def _draw_controller(
    axes: Axes,
    stations: Sequence[dict[str, Any]],
    times: Sequence[float],
    controller: dict[str, Any],
) -> None:
    """Draw the stations' occupancy that the access point observes, and the even share."""
    for k, station in enumerate(stations):
        axes.plot(
            times,
            controller["shares"][station["id"]],
            color=_COLORS[k % len(_COLORS)],
            linestyle=_DASHES[k % len(_DASHES)],
            linewidth=1,
            label=literal(station.get("name") or station["id"]) if len(stations) <= 5 else None,
        )
    axes.plot(times, controller["p_even"], color="black", linewidth=1.6, label="even share")
    axes.set_ylabel("channel occupancy")
    axes.set_xlabel("time (s)")
    _leave_room_for_legend(axes)
    axes.legend(ncols=6, loc="upper right")


def _draw_rounds(axes: Axes, rounds: Sequence[dict[str, Any]]) -> None:
    """Draw throughputs, rate and capacity of a limiter; crosses are rounds with losses."""
    times = [sample["t_s"] for sample in rounds]
    lines = (
        ("up_bps", "upstream", "#0072B2", "-", 1.0),
        ("down_bps", "downstream", "#D55E00", "--", 1.0),
        ("capacity_bps", "C", "#999999", ":", 1.2),
        ("rate_bps", "R", "black", "-", 1.6),
    )
    for name, label, color, dashes, width in lines:
        mbps = [float("nan") if s[name] is None else s[name] / 1e6 for s in rounds]
        axes.plot(times, mbps, color=color, linestyle=dashes, linewidth=width, label=label)
    lossy = [sample for sample in rounds if sample["lost"]]
    x, y = [s["t_s"] for s in lossy], [s["rate_bps"] / 1e6 for s in lossy]
    axes.plot(x, y, color="black", marker="x", markersize=3, linestyle="none", label="lost")
    axes.set_ylabel("limiter (Mb/s)")
    axes.set_xlabel("time (s)")
    _leave_room_for_legend(axes)
    axes.legend(ncols=5, loc="upper right")


def _leave_room_for_legend(axes: Axes) -> None:
    highest = axes.dataLim.ymax
    axes.set_ylim(0, 1.25 * highest if 0 < highest < float("inf") else 1)


def _title(runs: Sequence[Document]) -> str:
    aggregate = estimate([run["aggregate_goodput_bps"] / 1e6 for run in runs])
    jain = estimate([run["jain_index"] for run in runs])
    name = literal(runs[0]["scenario"].get("name", ""))
    which = f"seed {runs[0]['seed']}" if len(runs) == 1 else f"{len(runs)} runs, 95% intervals"
    return f"{name} ({which})\n{_show(aggregate, 2)} Mb/s in all, Jain's index {_show(jain, 3)}"


def _show(metric: Estimate, digits: int) -> str:
    spread = "" if metric.ci95 is None else f" ± {metric.ci95:.{digits}f}"
    return f"{metric.mean:.{digits}f}{spread}"


def _patch(style: dict[str, Any]) -> Patch:
    return Patch(
        facecolor=style["facecolor"],
        hatch=style["hatch"],
        edgecolor="black",
        linewidth=0.6,
        label=style["label"],
    )
