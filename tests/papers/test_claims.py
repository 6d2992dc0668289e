"""Claims as data, and how they are judged."""

from __future__ import annotations

from typing import Any

import pytest
from evenair.papers.claims import (
    EVIDENCE,
    RULES,
    Claim,
    Premise,
    headline,
    judge,
    load_claims,
    number,
    requirement,
)
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
        "evidence": "test",
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
    assert all(judged.side(value) == 0 for value in accepted)
    for value in refused:
        assert judged.side(value) == (-1 if value <= 2.0 and rule != "below" else 1)


def test_a_value_on_a_limit_that_binary_cannot_hold_is_accepted() -> None:
    assert claim(published=0.44, tolerance=0.07).side(0.51) == 0


# Mean 2.1, standard deviation 0.2; the tables have t(2) = 4.3027 for 95%: the half-width is
# 4.3027 * 0.2 / sqrt(3) = 0.49683 and the interval 1.60317 to 2.59683.
SAMPLE = (1.9, 2.1, 2.3)


@pytest.mark.parametrize(
    ("rule", "published", "tolerance", "outcome"),
    [
        ("within", 2.1, 0.497, "holds"),
        ("within", 2.1, 0.496, "undecided"),  # the interval contains the range
        ("within", 2.0, 0.5, "undecided"),  # the mean is accepted, 2.597 is not
        ("within", 3.0, 0.5, "undecided"),  # the mean is refused, 2.597 is accepted
        ("within", 3.0, 0.4, "fails"),
        ("within", 1.0, 0.6, "fails"),
        ("at_least", 1.603, 0.0, "holds"),
        ("at_least", 1.604, 0.0, "undecided"),
        ("at_least", 2.596, 0.0, "undecided"),
        ("at_least", 2.597, 0.0, "fails"),
        ("at_most", 2.097, 0.5, "holds"),
        ("at_most", 2.096, 0.5, "undecided"),
        ("at_most", 1.104, 0.5, "undecided"),
        ("at_most", 1.103, 0.5, "fails"),
        ("above", 1.603, 0.0, "holds"),
        ("above", 2.0, 0.0, "undecided"),
        ("above", 2.597, 0.0, "fails"),
        ("below", 2.597, 0.0, "holds"),
        ("below", 2.2, 0.0, "undecided"),
        ("below", 1.603, 0.0, "fails"),
    ],
)
def test_outcomes(rule: str, published: float, tolerance: float, outcome: str) -> None:
    judged = claim(rule=rule, published=published, tolerance=tolerance)
    (verdict,) = judge([judged], runs(*SAMPLE))
    assert verdict.outcome == outcome


def test_the_interval_is_students_with_all_seeds() -> None:
    # Mean 3, standard deviation sqrt(2.5), t(4) = 2.7764: the half-width is 1.96322.
    for limit, outcome in ((1.036, "holds"), (1.038, "undecided"), (4.964, "fails")):
        (verdict,) = judge([claim(rule="above", published=limit)], runs(1.0, 2.0, 3.0, 4.0, 5.0))
        assert verdict.outcome == outcome


@pytest.mark.parametrize(
    ("rule", "values", "outcome"),
    [
        ("at_least", (2.0, 2.0), "holds"),
        ("above", (2.0, 2.0), "fails"),
        ("below", (2.0, 2.0), "fails"),
        ("at_most", (2.0, 2.0), "holds"),
    ],
)
def test_samples_without_spread_on_a_limit(rule: str, values: Any, outcome: str) -> None:
    (verdict,) = judge([claim(rule=rule, tolerance=0.0)], runs(*values))
    assert verdict.outcome == outcome


def test_one_seed_decides_only_what_is_deterministic() -> None:
    (verdict,) = judge([claim()], runs(2.0))
    assert verdict.outcome == "undecided"
    assert verdict.reason == "2.00 Mb/s, 2 ± 0.5 Mb/s is required: one seed gives no interval."
    for value, outcome in ((2.0, "holds"), (3.0, "fails")):
        (verdict,) = judge([claim(deterministic=True)], runs(value))
        assert verdict.outcome == outcome


