"""A second set of configurations: what is simulated, judged and written."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from evenair.cli.commands.paper import _print_verdicts
from evenair.papers import gong2006, tsiknas2012
from evenair.papers.alternative import Alternative
from evenair.papers.gong2006.cells import BUFFER, Cell, Effort
from evenair.papers.measures import Measure, Term
from evenair.papers.paper import Paper
from evenair.papers.tsiknas2012 import PAPER, _base
from evenair.papers.tsiknas2012.agent import TCP_LINUX, in_agent
from evenair.papers.tsiknas2012.downloads import FULL, QUICK, Download
from evenair.papers.tsiknas2012.wimax import Wimax
from fake_downloads import simulate as downloads
from fake_runs import simulate
from test_report import constant
from written import rows

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from evenair.papers.claims import Claim
    from evenair.papers.runs import Document, Runs


def is_las(document: Document) -> float:
    """1 for a run with LAS."""
    return float(document["scenario"]["cell"]["queue"]["kind"] == "las")


def of(name: str, value: Callable[[Document], float], *cells: Cell) -> Claim[Cell]:
    """Return a claim that the mean over cells is 1 within 0.1, part of the sentence "one"."""
    term = Term(value, cells, tuple(map(float, range(len(cells)))))
    measure = Measure("value", {"of": (term,)})
    return replace(constant(name, 0.0, "test"), measure=measure, sentence="one", explanation="E.")


DROPTAIL = Cell("droptail", BUFFER)
CHANGED = of("changed", is_las, DROPTAIL)
SAME = of("same", lambda document: 1.0, Cell("spm-tail", BUFFER))
LAS: Alternative[Cell] = Alternative(
    name="las",
    title="Fair",
    description="With <LAS>.",
    point=lambda cell: replace(cell, scheme="las") if cell.scheme == "droptail" else cell,
)


@pytest.fixture
def rebuilt(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A report with figure 3, which has a run of DropTail alone, and a second set."""
    asked: list[Cell] = []

    def counted(cells: list[Cell], effort: Effort, progress: Any) -> Runs[Cell]:
        asked.extend(cells)
        return simulate(cells, effort, progress)

    monkeypatch.setattr(Paper, "claims", lambda self, effort=None: [CHANGED])
    status = replace(gong2006.PAPER, alternative=LAS).rebuild(
        ["3"], True, tmp_path / "out", simulate=counted
    )
    assert status == 1  # by the first set
    assert asked == [DROPTAIL, Cell("las", BUFFER)]
    return tmp_path / "out"


def test_claims_json_has_both(rebuilt: Path) -> None:
    (entry,) = json.loads((rebuilt / "claims.json").read_text(encoding="utf-8"))
    assert (entry["measured"], entry["outcome"]) == (0.0, "fails")
    assert entry["reason"] == "0 ± 0 misses 1 ± 0.1. E."
    assert entry["alternatives"] == {
        "las": {
            "measured": 1.0,
            "ci95": 0.0,
            "outcome": "holds",
            "reason": "1.00 ± 0.00 meets 1 ± 0.1.",
        }
    }
    for name, measured in (("claims", 0.0), ("claims-las", 1.0)):
        found = rows(rebuilt / "data" / f"{name}.csv")
        assert [float(row["measured"]) for row in found] == [measured, measured]


def test_the_report_has_both(rebuilt: Path, capsys: pytest.CaptureFixture[str]) -> None:
    extent = json.loads((rebuilt / "report.json").read_text(encoding="utf-8"))
    (sentence,) = extent["sentences"]
    assert (sentence["outcome"], sentence["alternatives"]) == (
        "fails",
        {"las": {"outcome": "holds"}},
    )
    summary = (
        "0 of 1 tested claims hold, 1 fails. 0 of 1 tested sentences hold, 1 fails. "
        "Fair: 1 of 1 tested claims hold. 1 of 1 tested sentences hold"
    )
    assert extent["headline"] == summary
    _print_verdicts(rebuilt)
    assert capsys.readouterr().out.splitlines()[-1].startswith(f"{summary}; see ")
    text = (rebuilt / "report.html").read_text(encoding="utf-8")
    assert f'<p class="summary">{summary}.</p>' in text
    assert "<p>With &lt;LAS&gt;.</p>" in text
    assert text.count('<th scope="col">Fair</th>') == 3  # figure, claims, sentences
    (row,) = re.findall(r'<tr id="changed">(.*?)</tr>', text)
    cells = [re.sub("<.*?>", " ", cell).split() for cell in re.findall(r"<td>(.*?)</td>", row)]
    assert cells[0] == ["✗", "fails"]
    assert cells[5] == ["✓", "holds", "1.00", "±", "0.00"]


def test_a_claim_that_is_not_judged_needs_nothing() -> None:
    assert LAS.points([CHANGED, SAME], {DROPTAIL}) == {Cell("las", BUFFER)}
    both = LAS.points([CHANGED, SAME], {DROPTAIL, Cell("spm-tail", BUFFER)})
    assert both == {Cell("las", BUFFER), Cell("spm-tail", BUFFER)}


def test_a_paper_without_a_second_set(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(Paper, "claims", lambda self, effort=None: [CHANGED])
    gong2006.rebuild(["3"], True, tmp_path / "out", None, simulate=simulate)
    (entry,) = json.loads((tmp_path / "out" / "claims.json").read_text(encoding="utf-8"))
    assert "alternatives" not in entry


def test_the_agents_variants() -> None:
    for name in ("newreno", "westwood", "bic", "veno", "vegas"):
        for point in (Download(name, 0.01, True, 80), Wimax(name, 3, 1e-5, ratio=6)):
            (flow, *_) = (
                in_agent(point).scenario(_base(point.base), QUICK).resolved["station"][0]["flows"]
            )
            assert flow["sack"] == flow["rack"] == (name != "newreno")
            expected = "westwood-plus" if name == "westwood" else name
            assert flow["transport"] == _transport(expected)
            changed = replace(in_agent(point), transport=name, sack=False)
            assert changed == point


def _transport(name: str) -> Any:
    """Return a transport as scenarios resolve it."""
    base = _base("tsiknas2012")
    resolved = base.with_(station__0__flows__0__transport=name).resolved
    return resolved["station"][0]["flows"][0]["transport"]


def test_runs_that_do_not_differ_are_shared() -> None:
    claims = PAPER.claims(FULL)
    first = set().union(*(claim.points for claim in claims))
    second = TCP_LINUX.points(claims, first)
    shared = {point for point in first if point.transport == "newreno"}
    assert first & second == shared
    assert len(second) == len(first)


def test_all_claims_of_tsiknas2012_are_judged_on_both(tmp_path: Path) -> None:
    tsiknas2012.rebuild(["14"], True, tmp_path / "out", None, simulate=downloads)
    entries = json.loads((tmp_path / "out" / "claims.json").read_text(encoding="utf-8"))
    by_id = {entry["id"]: entry for entry in entries}
    # Made up: 4 - 20 PER Mb/s, from 0.01 on 0.1 Mb/s more from one variant to the next: Westwood+
    # has 0.5 Mb/s more than New Reno, Westwood 0.3, Vegas 0.1.
    mean = (1 / 3.8 + 1 / 3.4 + 1 / 2.0) / 3
    for name, first, second in (("westwood-gain", 30, 50), ("vegas-below-newreno", 10, 10)):
        entry = by_id[f"fig14-{name}"]
        assert entry["measured"] == pytest.approx(first * mean, rel=1e-3)
        other = entry["alternatives"]["tcp-linux"]["measured"]
        assert other == pytest.approx(second * mean, rel=1e-3)
