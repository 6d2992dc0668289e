"""Run a campaign."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evenair import prototypes
from evenair.campaign.errors import CampaignError, CampaignInterrupted
from evenair.campaign.execution import check_prototypes, executor, open_store
from evenair.campaign.grid import Grid
from evenair.campaign.jobs import Run
from evenair.campaign.live import open_live, progress_line, remove_live, run_line
from evenair.campaign.precision import Precision, parse_precision
from evenair.campaign.result import Campaign, Failure
from evenair.campaign.storage import tables
from evenair.campaign.storage.identity import Identity
from evenair.campaign.storage.replacement import check_replaceable, fingerprint
from evenair.engine import MAX_SEED
from evenair.files.atomic import sibling
from evenair.scenario import Scenario, load
from evenair.text.axis import AxisError, make_axis
from evenair.text.messages import shown, whole_number

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    import pyarrow as pa
    from distributed import Client
    from distributed.deploy import Cluster

    from evenair.campaign.jobs import Execute, Outcome
    from evenair.campaign.storage.store import Store
    from evenair.files.live import Live

TABLES = ("runs", "flows", "series")
MAX_RUNS = 100_000_000
"""Runs of a campaign."""


def sweep(
    scenario: Scenario | str | os.PathLike[str],
    grid: Mapping[str, Iterable[Any] | str],
    runs: int | None = None,
    *,
    seed: int = 1,
    out: str | os.PathLike[str] | None = None,
    jobs: int | None = None,
    cluster: str | Client | Cluster | None = None,
    until: str | None = None,
    max_runs: int | None = None,
    flows: bool = False,
    series: bool = False,
    force: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Campaign:
    """Simulate a scenario for each combination of the values in `grid`, with several seeds.

    `grid` maps dotted keys ("cell.queue.limit") to their values, or to a text such as "10:150:10".
    Each point is simulated with the seeds seed, seed + 1, ..., seed + runs - 1. With
    `until="jain_index:1%"` a point gets more seeds until the half-width of the metric's 95%
    interval is at most 1% of its mean, at most `max_runs` [1000]; `runs` [3] is then the minimum.

    With `out` ("x.parquet") the runs are written there, and each finished run is kept in
    "x.parquet.runs": after an interruption the same call resumes where it stopped, and a larger
    grid needs only the new runs. `flows` and `series` also write the tables of flows
    ("x-flows.parquet") and of traces ("x-series.parquet"). An existing table with runs that this
    campaign does not include, or of another scenario, is replaced only with `force`.

    `jobs` is the number of runs at a time, by default and at most one per processor. `cluster` is
    the address of a Dask scheduler, or "local" for one with `jobs` processes, or a Dask client or
    cluster such as `LocalCluster(...)`, which stays open. `progress(done, total)` is called as runs
    finish; with `until`, the total grows.

    A run that fails does not stop the others: see Campaign.failures. Raises ScenarioError or
    CampaignError (a ValueError) before anything is run if an argument is not valid,
    CampaignInterrupted (a KeyboardInterrupt) after Ctrl-C, OSError if `out` cannot be written,
    RunError if no thread can be started or all processes of the local cluster have ended.
    """
    if not isinstance(grid, Mapping):
        expected = 'expected keys with their values, as in {"cell.queue.limit": [10, 20]}'
        raise CampaignError(f"grid: got {shown(grid)}, {expected}")
    try:
        axes = [make_axis(key, values) for key, values in grid.items()]
    except AxisError as error:
        raise CampaignError(f"vary: {error}") from None
    if out is not None and not isinstance(out, str | os.PathLike):
        raise CampaignError(f"out: got {shown(out)}, expected a file name")
    if progress is not None and not callable(progress):
        raise CampaignError(f"progress: got {shown(progress)}, expected a function")
    base = None
    if not isinstance(scenario, Scenario):
        loaded = load(scenario)
        base, scenario = f"evenair run {shlex.quote(os.fspath(scenario))}", loaded
    return run_campaign(
        Grid(scenario._core, axes),
        runs,
        seed=seed,
        out=None if out is None else Path(out),
        jobs=jobs,
        cluster=cluster,
        until=until,
        max_runs=max_runs,
        table_names=("runs", *(["flows"] if flows else []), *(["series"] if series else [])),
        force=force,
        progress=progress,
        base=base,
    )


def run_campaign(
    grid: Grid,
    runs: int | None,
    *,
    seed: int,
    out: Path | None,
    jobs: int | None,
    cluster: str | Client | Cluster | None,
    until: str | None,
    max_runs: int | None,
    table_names: Sequence[str],
    force: bool,
    progress: Callable[[int, int], None] | None,
    base: str | None,
    command: str | None = None,
    live: Live | None = None,
) -> Campaign:
    """Do what `sweep` does, for a grid. `base`: see Failure.base; `command`: Origin.command.

    `live` is where it says what it has done, instead of its live file.
    """
    _check_numbers(seed=seed, runs=runs, jobs=jobs, max_runs=max_runs)
    precision = _precision(until, runs, max_runs)
    count = precision.min_runs if precision else runs or 0
    most = precision.max_runs if precision else count
    _check(grid, count, most, seed, jobs, cluster)
    for point, core in grid.scenarios():
        if prototypes.any_registered():
            resolved = Scenario._from_core(core).resolved
            check_prototypes(resolved, out, is_cluster=cluster is not None)
        if "series" in table_names and "trace" not in Scenario._from_core(core).resolved:
            where = "".join(f" with {key}={value}" for key, value in grid.overrides(point))
            raise CampaignError(
                f"series: the scenario has no trace{where}; set trace.interval, as in '1 s'"
            )
    if out is not None and out.suffix != ".parquet":
        raise CampaignError(f"out: got {out}, expected a file name that ends in .parquet")
    paths = {} if out is None else {name: _path(out, name) for name in table_names}
    for path in paths.values():
        if path.is_dir():
            raise CampaignError(f"out: {path}: is a directory, expected a file")
    for path in () if force else paths.values():
        check_replaceable(path, grid, seed, most)
    execute, close = executor(jobs, cluster)
    try:
        with open_store(out) as store, ExitStack() as at_end:
            if live is None and out is not None:
                at_end.callback(remove_live, out)  # before it is made: Ctrl-C may come in between
            said = at_end.enter_context(live or open_live(out, grid))
            work = _Work(grid, seed, store, said, base, command, progress)
            try:
                work.run(execute, count, precision)
                return work.finish(paths, table_names)
            except KeyboardInterrupt:
                raise CampaignInterrupted(work.kept(), store.damaged) from None
    except CampaignInterrupted:
        raise
    except KeyboardInterrupt:  # as the store was opened or closed
        raise CampaignInterrupted(None, None) from None
    finally:
        close()


class _Work:
    """A campaign in progress."""

    def __init__(
        self,
        grid: Grid,
        seed: int,
        store: Store,
        live: Live,
        base: str | None,
        command: str | None,
        progress: Callable[[int, int], None] | None,
    ) -> None:
        self._grid, self._seed, self._store, self._base = grid, seed, store, base
        self._live = live
        self._command = command
        self._progress = progress
        self._stored = store.ids()
        """The runs stored before this call, of this campaign and of others."""
        self._others = len(self._stored)
        """How many of them do not belong to this campaign, as far as is known."""
        self._known: set[bytes] = set()
        """The runs of this campaign that are stored, in progress, or failed."""
        self._counts: dict[int, int] = {}
        """The number of seeds of a point, where it is not `self._count`."""
        self._count = 0
        self._done = self._total = self._new = 0
        self._failures: list[tuple[int, Failure]] = []
        self._unsettled: list[int] = []

    def run(self, execute: Execute, count: int, precision: Precision | None) -> None:
        """Do the missing runs: `count` seeds per point, and more until a precision is reached."""
        self._count = count
        self._round(execute, range(len(self._grid)), 0)
        if precision is None:
            return
        imprecise: Sequence[int] = self._imprecise(range(len(self._grid)), precision)
        while imprecise:
            for point in imprecise:
                self._counts[point] = precision.next(count)
            self._round(execute, imprecise, count)
            count = precision.next(count)
            imprecise = self._imprecise(imprecise, precision)

    def _round(self, execute: Execute, points: Sequence[int], start: int) -> None:
        if points:
            self._total += len(points) * (self._counts.get(points[0], self._count) - start)
        execute(self._missing(points, start), self._report)

    def _missing(self, points: Iterable[int], start: int) -> Iterator[Run]:
        for point in points:
            scenario = self._grid.scenario(point)
            identity = Identity(scenario.resolved_json())
            for k in range(start, self._counts.get(point, self._count)):
                run = Run(identity.of(self._seed + k), point, self._seed + k, scenario)
                if run.id in self._stored:
                    self._stored.remove(run.id)
                    self._others -= 1
                    if self._live.is_open and (record := self._store.get(run.id)) is not None:
                        self._live.write(run_line(self._grid, run, record))
                elif run.id not in self._known:
                    self._known.add(run.id)
                    yield run
                    continue
                self._known.add(run.id)
                self._done += 1
        self._update_progress()

    def kept(self) -> int:
        """Return how many runs of this campaign are stored, of those reached so far."""
        return len(self._store.ids()) - self._others

    def _report(self, outcomes: Sequence[Outcome]) -> None:
        finished = [(run.id, record) for run, record in outcomes if not isinstance(record, str)]
        self._store.add(finished)
        self._live.write(
            *(
                run_line(self._grid, run, record)
                for run, record in outcomes
                if not isinstance(record, str)
            )
        )
        self._new += len(finished)
        self._failures += [
            (run.point, self._failure(run, reason))
            for run, reason in outcomes
            if isinstance(reason, str)
        ]
        self._done += len(outcomes)
        self._update_progress()

    def _update_progress(self) -> None:
        self._live.write(progress_line(self._done, self._total))
        if self._progress is not None:
            self._progress(self._done, self._total)

    def _failure(self, run: Run, reason: str) -> Failure:
        return Failure(
            values=self._grid.values(run.point),
            overrides=self._grid.overrides(run.point),
            seed=run.seed,
            reason=reason,
            scenario=Scenario._from_core(run.scenario),
            base=self._base,
        )

    def _imprecise(self, points: Iterable[int], precision: Precision) -> list[int]:
        """Return the points that need more runs; note those that have reached the maximum."""
        imprecise: list[int] = []
        for point in points:
            sample = [
                metrics[precision.metric]
                for row in self._rows([point], flows=False, series=False)
                if precision.metric in (metrics := row.metrics())
            ]
            if precision.met(sample):
                continue
            may_have_more = self._counts.get(point, self._count) < precision.max_runs
            # More runs do not help if no run has the metric.
            (imprecise if may_have_more and sample else self._unsettled).append(point)
        return imprecise

    def finish(self, paths: Mapping[str, Path], names: Sequence[str]) -> Campaign:
        """Write the tables, or keep them in memory if they have no paths."""
        points = range(len(self._grid))
        known = (p for p in points if any(self._rows([p], flows=False, series=False)))
        origin = tables.Origin(fingerprint(self._grid, known), self._command)
        made = {name: self._table(name, origin) for name in names}
        contents: Mapping[str, pa.Table]
        if paths:
            tables.write({paths[name]: made[name] for name in names})
            contents = tables.Files(paths)
        else:
            contents = {name: table.read() for name, table in made.items()}
        return Campaign(
            contents,
            [axis.key for axis in self._grid.axes],
            [failure for _, failure in sorted(self._failures, key=lambda f: (f[0], f[1].seed))],
            [self._grid.values(point) for point in sorted(self._unsettled)],
            self._new,
            self._store.foreign(),
            self._store.damaged,
        )

    def _table(self, name: str, origin: tables.Origin) -> tables.Table:
        grid, points = self._grid, range(len(self._grid))
        if name == "flows":
            rows = partial(self._rows, points, flows=True, series=False)
            return tables.flows(grid, origin, rows)
        if name == "series":
            return tables.series(grid, origin, self._rows(points, flows=False, series=True))
        return tables.runs(grid, origin, self._rows(points, flows=False, series=False))

    def _rows(self, points: Iterable[int], *, flows: bool, series: bool) -> Iterator[tables.Row]:
        """Return the finished runs of points, in order."""
        for point in points:
            identity = Identity(self._grid.scenario(point).resolved_json())
            values = self._grid.values(point)
            for k in range(self._counts.get(point, self._count)):
                record = self._store.get(identity.of(self._seed + k), flows=flows, series=series)
                if record is not None:
                    yield tables.Row(values, self._seed + k, record)


def _precision(until: str | None, runs: int | None, max_runs: int | None) -> Precision | None:
    if until is not None:
        return parse_precision(until, runs, max_runs)
    if max_runs is not None:
        raise CampaignError(f"max-runs: got {max_runs}, but until is not given")
    if runs is None:
        raise CampaignError("runs: missing; give the number of runs per point of the grid")
    return None


def _check_numbers(*, seed: int, runs: int | None, jobs: int | None, max_runs: int | None) -> None:
    counts = {"runs": runs, "jobs": jobs, "max-runs": max_runs}
    try:
        whole_number("seed", seed, 0, MAX_SEED)
        for name, value in counts.items():
            if value is not None:
                whole_number(name, value, 1)
    except ValueError as error:
        raise CampaignError(error) from None


def _check(
    grid: Grid,
    count: int,
    most: int,
    seed: int,
    jobs: int | None,
    cluster: str | Client | Cluster | None,
) -> None:
    if seed + most - 1 > MAX_SEED:
        raise CampaignError(f"runs: got {most}, but seeds from {seed} end at {MAX_SEED}")
    if len(grid) * count > MAX_RUNS:
        raise CampaignError(
            f"runs: {len(grid)} points with {count} runs each, expected at most {MAX_RUNS} in all"
        )
    if jobs is not None and not (cluster is None or cluster == "local"):
        raise CampaignError(f"jobs: got {jobs}, but the cluster {cluster} has its own workers")


def _path(out: Path, table: str) -> Path:
    return out if table == "runs" else sibling(out, table)
