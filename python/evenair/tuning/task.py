"""What is to be found, and with what effort."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from evenair.campaign.errors import CampaignError
from evenair.engine import MAX_SEED
from evenair.text.messages import shown, whole_number
from evenair.tuning.measures import parse_limit, parse_metric
from evenair.tuning.search import least_runs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evenair.campaign.grid import Grid
    from evenair.tuning.measures import Limit, Metric

SHARE = 10
"""By default a search has at most the runs of a full grid over this, but those of as many settings
in any case."""


class Task(NamedTuple):
    """What is to be found, and with what effort."""

    grid: Grid
    objective: Metric
    sign: int
    """1 to minimise, -1 to maximise."""
    limits: Sequence[Limit]
    seed: int
    seeds: int
    runs: int
    confidence: float


def make_task(
    grid: Grid,
    minimise: str | None,
    maximise: str | None,
    subject_to: Iterable[str],
    *,
    seeds: int,
    runs: int | None,
    seed: int,
    confidence: float,
) -> Task:
    """Check what is to be found. Raises CampaignError, which begins with the option."""
    if not grid.axes:
        raise CampaignError("over: missing; give the keys to be chosen and their values")
    if (minimise is None) == (maximise is None):
        raise CampaignError("minimise: give either minimise or maximise, with one metric")
    option, text = ("minimise", minimise) if maximise is None else ("maximise", maximise)
    objective = parse_metric(text or "", option)
    if not isinstance(subject_to, Iterable):
        raise CampaignError(f"subject-to: got {shown(subject_to)}, expected texts")
    limits = [parse_limit(each) for each in subject_to]
    try:
        whole_number("seed", seed, 0, MAX_SEED)
        whole_number("seeds", seeds, 2, 1_000_000)
        if runs is not None:
            whole_number("runs", runs, 1)
    except ValueError as error:
        raise CampaignError(error) from None
    if isinstance(confidence, bool) or not isinstance(confidence, int | float):
        raise CampaignError(f"confidence: got {shown(confidence)}, expected a number, as 0.95")
    if not 0.5 < confidence < 1:
        raise CampaignError(
            f"confidence: got {confidence}, expected more than 0.5 and less than 1, as 0.95"
        )
    if seed + 2 * seeds - 1 > MAX_SEED:
        raise CampaignError(f"seeds: got {seeds}, but seeds from {seed} end at {MAX_SEED}")
    if len(grid) < 2:
        raise CampaignError("over: there is one setting, expected several to choose from")
    least = min(least_runs(seeds, sum(limit.best for limit in limits)), len(grid) * seeds)
    if runs is None:
        runs = max(least, min(len(grid) * seeds, max(len(grid) * seeds // SHARE, SHARE * seeds)))
    if runs < least:
        raise CampaignError(
            f"runs: got {runs}, expected at least {least}: the search, and the comparison of two"
            f" settings with {seeds} runs each"
        )
    sign = 1 if maximise is None else -1
    return Task(grid, objective, sign, limits, seed, seeds, runs, float(confidence))


def command_of(words: Sequence[str], task: Task) -> str:
    """Return the command that makes the same search, without --out; `words` are its beginning."""
    words = [*words]
    for axis in task.grid.axes:
        words.append(f"--over={axis.key}={','.join(axis.texts)}")
    words.append(f"--{'minimise' if task.sign > 0 else 'maximise'}={task.objective.text}")
    words += [f"--subject-to={limit.text}" for limit in task.limits]
    words += [f"--seeds={task.seeds}", f"--runs={task.runs}", f"--seed={task.seed}"]
    return shlex.join([*words, f"--confidence={task.confidence}"])
