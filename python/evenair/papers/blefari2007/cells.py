"""The configurations of the paper, and the extent of the simulations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evenair.scenario import Scenario

BUCKETS_KB = (50, 100, 250, 500)
"""Bucket sizes, KB: the range that section 3.2 states."""
STEPS_KBPS = (50, 100, 200, 400, 800)
"""R_step, kbit/s; the paper has 200."""
INTERVALS_S = (0.25, 0.5, 1.0, 2.0, 4.0)
"""T_p, seconds; the paper has 1."""

_OFF: dict[str, Any] = {"gateway__limiter": "none"}

SCHEMES: dict[str, dict[str, Any]] = {
    "off": _OFF,
    "limiter": {},
    "fixed": {"gateway__limiter": {"kind": "fixed"}},
    "polled": {"gateway__limiter__loss_signal": {"kind": "polled", "refresh": "3 s"}},
    "slow-polled": {
        "gateway__limiter__interval": "3 s",
        "gateway__limiter__loss_signal": {"kind": "polled", "refresh": "3 s"},
    },
    "passed": {"gateway__limiter__uplink_count": "passed"},
    "udp-reserved": {"gateway__limiter__udp": "reserved"},
    "udp-estimated": {"gateway__limiter__udp": "estimated"},
    **{name: {**_OFF, "cell__queue__kind": name} for name in ("spm-af", "las", "fq-codel")},
    **{f"bucket-{kb}": {"gateway__limiter__bucket": f"{kb} KB"} for kb in BUCKETS_KB},
    **{f"step-{kbps}": {"gateway__limiter__step": f"{kbps} kbps"} for kbps in STEPS_KBPS},
    **{f"interval-{s:g}": {"gateway__limiter__interval": f"{s:g} s"} for s in INTERVALS_S},
}
"""What a scheme changes in the scenario, which has the adaptive limiter.

- off, limiter: the paper's cell without and with the adaptive limiter, which the scenario has.
- fixed: the limiter of the authors' paper of 2005. polled: the adaptive one, with a counter of
  losses that is refreshed each 3 s, as net-snmp's. slow-polled: with rounds of 3 s, too.
- passed: the adaptive one, which counts what of the uplink has passed the policer.
- udp-reserved, udp-estimated: the adaptive one, with a bucket for UDP. Otherwise UDP shares it.
- spm-af, las, fq-codel: another queue discipline at the access point instead of a limiter.
- bucket-..., step-..., interval-...: the adaptive one with one other parameter.
"""

SCHEME_SETS: dict[str, tuple[tuple[float, str], ...]] = {
    "buckets": tuple((float(kb), f"bucket-{kb}") for kb in BUCKETS_KB),
    "steps": tuple((float(kbps), f"step-{kbps}") for kbps in STEPS_KBPS),
    "intervals": tuple((s, f"interval-{s:g}") for s in INTERVALS_S),
}
"""Sweeps of one parameter of the limiter: its values and the schemes."""

TRAFFIC = ("static", "dynamic", "udp")
"""Kinds of traffic.

- static: an upload and a download of each station. dynamic: with the schedule of Tab. 2.
- udp: static, and a further station with 0.5 Mb/s of UDP in each direction.
"""

CELLS: dict[str, dict[str, Any]] = {
    "802.11b": {},
    "short": {"cell__preamble": "short"},
    **{f"queue-{limit}": {"cell__queue__limit": limit} for limit in (30, 100, 120, 250)},
    "802.11g": {"cell__phy": "802.11g", "cell__data_rate": "54 Mbps"},
    "mixed": {},
}
"""Kinds of cells.

- 802.11b: all stations at 11 Mb/s. short, queue-...: the same with short preambles, or another
  limit of the access point's queue, packets.
- 802.11g: all stations at 54 Mb/s. mixed: 802.11b, one of the stations at 1 Mb/s.
"""

_LIMITER_80211G = {
    "gateway__limiter__max_rate": "30 Mbps",
    "gateway__limiter__step": "1 Mbps",
    "gateway__limiter__bucket": "1.25 MB",
}
"""The paper's parameters times five.

