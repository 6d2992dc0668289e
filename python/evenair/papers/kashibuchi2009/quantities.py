"""Quantities of a run, and their names in claims files.

A term's table holds `quantity` (a name of QUANTITIES), `scheme` (a name of cells.SCHEMES), and
either `rates` (STA2's rate, figure 3: a set of cells.RATE_SETS or one rate in Mb/s), with `traffic`
(a name of cells.TRAFFIC ["down"]), or `stations` (random rates, figure 4: a set of
cells.STATION_SETS or one number). Throughput is goodput: payload received. Rates are in Mb/s.
"""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any

from evenair.papers.checks import one_of, select_values
from evenair.papers.kashibuchi2009.cells import (
    RATE_SETS,
    SCHEMES,
    STATION_SETS,
    TRAFFIC,
    Cell,
    Effort,
    over_rates,
    over_stations,
)
from evenair.papers.measures import Term

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from evenair.papers.runs import Document


def station_mbps(station: int, document: Document) -> float:
    """Goodput of the flows of a station, STA1 or STA2, Mb/s."""
    name = f"sta-{station}"
    rates = [flow["goodput_bps"] for flow in document["flows"] if flow["station"] == name]
    return math.fsum(rates) / 1e6


def station_ip_mbps(station: int, document: Document) -> float:
    """The same with all headers of the IP packets, for a station with one flow."""
    (flow,) = document["scenario"]["station"][station - 1]["flows"]
    segment, header = int(flow["segment"]), int(flow["header"])
    return station_mbps(station, document) * (segment + header) / segment


def imbalance(document: Document) -> float:
    """Absolute difference of the goodput of STA1 and STA2 over their mean."""
    first, second = (station_mbps(station, document) for station in (1, 2))
    return 2.0 * abs(first - second) / (first + second)


def occupancy(station: int, document: Document) -> float:
    """Channel occupancy of a station, over the measured time (figure 1)."""
    return float(document["stations"][station - 1]["occupancy_share"])


def first_share(document: Document) -> float:
    """STA1's part of the occupancy of STA1 and STA2."""
    first, second = (occupancy(station, document) for station in (1, 2))
    return first / (first + second)


def jain_occupancy(document: Document) -> float:
    """Fairness index of the stations' occupancy, (19)."""
    return float(document["jain_occupancy"])


def aggregate_mbps(document: Document) -> float:
    """Total goodput of all flows, Mb/s."""
    return float(document["aggregate_goodput_bps"]) / 1e6


def drop_ratio(document: Document) -> float:
    """Data packets of TFRC that were dropped over those sent, averaged over the flows.

    Dropped are those that a queue or, at its retry limit, a MAC discarded.
    """
    flows = [flow for flow in document["flows"] if flow["transport"] == "tfrc"]
    ratios = [flow["packets_lost"] / flow["segments_sent"] for flow in flows]
    return math.fsum(ratios) / len(ratios)


QUANTITIES: dict[str, Callable[[Document], float]] = {
    "first_mbps": partial(station_mbps, 1),
    "second_mbps": partial(station_mbps, 2),
    "first_ip_mbps": partial(station_ip_mbps, 1),
    "second_ip_mbps": partial(station_ip_mbps, 2),
    "imbalance": imbalance,
    "first_share": first_share,
    "jain_occupancy": jain_occupancy,
    "aggregate_mbps": aggregate_mbps,
    "drop_ratio": drop_ratio,
}
"""The quantities of claims files by name."""

_KEYS = {"quantity", "scheme", "rates", "stations", "traffic"}


def read_term(effort: Effort, table: Mapping[str, Any]) -> Term[Cell]:
    """Read a term of a claims file, see the module's docstring. Raises KeyError, ValueError."""
    if unknown := set(table) - _KEYS:
        raise ValueError(f"term: unknown {', '.join(sorted(unknown))}")
    if ("rates" in table) == ("stations" in table):
        raise ValueError("term: one of rates and stations is needed")
    quantity = QUANTITIES[one_of("quantity", table["quantity"], QUANTITIES)]
    scheme = one_of("scheme", table["scheme"], SCHEMES)
    if "rates" in table:
        traffic = one_of("traffic", table.get("traffic", "down"), TRAFFIC)
        along = over_rates(scheme, effort, traffic)
        simulated = [x for x, _ in along]
        wanted = select_values("rates", table["rates"], RATE_SETS, simulated)
    elif "traffic" in table:
        raise ValueError("traffic: needed with rates only")
    else:
        along = over_stations(scheme, effort)
        simulated = [x for x, _ in along]
        wanted = select_values("stations", table["stations"], STATION_SETS, simulated)
    pairs = [pair for pair in along if pair[0] in wanted]
    points = tuple(cell for _, cell in pairs)
    return Term(quantity, points, tuple(float(x) for x, _ in pairs))
