"""The figures of docs/real-stacks.md, from what was measured.

Curves and bars have an id in the SVG, and each panel's area has the id "PANEL-area", so that a test
can read the values back.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from evenair.papers.gong2006 import quantities
from evenair.plot.style import Line, new_figure, styled, write_figure
from real_stacks_cases import BUFFERS, CONTROLS, QUEUES, SCHEMES
from real_stacks_tables import NAMES, mean_mbps, of, rtt_ms, share

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evenair.statistics import Estimate
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from real_stacks_cases import Runs

FOLDER = Path(__file__).parents[2] / "docs" / "images"
LINES = {
    "droptail": Line(NAMES["droptail"], "#000000", "-", "o"),
    "las": Line(NAMES["las"], "#1b7837", "-", "s"),
    "spm-tail": Line(NAMES["spm-tail"], "#2166ac", "-", "^"),
    "spm-head": Line(NAMES["spm-head"], "#d6604d", "-", "D"),
}
UP = Line("uploads", "#000000", "none", "^")
DOWN = Line("downloads", "#d6604d", "none", "v", filled=False)
FILLS = {"up": ("#9ecae1", ""), "down": ("#fdae6b", "////")}

LIMITS = {
    "buffer": ((0.0, 160.0), (0.3, 1.05)),
    "goodput": ((-0.6, 8.6), (0.0, 6.5)),
    "rtt": ((-0.6, 8.6), (10.0, 10_000.0)),
    "mixed": ((-0.6, 5.6), (0.0, 1.0)),
}
"""The axes of each panel, horizontal and vertical; "rtt" is logarithmic."""


def draw(runs: Runs) -> None:
    """Write all figures."""
    with styled():
        for name, figure in (
            ("buffer", _buffer(runs)),
            ("controls", _controls(runs)),
            ("mixed", _mixed(runs)),
        ):
            write_figure(figure, FOLDER / f"real-stacks-{name}.svg")


def _panel(axes: Axes, name: str) -> None:
    axes.set_xlim(LIMITS[name][0])
    axes.set_ylim(LIMITS[name][1])
    axes.patch.set_gid(f"{name}-area")


def _buffer(runs: Runs) -> Figure:
    figure, (axes,) = new_figure(panel=(5.6, 3.4))
    for scheme in SCHEMES:
        line = LINES[scheme]
        for engine in ("sim", "testbed"):
            known = [
                (x, of(runs, f"buffer/{scheme}/{x}", quantities.jain, engine)) for x in BUFFERS
            ]
            _errorbar(axes, known, line, engine, f"{engine}-{scheme}")
    axes.plot([], [], "--", color="#666666", marker="", label="simulator")
    axes.set_xlabel("Buffer of the access point (packets)")
    axes.set_ylabel("Jain's fairness index")
    _panel(axes, "buffer")
    axes.legend(loc="lower right")
    return figure


def _errorbar(
    axes: Axes, values: Sequence[tuple[float, Estimate | None]], line: Line, engine: str, gid: str
) -> None:
    """Draw a curve: of the simulator thin and dashed, of the test-bed with intervals."""
    known = [(x, value) for x, value in values if value is not None]
    if not known:
        return
    x, y = [x for x, _ in known], [value.mean for _, value in known]
    if engine == "sim":
        axes.plot(x, y, "--", color=line.color, marker=line.marker, ms=3, mfc="white", lw=0.8,
                  gid=gid)  # fmt: skip
        return
    half = [value.ci95 or 0.0 for _, value in known]
    drawn = axes.errorbar(x, y, half, capsize=3, elinewidth=0.9, **line.keywords())
    drawn.lines[0].set_gid(gid)


def _controls(runs: Runs) -> Figure:
    figure, (left, right) = new_figure(2, panel=(4.2, 3.4))
    names = [(queue, control) for queue in QUEUES for control in CONTROLS]
    for x, (queue, control) in enumerate(names):
        base = 0.0
        for direction in ("up", "down"):
            color, hatch = FILLS[direction]
            value = of(runs, f"controls/{control}/{queue}", partial(mean_mbps, direction))
            if value is None:
                continue
            (bar,) = left.bar(
                x, 5 * value.mean, 0.7, base, color=color, hatch=hatch, edgecolor="black",
                linewidth=0.5, yerr=5 * (value.ci95 or 0.0), capsize=2,
                error_kw={"elinewidth": 0.8},
                label=f"{direction}loads, sum of five" if x == 0 else None,
            )  # fmt: skip
            bar.set_gid(f"goodput-{direction}-{queue}-{control}")
            base += 5 * value.mean
    for direction, line in (("up", UP), ("down", DOWN)):
        values = [
            (float(x), of(runs, f"controls/{control}/{queue}", partial(rtt_ms, direction)))
            for x, (queue, control) in enumerate(names)
        ]
        _errorbar(right, values, line, "testbed", f"rtt-{direction}")
    right.set_yscale("log")
    left.set_ylabel("Goodput (Mb/s)")
    right.set_ylabel("Smoothed round-trip time (ms)")
    for axes, name in ((left, "goodput"), (right, "rtt")):
        _panel(axes, name)
        axes.set_xticks(range(9), [NAMES[control] for _, control in names], rotation=90)
        for k, queue in enumerate(QUEUES):
            axes.text(3 * k + 1, 1.01, NAMES[queue], transform=axes.get_xaxis_transform(),
                      ha="center", va="bottom")  # fmt: skip
            if k:
                axes.axvline(3 * k - 0.5, color="#888888", lw=0.8)
        figure.legend(*axes.get_legend_handles_labels(),
                      loc="outside lower left" if axes is left else "outside lower right",
                      ncols=2)  # fmt: skip
    return figure


def _mixed(runs: Runs) -> Figure:
    figure, (axes,) = new_figure(panel=(5.6, 3.2))
    names = [(control, queue) for control in ("cubic", "bbr") for queue in QUEUES]
    for direction, line, shift in (("up", UP, -0.1), ("down", DOWN, 0.1)):
        values = [
            (x + shift, of(runs, f"mixed/{control}/{queue}", partial(share, control, direction)))
            for x, (control, queue) in enumerate(names)
        ]
        _errorbar(axes, values, line, "testbed", f"mixed-{direction}")
    axes.axhline(0.5, color="#666666", lw=0.8)
    axes.axvline(2.5, color="#888888", lw=0.8)
    axes.set_ylabel("Share of the goodput beside Reno")
    _panel(axes, "mixed")
    axes.set_xticks(range(6), [NAMES[queue] for _, queue in names])
    for k, control in enumerate(("cubic", "bbr")):
        axes.text(3 * k + 1, 1.01, NAMES[control], transform=axes.get_xaxis_transform(),
                  ha="center", va="bottom")  # fmt: skip
    axes.legend(loc="lower right")
    return figure
