"""The extension module of evenair."""

import os
from collections.abc import Callable, Iterable, Sequence
from typing import ClassVar, Final, final

__all__ = [
    "RESULT_VERSION",
    "AdaptiveRateLimiter",
    "Phy",
    "RunError",
    "Scenario",
    "ScenarioError",
    "__version__",
    "emulate",
    "parts",
    "quantity",
    "run_jobs",
    "schema",
]

RESULT_VERSION: Final[int]
"""Incremented whenever the same scenario and seed give another result."""

__version__: str

class ScenarioError(ValueError):
    """A scenario is not valid. The message names source, field, value and what is accepted."""

class RunError(RuntimeError):
    """A run failed. The message names the scenario and the seed that reproduce it."""

@final
class Scenario:
    """A scenario document and, after the first use, its resolved form. Immutable."""

    def __new__(cls, document: str, source: str) -> Scenario:
        """Read a JSON document; `source` names it in errors. Only the syntax is checked."""

    @staticmethod
    def from_toml(data: bytes, source: str) -> Scenario:
        """Read a TOML document. Only the syntax is checked."""

    @property
    def source(self) -> str:
        """Where the document came from, as errors name it."""

    def with_overrides(
        self, overrides: Sequence[tuple[str, str]], override_source: str, source: str
    ) -> Scenario:
        """Return a copy with dotted keys set to values in the syntax of the command line.

        Errors in a key name `override_source`; errors of the copy name `source`.
        """

    def resolve(self) -> None:
        """Check the document and fill in every default. Raises ScenarioError."""

    def document_json(self) -> str:
        """Return the document as JSON text, as it was given."""

    def resolved_json(self) -> str:
        """Return the resolved document as JSON text. Raises ScenarioError."""

    def phy(self) -> Phy:
        """Return the timing of the PHY of the scenario's cell, a WLAN. Raises ScenarioError."""

    def __getnewargs__(self) -> tuple[str, str]: ...

@final
class Phy:
    """Slot time, interframe spaces and airtimes of a scenario's cell; made by `Scenario.phy`."""

    ACK_BITS: ClassVar[int]
    """Bits of an ACK."""
    CTS_BITS: ClassVar[int]
    """Bits of a CTS."""
    RTS_BITS: ClassVar[int]
    """Bits of an RTS."""

    @property
    def slot_s(self) -> float:
        """aSlotTime, seconds."""

    @property
    def sifs_s(self) -> float:
        """aSIFSTime, seconds."""

    @property
    def difs_s(self) -> float:
        """DIFS, seconds."""

    @property
    def eifs_s(self) -> float:
        """EIFS, seconds."""

    @property
    def response_timeout_s(self) -> float:
        """How long a sender waits for the start of a CTS or ACK, seconds."""

    @property
    def cw_min(self) -> int:
        """aCWmin: the first backoff is uniform on 0..=cw_min slots."""

    @property
    def cw_max(self) -> int:
        """ACWmax."""

    @property
    def rates_bps(self) -> list[int]:
        """Data rates, bit/s, ascending."""

    def control_rate_bps(self, data_rate_bps: int) -> int:
        """Rate of RTS, CTS and ACK in an exchange whose data frame has this rate, bit/s."""

    def airtime_s(self, bits: int, rate_bps: int) -> float:
        """The time on air of a frame, preamble included, in seconds, rounded to the nanosecond."""

