"""What a running test-bed says for `evenair lab --follow testbed`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from evenair.files.live import LiveFile
from evenair.testbed.linux.namespaces import FOLDERS

if TYPE_CHECKING:
    from pathlib import Path

    from evenair.testbed.layout import Plan
    from evenair.testbed.sampler import Sampler

PERIOD_S = 1.0
"""Time between two lines."""

_NAME = "live"


def live_file(folder: Path, plan: Plan, seed: int) -> LiveFile:
    """Return the file of a test-bed whose folder this is."""
    return LiveFile(
        folder / _NAME,
        {
            "kind": "testbed",
            "scenario": plan.resolved,
            "seed": seed,
            "warmup_s": plan.warmup,
            "duration_s": plan.duration,
            "flows": [
                {
                    "id": flow.id,
                    "name": flow.name,
                    "station": flow.station,
                    "direction": "up" if flow.up else "down",
                    "transport": flow.transport,
                    "application": flow.kind,
                }
                for flow in plan.flows
            ],
        },
    )


def line(time_s: float, plan: Plan, sampler: Sampler) -> str:
    """Return the counters of all connections that are sampled, at a time since the start."""
    flows: dict[str, dict[str, Any]] = {}
    for index, samples in sampler.samples.items():
        if (info := samples.last) is not None:
            flows[plan.flows[index].id] = {
                "acked_bytes": info.bytes_acked,
                "segments_sent": info.data_segments,
                "retransmissions": info.retransmissions,
                "timeouts": info.timeouts,
                "cwnd": info.cwnd,
                "rtt_s": info.rtt_s,
            }
    return json.dumps({"time_s": round(time_s, 3), "flows": flows}, separators=(",", ":"))


def newest() -> Path | None:
    """Return the file of the test-bed that was started last; None if none runs."""
    found = []
    for path in FOLDERS.glob(f"*/{_NAME}") if FOLDERS.is_dir() else ():
        try:
            found.append((path.stat().st_ctime_ns, path))
        except OSError:  # it has ended
            continue
    return max(found)[1] if found else None
