"""Why flows starve, and why calls are poor."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from evenair._core import explain


class Diagnosis(NamedTuple):
    """Why a flow has less than half of its fair share of the goodput, or a call a MOS below 3.6."""

    flow: str
    """The flow's id."""
    cause: str
    """"data_losses", "ack_losses", "congestion_marks", "airtime", "controller", "receive_window",
    "round_trip_time" or "cwnd"; of a call "call_delay", "call_losses" or "call_late"."""
    place: str | None
    """Where its packets are lost, a key of the flow's `data_losses` and `ack_losses`; else None."""
    goodput_bps: float
    """Its goodput, bit/s."""
    fair_share_bps: float
    """The mean goodput of the flows that Jain's index compares, bit/s."""
    starving_runs: int
    """In how many runs it starves, or has such a MOS."""
    runs: int
    """Of how many runs the numbers are the means."""
    text: str
    """The cause in words, without the flow's name."""
    mos: float | None = None
    """Of a call: its MOS; None of a flow that starves."""


def diagnoses(result: str) -> list[Diagnosis]:
    """Return a diagnosis of each flow that starves or is a poor call, from a document as JSON text.

    Of a document of several runs, from their means. Raises ValueError if it is not one.
    """
    found: list[dict[str, Any]] = json.loads(explain(result))
    return [Diagnosis(**{"place": None, **members}) for members in found]
