"""What has been measured of settings, seed by seed, and how they compare.

All settings have the same seeds, and all comparisons are of differences at equal seeds (common
random numbers): what a seed does to both is no part of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from evenair.statistics import t_quantile

if TYPE_CHECKING:
    from collections.abc import Iterable

    from evenair.tuning.measures import Limit

Measured: TypeAlias = "tuple[float | None, ...] | None"
"""Of a run the objective and then the metric of each limit, None for one that it does not have;
None if it failed."""

Measure: TypeAlias = Callable[[Sequence[tuple[int, int]]], Sequence[Measured]]
"""Runs settings, each with the k-th seed: pairs of a setting and k."""


class Goal(NamedTuple):
    """What is sought."""

    sign: int
    """1: the least, -1: the largest value of the objective."""
    limits: Sequence[Limit] = ()


class Mean(NamedTuple):
    """A mean of independent values and the half-width of its interval."""

    mean: float
    half: float | None
    """None for a single value."""


def mean_of(sample: Sequence[float], within: float) -> Mean | None:
    """Return the mean and Student's interval; None without a value."""
    n = len(sample)
    if n == 0:
        return None
    mean = math.fsum(sample) / n
    if n == 1:
        return Mean(mean, None)
    variance = math.fsum((value - mean) ** 2 for value in sample) / (n - 1)
    return Mean(mean, t_quantile(within, n - 1) * math.sqrt(variance / n))


