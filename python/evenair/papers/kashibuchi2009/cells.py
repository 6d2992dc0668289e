"""The configurations of the paper, and the extent of the simulations."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evenair.scenario import Scenario

RATES = (6.0, 9.0, 12.0, 18.0, 24.0, 36.0, 48.0, 54.0)
"""The rates of 802.11a, Mb/s."""

_DROPTAIL = {"kind": "droptail", "limit": "150 KB"}
"""The queue of the paper's routers."""

_OFF: dict[str, Any] = {"controller": "none"}

SCHEMES: dict[str, dict[str, Any]] = {
    "tfrc": _OFF,
    "cot": {},
    "cot-sliding": {"controller": {"kind": "cot", "slots": "sliding"}},
    "las": {**_OFF, "queue": {**_DROPTAIL, "kind": "las"}},
    "spm-af": {**_OFF, "queue": {**_DROPTAIL, "kind": "spm-af"}},
    "fq-codel": {**_OFF, "queue": {**_DROPTAIL, "kind": "fq-codel"}},
    "airtime-drr": {**_OFF, "queue": {"kind": "fq-codel"}, "scheduler": "airtime-drr"},
}
"""What a scheme changes in `[cell]` of the scenario, which has the controller.

- tfrc: plain TFRC. cot: with the controller. These two are the paper's.
- cot-sliding: with the controller, whose observation slots overlap: the other reading.
- las, spm-af, fq-codel: plain TFRC, with another queue discipline at the access point.
- airtime-drr: plain TFRC, with an airtime scheduler and its queues at the access point.
"""

_TFRC = {"direction": "down", "transport": "tfrc"}
_TCP = {"direction": "down", "transport": "newreno"}
_CBR = {
    "direction": "down",
    "transport": "udp",
    "application": "cbr",
    "rate": "1 Mbps",
    "segment": 1472,
}
"""Packets of 1500 bytes, as those of TFRC."""

TRAFFIC: dict[str, dict[str, Any]] = {
    "down": {"flows": [_TFRC]},
    "up": {"flows": [{**_TFRC, "direction": "up"}]},
    "mixed": {"flows": [_TCP]},
    "cbr": {"flows": [_TFRC, _CBR]},
    "arf": {"flows": [_TFRC], "rate_control": "arf"},
    "minstrel": {"flows": [_TFRC], "rate_control": "minstrel"},
}
"""The keys of STA2 by the kind of traffic.

- down: one TFRC download for each station, at fixed rates, as in the paper.
- up: one TFRC upload for each station.
- mixed: STA2's download is TCP's.
- cbr: STA2 has a constant-rate download of 1 Mb/s over UDP beside that of TFRC.
- arf, minstrel: rate control chooses STA2's rate, over a channel that carries no faster frames than
  those of the configuration's rate.
"""


@dataclass(frozen=True)
class Cell:
    """A configuration: STA1 at 54 Mb/s and STA2, or any number of stations with random rates."""

    scheme: str
    """A name of SCHEMES."""
    rate: float | None = None
    """Rate of STA2 in Mb/s; None: each station has a random rate."""
    stations: int = 2
    traffic: str = "down"
    """A name of TRAFFIC; random rates have "down"."""

    @property
    def published(self) -> bool:
        """Whether it is one of the paper's configurations, by either reading."""
        return self.scheme in ("tfrc", "cot", "cot-sliding") and self.traffic == "down"

    @property
    def sort_key(self) -> tuple[Any, ...]:
        """The position in a fixed order of all configurations, those with long runs first."""
        return (not self.published, -(self.rate or 0.0), self.stations, self.scheme, self.traffic)

    def scenario(self, base: Scenario, effort: Effort) -> Scenario:
        """Return this configuration of the paper's scenario, without random rates."""
        keys = {f"cell__{key}": value for key, value in SCHEMES[self.scheme].items()}
        keys["duration"] = effort.duration_s if self.published else effort.other_s
        if self.rate is not None:
            keys["station"] = [_first(self.traffic), _second(self.rate, self.traffic)]
        return base.with_(**keys)

    def drawn(self, scenario: Scenario, seed: int) -> Scenario:
        """Return the scenario with the rates that a run draws."""
        if self.rate is not None:
            return scenario
        rates = random_rates(seed, self.stations)
        return scenario.with_(
            station=[_station(k, rate, TRAFFIC["down"]) for k, rate in enumerate(rates, start=1)]
        )


