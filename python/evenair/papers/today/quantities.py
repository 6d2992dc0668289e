"""Quantities of a run, and their names in claims files.

A term's table holds `quantity` (a name of QUANTITIES), `question` (a name of QUESTIONS), and the
keys of a cell that differ from its defaults: `phy`, `control`, `scheme`, `stations`, `case`.
`stations` may be a list: then the term has a point for each.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from evenair.papers.checks import one_of
from evenair.papers.measures import Term
from evenair.papers.today.cells import CONTROLS, PHYS, Cell, Effort
from evenair.papers.today.questions import QUESTIONS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from evenair.papers.runs import Document


def _mean_mbps(document: Document, direction: str) -> float:
    rates = [
        flow["goodput_bps"]
        for flow in document["flows"]
        if flow["direction"] == direction and flow["application"] == "bulk"
    ]
    return math.fsum(rates) / len(rates) / 1e6


def up_over_down(document: Document) -> float:
    """Mean goodput of an upload over that of a download."""
    return _mean_mbps(document, "up") / _mean_mbps(document, "down")


def down_over_up(document: Document) -> float:
    """Mean goodput of a download over that of an upload: that of figures, as it has a bound."""
    return _mean_mbps(document, "down") / _mean_mbps(document, "up")


def jain(document: Document) -> float:
    """Jain's index of the goodput of all TCP or TFRC flows."""
    return float(document["jain_index"])


def total_mbps(document: Document) -> float:
    """Goodput of all flows, Mb/s."""
    return float(document["aggregate_goodput_bps"]) / 1e6


def latency_ms(document: Document) -> float:
    """Median round-trip time of the pings, less that of the wire, milliseconds."""
    (ping,) = [flow for flow in document["flows"] if flow["application"] == "ping"]
    if ping["rtt_s"] is None:
        return math.nan
    wire = 2.0 * float(document["scenario"]["wired"]["delay"])
    return 1e3 * (float(ping["rtt_s"]["p50"]) - wire)


def _airtime(document: Document) -> list[float]:
    return [float(station["airtime_share"]) for station in document["stations"]]


def slow_airtime(document: Document) -> float:
    """The part of the slow stations, the second half of all, in the airtime of stations."""
    parts = _airtime(document)
    return math.fsum(parts[len(parts) // 2 :]) / math.fsum(parts)


def jain_airtime(document: Document) -> float:
    """Jain's index of the airtime of all stations."""
    parts = _airtime(document)
    return math.fsum(parts) ** 2 / (len(parts) * math.fsum(part**2 for part in parts))


def fetch_s(document: Document) -> float:
    """Mean time of a fetched file, seconds. NaN if none was fetched."""
    times = [session["end_s"] - session["start_s"] for session in document.get("sessions", [])]
    return math.fsum(times) / len(times) if times else math.nan


QUANTITIES: dict[str, Callable[[Document], float]] = {
    "up_over_down": up_over_down,
    "down_over_up": down_over_up,
    "jain": jain,
    "total_mbps": total_mbps,
    "latency_ms": latency_ms,
    "slow_airtime": slow_airtime,
    "jain_airtime": jain_airtime,
    "fetch_s": fetch_s,
}
"""The quantities of claims files by name."""

_KEYS = {"quantity", "question", "phy", "control", "scheme", "stations", "case"}


def read_term(_effort: Effort, table: Mapping[str, Any]) -> Term[Cell]:
    """Read a term of a claims file, see the module's docstring. Raises KeyError, ValueError."""
    if unknown := set(table) - _KEYS:
        raise ValueError(f"term: unknown {', '.join(sorted(unknown))}")
    name = one_of("question", table["question"], QUESTIONS)
    question = QUESTIONS[name]
    stations = table.get("stations", 10)
    counts = stations if isinstance(stations, list) else [stations]
    for count in counts:
        if count < 2 or count % 2:
            raise ValueError(f"stations: got {count}, expected an even number from 2 on")
    cells = tuple(
        Cell(
            name,
            one_of("phy", table.get("phy", "ax"), PHYS),
            one_of("control", table.get("control", "cubic"), CONTROLS),
            one_of("scheme", table.get("scheme", "fifo"), question.schemes),
            count,
            one_of("case", table.get("case", question.cases[0]), question.cases),
        )
        for count in counts
    )
    return Term(
        QUANTITIES[one_of("quantity", table["quantity"], QUANTITIES)],
        cells,
        tuple(map(float, counts)),
    )
