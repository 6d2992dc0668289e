"""Quantities of a run, and their names in claims files.

A term's table holds `quantity` (a name of QUANTITIES), `transport` or a list of `transports` (whose
mean is taken), `scenario` (1 or 2), and either `rates` (a set of downloads.RATE_SETS or one packet
error rate) or `queues = "all"` (figure 16, scenario 2). Rates of data are in Mb/s.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evenair.papers.checks import one_of, select_values
from evenair.papers.measures import Term
from evenair.papers.tsiknas2012.downloads import (
    RATE_SETS,
    VARIANTS,
    Download,
    Effort,
    over_queues,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from evenair.papers.runs import Document


def goodput_mbps(document: Document) -> float:
    """Average goodput of the stations' flows, equation (2), Mb/s."""
    flows = document["flows"]
    return sum(float(flow["goodput_bps"]) for flow in flows) / len(flows) / 1e6


def congestion_losses(document: Document) -> float:
    """Packets discarded by queues, cross traffic included."""
    return float(document["losses"]["congestion"])


QUANTITIES: dict[str, Callable[[Document], float]] = {
    "goodput_mbps": goodput_mbps,
    "congestion_losses": congestion_losses,
}
"""The quantities of claims files by name."""

_KEYS = {"quantity", "transport", "transports", "scenario", "rates", "queues"}


def read_term(effort: Effort, table: Mapping[str, Any]) -> Term[Download]:
    """Read a term of a claims file, see the module's docstring. Raises KeyError, ValueError."""
    if unknown := set(table) - _KEYS:
        raise ValueError(f"term: unknown {', '.join(sorted(unknown))}")
    if ("transport" in table) == ("transports" in table) or ("rates" in table) == (
        "queues" in table
    ):
        raise ValueError(
            "term: one of transport and transports, and one of rates and queues, is needed"
        )
    transports = table["transports"] if "transports" in table else [table["transport"]]
    for transport in transports:
        one_of("transport", transport, VARIANTS)
    if table["scenario"] not in (1, 2):
        raise ValueError(f"scenario: got {table['scenario']!r}, expected 1 or 2")
    congested = table["scenario"] == 2
    if "queues" in table:
        if table["queues"] != "all" or not congested:
            raise ValueError("queues: expected 'all', with scenario 2")
        pairs = [pair for transport in transports for pair in over_queues(transport, effort)]
    else:
        rates = select_values("rates", table["rates"], RATE_SETS, effort.rates)
        pairs = [
            (rate, Download(transport, rate, congested))
            for transport in transports
            for rate in rates
        ]
    quantity = one_of("quantity", table["quantity"], QUANTITIES)
    points = tuple(download for _, download in pairs)
    return Term(QUANTITIES[quantity], points, tuple(float(x) for x, _ in pairs))
