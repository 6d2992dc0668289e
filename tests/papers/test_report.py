"""The report, the exit status and the terminal: outcomes, evidence and their order."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest
from evenair.cli.commands.paper import _print_verdicts
from evenair.papers import (
    gong2006,
    hoiland2017,
    kashibuchi2009,
    miorandi2006,
    today,
    tsiknas2012,
)
from evenair.papers.claims import Claim, headline
from evenair.papers.gong2006.cells import BUFFER, Cell
from evenair.papers.measures import Measure, Term
from evenair.papers.paper import Paper
from fake_runs import simulate

if TYPE_CHECKING:
    from pathlib import Path

CELL = Cell("droptail", BUFFER)


def constant(name: str, value: float, evidence: str) -> Claim[Cell]:
    """Return a claim that 1.0 is measured, within 0.1; `value` is, with every seed."""
    term: Term[Cell] = Term(lambda document: value, (CELL,), (0.0,))
    return Claim(
        id=name,
        statement=f"Statement of {name}.",
        where="Section 1",
        figure="3",
        unit="",
        measure=Measure("value", {"of": (term,)}),
        rule="within",
        published=1.0,
        tolerance=0.1,
        reading="",
        explanation="",
        evidence=evidence,
        evidence_reason="" if evidence == "test" else "For a reason.",
    )


def varying(name: str, evidence: str) -> Claim[Cell]:
    """Return a claim that is undecided: the measure is the seed, 1 or 2."""
    term: Term[Cell] = Term(lambda document: float(document["seed"]), (CELL,), (0.0,))
    claim = constant(name, 0.0, evidence)
    return Claim(**(vars(claim) | {"measure": Measure("value", {"of": (term,)})}))


def rebuild(monkeypatch: pytest.MonkeyPatch, out: Path, claims: list[Claim[Cell]]) -> int:
    monkeypatch.setattr(Paper, "claims", lambda self, effort=None: claims)
    return gong2006.rebuild(["3"], True, out, None, simulate=simulate)


MIXED = [
    constant("good", 1.0, "test"),
    varying("open", "test"),
    constant("easy", 1.0, "sanity"),
    constant("fitted", 2.0, "calibrated"),
    constant("bad", 2.0, "test"),
    constant("late", 1.0, "post-hoc"),
]
CLAIMS = "1 of 3 tested claims hold, 1 fails, 1 undecided; 1 calibrated, 1 post-hoc, 1 sanity"
SUMMARY = f"{CLAIMS}. {CLAIMS.replace('claims', 'sentences')}"


@pytest.fixture
def mixed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    rebuild(monkeypatch, tmp_path / "out", MIXED)
    return tmp_path / "out"


@pytest.mark.parametrize(
    ("claims", "status"),
    [
        (MIXED, 1),
        ([constant("bad", 2.0, "test")], 1),
        ([constant("bad", 2.0, kind) for kind in ("calibrated", "post-hoc", "sanity")], 0),
        ([varying("open", "test")], 0),
        ([constant("good", 1.0, "test")], 0),
        ([], 0),
    ],
)
def test_the_status_is_1_when_a_test_fails(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, claims: list[Claim[Cell]], status: int
) -> None:
    assert rebuild(monkeypatch, tmp_path / "out", claims) == status


def test_the_order_of_the_report(mixed: Path) -> None:
    text = (mixed / "report.html").read_text(encoding="utf-8")
    question = gong2006.PAPER.question
    marks = [
        gong2006.PAPER.title,
        'id="question"',
        question,
        SUMMARY,
        "<nav",
        'href="#figures"',
        'href="#3"',
        'href="#claims"',
        'href="#fails"',
        'href="#undecided"',
        'href="#holds"',
        'href="#sentences"',
        'href="#method"',
        "</nav>",
        'id="figures"',
        'id="3"',
        'id="claims"',
        'id="sentences"',
        'id="method"',
        'id="scenario"',
    ]
    body = text[text.index("<body>") :]
    places = [body.index(mark) for mark in marks]
    assert places == sorted(places)
    assert "never widened" not in text


def test_claims_are_grouped_by_outcome_with_tests_first(mixed: Path) -> None:
    text = (mixed / "report.html").read_text(encoding="utf-8")
    table = text[text.index('<table class="verdicts">') :]
    assert re.findall(r'id="(\w+)"', table[: table.index("</table>")]) == [
        *("fails", "bad", "fitted"),
        *("undecided", "open"),
        *("holds", "good", "late", "easy"),
    ]
    for name, outcome, evidence in (
        ("bad", "fails", "test"),
        ("open", "undecided", "test"),
        ("easy", "holds", "sanity"),
    ):
        row = re.search(rf'<tr id="{name}">.*?</tr>', table)
        assert row is not None
        cells = re.findall(r"<td>(.*?)</td>", row[0])
        assert re.sub("<.*?>", "", cells[0]).split()[1] == outcome
        assert cells[1] == evidence


def test_a_report_without_claims_has_no_table(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    rebuild(monkeypatch, tmp_path / "out", [])
    text = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "no published claim applies to the selected figures." in text
    assert '<table class="verdicts">' not in text


def test_the_terminal(mixed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _print_verdicts(mixed)
    lines = capsys.readouterr().out.splitlines()
    assert lines == [
        "fails (calibrated): fitted, Section 1: Statement of fitted.",
        "    2.00 ± 0.00 misses 1 ± 0.1. Calibrated: For a reason.",
        "fails (test): bad, Section 1: Statement of bad.",
        "    2.00 ± 0.00 misses 1 ± 0.1.",
        "undecided (test): open, Section 1: Statement of open.",
        "    1.5 ± 6.4, 1 ± 0.1 is required: the 95% interval reaches across the limit.",
        f"{SUMMARY}; see {mixed / 'report.html'}",
    ]


def test_the_headline_is_that_of_claims_json(mixed: Path) -> None:
    entries = json.loads((mixed / "claims.json").read_text(encoding="utf-8"))
    assert headline((entry["outcome"], entry["evidence"]) for entry in entries) == CLAIMS


@pytest.mark.parametrize(
    ("warmups", "text"),
    [
        ({}, "none (the start is measured, too)"),
        ({"droptail": 20.0, "las": 20.0, "spm-tail": 20.0, "spm-head": 20.0}, "20 s"),
        ({"las": 5.0}, "none (the start is measured, too) or 5 s"),
    ],
)
def test_the_warm_up_is_a_fact(tmp_path: Path, warmups: dict[str, float], text: str) -> None:
    def warmed(*arguments: Any) -> Any:
        runs = simulate(*arguments)
        for (cell, _), document in runs.documents.items():
            if cell.scheme in warmups:
                document["scenario"]["warmup"] = warmups[cell.scheme]
        return runs

    gong2006.rebuild(["6"], True, tmp_path / "out", None, simulate=warmed)
    report = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert f"<dt>Warm-up</dt><dd>{text}</dd>" in report


def test_every_paper_has_a_question() -> None:
    for module in (gong2006, hoiland2017, kashibuchi2009, miorandi2006, today, tsiknas2012):
        paper: Paper[Any, Any] = module.PAPER
        assert paper.question.endswith((".", "?"))
