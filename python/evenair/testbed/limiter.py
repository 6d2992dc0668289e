"""The rate limiter of a scenario by the real gateway daemon, `evenaird`."""

from __future__ import annotations

import json
import math
import os
import shutil
import sys
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evenair.testbed.errors import TestbedError
from evenair.text import toml

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

COMMUNITY = "evenair"
"""The SNMP community of the emulated access point."""

BAD_INPUT = 2
"""The exit status of `evenaird` if it refuses its configuration (docs/gateway.md)."""

_RADIO = 1
"""The access point's ifIndex of its radio."""


def find() -> str:
    """Return the path of `evenaird`. Raises TestbedError.

    EVENAIRD names it; otherwise it is beside the Python interpreter or in PATH.
    """
    if named := os.environ.get("EVENAIRD"):
        if not os.access(named, os.X_OK):
            raise TestbedError(f"EVENAIRD: got {named!r}, which is no program")
        return named
    beside = Path(sys.executable).parent / "evenaird"
    found = str(beside) if os.access(beside, os.X_OK) else shutil.which("evenaird")
    if found is None:
        raise TestbedError(
            "gateway.limiter: the test-bed needs evenaird beside the Python interpreter, in PATH or"
            " named by EVENAIRD; make gateway builds it"
        )
    return found


def refresh_s(limiter: Mapping[str, Any]) -> float:
    """Return how often the access point's agent refreshes its counters; 0: they are live."""
    signal = limiter.get("loss_signal")
    return float(signal["refresh"]) if isinstance(signal, dict) else 0.0


def write_configuration(limiter: Mapping[str, Any], agent: str, folder: Path) -> Path:
    """Write the daemon's configuration for a resolved limiter; `agent` is an IP address."""
    document: dict[str, Any] = {
        "interface": "ap0",
        "mode": "enforce",
        "runtime_directory": str(folder / "evenaird"),
        "limiter": {key: value for key, value in limiter.items() if key != "loss_signal"},
        "records": {"file": str(records_file(folder))},
    }
    if "loss_signal" in limiter:
        community = folder / "community"
        community.touch(mode=0o600)
        community.write_text(COMMUNITY + "\n")
        document["loss_signal"] = {
            "kind": "snmp",
            "host": agent,
            "interface": _RADIO,
            "community_file": str(community),
            "refresh": refresh_s(limiter),
        }
    path = folder / "evenaird.toml"
    path.write_text(toml.dumps(document))
    return path


def records_file(folder: Path) -> Path:
    """Return the file of the daemon's decision records."""
    return folder / "records.jsonl"


def read_records(folder: Path, began: float) -> list[dict[str, Any]]:
    """Return the records, each with `run_s`: the end of its round in seconds since `began`.

    `began` is the start of the run by the wall clock, as are the records' times.
    """
    path = records_file(folder)
    lines = path.read_text().split("\n") if path.exists() else []
    records = []
    for line in lines:
        if line.endswith("}"):  # a record may be half written
            record = json.loads(line)
            record["run_s"] = datetime.fromisoformat(record["time"]).timestamp() - began
            records.append(record)
    return records


def summarize(
    records: Sequence[Mapping[str, Any]], limiter: Mapping[str, Any], warmup: float, end: float
) -> dict[str, Any]:
    """Return the `limiter` of a result for the rounds that ended in the measured time."""
    initial = float(limiter["rate"] if limiter["kind"] == "fixed" else limiter["max_rate"])
    # The rate from each time on, those before the measured time included.
    steps = [(-math.inf, initial), *((r["run_s"], float(r["rate_bps"])) for r in records)]
    ends = [time for time, _ in steps[1:]] + [math.inf]
    spans = [
        (rate, max(0.0, min(until, end) - max(since, warmup)))
        for (since, rate), until in zip(steps, ends, strict=True)
    ]
    measured = [record for record in records if warmup < record["run_s"] <= end]
    adaptive = limiter["kind"] == "adaptive"
    return {
        "mean_rate_bps": math.fsum(rate * span for rate, span in spans) / (end - warmup),
        "packets_dropped": sum(record["dropped_packets"] for record in measured),
        "bytes_dropped": sum(record["dropped_bytes"] for record in measured),
        "rounds": len(measured) if adaptive else 0,
        "lossy_rounds": sum(bool(record["lost"]) for record in measured) if adaptive else 0,
    }


def samples(
    records: Sequence[Mapping[str, Any]], warmup: float, end: float
) -> list[dict[str, Any]]:
    """Return the `series.limiter` of a result."""
    names = ("rate_bps", "capacity_bps", "up_bps", "down_bps")
    udp = ("udp_rate_bps", "up_udp_bps", "down_udp_bps")
    return [
        {
            "t_s": record["run_s"] - warmup,
            **{name: record[name] for name in names},
            "lost": bool(record["lost"]),
            **{name: record[name] for name in udp},
        }
        for record in records
        if warmup < record["run_s"] <= end
    ]
