"""Made-up runs of miorandi2006, roughly as the paper has them: for tests that need no truth."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

from evenair import models
from evenair.papers.miorandi2006.points import Backlogged, Downloads, Shared, UpDown, Web
from evenair.papers.miorandi2006.quantities import condensed
from evenair.papers.runs import Runs

if TYPE_CHECKING:
    from collections.abc import Callable

    from evenair.papers.miorandi2006.points import Effort, Point


def document(point: Point, effort: Effort, seed: int) -> dict[str, Any]:
    """Return a result document that could be the run of a point."""
    draw = random.Random(f"{point} {seed}")
    stations = 10
    if isinstance(point, Backlogged):
        stations = point.nodes
    elif isinstance(point, (Downloads, Web)):
        stations = point.stations
    flow: dict[str, Any] = {"direction": "up", "timeouts": 0, "mean_rtt_s": 0.0035}
    result: dict[str, Any] = {"aggregate_goodput_bps": 2.4e6 * draw.gauss(1, 0.01)}
    if not isinstance(point, Backlogged):
        delayed_ack = 1 if isinstance(point, (Shared, UpDown)) else point.delayed_ack
        flow |= {"direction": "down", "window": point.window, "delayed_ack": delayed_ack}
    if isinstance(point, Downloads):
        d = point.delayed_ack
        rate = models.window_throughput(max(point.window, d), d)
        result["aggregate_goodput_bps"] = float(rate) * draw.gauss(1, 0.001)
    if isinstance(point, (Web, Shared)):
        sizes, think = (
            ("pareto", 10.0) if isinstance(point, Shared) else (point.sizes, point.think_s)
        )
        size = {"distribution": sizes, "mean": 30_000.0, "shape": 1.5}
        flow["application"] = {"kind": "web", "size": size, "think": {"mean": think}}
        count = effort.files if stations == 1 else effort.sessions * stations
        result["sessions"] = [session(draw) for _ in range(min(count, 500))]
    probability = 0.06 * draw.gauss(1, 0.02) * (stations if isinstance(point, Backlogged) else 1)
    mac = {
        "collision_probability": min(probability, 0.7),
        "frames_sent": 1000,
        "frames_dropped": 1 if probability > 0.3 else 0,
        "queue_mean_packets": 2.0 * draw.random(),
    }
    return condensed(
        {
            **result,
            "version": "0.0.0",
            "seed": seed,
            "scenario": {"station": [{"flows": [flow]}]},
            "flows": [flow] * stations,
            "jain_index": 1 - 0.01 * draw.random(),
            "ap_queue": {"mean_packets": max(stations - 2, 1) * draw.gauss(1, 0.01)},
            "ap": mac if isinstance(point, Downloads) else {**mac, "frames_sent": 0},
            "stations": [mac] * stations,
        }
    )


def session(draw: random.Random) -> dict[str, Any]:
    """Return a session that could be one."""
    size = min(10_000 * draw.random() ** (-2 / 3), 1e7)
    arrival = 1.0 + size * 8 / 2.2e6
    return {
        "start_s": 1.0,
        "last_byte_s": arrival,
        "end_s": arrival + 0.002,
        "bytes": int(size),
        "retransmissions": 0,
    }


def simulate(
    points: list[Point], effort: Effort, progress: Callable[[int, int], None] | None
) -> Runs[Point]:
    """Stand in for the simulator."""
    keys = [(point, seed) for point in points for seed in effort.seeds]
    return Runs(effort.seeds, {(p, seed): document(p, effort, seed) for p, seed in keys})
