"""The paper's figures on WLANs, and what the choice of errors does to its two published gains."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

from matplotlib.ticker import MultipleLocator

from evenair.papers.claims import number
from evenair.papers.curves import curves, from_zero
from evenair.papers.figures import FigureSpec, Table
from evenair.papers.tsiknas2012.downloads import (
    SENSITIVE,
    VARIANTS,
    Download,
    Effort,
    over_errors,
    over_queues,
    over_rates,
)
from evenair.papers.tsiknas2012.quantities import goodput_mbps
from evenair.statistics import estimate
from evenair.style import Line

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from evenair.papers.runs import Runs

LINES: dict[str, Line] = {
    "newreno": Line(VARIANTS["newreno"], "#000000", "-", "o"),
    "vegas": Line(VARIANTS["vegas"], "#b8860b", ":", "v", filled=False),
    "veno": Line(VARIANTS["veno"], "#1b7837", "--", "s", filled=False),
    "westwood": Line(VARIANTS["westwood"], "#2166ac", "-", "^"),
    "bic": Line(VARIANTS["bic"], "#d6604d", "-.", "D"),
}
"""The curves of all figures."""

_GOODPUT = "Average goodput (Mb/s)"


def goodput_over_rates(
    runs: Runs[Download], effort: Effort, *, congested: bool
) -> tuple[Figure, Table]:
    """Draw figure 14, or with the congested wire 15: goodput over the packet error rate."""

    def finish(axes: Axes) -> None:
        axes.set_xscale("log")
        from_zero(axes)

    return curves(
        runs,
        LINES,
        lambda transport: over_rates(transport, congested, effort),
        goodput_mbps,
        columns=("transport", "packet_error_rate", "goodput_mbps"),
        labels=("Packet error rate", _GOODPUT),
        finish=finish,
    )


def goodput_over_queues(runs: Runs[Download], effort: Effort) -> tuple[Figure, Table]:
    """Draw figure 16: goodput over the queue limit of the congested link."""

    def finish(axes: Axes) -> None:
        axes.xaxis.set_major_locator(MultipleLocator(20))
        from_zero(axes)

    return curves(
        runs,
        LINES,
        lambda transport: over_queues(transport, effort),
        goodput_mbps,
        columns=("transport", "queue_packets", "goodput_mbps"),
        labels=("Queue of the congested link (packets)", _GOODPUT),
        finish=finish,
    )


_LEVELS = {"mac": "before", "ip": "after"}


def gains(runs: Runs[Download], effort: Effort) -> tuple[None, Table]:
    """Make a table of the mean gains over New Reno for several error processes."""
    rows: list[tuple[object, ...]] = []
    printed: list[tuple[str, ...]] = []
    for level, word in _LEVELS.items():
        for bad_state in effort.bad_states_ms:
            base, *others = (
                over_errors(transport, level, bad_state, effort) for transport in SENSITIVE
            )
            row: list[object] = [level, bad_state]
            text = [word, f"{bad_state} ms"]
            for points in others:
                gain = estimate([_gain(runs, seed, points, base) for seed in runs.seeds])
                row += gain
                text.append(number(gain))
            rows.append(tuple(row))
            printed.append(tuple(text))
    header = ["level", "bad_state_ms"]
    for transport in SENSITIVE[1:]:
        name = transport.replace("-", "_")
        header += [f"{name}_gain_percent", f"{name}_ci95"]
    errors = "Errors before or after retransmission"
    titles = (errors, "Mean bad state", "Westwood, %", "Westwood+, %", "BIC, %")
    return None, Table(tuple(header), rows, (titles, printed))


def _gain(runs: Runs[Download], seed: int, points: list[Download], base: list[Download]) -> float:
    """The excess of goodput over that of `base` in percent, averaged over the pairs."""
    lookup = runs.lookup(seed)
    ratios = [
        goodput_mbps(lookup(point)) / goodput_mbps(lookup(other))
        for point, other in zip(points, base, strict=True)
    ]
    return 100.0 * (math.fsum(ratios) / len(ratios) - 1.0)


def _all_rates(effort: Effort, *, congested: bool) -> set[Download]:
    # Claims on figure 15 compare it with figure 14, the same without congestion.
    return {
        download
        for transport in VARIANTS
        for scenario in {False, congested}
        for _, download in over_rates(transport, scenario, effort)
    }


def _all_queues(effort: Effort) -> set[Download]:
    return {download for transport in VARIANTS for _, download in over_queues(transport, effort)}


def _all_errors(effort: Effort) -> set[Download]:
    return {
        download
        for transport in SENSITIVE
        for level in _LEVELS
        for bad_state in effort.bad_states_ms
        for download in over_errors(transport, level, bad_state, effort)
    }


FIGURES: tuple[FigureSpec[Download, Effort], ...] = (
    FigureSpec(
        "14",
        "Goodput over the packet error rate, scenario 1",
        "One download over 45 ms of wire and a cell with errors. Bars: 95% interval over the "
        "seeds.",
        partial(_all_rates, congested=False),
        partial(goodput_over_rates, congested=False),
    ),
    FigureSpec(
        "15",
        "Goodput over the packet error rate, scenario 2",
        "As figure 14, with a link on the wire that Pareto traffic congests in both directions. "
        "Bars: 95% interval over the seeds.",
        partial(_all_rates, congested=True),
        partial(goodput_over_rates, congested=True),
    ),
    FigureSpec(
        "16",
        "Goodput over the queue of the congested link, scenario 2",
        "Packet error rate 0.00001. Bars: 95% interval over the seeds.",
        _all_queues,
        goodput_over_queues,
    ),
    FigureSpec(
        "gains",
        "Influence of the error process on the gains of figure 14",
        "Not in the paper. Mean gain in goodput over New Reno for packet error rates of 0.01 to "
        "0.1, with the 95% interval over the seeds; published: 35% for Westwood, 9% for BIC. The "
        "paper states neither the mean bad state nor whether errors occur before or after the "
        "MAC's retransmissions.",
        _all_errors,
        gains,
    ),
)
"""All figures in the order of the paper, and one additional table."""
