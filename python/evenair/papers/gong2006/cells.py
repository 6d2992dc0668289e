"""The configurations of the paper, and the extent of the simulations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from evenair.scenario import Scenario

BUFFER = 60
"""Buffer in packets of figures 3, 6 and 7 and of Table I; also of figure 8, which states none."""

NO_LOSS_BUFFER = 150
"""Buffer in packets that five uploads and five downloads cannot overflow."""


@dataclass(frozen=True)
class Scheme:
    """A queue discipline at the access point and its TCP sources."""

    label: str
    """The label in the paper's legends."""
    queue: dict[str, Any]
    """`cell.queue` of the scenario, without the limit."""


SCHEMES: dict[str, Scheme] = {
    "droptail": Scheme("NewReno-DropTail", {"kind": "droptail"}),
    "las": Scheme("NewReno-LAS", {"kind": "las"}),
    "spm-tail": Scheme("SPM-AF Tail", {"kind": "spm-af", "filtering": "tail"}),
    "spm-head": Scheme("SPM-AF Head", {"kind": "spm-af", "filtering": "head"}),
}
"""The four schemes of section III, in the order of figure 6."""


@dataclass(frozen=True)
class Cell:
    """One configuration: uploads, downloads, scheme, buffer in packets."""

    scheme: str
    limit: int
    up: int = 5
    down: int = 5

    @property
    def traced(self) -> bool:
        """Whether figures or claims use its time series."""
        return self.up == 5 and self.limit in (BUFFER, NO_LOSS_BUFFER)

    def scenario(self, base: Scenario, effort: Effort) -> Scenario:
        """Return this configuration of the paper's scenario."""
        keys: dict[str, Any] = {
            "cell__queue": {**SCHEMES[self.scheme].queue, "limit": self.limit},
            "station__0__count": self.up,
            "station__1__count": self.down,
            "duration": effort.duration_s,
        }
        if self.traced:
            keys["trace"] = {"interval": "1 s"}
        return base.with_(**keys)


@dataclass(frozen=True)
class Effort:
    """The extent of the simulations."""

    seeds: tuple[int, ...]
    duration_s: float
    """Simulated time of a run, in seconds."""
    buffers: tuple[int, ...]
    """Buffer sizes of the sweep with five uploads and five downloads, in packets."""
    downs: tuple[int, ...]
    """Numbers of downloads that compete with a single upload."""
    quick: bool


BUFFER_SETS: dict[str, tuple[int, int]] = {
    "all": (10, 150),
    "small": (10, 60),
    "below-80": (10, 70),
    "from-80": (80, 150),
    "large": (100, 150),
}
"""Ranges of buffer sizes in packets for claims, both ends included."""

FULL = Effort(
    seeds=tuple(range(1, 11)),
    duration_s=300.0,
    buffers=tuple(range(10, 151, 10)),
    downs=(5, 10, 15, 20, 25),
    quick=False,
)
"""The paper's grid, with ten seeds; the paper has one run."""

QUICK: Effort = Effort(
    seeds=(1, 2),
    duration_s=60.0,
    buffers=(10, 30, 60, 100, 150),
    downs=(5, 15, 25),
    quick=True,
)
"""For a first look; too little to judge claims."""

Axis = Literal["buffer", "down"]


def sweep(scheme: str, effort: Effort, axis: Axis) -> list[tuple[int, Cell]]:
    """Return abscissa and cell along a curve of figures 2, 4 and 5 ("buffer") or 8 ("down")."""
    if axis == "buffer":
        return [(limit, Cell(scheme, limit)) for limit in effort.buffers]
    return [(down, Cell(scheme, BUFFER, up=1, down=down)) for down in effort.downs]
