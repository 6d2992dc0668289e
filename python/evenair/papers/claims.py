"""Claims of a paper, and the verdicts that follow from the simulations.

A verdict has an *outcome*. The claim accepts a range of values; the measure has a 95% confidence
interval over the seeds. The claim *holds* if it accepts the whole interval and *fails* if it
accepts no part of it. Otherwise it is *undecided*, wherever the mean lies. It is also undecided if
there is no interval: a measure that is not defined for some seed, or a single seed, unless the
claim is marked as deterministic.

A claim has an *evidence*, which says what its outcome is worth; see EVIDENCE. It may have a
*premise*, what the paper's words presuppose: where that does not hold, the claim is undecided.
Several claims may be parts or readings of one published sentence; see `evenair.papers.sentences`.
"""

from __future__ import annotations

import math
import tomllib
from dataclasses import MISSING, dataclass, fields
from typing import TYPE_CHECKING, Any, Generic

from evenair.papers.checks import one_of
from evenair.papers.measures import Measure, Term, read_measure
from evenair.papers.runs import P, Runs
from evenair.statistics import Estimate, estimate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

EVIDENCE = ("test", "calibrated", "post-hoc", "sanity")
"""What the outcome of a claim is worth, from the most to the least.

- test: reading, tolerance and all parameters were fixed without the result.
- calibrated: a free parameter was chosen with this statement, or one that follows from it, at hand.
- post-hoc: reading or tolerance were fixed after a run.
- sanity: it can hardly fail.
"""

OUTCOMES = ("fails", "undecided", "holds")
"""The outcomes, in the order of reports."""

RULES = ("within", "at_least", "at_most", "above", "below")
"""Rules for comparing a measure with the published number: see Claim.limits."""


@dataclass(frozen=True, kw_only=True)
class Requirement(Generic[P]):
    """A measure and what it has to be. `published` and `tolerance` are in `unit`."""

    unit: str
    measure: Measure[P]
    rule: str
    published: float
    tolerance: float
    deterministic: bool = False
    """Whether the measure is the same for every seed: a number of a model. One seed is enough."""

    def limits(self) -> tuple[float, float]:
        """Return the accepted range; "above" and "below" exclude the limit itself."""
        low = {"within": self.published - self.tolerance, "above": self.published}
        high = {"within": self.published + self.tolerance, "below": self.published}
        low["at_least"] = self.published - self.tolerance
        high["at_most"] = self.published + self.tolerance
        return low.get(self.rule, -math.inf), high.get(self.rule, math.inf)

    def side(self, value: float) -> int:
        """Return 0 for an accepted value, -1 for one that is too low and 1 for one too high."""
        low, high = self.limits()
        if self.rule in ("above", "below"):
            return -1 if value <= low else int(value >= high)
        # Limits such as 0.44 + 0.07 are not exact in binary; a value at the limit is accepted.
        slack = 1e-9 * max(1.0, abs(self.published))
        return -1 if value < low - slack else int(value > high + slack)

    def outcome(self, measured: Estimate) -> str:
        """Return the outcome of a measure with its interval."""
        half = 0.0 if measured.ci95 is None and self.deterministic else measured.ci95
        if half is None:
            return "undecided"
        sides = {self.side(measured.mean - half), self.side(measured.mean + half)}
        if len(sides) == 2:
            return "undecided"
        return "holds" if sides == {0} else "fails"


@dataclass(frozen=True, kw_only=True)
class Premise(Requirement[P]):
    """What a claim presupposes."""

    statement: str
    """A sentence."""


@dataclass(frozen=True, kw_only=True)
class Claim(Requirement[P]):
    """One checkable statement of a paper."""

    id: str
    statement: str
    where: str
    figure: str
    """The figure or table of the rebuilt report beside which the verdict is shown."""
    reading: str
    """The interpretation of the paper's words, if it prints no number."""
    explanation: str
    """Why the claim does not hold, according to an analysis; empty before there is one."""
    evidence: str
    """One of EVIDENCE."""
    evidence_reason: str = ""
    """What makes the evidence other than a test; empty for a test."""
    sentence: str = ""
    """The published sentence that it is a part or a reading of; empty: it has one of its own."""
    interpretation: str = ""
    """Which of the sentence's alternative readings it belongs to; empty: to all of them."""
    premise: Premise[P] | None = None
    also: tuple[str, Measure[P]] | None = None
    """An alternative interpretation and its label: reported, not judged."""
    on_testbed: str = ""
    """Why the claim does not hold on the test-bed, according to an analysis of its runs."""

    @property
    def points(self) -> set[P]:
        """The points that it is judged by."""
        return self.measure.points | (self.premise.measure.points if self.premise else set())


