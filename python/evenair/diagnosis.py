"""Why flows starve, and why their users are dissatisfied."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from evenair._core import explain


class Diagnosis(NamedTuple):
    """What is wrong with a flow, and why."""

    flow: str
    """The flow's id."""
    fault: str
    """"starves", "poor_call", "freezes", "slow_pages", "slow_transfers" or "stalls"."""
    says: str
    """The fault in words that follow the flow's name."""
    measure: str
    """The numbers of the fault in words."""
    cause: str
    """Why it is so, a word of the tables in docs/results.md."""
    place: str | None
    """Where its packets are lost, a key of the flow's `data_losses` and `ack_losses`; else None."""
    goodput_bps: float
    """Its goodput, bit/s."""
    fair_share_bps: float
    """The mean goodput of the flows that Jain's index compares, bit/s."""
    faulty_runs: int
    """In how many runs it has this fault."""
    runs: int
    """Of how many runs the numbers are the means."""
    text: str
    """The cause in words, without the flow's name."""


def diagnoses(result: str) -> list[Diagnosis]:
    """Return a diagnosis of each flow that has a fault, from a document as JSON text.

    Of a document of several runs, from their means. Raises ValueError if it is not one.
    """
    found: list[dict[str, Any]] = json.loads(explain(result))
    return [Diagnosis(**{"place": None, **members}) for members in found]
