"""Quantities of a run, and their names in claims files.

A term's table holds `quantity` (a name of QUANTITIES), `transport`, `scenario`, and `medium`:
"wlan", the default, with scenario 1 or 2, or "wimax", with 1 to 3. One further key says where:

- `rates`: a set of packet error rates (downloads.RATE_SETS or wimax.RATE_SETS) or one;
- `queues`: a set of downloads.QUEUE_SETS or one size of the congested link's queue (figures 8 and
  16). A WLAN's scenario 1 has no congested link: it is the same run at every queue size;
- `ratios`: a set of wimax.RATIO_SETS or one r of r:1, in scenario 3 (figures 12 and 13).

Rates of data are in Mb/s, windows in segments.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from evenair.papers.checks import one_of, select_values
from evenair.papers.measures import Term
from evenair.papers.tsiknas2012 import wimax
from evenair.papers.tsiknas2012.downloads import (
    QUEUE_RATE,
    QUEUE_SETS,
    RATE_SETS,
    VARIANTS,
    Download,
    Effort,
)
from evenair.papers.tsiknas2012.wimax import RATIO_RATE, RATIO_SETS, Wimax, rates_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from evenair.papers.runs import Document
    from evenair.papers.tsiknas2012.wimax import Point


def goodput_mbps(document: Document) -> float:
    """Average goodput of the stations' flows, equation (2), Mb/s."""
    flows = document["flows"]
    return sum(float(flow["goodput_bps"]) for flow in flows) / len(flows) / 1e6


def fairness(document: Document) -> float:
    """Jain's index of the stations' flows, equation (3)."""
    return float(document["jain_index"])


def cwnd_samples(document: Document) -> list[float | None]:
    """Return the congestion window of the only flow over time, segments; None before its start."""
    (flow,) = document["series"]["flows"].values()
    samples: list[float | None] = flow["cwnd"]
    return samples


def mean_cwnd(document: Document) -> float:
    """Mean congestion window of the only flow, segments."""
    known = [value for value in cwnd_samples(document) if value is not None]
    return math.fsum(known) / len(known)


QUANTITIES: dict[str, Callable[[Document], float]] = {
    "goodput_mbps": goodput_mbps,
    "fairness": fairness,
    "mean_cwnd": mean_cwnd,
}
"""The quantities of claims files by name. `mean_cwnd` is of runs with time series, figure 5."""

_KEYS = {"quantity", "transport", "medium", "scenario"}
_AXES = ("rates", "queues", "ratios")


def read_term(effort: Effort, table: Mapping[str, Any]) -> Term[Point]:
    """Read a term of a claims file, see the module's docstring. Raises KeyError, ValueError."""
    if unknown := set(table) - _KEYS - set(_AXES):
        raise ValueError(f"term: unknown {', '.join(sorted(unknown))}")
    axes = [axis for axis in _AXES if axis in table]
    if len(axes) != 1:
        raise ValueError(f"term: one of {', '.join(_AXES)} is needed")
    one_of("transport", table["transport"], VARIANTS)
    quantity = one_of("quantity", table["quantity"], QUANTITIES)
    medium = one_of("medium", table.get("medium", "wlan"), ("wlan", "wimax"))
    read = _wimax if medium == "wimax" else _wlan
    positions, points = read(effort, table, axes[0])
    return Term(QUANTITIES[quantity], points, tuple(map(float, positions)))


def _wlan(
    effort: Effort, table: Mapping[str, Any], axis: str
) -> tuple[tuple[float, ...], tuple[Point, ...]]:
    transport, number = table["transport"], table["scenario"]
    if number not in (1, 2) or axis == "ratios" or table["quantity"] == "mean_cwnd":
        raise ValueError(f"scenario: got {number!r}, expected 1 or 2, without ratios and windows")
    congested = number == 2
    if axis == "rates":
        along = select_values("rates", table["rates"], RATE_SETS, effort.rates)
        return along, tuple(Download(transport, rate, congested) for rate in along)
    along = select_values("queues", table["queues"], QUEUE_SETS, effort.queues)
    sizes = [int(size) if congested else None for size in along]
    return along, tuple(Download(transport, QUEUE_RATE, congested, size) for size in sizes)


def _wimax(
    effort: Effort, table: Mapping[str, Any], axis: str
) -> tuple[tuple[float, ...], tuple[Point, ...]]:
    transport, number = table["transport"], table["scenario"]
    numbers = {"rates": (1, 2, 3), "queues": (2,), "ratios": (3,)}[axis]
    if number not in numbers:
        expected = " or ".join(map(str, numbers))
        raise ValueError(f"scenario: got {number!r}, expected {expected} with {axis}")
    if axis == "queues":
        along = select_values("queues", table["queues"], QUEUE_SETS, effort.queues)
        return along, tuple(Wimax(transport, 2, QUEUE_RATE, queue=int(size)) for size in along)
    if axis == "ratios":
        along = select_values("ratios", table["ratios"], RATIO_SETS, effort.ratios)
        return along, tuple(Wimax(transport, 3, RATIO_RATE, ratio=int(r)) for r in along)
    along = select_values("rates", table["rates"], wimax.RATE_SETS, rates_of(number, effort))
    traced = table["quantity"] == "mean_cwnd"
    return along, tuple(Wimax(transport, number, rate, traced=traced) for rate in along)