@dataclass(frozen=True)
class Verdict(Generic[P]):
    """The result of the simulations for a claim."""

    claim: Claim[P]
    per_seed: tuple[float, ...]
    """The measure for each seed."""
    measured: Estimate | None
    """Mean and half-width of the 95% interval; None if the measure is not defined for some seed."""
    outcome: str
    """One of OUTCOMES."""
    reason: str

    @property
    def refutes(self) -> bool:
        """Whether a tested statement of the paper fails."""
        return self.outcome == "fails" and self.claim.evidence == "test"

    def as_json(self) -> dict[str, object]:
        """Return the entry of claims.json."""
        return {
            "id": self.claim.id,
            "sentence": self.claim.sentence or self.claim.id,
            "statement": self.claim.statement,
            "where": self.claim.where,
            "published": self.claim.published,
            "tolerance": self.claim.tolerance,
            "measured": self.measured.mean if self.measured else None,
            "ci95": self.measured.ci95 if self.measured else None,
            "outcome": self.outcome,
            "evidence": self.claim.evidence,
            "reason": self.reason,
        }


_KEYS = {field.name for field in fields(Claim)}
_REQUIRED = {field.name for field in fields(Claim) if field.default is MISSING}
_OF_PREMISE = {field.name for field in fields(Premise)} - {"deterministic"}


def load_claims(text: str, read_term: Callable[[Mapping[str, Any]], Term[P]]) -> list[Claim[P]]:
    """Read a claims file (TOML). Raises ValueError, which names the claim and the error."""
    claims = [_read_claim(table, read_term) for table in tomllib.loads(text)["claim"]]
    ids = [claim.id for claim in claims]
    twice = sorted({name for name in ids if ids.count(name) > 1})
    if twice:
        raise ValueError(f"claims with the same id: {', '.join(twice)}")
    return claims


def _read_claim(
    table: dict[str, Any], read_term: Callable[[Mapping[str, Any]], Term[P]]
) -> Claim[P]:
    name = table.get("id", "claim without id")
    try:
        _check_keys(table, _REQUIRED, _KEYS)
        measure = _read_requirement(table, read_term)
        _check_evidence(table["evidence"], table.get("evidence_reason"))
        _check_sentence(table)
        premise = None if "premise" not in table else _read_premise(table["premise"], read_term)
        also = table.get("also")
        second = None if also is None else (str(also["label"]), read_measure(also, read_term))
    except (KeyError, ValueError) as error:
        raise ValueError(f"{name}: {error}") from None
    return Claim(**{**table, "measure": measure, "premise": premise, "also": second})


def _read_premise(
    table: dict[str, Any], read_term: Callable[[Mapping[str, Any]], Term[P]]
) -> Premise[P]:
    try:
        _check_keys(table, _OF_PREMISE, _OF_PREMISE)
        return Premise(**{**table, "measure": _read_requirement(table, read_term)})
    except (KeyError, ValueError) as error:
        raise ValueError(f"premise: {error}") from None


def _read_requirement(
    table: Mapping[str, Any], read_term: Callable[[Mapping[str, Any]], Term[P]]
) -> Measure[P]:
    """Check rule and tolerance; return the measure."""
    one_of("rule", table["rule"], RULES)
    if table["tolerance"] < 0 or (table["rule"] in ("above", "below") and table["tolerance"]):
        raise ValueError(f"tolerance: got {table['tolerance']}")
    if not isinstance(table.get("deterministic", False), bool):
        raise ValueError("deterministic: true or false is expected")
    return read_measure(table["measure"], read_term)


def _check_keys(table: Mapping[str, Any], required: set[str], known: set[str]) -> None:
    if odd := (set(table) - known) | (required - set(table)):
        raise ValueError(f"keys that are unknown or missing: {', '.join(sorted(odd))}")


def _check_sentence(table: Mapping[str, Any]) -> None:
    for key in ("sentence", "interpretation"):
        value = table.get(key)
        if key in table and not (isinstance(value, str) and value.strip()):
            raise ValueError(f"{key}: got {value!r}, a name is expected")
    if "interpretation" in table and "sentence" not in table:
        raise ValueError("interpretation: of which sentence? `sentence` is missing")


def _check_evidence(evidence: object, reason: object) -> None:
    if one_of("evidence", evidence, EVIDENCE) == "test":
        if reason is not None:
            raise ValueError("evidence_reason: a test has none")
    elif not isinstance(reason, str) or not reason.strip():
        raise ValueError(f"evidence_reason: a sentence is expected for {evidence!r}")


def judge(claims: Iterable[Claim[P]], runs: Runs[P]) -> list[Verdict[P]]:
    """Judge every claim whose points have all been simulated, in the order given."""
    points = runs.points
    return [_judge(claim, runs) for claim in claims if claim.points <= points]


