"""Claims of a paper, and the verdicts that follow from the simulations."""

from __future__ import annotations

import math
import tomllib
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Generic

from evenair.papers.measures import Measure, Term, read_measure
from evenair.papers.runs import P, Runs
from evenair.statistics import Estimate, estimate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

RULES = ("within", "at_least", "at_most", "above", "below")
"""Rules for comparing a measured mean with the published number: see Claim.limits."""


@dataclass(frozen=True)
class Claim(Generic[P]):
    """One checkable statement of a paper. `published` and `tolerance` are in `unit`."""

    id: str
    statement: str
    where: str
    figure: str
    """The figure or table of the rebuilt report beside which the verdict is shown."""
    unit: str
    measure: Measure[P]
    rule: str
    published: float
    tolerance: float
    reading: str
    """The interpretation of the paper's words, if it prints no number."""
    explanation: str
    """Why the claim does not hold, according to an analysis; empty before there is one."""
    also: tuple[str, Measure[P]] | None = None
    """An alternative interpretation and its label: reported, not judged."""

    def limits(self) -> tuple[float, float]:
        """Return the accepted range; "above" and "below" exclude the limit itself."""
        low = {"within": self.published - self.tolerance, "above": self.published}
        high = {"within": self.published + self.tolerance, "below": self.published}
        low["at_least"] = self.published - self.tolerance
        high["at_most"] = self.published + self.tolerance
        return low.get(self.rule, -math.inf), high.get(self.rule, math.inf)

    def accepts(self, value: float) -> bool:
        """Return whether a measured mean is accepted. NaN is not."""
        low, high = self.limits()
        if self.rule in ("above", "below"):
            return low < value < high
        # Limits such as 0.44 + 0.07 are not exact in binary; a value at the limit is accepted.
        slack = 1e-9 * max(1.0, abs(self.published))
        return low - slack <= value <= high + slack


@dataclass(frozen=True)
class Verdict(Generic[P]):
    """The result of the simulations for a claim."""

    claim: Claim[P]
    per_seed: tuple[float, ...]
    """The measure for each seed."""
    measured: Estimate | None
    """Mean and half-width of the 95% interval; None if the measure is not defined for some seed."""
    holds: bool
    reason: str

    def as_json(self) -> dict[str, object]:
        """Return the entry of claims.json."""
        return {
            "id": self.claim.id,
            "statement": self.claim.statement,
            "where": self.claim.where,
            "published": self.claim.published,
            "tolerance": self.claim.tolerance,
            "measured": self.measured.mean if self.measured else None,
            "ci95": self.measured.ci95 if self.measured else None,
            "holds": self.holds,
            "reason": self.reason,
        }


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
    known = {field.name for field in fields(Claim)}
    if set(table) | {"also"} != known:
        odd = ", ".join(sorted((set(table) | {"also"}) ^ known))
        raise ValueError(f"{name}: keys that are unknown or missing: {odd}")
    if table["rule"] not in RULES:
        raise ValueError(f"{name}: rule: got {table['rule']!r}, expected {', '.join(RULES)}")
    if table["tolerance"] < 0 or (table["rule"] in ("above", "below") and table["tolerance"]):
        raise ValueError(f"{name}: tolerance: got {table['tolerance']}")
    try:
        measure = read_measure(table["measure"], read_term)
        also = table.get("also")
        second = None if also is None else (str(also["label"]), read_measure(also, read_term))
    except (KeyError, ValueError) as error:
        raise ValueError(f"{name}: {error}") from None
    return Claim(**{**table, "measure": measure, "also": second})


def judge(claims: Iterable[Claim[P]], runs: Runs[P]) -> list[Verdict[P]]:
    """Judge every claim whose points have all been simulated, in the order given."""
    points = runs.points
    return [_judge(claim, runs) for claim in claims if claim.measure.points <= points]


def _judge(claim: Claim[P], runs: Runs[P]) -> Verdict[P]:
    per_seed = tuple(claim.measure.value(runs.lookup(seed)) for seed in runs.seeds)
    if not all(math.isfinite(value) for value in per_seed):
        sentences = ["Not defined for some seed: a denominator is zero.", claim.explanation]
        return Verdict(claim, per_seed, None, False, _join(sentences))
    measured = estimate(per_seed)
    holds = claim.accepts(measured.mean)
    sentences = [_comparison(claim, measured, holds), _straddle(claim, measured), claim.reading]
    if claim.also is not None:
        label, measure = claim.also
        second = estimate([measure.value(runs.lookup(seed)) for seed in runs.seeds])
        sentences.append(f"{label}: {number(second, claim.unit)}.")
    if not holds:
        sentences.append(claim.explanation)
    return Verdict(claim, per_seed, measured, holds, _join(sentences))


def requirement(claim: Claim[Any]) -> str:
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


def _comparison(claim: Claim[Any], measured: Estimate, holds: bool) -> str:
    verb = "meets" if holds else "misses"
    return f"{number(measured, claim.unit)} {verb} {requirement(claim)}."


def _straddle(claim: Claim[Any], measured: Estimate) -> str:
    if not measured.ci95:
        return ""
    low, high = measured.mean - measured.ci95, measured.mean + measured.ci95
    if any(low < limit < high for limit in claim.limits()):
        return "The 95% interval reaches across the limit: the seeds do not settle this."
    return ""


def _join(sentences: Iterable[str]) -> str:
    return " ".join(sentence for sentence in sentences if sentence)
