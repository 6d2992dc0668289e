"""A second set of configurations that a paper's words allow: its claims are judged on both."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Generic

from evenair.papers.claims import Claim, Verdict, judge
from evenair.papers.runs import P, Runs
from evenair.papers.sentences import both_headlines, sentences

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence


@dataclass(frozen=True)
class Alternative(Generic[P]):
    """The second set. Claims of a paper name the points of its first set."""

    name: str
    """A word for files."""
    title: str
    """The heading of its column."""
    description: str
    """A sentence on how the sets differ, and why there are two."""
    point: Callable[[P], P]
    """The point that takes the place of one of the first set; the same where they do not differ."""

    def points(self, claims: Iterable[Claim[P]], simulated: set[P]) -> set[P]:
        """Return the points that the claims need in this set, if `simulated` is their first."""
        return {
            self.point(point)
            for claim in claims
            if claim.points <= simulated
            for point in claim.points
        }

    def judge(self, verdicts: Iterable[Verdict[P]], runs: Runs[P]) -> Judged[P]:
        """Judge the claims of `verdicts`, which are on the first set, on this one.

        Reasons leave out explanations, which are of the first set.
        """
        claims = [replace(verdict.claim, explanation="") for verdict in verdicts]
        documents = {
            (point, seed): runs.documents[self.point(point), seed]
            for point in set().union(*(claim.points for claim in claims))
            for seed in runs.seeds
        }
        return Judged(self, tuple(judge(claims, Runs(runs.seeds, documents))))


@dataclass(frozen=True)
class Judged(Generic[P]):
    """The verdicts on the second set, in the order of those on the first."""

    alternative: Alternative[P]
    verdicts: tuple[Verdict[P], ...]

    def of(self, verdict: Verdict[P]) -> Verdict[P]:
        """Return the verdict on a claim."""
        return next(other for other in self.verdicts if other.claim.id == verdict.claim.id)


def headlines(verdicts: Sequence[Verdict[Any]], second: Judged[Any] | None) -> str:
    """Return the counts of claims and sentences, of both sets, as text."""
    first = both_headlines(verdicts)
    if second is None:
        return first
    return f"{first}. {second.alternative.title}: {both_headlines(second.verdicts)}"


def claims_json(
    verdicts: Sequence[Verdict[Any]], second: Judged[Any] | None
) -> list[dict[str, object]]:
    """Return the content of claims.json."""
    entries = [verdict.as_json() for verdict in verdicts]
    if second is not None:
        for entry, verdict in zip(entries, second.verdicts, strict=True):
            other = verdict.as_json()
            parts = {key: other[key] for key in ("measured", "ci95", "outcome", "reason")}
            entry["alternatives"] = {second.alternative.name: parts}
    return entries


def sentences_json(
    verdicts: Sequence[Verdict[Any]], second: Judged[Any] | None
) -> list[dict[str, object]]:
    """Return the sentences of report.json."""
    entries = [sentence.as_json() for sentence in sentences(verdicts)]
    if second is not None:
        for entry, sentence in zip(entries, sentences(second.verdicts), strict=True):
            entry["alternatives"] = {second.alternative.name: {"outcome": sentence.outcome}}
    return entries
