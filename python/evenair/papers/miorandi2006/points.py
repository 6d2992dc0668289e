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

NS2_SSTHRESH = 20
"""Segments at which slow start ends in ns-2 (docs/validation.md)."""

FILE_BYTES = 30_000
"""Mean size of a file: 30 KB of 1000 bytes (see docs/models.md)."""

THINK_S = 10.0
"""Mean think time of figures 8, 10 and 11, seconds. The text states it only for figure 8."""


@dataclass(frozen=True)
class Backlogged:
    """Backlogged nodes: figures 1 and 2."""

    nodes: int
    rts: bool = True
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
            **({} if self.rts else {"cell__rts_threshold": 3000}),
            # The total offered load is at least twice the capacity of the channel.
            "station__0__flows__0__rate": max(10e6 / self.nodes, 1e6),
        }


@dataclass(frozen=True)
class Downloads:
    """Persistent downloads: section 3 and the appendix."""

    stations: int
    window: int
    delayed_ack: int = 1
    phy: str = "802.11b"
    initial_ssthresh: int | None = None
    """Segments; None is the window."""
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
            **({} if self.phy == "802.11b" else {"cell": {**_OFDM_CELL, "phy": self.phy}}),
            **_ssthresh(self.initial_ssthresh),
            "station__0__flows__0__window": self.window,
            "station__0__flows__0__initial_window": min(self.delayed_ack, self.window),
            "station__0__flows__0__delayed_ack": self.delayed_ack,
        }


_OFDM_CELL: dict[str, Any] = {
    "kind": "wlan",
    "data_rate": "54 Mbps",
    "control_rate": "24 Mbps",
    "rts_threshold": 0,
    "mac_overhead": 34,
    "immediate_access": False,
    "long_retry_limit": 7,
    "queue": {"kind": "droptail", "limit": "unlimited"},
}
"""The cell of miorandi2006-persistent with OFDM's highest rate and highest mandatory rate."""


@dataclass(frozen=True)
class UpDown:
    """Five persistent uploads and five downloads with a buffer of B packets: section 5."""

    window: int
    base = "miorandi2006-persistent"

    @property
    def cost(self) -> float:
        """Approximate number of packets of a run."""
        return 60_000

    def changes(self, effort: Effort) -> dict[str, Any]:
        """Return the keys that differ from the base scenario."""
        flow = {"transport": "newreno", "application": "bulk", "segment": 1000, "start": 0}
        flow |= {"tcp": "ns2", "window": self.window, "initial_window": 1, "delayed_ack": 1}
        groups = [{"count": 5, "flows": [{**flow, "direction": way}]} for way in ("up", "down")]
        return {
            "duration": effort.duration_s,
            "cell__queue": {"kind": "droptail", "limit": BUFFER},
            "station": groups,
        }


QUEUES: dict[str, dict[str, Any]] = {
    "per-flow": {
        "kind": "fq-codel",
        "limit": "unlimited",
        "quantum": 1040,
        "target": "10000 s",
        "interval": "10000 s",
    },
    "random": {"kind": "pie", "limit": "unlimited"},
}
"""Queues of the access point that sections 4.2 and 5 propose: one segment per flow and turn
(FQ-CoDel whose CoDel never drops), and random drops (PIE with its defaults; there is no RED)."""


