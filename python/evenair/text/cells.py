"""The text of numbers in tables."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from evenair.statistics import Estimate, rounded

if TYPE_CHECKING:
    from collections.abc import Sequence


def with_interval(metric: Estimate | None, decimals: int, part: str = "") -> str:
    """Return a mean and the half-width of its 95% interval, if it has one; "-" for None.

    The interval says how many digits are shown; `decimals` are those of a mean without interval.
    `part` follows in parentheses: which part of the runs has the metric.
    """
    if metric is None:
        return "-"
    mean, half = rounded(metric, decimals)
    return f"{mean}{half and f' ± {half}'}{part and f' ({part})'}"


def mean_alone(metric: Estimate | None, decimals: int, part: str = "") -> str:
    """Return a mean with the digits that its interval justifies, without the interval."""
    if metric is None:
        return "-"
    return f"{rounded(metric, decimals)[0]}{part and f' ({part})'}"


def scaled(metric: Estimate, scale: float) -> Estimate:
    """Return a metric in another unit."""
    ci95 = None if metric.ci95 is None else metric.ci95 * scale
    return Estimate(metric.mean * scale, ci95)


def aligned(cells: Sequence[str]) -> list[str]:
    """Pad numbers so that their decimal points, and those of their intervals, are aligned."""
    if not cells:
        return []
    found = [_NUMBER.fullmatch(cell) for cell in cells]
    parts = [
        match.groups("") if match else (cell, "", "", "", "")
        for match, cell in zip(found, cells, strict=True)
    ]
    whole, fraction, half, half_fraction, rest = (
        max(map(len, part)) for part in zip(*parts, strict=True)
    )
    spread = half + half_fraction and half + half_fraction + len(" ± ")
    return [
        f"{a:>{whole}}{b:<{fraction}}"
        + (f" ± {c:>{half}}{d:<{half_fraction}}" if c else " " * spread)
        + f"{e:>{rest}}"
        for a, b, c, d, e in parts
    ]


_NUMBER = re.compile(r"([+-]?\d++|-)(\.\d++)?(?: ± (\d++)(\.\d++)?)?(.*)")
