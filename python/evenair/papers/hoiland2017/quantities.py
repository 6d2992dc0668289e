"""Quantities of a run, and their names in claims files.

A term's table holds `quantity` (a name of QUANTITIES), `scheme` (a name of cells.SCHEMES),
`traffic` (a name of cells.TRAFFIC), and `delay` (a name of cells.DELAYS_MS ["5 ms"]). The stations
are the first fast one, the other fast ones, and the slow one, which is the last.
"""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any

from evenair.papers.checks import one_of
from evenair.papers.hoiland2017.cells import DELAYS_MS, SCHEMES, TRAFFIC, Cell, Effort
from evenair.papers.measures import Term

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from evenair.papers.runs import Document

FAST, SLOW = 0, -1
"""The places of the first fast station and of the slow one among the stations."""


def _flows(document: Document, station: int) -> list[dict[str, Any]]:
    """Return the flows of a station, by its place."""
    name = document["stations"][station]["id"]
    return [flow for flow in document["flows"] if flow["station"] == name]


def station_mbps(station: int, document: Document) -> float:
    """Goodput of a station's downloads, Mb/s."""
    flows = [flow for flow in _flows(document, station) if flow["direction"] == "down"]
    return math.fsum(flow["goodput_bps"] for flow in flows) / 1e6


def total_mbps(document: Document) -> float:
    """Goodput of all flows, Mb/s."""
    return float(document["aggregate_goodput_bps"]) / 1e6


def added_latency_ms(station: int, percentile: str, document: Document) -> float:
    """A percentile of the round-trip times of pings to a station, less the wire's, milliseconds."""
    (ping,) = [flow for flow in _flows(document, station) if flow["application"] == "ping"]
    wire = 2.0 * float(document["scenario"]["wired"]["delay"])
    return 1e3 * (float(ping["rtt_s"][percentile]) - wire)


def airtime_parts(document: Document) -> list[float]:
    """The parts of the airtime of all that stations have: those of MAC frames to and from each."""
    shares = [float(station["airtime_share"]) for station in document["stations"]]
    return [share / math.fsum(shares) for share in shares]


def airtime_part(station: int, document: Document) -> float:
    """That of one station."""
    return airtime_parts(document)[station]


def jain_airtime(document: Document) -> float:
    """Jain's index of the airtime of all stations."""
    parts = airtime_parts(document)
    return math.fsum(parts) ** 2 / (len(parts) * math.fsum(part**2 for part in parts))


def mos(document: Document) -> float:
    """MOS of the call to the slow station."""
    (call,) = [flow for flow in document["flows"] if flow["application"] == "voip"]
    return float(call["mos"])


def page_load_s(document: Document) -> float:
    """Median load time of pages at the fast station, seconds. NaN if none was loaded in the run."""
    (page,) = [flow for flow in document["flows"] if flow["application"] == "page"]
    times = page["page_load_s"]
    return math.nan if times is None else float(times["p50"])


QUANTITIES: dict[str, Callable[[Document], float]] = {
    "fast_mbps": partial(station_mbps, FAST),
    "slow_mbps": partial(station_mbps, SLOW),
    "total_mbps": total_mbps,
    "fast_latency_ms": partial(added_latency_ms, FAST, "p50"),
    "slow_latency_ms": partial(added_latency_ms, SLOW, "p50"),
    "slow_airtime": partial(airtime_part, SLOW),
    "jain_airtime": jain_airtime,
    "mos": mos,
    "page_load_s": page_load_s,
}
"""The quantities of claims files by name."""

_KEYS = {"quantity", "scheme", "traffic", "delay"}


def read_term(_effort: Effort, table: Mapping[str, Any]) -> Term[Cell]:
    """Read a term of a claims file, see the module's docstring. Raises KeyError, ValueError."""
    if unknown := set(table) - _KEYS:
        raise ValueError(f"term: unknown {', '.join(sorted(unknown))}")
    quantity = QUANTITIES[one_of("quantity", table["quantity"], QUANTITIES)]
    cell = Cell(
        one_of("scheme", table["scheme"], SCHEMES),
        one_of("traffic", table["traffic"], TRAFFIC),
        one_of("delay", table.get("delay", "5 ms"), DELAYS_MS),
    )
    return Term(quantity, (cell,), (0.0,))
