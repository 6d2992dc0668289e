"""Sequential stopping: runs are added to a point until its confidence interval is narrow enough."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from evenair.campaign.errors import CampaignError
from evenair.campaign.storage.record import METRICS, METRICS_PAGE
from evenair.statistics import estimate
from evenair.text.messages import shown, unknown_column

if TYPE_CHECKING:
    from collections.abc import Sequence

MIN_RUNS = 3
"""Fewer runs give too poor an estimate of their variance to stop by it."""

GROWTH = 1.5
"""Growth of the number of runs between two checks of the precision. Each check may stop too early
by chance, so there should be few; but a large factor makes more runs than needed."""


@dataclass(frozen=True)
class Precision:
    """A stopping rule: the 95% interval's half-width is at most `fraction` of the mean's magnitude.

    A point is checked after `min_runs` runs, and whenever their number has grown by half (rounded
    up). It is done if its runs meet the rule, or if there are `max_runs`. The number of runs of a
    point therefore depends only on its results in the order of their seeds.
    """

    metric: str
    fraction: float
    min_runs: int
    max_runs: int

    def met(self, sample: Sequence[float]) -> bool:
        """Return whether a sample is precise enough."""
        if len(sample) < 2:
            return False
        mean, ci95 = estimate(sample)
        return ci95 is not None and ci95 <= self.fraction * abs(mean)

    def next(self, runs: int) -> int:
        """Return the number of runs at the next check, after one at `runs`."""
        return min(self.max_runs, math.ceil(GROWTH * runs))


def parse_precision(text: str, runs: int | None, max_runs: int | None) -> Precision:
    """Read `METRIC:PERCENT%`; `runs` is the minimum number of runs of a point.

    Raises CampaignError.
    """
    if not isinstance(text, str):
        raise CampaignError(f"until: got {shown(text)}, expected METRIC:PERCENT%")
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
    if metric not in METRICS:
        known = unknown_column("metric", metric, METRICS, page=METRICS_PAGE)
        raise CampaignError(f"until: {known}")
    least = MIN_RUNS if runs is None else max(runs, MIN_RUNS)
    most = 1000 if max_runs is None else max_runs
    if most < least:
        raise CampaignError(f"max-runs: got {most}, expected at least {least}")
    return Precision(metric, fraction, least, most)
