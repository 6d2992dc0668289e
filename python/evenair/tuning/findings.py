"""From what a search has found to its result, and to the table of its runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evenair.campaign.errors import CampaignError
from evenair.campaign.storage import tables
from evenair.campaign.storage.replacement import fingerprint
from evenair.scenario import Scenario
from evenair.tuning.result import ALIKE, CHOSEN, CLOSEST, Measured, Setting, Tuning
from evenair.tuning.trials import mean_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import pyarrow as pa

    from evenair.campaign.storage.store import Store
    from evenair.tuning.runs import Runs
    from evenair.tuning.search import Found
    from evenair.tuning.task import Task
    from evenair.tuning.trials import Mean, Trials


def tuning_of(
    task: Task, found: Found, runs: Runs, store: Store, out: Path | None, command: str
) -> Tuning:
    """Write the table of all runs, and return the result. Raises CampaignError, OSError."""
    _check(task, found, runs)
    grid, chosen = task.grid, found.chosen
    searched = [point for point in found.search.ranked() if point not in found.finalists]
    settings = [_finalist(task, found, point) for point in found.finalists]
    settings += [_other(task, found, point) for point in searched]
    known = {*found.finalists, *searched}
    settings += [
        _unranked(task, found, point)
        for point in sorted({*found.search.all, *found.final.all} - known)
    ]
    scenario = None if chosen is None else Scenario._from_core(grid.scenario(chosen))
    return Tuning(
        objective=task.objective,
        sign=task.sign,
        limits=task.limits,
        bounds=[found.final.bound(k) for k in range(len(task.limits))],
        settings=settings,
        scenario=scenario,
        confidence=task.confidence,
        seeds=(task.seed, task.seeds),
        runs=found.search.runs + found.final.runs,
        new_runs=runs.new,
        grid=(len(grid), len(grid) * task.seeds),
        failures=[runs.failures[place] for place in sorted(runs.failures)],
        contents=_contents(task, runs, out, command),
        damaged=store.damaged,
    )


def _check(task: Task, found: Found, runs: Runs) -> None:
    """Raise CampaignError if no run has the objective, or the metric of a limit."""
    failures = list(runs.failures.values())
    if failures and not found.finalists:
        raise CampaignError(
            f"runs of all finalists failed: {failures[0].reason}; {failures[0].command}"
        )
    options = ["minimise" if task.sign > 0 else "maximise", *("subject-to" for _ in task.limits)]
    metrics = [task.objective, *(limit.metric for limit in task.limits)]
    for column, (option, metric) in enumerate(zip(options, metrics, strict=True)):
        if not any(
            trials.sample(point, column)
            for trials in (found.search, found.final)
            for point in trials.tried
        ):
            raise CampaignError(f"{option}: no run has a value of {metric.text}")


def _contents(task: Task, runs: Runs, out: Path | None, command: str) -> Mapping[str, pa.Table]:
    origin = tables.Origin(fingerprint(task.grid, runs.points()), command)
    table = tables.runs(task.grid, origin, runs.rows())
    if out is None:
        return {"runs": table.read()}
    tables.write({out: table})
    return tables.Files({"runs": out})


def _finalist(task: Task, found: Found, point: int) -> Setting:
    limits = _limits(found.final, point)
    best = found.finalists[0]
    behind = None if point == best else found.advantage(point)
    if point == best:
        verdict = CLOSEST if found.chosen is None else CHOSEN
    elif wrong := _wrong(task, limits):
        verdict = wrong
    elif behind is not None and behind.half is not None and behind.mean > behind.half:
        verdict = "worse"
    else:
        verdict = ALIKE
    return _setting(task, found, point, found.final, limits, behind, verdict)


def _other(task: Task, found: Found, point: int) -> Setting:
    """Return a setting that was not compared at the end."""
    trials, best = found.search, found.finalists[0]
    limits = _limits(trials, point)
    worse = trials.worse(point, best) if trials.count(best) else []
    behind = mean_of(worse, task.confidence)
    verdict = _wrong(task, limits) or _compared(worse, is_clear=trials.is_clear(worse))
    return _setting(task, found, point, trials, limits, behind, verdict)


def _compared(worse: Sequence[float], *, is_clear: bool) -> str:
    if is_clear:
        return "worse"
    if not worse or sum(worse) < 0:
        return "not compared"
    return "worse on average" if any(worse) else "the same"


def _unranked(task: Task, found: Found, point: int) -> Setting:
    is_failed = point in (*found.search.failed, *found.final.failed)
    verdict = "a run failed" if is_failed else f"no value of {task.objective.text}"
    missing = [Measured(None, "no value") for _ in task.limits]
    return _setting(task, found, point, found.search, missing, None, verdict)


def _setting(
    task: Task,
    found: Found,
    point: int,
    trials: Trials,
    limits: list[Measured],
    behind: Mean | None,
    verdict: str,
) -> Setting:
    return Setting(
        values=task.grid.values(point),
        overrides=task.grid.overrides(point),
        runs=found.search.count(point) + found.final.count(point),
        is_finalist=trials is found.final,
        objective=mean_of(trials.sample(point, 0), task.confidence),
        limits=limits,
        behind=behind,
        verdict=verdict,
    )


def _limits(trials: Trials, point: int) -> list[Measured]:
    measured = []
    for k in range(len(trials.goal.limits)):
        slack = trials.slack(point, k)
        mean = mean_of(trials.sample(point, k + 1), trials.confidence)
        if mean is None or not slack:
            verdict = "no value"
        elif trials.is_clear([-value for value in slack]):
            verdict = "violated"
        elif sum(slack) < 0:
            verdict = "missed on average"
        else:
            verdict = "met" if trials.is_met(point, k) else "met on average"
        measured.append(Measured(mean, verdict))
    return measured


def _wrong(task: Task, limits: list[Measured]) -> str:
    """Return what is wrong with a setting, or an empty text."""
    for limit, found in zip(task.limits, limits, strict=True):
        if not found.verdict.startswith("met"):
            return f"{found.verdict}: {limit.metric.text}"
    return ""