def test_two_schemes_are_compared_seed_by_seed() -> None:
    # The schemes vary far more between seeds than they differ: only the pairs tell them apart.
    other: Term[str] = Term(lambda document: document["x"] - 0.1, ("p",), (0.0,))
    difference = Measure("difference", {"of": (X,), "to": (other,)})
    judged = claim(measure=difference, rule="above", published=0.0, tolerance=0.0)
    (verdict,) = judge([judged], runs(1.0, 5.0, 9.0))
    assert verdict.outcome == "holds"


def test_verdict() -> None:
    (verdict,) = judge([claim(reading="R.", explanation="E.")], runs(*SAMPLE))
    assert verdict.measured is not None
    assert verdict.measured.mean == pytest.approx(2.1)
    assert verdict.measured.ci95 == pytest.approx(0.496827, abs=1e-6)
    assert verdict.per_seed == SAMPLE
    assert verdict.reason == (
        "2.10 ± 0.50 Mb/s, 2 ± 0.5 Mb/s is required: "
        "the 95% interval reaches across the limit. R. E."
    )


def test_an_entry_of_claims_json() -> None:
    (verdict,) = judge([claim(evidence="post-hoc", evidence_reason="Why.")], runs(2.0, 2.0))
    assert verdict.as_json() == {
        "id": "c",
        "sentence": "c",
        "statement": "s",
        "where": "w",
        "published": 2.0,
        "tolerance": 0.5,
        "measured": 2.0,
        "ci95": 0.0,
        "outcome": "holds",
        "evidence": "post-hoc",
        "reason": "2.00 ± 0.00 Mb/s meets 2 ± 0.5 Mb/s. Post-hoc: Why.",
    }


def test_a_verdict_that_fails_is_explained() -> None:
    (verdict,) = judge([claim(explanation="Because.")], runs(3.0, 3.0))
    assert verdict.outcome == "fails"
    assert verdict.reason == "3.00 ± 0.00 Mb/s misses 2 ± 0.5 Mb/s. Because."


def test_a_second_reading_is_reported_not_judged() -> None:
    tenfold: Term[str] = Term(lambda document: 10.0 * document["x"], ("p",), (0.0,))
    also = ("Tenfold", Measure("value", {"of": (tenfold,)}))
    (verdict,) = judge([claim(also=also)], runs(2.0, 2.0))
    assert verdict.outcome == "holds"
    assert "Tenfold: 20.0 ± 0.0 Mb/s." in verdict.reason


def test_an_undefined_measure_is_undecided() -> None:
    zero: Term[str] = Term(lambda document: document["x"] - 2.0, ("p",), (0.0,))
    ratio = Measure("ratio", {"of": (X,), "to": (zero,)})
    for changes in ({"measure": ratio}, {"measure": ratio, "deterministic": True}):
        (verdict,) = judge([claim(**changes)], runs(2.0, 3.0))
        assert verdict.outcome == "undecided"
        assert verdict.as_json()["measured"] is None
        assert verdict.reason == "Not defined for some seed: a denominator is zero."
    (verdict,) = judge([claim(also=("Ratio", ratio))], runs(2.0, 2.0))
    assert verdict.outcome == "holds"
    assert "Ratio: not defined." in verdict.reason


def premise(limit: float, measure: Measure[str] = VALUE) -> Premise[str]:
    return Premise(
        statement="P.", unit="Mb/s", measure=measure, rule="above", published=limit, tolerance=0.0
    )


