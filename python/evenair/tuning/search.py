"""The search: iterated racing, from a coarse grid to the neighbours of the best settings."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from evenair.tuning.race import LEAST, race, remaining
from evenair.tuning.trials import Mean, Trials, mean_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evenair.tuning.lattice import Lattice
    from evenair.tuning.trials import Goal, Measure

ELITE = 3
"""Settings whose neighbours are tried."""
FINALISTS = 4
"""The most settings that are compared at the end. More of them make all intervals wider."""


class Plan(NamedTuple):
    """How many runs a search may use, and for what."""

    seeds: int
    """Runs of a setting in the search, at most, and of each finalist in the comparison."""
    runs: int
    """All runs, at most."""
    finalists: int
    """Settings that are compared at the end, or more of them if the search leaves runs."""
    references: int
    """Settings that may be compared with them, as they have the best value of a limit."""

    @property
    def search(self) -> int:
        """The runs of the search, at most; 0 if all settings are compared without one."""
        return self.runs - (self.finalists + self.references) * self.seeds


class Found(NamedTuple):
    """What a search has found."""

    search: Trials
    """All settings tried, with the first seeds."""
    final: Trials
    """The finalists, with other seeds."""
    finalists: Sequence[int]
    """Those that were compared, the best first."""
    within: float
    """The confidence of each interval of a difference of two finalists, so that all hold at once
    with the confidence asked for (Bonferroni)."""

    @property
    def chosen(self) -> int | None:
        """The best finalist, if it meets the limits on average."""
        best = self.finalists[0] if self.finalists else None
        return best if best is not None and self.final.violation(best) == 0 else None

    def advantage(self, point: int) -> Mean | None:
        """Return by how much the best finalist is better than another one."""
        return mean_of(self.final.worse(point, self.finalists[0]), self.within)


def least_runs(seeds: int, limits: int) -> int:
    """Return the fewest runs with which anything can be found out."""
    return (2 + limits) * seeds + 2 * LEAST


def plan(seeds: int, runs: int, settings: int, limits: int) -> Plan:
    """Divide `runs`: about a third is for the comparison of the finalists.

    `limits` is the number of limits that are relative to the best. A few settings are compared
    without a search.
    """
    if settings <= FINALISTS and settings * seeds <= runs:
        return Plan(seeds, settings * seeds, settings, 0)
    finalists = max(2, min(FINALISTS, runs // (3 * seeds) - limits))
    return Plan(seeds, runs, finalists, limits)


def search(lattice: Lattice, goal: Goal, measure: Measure, plan: Plan, confidence: float) -> Found:
    """Find the best setting of a lattice.

    The seeds of the search are 0 to plan.seeds - 1. The finalists are those that do best with
    them, so a comparison at the same seeds would favour them: it has as many seeds after those.

    Decisions of the search are tests with `confidence` each. Of the finalists, the intervals of all
    differences hold at once with `confidence`, whichever is chosen.
    """
    trials = Trials(goal, measure, confidence)
    if plan.search > 0:
        _explore(lattice, trials, plan)
        final = Trials(goal, _shifted(measure, plan.seeds), confidence)
        found = _finalists(trials, plan)
    else:
        final = Trials(goal, measure, confidence)
        found = list(range(len(lattice)))
    ranked: list[int] = []
    while found:
        needed = sorted({*found, *(p for p in trials.references if p is not None)})
        if final.cost(needed, plan.seeds) > plan.runs - trials.runs - final.runs:
            break
        final.extend(needed, plan.seeds)
        ranked = final.ranked()
        found = _next(trials, final, ranked[:1])
    pairs = max(1, len(ranked) * (len(ranked) - 1) // 2)
    return Found(trials, final, ranked, 1 - (1 - confidence) / pairs)


def _explore(lattice: Lattice, trials: Trials, plan: Plan) -> None:
    """Race the coarse grid with half of the runs, then the neighbours of the best."""
    half = max(plan.search // 2, 2 * LEAST)
    race(trials, lattice.coarse(max(2, half // LEAST)), half, plan.seeds)
    last = lattice.last_level()
    level = 0
    while trials.ranked() and (left := plan.search - trials.runs) >= LEAST:
        share = left // (last - level + 1) if level < last else left
        elite = trials.ranked()[:ELITE]
        fresh = dict.fromkeys(
            neighbour
            for point in elite
            for neighbour in lattice.neighbours(point, min(level, last))
            if not trials.is_known(neighbour)
        )
        if not fresh and level >= last:
            break
        # One run more than the least is for the races between those that are alike.
        race(trials, [*elite, *list(fresh)[: max(1, share // (LEAST + 1))]], share, plan.seeds)
        if trials.runs == plan.search - left and level >= last:
            break
        level += 1


def _finalists(trials: Trials, plan: Plan) -> list[int]:
    """Return the best settings: two, and others that are not clearly worse.

    Among them are the best one that meets the limits with confidence, and the best one that does so
    in spite of so many having been tried: those before them are often so near to a limit that they
    may all miss it with other seeds.
    """
    left = (plan.runs - trials.runs) // plan.seeds - plan.references
    count = max(plan.finalists, min(FINALISTS, left))
    ranked = _different(trials, trials.ranked())
    still = remaining(trials, ranked)
    safe = (
        next((point for point in ranked if trials.meets(point, tests)), ranked[0])
        for tests in (len(ranked), 1)
    )
    first = [*ranked[:1], *safe]
    others = [point for point in ranked if point in ranked[:2] or point in still]
    found = [*dict.fromkeys([*first, *others])][:count]
    return sorted(found, key=ranked.index)


def _next(trials: Trials, final: Trials, best: Sequence[int]) -> list[int]:
    """Return the setting to be compared next, if finalists miss a limit with the new seeds.

    It is one of those that the search has ranked before the best finalist that meets the limits,
    with preference for one that met them with confidence.
    """
    ranked = trials.ranked()
    if best and final.violation(best[0]) == 0:
        ranked = ranked[: ranked.index(best[0])] if best[0] in ranked else []
        missed = any(final.count(point) and final.violation(point) > 0 for point in ranked)
        if not missed or len(final.tried) >= 2 * FINALISTS:
            return []
    known = {*final.tried, *final.failed}
    others = [point for point in ranked if point not in known]
    return ([point for point in others if trials.meets(point)] or others)[:1]


def _different(trials: Trials, ranked: Sequence[int]) -> list[int]:
    """Leave out those that were the same as a better one at every seed, as limits never reached."""
    found: list[int] = []
    for point in ranked:
        if all(any(trials.differences(point, other)) for other in found):
            found.append(point)
    return found


def _shifted(measure: Measure, first: int) -> Measure:
    return lambda wanted: measure([(point, k + first) for point, k in wanted])
