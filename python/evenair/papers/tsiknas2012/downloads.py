"""The configurations on WLANs, and the extent of all simulations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from evenair.papers.checks import select_values

if TYPE_CHECKING:
    from evenair.scenario import Scenario

VARIANTS: dict[str, str] = {
    "newreno": "New Reno",
    "vegas": "Vegas",
    "veno": "Veno",
    "westwood": "Westwood",
    "bic": "BIC",
}
"""The paper's five TCP variants: names in scenarios and in the paper."""

FORMS: dict[str, Any] = {"vegas-1995": {"kind": "vegas", "form": "paper"}}
"""Further variants of our own tables, as scenarios have them."""

SACK: dict[str, Any] = {
    "station__0__flows__0__sack": True,
    "station__0__flows__0__rack": True,
}
"""The keys of a scenario that select SACK and RACK-TLP."""

QUEUE_RATE = 1e-5
"""PER of figures 8 and 16."""


@dataclass(frozen=True)
class Download:
    """One configuration: one download over a WLAN with packet errors."""

    transport: str
    """A name of FORMS or of a congestion control."""
    rate: float
    """Packet error rate, PER."""
    congested: bool = False
    """Scenario 2 instead of scenario 1."""
    queue: int | None = None
    """Limit of the queue at the congested link, packets; None: the scenario's."""
    level: str | None = None
    """The layer of the errors, "mac" or "ip"; None: the scenario's."""
    bad_state_ms: int | None = None
    """Mean duration of the bad state; None: the scenario's."""
    link_mbps: int | None = None
    """Rate of the congested link; None: the scenario's."""
    sack: bool = False
    """With SACK and RACK-TLP."""

    @property
    def base(self) -> str:
        """The name of the built-in scenario that is varied."""
        return "tsiknas2012-congested" if self.congested else "tsiknas2012"

    @property
    def sort_key(self) -> tuple[Any, ...]:
        """The position in a fixed order of all configurations, those with long runs first."""
        return (
            2 if self.congested else 4,
            self.transport,
            self.rate,
            self.queue or 0,
            self.level or "",
            self.bad_state_ms or 0,
            self.link_mbps or 0,
            self.sack,
        )

    def scenario(self, base: Scenario, effort: Effort) -> Scenario:
        """Return this configuration of `base`, the scenario of that name."""
        keys = common_keys(self.transport, self.rate, self.queue, effort, sack=self.sack)
        if self.level is not None:
            keys["station__0__error__level"] = self.level
        if self.bad_state_ms is not None:
            keys["station__0__error__bad_state"] = f"{self.bad_state_ms} ms"
        if self.link_mbps is not None:
            keys["wired__link__0__rate"] = f"{self.link_mbps} Mbps"
        return base.with_(**keys)


@dataclass(frozen=True)
class Effort:
    """The extent of the simulations."""

    seeds: tuple[int, ...]
    duration_s: float
    """Simulated time of a run, in seconds."""
    rates: tuple[float, ...]
    """Packet error rates of figures 14 and 15."""
    queues: tuple[int, ...]
    """Queue sizes of figure 16, in packets."""
    bad_states_ms: tuple[int, ...]
    """Mean bad states of the table `gains`."""
    links_mbps: tuple[int, ...]
    """Rates of the congested link of the table `congestion`."""
    link_queues: tuple[int, ...]
    """Its queue sizes there, in packets."""
    wimax_rates: tuple[float, ...]
    """Packet error rates of figures 4 and 7."""
    asymmetric_rates: tuple[float, ...]
    """Packet error rates of figures 10 and 11."""
    ratios: tuple[int, ...]
    """r of the ratios r:1 of figures 12 and 13."""
    media_rates: tuple[float, ...]
    """Packet error rates of the table `media`."""
    bad_states_us: tuple[int, ...]
    """Mean bad states of the table `losses`."""
    t16s_ms: tuple[int, ...]
    """Timers of the table `timer`."""
    sack_rates: tuple[float, ...]
    """Packet error rates of the table `sack`."""
    request_ratios: tuple[int, ...]
    """r of the ratios r:1 of the table `requests`."""
    quick: bool


