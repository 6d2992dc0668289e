"""The configurations of the paper, and the extent of the simulations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from evenair.scenario import Scenario

BUFFER = 60
"""Buffer in packets of figures 3, 6 and 7 and of Table I; also of figure 8, which states none."""

SMALL_BUFFER = 20
"""Buffer in packets at which marking by SPM-AF acts with ten flows; at BUFFER it hardly does."""

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


CASES = ("paper", "bytes", "per-ack", "unmarked", "late", "catching-up")
"""What a cell changes in the paper's schemes.

- paper: nothing.
- bytes: LAS counts the bytes that a flow has queued, not its sequence numbers.
- per-ack: senders' windows grow per ACK, not by the segments that it acknowledges.
- unmarked: senders mark no crucial packets.
- late: one of the downloads starts after a third of the run.
- catching-up: the same, ended before that download can have had its share.
"""

LATE_START = 1 / 3
"""Start of the late download, as a fraction of the run."""

CATCHING_UP = 0.05
"""Length of the case "catching-up" after that start, as a fraction of the time before it.

With the whole cell (5.2 Mb/s) the late download gets half of what the others then have.
"""


@dataclass(frozen=True)
class Cell:
    """One configuration: uploads, downloads, scheme, buffer in packets, and one of CASES."""

    scheme: str
    limit: int
    up: int = 5
    down: int = 5
    case: str = "paper"

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
        scenario = base.with_(**keys)
        changes = self._changes(scenario.resolved, effort)
        return scenario.with_(**changes) if changes else scenario

    def _changes(self, resolved: dict[str, Any], effort: Effort) -> dict[str, Any]:
        groups = resolved["station"]
        flows = [flow for group in groups for flow in group["flows"]]
        if self.case == "bytes":
            return {"cell__queue__service": "bytes"}
        if self.case == "per-ack":
            for flow in flows:
                flow["byte_counting"] = False
        elif self.case == "unmarked":
            for flow in flows:
                flow["spm_marking"] = False
        elif self.case in ("late", "catching-up"):
            start = LATE_START * effort.duration_s
            (late,) = groups[1]["flows"]
            groups[1]["count"] -= 1
            groups.append({**groups[1], "count": 1, "flows": [{**late, "start": start}]})
            if self.case == "catching-up":
                return {"station": groups, "duration": start * (1.0 + CATCHING_UP)}
        else:
            return {}
        return {"station": groups}


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
    "below-150": (10, 140),
    "below-80": (10, 70),
    "from-80": (80, 150),
    "large": (100, 150),
    "from-110": (110, 150),
}
"""Ranges of buffer sizes in packets for claims, both ends included."""

DOWN_SETS: dict[str, tuple[int, int]] = {"all": (5, 25)}
"""Ranges of numbers of downloads for claims, both ends included."""

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
    buffers=(10, 20, 30, 60, 90, 100, 110, 150),
    downs=(5, 10, 15, 25),
    quick=True,
)
"""For a first look; too little to judge claims."""

Axis = Literal["buffer", "down"]

AXES: tuple[Axis, ...] = ("buffer", "down")


def sweep(scheme: str, effort: Effort, axis: Axis, case: str = "paper") -> list[tuple[int, Cell]]:
    """Return abscissa and cell along a curve of figures 2, 4 and 5 ("buffer") or 8 ("down")."""
    if axis == "buffer":
        return [(limit, Cell(scheme, limit, case=case)) for limit in effort.buffers]
    return [(down, Cell(scheme, BUFFER, up=1, down=down, case=case)) for down in effort.downs]
