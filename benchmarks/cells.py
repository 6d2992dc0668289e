"""The cells that are timed, and the settings of each simulator."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent

# Settings with which evenair simulates the cell of the other simulator; see README.md.
AS_NS2 = {"cell.mac_overhead": 34, "cell.immediate_access": "false"}
AS_NS3 = {"cell.control_rate": "11 Mbps"}
NS2_TCP = {
    "cell.preamble": "120 us",
    "station.0.extra_header": 20,
    "station.1.extra_header": 20,
    "station.0.flows.0.limited_transmit": "any",
    "station.1.flows.0.limited_transmit": "any",
}
TOLERANCE = {"ns-2": 0.03, "ns-3": 0.05}


@dataclass(frozen=True)
class Cell:
    """A scenario and the time for which each tool simulates it, in seconds."""

    name: str
    title: str
    up: int
    down: int
    seconds: dict[str, float]
    warmup: float = 0.0
    once: tuple[str, ...] = ()
    """Tools that are run only once, because a run takes minutes."""

    @property
    def tcp(self) -> bool:
        """Whether the flows use TCP."""
        return self.down > 0

    def simulated(self, tool: str) -> float:
        """Return the simulated time, warm-up included, in seconds."""
        return self.warmup + self.seconds[tool]


CELLS = (
    Cell(
        "baseline",
        "5 uploads, 5 downloads (TCP)",
        5,
        5,
        {"evenair": 300, "ns-2": 300, "ns-3": 60},
    ),
    Cell(
        "one-up",
        "1 upload, 25 downloads (TCP)",
        1,
        25,
        {"evenair": 300, "ns-2": 300, "ns-3": 30},
    ),
    Cell(
        "saturated-50",
        "50 saturated stations (UDP)",
        50,
        0,
        {"evenair": 300, "ns-2": 60, "ns-3": 15},
        warmup=5,
    ),
    Cell(
        "saturated-200",
        "200 saturated stations (UDP)",
        200,
        0,
        {"evenair": 300, "ns-2": 30, "ns-3": 5},
        warmup=5,
    ),
    Cell(
        "saturated-1000",
        "1000 saturated stations (UDP)",
        1000,
        0,
        {"evenair": 300, "ns-2": 10, "ns-3": 5},
        warmup=5,
        once=("ns-2", "ns-3"),
    ),
)
QUICK = (
    Cell("quick", "2 uploads, 2 downloads (TCP)", 2, 2, {"evenair": 5, "ns-2": 5, "ns-3": 2}),
    Cell(
        "quick-saturated",
        "5 saturated stations (UDP)",
        5,
        0,
        {"evenair": 5, "ns-2": 5, "ns-3": 2},
        warmup=1,
    ),
)
OWN = ("process", "campaign", "growth", "threads")
"""Measurements of evenair alone."""
