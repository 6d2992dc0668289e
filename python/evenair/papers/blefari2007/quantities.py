"""Quantities of a run, and their names in claims files.

A term's table holds `quantity` (a name of QUANTITIES or PERIOD_QUANTITIES) and either `scheme` (a
name of cells.SCHEMES) or `schemes` (a name of cells.SCHEME_SETS). With `scheme` it may hold
`stations` (a set of cells.STATION_SETS or one N [6]), `traffic` (a name of cells.TRAFFIC
["static"]) and `cell` (a name of cells.CELLS ["802.11b"]). `period`, two times in seconds, belongs
to PERIOD_QUANTITIES. Rates are goodput of TCP in Mb/s.
"""

from __future__ import annotations

import math
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from evenair.papers.blefari2007.cells import (
    CELLS,
    SCHEME_SETS,
    SCHEMES,
    STATION_SETS,
    TRAFFIC,
    Cell,
    Effort,
    over_many,
    over_schemes,
)
from evenair.papers.checks import one_of, select_values
from evenair.papers.measures import Term

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from evenair.papers.runs import Document

WINDOW_S = 10
"""Length of the windows of short-term fairness, seconds."""
SETTLING_S = 20
"""Time from the start of a run that short-term fairness leaves out, seconds."""
PHASE_SETTLING_S = 10
"""Time from the beginning of a phase of Tab. 2 that is left out, seconds."""
SCHEDULE_S = 500
"""Duration of Tab. 2, seconds."""


def _cycle_us(packet_bytes: int) -> float:
    """Mean time that a packet of a lone 802.11b station takes at 11 Mb/s, microseconds.

    IEEE Std 802.11b-1999: DIFS 50, 15.5 slots of 20, the frame with a long preamble (192), 28 bytes
    of MAC and 8 of LLC/SNAP, SIFS 10, and the acknowledgement of 14 bytes at 11 Mb/s.
    """
    return 50 + 15.5 * 20 + (192 + 8 * (packet_bytes + 36) / 11) + 10 + (192 + 8 * 14 / 11)


THEORETICAL_MBPS = 2 * 8 * 1460 / (2 * _cycle_us(1500) + _cycle_us(40))
"""Goodput of TCP with an acknowledgement for two segments, without collisions, Mb/s.

The paper's figure 4 is "in line with the theoretical value", which it does not give. With an
acknowledgement for each segment the same calculation has 4.6 Mb/s of IP packets, which is the
paper's C (section 2).
"""


def condensed(document: Document) -> Document:
    """Return what is needed of a document: of the series, sums over uploads and over downloads."""
    names = ("version", "scenario", "aggregate_goodput_bps", "jain_index", "flows", "losses")
    kept = {name: document[name] for name in names}
    kept["queue_loss_ratio"] = document["ap_queue"]["loss_ratio"]
    for name in ("limiter", "testbed"):
        if name in document:
            kept[name] = document[name]
    if series := document.get("series"):
        kept["series"] = {
            "time_s": series["time_s"],
            "up_bps": _summed(document, "up"),
            "down_bps": _summed(document, "down"),
            "limiter": series.get("limiter", []),
        }
        if _stops(document):
            kept["series"]["flows"] = {
                name: {"goodput_bps": flow["goodput_bps"]} for name, flow in series["flows"].items()
            }
    return kept


def _stops(document: Document) -> bool:
    """Whether flows end before the run, as those of Tab. 2 do."""
    groups = document["scenario"].get("station", [])
    return any("stop" in flow for group in groups for flow in group["flows"])


def _summed(document: Document, direction: str) -> list[float]:
    flows = [document["series"]["flows"][flow["id"]] for flow in _tcp(document, direction)]
    return [math.fsum(rates) for rates in zip(*(f["goodput_bps"] for f in flows), strict=True)]


def _tcp(document: Document, direction: str) -> list[dict[str, Any]]:
    return [
        flow
        for flow in document["flows"]
        if flow["direction"] == direction and flow["transport"] != "udp"
    ]


