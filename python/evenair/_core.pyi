"""The native part of evenair."""

import os
from collections.abc import Callable, Iterable, Sequence
from typing import Final

__all__ = [
    "RESULT_VERSION",
    "RunError",
    "ScenarioError",
    "__version__",
    "apply",
    "from_toml",
    "parts",
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