@dataclass(frozen=True)
class Shared:
    """Ten web stations and a persistent download to an eleventh: the end of section 4.2."""

    window: int
    queue: str | None = None
    """A name of QUEUES; None is a DropTail buffer that never overflows."""
    loss: float = 0.0
    """Share of the downlink packets that the air loses, independent of each other."""
    base = "miorandi2006"

    @property
    def cost(self) -> float:
        """Approximate number of packets of a run."""
        return 600_000

    def changes(self, effort: Effort) -> dict[str, Any]:
        """Return the keys that differ from the base scenario."""
        web = Web(10, self.window).changes(effort)
        flow = {"direction": "down", "transport": "newreno", "segment": 1000, "start": 0}
        flow |= {"tcp": "ns2", "window": self.window, "initial_window": 1, "delayed_ack": 1}
        application = {"kind": "web", "opened_by": "sender", "sessions": effort.sessions}
        application |= {"size": web["station__0__flows__0__application__size"]}
        application |= {"think": {"distribution": "exponential", "mean": THINK_S}}
        groups: list[dict[str, Any]] = [
            {"count": 10, "flows": [{**flow, "application": application}]},
            {"count": 1, "flows": [{**flow, "application": "bulk"}]},
        ]
        if self.loss:
            for group in groups:
                group["error"] = {
                    "kind": "independent",
                    "rate": self.loss,
                    "level": "ip",
                    "direction": "down",
                }
        queue = {} if self.queue is None else {"cell__queue": QUEUES[self.queue]}
        return {"duration": effort.shared_s, "station": groups, **queue}


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
    initial_window: int | None = None
    """Segments; None is d, as in section 4.3. The dynamic scheme starts with d = 1."""
    timer_s: float = 0.04
    """The receiver's ACK timer."""
    queue: str | None = None
    """A name of QUEUES instead of DropTail."""
    initial_ssthresh: int | None = None
    """Segments; None is the window."""
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
            **_ssthresh(self.initial_ssthresh),
            f"{flow}window": self.window,
            **({} if self.queue is None else {"cell__queue": QUEUES[self.queue]}),
            f"{flow}initial_window": self.initial_window or _first_window(self.delayed_ack),
            f"{flow}delayed_ack_timeout": self.timer_s,
            f"{flow}delayed_ack": self.delayed_ack,
            f"{flow}application__size": size,
            f"{flow}application__think__mean": self.think_s,
            f"{flow}application__sessions": effort.files if self.stations == 1 else effort.sessions,
        }


def _ssthresh(segments: int | None) -> dict[str, Any]:
    return {} if segments is None else {"station__0__flows__0__initial_ssthresh": segments}


def _first_window(delayed_ack: int | str) -> int:
    return 1 if isinstance(delayed_ack, str) else delayed_ack


Point: TypeAlias = Backlogged | Downloads | UpDown | Shared | Web


@dataclass(frozen=True)
class Effort:
    """The extent of the simulations."""

    seeds: tuple[int, ...]
    backlogged_s: float
    """Measured time of a run with backlogged nodes, seconds."""
    duration_s: float
    """Measured time of a run with persistent downloads, seconds."""
    shared_s: float
    """Simulated time of web sessions beside a persistent download, seconds."""
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
    """W* of figure 10; the paper ends at 35."""
    phi_windows: tuple[int, ...]
    """W* of figure A.2."""
    quick: bool


FULL = Effort(
    seeds=tuple(range(1, 21)),
    backlogged_s=30.0,
    duration_s=80.0,
    shared_s=1000.0,
    sessions=300,
    files=10_000,
    nodes=(2, 3, 5, 7, 10, 15, 20, 30, 40, 50),
    connections=(1, 2, 3, 5, 7, 10, 15, 20, 25, 30),
    hosts=(2, 6, 11, 16, 21, 31, 41),
    thinks=(0.5, 1.0, 2.0, 3.0, 5.0, 7.0, 10.0),
    windows=(5, 10, 15, 20, 25, 30, 35, 60, 200),
    phi_windows=(1, 2, 3, 5, 10, 20, 50, 100),
    quick=False,
)
"""The paper's numbers of files, with twenty seeds; the paper has one run."""

