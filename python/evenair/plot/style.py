"""A common style of figures, legible in print and without colour. Imports matplotlib."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import matplotlib as mpl
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from matplotlib.axes import Axes

STYLE: dict[str, Any] = {
    "font.size": 9.0,
    "axes.titlesize": 9.0,
    "axes.labelsize": 9.0,
    "axes.linewidth": 0.8,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "grid.color": "#d9d9d9",
    "grid.linewidth": 0.5,
    "legend.fontsize": 8.5,
    "legend.frameon": False,
    "legend.handlelength": 2.8,
    "lines.linewidth": 1.3,
    "lines.markersize": 5.0,
    "xtick.labelsize": 8.5,
    "ytick.labelsize": 8.5,
    "figure.constrained_layout.use": True,
    "savefig.dpi": 150,
    # Equal data give equal bytes.
    "svg.hashsalt": "evenair",
    "svg.fonttype": "path",
}
"""The matplotlib settings of the style."""


@dataclass(frozen=True)
class Line:
    """The style of a curve: colour, dashes and marker all differ between curves."""

    label: str
    color: str
    dashes: str
    marker: str
    filled: bool = True

    def keywords(self) -> dict[str, Any]:
        """Return the keyword arguments of Axes.plot and Axes.errorbar."""
        return {
            "label": self.label,
            "color": self.color,
            "linestyle": self.dashes,
            "marker": self.marker,
            "markerfacecolor": self.color if self.filled else "white",
        }

    def bars(self) -> dict[str, Any]:
        """Return the keyword arguments of Axes.bar: full or pale, as the marker is."""
        return {
            "facecolor": self.color if self.filled else _pale(self.color),
            "edgecolor": self.color,
            "linewidth": 0.9,
            "ecolor": "black",
            "capsize": 2.5,
            "error_kw": {"elinewidth": 0.9},
            "label": self.label,
        }

    def layered(self, index: int, count: int) -> dict[str, Any]:
        """Return the keyword arguments of curve `index` of `count` in some axes.

        Later curves are drawn on top, with thinner lines and smaller markers: of two curves that
        coincide the lower one stays visible as an outline.
        """
        below = count - 1 - index
        return self.keywords() | {
            "linewidth": 1.1 + 0.35 * below,
            "markersize": 4.6 + 1.1 * below,
            "markeredgewidth": 1.1,
            "zorder": 2.0 + 0.1 * index,
        }

    def over_time(self, samples: int) -> dict[str, Any]:
        """Return the keyword arguments of Axes.plot for a trace with strong variation.

        Dashes would not be visible: the line is solid, and about ten of its samples are marked.
        """
        step = max(samples // 10, 1)
        start = step // (2 if self.filled else 1)  # the markers of two traces do not coincide
        return self.keywords() | {
            "linestyle": "-",
            "linewidth": 0.9,
            "markevery": (start, step),
            "zorder": 3 if self.filled else 2,
        }


UP = Line("uploads", "#0072B2", "-", "^")
DOWN = Line("downloads", "#D55E00", "--", "v", filled=False)
DIRECTIONS = {"up": UP, "down": DOWN}
"""The curves of uploads and downloads, by the `direction` of a flow."""

_COLORS = ("#0072B2", "#D55E00", "#000000", "#009E73", "#CC79A7", "#56B4E9", "#E69F00")
"""Okabe and Ito's colours for colour-blind readers."""
_DASHES = ("-", "--", ":", "-.")
_MARKERS = "os^DvPX*<>h"


def numbered(index: int) -> Line:
    """Return the style of curve `index`, from 0, of curves that have no meaning of their own.

    The first 77 differ in colour or marker, neighbours in colour, dashes, marker and filling.
    """
    return Line(
        "",
        _COLORS[index % len(_COLORS)],
        _DASHES[index % len(_DASHES)],
        _MARKERS[index % len(_MARKERS)],
        filled=index % 2 == 0,
    )


def new_figure(
    columns: int = 1,
    rows: int = 1,
    *,
    panel: tuple[float, float] = (5.4, 3.5),
    share: bool = False,
    widths: Sequence[float] | None = None,
) -> tuple[Figure, list[Axes]]:
    """Return a figure with columns × rows axes, row by row.

    `panel` is in inches, of each or, with the relative `widths` of columns, on average.

    Call it, and everything that draws on the figure, inside `styled()`.
    """
    figure = Figure(figsize=(columns * panel[0], rows * panel[1]), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(
        rows, columns, squeeze=False, sharex=share, sharey=share, width_ratios=widths
    )
    return figure, list(axes.flat)


def styled() -> Any:
    """Return a context in which figures have the common style."""
    return mpl.rc_context(cast("Any", STYLE))  # typed by key only since matplotlib 3.11


def literal(text: str) -> str:
    """Return text that matplotlib draws as it is: a dollar does not begin a formula."""
    return text.replace("$", r"\$")


def run_title(runs: Sequence[Mapping[str, Any]], remark: str = "") -> str:
    """Return what the result documents are of: the scenario's name, the engine and the seeds."""
    first = runs[0]
    seeds = f"seed {first['seed']}" if len(runs) == 1 else f"{len(runs)} runs{remark}"
    bed = "test-bed, " if first.get("engine") == "testbed" else ""
    name = literal(first["scenario"].get("name") or "")
    return f"{name} ({bed}{seeds})" if name else f"{bed}{seeds}"


def legend_over(axes: Axes) -> None:
    """Put the legend of one panel of several above its right end, where it hides no data."""
    handles, labels = axes.get_legend_handles_labels()
    if handles:
        axes.legend(
            handles,
            labels,
            loc="lower right",
            bbox_to_anchor=(1.0, 1.0),
            ncols=len(labels),
            borderaxespad=0.1,
            handletextpad=0.5,
            columnspacing=1.4,
        )


def legend_above(figure: Figure, axes: Axes, columns: int, title: str | None = None) -> None:
    """Put the legend of some axes above the whole figure, where it hides no data."""
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=columns, title=title)


def mark_truncated(figure: Figure) -> None:
    """Mark each linear vertical axis that starts above zero: a break and a note in its label."""
    for axes in figure.axes:
        low = axes.get_ylim()[0]
        if axes.get_yscale() != "linear" or low <= 0 or not axes.get_ylabel():
            continue
        axes.set_ylabel(f"{axes.get_ylabel()}\n(axis starts at {low:.3g})")
        keywords: dict[str, Any] = {"transform": axes.transAxes, "clip_on": False, "zorder": 10}
        for height in (0.025, 0.045):
            axes.plot((-0.012, 0.012), (height - 0.012, height + 0.012), "-k", lw=0.9, **keywords)


def write_figure(figure: Figure, path: Path) -> None:
    """Write a figure as PNG, SVG or PDF, by the suffix. Equal figures give equal bytes."""
    undated = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
    with mpl.rc_context({"svg.hashsalt": "evenair"}):
        figure.savefig(path, dpi=150, metadata=undated.get(path.suffix.lower()))


def _pale(color: str) -> tuple[float, ...]:
    """Return a colour mixed with white: in grey it differs from all full colours."""
    return tuple(0.25 * part + 0.75 for part in to_rgb(color))