By frame times an 802.11g cell carries 30.5 Mb/s of packets of 1500 bytes: DIFS 28 us, backoff 67.5,
DATA 254, SIFS 10, ACK 34. An 802.11b cell carries 6.4 Mb/s, which the paper rounds to "about 6".
"""

_UDP: dict[str, Any] = {
    "transport": "udp",
    "application": "cbr",
    "rate": "500 kbps",
    "segment": 1472,
    "header": 28,
}


@dataclass(frozen=True)
class Cell:
    """A configuration."""

    scheme: str
    """A name of SCHEMES."""
    stations: int = 6
    """N, stations with an upload and a download each."""
    traffic: str = "static"
    """A name of TRAFFIC."""
    kind: str = "802.11b"
    """A name of CELLS."""

    @property
    def base(self) -> str:
        """The name of the built-in scenario that is varied."""
        return "blefari2007-dynamic" if self.traffic == "dynamic" else "blefari2007"

    @property
    def is_traced(self) -> bool:
        """Whether its runs have time series."""
        return self.stations <= 8

    @property
    def sort_key(self) -> tuple[Any, ...]:
        """The position in a fixed order of all configurations, those with long runs first."""
        is_short = (self.traffic != "dynamic", self.kind != "802.11g", -self.stations)
        return (*is_short, self.scheme, self.traffic, self.kind)

    @property
    def file_name(self) -> str:
        """A name of its runs, for files."""
        return f"{self.scheme}-{self.traffic}-{self.kind}-{self.stations}"

    def scenario(self, base: Scenario, effort: Effort) -> Scenario:
        """Return this configuration of `base`, the scenario of that name."""
        keys = dict(CELLS[self.kind])
        if self.kind == "802.11g":
            keys |= _LIMITER_80211G
        keys |= SCHEMES[self.scheme]
        if self.traffic != "dynamic":
            keys |= {"duration": effort.duration_s, "warmup": effort.warmup_s}
        elif effort.schedule != 1.0:
            keys |= _scaled(base.resolved, effort.schedule)
        if self.is_traced:
            keys["trace__interval"] = "1 s"
        if self.kind == "mixed" or self.traffic == "udp":
            keys["station"] = self._stations(base.resolved["station"][0]["flows"])
        else:
            keys["station__0__count"] = self.stations
        return base.with_(**keys)

    def _stations(self, flows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        if self.kind == "mixed":
            slow = {"count": 1, "flows": flows, "data_rate": "1 Mbps"}
            return [{"count": self.stations - 1, "flows": flows}, slow]
        udp = [{**_UDP, "direction": direction} for direction in ("up", "down")]
        return [{"count": self.stations, "flows": flows}, {"count": 1, "flows": udp}]


def _scaled(resolved: dict[str, Any], scale: float) -> dict[str, Any]:
    """Return the keys of the schedule of Tab. 2 with all its times multiplied."""
    keys = {"duration": resolved["duration"] * scale}
    for index, flow in enumerate(resolved["station"][0]["flows"]):
        for name in ("start", "stop"):
            if name in flow:
                keys[f"station__0__flows__{index}__{name}"] = flow[name] * scale
    return keys


@dataclass(frozen=True)
class Effort:
    """The extent of the runs."""

    seeds: tuple[int, ...]
    duration_s: float
    """Measured time of a run with static traffic, in seconds."""
    stations: tuple[int, ...]
    """N of figures 4 and 8."""
    many: tuple[int, ...]
    """N of our own figure up to 30 stations."""
    quick: bool
    warmup_s: float = 0.0
    """Time before it, seconds."""
    schedule: float = 1.0
    """The factor of the times of Tab. 2."""


STATION_SETS: dict[str, tuple[float, float]] = {
    "all": (1, 8),
    "up-to-4": (1, 4),
    "above-4": (5, 8),
    "many": (10, 30),
}
"""Ranges of N for claims, both ends included."""

FULL = Effort(
    seeds=tuple(range(1, 6)),
    duration_s=300.0,
    stations=tuple(range(1, 9)),
    many=(10, 15, 20, 25, 30),
    quick=False,
)
"""The paper's N and duration, with five seeds; the paper has one run of each."""

QUICK = Effort(
    seeds=(1, 2),
    duration_s=60.0,
    stations=tuple(range(1, 9)),
    many=(10, 15, 20, 25, 30),
    quick=True,
)
"""For a first look; too little to judge claims."""


TESTBED = Effort(
    seeds=(1, 2, 3),
    duration_s=60.0,
    stations=(1, 2, 3, 4, 6, 8),
    many=FULL.many,
    quick=False,
    warmup_s=20.0,
)
"""On the test-bed, where time is real: half an hour. R needs 17 rounds to fall from C_max to C / 2,
so that a warm-up of 20 s leaves the start out. Tab. 2 is that of the paper."""

TESTBED_QUICK = Effort(
    seeds=(1,),
    duration_s=10.0,
    stations=(1, 6),
    many=FULL.many,
    quick=True,
    warmup_s=20.0,
    schedule=0.1,
)
"""On the test-bed, for a first look: a minute and a half. Whole seconds, as iperf3 has them. In a
tenth of the time of Tab. 2 R does not settle."""


def over_stations(scheme: str, effort: Effort) -> list[tuple[float, Cell]]:
    """Return N and configuration along a curve of figures 4 and 8."""
    return [(n, Cell(scheme, stations=n)) for n in effort.stations]


def over_many(scheme: str, effort: Effort) -> list[tuple[float, Cell]]:
    """Return N and configuration along a curve up to 30 stations."""
    return [(n, Cell(scheme, stations=n)) for n in (*effort.stations, *effort.many)]


def over_schemes(name: str) -> list[tuple[float, Cell]]:
    """Return the value and the configuration along a sweep of SCHEME_SETS."""
    return [(value, Cell(scheme)) for value, scheme in SCHEME_SETS[name]]
