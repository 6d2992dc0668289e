"""The configurations and curves of the paper, and the extent of the simulations."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable

LARGE = 1000
"""W* if the paper has W* = 1000, or W >> 1."""

BUFFER = 30
"""B of figure 10, packets."""

FILE_BYTES = 30_000
"""Mean size of a file: 30 KB of 1000 bytes (see docs/models.md)."""

THINK_S = 10.0
"""Mean think time of figures 8, 10 and 11, seconds. The text states it only for figure 8."""


@dataclass(frozen=True)
class Backlogged:
    """Backlogged nodes: figures 1 and 2."""

    nodes: int
    base = "miorandi2006-backlogged"

    @property
    def cost(self) -> float:
        """Approximate number of packets of a run."""
        return 12_000

    def changes(self, effort: Effort) -> dict[str, Any]:
        """Return the keys that differ from the base scenario."""
        return {
            "station__0__count": self.nodes,
            "duration": effort.backlogged_s,
            # The total offered load is at least twice the capacity of the channel.
            "station__0__flows__0__rate": max(10e6 / self.nodes, 1e6),
        }


@dataclass(frozen=True)
class Downloads:
    """Persistent downloads: section 3 and the appendix."""

    stations: int
    window: int
    delayed_ack: int = 1
    base = "miorandi2006-persistent"

    @property
    def cost(self) -> float:
        """Approximate number of packets of a run."""
        return 60_000

    def changes(self, effort: Effort) -> dict[str, Any]:
        """Return the keys that differ from the base scenario."""
        return {
            "station__0__count": self.stations,
            "duration": effort.duration_s,
            "station__0__flows__0__window": self.window,
            "station__0__flows__0__initial_window": min(self.delayed_ack, self.window),
            "station__0__flows__0__delayed_ack": self.delayed_ack,
        }


@dataclass(frozen=True)
class Web:
    """Web sessions: section 4."""

    stations: int
    window: int
    delayed_ack: int | str = 1
    sizes: str = "pareto"
    think_s: float = THINK_S
    buffer: int | None = None
    """Packets; None is a buffer that never overflows."""
    base = "miorandi2006"

    @property
    def cost(self) -> float:
        """Approximate number of packets of a run."""
        return 20_000 * self.stations if self.stations > 1 else 600_000

    def changes(self, effort: Effort) -> dict[str, Any]:
        """Return the keys that differ from the base scenario."""
        flow = "station__0__flows__0__"
        size: dict[str, Any] = {"distribution": self.sizes, "mean": FILE_BYTES}
        if self.sizes == "pareto":
            size["shape"] = 1.5
        return {
            "station__0__count": self.stations,
            **({} if self.buffer is None else {"cell__queue__limit": self.buffer}),
            f"{flow}window": self.window,
            # Section 4.3: it equals d. The dynamic scheme starts with d = 1.
            f"{flow}initial_window": 1 if self.delayed_ack == "dynamic" else self.delayed_ack,
            f"{flow}delayed_ack": self.delayed_ack,
            f"{flow}application__size": size,
            f"{flow}application__think__mean": self.think_s,
            f"{flow}application__sessions": effort.files if self.stations == 1 else effort.sessions,
        }


Point: TypeAlias = Backlogged | Downloads | Web


@dataclass(frozen=True)
class Effort:
    """The extent of the simulations."""

    seeds: tuple[int, ...]
    backlogged_s: float
    """Measured time of a run with backlogged nodes, seconds."""
    duration_s: float
    """Measured time of a run with persistent downloads, seconds."""
    sessions: int
    """Sessions per station, with several stations."""
    files: int
    """Sessions of a single station: tables 2 and 3, and n = 2."""
    nodes: tuple[int, ...]
    """Backlogged nodes, n_b."""
    connections: tuple[int, ...]
    """Persistent downloads, n_c."""
    hosts: tuple[int, ...]
    """Stations and access point, n."""
    thinks: tuple[float, ...]
    """Mean think times, seconds."""
    windows: tuple[int, ...]
    """W* of figure 10."""
    phi_windows: tuple[int, ...]
    """W* of figure A.2."""
    quick: bool


FULL = Effort(
    seeds=tuple(range(1, 21)),
    backlogged_s=30.0,
    duration_s=80.0,
    sessions=300,
    files=10_000,
    nodes=(2, 3, 5, 7, 10, 15, 20, 30, 40, 50),
    connections=(1, 2, 3, 5, 7, 10, 15, 20, 25, 30),
    hosts=(2, 6, 11, 16, 21, 31, 41),
    thinks=(0.5, 1.0, 2.0, 3.0, 5.0, 7.0, 10.0),
    windows=(5, 10, 15, 20, 25, 30, 35),
    phi_windows=(1, 2, 3, 5, 10, 20, 50, 100),
    quick=False,
)
"""The paper's numbers of files, with twenty seeds; the paper has one run."""