def _station(number: int, mbps: float, keys: dict[str, Any]) -> dict[str, Any]:
    return {"name": f"STA{number}", "data_rate": mbps * 1e6, "queue": _DROPTAIL, **keys}


def _first(traffic: str) -> dict[str, Any]:
    return _station(1, RATES[-1], TRAFFIC["up" if traffic == "up" else "down"])


def _second(mbps: float, traffic: str) -> dict[str, Any]:
    station = _station(2, mbps, TRAFFIC[traffic])
    if "rate_control" in station:
        station["data_rate"] = RATES[-1] * 1e6
        station["channel"] = {"kind": "schedule", "rates": [["0 s", f"{mbps:g} Mbps"]]}
    return station


def random_rates(seed: int, stations: int) -> list[float]:
    """Return the rates that a run draws for its stations, each independent and equally likely.

    The first stations have the same rates whatever their number.
    """
    draw = Random(seed)
    return [RATES[int(len(RATES) * draw.random())] for _ in range(stations)]


@dataclass(frozen=True)
class Effort:
    """The extent of the simulations."""

    seeds: tuple[int, ...]
    duration_s: float
    """Simulated time of a run of the paper's configurations, in seconds."""
    other_s: float
    """The same of the others."""
    rates: tuple[float, ...]
    """Rates of STA2 in the paper's configurations, Mb/s."""
    other_rates: tuple[float, ...]
    """The same of the others."""
    stations: tuple[int, ...]
    """Numbers of stations with random rates in the paper's configurations."""
    other_stations: tuple[int, ...]
    """The same of the others."""
    quick: bool


RATE_SETS: dict[str, tuple[float, float]] = {"all": (6, 54), "below-54": (6, 48)}
"""Ranges of STA2's rate for claims, Mb/s, both ends included."""

STATION_SETS: dict[str, tuple[float, float]] = {"all": (1, 20), "several": (2, 20)}
"""Ranges of the number of stations for claims, both ends included."""

FULL = Effort(
    seeds=tuple(range(1, 6)),
    duration_s=600.0,
    other_s=100.0,
    rates=RATES,
    other_rates=(6.0, 12.0, 24.0, 54.0),
    stations=(1, 2, 3, 5, 8, 10, 12, 16, 20),
    other_stations=(1, 2, 5, 10, 20),
    quick=False,
)
"""The paper's rates, range of stations and duration, with five seeds; the paper has "multiple"."""

QUICK = Effort(
    seeds=(1, 2),
    duration_s=60.0,
    other_s=30.0,
    rates=RATES,
    other_rates=(6.0, 12.0, 24.0, 54.0),
    stations=(1, 2, 5, 10, 20),
    other_stations=(2, 10),
    quick=True,
)
"""For a first look; too little to judge claims."""


def over_rates(scheme: str, effort: Effort, traffic: str = "down") -> list[tuple[float, Cell]]:
    """Return abscissa and configuration along a curve of figure 3."""
    published = Cell(scheme, traffic=traffic).published
    rates = effort.rates if published else effort.other_rates
    return [(rate, Cell(scheme, rate, traffic=traffic)) for rate in rates]


def over_stations(scheme: str, effort: Effort) -> list[tuple[float, Cell]]:
    """Return abscissa and configuration along a curve of figure 4."""
    counts = effort.stations if Cell(scheme).published else effort.other_stations
    return [(count, Cell(scheme, stations=count)) for count in counts]
