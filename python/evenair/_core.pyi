"""The native part of evenair."""

import os
from collections.abc import Callable, Iterable, Sequence
from typing import ClassVar, Final, final

__all__ = [
    "RESULT_VERSION",
    "Phy",
    "RunError",
    "ScenarioError",
    "__version__",
    "apply",
    "from_toml",
    "parts",
    "quantity",
    "resolve",
    "run_many",
    "run_stream",
    "schema",
]

RESULT_VERSION: Final[int]
"""Changes whenever the same scenario and seed give another result."""

__version__: str

class ScenarioError(ValueError):
    """A scenario is not valid. The message names source, field, value and what is accepted."""

class RunError(RuntimeError):
    """A run failed. The message names the scenario and the seed that reproduce it."""

@final
class Phy:
    """Slots, interframe spaces and airtimes of a scenario's cell."""

    ACK_BITS: ClassVar[int]
    """Bits of an ACK."""
    CTS_BITS: ClassVar[int]
    """Bits of a CTS."""
    RTS_BITS: ClassVar[int]
    """Bits of an RTS."""

    def __new__(cls, document: str, source: str) -> Phy:
        """Of the cell of a scenario, which is given as JSON text. Raises ScenarioError."""

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

    def airtime_s(self, bits: int, rate_bps: int) -> float:
        """The time on air of a frame, preamble included, in seconds, rounded to the nanosecond."""

def quantity(kind: str, text: str) -> float:
    """Read a quantity as a scenario does: a number with a unit, or a plain number.

    `kind` is "rate" (bit/s), "time" (seconds) or "size" (bytes). Raises ValueError, which says what
    was given and what is accepted.
    """

def from_toml(data: bytes, source: str) -> str:
    """Read a TOML document; `source` names it in errors. Returns it as JSON text, unresolved."""

def apply(document: str, overrides: Sequence[tuple[str, str]], source: str) -> str:
    """Set dotted keys of a JSON document to values written as on the command line."""

def resolve(document: str, source: str) -> str:
    """Check a JSON document and fill in every default. Returns the scenario as JSON text."""

def run_many(
    jobs: Sequence[tuple[str, int]],
    threads: int,
    on_result: Callable[[int, str], object],
    pcap: str | os.PathLike[str] | None,
) -> None:
    """Run jobs, each a resolved scenario as JSON text and a seed, on `threads` threads.

    Calls `on_result(index of the job, result as JSON text)` on the calling thread as runs finish.
    A run that fails does not stop the others: RunError is raised for the first of them when all
    are done. An exception in `on_result`, or Ctrl-C, stops everything at once.

    `pcap` names the capture file of the only job: the air goes to `x.pcapng`, the wire to
    `x-wire.pcapng`.
    """

def run_stream(
    jobs: Iterable[tuple[str, int]],
    threads: int,
    on_results: Callable[[list[tuple[int, str | None, str | None]]], object],
) -> None:
    """Run what an iterator yields: resolved scenarios as JSON text, each with a seed.

    The iterator is asked a little ahead of what `threads` threads run, so that it may be long.
    Calls `on_results([(index of the job, result as JSON text or None, error or None), ...])` on the
    calling thread with whatever has finished since the last call. Neither a run that fails nor a
    scenario that is not valid stops the others; an exception in the iterator or in `on_results`, or
    Ctrl-C, stops everything at once.
    """

def parts() -> str:
    """Every part that a scenario can name, as JSON text.

    Queue disciplines, congestion controls, the datagram transport, PHYs, loss processes (kind
    "error"), applications and distributions, each with its parameters.
    """

def schema() -> str:
    """The JSON Schema of a scenario, as JSON text."""
