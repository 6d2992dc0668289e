"""Published sentences. Several claims may be judged for one; it counts once.

Claims of a claims file with the same `sentence` are about the same sentence of the paper's text;
without that key a claim has a sentence of its own. They are *parts*, which the sentence states
together, or, where their `interpretation` differs, alternative *readings*. A claim without
`interpretation` is a part of every reading.

- A reading holds if all of its parts hold, fails if one fails, and is undecided otherwise.
- A sentence has the outcome that all of its readings have. It is undecided if they differ: what it
  says then depends on the reader.
- Its evidence is the weakest of its claims', in the order of `claims.EVIDENCE`: a sentence is a
  test only if each of its claims is.

Only the claims that are judged count: with some of the figures a sentence may have fewer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from evenair.papers.claims import EVIDENCE, Verdict, headline

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


@dataclass(frozen=True)
class Sentence:
    """A published sentence and what the verdicts on its claims say of it."""

    id: str
    outcome: str
    """One of claims.OUTCOMES."""
    evidence: str
    """One of claims.EVIDENCE."""
    verdicts: tuple[Verdict[Any], ...]
    """The verdicts on its claims, in the order given."""

    def as_json(self) -> dict[str, object]:
        """Return the entry of report.json."""
        return {
            "id": self.id,
            "outcome": self.outcome,
            "evidence": self.evidence,
            "claims": [verdict.claim.id for verdict in self.verdicts],
        }


def sentences(verdicts: Iterable[Verdict[Any]]) -> list[Sentence]:
    """Return the sentences that claims are about, in the order of their first claims."""
    groups: dict[str, list[Verdict[Any]]] = {}
    for verdict in verdicts:
        groups.setdefault(verdict.claim.sentence or verdict.claim.id, []).append(verdict)
    return [
        Sentence(name, _outcome(group), _weakest(group), tuple(group))
        for name, group in groups.items()
    ]


def both_headlines(verdicts: Sequence[Verdict[Any]]) -> str:
    """Return the counts of claims and of sentences as text."""
    claims = headline((verdict.outcome, verdict.claim.evidence) for verdict in verdicts)
    if not verdicts:
        return claims
    counted = ((sentence.outcome, sentence.evidence) for sentence in sentences(verdicts))
    return f"{claims}. {headline(counted, 'sentences')}"


def _outcome(group: Sequence[Verdict[Any]]) -> str:
    readings = {verdict.claim.interpretation for verdict in group} - {""} or {""}
    outcomes = {
        _of_parts(v.outcome for v in group if v.claim.interpretation in ("", reading))
        for reading in readings
    }
    return outcomes.pop() if len(outcomes) == 1 else "undecided"


def _of_parts(outcomes: Iterable[str]) -> str:
    found = set(outcomes)
    if "fails" in found:
        return "fails"
    return "holds" if found == {"holds"} else "undecided"


def _weakest(group: Sequence[Verdict[Any]]) -> str:
    return max((verdict.claim.evidence for verdict in group), key=EVIDENCE.index)
