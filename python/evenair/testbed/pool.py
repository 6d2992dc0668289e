"""Several test-beds at once, each in a process of its own."""

from __future__ import annotations

import heapq
import time
from collections import deque
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from evenair._core import RunError
from evenair.engine import processors
from evenair.result import RunResult
from evenair.testbed.errors import TestbedError
from evenair.testbed.linux.processes import Processes, last_line, python, uninterrupted

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable, Sequence

    from evenair.scenario import Scenario

PER_PROCESSOR = 2
"""Test-beds at once. One with twelve flows in an 802.11b cell takes 0.2 to 0.35 of a processor
(docs/testbed.md#several-at-once)."""

_AROUND_S = 4.0
"""Time that a run takes beside warm-up and duration, seconds: measured with twelve flows."""
_CLEAN_UP_S = 20.0
"""How long a test-bed may take to remove its namespaces after SIGTERM; it takes 1 to 3 s."""
_POLL_S = 0.1


def at_once() -> int:
    """Return the number of test-beds that this machine is to run at once."""
    return PER_PROCESSOR * processors()


def expected_s(scenarios: Sequence[Scenario], most: int | None = None) -> float:
    """Return how long scenarios take that are run in this order, in seconds of real time.

    `most` of them run at once [`at_once`].
    """
    free = [0.0] * (most or at_once())
    for scenario in scenarios:
        resolved = scenario.resolved
        needs = resolved["warmup"] + resolved["duration"] + _AROUND_S
        heapq.heapreplace(free, free[0] + needs)
    return max(free)


def run_all(
    jobs: Sequence[tuple[Scenario, int]],
    keep: Callable[[int, RunResult], None],
    progress: Callable[[float], None] | None = None,
    most: int | None = None,
) -> None:
    """Run pairs of scenario and seed, `most` of them at a time [`at_once`].

    `keep(index, result)` is called as soon as a run is over, `progress` with the seconds since the
    start. After an error or Ctrl-C the runs under way are ended, and their namespaces are removed.
    Raises TestbedError, RunError, OSError.
    """
    waiting = deque(range(len(jobs)))
    running: dict[int, subprocess.Popen[bytes]] = {}
    processes = Processes()
    began = time.monotonic()
    with TemporaryDirectory(prefix="evenair-") as name:
        folder = Path(name)
        try:
            while waiting or running:
                while waiting and len(running) < (most or at_once()):
                    index = waiting.popleft()
                    running[index] = _start(processes, folder / str(index), *jobs[index])
                for index in [i for i, child in running.items() if child.poll() is not None]:
                    child = running.pop(index)
                    keep(index, _result(folder / str(index), child.returncode))
                if progress is not None:
                    progress(time.monotonic() - began)
                time.sleep(_POLL_S)
        finally:
            with uninterrupted():
                processes.stop(grace_s=_CLEAN_UP_S)


def _start(
    processes: Processes, stem: Path, scenario: Scenario, seed: int
) -> subprocess.Popen[bytes]:
    """Start the command `evenair testbed`, which turns SIGTERM into an orderly end."""
    file = stem.with_suffix(".toml")
    file.write_text(scenario.to_toml(resolved=True), encoding="utf-8")
    command = python("evenair", "testbed", str(file), "--seed", str(seed), "--json")
    with stem.with_suffix(".json").open("wb") as out, stem.with_suffix(".err").open("wb") as err:
        return processes.start(command, stdout=out, stderr=err)


def _result(stem: Path, status: int) -> RunResult:
    """Return the result of a run, which may be one that is not to be trusted (status 1)."""
    text = stem.with_suffix(".json").read_text(encoding="utf-8").strip()
    if text:
        return RunResult(text)
    said = last_line(stem.with_suffix(".err")).removeprefix("evenair: ")
    raise (TestbedError if status == 2 else RunError)(said or f"evenair testbed: status {status}")
