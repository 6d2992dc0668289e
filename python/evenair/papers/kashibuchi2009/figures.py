"""Descriptions of the paper's figures and of our own: simulations, drawing functions and names."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from evenair.papers.figures import FigureSpec
from evenair.papers.kashibuchi2009 import drawing
from evenair.papers.kashibuchi2009.cells import (
    Cell,
    Effort,
    over_rates,
    over_stations,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

_PAPER = ("tfrc", "cot")
_BOTH = (*_PAPER, "airtime-drr")


def _rates(schemes: Iterable[str], effort: Effort, *, traffic: str = "down") -> set[Cell]:
    return {cell for scheme in schemes for _, cell in over_rates(scheme, effort, traffic)}


def _stations(schemes: Iterable[str], effort: Effort) -> set[Cell]:
    return {cell for scheme in schemes for _, cell in over_stations(scheme, effort)}


_BARS = "Bars: 95% interval over the seeds."
_RANDOM = (
    "Each station has a random rate in each run, the same for all curves: their differences vary "
    f"less than they do. {_BARS}"
)


def _own(
    name: str, title: str, caption: str, traffic: str, x_label: str = drawing.RATE
) -> FigureSpec[Cell, Effort]:
    """Return a figure with the axes of figure 3 for other traffic, with the airtime scheduler."""
    return FigureSpec(
        name,
        title,
        f"Not in the paper. {caption} {_BARS}",
        partial(_rates, _BOTH, traffic=traffic),
        partial(drawing.two_stations, schemes=_BOTH, traffic=traffic, x_label=x_label),
    )


_CHANNEL = "Highest rate of STA2's channel (Mb/s)"

FIGURES: tuple[FigureSpec[Cell, Effort], ...] = (
    FigureSpec(
        "3",
        "Throughput and channel occupancy of two stations",
        f"One TFRC download each. STA1 has 54 Mb/s, STA2 the rate of the axis. {_BARS}",
        partial(_rates, _PAPER),
        drawing.two_stations,
    ),
    FigureSpec(
        "4a",
        "Aggregate throughput of N stations",
        _RANDOM,
        partial(_stations, _PAPER),
        partial(drawing.many_stations, quantity=drawing.AGGREGATE),
    ),
    FigureSpec(
        "4b",
        "Fairness of channel occupancy of N stations",
        f"The index (19). {_RANDOM}",
        partial(_stations, _PAPER),
        partial(drawing.many_stations, quantity=drawing.FAIRNESS),
    ),
    FigureSpec(
        "4c",
        "Packet drop ratio of N stations",
        "TFRC's data packets dropped over those sent, mean over the stations. Dropped are those "
        f"that a queue or, at its retry limit, a MAC discarded. {_RANDOM}",
        partial(_stations, _PAPER),
        partial(drawing.many_stations, quantity=drawing.DROPS),
    ),
    _own(
        "uplink",
        "Two uploads",
        "One TFRC upload each; otherwise as figure 3. The airtime scheduler is the access point's: "
        "it does not schedule uploads.",
        "up",
    ),
    _own(
        "mixed",
        "TFRC beside TCP",
        "STA1 has a TFRC download, STA2 one of TCP NewReno; otherwise as figure 3. The controller "
        "limits TCP by the window that the receiver advertises.",
        "mixed",
    ),
    _own(
        "cbr",
        "TFRC beside a constant-rate flow",
        "STA2 has a constant-rate download of 1 Mb/s over UDP, which the controller cannot limit, "
        "beside that of TFRC; otherwise as figure 3. Throughput is that of both flows.",
        "cbr",
    ),
    _own(
        "arf",
        "Rate control at work: ARF",
        "ARF chooses STA2's rate. Its channel corrupts all frames that are faster than the rate of "
        "the axis; otherwise as figure 3.",
        "arf",
        _CHANNEL,
    ),
    _own(
        "minstrel",
        "Rate control at work: Minstrel",
        "Minstrel chooses STA2's rate. Its channel corrupts all frames that are faster than the "
        "rate of the axis; otherwise as figure 3.",
        "minstrel",
        _CHANNEL,
    ),
    FigureSpec(
        "slots",
        "Observation slots that do not overlap, and that do",
        "Not in the paper, which can be read both ways: the controller looks back on the last "
        "three beacon intervals at each third beacon, as in figure 3, or at each beacon. "
        f"Otherwise as figure 3. {_BARS}",
        partial(_rates, ("cot", "cot-sliding")),
        partial(drawing.two_stations, schemes=("cot", "cot-sliding")),
    ),
    FigureSpec(
        "schedulers",
        "Controller, queue disciplines and airtime scheduler, two stations",
        f"Not in the paper. As figure 3, a curve for each scheme. {_BARS}",
        partial(_rates, drawing.ALL_LINES),
        drawing.schemes_over_rates,
    ),
    FigureSpec(
        "schedulers-many",
        "Controller, queue disciplines and airtime scheduler, N stations",
        f"Not in the paper. As figure 4, a curve for each scheme. {_RANDOM}",
        partial(_stations, drawing.ALL_LINES),
        drawing.schemes_over_stations,
    ),
)
"""All figures of the paper in its order, then our own."""