def flows_mbps(direction: str, document: Document) -> list[float]:
    """Goodput of each of TCP's flows in a direction, "up" or "down", by station."""
    return [flow["goodput_bps"] / 1e6 for flow in _tcp(document, direction)]


def goodput_mbps(direction: str, document: Document) -> float:
    """Goodput of all of TCP's flows in a direction."""
    return math.fsum(flows_mbps(direction, document))


def total_mbps(document: Document) -> float:
    """Goodput of TCP in both directions."""
    return goodput_mbps("up", document) + goodput_mbps("down", document)


def udp_mbps(direction: str, document: Document) -> float:
    """Goodput of UDP in a direction."""
    flows = [flow for flow in document["flows"] if flow["transport"] == "udp"]
    return math.fsum(f["goodput_bps"] / 1e6 for f in flows if f["direction"] == direction)


def down_over_up(document: Document) -> float:
    """Downstream goodput over upstream goodput."""
    return goodput_mbps("down", document) / goodput_mbps("up", document)


def imbalance(document: Document) -> float:
    """Absolute difference of upstream and downstream goodput over their mean."""
    return _imbalance(goodput_mbps("up", document), goodput_mbps("down", document))


def _imbalance(up: float, down: float) -> float:
    return 2.0 * abs(up - down) / (up + down)


def factor(direction: str, document: Document) -> float:
    """The greatest goodput among the flows of a direction over the smallest."""
    rates = flows_mbps(direction, document)
    return max(rates) / min(rates)


def least_share(document: Document) -> float:
    """The smallest goodput of a flow over the mean of all."""
    rates = flows_mbps("up", document) + flows_mbps("down", document)
    return min(rates) * len(rates) / math.fsum(rates)


def least_share_in_phases(document: Document) -> float:
    """The smallest goodput of a flow over the mean of the active ones, least over Tab. 2's phases.

    Each phase counts from PHASE_SETTLING_S after its beginning, scaled as the schedule is.
    """
    scenario, series = document["scenario"], document["series"]
    settling = PHASE_SETTLING_S * scenario["duration"] / SCHEDULE_S
    active: list[tuple[float, float, list[float]]] = []
    for direction in ("up", "down"):
        planned = [f for f in scenario["station"][0]["flows"] if f["direction"] == direction]
        for index, flow in enumerate(_tcp(document, direction)):
            times = planned[index % len(planned)]
            end = times.get("stop", scenario["duration"])
            active.append((times["start"], end, series["flows"][flow["id"]]["goodput_bps"]))
    edges = sorted({time for begin, end, _ in active for time in (begin, end)})
    middles = [t - 0.5 for t in series["time_s"]]  # see in_period
    shares = []
    for begin, end in pairwise(edges):
        inside = [k for k, t in enumerate(middles) if begin + settling < t <= end]
        sums = [
            math.fsum(rates[k] for k in inside)
            for start, stop, rates in active
            if start <= begin and end <= stop
        ]
        shares.append(min(sums) * len(sums) / math.fsum(sums))
    return min(shares)


def theory_error(document: Document) -> float:
    """Absolute difference of the total goodput and THEORETICAL_MBPS over the latter."""
    return abs(total_mbps(document) / THEORETICAL_MBPS - 1.0)


def starved_uploads(document: Document) -> float:
    """Uploads with less than a hundredth of the mean goodput of the uploads."""
    rates = flows_mbps("up", document)
    return float(sum(rate < 0.01 * math.fsum(rates) / len(rates) for rate in rates))


def queue_loss(document: Document) -> float:
    """The share of the packets for the access point's queue that it dropped."""
    return float(document["queue_loss_ratio"])


def jain_index(document: Document) -> float:
    """Jain's index of TCP's flows."""
    return float(document["jain_index"])


def short_term_share(document: Document) -> float:
    """The share of windows of 10 s, from 20 s on, with an imbalance of at most 0.2."""
    series = document["series"]
    up, down = series["up_bps"], series["down_bps"]
    settling = max(0, SETTLING_S - round(document["scenario"].get("warmup", 0.0)))
    starts = range(settling, len(up) - WINDOW_S + 1, WINDOW_S)
    even = [
        _imbalance(math.fsum(up[k : k + WINDOW_S]), math.fsum(down[k : k + WINDOW_S])) <= 0.2
        for k in starts
    ]
    return sum(even) / len(even)