RATE_SETS: dict[str, tuple[float, float]] = {
    "all": (1e-5, 0.1),
    "low": (1e-5, 1e-3),
    "below-0.01": (1e-5, 5e-3),
    "high": (0.01, 0.1),
    "top": (0.05, 0.1),
}
"""Ranges of packet error rates for claims, both ends included."""

QUEUE_SETS: dict[str, tuple[float, float]] = {
    "all": (10, 150),
    "small": (10, 30),
    "medium": (40, 80),
    "large": (100, 150),
}
"""Ranges of queue sizes for claims, packets, both ends included."""

FULL = Effort(
    seeds=tuple(range(1, 11)),
    duration_s=300.0,
    rates=(1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 2e-3, 5e-3, 0.01, 0.02, 0.03, 0.05, 0.1),
    queues=(10, 20, 30, 40, 60, 80, 100, 120, 150),
    bad_states_ms=(1, 10, 30, 50, 100),
    links_mbps=(20, 21, 22, 23, 24, 25, 30),
    link_queues=(20, 80, 150),
    wimax_rates=(1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 2e-3, 3e-3, 5e-3, 0.01, 0.02, 0.03, 0.05),
    asymmetric_rates=(
        *(1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 2e-3, 3e-3, 5e-3, 0.01, 0.02, 0.03, 0.05),
        *(0.07, 0.1),
    ),
    ratios=(1, 2, 3, 4, 5, 6),
    media_rates=(1e-4, 1e-3, 0.01),
    bad_states_us=(142, 309, 500, 700, 839, 1_200, 2_000, 5_000, 50_000),
    t16s_ms=(20, 50, 100, 3_000),
    sack_rates=(1e-5, 1e-4, 1e-3, 0.01),
    request_ratios=(2, 5, 6),
    quick=False,
)
"""The paper's range of error rates and duration of 300 s, with ten seeds."""

QUICK = Effort(
    seeds=(1, 2),
    duration_s=60.0,
    rates=(1e-4, 1e-3, 0.01, 0.03, 0.1),
    queues=(20, 80, 150),
    bad_states_ms=(1, 50),
    links_mbps=(20, 23, 26),
    link_queues=(80,),
    wimax_rates=(1e-4, 1e-3, 5e-3, 0.01, 0.05),
    asymmetric_rates=(1e-4, 1e-3, 0.01, 0.05, 0.1),
    ratios=(1, 2, 5, 6),
    media_rates=(1e-4, 1e-3, 0.01),
    bad_states_us=(142, 5_000),
    t16s_ms=(50, 100),
    sack_rates=(1e-4, 0.01),
    request_ratios=(5, 6),
    quick=True,
)
"""For a first look; too little to judge claims."""


def common_keys(
    transport: str, rate: float, queue: int | None, effort: Effort, *, sack: bool
) -> dict[str, Any]:
    """Return the keys of a scenario that both media have in common."""
    keys: dict[str, Any] = {
        "station__0__flows__0__transport": FORMS.get(transport, transport),
        "station__0__error__rate": rate,
        "duration": effort.duration_s,
    }
    if queue is not None:
        keys["wired__link__0__queue__limit"] = queue
    return keys | (SACK if sack else {})


def over_rates(transport: str, congested: bool, effort: Effort) -> list[tuple[float, Download]]:
    """Return PER and configuration along a curve of figure 14 or, congested, 15."""
    return [(rate, Download(transport, rate, congested)) for rate in effort.rates]


def over_queues(transport: str, effort: Effort) -> list[tuple[float, Download]]:
    """Return queue size and configuration along a curve of figure 16."""
    return [(size, Download(transport, QUEUE_RATE, True, size)) for size in effort.queues]


def over_errors(transport: str, level: str, bad_state_ms: int, effort: Effort) -> list[Download]:
    """Return the configurations of one gain of the table `gains`."""
    return [
        Download(transport, rate, level=level, bad_state_ms=bad_state_ms)
        for rate in select_values("rates", "high", RATE_SETS, effort.rates)
    ]


LINK_RATE = 1e-3
"""PER of the table `congestion`."""


def on_link(transport: str, link_mbps: int, queue: int) -> tuple[Download, Download]:
    """Return a configuration of the table `congestion`, and the same without congestion."""
    congested = Download(transport, LINK_RATE, True, queue, link_mbps=link_mbps)
    return congested, Download(transport, LINK_RATE)
