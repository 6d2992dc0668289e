"""Made-up runs, roughly as the paper has them: for tests that need documents, not truth."""

from __future__ import annotations

import math
import random
from typing import TYPE_CHECKING, Any

from evenair.papers.runs import Runs

if TYPE_CHECKING:
    from collections.abc import Callable

    from evenair.papers.gong2006.cells import Cell, Effort

_FAIRNESS = {"droptail": 0.0, "spm-head": 0.45, "spm-tail": 0.65, "las": 1.0}
_LOSS = {"droptail": 0.2, "spm-head": 0.3, "spm-tail": 0.31, "las": 0.1}
_ACK_SHARE = {"droptail": 0.75, "spm-head": 0.09, "spm-tail": 0.1, "las": 0.32}


def document(cell: Cell, effort: Effort, seed: int) -> dict[str, Any]:
    """Return a result document that could be the run of a cell."""
    draw = random.Random(f"{cell} {seed}")
    roomy = min(cell.limit / 150, 1.0)
    balance = max(_FAIRNESS[cell.scheme], roomy**2)
    total = 5.7e6 + draw.gauss(0, 2e4) + (8e4 if cell.scheme.startswith("spm") else 0)
    share = total / (cell.up + cell.down)
    lead = (1 - balance) * share
    rates = {
        **{f"up-{k + 1}": share + lead * cell.down / cell.up * 0.9 for k in range(cell.up)},
        **{f"down-{k + 1}": share - lead * 0.9 for k in range(cell.down)},
    }
    rates = {name: max(rate * draw.gauss(1, 0.02), 0.0) for name, rate in rates.items()}
    squares = sum(rate**2 for rate in rates.values())
    result: dict[str, Any] = {
        "version": "0.0.0",
        "seed": seed,
        "duration_s": effort.duration_s,
        "scenario": {"cell": {"queue": {"kind": cell.scheme, "limit": cell.limit}}},
        "aggregate_goodput_bps": sum(rates.values()),
        "jain_index": sum(rates.values()) ** 2 / (len(rates) * squares),
        "flows": [
            {
                "id": name,
                "direction": name.partition("-")[0],
                "goodput_bps": rate,
                "station": f"sta-{name}",
                "timeouts": round(10 * (1 - balance)) + 1,
                "fast_retransmits": 2,
                "retransmissions": 5,
                "segments_sent": round(rate * effort.duration_s / 11680),
            }
            for name, rate in rates.items()
        ],
        "ap_queue": {
            "drops": 0 if cell.limit >= 150 else 1000,
            "loss_ratio": _LOSS[cell.scheme] * (1 - roomy) * draw.gauss(1, 0.02),
            "mean_delay_s": 0.3 * roomy,
            "data_arrivals": 5000,
            "data_drops": 50,
            "ack_arrivals": 4000,
            "ack_drops": 900,
            "acks_filtered": 900 if cell.scheme.startswith("spm") else 0,
        },
        "ap": {"frames_sent": 9000},
        "stations": [
            {"id": f"sta-{name}", "frames_sent": 3000, "queue_mean_packets": 100 / cell.limit}
            for name in rates
        ],
        "wired": {"links": [{"utilization": 0.05}, {"utilization": 0.01}]},
    }
    if cell.traced:
        result["series"] = _series(cell, effort, balance, draw)
    return result


def _series(cell: Cell, effort: Effort, balance: float, draw: random.Random) -> dict[str, Any]:
    times = [float(second) for second in range(1, round(effort.duration_s) + 1)]
    held = 0.9 * min(cell.limit, 140)
    acks = [held * _ACK_SHARE[cell.scheme] * draw.uniform(0.8, 1.2) for _ in times]

    def cwnd(direction: str) -> list[float | None]:
        if direction == "up":
            return [None, *(4 + math.sqrt((1.2 - balance) * 15 * second) for second in times[1:])]
        return [1 + (0.5 + 9 * balance) * draw.random() for _ in times]

    names = [f"{way}-{k + 1}" for way in ("up", "down") for k in range(5)]
    return {
        "time_s": times,
        "ap_queue_acks": [round(count) for count in acks],
        "ap_queue_data": [round(max(held - count, 0)) for count in acks],
        "flows": {
            name: {"cwnd": cwnd(name.partition("-")[0]), "goodput_bps": [5e5 for _ in times]}
            for name in names
        },
    }


def simulate(
    cells: list[Cell], effort: Effort, progress: Callable[[int, int], None] | None
) -> Runs[Cell]:
    """Stand in for the simulator."""
    keys = [(cell, seed) for cell in cells for seed in effort.seeds]
    documents = {}
    for done, (cell, seed) in enumerate(keys, start=1):
        documents[cell, seed] = document(cell, effort, seed)
        if progress is not None:
            progress(done, len(keys))
    return Runs(effort.seeds, documents)