@pytest.mark.parametrize(
    ("limit", "outcomes", "reason"),
    [
        # The interval of the sample is 1.603 to 2.597: outcomes of claims of 2.1 and of 9.
        (
            1.6,
            ["holds", "fails"],
            "The premise holds: P. 2.10 ± 0.50 Mb/s meets above 1.6 Mb/s.",
        ),
        (
            2.0,
            ["undecided", "undecided"],
            "Undecided, because its premise is undecided: P. 2.10 ± 0.50 Mb/s, above 2 Mb/s is "
            "required: the 95% interval reaches across the limit. E.",
        ),
        (
            2.6,
            ["undecided", "undecided"],
            "Undecided, because its premise does not hold: P. 2.10 ± 0.50 Mb/s misses above 2.6 "
            "Mb/s. E.",
        ),
    ],
)
def test_a_claim_is_undecided_without_its_premise(
    limit: float, outcomes: list[str], reason: str
) -> None:
    judged = [
        claim(published=published, premise=premise(limit), explanation="E.")
        for published in (2.1, 9.0)
    ]
    good, bad = judge(judged, runs(*SAMPLE))
    assert [good.outcome, bad.outcome] == outcomes
    assert good.reason == f"2.10 ± 0.50 Mb/s meets 2.1 ± 0.5 Mb/s. {reason}"
    assert bad.reason.startswith("2.10 ± 0.50 Mb/s misses 9 ± 0.5 Mb/s. ")


def test_a_claim_needs_the_runs_of_its_premise() -> None:
    other: Term[str] = Term(lambda document: 0.0, ("q",), (0.0,))
    judged = claim(premise=premise(0.0, Measure("value", {"of": (other,)})))
    assert judged.points == {"p", "q"}
    assert judge([judged], runs(1.0, 2.0)) == []


def test_only_a_test_that_fails_refutes() -> None:
    for evidence in EVIDENCE:
        (verdict,) = judge([claim(evidence=evidence)], runs(3.0, 3.0))
        assert verdict.refutes == (evidence == "test")
    for values in ((2.0, 2.0), SAMPLE):  # holds, undecided
        (verdict,) = judge([claim()], runs(*values))
        assert not verdict.refutes


def test_claims_that_were_not_simulated_are_left_out() -> None:
    other: Term[str] = Term(lambda document: 0.0, ("q",), (0.0,))
    assert judge([claim(measure=Measure("value", {"of": (other,)}))], runs(1.0)) == []


HOLDS, FAILS, UNDECIDED = ([(outcome, "test")] for outcome in ("holds", "fails", "undecided"))


