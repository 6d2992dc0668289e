"""Find the best setting of a scenario."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evenair import prototypes
from evenair._core import quantity
from evenair.campaign.errors import CampaignError, CampaignInterrupted
from evenair.campaign.execution import check_prototypes, executor, open_store
from evenair.campaign.grid import Grid
from evenair.campaign.live import open_live, remove_live
from evenair.scenario import Scenario, load
from evenair.text.axis import AxisError, make_axis
from evenair.text.messages import shown, whole_number
from evenair.tuning.findings import tuning_of
from evenair.tuning.lattice import Lattice
from evenair.tuning.runs import Runs
from evenair.tuning.search import plan, search
from evenair.tuning.task import command_of, make_task
from evenair.tuning.trials import Goal

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from distributed import Client
    from distributed.deploy import Cluster

    from evenair.text.axis import Axis
    from evenair.tuning.result import Tuning
    from evenair.tuning.task import Task


def tune(
    scenario: Scenario | str | os.PathLike[str],
    over: Mapping[str, Iterable[Any] | str],
    *,
    minimise: str | None = None,
    maximise: str | None = None,
    subject_to: str | Iterable[str] = (),
    seeds: int = 10,
    runs: int | None = None,
    seed: int = 1,
    confidence: float = 0.95,
    out: str | os.PathLike[str] | None = None,
    jobs: int | None = None,
    cluster: str | Client | Cluster | None = None,
    force: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Tuning:
    """Find the combination of the values in `over` with the least or largest mean of a metric.

    `over` is as in `sweep`. The metric is one of a campaign's table, or the mean over some flows of
    a column of its table of flows, as in "one_way_delay_p95_s[group=calls]". `subject_to` are
    limits such as "mean_rtt_s <= 20 ms", or relative to the best setting tried, as in
    "aggregate_goodput_bps >= 0.95 best".

    The search races settings with the seeds seed, ..., seed + seeds - 1, the same for all, from a
    coarse grid to the neighbours of the best. The last few are compared with the next `seeds`
    seeds, by differences at equal seeds; their intervals hold at once with `confidence`. `runs` is
    the most runs it may use, by default a tenth of `seeds` for each combination, but at least
    10 * seeds. The same arguments give the same answer.

    With `out` ("x.parquet") the table of all runs is written there, and finished runs are kept in
    "x.parquet.runs", as those of `sweep`, which uses them as well: after an interruption, the same
    call repeats none. A table of anything else is replaced only with `force`. `jobs`, `cluster`
    and `progress` are those of `sweep`.

    Raises ScenarioError or CampaignError (a ValueError), CampaignInterrupted after Ctrl-C, OSError
    if `out` cannot be written.
    """
    if not isinstance(over, Mapping):
        expected = 'expected keys with their values, as in {"cell.queue.limit": [10, 20]}'
        raise CampaignError(f"over: got {shown(over)}, {expected}")
    try:
        axes = [make_axis(key, values) for key, values in over.items()]
    except AxisError as error:
        raise CampaignError(f"over: {error}") from None
    if out is not None and not isinstance(out, str | os.PathLike):
        raise CampaignError(f"out: got {shown(out)}, expected a file name")
    if progress is not None and not callable(progress):
        raise CampaignError(f"progress: got {shown(progress)}, expected a function")
    name, base = "SCENARIO.toml", None
    if not isinstance(scenario, Scenario):
        name, scenario = os.fspath(scenario), load(scenario)
        base = f"evenair run {shlex.quote(name)}"
    task = make_task(
        Grid(scenario._core, axes, "over"),
        minimise,
        maximise,
        [subject_to] if isinstance(subject_to, str) else subject_to,
        seeds=seeds,
        runs=runs,
        seed=seed,
        confidence=confidence,
    )
    return run_search(
        task,
        out=None if out is None else Path(out),
        jobs=jobs,
        cluster=cluster,
        force=force,
        progress=progress,
        base=base,
        command=command_of(["evenair", "tune", name], task),
    )


def run_search(
    task: Task,
    *,
    out: Path | None,
    jobs: int | None,
    cluster: str | Client | Cluster | None,
    force: bool,
    progress: Callable[[int, int], None] | None,
    base: str | None,
    command: str,
) -> Tuning:
    """Do what `tune` does. `base`: see Failure.base; `command`: Origin.command."""
    grid = task.grid
    _check(grid, out, jobs, cluster, force=force)
    metrics = [task.objective, *(limit.metric for limit in task.limits)]
    execute, close = executor(jobs, cluster)
    try:
        with open_store(out) as store, ExitStack() as at_end:
            if out is not None:
                at_end.callback(remove_live, out)  # before it is made: Ctrl-C may come in between
            live = at_end.enter_context(open_live(out, grid))
            relative = sum(limit.best for limit in task.limits)
            budget = plan(task.seeds, task.runs, len(grid), relative)
            runs = Runs(grid, task.seed, metrics, execute, store, live, progress, budget.runs, base)
            try:
                lattice = Lattice([len(axis.texts) for axis in grid.axes], _orders(grid.axes))
                goal = Goal(task.sign, task.limits)
                found = search(lattice, goal, runs.measure, budget, task.confidence)
                return tuning_of(task, found, runs, store, out, command)
            except KeyboardInterrupt:
                raise CampaignInterrupted(runs.kept(), store.damaged) from None
    except CampaignInterrupted:
        raise
    except KeyboardInterrupt:  # as the store was opened or closed
        raise CampaignInterrupted(None, None) from None
    finally:
        close()


def _check(
    grid: Grid,
    out: Path | None,
    jobs: int | None,
    cluster: str | Client | Cluster | None,
    *,
    force: bool,
) -> None:
    if jobs is not None:
        try:
            whole_number("jobs", jobs, 1)
        except ValueError as error:
            raise CampaignError(error) from None
        if not (cluster is None or cluster == "local"):
            raise CampaignError(f"jobs: got {jobs}, but the cluster {cluster} has its own workers")
    if out is not None and out.suffix != ".parquet":
        raise CampaignError(f"out: got {out}, expected a file name that ends in .parquet")
    if out is not None and out.is_dir():
        raise CampaignError(f"out: {out}: is a directory, expected a file")
    if out is not None and out.exists() and not force and not _is_of_a_search(out):
        raise CampaignError(
            f"out: {out}: is not a table of evenair tune; give another file, or --force to replace"
            " it (force=True)"
        )
    for _, core in grid.scenarios():
        if prototypes.any_registered():
            resolved = Scenario._from_core(core).resolved
            check_prototypes(resolved, out, is_cluster=cluster is not None)


def _is_of_a_search(path: Path) -> bool:
    """Return whether a table was made by a search, which would make it again of stored runs."""
    import pyarrow as pa

    from evenair.campaign.storage.tables import METADATA
    from evenair.files import parquet

    try:
        with parquet.opened(path) as (file, _):
            about = json.loads(file.schema_arrow.metadata[METADATA])
            return str(about["command"]).startswith("evenair tune ")
    except (parquet.Damaged, OSError, pa.ArrowException, KeyError, TypeError, ValueError):
        return False


def _orders(axes: Sequence[Axis]) -> list[list[int] | None]:
    """Return the positions of each axis' values in ascending order; None if they are no numbers."""
    orders: list[list[int] | None] = []
    for axis in axes:
        numbers = _numbers(axis)
        ascending = (
            None if numbers is None else sorted(range(len(numbers)), key=numbers.__getitem__)
        )
        orders.append(ascending)
    return orders


def _numbers(axis: Axis) -> list[float] | None:
    """Return the values of an axis as numbers, plain ones or quantities; None if they are none."""
    values = axis.values
    if all(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
        return [float(value) for value in values]
    for kind in ("time", "rate", "size", "frequency"):
        try:
            return [quantity(kind, str(value)) for value in values]
        except ValueError:
            continue
    return None
