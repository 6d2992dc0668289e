"""Published sentences: what several claims say of one."""

from __future__ import annotations

import json
import re
from dataclasses import replace
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
from evenair.papers.claims import Verdict, judge
from evenair.papers.paper import Paper
from evenair.papers.runs import Runs
from evenair.papers.sentences import sentences
from evenair.papers.tsiknas2012.wimax import Wimax
from fake_runs import simulate
from test_report import constant, varying

if TYPE_CHECKING:
    from pathlib import Path

    from evenair.papers.claims import Claim
    from evenair.papers.gong2006.cells import Cell

ANNOTATED = (gong2006, hoiland2017, kashibuchi2009, miorandi2006, today, tsiknas2012)


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


@pytest.mark.parametrize("module", ANNOTATED)
def test_a_sentence_named_after_a_claim_has_that_claim(module: Any) -> None:
    claims = module.claims()
    own = {claim.id: claim.sentence for claim in claims}
    for claim in claims:
        if claim.sentence in own:
            assert own[claim.sentence] == claim.sentence, claim.id


def groups(module: Any) -> dict[str, set[str]]:
    """Return the claims of each sentence of several claims."""
    found: dict[str, set[str]] = {}
    for claim in module.claims():
        found.setdefault(claim.sentence or claim.id, set()).add(claim.id)
    return found


def test_eight_rates_are_one_sentence() -> None:
    found = groups(kashibuchi2009)["fig3-cot-share"]
    rates = (6, 9, 12, 18, 24, 36, 48, 54)
    assert {f"{kind}-cot-share-{rate}" for kind in ("fig3", "slots") for rate in rates} < found


def test_a_sentence_of_the_conclusion_spans_all_figures() -> None:
    found = groups(tsiknas2012)["sec6-bic-gain"]
    figures = (4, 7, 8, 10, 12, 14, 15, 16)
    kinds = ("gain-range", "least-gain", "greatest-gain")
    assert found == {f"fig{figure}-bic-{kind}" for figure in figures for kind in kinds}


def test_shares_of_the_access_without_contention_are_undecided(tmp_path: Path) -> None:
    # 100/150 of a packet waits at an uploading station with the largest buffer: 1 is required.
    gong2006.rebuild(["2"], True, tmp_path / "out", None, simulate=simulate)
    entries = json.loads((tmp_path / "out" / "claims.json").read_text(encoding="utf-8"))
    (entry,) = (entry for entry in entries if entry["id"] == "sec2-access-share-least")
    assert entry["outcome"] == "undecided"
    assert entry["measured"] > 1.0
    assert "0.667 ± 0.000 packets misses at least 1 packets" in entry["reason"]


@pytest.mark.parametrize(("others", "outcome"), [(0.9, "holds"), (1.1, "undecided")])
def test_less_affected_needs_others_that_are_affected(others: float, outcome: str) -> None:
    # BIC gains a fifth from 5:1 to 6:1, more than the others, which fall or rise by a tenth.
    change = {"bic": 1.2, "newreno": others, "westwood": others}
    documents = {
        (Wimax(name, 3, 1e-5, ratio=ratio), seed): {
            "flows": [{"goodput_bps": 1e6 * seed * (change[name] if ratio == 6 else 1.0)}]
        }
        for name in change
        for ratio in (5, 6)
        for seed in (1, 2)
    }
    claims = [claim for claim in tsiknas2012.claims() if "less-affected" in claim.id]
    verdicts = judge(claims, Runs((1, 2), documents))
    assert [verdict.outcome for verdict in verdicts] == [outcome, outcome]
