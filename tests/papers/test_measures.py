"""Measures on documents made by hand; every expected number is worked out in the comment."""

from __future__ import annotations

import math
from typing import Any

import pytest
from evenair.papers.measures import KINDS, Measure, Term, read_measure

# Two curves over the positions 10, 20, 30 for one seed.
VALUES = {
    ("a", 10): 1.0,
    ("a", 20): 2.0,
    ("a", 30): 6.0,
    ("b", 10): 0.5,
    ("b", 20): 2.0,
    ("b", 30): 2.0,
}


def lookup(point: tuple[str, int]) -> dict[str, Any]:
    return {"x": VALUES[point]}


def read_term(table: dict[str, Any]) -> Term[tuple[str, int]]:
    places = table.get("at", (10, 20, 30))
    points = tuple((table["curve"], place) for place in places)
    return Term(lambda document: float(document["x"]), points, tuple(map(float, places)))


A, B = {"curve": "a"}, {"curve": "b"}  # means 3 and 1.5


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ({"kind": "value", "of": A}, 3.0),  # (1 + 2 + 6) / 3
        ({"kind": "least", "of": A}, 1.0),
        ({"kind": "ratio", "of": A, "to": B}, 2.0),  # 3 / 1.5
        ({"kind": "difference", "of": A, "to": B}, 1.5),
        ({"kind": "spread", "of": [A, B]}, 1.5 / 2.25),
        ({"kind": "range", "of": A}, 5 / 3),  # (6 - 1) / 3
        ({"kind": "mean_error", "of": A, "to": B}, 100.0),  # mean of 1, 0, 2
        ({"kind": "mean_error", "of": B, "to": A}, 100 * (1 / 2 + 2 / 3) / 3),
        ({"kind": "mean_gain", "of": A, "to": B}, 100.0),  # mean of 2, 1, 3 is 2
        ({"kind": "gain_of_means", "of": A, "to": B}, 100.0),
        ({"kind": "mean_gain", "of": B, "to": A}, 100 * (11 / 18 - 1)),  # mean of 1/2, 1, 1/3
        ({"kind": "gain_of_means", "of": B, "to": A}, -50.0),
        ({"kind": "least_mean_gain", "of": [A, B], "to": B}, 0.0),
        ({"kind": "greatest_mean_gain", "of": [A, B], "to": B}, 100.0),
        ({"kind": "order", "of": [A, B]}, 1.5),
        ({"kind": "order", "of": [B, A]}, -1.5),
        ({"kind": "order", "of": [A, B, B]}, 0.0),
        ({"kind": "above_all", "of": A, "to": [B, {"curve": "a", "at": (30,)}]}, -3.0),
        ({"kind": "least_gain", "of": A, "to": B}, 0.0),  # 2, 1 and 3 times
        ({"kind": "greatest_gain", "of": A, "to": B}, 200.0),
        ({"kind": "greatest", "of": A}, 6.0),
        ({"kind": "peak", "of": A}, 30.0),
        ({"kind": "peak", "of": B}, 20.0),  # 2 at 20 and at 30: the first
        ({"kind": "greatest_distance", "of": B, "to": A}, 4.0),  # 0.5, 0, 4
        ({"kind": "greatest_spread", "of": [A, B]}, 1.0),  # 0.5/0.75, 0/2, 4/4
        ({"kind": "least_step", "of": A}, 1.0),  # 1 and 4
        ({"kind": "least_step", "of": B}, 0.0),  # 1.5 and 0
        ({"kind": "greatest_step", "of": A}, 4.0),
        ({"kind": "rising_share", "of": A}, 1.0),
        ({"kind": "rising_share", "of": B}, 0.5),  # a tie does not rise
        ({"kind": "least_difference", "of": A, "to": B}, 0.0),  # 0.5, 0, 4
        ({"kind": "least_difference", "of": B, "to": A}, -4.0),
        # A gains 100 % over B in the mean, B nothing over itself
        ({"kind": "gain_above_all", "of": A, "to": [B], "base": B}, 100.0),
        # B over A: -350/9 %; A over A: 0
        ({"kind": "gain_above_all", "of": B, "to": [B, A], "base": A}, 100 * (11 / 18 - 1)),
        # over B: B gains nothing, A 100 %
        ({"kind": "gain_below_all", "of": B, "to": [A, B], "base": B}, 0.0),
        ({"kind": "gain_below_all", "of": B, "to": [A, A], "base": B}, 100.0),
        # of each point: 1 over 0.5, 2 over 2, 6 over 2; then 0.5 over 1, 2 over 2, 2 over 6
        ({"kind": "least_lead", "of": A, "to": [B]}, 0.0),
        ({"kind": "least_lead", "of": B, "to": [A, B]}, -200 / 3),
        # 3 / 1 - 1.5 / 0.5 is 0; 3 / 1 - 2 / 0.5 is -1
        (
            {
                "kind": "difference_of_ratios",
                "of": A,
                "base_of": {"curve": "a", "at": (10,)},
                "to": {"curve": "b", "at": (30,)},
                "base_to": {"curve": "b", "at": (10,)},
            },
            -1.0,
        ),
        # x - mean: -10, 0, 10; y: 1, 2, 6; (-10 + 60) / 200
        ({"kind": "slope", "of": A}, 0.25),
        # (6 - 2) - (1 - 0.5)
        (
            {
                "kind": "change_of_gap",
                "of": {"curve": "a", "at": (30,)},
                "to": {"curve": "b", "at": (30,)},
                "base_of": {"curve": "a", "at": (10,)},
                "base_to": {"curve": "b", "at": (10,)},
            },
            3.5,
        ),
    ],
)
def test_measures(table: dict[str, Any], expected: float) -> None:
    assert read_measure(table, read_term).value(lookup) == pytest.approx(expected, abs=1e-12)


def test_every_kind_is_documented() -> None:
    assert all(kind.function.__doc__ for kind in KINDS.values())


def test_a_zero_denominator_is_not_a_number() -> None:
    zero: Term[str] = Term(lambda document: 0.0, ("p",), (0.0,))
    measure = Measure("ratio", {"of": (zero,), "to": (zero,)})
    assert math.isnan(measure.value(lambda point: {}))


def test_points_are_those_of_all_terms() -> None:
    measure = read_measure({"kind": "ratio", "of": A, "to": {"curve": "b", "at": (10,)}}, read_term)
    assert measure.points == {("a", 10), ("a", 20), ("a", 30), ("b", 10)}


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"kind": "median", "of": A}, "expected one of value"),
        ({"kind": "ratio", "of": A}, "got of, expected of, to"),
        ({"kind": "value", "of": A, "to": B}, "expected of"),
        ({"kind": "value", "of": [A]}, "one is expected"),
        ({"kind": "order", "of": A}, "a list is expected"),
    ],
)
def test_bad_measures(table: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read_measure(table, read_term)
