"""Which of several settings remain after a race: those that none is clearly better than."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from evenair.tuning.trials import Trials

LEAST = 2
"""Runs of a setting before it is compared: of one value no spread is known."""


def race(trials: Trials, points: Iterable[int], budget: int, most: int) -> list[int]:
    """Run settings, a seed after the other, and drop those that are clearly worse than the best.

    Settings with fewer runs catch up first. It ends when one remains, when all that remain have
    `most` runs, or before a round that needs more than `budget` runs. Returns those that remain.
    O. Maron and A. W. Moore, "Hoeffding races", NIPS 6, 1994, with the t test for Hoeffding's
    bound, as in M. Birattari et al., "A racing algorithm", GECCO 2002.
    """
    active = sorted({*points})
    while len(active) > 1:
        count = max(LEAST, min(map(trials.count, active)) + 1)
        needed = [*active, *(point for point in trials.references if point is not None)]
        cost = trials.cost(needed, count)
        if count > most or cost > budget:
            break
        trials.extend(needed, count)
        budget -= cost
        active = remaining(trials, active)
    return active


def remaining(trials: Trials, points: Iterable[int]) -> list[int]:
    """Return the settings of some that are not clearly worse than the best of them."""
    ranked = trials.ranked(points)
    return sorted(ranked[:1] + [point for point in ranked[1:] if not loses(trials, point, ranked)])


def loses(trials: Trials, point: int, ranked: Sequence[int]) -> bool:
    """Return whether a setting is clearly worse than the first of some, or violates a limit.

    Where the first one does not meet the limits itself, on average, the violations are compared.
    """
    best = ranked[0]
    if trials.violation(best) == 0:
        return trials.violates(point) or trials.is_clear(trials.worse(point, best))
    return trials.is_clear(trials.excess(point, best))
