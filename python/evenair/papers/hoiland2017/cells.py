"""The configurations of the paper, and the extent of the simulations."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evenair.scenario import Scenario

RING = 123
"""Packets in the driver: ATH_MAX_QDEPTH, 512 / 4 - 5 buffers (ath9k.h, Linux 3.18)."""

SCHEMES: dict[str, dict[str, Any]] = {
    "fifo": {"queue": {"kind": "droptail", "limit": 1000}, "ring": RING},
    "fq-codel": {"queue": {"kind": "fq-codel", "limit": 10240}, "ring": RING},
    "fq-mac": {"access_point": "linux", "scheduler": "round-robin"},
    "airtime": {
        "access_point": "linux",
        "scheduler": {"kind": "airtime-drr", "form": "ath9k"},
    },
    "linux": {"access_point": "linux", "scheduler": {"kind": "airtime-drr"}},
}
"""What a scheme has in `[cell]` of the scenario.

- fifo: pfifo of 1000 packets above the driver. fq-codel: FQ-CoDel above the driver.
- fq-mac: FQ-CoDel inside the MAC, a queue for each station.
- airtime: the same with the airtime scheduler. These four are the paper's.
- linux: mac80211 of today, whose scheduler has airtime queue limits.
"""

PHY: dict[str, Any] = {"phy": "802.11n", "streams": 2, "guard_interval": "0.4 us"}

_SLOW = {"streams": 1, "mcs": 0}
_PING = {"direction": "down", "transport": "udp", "application": "ping"}
_TCP = {"direction": "down", "transport": "cubic"}
_UP = {"direction": "up", "transport": "cubic"}
_UDP = {
    "direction": "down",
    "transport": "udp",
    "rate": "100 Mbps",
    "segment": 1472,
    "header": 28,
}
"""Packets of 1500 bytes, more than the cell carries."""


def _call(category: str) -> dict[str, Any]:
    return {
        "direction": "down",
        "transport": "udp",
        "application": "voip",
        "access_category": category,
    }


def _page(page: str) -> dict[str, Any]:
    return {
        "direction": "down",
        "transport": "cubic",
        "application": {"kind": "page", "form": page, "think": "1 s"},
    }


@dataclass(frozen=True)
class Traffic:
    """What the stations have."""

    fast: tuple[dict[str, Any], ...]
    """The flows of the first fast station."""
    other: tuple[dict[str, Any], ...]
    """Those of the other fast ones."""
    slow: tuple[dict[str, Any], ...]
    """Those of the slow one."""
    stations: int = 3
    longer: float = 1.0
    """The factor by which runs are longer than others."""
    queue: str | None = None
    """The queue of the stations [DropTail, 1000 packets]."""


def _all(*flows: dict[str, Any], stations: int = 3) -> Traffic:
    return Traffic(flows, flows, flows, stations)


TRAFFIC: dict[str, Traffic] = {
    "udp": _all(_UDP),
    "tcp": _all(_TCP, _PING),
    "tcp-both": _all(_TCP, _UP, _PING),
    "tcp-both-managed": replace(_all(_TCP, _UP, _PING), queue="fq-codel"),
    "many": _all(_TCP, _PING, stations=30),
    "voice-be": Traffic((_TCP,), (_TCP,), (_TCP, _call("be"))),
    "voice-vo": Traffic((_TCP,), (_TCP,), (_TCP, _call("vo"))),
    "page-small": Traffic((_page("small"),), (_TCP,), (_TCP,), longer=4.0),
    "page-large": Traffic((_page("large"),), (_TCP,), (_TCP,), longer=4.0),
}
"""The flows of the stations by the kind of traffic.

- udp: a saturated download each. tcp: a TCP download and a ping each. tcp-both: an upload as well.
- tcp-both-managed: as tcp-both, with FQ-CoDel in the stations. Added after the first run.
- many: as tcp, with 30 stations, of which one is slow.
- voice-be, voice-vo: a TCP download each, and a call to the slow station as best effort or voice.
- page-small, page-large: pages at a fast station, TCP downloads at the others. A large page takes
  half a minute with the FIFO queue, so the runs are longer.
"""

DELAYS_MS: dict[str, float] = {"5 ms": 5.0, "50 ms": 50.0}
"""One-way delays of the wire."""


@dataclass(frozen=True)
class Cell:
    """A configuration."""

    scheme: str
    """A name of SCHEMES."""
    traffic: str
    """A name of TRAFFIC."""
    delay: str = "5 ms"
    """A name of DELAYS_MS."""

    @property
    def sort_key(self) -> tuple[Any, ...]:
        """The position in a fixed order of all configurations, those with long runs first."""
        return (-TRAFFIC[self.traffic].stations, self.traffic, self.scheme, self.delay)

    def scenario(self, base: Scenario, effort: Effort) -> Scenario:
        """Return this configuration."""
        traffic = TRAFFIC[self.traffic]
        others = traffic.stations - 2
        stations: list[dict[str, Any]] = [
            {"name": "fast", "flows": list(traffic.fast)},
            {"name": "others", "count": others, "flows": list(traffic.other)},
            {"name": "slow", **_SLOW, "flows": list(traffic.slow)},
        ]
        if traffic.queue is not None:
            for station in stations:
                station["queue"] = traffic.queue
        return base.with_(
            duration=effort.warmup_s + effort.duration_s * traffic.longer,
            warmup=effort.warmup_s,
            cell={**PHY, **SCHEMES[self.scheme]},
            wired={"rate": "1 Gbps", "delay": self.delay},
            station=stations,
        )


@dataclass(frozen=True)
class Effort:
    """The extent of the simulations."""

    seeds: tuple[int, ...]
    duration_s: float
    """Measured time of a run, in seconds."""
    warmup_s: float
    quick: bool


FULL = Effort(seeds=tuple(range(1, 11)), duration_s=30.0, warmup_s=5.0, quick=False)
"""For the claims; the extent of the paper's experiments is not known."""

QUICK = Effort(seeds=(1, 2), duration_s=10.0, warmup_s=2.0, quick=True)
"""For a first look; too little to judge claims."""
