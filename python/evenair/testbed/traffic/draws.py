"""Random sizes and times of web users, from the distributions of scenarios (docs/scenario.md)."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator


def draws(distribution: Any, random: random.Random) -> Iterator[float]:
    """Return an endless sequence of values of a resolved distribution, bytes or seconds."""
    if not isinstance(distribution, dict):
        return itertools.repeat(float(distribution))
    kind = distribution["distribution"]
    if kind == "trace":
        return itertools.cycle(map(float, distribution["values"]))
    mean = float(distribution["mean"])
    match kind:
        case "deterministic":
            return itertools.repeat(mean)
        case "exponential":
            return (random.expovariate(1) * mean for _ in itertools.count())
        case "uniform":
            return (random.uniform(0, 2 * mean) for _ in itertools.count())
        case "pareto":
            shape = distribution["shape"]
            least = mean * (shape - 1) / shape
            return (least * random.paretovariate(shape) for _ in itertools.count())
        case "lognormal":
            sigma = distribution["sigma"]
            centre = math.log(mean) - sigma**2 / 2 if mean > 0 else -math.inf
            return (math.exp(random.normalvariate(centre, sigma)) for _ in itertools.count())
    raise ValueError(f"{kind}: no such distribution")
