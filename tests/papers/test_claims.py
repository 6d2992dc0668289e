"""Claims as data, and how they are judged."""

from __future__ import annotations

from typing import Any

import pytest
from evenair.papers.claims import RULES, Claim, judge, load_claims, number, requirement
from evenair.papers.gong2006 import claims
from evenair.papers.gong2006.cells import FULL, QUICK
from evenair.papers.gong2006.figures import FIGURES
from evenair.papers.gong2006.published import TABLE_1
from evenair.papers.measures import Measure, Term
from evenair.papers.runs import Runs
from evenair.statistics import Estimate

X: Term[str] = Term(lambda document: float(document["x"]), ("p",), (0.0,))
VALUE = Measure("value", {"of": (X,)})


def claim(**changes: Any) -> Claim[str]:
    keys: dict[str, Any] = {
        "id": "c",
        "statement": "s",
        "where": "w",
        "figure": "2",
        "unit": "Mb/s",
        "measure": VALUE,
        "rule": "within",
        "published": 2.0,
        "tolerance": 0.5,
        "reading": "",
        "explanation": "",
    }
    return Claim(**(keys | changes))


def runs(*values: float) -> Runs[str]:
    seeds = tuple(range(1, len(values) + 1))
    documents = {("p", seed): {"x": value} for seed, value in zip(seeds, values, strict=True)}
    return Runs(seeds, documents)


@pytest.mark.parametrize(
    ("rule", "tolerance", "accepted", "refused"),
    [
        ("within", 0.5, [1.5, 2.0, 2.5], [1.49, 2.51]),
        ("at_least", 0.5, [1.5, 9.0], [1.49]),
        ("at_most", 0.5, [2.5, -9.0], [2.51]),
        ("above", 0.0, [2.001], [2.0, 1.0]),
        ("below", 0.0, [1.999], [2.0, 3.0]),
    ],
)
def test_rules(rule: str, tolerance: float, accepted: list[float], refused: list[float]) -> None:
    judged = claim(rule=rule, tolerance=tolerance)
    assert all(judged.accepts(value) for value in accepted)
    assert not any(judged.accepts(value) for value in [*refused, float("nan")])


def test_a_value_on_a_limit_that_binary_cannot_hold_is_accepted() -> None:
    assert claim(published=0.44, tolerance=0.07).accepts(0.51)


def test_verdict() -> None:
    (verdict,) = judge([claim(reading="R.", explanation="E.")], runs(1.9, 2.1, 2.3))
    # mean 2.1, standard deviation 0.2, t(2) = 4.302653, half-width 4.302653 * 0.2 / sqrt(3)
    assert verdict.holds
    assert verdict.measured is not None
    assert verdict.measured.mean == pytest.approx(2.1)
    assert verdict.measured.ci95 == pytest.approx(0.496827, abs=1e-6)
    assert verdict.per_seed == (1.9, 2.1, 2.3)
    assert verdict.reason == (
        "2.10 ± 0.50 Mb/s meets 2 ± 0.5 Mb/s. "
        "The 95% interval reaches across the limit: the seeds do not settle this. R."
    )


def test_a_verdict_that_fails_is_explained() -> None:
    (verdict,) = judge([claim(explanation="Because.")], runs(3.0, 3.0))
    assert not verdict.holds
    assert verdict.reason == "3.00 ± 0.00 Mb/s misses 2 ± 0.5 Mb/s. Because."


def test_a_second_reading_is_reported_not_judged() -> None:
    tenfold: Term[str] = Term(lambda document: 10.0 * document["x"], ("p",), (0.0,))
    also = ("Tenfold", Measure("value", {"of": (tenfold,)}))
    (verdict,) = judge([claim(also=also)], runs(2.0, 2.0))
    assert verdict.holds
    assert "Tenfold: 20.0 ± 0.0 Mb/s." in verdict.reason


def test_an_undefined_measure_does_not_hold() -> None:
    zero: Term[str] = Term(lambda document: 0.0, ("p",), (0.0,))
    ratio = Measure("ratio", {"of": (X,), "to": (zero,)})
    (verdict,) = judge([claim(measure=ratio)], runs(2.0, 2.0))
    assert not verdict.holds
    assert verdict.as_json()["measured"] is None


def test_claims_that_were_not_simulated_are_left_out() -> None:
    other: Term[str] = Term(lambda document: 0.0, ("q",), (0.0,))
    assert judge([claim(measure=Measure("value", {"of": (other,)}))], runs(1.0)) == []


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Estimate(5.7321, 0.0234), "5.732 ± 0.023 Mb/s"),
        (Estimate(113.4, 12.0), "113 ± 12 Mb/s"),
        (Estimate(0.0, 0.0), "0 ± 0 Mb/s"),
        (Estimate(2.0, None), "2.00 Mb/s"),
        (Estimate(-0.0091, 0.000047), "-0.009100 ± 0.000047 Mb/s"),
        (Estimate(0.9999, 1e-17), "0.9999 ± 0.0000 Mb/s"),
    ],
)
def test_numbers(value: Estimate, text: str) -> None:
    assert number(value, "Mb/s") == text


def test_requirements() -> None:
    assert requirement(claim()) == "2 ± 0.5 Mb/s"
    assert requirement(claim(rule="above", tolerance=0.0, unit="")) == "above 2"
    assert requirement(claim(rule="at_most", tolerance=0.5, unit="%")) == "at most 2.5 %"


GOOD = """
[[claim]]
id = "c"
statement = "s"
where = "w"
figure = "2"
unit = ""
measure.kind = "value"
measure.of = { x = 1 }
rule = "within"
published = 1.0
tolerance = 0.1
reading = ""
explanation = ""
"""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (GOOD + GOOD, "same id: c"),
        (GOOD.replace('where = "w"\n', ""), "c: keys that are unknown or missing: where"),
        (GOOD + 'colour = "red"\n', "unknown or missing: colour"),
        (GOOD.replace('"within"', '"near"'), "rule: got 'near'"),
        (GOOD.replace('"within"', '"above"'), "tolerance"),
        (GOOD.replace('"value"', '"guess"'), "c: kind: got 'guess'"),
    ],
)
def test_bad_claims_files(text: str, message: str) -> None:
    load_claims(GOOD, lambda table: X)
    with pytest.raises(ValueError, match=message):
        load_claims(text, lambda table: X)


@pytest.mark.parametrize("effort", [FULL, QUICK])
def test_the_papers_claims_can_all_be_measured_with_its_figures(effort: Any) -> None:
    cells = set().union(*(spec.points(effort) for spec in FIGURES))
    figures = {spec.id for spec in FIGURES}
    for each in claims(effort):
        assert each.measure.points <= cells, each.id
        assert each.also is None or each.also[1].points <= each.measure.points, each.id
        assert each.figure in figures, each.id
        assert each.rule in RULES
        assert each.statement.endswith("."), each.id
        assert each.where


def test_table_1_is_carried_in_full() -> None:
    by_id = {each.id: each for each in claims()}
    for scheme, column in TABLE_1.items():
        filtering = scheme.removeprefix("spm-")
        for flow, published in enumerate(column, start=1):
            assert by_id[f"table1-{filtering}-flow-{flow}"].published == published
        assert by_id[f"table1-{filtering}-total"].published == pytest.approx(sum(column))
