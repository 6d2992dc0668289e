"""Plots of tests under load. Importing this module imports matplotlib."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from evenair.plot.delays import scale
from evenair.plot.style import legend_over, literal, new_figure, numbered, styled

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

KINDS = ("all", "cdf", "box")
"""The kinds of plots: over time, distributions of round-trip times, box plots."""


@dataclass(frozen=True)
class Curve:
    """A series of a test."""

    label: str
    values: Sequence[float | None]
    """Over time."""
    under_load: Sequence[float]


@dataclass(frozen=True)
class Panel:
    """Series of the same kind and unit."""

    name: str
    unit: str
    curves: Sequence[Curve]
    is_delay: bool


def plot_test(
    title: str,
    times: Sequence[float],
    load: tuple[float, float],
    panels: Sequence[Panel],
    kind: str = "all",
) -> Figure:
    """Draw the series of a test, in one of `KINDS`."""
    with styled():
        if kind == "cdf":
            panels = [panel for panel in panels if panel.is_delay]
        width = 3.4 if kind == "box" else 7.2
        columns = len(panels) if kind == "box" else 1
        height = 3.2 if kind != "all" else 2.3
        figure, axes = new_figure(columns, len(panels) // columns, panel=(width, height))
        figure.suptitle(literal(title), fontsize="medium")
        for axis, panel in zip(axes, panels, strict=True):
            if kind == "cdf":
                _draw_distribution(axis, panel)
            elif kind == "box":
                _draw_boxes(axis, panel)
            else:
                _draw_over_time(axis, panel, times, load)
        if kind == "all":
            for axis in axes[:-1]:
                axis.sharex(axes[-1])
            axes[-1].set_xlabel("time (s); there is load between the dashed lines")
    return figure


_SMOOTHED = 10
"""Samples of the moving mean of a mean over flows, as in flent's plots."""


def _draw_over_time(
    axes: Axes, panel: Panel, times: Sequence[float], load: tuple[float, float]
) -> None:
    for k, curve in enumerate(panel.curves):
        pairs = zip(times, curve.values, strict=True)
        known = [(time, value) for time, value in pairs if value is not None]
        style = numbered(k).over_time(len(known)) | {"label": curve.label}
        axes.plot([time for time, _ in known], [value for _, value in known], **style)
    if not panel.is_delay:
        rows = list(zip(*(curve.values for curve in panel.curves), strict=True))
        means = [_mean([value for value in row if value is not None]) for row in rows]
        axes.plot(times, _smoothed(means), color="#777777", linewidth=2.6, label="mean", zorder=4)
    for time in load:
        axes.axvline(time, color="#777777", linestyle="--", linewidth=0.8)
    axes.set_ylabel(f"{panel.name} ({panel.unit})")
    _scale(axes, panel, [value for curve in panel.curves for value in curve.values])
    axes.set_xlim(0, times[-1])
    legend_over(axes)


def _draw_distribution(axes: Axes, panel: Panel) -> None:
    for k, curve in enumerate(panel.curves):
        values = sorted(curve.under_load)
        shares = [(place + 1) / len(values) for place in range(len(values))]
        style = numbered(k).keywords() | {"markevery": max(len(values) // 8, 1)}
        axes.step(values, shares, where="post", **style | {"label": curve.label})
    axes.set_xlabel(f"{panel.name} under load ({panel.unit})")
    axes.set_ylabel("share of samples")
    axes.set_ylim(0, 1)
    scale(axes, "x", [value for curve in panel.curves for value in curve.under_load])
    legend_over(axes)


def _draw_boxes(axes: Axes, panel: Panel) -> None:
    boxes = axes.boxplot(
        [list(curve.under_load) for curve in panel.curves],
        whis=(5, 95),
        showfliers=False,
        widths=0.6,
        medianprops={"color": "black", "linewidth": 1.6},
        patch_artist=True,
    )
    for box in boxes["boxes"]:
        box.set(facecolor="#d9d9d9", edgecolor="black", linewidth=0.9)
    places = range(1, len(panel.curves) + 1)
    axes.set_xticks(places, [literal(curve.label) for curve in panel.curves], rotation=30)
    axes.grid(visible=False, axis="x")
    axes.set_ylabel(f"{panel.name} ({panel.unit})")
    _scale(axes, panel, [value for curve in panel.curves for value in curve.under_load])


def _scale(axes: Axes, panel: Panel, values: Sequence[float | None]) -> None:
    if panel.is_delay:
        scale(axes, "y", [value for value in values if value is not None])
        low, high = axes.get_ylim()
        axes.set_ylim(low / 1.2, high * 1.1)
    else:
        axes.set_ylim(bottom=0)


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values) if values else math.nan


def _smoothed(values: Sequence[float]) -> list[float]:
    """Return the moving mean; where there is no value, none."""
    half = _SMOOTHED // 2
    return [
        math.nan if math.isnan(value) else _mean(_known(values[max(k - half, 0) : k + half]))
        for k, value in enumerate(values)
    ]


def _known(values: Sequence[float]) -> list[float]:
    return [value for value in values if not math.isnan(value)]