QUICK = Effort(
    seeds=(1, 2),
    backlogged_s=10.0,
    duration_s=80.0,
    shared_s=300.0,
    sessions=100,
    files=2_000,
    nodes=(2, 5, 10, 20, 50),
    connections=(1, 2, 5, 10, 30),
    hosts=(2, 6, 11, 21),
    thinks=(1.0, 3.0, 10.0),
    windows=(5, 15, 30, 35, 60, 200),
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


def _ends(values: tuple[int, ...]) -> tuple[int, int]:
    return values[0], values[-1]


def _most(effort: Effort, window: int, delayed_ack: int, timer_s: float = 0.04) -> Web:
    """Return web sessions of as many stations as are simulated."""
    return Web(effort.hosts[-1] - 1, window, delayed_ack, timer_s=timer_s)


WITHOUT_FIGURE: dict[str, tuple[str, str]] = {
    "one-node": ("Backlogged node", "n_b"),
    "basic-access": ("Backlogged nodes without RTS/CTS", "n_b"),
    "one-g": ("One download, 802.11g at 54 Mb/s, W* = 1000", "d"),
    "one-a": ("One download, 802.11a at 54 Mb/s, W* = 1000", "d"),
    "one-large-d": ("One download, W* = 1000", "d"),
    "up-down": ("Five uploads and five downloads, B = 30", "W*"),
    "initial-window": ("Web, one station, d = 2", "initial window"),
    "timer-d2": ("Web, one station, d = 2", "timer, ms"),
    "table3-20ms": ("Web, one station, timer of 20 ms", "d"),
    "table3-20ms-dynamic": ("Web, one station, timer of 20 ms, dynamic scheme", ""),
    "delack-over-d": ("Web, most stations, W* = 1000", "d"),
    "delack-over-d-80ms": ("Web, most stations, W* = 1000, timer of 80 ms", "d"),
    "web-d2": ("Web, W* = d = 2", "n"),
    "unlimited": ("Web, n = 21, no limit of the buffer", "W*"),
    "per-flow": ("Web, W* = 1000, a segment per flow and turn", "n"),
    "ns2-start-w1000": ("Downloads, W* = 1000, ssthresh = 20", "n_c"),
    "ns2-start-pareto-w1000": ("Web, W* = 1000, ssthresh = 20", "n"),
    "ns2-start-buffer": ("Web, n = 21, B = 30, ssthresh = 20", "W*"),
    "shared": ("Web, ten stations, beside a persistent download", "W*"),
    "shared-per-flow": ("The same, a segment per flow and turn", "W*"),
    "shared-random": ("The same, random drops (PIE)", "W*"),
    "shared-losses": ("The same, 1% of the downlink's packets lost", "W*"),
}
"""Curves of statements for which the paper has no figure: what they are, and their abscissa."""

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
    # Statements without a figure.
    "one-node": lambda _: [(1, Backlogged(1))],
    "basic-access": lambda effort: [(n, Backlogged(n, rts=False)) for n in _ends(effort.nodes)],
    "one-g": lambda _: [(d, Downloads(1, LARGE, d, "802.11g")) for d in (1, 2)],
    "one-a": lambda _: [(d, Downloads(1, LARGE, d, "802.11a")) for d in (1, 2)],
    "one-large-d": lambda _: [(d, Downloads(1, LARGE, d)) for d in (20, 100)],
    "up-down": lambda _: [(w, UpDown(w)) for w in (1, LARGE)],
    "initial-window": lambda _: [(w, Web(1, LARGE, 2, initial_window=w)) for w in (1,)],
    "timer-d2": lambda _: [(200, Web(1, LARGE, 2, timer_s=0.2))],
    "table3-20ms": lambda _: [(d, Web(1, LARGE, d, timer_s=0.02)) for d in (2, 3, 4)],
    "table3-20ms-dynamic": lambda _: [(0, Web(1, LARGE, "dynamic", timer_s=0.02))],
    "delack-over-d": lambda effort: [(d, _most(effort, LARGE, d)) for d in _D],
    "delack-over-d-80ms": lambda effort: [(d, _most(effort, LARGE, d, 0.08)) for d in (2, 5)],
    "web-d2": lambda _: [(11, Web(10, 2, 2))],
    "unlimited": lambda _: [(w, Web(20, w)) for w in (1, 5)],
    "per-flow": lambda _: [(n, Web(n - 1, LARGE, queue="per-flow")) for n in (6, 11, 21)],
    "ns2-start-w1000": lambda _: [
        (n, Downloads(n, LARGE, initial_ssthresh=NS2_SSTHRESH)) for n in (5, 10, 30)
    ],
    "ns2-start-pareto-w1000": lambda effort: [
        (n, Web(n - 1, LARGE, initial_ssthresh=NS2_SSTHRESH))
        for n in sorted({6, 11, 21, effort.hosts[-1]})
    ],
    "ns2-start-buffer": lambda _: [
        (w, Web(20, w, buffer=BUFFER, initial_ssthresh=NS2_SSTHRESH)) for w in (30, 60, 200)
    ],
    "shared": lambda _: [(w, Shared(w)) for w in (1, LARGE)],
    "shared-per-flow": lambda _: [(LARGE, Shared(LARGE, "per-flow"))],
    "shared-random": lambda _: [(LARGE, Shared(LARGE, "random"))],
    "shared-losses": lambda _: [(LARGE, Shared(LARGE, loss=0.01))],
}
"""The curves of figures and claims with their abscissae: n_b, n_c, d, W*, n (the access point
included), think time in seconds, timer in milliseconds."""