@pytest.mark.parametrize(
    ("verdicts", "text"),
    [
        ([], "no published claim applies to the selected figures"),
        (2 * HOLDS, "2 of 2 tested claims hold"),
        (HOLDS + FAILS, "1 of 2 tested claims hold, 1 fails"),
        (
            23 * HOLDS
            + 2 * FAILS
            + 2 * UNDECIDED
            + 8 * [("holds", "calibrated")]
            + [("fails", "calibrated")]
            + 5 * [("holds", "sanity")],
            "23 of 27 tested claims hold, 2 fail, 2 undecided; 9 calibrated, 5 sanity",
        ),
        (
            [("holds", "sanity"), ("fails", "post-hoc"), *UNDECIDED],
            "0 of 1 tested claims hold, 1 undecided; 1 post-hoc, 1 sanity",
        ),
        ([("holds", "calibrated")], "no test; 1 calibrated"),
    ],
)
def test_headlines(verdicts: list[tuple[str, str]], text: str) -> None:
    assert headline(verdicts) == text


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
evidence = "test"
reading = ""
explanation = ""
"""


PREMISE = """premise.statement = "P."
premise.unit = ""
premise.measure.kind = "value"
premise.measure.of = { x = 1 }
premise.rule = "above"
premise.published = 0.0
premise.tolerance = 0.0
"""


def test_a_premise_and_a_sentence_in_a_claims_file() -> None:
    text = GOOD + PREMISE + 'sentence = "one"\ninterpretation = "mean"\n'
    (loaded,) = load_claims(text, lambda table: X)
    assert (loaded.sentence, loaded.interpretation) == ("one", "mean")
    assert loaded.premise is not None
    assert (loaded.premise.statement, loaded.premise.limits()[0]) == ("P.", 0.0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (GOOD + PREMISE.replace('premise.rule = "above"\n', ""), "c: premise: .* missing: rule"),
        (GOOD + PREMISE.replace('"above"', '"near"'), "c: premise: rule: got 'near'"),
        (GOOD + PREMISE.replace('"value"', '"guess"'), "c: premise: kind: got 'guess'"),
        (GOOD + PREMISE + 'premise.where = "w"\n', "c: premise: .* unknown or missing: where"),
        (GOOD + 'sentence = " "\n', "c: sentence: got ' ', a name is expected"),
        (GOOD + "sentence = 1\n", "c: sentence: got 1, a name is expected"),
        (GOOD + 'interpretation = "mean"\n', "c: interpretation: .*`sentence` is missing"),
        (GOOD + GOOD, "same id: c"),
        (GOOD.replace('where = "w"\n', ""), "c: keys that are unknown or missing: where"),
        (GOOD + 'colour = "red"\n', "unknown or missing: colour"),
        (GOOD.replace('"within"', '"near"'), "c: rule: got 'near'"),
        (GOOD.replace('evidence = "test"\n', ""), "c: keys that are unknown or missing: evidence"),
        (GOOD.replace('"test"', '"proof"'), "c: evidence: got 'proof', expected one of test"),
        (GOOD.replace('"test"', "true"), "c: evidence: got True"),
        (GOOD + 'evidence_reason = "R."\n', "c: evidence_reason: a test has none"),
        (GOOD + 'evidence_reason = ""\n', "c: evidence_reason: a test has none"),
        (GOOD.replace('"test"', '"calibrated"'), "c: evidence_reason: .* for 'calibrated'"),
        (GOOD.replace('"test"', '"post-hoc"'), "c: evidence_reason: .* for 'post-hoc'"),
        (GOOD.replace('"test"', '"sanity"'), "c: evidence_reason: .* for 'sanity'"),
        (
            GOOD.replace('"test"', '"sanity"') + 'evidence_reason = " "\n',
            "c: evidence_reason: a sentence is expected",
        ),
        (GOOD + 'deterministic = "no"\n', "c: deterministic: true or false"),
        (GOOD.replace('"within"', '"above"'), "tolerance"),
        (GOOD.replace('"value"', '"guess"'), "c: kind: got 'guess'"),
    ],
)
def test_bad_claims_files(text: str, message: str) -> None:
    load_claims(GOOD, lambda table: X)
    with pytest.raises(ValueError, match=message):
        load_claims(text, lambda table: X)


@pytest.mark.parametrize("evidence", EVIDENCE[1:])
def test_evidence_with_its_reason(evidence: str) -> None:
    text = GOOD.replace('"test"', f'"{evidence}"') + 'evidence_reason = "R."\n'
    (loaded,) = load_claims(text, lambda table: X)
    assert (loaded.evidence, loaded.evidence_reason) == (evidence, "R.")


@pytest.mark.parametrize("effort", [FULL, QUICK])
def test_the_papers_claims_can_all_be_measured_with_its_figures(effort: Any) -> None:
    cells = set().union(*(spec.points(effort) for spec in FIGURES))
    figures = {spec.id for spec in FIGURES}
    for each in claims(effort):
        assert each.points <= cells, each.id
        assert each.also is None or each.also[1].points <= each.measure.points, each.id
        assert each.figure in figures, each.id
        assert each.rule in RULES
        assert each.statement.endswith("."), each.id
        assert each.where


def test_table_1_is_judged_by_the_means_of_its_directions() -> None:
    by_id = {each.id: each for each in claims()}
    for scheme, column in TABLE_1.items():
        filtering = scheme.removeprefix("spm-")
        for direction, flows in (("up", column[:5]), ("down", column[5:])):
            claim = by_id[f"table1-{filtering}-{direction}stream"]
            assert claim.published == pytest.approx(sum(flows) / 5)
            assert claim.tolerance == pytest.approx(0.1 * claim.published, abs=0.0005)
            assert claim.evidence == "calibrated"
        total = by_id[f"table1-{filtering}-total"]
        assert total.published == pytest.approx(sum(column))
        assert total.evidence == "calibrated"
