"""Run scenarios on all processors."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, overload

from evenair._core import RunError
from evenair._core import run_jobs as run_core_jobs
from evenair.files.atomic import AtomicOutput, sibling
from evenair.result import RunResult, RunSet
from evenair.scenario import Scenario, load
from evenair.text.messages import shown, whole_number

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

MAX_SEED = 2**64 - 1

T = TypeVar("T")


class Interrupted(KeyboardInterrupt):
    """Ctrl-C came before all runs were done."""

    def __init__(self, finished: list[Any], message: str | None = None) -> None:
        super().__init__(message or f"interrupted after {len(finished)} runs")
        self.finished = finished
        """The results of the first jobs, up to the first that had not finished."""


@overload
def run(
    scenario: Scenario | str | os.PathLike[str],
    seed: int = 1,
    runs: None = None,
    *,
    threads: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    pcap: str | os.PathLike[str] | None = None,
    delay_by_place: bool = False,
) -> RunResult: ...


@overload
def run(
    scenario: Scenario | str | os.PathLike[str],
    seed: int = 1,
    *,
    runs: int,
    threads: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    delay_by_place: bool = False,
) -> RunSet: ...


def run(
    scenario: Scenario | str | os.PathLike[str],
    seed: int = 1,
    runs: int | None = None,
    *,
    threads: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    pcap: str | os.PathLike[str] | None = None,
    delay_by_place: bool = False,
) -> RunResult | RunSet:
    """Simulate a scenario, or the built-in one or the TOML file of that name.

    With `runs`, simulates it with the seeds seed, seed + 1, ..., seed + runs - 1 and returns a
    RunSet. A result depends on scenario and seed alone.

    `threads` is the number of runs at a time, by default and at most one per processor that this
    process may use. `progress(done, total)` is called after each run.

    `pcap` names a capture file, of a single run only: the air is captured to `x.pcapng`, the wire
    to `x-wire.pcapng`. Both files appear when the run is done, or not at all. Of a cell of WiMAX
    only the wire is captured.

    With `delay_by_place` the flows of the result say where their one-way delay is, which
    `RunResult.explain_delays` puts into words. All else but `events` is as without it, and the run
    takes longer.

    Raises ScenarioError, RunError (with the seed that reproduces it), ValueError, OSError if the
    captures cannot be written.
    """
    if not isinstance(scenario, Scenario):
        scenario = load(scenario)
    seed = whole_number("seed", seed, 0, MAX_SEED, "; for several seeds, give runs")
    runs = None if runs is None else whole_number("runs", runs, 1)
    threads = None if threads is None else whole_number("threads", threads, 1)
    if progress is not None and not callable(progress):
        raise ValueError(f"progress: got {shown(progress)}, expected a function")
    if pcap is not None:
        if runs is not None:
            raise ValueError("pcap: a capture is of one run; leave out runs")
        if not isinstance(pcap, str | os.PathLike):
            raise ValueError(f"pcap: got {shown(pcap)}, expected a file name")
        return _run_captured(scenario, seed, progress, Path(pcap), delay_by_place)
    if runs is None:
        jobs, threads = [(scenario, seed)], 1
    else:
        jobs = [(scenario, seed + k) for k in range(runs)]
    results = run_jobs(jobs, threads, progress, delay_by_place=delay_by_place)
    return results[0] if runs is None else RunSet(results)


def _run_captured(
    scenario: Scenario,
    seed: int,
    progress: Callable[[int, int], None] | None,
    pcap: Path,
    delay_by_place: bool,
) -> RunResult:
    if pcap.suffix.lower() != ".pcapng":
        raise ValueError(f"pcap: got {str(pcap)!r}, expected a file name that ends in .pcapng")
    with AtomicOutput() as output:
        air = output.stage(pcap) if captures_air(scenario) else None
        staged = (air, output.stage(sibling(pcap, "wire")))
        (result,) = run_jobs(
            [(scenario, seed)], 1, progress, pcap=staged, delay_by_place=delay_by_place
        )
        output.commit()
    return result


def captures_air(scenario: Scenario) -> bool:
    """Return whether frames on the air can be captured: those of IEEE 802.11."""
    kind: str = scenario.resolved["cell"]["kind"]
    return kind == "wlan"


def run_jobs(
    jobs: Sequence[tuple[Scenario, int]],
    threads: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    *,
    pcap: tuple[Path | None, Path] | None = None,
    delay_by_place: bool = False,
) -> list[RunResult]:
    """Simulate pairs of scenario and seed in parallel; the results are in the order of the jobs.

    `threads` is the number of runs at a time, by default and at most one per processor that this
    process may use. `progress(done, total)` is called after each run. Ctrl-C raises Interrupted,
    which has the finished runs. Raises RunError once all others are done or if no thread can be
    started, ValueError for a seed beyond 64 bits.

    `pcap` are the capture files of the air, or None, and of the wire, written during the run, the
    only one; after an error they are left as they are. With `delay_by_place` the results say where
    the delay of flows is.
    """
    options: dict[str, Any] = {"pcap": pcap, "delay_by_place": delay_by_place}
    return map_runs(lambda result: result, jobs, threads, progress, **options)


def map_runs(
    function: Callable[[RunResult], T],
    jobs: Sequence[tuple[Scenario, int]],
    threads: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    *,
    pcap: tuple[Path | None, Path] | None = None,
    delay_by_place: bool = False,
) -> list[T]:
    """Do what `run_jobs` does, and return what `function` returns for each result.

    `function` is called as soon as a run is done, so only what it returns stays in memory.
    """
    for _, seed in jobs:
        whole_number("seed", seed, 0, MAX_SEED)
    if threads is not None:
        whole_number("threads", threads, 1)
    values: dict[int, T] = {}
    failures: dict[int, str] = {}

    def on_results(outcomes: list[tuple[int, str | None, str | None]]) -> None:
        for index, text, reason in outcomes:
            if text is None:
                failures[index] = str(reason)
                continue
            values[index] = function(RunResult(text))
            if progress is not None:
                progress(len(values), len(jobs))

    core_jobs = ((scenario._core, seed) for scenario, seed in jobs)
    try:
        run_core_jobs(core_jobs, useful(threads), on_results, pcap, delay_by_place)
    except KeyboardInterrupt:
        raise Interrupted(_leading(values)) from None
    if failures:
        raise RunError(failures[min(failures)])
    return _leading(values)


def processors() -> int:
    """Return the number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def useful(threads: int | None) -> int:
    """Return the number of runs at a time: as requested, but at most one per processor."""
    return processors() if threads is None else min(threads, processors())


def _leading(values: dict[int, T]) -> list[T]:
    """Return the values of the first jobs, up to the first that is missing."""
    leading: list[T] = []
    while len(leading) in values:
        leading.append(values[len(leading)])
    return leading
