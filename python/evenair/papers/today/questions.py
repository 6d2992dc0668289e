"""What each paper asks, in the cells of today: traffic, cures and rivals."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

from evenair.models import evaluate
from evenair.papers.today.cells import (
    CONTROLS,
    FIFO,
    FQ_CODEL,
    LINUX,
    PHYS,
    Cell,
    Effort,
    above_driver,
)
from evenair.scenario import load

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from evenair.scenario import Scenario

_PING: dict[str, Any] = {"direction": "down", "transport": "udp", "application": "ping"}
_WIRE: dict[str, Any] = {"rate": "10 Gbps", "delay": "10 ms"}
"""Never the bottleneck; 10 ms to a server in the same country."""


@dataclass(frozen=True)
class Question:
    """The question of a paper."""

    paper: str
    """The name of the paper."""
    schemes: Mapping[str, dict[str, Any]]
    """What `[cell]` has, by the name of the scheme."""
    stations: Callable[[Cell], list[dict[str, Any]]]
    """The stations of a cell."""
    wired: dict[str, Any] = field(default_factory=lambda: _WIRE)
    limiter: Callable[[Cell], dict[str, Any] | str] = lambda _: "none"
    """The rate limiter of the gateway."""
    cases: tuple[str, ...] = ("",)
    longer: Callable[[Cell], float] = lambda _: 1.0
    """The factor by which runs are longer than others."""

    @property
    def base(self) -> str:
        """The built-in scenario."""
        return f"{self.paper}-ax"


def scenario(cell: Cell, effort: Effort) -> Scenario:
    """Return the scenario of a cell."""
    question = QUESTIONS[cell.question]
    stations = question.stations(cell)
    if effort.on_testbed:
        stations = [_without_tsq(station) for station in stations]
    return load(question.base).with_(
        duration=effort.warmup_s + effort.duration_s * question.longer(cell),
        warmup=effort.warmup_s,
        cell={**PHYS[cell.phy], **question.schemes[cell.scheme]},
        wired=question.wired,
        gateway={"limiter": question.limiter(cell)},
        station=stations,
    )


def _without_tsq(station: dict[str, Any]) -> dict[str, Any]:
    """Return a station whose uploads TCP small queues never hold back, as on the test-bed.

    There a TUN device gives packets back to the kernel at once (docs/testbed.md).
    """
    flows = [{**flow, "tsq": 0} if flow["direction"] == "up" else flow for flow in station["flows"]]
    return {**station, "flows": flows}


def _flow(cell: Cell, direction: str, **keys: Any) -> dict[str, Any]:
    return {"direction": direction, **CONTROLS[cell.control], **keys}


def _some(count: int, name: str, flows: list[dict[str, Any]], **keys: Any) -> list[dict[str, Any]]:
    """Return the entry of `count` stations with Linux's queue; none for 0."""
    if count == 0:
        return []
    return [{"name": name, "count": count, "stack": "linux", "flows": flows, **keys}]


def _uploads(cell: Cell) -> list[dict[str, Any]]:
    half = cell.stations // 2
    up, down = _flow(cell, "up"), _flow(cell, "down")
    return [
        *_some(half, "up", [up]),
        *_some(1, "pinged", [down, _PING]),
        *_some(half - 1, "down", [down]),
    ]


def _both(cell: Cell) -> list[dict[str, Any]]:
    flows = [_flow(cell, "up"), _flow(cell, "down")]
    return [*_some(1, "pinged", [*flows, _PING]), *_some(cell.stations - 1, "both", flows)]


def _two_rates(cell: Cell) -> list[dict[str, Any]]:
    half = cell.stations // 2
    slow: dict[str, Any] = {"data_rate": "6 Mbps"} if cell.phy == "g" else {"mcs": 0}
    down = _flow(cell, "down")
    return [
        *_some(1, "pinged", [down, _PING]),
        *_some(half - 1, "fast", [down]),
        *_some(half, "slow", [down], **slow),
    ]


_WINDOWS: dict[str, dict[str, Any]] = {
    "one": {"window": 1, "initial_window": 1, "delayed_ack": 1},
    "d1": {"delayed_ack": 1},
    "d2": {"delayed_ack": 2},
    "d4": {"delayed_ack": 4},
}
"""W* = 1, and d = 1, 2 and 4 in-order segments for an ACK with a window that grows."""

_SIZES: dict[str, dict[str, Any]] = {
    "pareto": {"distribution": "pareto", "mean": "2 MB", "shape": 1.5},
    "exponential": {"distribution": "exponential", "mean": "2 MB"},
}


