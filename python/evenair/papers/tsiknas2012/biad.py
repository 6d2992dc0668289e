"""BIAD, the hybrid that the paper proposes without building it, against BIC and Westwood."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from matplotlib.ticker import NullLocator

from evenair.papers.curves import label, with_bars
from evenair.papers.figures import FigureSpec, Table
from evenair.papers.tsiknas2012 import downloads, wimax
from evenair.papers.tsiknas2012.comparison import gain
from evenair.plot.style import Line, legend_above, new_figure, styled

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from evenair.papers.runs import Runs
    from evenair.papers.tsiknas2012.downloads import Effort
    from evenair.papers.tsiknas2012.wimax import Point
    from evenair.statistics import Estimate


def _over_ratios(transport: str, effort: Effort) -> list[tuple[float, Point]]:
    along = wimax.over_ratios(transport, effort)
    return [(r, point) for r, (_, point) in zip(effort.ratios, along, strict=True)]


_RATES, _QUEUES, _RATIOS = "Packet error rate", "Queue of the congested link (packets)", "DL:UL"


@dataclass(frozen=True)
class _Sweep:
    """A curve of a figure of the paper, for any variant."""

    title: str
    axis: str
    along: Callable[[str, Effort], Sequence[tuple[float, Point]]]

    def points(self, transport: str, effort: Effort, sack: bool) -> list[tuple[float, Point]]:
        """Return abscissa and point along the curve, without or with SACK."""
        return [(x, replace(point, sack=sack)) for x, point in self.along(transport, effort)]


_SWEEPS: tuple[_Sweep, ...] = (
    _Sweep("WLAN, scenario 1", _RATES, lambda name, e: downloads.over_rates(name, False, e)),
    _Sweep("WiMAX, scenario 1", _RATES, lambda name, e: wimax.over_rates(name, 1, e)),
    _Sweep("WLAN, scenario 2", _RATES, lambda name, e: downloads.over_rates(name, True, e)),
    _Sweep("WiMAX, scenario 2", _RATES, lambda name, e: wimax.over_rates(name, 2, e)),
    _Sweep("WLAN, scenario 2, queues", _QUEUES, downloads.over_queues),
    _Sweep("WiMAX, scenario 2, queues", _QUEUES, wimax.over_queues),
    _Sweep("WiMAX, scenario 3, 3:1", _RATES, lambda name, e: wimax.over_rates(name, 3, e)),
    _Sweep("WiMAX, scenario 3, ratios", _RATIOS, _over_ratios),
)

_LINES = {
    "bic": Line("BIAD over BIC", "#d6604d", "-.", "D"),
    "westwood": Line("BIAD over Westwood", "#2166ac", "-", "^", filled=False),
}
_OUTCOMES = ("better than both", "worse than one or both", "undecided")


def outcome(gains: Sequence[Estimate]) -> str:
    """Return what the 95% intervals of the gains over BIC and over Westwood say of BIAD."""
    lows = [value.mean - (value.ci95 or 0.0) for value in gains]
    highs = [value.mean + (value.ci95 or 0.0) for value in gains]
    if min(lows) > 0.0:
        return _OUTCOMES[0]
    return _OUTCOMES[1] if min(highs) < 0.0 else _OUTCOMES[2]


def against_both(runs: Runs[Point], effort: Effort, *, sack: bool) -> tuple[Figure, Table]:
    """Draw the gains of BIAD over BIC and over Westwood, a panel for each sweep."""
    columns = [f"over_{name}_{part}" for name in _LINES for part in ("percent", "ci95")]
    rows: list[tuple[object, ...]] = []
    printed: list[list[str]] = []
    with styled():
        figure, panels = new_figure(2, 4, panel=(3.9, 2.2))
        for sweep, axes in zip(_SWEEPS, panels, strict=True):
            along = {name: sweep.points(name, effort, sack) for name in ("biad", *_LINES)}
            x = [position for position, _ in along["biad"]]
            gains = {
                name: [
                    gain(runs, [own], [other])
                    for (_, own), (_, other) in zip(along["biad"], along[name], strict=True)
                ]
                for name in _LINES
            }
            axes.axhline(0.0, color="black", linewidth=0.8)
            for index, (name, line) in enumerate(_LINES.items()):
                keywords = line.layered(index, len(_LINES))
                with_bars(axes, x, gains[name], len(runs.seeds), keywords)
            outcomes = list(map(outcome, zip(*gains.values(), strict=True)))
            for place, position in enumerate(x):
                both = [part for values in gains.values() for part in values[place]]
                rows.append((sweep.title, position, *both, outcomes[place]))
            printed.append([sweep.title, *(_where(sweep, x, outcomes, name) for name in _OUTCOMES)])
            _finish(axes, sweep, x)
        legend_above(figure, panels[0], 2)
    titles = ["Sweep", *(name.capitalize() for name in _OUTCOMES)]
    return figure, Table(("sweep", "x", *columns, "outcome"), rows, (titles, printed))


def _where(sweep: _Sweep, x: Sequence[float], outcomes: Sequence[str], name: str) -> str:
    """Return the positions with an outcome as text."""
    found = [_position(sweep, a) for a, b in zip(x, outcomes, strict=True) if b == name]
    return ", ".join(found) or "-"


def _position(sweep: _Sweep, x: float) -> str:
    return f"{x:g}:1" if sweep.axis == _RATIOS else f"{x:g}"


def _finish(axes: Axes, sweep: _Sweep, x: Sequence[float]) -> None:
    axes.set_title(sweep.title)
    label(axes, sweep.axis, "Gain in goodput (%)")
    if sweep.axis == _RATES:
        axes.set_xscale("log")
    if sweep.axis == _RATIOS:
        axes.set_xticks(x, [_position(sweep, position) for position in x])
        axes.xaxis.set_minor_locator(NullLocator())


def _points(effort: Effort, *, sack: bool) -> set[Point]:
    return {
        point
        for sweep in _SWEEPS
        for name in ("biad", *_LINES)
        for _, point in sweep.points(name, effort, sack)
    }


_CAPTION = (
    "Gain in goodput, runs with the same seed compared. Bars: 95% interval over the seeds. Better: "
    "both intervals are above 0; worse: one is below. Over queues and ratios the packet error rate "
    "is 0.00001."
)

BIAD: tuple[FigureSpec[Point, Effort], ...] = (
    FigureSpec(
        "biad",
        "BIAD against BIC and Westwood",
        "Not in the paper, which proposes BIAD, binary increase and adaptive decrease, without "
        f"building it. {_CAPTION}",
        partial(_points, sack=False),
        partial(against_both, sack=False),
    ),
    FigureSpec(
        "biad-sack",
        "BIAD against BIC and Westwood, with SACK",
        f"As figure biad, with SACK and RACK-TLP. {_CAPTION}",
        partial(_points, sack=True),
        partial(against_both, sack=True),
    ),
)
"""Where BIAD is better than both, in all scenarios, without and with SACK."""
