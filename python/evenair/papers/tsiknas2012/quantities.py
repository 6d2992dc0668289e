"""Quantities of a run, and their names in claims files.

A term's table holds `quantity` (a name of QUANTITIES), `transport`, `scenario` (1 or 2), and either
`rates` (a set of downloads.RATE_SETS or one packet error rate) or `queues` (a set of
downloads.QUEUE_SETS or one queue size, figure 16). Scenario 1 has no congested link: with `queues`
it is the same run at every queue size. Rates of data are in Mb/s.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evenair.papers.checks import one_of, select_values
from evenair.papers.measures import Term
from evenair.papers.tsiknas2012.downloads import (
    QUEUE_RATE,
    QUEUE_SETS,
    RATE_SETS,
    VARIANTS,
    Download,
    Effort,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from evenair.papers.runs import Document


def goodput_mbps(document: Document) -> float:
    """Average goodput of the stations' flows, equation (2), Mb/s."""
    flows = document["flows"]
    return sum(float(flow["goodput_bps"]) for flow in flows) / len(flows) / 1e6


QUANTITIES: dict[str, Callable[[Document], float]] = {
    "goodput_mbps": goodput_mbps,
}
"""The quantities of claims files by name."""

_KEYS = {"quantity", "transport", "scenario", "rates", "queues"}


def read_term(effort: Effort, table: Mapping[str, Any]) -> Term[Download]:
    """Read a term of a claims file, see the module's docstring. Raises KeyError, ValueError."""
    if unknown := set(table) - _KEYS:
        raise ValueError(f"term: unknown {', '.join(sorted(unknown))}")
    if ("rates" in table) == ("queues" in table):
        raise ValueError("term: one of rates and queues is needed")
    transport = one_of("transport", table["transport"], VARIANTS)
    if table["scenario"] not in (1, 2):
        raise ValueError(f"scenario: got {table['scenario']!r}, expected 1 or 2")
    congested = table["scenario"] == 2
    if "rates" in table:
        along = select_values("rates", table["rates"], RATE_SETS, effort.rates)
        points = tuple(Download(transport, rate, congested) for rate in along)
    else:
        along = select_values("queues", table["queues"], QUEUE_SETS, effort.queues)
        sizes = [int(size) if congested else None for size in along]
        points = tuple(Download(transport, QUEUE_RATE, congested, size) for size in sizes)
    quantity = one_of("quantity", table["quantity"], QUANTITIES)
    return Term(QUANTITIES[quantity], points, tuple(map(float, along)))