def _downloads(cell: Cell) -> list[dict[str, Any]]:
    if cell.case in _SIZES:
        think = {"distribution": "exponential", "mean": "1 s"}
        web = {"kind": "web", "size": _SIZES[cell.case], "think": think}
        return _some(cell.stations, "user", [_flow(cell, "down", application=web)])
    return _some(cell.stations, "down", [_flow(cell, "down", **_WINDOWS[cell.case])])


_LOSSES: dict[str, dict[str, Any] | None] = {
    "none": None,
    "air": {"kind": "independent", "rate": 0.1, "level": "mac", "frames": "data"},
    "ip-0.0001": {"kind": "independent", "rate": 0.0001, "level": "ip"},
    "ip-0.001": {"kind": "independent", "rate": 0.001, "level": "ip"},
}
"""Losses of the downlink: none, a tenth of the MPDUs, and packets after the MAC's repairs."""


def _lossy(cell: Cell) -> list[dict[str, Any]]:
    losses = _LOSSES[cell.case]
    keys = {} if losses is None else {"error": {**losses, "direction": "down"}}
    return _some(cell.stations, "down", [_flow(cell, "down")], **keys)


@cache
def capacity_bps(phy: str) -> float:
    """Return the highest throughput of one saturated station, IP packets of 1500 bytes, bit/s.

    By Bianchi's model, which has no collisions with one station; with aggregation by its form for
    EDCA. The C_max of a limiter is that.
    """
    if phy == "g":
        keys = {"phy": "802.11g", "mac_overhead": 36, "payload": 1500, "rts": False, "nodes": 1}
        return float(evaluate("bianchi", **keys).throughput_bps)
    return float(evaluate("edca", stations=1, **PHYS[phy]).throughput_bps)


TAB_1: dict[str, Any] = {
    "kind": "adaptive",
    "interval": "1 s",
    "step": "200 kbps",
    "bucket": "250 KB",
    "max_rate": "6 Mbps",
}
"""The limiter of the paper's Tab. 1, for 802.11b."""


def _limiter(cell: Cell) -> dict[str, Any] | str:
    """Return the limiter: Tab. 1 as it is, or scaled so that C_max is that of the cell."""
    if cell.scheme == "tab-1":
        return TAB_1
    if cell.scheme not in ("limiter", "linux-limiter"):
        return "none"
    most = round(capacity_bps(cell.phy) / 1e6)
    return {
        **TAB_1,
        "step": f"{most / 30:.3f} Mbps",  # as 6 Mb/s / 200 kb/s
        "bucket": "333 ms",  # at C_max, as 250 KB at 6 Mb/s
        "max_rate": f"{most} Mbps",
    }


QUESTIONS: dict[str, Question] = {
    "uploads": Question(
        "gong2006",
        {
            "fifo": FIFO,
            "las": above_driver("las"),
            "spm-af": above_driver("spm-af"),
            "fq-codel": FQ_CODEL,
            "linux": LINUX,
        },
        _uploads,
    ),
    "limiter": Question(
        "blefari2007",
        {
            "fifo": FIFO,
            "tab-1": FIFO,
            "limiter": FIFO,
            "fq-codel": FQ_CODEL,
            "linux": LINUX,
            "linux-limiter": LINUX,  # added after the first look at the others
        },
        _both,
        limiter=_limiter,
    ),
    "airtime": Question(
        "kashibuchi2009",
        {
            "fifo": FIFO,
            "cot": {**FIFO, "controller": {"kind": "cot", "beacons": 3, "threshold": 0.8}},
            "fq-codel": FQ_CODEL,
            "linux": LINUX,
        },
        _two_rates,
    ),
    "window": Question(
        "miorandi2006",
        {"fifo": FIFO, "fq-codel": FQ_CODEL, "linux": LINUX},
        _downloads,
        # The files are at the access point, as in the paper.
        wired={"rate": "10 Gbps", "delay": "0.1 ms"},
        cases=(*_WINDOWS, *_SIZES),
        longer=lambda cell: 10.0 if cell.case in _SIZES else 1.0,
    ),
    "losses": Question(
        "tsiknas2012",
        {"fifo": FIFO, "fq-codel": FQ_CODEL, "linux": LINUX},
        _lossy,
        wired={"rate": "10 Gbps", "delay": "45 ms"},  # the paper's delay
        cases=tuple(_LOSSES),
    ),
}
"""The questions, by the name of their figures."""
