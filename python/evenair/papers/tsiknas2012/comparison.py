"""Comparisons of runs with the same seed, and tables of them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from evenair.papers.claims import number
from evenair.papers.figures import Table
from evenair.papers.tsiknas2012.downloads import VARIANTS
from evenair.papers.tsiknas2012.quantities import goodput_mbps
from evenair.statistics import Estimate, estimate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evenair.papers.runs import Runs
    from evenair.papers.tsiknas2012.wimax import Point

NAMES: dict[str, str] = {
    **VARIANTS,
    "westwood-plus": "Westwood+",
    "vegas-1995": "Vegas of 1995",
    "biad": "BIAD",
}
"""The variants of our own tables and figures."""


def gain(runs: Runs[Point], points: Sequence[Point], base: Sequence[Point]) -> Estimate:
    """The excess of goodput over that of `base` in percent, averaged over the pairs."""

    def of_seed(seed: int) -> float:
        lookup = runs.lookup(seed)
        ratios = [
            goodput_mbps(lookup(point)) / goodput_mbps(lookup(other))
            for point, other in zip(points, base, strict=True)
        ]
        return 100.0 * (math.fsum(ratios) / len(ratios) - 1.0)

    return estimate([of_seed(seed) for seed in runs.seeds])


class Rows:
    """Rows of estimates behind some keys, for the file and for the report."""

    def __init__(self, keys: Sequence[tuple[str, str]], columns: Sequence[tuple[str, str]]) -> None:
        header = [key for key, _ in keys]
        for column, _ in columns:
            header += [column, f"{column}_ci95"]
        self._header = tuple(header)
        self._titles = [title for _, title in (*keys, *columns)]
        self._rows: list[tuple[object, ...]] = []
        self._printed: list[list[str]] = []

    def add(
        self, keys: Sequence[object], words: Sequence[str], estimates: Sequence[Estimate]
    ) -> None:
        """Add a row: its keys, the same as words, and the estimates."""
        self._rows.append((*keys, *(part for value in estimates for part in value)))
        self._printed.append([*words, *(number(value) for value in estimates)])

    def table(self) -> Table:
        """Return all rows."""
        return Table(self._header, self._rows, (self._titles, self._printed))