def in_period(
    of: Callable[[float, float], float], period: tuple[float, float], document: Document
) -> float:
    """A function of the mean upstream and downstream goodput in a period."""
    series = document["series"]
    # A sample is the mean of the second that ends at its time; on the test-bed it ends a bit later.
    middles = [t - 0.5 for t in series["time_s"]]
    inside = [k for k, t in enumerate(middles) if period[0] < t <= period[1]]
    up, down = (
        math.fsum(series[name][k] for k in inside) / len(inside) / 1e6
        for name in ("up_bps", "down_bps")
    )
    return of(up, down)


QUANTITIES: dict[str, Callable[[Document], float]] = {
    "up_mbps": partial(goodput_mbps, "up"),
    "down_mbps": partial(goodput_mbps, "down"),
    "total_mbps": total_mbps,
    "udp_up_mbps": partial(udp_mbps, "up"),
    "udp_down_mbps": partial(udp_mbps, "down"),
    "down_over_up": down_over_up,
    "imbalance": imbalance,
    "up_factor": partial(factor, "up"),
    "down_factor": partial(factor, "down"),
    "least_share": least_share,
    "least_share_in_phases": least_share_in_phases,
    "theory_error": theory_error,
    "starved_uploads": starved_uploads,
    "jain_index": jain_index,
    "short_term_share": short_term_share,
}
"""The quantities of a whole run by name."""

PERIOD_QUANTITIES: dict[str, Callable[[float, float], float]] = {
    "total_in_period": lambda up, down: up + down,
    "imbalance_in_period": _imbalance,
    "down_share_in_period": lambda up, down: down / (up + down),
}
"""Functions of upstream and downstream goodput in a period by name."""

_KEYS = {"quantity", "scheme", "schemes", "stations", "traffic", "cell", "period"}


def read_term(effort: Effort, table: Mapping[str, Any]) -> Term[Cell]:
    """Read a term of a claims file, see the module's docstring. Raises KeyError, ValueError."""
    if unknown := set(table) - _KEYS:
        raise ValueError(f"term: unknown {', '.join(sorted(unknown))}")
    if ("scheme" in table) == ("schemes" in table):
        raise ValueError("term: one of scheme and schemes is needed")
    pairs = _along(effort, table)
    points = tuple(cell for _, cell in pairs)
    quantity = _quantity(table, effort.schedule)
    return Term(quantity, points, tuple(float(x) for x, _ in pairs))


def _quantity(table: Mapping[str, Any], schedule: float) -> Callable[[Document], float]:
    if "period" not in table:
        return QUANTITIES[one_of("quantity", table["quantity"], QUANTITIES)]
    of = PERIOD_QUANTITIES[one_of("quantity", table["quantity"], PERIOD_QUANTITIES)]
    begin, end = (time * schedule for time in table["period"])
    return partial(in_period, of, (begin, end))


def _along(effort: Effort, table: Mapping[str, Any]) -> list[tuple[float, Cell]]:
    if "schemes" in table:
        if set(table) - {"schemes", "quantity"}:
            raise ValueError("schemes: stands without stations, traffic, cell and period")
        return over_schemes(one_of("schemes", table["schemes"], SCHEME_SETS))
    scheme = one_of("scheme", table["scheme"], SCHEMES)
    traffic = one_of("traffic", table.get("traffic", "static"), TRAFFIC)
    kind = one_of("cell", table.get("cell", "802.11b"), CELLS)
    if (traffic, kind) != ("static", "802.11b"):
        if "stations" in table:
            raise ValueError("stations: stands with static traffic in an 802.11b cell")
        return [(6.0, Cell(scheme, traffic=traffic, kind=kind))]
    along = over_many(scheme, effort)
    simulated = [x for x, _ in along]
    wanted = select_values("stations", table.get("stations", 6), STATION_SETS, simulated)
    return [pair for pair in along if pair[0] in wanted]
