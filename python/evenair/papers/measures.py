"""The functions that measure claims; claims files refer to them by name.

A *term* is a quantity of a run (say, Jain's index) at one or more points (say, LAS with buffers of
10 to 150 packets). A measure computes one number from one or more terms, separately for each seed:
where two terms are compared, runs with the same seed are compared.

Kinds with `least` and `greatest` take the extreme point of each run, which chance moves outwards:
where single points matter, a claim for each point is sharper.

In a claims file `measure.kind` names the function and the other keys the terms; the contents of a
term's table depend on the paper.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Generic

from evenair.papers.checks import one_of
from evenair.papers.runs import Document, P

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


@dataclass(frozen=True)
class Term(Generic[P]):
    """A quantity at one or more points."""

    quantity: Callable[[Document], float]
    points: tuple[P, ...]
    positions: tuple[float, ...]
    """The abscissa of each point: a buffer size in packets, a number of flows."""

    def values(self, lookup: Callable[[P], Document]) -> list[float]:
        """Return the quantity at each point."""
        return [self.quantity(lookup(point)) for point in self.points]

    def mean(self, lookup: Callable[[P], Document]) -> float:
        """Return the mean of the quantity over the points."""
        values = self.values(lookup)
        return math.fsum(values) / len(values)


@dataclass(frozen=True)
class Measure(Generic[P]):
    """A number computed from the runs of one seed."""

    kind: str
    terms: Mapping[str, tuple[Term[P], ...]]

    @property
    def points(self) -> set[P]:
        """The points to simulate."""
        return {point for terms in self.terms.values() for term in terms for point in term.points}

    def value(self, lookup: Callable[[P], Document]) -> float:
        """Measure the runs of one seed. NaN where a denominator is zero."""
        try:
            return KINDS[self.kind].function(self.terms, lookup)
        except ZeroDivisionError:
            return math.nan


def read_measure(
    table: Mapping[str, Any], read_term: Callable[[Mapping[str, Any]], Term[P]]
) -> Measure[P]:
    """Read a measure from a claims file. Raises ValueError if it is not valid."""
    kind = one_of("kind", table.get("kind"), KINDS)
    expected = KINDS[kind].roles
    roles = {role: value for role, value in table.items() if role not in ("kind", "label")}
    if set(roles) != set(expected):
        raise ValueError(f"{kind}: got {', '.join(roles)}, expected {', '.join(expected)}")
    terms = {}
    for role, value in roles.items():
        if isinstance(value, list) != expected[role]:
            raise ValueError(f"{kind}.{role}: {'a list' if expected[role] else 'one'} is expected")
        terms[role] = tuple(read_term(item) for item in (value if expected[role] else [value]))
    return Measure(kind, terms)


_Terms = dict[str, tuple[Term[Any], ...]]
_Lookup = Any


def _value(terms: _Terms, lookup: _Lookup) -> float:
    """The mean of `of` over its points."""
    return terms["of"][0].mean(lookup)


def _least(terms: _Terms, lookup: _Lookup) -> float:
    """The smallest value of `of` among its points."""
    return min(terms["of"][0].values(lookup))


def _ratio(terms: _Terms, lookup: _Lookup) -> float:
    """The mean of `of` over the mean of `to`."""
    return terms["of"][0].mean(lookup) / terms["to"][0].mean(lookup)


def _difference(terms: _Terms, lookup: _Lookup) -> float:
    """The mean of `of` minus the mean of `to`."""
    return terms["of"][0].mean(lookup) - terms["to"][0].mean(lookup)


def _change_of_gap(terms: _Terms, lookup: _Lookup) -> float:
    """The difference of `of` and `to` minus the difference of `base_of` and `base_to`."""
    base = {"of": terms["base_of"], "to": terms["base_to"]}
    return _difference(terms, lookup) - _difference(base, lookup)


def _spread(terms: _Terms, lookup: _Lookup) -> float:
    """The largest minus the smallest mean in the list `of`, over the mean of these means."""
    means = [term.mean(lookup) for term in terms["of"]]
    return (max(means) - min(means)) / (math.fsum(means) / len(means))


def _range(terms: _Terms, lookup: _Lookup) -> float:
    """The largest minus the smallest value of `of` among its points, over their mean."""
    values = terms["of"][0].values(lookup)
    return (max(values) - min(values)) / (math.fsum(values) / len(values))


def _mean_error(terms: _Terms, lookup: _Lookup) -> float:
    """The absolute deviation of `of` from `to` in percent, averaged over the points."""
    pairs = zip(terms["of"][0].values(lookup), terms["to"][0].values(lookup), strict=True)
    errors = [abs(a / b - 1.0) for a, b in pairs]
    return 100.0 * math.fsum(errors) / len(errors)


def _gains(terms: _Terms, lookup: _Lookup) -> list[float]:
    base = terms["to"][0].values(lookup)
    gains = []
    for term in terms["of"]:
        ratios = [a / b for a, b in zip(term.values(lookup), base, strict=True)]
        gains.append(100.0 * (math.fsum(ratios) / len(ratios) - 1.0))
    return gains


def _mean_gain(terms: _Terms, lookup: _Lookup) -> float:
    """The excess of `of` over `to` in percent, averaged over the points."""
    return _gains(terms, lookup)[0]


def _least_mean_gain(terms: _Terms, lookup: _Lookup) -> float:
    """The smallest mean gain over `to` in the list `of`, percent."""
    return min(_gains(terms, lookup))


def _greatest_mean_gain(terms: _Terms, lookup: _Lookup) -> float:
    """The greatest mean gain over `to` in the list `of`, percent."""
    return max(_gains(terms, lookup))


def _gain_of_means(terms: _Terms, lookup: _Lookup) -> float:
    """The excess of the mean of `of` over the mean of `to`, percent."""
    return 100.0 * (_ratio(terms, lookup) - 1.0)


def _point_gains(terms: _Terms, lookup: _Lookup) -> list[float]:
    pairs = zip(terms["of"][0].values(lookup), terms["to"][0].values(lookup), strict=True)
    return [100.0 * (a / b - 1.0) for a, b in pairs]


def _least_gain(terms: _Terms, lookup: _Lookup) -> float:
    """The smallest excess of `of` over `to` at any point, percent."""
    return min(_point_gains(terms, lookup))


def _greatest_gain(terms: _Terms, lookup: _Lookup) -> float:
    """The greatest excess of `of` over `to` at any point, percent."""
    return max(_point_gains(terms, lookup))


def _least_difference(terms: _Terms, lookup: _Lookup) -> float:
    """The smallest difference `of` minus `to` at any point."""
    pairs = zip(terms["of"][0].values(lookup), terms["to"][0].values(lookup), strict=True)
    return min(a - b for a, b in pairs)


def _gain_above_all(terms: _Terms, lookup: _Lookup) -> float:
    """The mean gain of `of` over `base`, less the greatest in the list `to`: percentage points."""
    base = terms["base"]
    own = _mean_gain({"of": terms["of"], "to": base}, lookup)
    return own - _greatest_mean_gain({"of": terms["to"], "to": base}, lookup)


def _difference_of_ratios(terms: _Terms, lookup: _Lookup) -> float:
    """The ratio of `of` to `base_of`, less that of `to` to `base_to`."""
    first = _ratio({"of": terms["of"], "to": terms["base_of"]}, lookup)
    return first - _ratio({"of": terms["to"], "to": terms["base_to"]}, lookup)


def _order(terms: _Terms, lookup: _Lookup) -> float:
    """The smallest decrease between adjacent means of the list `of`; negative if one increases."""
    means = [term.mean(lookup) for term in terms["of"]]
    return min(a - b for a, b in pairwise(means))


def _above_all(terms: _Terms, lookup: _Lookup) -> float:
    """The mean of `of` minus the largest mean in the list `to`."""
    return terms["of"][0].mean(lookup) - max(term.mean(lookup) for term in terms["to"])


def _slope(terms: _Terms, lookup: _Lookup) -> float:
    """The least-squares slope of `of` along its axis, per unit of the axis."""
    term = terms["of"][0]
    y = term.values(lookup)
    x_mean = math.fsum(term.positions) / len(y)
    deviations = [x - x_mean for x in term.positions]
    cross = math.fsum(d * value for d, value in zip(deviations, y, strict=True))
    return cross / math.fsum(d * d for d in deviations)


def _greatest(terms: _Terms, lookup: _Lookup) -> float:
    """The greatest value of `of` among its points."""
    return max(terms["of"][0].values(lookup))


def _peak(terms: _Terms, lookup: _Lookup) -> float:
    """The position at which `of` is greatest; the first of several."""
    term = terms["of"][0]
    values = term.values(lookup)
    return term.positions[values.index(max(values))]


def _greatest_distance(terms: _Terms, lookup: _Lookup) -> float:
    """The greatest absolute difference of `of` and `to` at any point."""
    pairs = zip(terms["of"][0].values(lookup), terms["to"][0].values(lookup), strict=True)
    return max(abs(a - b) for a, b in pairs)


def _greatest_spread(terms: _Terms, lookup: _Lookup) -> float:
    """The greatest spread of the list `of` at any point: see `spread`."""
    values = zip(*(term.values(lookup) for term in terms["of"]), strict=True)
    return max(float(max(v) - min(v)) / (math.fsum(v) / len(v)) for v in values)


def _steps(terms: _Terms, lookup: _Lookup) -> list[float]:
    return [b - a for a, b in pairwise(terms["of"][0].values(lookup))]


def _least_step(terms: _Terms, lookup: _Lookup) -> float:
    """The smallest increase of `of` from a point to the next; negative if it decreases."""
    return min(_steps(terms, lookup))


def _greatest_step(terms: _Terms, lookup: _Lookup) -> float:
    """The greatest increase of `of` from a point to the next; negative if it only decreases."""
    return max(_steps(terms, lookup))


def _rising_share(terms: _Terms, lookup: _Lookup) -> float:
    """The share of the steps from a point to the next in which `of` increases."""
    steps = _steps(terms, lookup)
    return sum(step > 0.0 for step in steps) / len(steps)


def _gain_below_all(terms: _Terms, lookup: _Lookup) -> float:
    """The smallest mean gain over `base` in the list `to`, less that of `of`: percentage points."""
    base = terms["base"]
    own = _mean_gain({"of": terms["of"], "to": base}, lookup)
    return _least_mean_gain({"of": terms["to"], "to": base}, lookup) - own


def _least_lead(terms: _Terms, lookup: _Lookup) -> float:
    """The smallest excess of `of` over the greatest of the list `to` at any point, percent."""
    others = zip(*(term.values(lookup) for term in terms["to"]), strict=True)
    pairs = zip(terms["of"][0].values(lookup), map(max, others), strict=True)
    leads: list[float] = [100.0 * (a / b - 1.0) for a, b in pairs]
    return min(leads)


@dataclass(frozen=True)
class Kind:
    """A function and the names of its terms; True marks those that are lists."""

    function: Callable[[Any, Any], float]
    roles: Mapping[str, bool]


KINDS: dict[str, Kind] = {
    "value": Kind(_value, {"of": False}),
    "least": Kind(_least, {"of": False}),
    "ratio": Kind(_ratio, {"of": False, "to": False}),
    "difference": Kind(_difference, {"of": False, "to": False}),
    "change_of_gap": Kind(
        _change_of_gap, {"of": False, "to": False, "base_of": False, "base_to": False}
    ),
    "spread": Kind(_spread, {"of": True}),
    "range": Kind(_range, {"of": False}),
    "mean_error": Kind(_mean_error, {"of": False, "to": False}),
    "mean_gain": Kind(_mean_gain, {"of": False, "to": False}),
    "least_mean_gain": Kind(_least_mean_gain, {"of": True, "to": False}),
    "greatest_mean_gain": Kind(_greatest_mean_gain, {"of": True, "to": False}),
    "gain_of_means": Kind(_gain_of_means, {"of": False, "to": False}),
    "least_gain": Kind(_least_gain, {"of": False, "to": False}),
    "greatest_gain": Kind(_greatest_gain, {"of": False, "to": False}),
    "least_difference": Kind(_least_difference, {"of": False, "to": False}),
    "gain_above_all": Kind(_gain_above_all, {"of": False, "to": True, "base": False}),
    "difference_of_ratios": Kind(
        _difference_of_ratios, {"of": False, "to": False, "base_of": False, "base_to": False}
    ),
    "order": Kind(_order, {"of": True}),
    "above_all": Kind(_above_all, {"of": False, "to": True}),
    "slope": Kind(_slope, {"of": False}),
    "greatest": Kind(_greatest, {"of": False}),
    "peak": Kind(_peak, {"of": False}),
    "greatest_distance": Kind(_greatest_distance, {"of": False, "to": False}),
    "greatest_spread": Kind(_greatest_spread, {"of": True}),
    "least_step": Kind(_least_step, {"of": False}),
    "greatest_step": Kind(_greatest_step, {"of": False}),
    "rising_share": Kind(_rising_share, {"of": False}),
    "gain_below_all": Kind(_gain_below_all, {"of": False, "to": True, "base": False}),
    "least_lead": Kind(_least_lead, {"of": False, "to": True}),
}
"""The measures by name."""