def _judge(claim: Claim[P], runs: Runs[P]) -> Verdict[P]:
    per_seed, measured, outcome = _measured(claim, runs)
    sentences = [_comparison(claim, measured, outcome)]
    if claim.premise is not None:
        _, presupposed, given = _measured(claim.premise, runs)
        outcome = outcome if given == "holds" else "undecided"
        sentences.append(_PREMISES[given])
        sentences.append(claim.premise.statement)
        sentences.append(_comparison(claim.premise, presupposed, given))
    sentences.append(claim.reading)
    if claim.also is not None:
        label, measure = claim.also
        sentences.append(f"{label}: {measured_text(_estimate(_per_seed(measure, runs)), claim)}.")
    if outcome != "holds":
        sentences.append(claim.explanation)
    if claim.evidence_reason:
        sentences.append(f"{claim.evidence.capitalize()}: {claim.evidence_reason}")
    return Verdict(claim, per_seed, measured, outcome, _join(sentences))


_PREMISES = {
    "holds": "The premise holds:",
    "undecided": "Undecided, because its premise is undecided:",
    "fails": "Undecided, because its premise does not hold:",
}


def _measured(
    required: Requirement[P], runs: Runs[P]
) -> tuple[tuple[float, ...], Estimate | None, str]:
    """Return the measure for each seed, its estimate and the outcome."""
    per_seed = _per_seed(required.measure, runs)
    measured = _estimate(per_seed)
    return per_seed, measured, "undecided" if measured is None else required.outcome(measured)


def _per_seed(measure: Measure[P], runs: Runs[P]) -> tuple[float, ...]:
    return tuple(measure.value(runs.lookup(seed)) for seed in runs.seeds)


def _estimate(per_seed: Sequence[float]) -> Estimate | None:
    return estimate(per_seed) if all(map(math.isfinite, per_seed)) else None


def headline(verdicts: Iterable[tuple[str, str]], what: str = "claims") -> str:
    """Return the counts of (outcome, evidence) pairs as text. Outcomes count for tests only."""
    pairs = list(verdicts)
    if not pairs:
        return "no published claim applies to the selected figures"
    tests = [outcome for outcome, evidence in pairs if evidence == "test"]
    parts = [f"{tests.count('holds')} of {len(tests)} tested {what} hold" if tests else "no test"]
    if fails := tests.count("fails"):
        parts.append(f"{fails} fail" if fails > 1 else "1 fails")
    if undecided := tests.count("undecided"):
        parts.append(f"{undecided} undecided")
    counts = [(sum(kind == evidence for _, kind in pairs), evidence) for evidence in EVIDENCE[1:]]
    others = ", ".join(f"{count} {evidence}" for count, evidence in counts if count)
    return ", ".join(parts) + (f"; {others}" if others else "")


def requirement(claim: Requirement[Any]) -> str:
    """Return a claim's requirement as text: "24 ± 5 %", "above 0.667", "at most 0 packets"."""
    low, high = claim.limits()
    text = {
        "within": f"{claim.published:g} ± {claim.tolerance:g}",
        "at_least": f"at least {low:g}",
        "at_most": f"at most {high:g}",
        "above": f"above {low:g}",
        "below": f"below {high:g}",
    }[claim.rule]
    return f"{text} {claim.unit}".rstrip()


def number(value: Estimate, unit: str = "") -> str:
    """Format a mean with its interval to about three significant digits of the mean."""
    size = abs(value.mean)
    if value.ci95:  # two significant digits of the interval
        decimals = 1 - math.floor(math.log10(value.ci95))
    else:
        decimals = 2 - math.floor(math.log10(size)) if size else 0
    decimals = min(max(decimals, 0), 4 if size >= 0.1 or not size else 6)
    text = f"{value.mean:.{decimals}f}"
    if value.ci95 is not None:
        text += f" ± {value.ci95:.{decimals}f}"
    return f"{text} {unit}".rstrip()


def measured_text(measured: Estimate | None, claim: Requirement[Any]) -> str:
    """Format a measure of a claim or a premise with its unit."""
    return "not defined" if measured is None else number(measured, claim.unit)


def _comparison(claim: Requirement[Any], measured: Estimate | None, outcome: str) -> str:
    if measured is None:
        return "Not defined for some seed: a denominator is zero."
    text, required = measured_text(measured, claim), requirement(claim)
    if outcome == "holds":
        return f"{text} meets {required}."
    if outcome == "fails":
        return f"{text} misses {required}."
    if measured.ci95 is None:
        return f"{text}, {required} is required: one seed gives no interval."
    return f"{text}, {required} is required: the 95% interval reaches across the limit."


def _join(sentences: Iterable[str]) -> str:
    return " ".join(sentence for sentence in sentences if sentence)
