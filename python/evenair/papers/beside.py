"""Runs of the test-bed beside those of the simulator: verdicts, captions and facts of a report."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Generic, TypeAlias

from evenair.papers.claims import Claim, Verdict, judge, measured_text
from evenair.papers.figures import E, FigureSpec, Table
from evenair.papers.runs import P, Runs
from evenair.testbed.verdict import complaints as complaints_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from matplotlib.figure import Figure

    from evenair.papers.report import Heading

SIMULATOR, TESTBED = "simulator", "test-bed (Linux TCP)"
"""The names of the two in figures."""

Drawn: TypeAlias = "tuple[FigureSpec[Any, Any], str, Figure | None, Table]"
"""A figure's description, its caption, the figure (None for a table) and its data."""


@dataclass(frozen=True)
class OnTestbed(Generic[P, E]):
    """How a paper is measured on the test-bed."""

    full: E
    quick: E
    run_name: Callable[[P], str]
    """The name of a point's runs, for files."""
    evidence: Callable[[Claim[P], E], tuple[str, str]]
    """What a verdict is worth there, one of `claims.EVIDENCE`, and why if it is no test."""
    most: int | None = None
    """How many runs at once are in time [as many as `evenair.testbed.pool` has]."""


def judge_both(
    claims: Iterable[Claim[P]],
    simulated: Runs[P],
    measured: Runs[P],
    effort: E,
    evidence: Callable[[Claim[P], E], tuple[str, str]],
) -> list[Verdict[P]]:
    """Judge claims by the runs of the test-bed; the reasons have what the simulator measures.

    `evidence` says what a verdict is worth, and why if it is no test. A claim that rests on a run
    that is not to be trusted is undecided.
    """
    asked = []
    for claim in claims:
        kind, why = evidence(claim, effort)
        asked.append(
            replace(claim, evidence=kind, evidence_reason=why, explanation=claim.on_testbed)
        )
    others = {verdict.claim.id: verdict for verdict in judge(asked, simulated)}
    verdicts = []
    for verdict in judge(asked, measured):
        claim, other = verdict.claim, others[verdict.claim.id]
        text = measured_text(other.measured, claim)
        reason = f"{verdict.reason} The simulator, in the same time: {text} ({other.outcome})."
        bad = [bed for (point, _), bed in _untrusted(measured) if point in claim.points]
        if bad:
            reason += f" A run of the test-bed is not to be trusted: {_why(bad[0])}."
        outcome = "undecided" if bad else verdict.outcome
        verdicts.append(replace(verdict, outcome=outcome, reason=reason))
    return verdicts


def draw(
    specs: Sequence[FigureSpec[P, E]],
    simulated: Runs[P],
    measured: Runs[P],
    effort: E,
    run_name: Callable[[P], str],
) -> list[Drawn]:
    """Draw figures with both; a caption names the runs that are not to be trusted."""
    drawn: list[Drawn] = []
    for spec in specs:
        if spec.beside is None:
            continue
        figure, table = spec.beside.draw(simulated, measured, effort)
        caption = spec.beside.caption(effort)
        points = spec.points(effort)
        bad = [
            f"{run_name(point)}, seed {seed} ({_why(bed)})"
            for (point, seed), bed in _untrusted(measured)
            if point in points
        ]
        if bad:
            caption += f" Not to be trusted: {'; '.join(bad)}."
        drawn.append((spec, caption, figure, table))
    return drawn


def described(
    heading: Heading, measured: Runs[P], run_name: Callable[[P], str], left_out: Sequence[str]
) -> Heading:
    """Return the heading of a report on both, with the facts about the test-bed."""
    beds = [document["testbed"] for document in measured.documents.values()]
    facts = dict(heading.facts)
    facts["Runs"] += "; the same with the simulator"
    bad = [f"{run_name(point)}, seed {seed}" for (point, seed), _ in _untrusted(measured)]
    p99 = [1e3 * bed["lateness_s"]["p99"] for bed in beds]
    facts |= {
        "Kernel": ", ".join(sorted({bed["kernel"] for bed in beds})),
        "Lateness": f"99th percentile {min(p99):.2g} to {max(p99):.2g} ms by run",
        "Not to be trusted": "; ".join(bad) or "none of the runs",
        "Warnings": "; ".join(complaints(measured, run_name)) or "none",
        "Differences": "; ".join(dict.fromkeys(d for bed in beds for d in bed["differences"])),
    }
    if left_out:
        facts["Not measured"] = f"figures {', '.join(left_out)}"
    rebuilt = "rebuilt on the test-bed, beside the simulator"
    return replace(heading, facts=facts, rebuilt=rebuilt)


def complaints(measured: Runs[P], run_name: Callable[[P], str]) -> list[str]:
    """Return a line for each run that is not to be trusted, with the reasons, and each warning."""
    return [
        f"{run_name(point)}, seed {seed}: {line}"
        for (point, seed), document in measured.documents.items()
        for line in complaints_of(document)
    ]


def all_trusted(measured: Runs[P]) -> bool:
    """Return whether all runs are to be trusted."""
    return not _untrusted(measured)


def _untrusted(measured: Runs[P]) -> list[tuple[tuple[P, int], dict[str, Any]]]:
    """Return point, seed and the facts about the test-bed of runs that are not to be trusted."""
    beds = [(key, document["testbed"]) for key, document in measured.documents.items()]
    return [(key, bed) for key, bed in beds if not bed["trusted"]]


def _why(bed: dict[str, Any]) -> str:
    return "; ".join(bed["untrusted"])
