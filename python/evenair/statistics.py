"""Means of independent runs and their confidence intervals."""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class Estimate(NamedTuple):
    """A mean and the half-width of its 95% confidence interval, in the unit of the sample."""

    mean: float
    ci95: float | None
    """Student's t, n - 1 degrees of freedom; None for a single value, which has no spread."""


def estimate(sample: Sequence[float]) -> Estimate:
    """Estimate the mean of a distribution from independent samples. Needs at least one value."""
    n = len(sample)
    mean = math.fsum(sample) / n
    if n == 1:
        return Estimate(mean, None)
    variance = math.fsum((value - mean) ** 2 for value in sample) / (n - 1)
    return Estimate(mean, t_quantile_975(n - 1) * math.sqrt(variance / n))


def estimate_known(sample: Iterable[float | None]) -> tuple[Estimate, int] | None:
    """Estimate from the values that are not None, and count them; None if there are none."""
    known = [value for value in sample if value is not None]
    return (estimate(known), len(known)) if known else None


def part_of_runs(known: int, runs: int) -> str:
    """Return "9 of 10 runs" if not all runs have a value, else an empty text."""
    return "" if known == runs else f"{known} of {runs} runs"


def rounded(metric: Estimate, decimals: int) -> tuple[str, str]:
    """Return the mean, and the half-width of its interval (empty if it has none), as text.

    The half-width has two significant digits and the mean is rounded to the same place: JCGM
    100:2008 (the GUM), 7.2.6. `decimals` are those of a mean without interval, and one more is
    the most: a smaller half-width is shown as one of the last place.
    """
    mean, half = metric
    if not half:
        return f"{mean:.{decimals}f}", "" if half is None else "0"
    # From the exponent after rounding to two digits: 0.0996 is 0.10.
    place = 1 - int(f"{half:.1e}".partition("e")[2])
    place = min(place, decimals + 1)
    shown = max(place, 0)
    half = max(round(half, place), 10.0**-place)
    return f"{round(mean, place) + 0.0:.{shown}f}", f"{half:.{shown}f}"  # -0.0 + 0.0 is 0.0


def t_quantile_975(degrees_of_freedom: int) -> float:
    """Return the 0.975 quantile of Student's t distribution, see `t_quantile`."""
    return t_quantile(0.95, degrees_of_freedom)


@cache
def t_quantile(within: float, degrees_of_freedom: int) -> float:
    """Return the t with P(|T| <= t) = `within`, of Student's t distribution, to 1e-12 of its value.

    By bisection of the finite series for whole degrees of freedom: Abramowitz and Stegun (1964),
    26.7.3 and 26.7.4.
    """
    low, high = 1.0, 13.0  # 0.975: 1.96 for infinitely many degrees of freedom, 12.7 for one
    if _within(low, degrees_of_freedom) > within:
        low = 0.0
    while _within(high, degrees_of_freedom) < within:
        low, high = high, 2 * high
    while high - low > 1e-12 * low:
        middle = (low + high) / 2
        if _within(middle, degrees_of_freedom) < within:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _within(t: float, degrees_of_freedom: int) -> float:
    """Return the probability that |T| <= t."""
    theta = math.atan(t / math.sqrt(degrees_of_freedom))
    sine, cosine = math.sin(theta), math.cos(theta)
    odd = degrees_of_freedom % 2
    term = cosine if odd else 1.0
    total = 0.0
    for k in range(2 if odd else 1, degrees_of_freedom, 2):
        total += term
        term *= cosine**2 * k / (k + 1)
    return 2 / math.pi * (theta + sine * total) if odd else sine * total
