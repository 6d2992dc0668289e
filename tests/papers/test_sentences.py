"""Published sentences: what several claims say of one."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from evenair.cli.paper import _print_verdicts
from evenair.papers import gong2006, kashibuchi2009, miorandi2006, tsiknas2012
from evenair.papers.claims import Verdict
from evenair.papers.paper import Paper
from evenair.papers.sentences import sentences
from fake_runs import simulate
from test_report import constant, varying

if TYPE_CHECKING:
    from pathlib import Path

    from evenair.papers.claims import Claim
    from evenair.papers.gong2006.cells import Cell

ANNOTATED = (gong2006, kashibuchi2009, miorandi2006, tsiknas2012)


def verdict(outcome: str, reading: str = "", evidence: str = "test") -> Verdict[Cell]:
    """Return a verdict on a claim of the sentence "one"."""
    claim = replace(constant("c", 1.0, evidence), sentence="one", interpretation=reading)
    return Verdict(claim, (), None, outcome, "")


@pytest.mark.parametrize(
    ("outcomes", "outcome"),
    [
        (["holds"], "holds"),
        (["holds", "holds"], "holds"),
        (["holds", "undecided"], "undecided"),
        (["holds", "fails"], "fails"),
        (["undecided", "fails"], "fails"),
        (["undecided", "undecided"], "undecided"),
    ],
)
def test_parts(outcomes: list[str], outcome: str) -> None:
    (sentence,) = sentences(map(verdict, outcomes))
    assert (sentence.id, sentence.outcome) == ("one", outcome)


@pytest.mark.parametrize(
    ("parts", "outcome"),
    [
        ([("holds", "a"), ("holds", "b")], "holds"),
        ([("fails", "a"), ("fails", "b")], "fails"),
        ([("holds", "a"), ("fails", "b")], "undecided"),
        ([("holds", "a"), ("undecided", "b")], "undecided"),
        ([("fails", "a"), ("undecided", "b")], "undecided"),
        # Reading a fails by its second part, as b does.
        ([("holds", "a"), ("fails", "a"), ("fails", "b")], "fails"),
        # What is part of both readings fails both.
        ([("holds", "a"), ("holds", "b"), ("fails", "")], "fails"),
        ([("holds", "a"), ("fails", "b"), ("fails", "")], "fails"),
        ([("holds", "a"), ("holds", "b"), ("undecided", "")], "undecided"),
        ([("holds", "a"), ("holds", "b"), ("holds", "")], "holds"),
    ],
)
def test_readings(parts: list[tuple[str, str]], outcome: str) -> None:
    (sentence,) = sentences(verdict(*part) for part in parts)
    assert sentence.outcome == outcome


@pytest.mark.parametrize(
    ("kinds", "evidence"),
    [
        (["test", "test"], "test"),
        (["test", "calibrated"], "calibrated"),
        (["post-hoc", "calibrated", "test"], "post-hoc"),
        (["test", "sanity", "post-hoc"], "sanity"),
    ],
)
def test_the_evidence_is_the_weakest(kinds: list[str], evidence: str) -> None:
    (sentence,) = sentences(verdict("holds", evidence=kind) for kind in kinds)
    assert sentence.evidence == evidence


def test_a_claim_without_sentence_has_its_own() -> None:
    alone = Verdict(constant("alone", 1.0, "test"), (), None, "fails", "")
    found = sentences([verdict("holds"), alone, verdict("holds")])
    assert [(sentence.id, sentence.outcome) for sentence in found] == [
        ("one", "holds"),
        ("alone", "fails"),
    ]
    assert [len(sentence.verdicts) for sentence in found] == [2, 1]


@pytest.fixture
def rebuilt(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A report on three claims of the sentence "one", two of them readings, and on one more."""
    claims: list[Claim[Cell]] = [
        replace(constant("mean", 1.0, "test"), sentence="one", interpretation="mean"),
        replace(constant("each", 2.0, "test"), sentence="one", interpretation="at each point"),
        replace(constant("both", 1.0, "calibrated"), sentence="one"),
        varying("open", "test"),
        constant("bad", 2.0, "test"),
    ]
    monkeypatch.setattr(Paper, "claims", lambda self, effort=None: claims)
    gong2006.rebuild(["3"], True, tmp_path / "out", None, simulate=simulate)
    return tmp_path / "out"


SUMMARY = (
    "1 of 4 tested claims hold, 2 fail, 1 undecided; 1 calibrated. "
    "0 of 2 tested sentences hold, 1 fails, 1 undecided; 1 calibrated"
)


def test_sentences_in_json(rebuilt: Path) -> None:
    extent = json.loads((rebuilt / "report.json").read_text(encoding="utf-8"))
    assert extent["figures"] == ["3"]
    assert extent["sentences"] == [
        {
            "id": "one",
            "outcome": "undecided",
            "evidence": "calibrated",
            "claims": ["mean", "each", "both"],
        },
        {"id": "open", "outcome": "undecided", "evidence": "test", "claims": ["open"]},
        {"id": "bad", "outcome": "fails", "evidence": "test", "claims": ["bad"]},
    ]
    claims = json.loads((rebuilt / "claims.json").read_text(encoding="utf-8"))
    assert [claim["sentence"] for claim in claims] == ["one", "one", "one", "open", "bad"]


def test_sentences_in_the_report_and_the_terminal(
    rebuilt: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (rebuilt / "report.html").read_text(encoding="utf-8")
    assert f'<p class="summary">{SUMMARY}.</p>' in text
    table = text[text.index('<h2 id="sentences">') : text.index('<h2 id="method">')]
    rows = [re.findall(r"<td>(.*?)</td>", row) for row in re.findall(r"<tr>(.*?)</tr>", table)[1:]]
    cells = [[re.sub("<.*?>", " ", cell).split() for cell in row] for row in rows]
    assert [(row[0][1], row[1][0], row[2][0]) for row in cells] == [
        ("fails", "test", "bad"),
        ("undecided", "test", "open"),
        ("undecided", "calibrated", "one"),
    ]
    assert re.findall(r'href="#(\w+)"', rows[2][3]) == ["mean", "each", "both"]
    assert "(at each point)" in rows[2][3]
    _print_verdicts(rebuilt)
    assert capsys.readouterr().out.splitlines()[-1].startswith(f"{SUMMARY}; see ")
