"""Why flows starve, why their users are dissatisfied, and where the delay of flows is."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from evenair._core import explain, explain_delays


class Diagnosis(NamedTuple):
    """What is wrong with a flow, and why."""

    flow: str
    """The flow's id; of "takes_airtime" that of the station's fastest flow."""
    station: str
    """The station's id."""
    fault: str
    """"starves", "poor_call", "freezes", "slow_pages", "slow_transfers" or "stalls"; of a station
    "takes_airtime"."""
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


class FlowDelay(NamedTuple):
    """Where the one-way delay of a flow is."""

    flow: str
    """The flow's id."""
    delay_s: float
    """Its mean one-way delay, seconds."""
    by_place_s: dict[str, dict[str, float]]
    """"mean" and "p95" of the seconds at each place; the means sum to `delay_s`."""
    place: str
    """The place that has most of it."""
    share: float
    """The share of the delay there."""


class DelayExplanation(NamedTuple):
    """Where the one-way delays of flows are."""

    flows: list[FlowDelay]
    """The flows of stations of which packets have arrived."""
    worst: str
    """The id of the flow with the longest delay."""
    text: str
    """Where most of its delay is, in words without the flow's name."""


PLACES = {
    "repair": "repair",
    "station_queue": "station queue",
    "ap_queue": "AP queue",
    "ring": "ring",
    "hardware": "hardware",
    "air": "air",
    "reorder": "reorder buffer",
    "wired_queue": "wired queue",
    "wire": "wire",
}
"""The places of a delay in words, in the order of a packet's way."""


def delay_explanation(result: str) -> DelayExplanation | None:
    """Return where the delays of flows are, of a document as JSON text; None if not measured.

    Of a document of several runs, from their means. Raises ValueError if it is not one.
    """
    found: dict[str, Any] | None = json.loads(explain_delays(result))
    if found is None:
        return None
    flows = [FlowDelay(**flow) for flow in found["flows"]]
    return DelayExplanation(flows, found["worst"], found["text"])