class Trials:
    """Settings with what their runs have measured, in the order of the seeds."""

    def __init__(self, goal: Goal, measure: Measure, confidence: float) -> None:
        self.goal = goal
        self._measure = measure
        self.confidence = confidence
        self._samples: dict[int, list[tuple[float | None, ...]]] = {}
        self._failed: dict[int, None] = {}
        self.runs = 0
        """How many have been done."""
        self.references: list[int | None] = [None] * len(goal.limits)
        """Of each limit that is relative to the best, the setting that has the best value."""

    @property
    def tried(self) -> list[int]:
        """The settings of which all runs have succeeded, in the order of the grid."""
        return sorted(point for point in self._samples if point not in self._failed)

    @property
    def all(self) -> list[int]:
        """The settings that have been run."""
        return list(self._samples)

    @property
    def failed(self) -> list[int]:
        """The settings of which a run has failed."""
        return sorted(self._failed)

    def is_known(self, point: int) -> bool:
        """Return whether a setting has been run, even if it has failed."""
        return point in self._samples

    def count(self, point: int) -> int:
        """Return the number of runs of a setting."""
        return len(self._samples.get(point, ()))

    def cost(self, points: Iterable[int], count: int) -> int:
        """Return how many runs are needed for `count` runs of each setting."""
        return sum(max(0, count - self.count(point)) for point in {*points})

    def extend(self, points: Iterable[int], count: int) -> None:
        """Run settings until each has `count` runs, and find the references."""
        wanted = [
            (point, k)
            for point in dict.fromkeys(points)
            if point not in self._failed
            for k in range(self.count(point), count)
        ]
        for (point, _), measured in zip(wanted, self._measure(wanted), strict=True):
            sample = self._samples.setdefault(point, [])
            if measured is None:
                self._failed[point] = None
            else:
                sample.append(measured)
        self.runs += len(wanted)
        self._find_references()

    def sample(self, point: int, column: int) -> list[float]:
        """Return the values of a setting: 0 is the objective, k the metric of limit k - 1."""
        rows = self._samples.get(point, ())
        return [value for row in rows if (value := row[column]) is not None]

    def differences(self, point: int, other: int, column: int = 0) -> list[float]:
        """Return by how much a setting's values exceed those of another, at each common seed."""
        rows = zip(self._samples[point], self._samples[other], strict=False)
        return [
            a[column] - b[column]  # type: ignore[operator]
            for a, b in rows
            if a[column] is not None and b[column] is not None
        ]

    def worse(self, point: int, other: int) -> list[float]:
        """Return by how much a setting's objective is worse than another's, at each seed."""
        return [self.goal.sign * value for value in self.differences(point, other)]

    def slack(self, point: int, k: int) -> list[float]:
        """Return by how much a setting meets limit k at each seed; what is negative violates it.

        Relative to the best, it is the distance to that part of the reference's value at this seed.
        """
        limit, reference = self.goal.limits[k], self.references[k]
        if not limit.best:
            return [limit.sign * (value - limit.number) for value in self.sample(point, k + 1)]
        if reference is None:
            return []
        rows = zip(self._samples[point], self._samples[reference], strict=False)
        return [
            limit.sign * (a[k + 1] - limit.number * b[k + 1])  # type: ignore[operator]
            for a, b in rows
            if a[k + 1] is not None and b[k + 1] is not None
        ]

    def bound(self, k: int) -> float | None:
        """Return the value of limit k, in the unit of its metric; None without a reference."""
        limit, reference = self.goal.limits[k], self.references[k]
        if not limit.best:
            return limit.number
        mean = None if reference is None else mean_of(self.sample(reference, k + 1), 0.95)
        return None if mean is None else limit.number * mean.mean

    def violation(self, point: int) -> float:
        """Return by how much a setting violates the limits on average, relative to them; or 0.

        Infinite if it does not have a metric that is limited.
        """
        total = 0.0
        for k in range(len(self.goal.limits)):
            slack, bound = self.slack(point, k), self.bound(k)
            if not slack or bound is None:
                return math.inf
            mean = math.fsum(slack) / len(slack)
            total += max(0.0, -mean) / (abs(bound) or 1.0)
        return total

    def excess(self, point: int, other: int) -> list[float]:
        """Return by how much more a setting violates the limits than another, at each seed."""
        total: list[float] = []
        for k in range(len(self.goal.limits)):
            bound = abs(self.bound(k) or 0.0) or 1.0
            parts = [
                (max(0.0, -a) - max(0.0, -b)) / bound
                for a, b in zip(self.slack(point, k), self.slack(other, k), strict=False)
            ]
            total = [sum(pair) for pair in zip(total, parts, strict=False)] if total else parts
        return total

    def violates(self, point: int) -> bool:
        """Return whether a setting violates a limit with confidence, or has no value of it."""
        for k in range(len(self.goal.limits)):
            slack = self.slack(point, k)
            if not slack or self.is_clear([-value for value in slack]):
                return True
        return False

    def meets(self, point: int, tests: int = 1) -> bool:
        """Return whether a setting meets all limits with confidence, one of `tests` settings."""
        return all(self.is_met(point, k, tests) for k in range(len(self.goal.limits)))

    def is_met(self, point: int, k: int, tests: int = 1) -> bool:
        """Return whether a setting meets limit k with confidence, or by the same at every seed."""
        slack = self.slack(point, k)
        return self.is_clear(slack, tests) or (len(slack) > 1 and min(slack) == max(slack) >= 0)

    def is_clear(self, sample: Sequence[float], tests: int = 1) -> bool:
        """Return whether a mean is above 0 with confidence: a one-sided test, one of `tests`."""
        found = mean_of(sample, 1 - 2 * (1 - self.confidence) / tests)
        return found is not None and found.half is not None and found.mean - found.half > 0

    def ranked(self, points: Iterable[int] | None = None) -> list[int]:
        """Return settings, all by default, the best first; those without the objective left out.

        Those that meet the limits on average come first, by the objective; then the others, by
        how little they violate them (K. Deb, Computer Methods in Applied Mechanics and Engineering
        186, 2000). Settings with few runs are compared by their differences from one that has
        most, at the seeds of both.
        """
        tried = self.tried if points is None else [p for p in points if p not in self._failed]
        known = [point for point in tried if self.sample(point, 0)]
        if not known:
            return []
        anchor = max(known, key=lambda point: (self.count(point), -point))

        def key(point: int) -> tuple[float, float, int]:
            differences = self.worse(point, anchor)
            if not differences:
                return self.violation(point), math.inf, point
            return self.violation(point), math.fsum(differences) / len(differences), point

        return sorted(known, key=key)

    def _find_references(self) -> None:
        """Choose for each limit the setting with the best mean, and keep it until one is better.

        Better with confidence, so that it does not change with each run.
        """
        for k, limit in enumerate(self.goal.limits):
            if not limit.best:
                continue
            reference = self.references[k]
            known = [point for point in self.tried if self.sample(point, k + 1)]
            if reference not in known:
                most = max(map(self.count, known), default=0)
                first = [point for point in known if self.count(point) == most]
                reference = max(
                    first,
                    key=lambda point: (limit.sign * self._mean(point, k + 1), -point),
                    default=None,
                )
            better = [
                point
                for point in known
                if reference is not None
                and self.is_clear(self._gain(point, reference, k), len(known))
            ]
            if better and reference is not None:
                base = reference
                reference = max(
                    better,
                    key=lambda point: (math.fsum(g := self._gain(point, base, k)) / len(g), -point),
                )
            self.references[k] = reference

    def _gain(self, point: int, reference: int, k: int) -> list[float]:
        sign = self.goal.limits[k].sign
        return [sign * value for value in self.differences(point, reference, k + 1)]

    def _mean(self, point: int, column: int) -> float:
        sample = self.sample(point, column)
        return math.fsum(sample) / len(sample)
