"""Made-up runs of Kashibuchi et al. (2009): for tests that need documents, not truth."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evenair.papers.kashibuchi2009.cells import random_rates
from evenair.papers.runs import Runs

if TYPE_CHECKING:
    from collections.abc import Callable

    from evenair.papers.kashibuchi2009.cells import Cell, Effort

_FLOW = {"segment": 1448, "header": 52}
FAIR = ("cot", "cot-sliding", "airtime-drr")


def document(cell: Cell, seed: int) -> dict[str, Any]:
    """Return a made-up result: equal packets, or with the schemes of FAIR equal occupancy.

    A packet of 12,000 bits takes 0.2 ms and its bits; the cell is full. Feedback and beacons take
    nothing. 1 packet in 500 is dropped, with the schemes of FAIR 1 in 1000.
    """
    rates = random_rates(seed, cell.stations) if cell.rate is None else [54.0, cell.rate]
    times = [0.2e-3 + 12e-3 / rate for rate in rates]
    fair = cell.scheme in FAIR
    shares = [1 / len(times) if fair else time / sum(times) for time in times]
    goodputs = [
        share / time * 8 * _FLOW["segment"] * (1 + 1e-5 * seed)
        for share, time in zip(shares, times, strict=True)
    ]
    direction = "up" if cell.traffic == "up" else "down"
    return {
        "version": "0.0.0",
        "scenario": {"name": "made up", "station": [{"flows": [_FLOW]}] * len(times)},
        "aggregate_goodput_bps": sum(goodputs),
        "jain_occupancy": sum(shares) ** 2 / len(shares) / sum(share**2 for share in shares),
        "flows": [
            {
                "id": f"{direction}-{k}",
                "station": f"sta-{k}",
                "transport": "newreno" if (cell.traffic, k) == ("mixed", 2) else "tfrc",
                "goodput_bps": goodput,
                "segments_sent": 10_000,
                "packets_lost": 10 if fair else 20,
            }
            for k, goodput in enumerate(goodputs, start=1)
        ],
        "stations": [
            {"id": f"sta-{k}", "occupancy_share": share} for k, share in enumerate(shares, start=1)
        ],
    }


def simulate(
    points: list[Cell], effort: Effort, progress: Callable[[int, int], None] | None
) -> Runs[Cell]:
    """Stand in for the simulator."""
    keys = [(point, seed) for point in points for seed in effort.seeds]
    return Runs(effort.seeds, {key: document(*key) for key in keys})
