"""The configurations that the paper simulates, and with what effort we do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evenair.scenario import Scenario

VARIANTS: dict[str, str] = {
    "newreno": "New Reno",
    "vegas": "Vegas",
    "veno": "Veno",
    "westwood": "Westwood",
    "bic": "BIC",
}
"""The paper's five TCP variants, as scenarios and as the paper call them."""

QUEUE_RATE = 1e-5
"""PER of figure 16."""


@dataclass(frozen=True)
class Download:
    """One configuration: one download over a cell with errors."""

    transport: str
    rate: float
    """Packet error rate, PER."""
    congested: bool = False
    """Scenario 2 instead of scenario 1."""
    queue: int | None = None
    """Queue in front of the congested link, in packets; None: the scenario's."""
    level: str | None = None
    """Where errors strike: "mac", "ip", as scenarios have it; None: the scenario's."""
    bad_state_ms: int | None = None
    """Mean duration of the bad state; None: the scenario's."""

    @property
    def base(self) -> str:
        """The built-in scenario that this is a case of."""
        return "tsiknas2012-congested" if self.congested else "tsiknas2012"

    @property
    def place(self) -> tuple[Any, ...]:
        """Where it stands in a fixed order of all configurations."""
        return (
            self.transport,
            self.rate,
            self.queue or 0,
            self.level or "",
            self.bad_state_ms or 0,
        )

    def scenario(self, base: Scenario, effort: Effort) -> Scenario:
        """Return this configuration of `base`, the scenario of that name."""
        keys: dict[str, Any] = {
            "station__0__flows__0__transport": self.transport,
            "station__0__error__rate": self.rate,
            "duration": effort.duration_s,
        }
        if self.queue is not None:
            keys["wired__link__0__queue__limit"] = self.queue
        if self.level is not None:
            keys["station__0__error__level"] = self.level
        if self.bad_state_ms is not None:
            keys["station__0__error__bad_state"] = f"{self.bad_state_ms} ms"
        return base.with_(**keys)


@dataclass(frozen=True)
class Effort:
    """How much is simulated."""

    seeds: tuple[int, ...]
    duration_s: float
    """Simulated time of a run, in seconds."""
    rates: tuple[float, ...]
    """Packet error rates of figures 14 and 15."""
    queues: tuple[int, ...]
    """Queue sizes of figure 16, in packets."""
    bad_states_ms: tuple[int, ...]
    """Mean bad states of the sensitivity table."""
    quick: bool

    def rate_set(self, name: str | float) -> tuple[float, ...]:
        """Return the packet error rates that a claims file calls by this name, or the one given.

        Raises ValueError for an unknown name and for a rate that is not simulated.
        """
        if not isinstance(name, str):
            low, high = name, name
        elif name in RATE_SETS:
            low, high = RATE_SETS[name]
        else:
            raise ValueError(f"rates: got {name!r}, expected one of {', '.join(RATE_SETS)}")
        chosen = tuple(rate for rate in self.rates if low <= rate <= high)
        if not chosen:
            raise ValueError(f"rates: {name!r} is not among those simulated")
        return chosen


RATE_SETS: dict[str, tuple[float, float]] = {
    "low": (1e-5, 1e-3),
    "below-0.01": (1e-5, 5e-3),
    "high": (0.01, 0.1),
    "top": (0.05, 0.1),
}
"""Ranges of packet error rates that claims are measured over; both ends belong to it."""

FULL = Effort(
    seeds=tuple(range(1, 11)),
    duration_s=300.0,
    rates=(1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 2e-3, 5e-3, 0.01, 0.02, 0.03, 0.05, 0.1),
    queues=(10, 20, 30, 40, 60, 80, 100, 120, 150),
    bad_states_ms=(1, 10, 50, 100),
    quick=False,
)
"""The paper's range of errors and its 300 s, with ten seeds."""

QUICK = Effort(
    seeds=(1, 2),
    duration_s=60.0,
    rates=(1e-4, 1e-3, 0.01, 0.03, 0.1),
    queues=(20, 80, 150),
    bad_states_ms=(1, 50),
    quick=True,
)
"""Enough to see what comes out, not enough to judge by."""


def over_rates(transport: str, congested: bool, effort: Effort) -> list[tuple[float, Download]]:
    """Return PER and configuration along a curve of figure 14 or, congested, 15."""
    return [(rate, Download(transport, rate, congested)) for rate in effort.rates]


def over_queues(transport: str, effort: Effort) -> list[tuple[float, Download]]:
    """Return queue size and configuration along a curve of figure 16."""
    return [(size, Download(transport, QUEUE_RATE, True, size)) for size in effort.queues]


SENSITIVE = ("newreno", "westwood", "westwood-plus", "bic")
"""The variants of the sensitivity table: the two of the published gains, and what they gain on."""


def over_errors(transport: str, level: str, bad_state_ms: int, effort: Effort) -> list[Download]:
    """Return the configurations behind one gain of the sensitivity table."""
    return [
        Download(transport, rate, level=level, bad_state_ms=bad_state_ms)
        for rate in effort.rate_set("high")
    ]
