"""The cells of today, and the extent of the simulations.

A question of one of the papers is asked in the same four cells, with the same access points and
congestion controls. `evenair.papers.today.questions` has what differs between the questions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

PHYS: dict[str, dict[str, Any]] = {
    "g": {"phy": "802.11g"},
    "n": {"phy": "802.11n", "channel_width": "40 MHz"},
    "ac": {"phy": "802.11ac", "channel_width": "80 MHz"},
    "ax": {"phy": "802.11ax", "channel_width": "80 MHz"},
}
"""What a PHY has in `[cell]`: one stream and the highest MCS, 54, 135, 390 and 600.5 Mb/s."""

CONTROLS: dict[str, dict[str, Any]] = {
    "cubic": {"transport": "cubic"},
    "bbr": {"transport": "bbr"},
    "bbr1": {"transport": "bbr1"},
    "prague": {"transport": "prague"},
    "newreno": {"transport": "newreno"},
    "westwood": {"transport": "westwood-plus"},
    "tfrc": {"transport": "tfrc"},
}
"""What a flow has for a congestion control. Westwood is that of Linux, Westwood+.

BBR is version 3; version 1, which kernels have, is asked on the test-bed.
"""

RING = 128
"""Packets in the driver below a queue discipline: half of the 256 descriptors that Linux's drivers
commonly have. A choice; ath9k has 123 (`hoiland2017`)."""

FIFO_LIMIT = 1000
"""Packets: Linux's `txqueuelen`."""


def above_driver(kind: str, **parameters: Any) -> dict[str, Any]:
    """Return what `[cell]` has for a queue discipline above the ring of the driver."""
    limit = 10240 if kind == "fq-codel" else FIFO_LIMIT  # Linux's defaults
    return {"queue": {"kind": kind, "limit": limit, **parameters}, "ring": RING}


FIFO = above_driver("droptail")
FQ_CODEL = above_driver("fq-codel")
LINUX: dict[str, Any] = {"access_point": "linux"}
"""The Linux access point: FQ-CoDel in the MAC, airtime fairness, airtime queue limits."""


@dataclass(frozen=True)
class Cell:
    """A configuration."""

    question: str
    """A name of QUESTIONS in `questions`."""
    phy: str = "ax"
    """A name of PHYS."""
    control: str = "cubic"
    """A name of CONTROLS."""
    scheme: str = "fifo"
    """A name of the question's schemes."""
    stations: int = 10
    case: str = ""
    """A name of the question's cases."""

    @property
    def sort_key(self) -> tuple[Any, ...]:
        """The position in a fixed order of all configurations, the fastest PHYs first."""
        order = -list(PHYS).index(self.phy)
        return (order, self.question, self.control, self.scheme, self.case, self.stations)

    @property
    def name(self) -> str:
        """The name of the runs in files."""
        parts = (self.question, self.phy, self.control, self.scheme, self.case)
        return "-".join([*(part for part in parts if part), str(self.stations)])


@dataclass(frozen=True)
class Effort:
    """The extent of the simulations."""

    seeds: tuple[int, ...]
    duration_s: float
    """Measured time of a run, in seconds."""
    warmup_s: float
    quick: bool
    on_testbed: bool = False
    """Whether the cells are those that are measured on the test-bed, too."""


FULL = Effort(seeds=tuple(range(1, 11)), duration_s=20.0, warmup_s=5.0, quick=False)
"""For the claims."""

QUICK = Effort(seeds=(1, 2), duration_s=4.0, warmup_s=2.0, quick=True)
"""For a first look; too little to judge claims."""

TESTBED = Effort((1, 2, 3), duration_s=10.0, warmup_s=5.0, quick=False, on_testbed=True)
"""For the test-bed, in real time: some ten minutes."""

TESTBED_QUICK = Effort((1,), duration_s=5.0, warmup_s=3.0, quick=True, on_testbed=True)
"""For a first look on the test-bed."""