@final
class AdaptiveRateLimiter:
    """The rules of Blefari-Melazzi et al. 2007, Tab. 1.

    From what a control round has seen follows the rate of the uplink. `interval` (T_p, seconds),
    `step` (R_step, bit/s), `max_rate` (C_max, bit/s), `udp` ("shared", "reserved" or "estimated")
    and `udp_rate` (bit/s) are the parameters of the limiter of a scenario, as numbers or texts with
    a unit. The rules do not use `interval`. Raises ValueError.
    """

    def __new__(
        cls,
        interval: float | str = 1.0,
        step: float | str = 200e3,
        max_rate: float | str = 6e6,
        udp: str = "shared",
        udp_rate: float | str = 1e6,
    ) -> AdaptiveRateLimiter: ...
    def round(
        self,
        up_bps: float,
        down_bps: float,
        lost: bool,
        *,
        udp_up_bps: float = 0.0,
        udp_down_bps: float = 0.0,
    ) -> int:
        """End a control round; return the rate from now on, bit/s.

        `up_bps` and `down_bps` are the throughputs of the round at IP level, that of the uplink
        with or without what the policer has dropped (`uplink_count` of a scenario's limiter);
        `udp_up_bps` and `udp_down_bps` are UDP's part of them; fractions are dropped. `lost` says
        whether the access point's downlink queue has lost packets.
        """

    def release(self) -> None:
        """Forget all losses: the rate is max_rate again."""

    @property
    def rate_bps(self) -> int:
        """R, the rate of the uplink, bit/s."""

    @property
    def capacity_bps(self) -> int | None:
        """C, the capacity as of the last lossy round, bit/s; None before the first loss."""

    @property
    def udp_rate_bps(self) -> int | None:
        """The rate of UDP's own bucket, bit/s; None with `udp` "shared"."""

    @property
    def first_loss(self) -> bool:
        """Whether the next lossy round is the first one after a round without a loss."""

    @property
    def reason(self) -> str:
        """The branch of Tab. 1 of the last round: "no-loss", "first-loss" or "loss"."""

def quantity(kind: str, text: str) -> float:
    """Read a quantity as a scenario does: a number with a unit, or a plain number.

    `kind` is "rate" (bit/s), "time" (seconds), "size" (bytes) or "frequency" (Hz). Raises
    ValueError, which says what was given and what is accepted.
    """

def run_jobs(
    jobs: Iterable[tuple[Scenario, int]],
    threads: int,
    on_results: Callable[[list[tuple[int, str | None, str | None]]], object],
    pcap: tuple[str | os.PathLike[str] | None, str | os.PathLike[str]] | None = None,
) -> None:
    """Run the jobs of an iterator, pairs of a `Scenario` and a seed, on `threads` threads.

    The iterator is consumed a bounded number of jobs ahead of the threads. `on_results` is called
    on the calling thread with a list of `(index of the job, result as JSON text or None, error or
    None)`: the runs that have finished since the last call, in any order. A run that fails and a
    scenario that is not valid do not stop the others. An exception in the iterator or in
    `on_results`, or Ctrl-C, stops all of them.

    If the system refuses a thread, those that have been started do all jobs; if there is none, this
    raises RunError.

    `pcap` names the capture files of the only job: that of the air, or None, and that of the wire.
    Frames on the air of a WiMAX cell are not captured.
    """

def emulate(spec: str, report: Callable[[str], str | None] | None = None) -> str:
    """Emulate the network of a scenario between TUN devices in network namespaces (Linux).

    `spec` is a JSON document with the scenario, the namespaces and addresses of the hosts and the
    flows that are counted. Returns the result as JSON text. Packets are carried from the first call
    of `report` on, with `{"event": "ready"}`; every 50 ms follows
    `{"event": "progress", "t_s": ...}`, the time since the start of the scenario or null. `report`
    returns None, `{"command": "start"}`, with which time 0 of the scenario is now, or
    `{"command": "stop"}`, which ends the run. Without `report` the scenario starts at once. An
    exception in `report` or in a signal handler ends the run.

    For a process of its own: it is killed when its parent dies.
    """

def parts() -> str:
    """Return every component that a scenario can name, as JSON text.

    Queue disciplines, congestion controls, the datagram transport, PHYs, modulations, schedulers,
    loss processes (kind "error"), applications and distributions, each with its parameters.
    """

def schema() -> str:
    """Return the JSON Schema of a scenario, as JSON text."""
