"""What a campaign stores of a run: its metrics, and its flows and series, compressed."""

from __future__ import annotations

import json
import math
import zlib
from typing import TYPE_CHECKING, Any, NamedTuple

from evenair.result import RunResult
from evenair.tables import PERCENTILES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

METRICS: dict[str, type[float] | type[int]] = {
    "duration_s": float,
    "aggregate_goodput_bps": float,
    "jain_index": float,
    "jain_airtime": float,
    "jain_occupancy": float,
    "mean_up_goodput_bps": float,
    "mean_down_goodput_bps": float,
    "ap_queue_arrivals": int,
    "ap_queue_drops": int,
    "ap_queue_loss_ratio": float,
    "ap_queue_mean_packets": float,
    "ap_queue_mean_data": float,
    "ap_queue_mean_acks": float,
    "ap_queue_mean_delay_s": float,
    "segments_sent": int,
    "retransmissions": int,
    "timeouts": int,
    "mean_rtt_s": float,
    "sessions": int,
    "mean_session_s": float,
    "mean_mos": float,
    "worst_mos": float,
    "mean_frame_delay_s": float,
    "mean_frozen_s": float,
    "mean_stalls_s": float,
    "mean_video_rate_bps": float,
    "mean_page_load_s": float,
    "mean_completion_s": float,
    "dl_utilization": float,
    "ul_utilization": float,
    "requests_sent": int,
    "requests_collided": int,
    "requests_retried": int,
    "requests_given_up": int,
    **{
        f"{delay}_{part}_s": float
        for delay in ("rtt", "one_way_delay", "ap_queue_delay")
        for part in PERCENTILES
    },
}
"""The columns of a campaign's table. The unit is in the name; counts are totals of all flows."""
METRICS_PAGE = "docs/campaigns.md#output"
"""Where the documentation has all METRICS."""
FLOWS_PAGE = "docs/results.md#flows"
"""Where it has the columns of flows."""


class Record(NamedTuple):
    """One finished run."""

    metrics: str
    """JSON text of the METRICS that the run has."""
    flows: bytes
    """The document's "flows", JSON, deflated."""
    series: bytes | None
    """The document's "series", JSON, deflated; None if the run was not traced."""

    @classmethod
    def of(cls, text: str) -> Record:
        """Return the record of a result document, given as JSON text."""
        result = RunResult(text)
        series = result.document.get("series")
        return cls(
            json.dumps(_metrics(result), separators=(",", ":")),
            _pack(result.document["flows"]),
            None if series is None else _pack(series),
        )


def unpack(data: bytes) -> Any:
    """Return a record's flows or series."""
    return json.loads(zlib.decompress(data))


def _pack(content: object) -> bytes:
    return zlib.compress(json.dumps(content, separators=(",", ":")).encode(), 1)


def _metrics(result: RunResult) -> dict[str, float | int]:
    document = result.document
    flows, queue = document["flows"], document.get("ap_queue", {})
    sessions = document.get("sessions")
    metrics = {
        **result.metrics,
        "duration_s": result.duration_s,
        "ap_queue_arrivals": queue.get("arrivals"),
        "ap_queue_drops": queue.get("drops"),
        "segments_sent": _sum(flows, "segments_sent"),
        "retransmissions": _sum(flows, "retransmissions"),
        "timeouts": _sum(flows, "timeouts"),
        "mean_rtt_s": _mean([flow.get("mean_rtt_s") for flow in flows]),
        "sessions": None if sessions is None else len(sessions),
    }
    return {name: metrics[name] for name in METRICS if metrics.get(name) is not None}


def _sum(flows: Sequence[Mapping[str, Any]], name: str) -> int:
    return sum(flow.get(name) or 0 for flow in flows)


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return math.fsum(known) / len(known) if known else None
