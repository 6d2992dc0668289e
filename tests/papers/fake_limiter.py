"""Made-up runs of Blefari-Melazzi et al. (2007): for tests that need documents, not truth."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evenair.papers.runs import Runs

if TYPE_CHECKING:
    from collections.abc import Callable

    from evenair.papers.blefari2007.cells import Cell, Effort

UP_BPS, DOWN_BPS = 5e6, 0.1e6
"""All uploads and all downloads, with the scheme "off"."""
FAIR_BPS = 2.5e6
"""The same of each direction, with any other."""


_SCHEDULE = [
    {"direction": "up", "start": 20.0, "stop": 300.0},
    {"direction": "up", "start": 400.0},
    {"direction": "down", "start": 20.0, "stop": 100.0},
    {"direction": "down", "start": 200.0},
]
"""Tab. 2 of the paper."""


def document(cell: Cell, seed: int) -> dict[str, Any]:
    """Return a made-up result: equal flows in each direction, constant over time.

    In dynamic traffic, from 100 to 200 s there are no downloads, and from 300 to 400 s no uploads:
    the other direction then has 5 Mb/s.
    """
    pair = [UP_BPS, DOWN_BPS] if cell.scheme == "off" else [FAIR_BPS, FAIR_BPS]
    pair = [bps * (1 + 1e-5 * seed) for bps in pair]
    connections = cell.stations * (2 if cell.traffic == "dynamic" else 1)
    flows = [
        {
            "id": f"{direction}-{k}",
            "direction": direction,
            "transport": "newreno",
            "goodput_bps": bps / connections,
        }
        for k in range(1, connections + 1)
        for direction, bps in zip(("up", "down"), pair, strict=True)
    ]
    if cell.traffic == "udp":
        udp = {"transport": "udp", "goodput_bps": 0.5e6}
        flows += [{**udp, "id": f"{d}-7", "direction": d} for d in ("up", "down")]
    made = {
        "version": "0.0.0",
        "scenario": {"name": "made up"},
        "aggregate_goodput_bps": sum(pair),
        "jain_index": 0.5 if cell.scheme == "off" else 1.0,
        "flows": flows,
        "losses": {},
        "queue_loss_ratio": 0.25,
    }
    if cell.is_traced:
        times = [float(t) for t in range(1, 501 if cell.traffic == "dynamic" else 301)]
        rates = [_over_time(cell, t, pair) for t in times]
        made["series"] = {
            "time_s": times,
            "up_bps": [up for up, _ in rates],
            "down_bps": [down for _, down in rates],
            "limiter": [] if cell.scheme == "off" else [{"t_s": t, "rate_bps": 3e6} for t in times],
        }
    if cell.traffic == "dynamic":
        made["scenario"] |= {"duration": 500.0, "station": [{"flows": _SCHEDULE}]}
        made["series"]["flows"] = {
            f"{direction}-{k}": {"goodput_bps": [pair[index] / cell.stations for pair in rates]}
            for index, direction in enumerate(("up", "down"))
            for k in range(1, connections + 1)
        }
    return made


def _over_time(cell: Cell, time: float, pair: list[float]) -> list[float]:
    if cell.traffic == "dynamic" and 100 < time <= 200:
        return [5e6, 0.0]
    if cell.traffic == "dynamic" and 300 < time <= 400:
        return [0.0, 5e6]
    return pair


def simulate(
    points: list[Cell], effort: Effort, progress: Callable[[int, int], None] | None
) -> Runs[Cell]:
    """Stand in for the simulator."""
    keys = [(point, seed) for point in points for seed in effort.seeds]
    return Runs(effort.seeds, {key: document(*key) for key in keys})
