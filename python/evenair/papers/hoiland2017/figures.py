"""Descriptions of the paper's figures and tables: simulations, drawing functions and names."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from evenair.papers.figures import FigureSpec
from evenair.papers.hoiland2017 import drawing
from evenair.papers.hoiland2017.cells import DELAYS_MS, SCHEMES, Cell, Effort

if TYPE_CHECKING:
    from collections.abc import Iterable

_BARS = "Error bars: 95% interval over the seeds."
_ADDED = "Round-trip times are those of pings, less the 10 ms of the wire"


def _cells(traffic: Iterable[str], _effort: Effort) -> set[Cell]:
    return {Cell(scheme, kind) for scheme in SCHEMES for kind in traffic}


def _calls(_effort: Effort) -> set[Cell]:
    kinds = ("voice-be", "voice-vo")
    return {
        Cell(scheme, kind, delay) for scheme in SCHEMES for kind in kinds for delay in DELAYS_MS
    }


FIGURES: tuple[FigureSpec[Cell, Effort], ...] = (
    FigureSpec(
        "model",
        "Throughput of UDP downloads, and the paper's model",
        "Saturated downloads to two stations at 144.4 Mb/s and one at 7.2 Mb/s. The model has full "
        "A-MPDUs, of 42 and 3 packets; stations have the same number of packets with FIFO and "
        "FQ-CoDel, of transmissions with FQ-MAC, and the same airtime with the others. The "
        "paper's own measurements, which are recalled and judge nothing: 7.1, 6.3 and 5.3 Mb/s "
        "with the FIFO queue, 38.8, 35.6 and 2.0 with airtime fairness.",
        partial(_cells, ("udp",)),
        drawing.of_model,
    ),
    FigureSpec(
        "latency",
        "Latency under load",
        f"A TCP download for each of three stations. {_ADDED}. {_BARS}",
        partial(_cells, ("tcp",)),
        drawing.latency,
    ),
    FigureSpec(
        "airtime",
        "Airtime of the slow station",
        f"Its part of the airtime of three stations; the line is a third. {_BARS}",
        partial(_cells, ("udp", "tcp", "tcp-both")),
        drawing.airtime,
    ),
    FigureSpec(
        "stations",
        "TCP in both directions, by the queue of the stations",
        "A TCP download and an upload for each of three stations. The queue of the stations is "
        "DropTail with 1000 packets, as in the claims, or FQ-CoDel. Added after the first run. "
        f"Medians are of pings. {_ADDED}.",
        partial(_cells, ("tcp-both", "tcp-both-managed")),
        drawing.stations,
    ),
    FigureSpec(
        "throughput",
        "Total throughput",
        f"Three stations, and 30, one of them slow. {_BARS}",
        partial(_cells, ("udp", "tcp", "many")),
        drawing.throughput,
    ),
    FigureSpec(
        "many",
        "Latency among 30 stations",
        f"A TCP download each; one of the stations is slow. {_ADDED}. {_BARS}",
        partial(_cells, ("many",)),
        drawing.many,
    ),
    FigureSpec(
        "calls",
        "Calls beside downloads",
        "MOS by the E-model of a call to the slow station, in the access category best effort (BE) "
        "or voice (VO), with a TCP download for each station, by the delay of the wire. Recalled "
        "of the paper, as best effort: 1.0 with the FIFO queue, about 1.2 with FQ-CoDel, about 4.4 "
        "with FQ-MAC and Airtime.",
        _calls,
        drawing.calls,
    ),
    FigureSpec(
        "pages",
        "Page load times beside downloads",
        "Pages of 3 objects with 56 KB and of 110 objects with 3 MB at a fast station; the others "
        "have a TCP download each. The user waits 1 s from one page to the next. No marker: in "
        f"some run no page was loaded. {_BARS}",
        partial(_cells, ("page-small", "page-large")),
        drawing.pages,
    ),
)
"""All figures and tables."""