QUICK = Effort(
    seeds=(1, 2),
    backlogged_s=10.0,
    duration_s=80.0,
    sessions=100,
    files=2_000,
    nodes=(2, 5, 10, 20, 50),
    connections=(1, 2, 5, 10, 30),
    hosts=(2, 6, 11, 21),
    thinks=(1.0, 3.0, 10.0),
    windows=(5, 15, 30, 35),
    phi_windows=(1, 2, 5, 20, 100),
    quick=True,
)
"""For a first look; too little to judge claims."""

Curve: TypeAlias = "list[tuple[float, Point]]"
"""Abscissa and configuration along a curve."""

_D = (1, 2, 3, 4, 5)
SCHEMES: tuple[int | str, ...] = (1, 2, 3, "dynamic")
"""Delayed-ACK parameters of figure 11."""


def _connections(window: int, delayed_ack: int, effort: Effort) -> Curve:
    return [(n, Downloads(n, window, delayed_ack)) for n in effort.connections]


def _over_d(stations: int, window: int | None, effort: Effort) -> Curve:
    return [(d, Downloads(stations, d if window is None else window, d)) for d in _D]


def _hosts(window: int, sizes: str, delayed_ack: int | str, effort: Effort) -> Curve:
    return [(n, Web(n - 1, window, delayed_ack, sizes)) for n in effort.hosts]


CURVES: dict[str, Callable[[Effort], Curve]] = {
    "backlogged": lambda effort: [(n, Backlogged(n)) for n in effort.nodes],
    "w1": partial(_connections, 1, 1),
    "w1000": partial(_connections, LARGE, 1),
    "w2-d2": partial(_connections, 2, 2),
    "one-w-d": partial(_over_d, 1, None),
    "one-w1000": partial(_over_d, 1, LARGE),
    "ten-w-d": partial(_over_d, 10, None),
    "ten-w1000": partial(_over_d, 10, LARGE),
    "phi": lambda effort: [(w, Downloads(1, w)) for w in effort.phi_windows],
    "pareto-w1": partial(_hosts, 1, "pareto", 1),
    "pareto-w1000": partial(_hosts, LARGE, "pareto", 1),
    "exponential-w1": partial(_hosts, 1, "exponential", 1),
    "exponential-w1000": partial(_hosts, LARGE, "exponential", 1),
    "think": lambda effort: [(z, Web(10, 1, think_s=z)) for z in effort.thinks],
    "buffer": lambda effort: [(w, Web(20, w, buffer=BUFFER)) for w in effort.windows],
    "table2": lambda effort: [(w, Web(1, w)) for w in (1, LARGE)],
    "table3": lambda effort: [(d, Web(1, LARGE, d)) for d in _D],
    "table3-dynamic": lambda effort: [(0, Web(1, LARGE, "dynamic"))],
    **{f"delack-{d}": partial(_hosts, LARGE, "pareto", d) for d in SCHEMES},
}
"""The curves of figures and claims with their abscissae: n_b, n_c, d, W*, n (the access point
included), think time in seconds."""
