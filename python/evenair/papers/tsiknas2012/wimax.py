"""The configurations on WiMAX."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from evenair.papers.tsiknas2012.downloads import QUEUE_RATE, Download, common_keys

if TYPE_CHECKING:
    from evenair.papers.tsiknas2012.downloads import Effort
    from evenair.scenario import Scenario

SCENARIOS: dict[int, str] = {
    1: "tsiknas2012-wimax",
    2: "tsiknas2012-wimax-congested",
    3: "tsiknas2012-wimax-asymmetric",
}
"""The built-in scenarios by the paper's numbers."""

RATIO_RATE = 1e-5
"""PER of figures 12 and 13."""

WINDOW_RATE = 1e-3
"""PER of figure 5."""

ASYMMETRIC: tuple[str, ...] = ("newreno", "westwood", "bic")
"""The variants of figures 12 and 13."""


@dataclass(frozen=True)
class Wimax:
    """One configuration: downloads over an 802.16 cell, in scenario 3 one for each of six stations.

    None stands for the scenario's value.
    """

    transport: str
    """A name of FORMS or of a congestion control."""
    scenario_number: int
    """1, 2 with the congested link, or 3 with six stations."""
    rate: float
    """Packet error rate, PER."""
    queue: int | None = None
    """Limit of the queue at the congested link, packets."""
    ratio: int | None = None
    """r of the ratio r:1 of downlink and uplink."""
    traced: bool = False
    """With time series."""
    bad_state_us: int | None = None
    """Mean duration of the bad state."""
    t16_ms: int | None = None
    """The timer of bandwidth requests."""
    sack: bool = False
    """With SACK and RACK-TLP."""
    retries: int | None = None
    """Retries of a bandwidth request."""
    piggyback: bool = False
    """With requests in the last PDU of a grant."""

    @property
    def base(self) -> str:
        """The name of the built-in scenario that is varied."""
        return SCENARIOS[self.scenario_number]

    @property
    def sort_key(self) -> tuple[Any, ...]:
        """The position in a fixed order of all configurations, those with long runs first."""
        return (
            {1: 3, 2: 1, 3: 0}[self.scenario_number],
            self.transport,
            self.rate,
            self.queue or 0,
            self.ratio or 0,
            self.traced,
            self.bad_state_us or 0,
            self.t16_ms or 0,
            self.sack,
            self.retries or 0,
            self.piggyback,
        )

    def scenario(self, base: Scenario, effort: Effort) -> Scenario:
        """Return this configuration of `base`, the scenario of that name."""
        keys = common_keys(self.transport, self.rate, self.queue, effort, sack=self.sack)
        if self.ratio is not None:
            keys["cell__dl_ratio"] = f"{self.ratio}:1"
        if self.traced:
            keys["trace"] = {"interval": "1 s"}
        if self.bad_state_us is not None:
            keys["station__0__error__bad_state"] = f"{self.bad_state_us} us"
        if self.t16_ms is not None:
            keys["cell__t16"] = f"{self.t16_ms} ms"
        if self.retries is not None:
            keys["cell__request_retries"] = self.retries
        if self.piggyback:
            keys["cell__piggyback"] = True
        return base.with_(**keys)


Point: TypeAlias = Download | Wimax
"""A configuration of the paper."""

RATE_SETS: dict[str, tuple[float, float]] = {
    "all": (1e-5, 0.05),
    "low": (1e-5, 1e-3),
    "from-0.0001": (1e-4, 0.05),
    "below-0.01": (1e-5, 5e-3),
    "up-to-0.01": (1e-5, 0.01),
    "high": (0.01, 0.05),
    "above-0.05": (0.07, 0.1),
}
"""Ranges of packet error rates for claims, both ends included."""

RATIO_SETS: dict[str, tuple[float, float]] = {"all": (1, 6), "2-to-5": (2, 5), "high": (4, 6)}
"""Ranges of r in ratios r:1 for claims, both ends included."""


def rates_of(scenario_number: int, effort: Effort) -> tuple[float, ...]:
    """Return the packet error rates that are simulated in a scenario."""
    return effort.asymmetric_rates if scenario_number == 3 else effort.wimax_rates


def over_rates(transport: str, scenario_number: int, effort: Effort) -> list[tuple[float, Wimax]]:
    """Return PER and configuration along a curve of figure 4, 7, 10 or 11."""
    rates = rates_of(scenario_number, effort)
    return [(rate, Wimax(transport, scenario_number, rate)) for rate in rates]


def over_queues(transport: str, effort: Effort) -> list[tuple[float, Wimax]]:
    """Return queue size and configuration along a curve of figure 8."""
    return [(size, Wimax(transport, 2, QUEUE_RATE, queue=size)) for size in effort.queues]


def over_ratios(transport: str, effort: Effort) -> list[tuple[float, Wimax]]:
    """Return the downlink's share and the configuration along a curve of figure 12 or 13."""
    return [(r / (r + 1), Wimax(transport, 3, RATIO_RATE, ratio=r)) for r in effort.ratios]


def traced(transport: str) -> Wimax:
    """Return a configuration of figure 5."""
    return Wimax(transport, 1, WINDOW_RATE, traced=True)
