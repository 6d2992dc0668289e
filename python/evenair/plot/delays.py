"""Plots of the distributions of delays. Importing this module imports matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from evenair.plot.style import DIRECTIONS, legend_over, new_figure, run_title, styled
from evenair.text.messages import downlink_sender

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_QUANTITIES = {
    "rtt": "round-trip time (ms)",
    "one_way_delay": "one-way delay (ms)",
    "ap_queue_delay": "waiting time in the {sender}'s queue (ms)",
}
_MAX_CURVES = 20
"""Flows that have a curve each; of more, a direction's flows share one."""
_LOGARITHMIC_FROM = 20.0
"""The axis is logarithmic if the largest delay is this many times the smallest."""

Document: TypeAlias = "Mapping[str, Any]"
"""The result document of a run."""

Curve: TypeAlias = tuple[list[float], list[float]]
"""Delays in milliseconds, and the share of samples up to each."""


def plot_delays(runs: Sequence[Document]) -> Figure:
    """Draw cumulative distributions of the RTT and one-way delay per flow, and of the AP's queue.

    Of several runs, and of the flows of a direction if there are many, samples are pooled. Only
    quantities with samples are drawn; without any, an empty panel.
    """
    found = {name: _curves(runs, name) for name in _QUANTITIES}
    panels = [name for name, curves in found.items() if curves] or ["rtt"]
    with styled():
        figure, axes = new_figure(1, len(panels), panel=(6.4, 2.6))
        for panel, name in zip(axes, panels, strict=True):
            _draw(panel, found[name])
            panel.set_xlabel(_QUANTITIES[name].format(sender=downlink_sender(runs[0])))
            panel.set_ylabel("share of samples")
            legend_over(panel)
        figure.suptitle(run_title(runs, " together"), fontsize="medium")
    return figure


def _curves(runs: Sequence[Document], quantity: str) -> list[tuple[dict[str, Any], Curve]]:
    """Return the style and the curve of each line."""
    directions = {flow["id"]: flow["direction"] for flow in runs[0]["flows"]}
    each = len(directions) <= _MAX_CURVES
    lines: dict[str, list[Mapping[str, Any]]] = {}
    for run in runs:
        for curve in run.get("delays", ()):
            if curve["quantity"] == quantity:
                flow = curve.get("flow", "")
                lines.setdefault(flow if each else directions.get(flow, ""), []).append(curve)
    drawn = []
    for name, curves in lines.items():
        line = DIRECTIONS.get(directions.get(name, name))
        style = line.keywords() if line else {"color": "black"}
        drawn.append((style | {"linewidth": 1.0, "marker": ""}, pool(curves)))
    return drawn


def pool(curves: Sequence[Mapping[str, Any]]) -> Curve:
    """Return the distribution of the samples of all curves."""
    points: list[tuple[float, int]] = []
    for curve in curves:
        before = 0
        for bound, count in zip(curve["le_s"], curve["count"], strict=True):
            points.append((bound * 1e3, count - before))
            before = count
    points.sort()
    total = sum(count for _, count in points)
    shares, passed = [], 0
    for _, count in points:
        passed += count
        shares.append(passed / total)
    return [bound for bound, _ in points], shares


def _draw(axes: Axes, curves: Sequence[tuple[dict[str, Any], Curve]]) -> None:
    axes.set_ylim(0, 1)
    if not curves:
        axes.text(0.5, 0.5, "no delays were measured", ha="center", transform=axes.transAxes)
        return
    seen = set()
    for style, (delays, shares) in curves:
        label = style.get("label")
        axes.plot(delays, shares, **style | {"label": None if label in seen else label})
        seen.add(label)
    scale(axes, "x", [x for _, (delays, _) in curves for x in delays])


def scale(axes: Axes, name: Literal["x", "y"], delays: Sequence[float]) -> None:
    """Let an axis begin at zero, or make it logarithmic if these delays differ much."""
    smallest = min((delay for delay in delays if delay > 0), default=1.0)
    largest = max(delays, default=1.0)
    low, high = 0.0, None
    if largest > _LOGARITHMIC_FROM * smallest:
        axes.set(**{f"{name}scale": "log"})
        axis = axes.xaxis if name == "x" else axes.yaxis
        axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axis.set_minor_formatter(NullFormatter())
        axis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))
        low, high = max(smallest, largest / 1e4), largest * 1.05
    axes.set(**{f"{name}lim": (low, high)})
