"""Which seeds each point of a grid needs: a fixed number, or as many as a precision takes."""

from __future__ import annotations

import difflib
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from evenair.campaign.errors import CampaignError
from evenair.campaign.record import METRICS
from evenair.statistics import estimate

if TYPE_CHECKING:
    from collections.abc import Sequence

MIN_RUNS = 3
"""Fewer runs tell too little about their own spread to stop by it."""

GROWTH = 1.5
"""From one look at the precision to the next, the number of runs grows by this factor: few looks,
because each is a chance to stop too early, and at most half as many runs again as were needed."""


@dataclass(frozen=True)
class Precision:
    """A stop rule: the 95% interval's half-width is at most `fraction` of the mean's size.

    After `min_runs` runs, and whenever their number has grown by half (rounded up), a point is
    looked at; it is done if its runs so far meet the rule, or are `max_runs`. So the seeds that a
    point takes follow from its results in the order of their seeds, and from nothing else.
    """

    metric: str
    fraction: float
    min_runs: int
    max_runs: int

    def met(self, sample: Sequence[float]) -> bool:
        """Say whether a sample is precise enough."""
        if len(sample) < 2:
            return False
        mean, ci95 = estimate(sample)
        return ci95 is not None and ci95 <= self.fraction * abs(mean)

    def next(self, runs: int) -> int:
        """Return how many runs a point has at the next look, after one at `runs`."""
        return min(self.max_runs, math.ceil(GROWTH * runs))


def parse_precision(text: str, runs: int | None, max_runs: int | None) -> Precision:
    """Read `METRIC:PERCENT%`; `runs` is the least number of runs of a point.

    Raises CampaignError.
    """
    metric, colon, percent = text.partition(":")
    number = percent.removesuffix("%").strip()
    try:
        fraction = float(number) / 100 if colon and percent.endswith("%") else math.nan
    except ValueError:
        fraction = math.nan
    if not 0 < fraction < 1:
        raise CampaignError(
            f"until: got {text[:80]!r}, expected METRIC:PERCENT%, as in jain_index:1%"
        )
    known_metric("until", metric)
    least = MIN_RUNS if runs is None else max(runs, MIN_RUNS)
    most = 1000 if max_runs is None else max_runs
    if most < least:
        raise CampaignError(f"max-runs: got {most}, expected at least {least}")
    return Precision(metric, fraction, least, most)


def known_metric(option: str, name: str) -> None:
    """Raise CampaignError, with the nearest names, unless a run has a metric of this name."""
    if name not in METRICS:
        near = difflib.get_close_matches(name, METRICS, n=3, cutoff=0.4)
        raise CampaignError(f"{option}: {name[:80]}: no such metric; {nearest(near, METRICS)}")


def nearest(near: Sequence[str], names: Sequence[str] | dict[str, type[float] | type[int]]) -> str:
    """Return the hint that names what was perhaps meant, or else all that there is."""
    return f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(names)}"
