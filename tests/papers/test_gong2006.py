"""Rebuilding the paper: on made-up runs in full, and one figure by simulation."""

from __future__ import annotations

import base64
import csv
import json
import re
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any

import pytest
from evenair import papers
from evenair.papers import gong2006
from evenair.papers.claims import EVIDENCE, OUTCOMES
from evenair.papers.figures import select_figures
from evenair.papers.gong2006.cells import BUFFER, FULL, QUICK, Cell, Effort
from evenair.papers.gong2006.figures import FIGURES
from fake_runs import simulate

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from evenair.papers.runs import Runs

KEYS = ["id", "sentence", "statement", "where", "published", "tolerance", "measured", "ci95"]
KEYS += ["outcome", "evidence", "reason"]
TABLES = ("table1", "variants")


@pytest.fixture(scope="module")
def rebuilt(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("paper") / "out"
    status = gong2006.rebuild(None, True, out, None, simulate=simulate)
    assert status in (0, 1)
    return out


def test_every_figure_is_written(rebuilt: Path) -> None:
    for spec in FIGURES:
        if spec.id in TABLES:
            assert (rebuilt / f"{spec.id}.csv").is_file()
        else:
            assert (rebuilt / f"fig{spec.id}.png").read_bytes().startswith(b"\x89PNG")
            assert b"<svg" in (rebuilt / f"fig{spec.id}.svg").read_bytes()
            assert (rebuilt / "data" / f"fig{spec.id}.csv").is_file()


def test_claims_json(rebuilt: Path) -> None:
    verdicts = json.loads((rebuilt / "claims.json").read_text(encoding="utf-8"))
    assert [list(verdict) for verdict in verdicts] == [KEYS] * len(gong2006.claims())
    for verdict in verdicts:
        assert verdict["outcome"] in OUTCOMES
        assert verdict["evidence"] in EVIDENCE
        assert isinstance(verdict["published"], float)
        assert isinstance(verdict["tolerance"], float)
        assert verdict["reason"]


def test_data_behind_a_figure(rebuilt: Path) -> None:
    with (rebuilt / "data" / "fig4b.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 4 * len(QUICK.buffers)
    las = [float(row["jain_index"]) for row in rows if row["scheme"] == "las"]
    assert all(0.99 < value <= 1.0 for value in las)


class Links(HTMLParser):
    """Everything that a browser would load, and whether every tag is closed."""

    def __init__(self) -> None:
        super().__init__()
        self.loads: list[str] = []
        self.open: list[str] = []
        self.ids: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in ("meta", "img", "br"):
            self.open.append(tag)
        self.loads += [value or "" for name, value in attrs if name in ("src", "href", "data")]
        self.ids += [value or "" for name, value in attrs if name == "id"]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_report_needs_nothing_else(rebuilt: Path) -> None:
    text = (rebuilt / "report.html").read_text(encoding="utf-8")
    page = Links()
    page.feed(text)
    assert page.open == []
    assert len(page.ids) == len(set(page.ids))
    figures = [spec for spec in FIGURES if spec.id not in TABLES]
    loads = [address for address in page.loads if not address.startswith("#")]
    assert {address.removeprefix("#") for address in page.loads if address[0] == "#"} < {*page.ids}
    for spec, address in zip(figures, loads, strict=True):
        kind, _, data = address.partition(",")
        assert kind == "data:image/svg+xml;base64"
        svg = base64.b64decode(data)
        assert svg == (rebuilt / f"fig{spec.id}.svg").read_bytes()
        # Nothing but references inside the picture itself.
        assert all(link.startswith(b"#") for link in re.findall(rb'href="([^"]*)"', svg))
    assert "http" not in re.sub(r"base64,[^\"]*", "", text)
    assert "@import" not in text
    assert "url(" not in text


def test_a_quick_report_says_so(rebuilt: Path) -> None:
    assert "Quick run: not for judging" in (rebuilt / "report.html").read_text(encoding="utf-8")


def test_the_same_runs_give_the_same_files(rebuilt: Path) -> None:
    again = rebuilt.parent / "again"
    gong2006.rebuild(["4b"], True, again, None, simulate=simulate)
    for name in ("fig4b.png", "fig4b.svg", "data/fig4b.csv"):
        assert (again / name).read_bytes() == (rebuilt / name).read_bytes()


def test_a_single_figure_runs_and_writes_what_it_needs(tmp_path: Path) -> None:
    ran: list[Cell] = []

    def spy(
        cells: list[Cell], effort: Effort, progress: Callable[[int, int], None] | None
    ) -> Runs[Cell]:
        ran.extend(cells)
        return simulate(cells, effort, progress)

    gong2006.rebuild(["3"], True, tmp_path / "out", None, simulate=spy)
    assert ran == [Cell("droptail", BUFFER)]
    written = {
        str(path.relative_to(tmp_path / "out"))
        for path in (tmp_path / "out").rglob("*")
        if path.is_file()
    }
    assert written == {
        "fig3.png",
        "fig3.svg",
        "data/fig3.csv",
        "data/claims.csv",
        "claims.json",
        "report.html",
        "report.json",
    }
    verdicts = json.loads((tmp_path / "out" / "claims.json").read_text(encoding="utf-8"))
    ids = {verdict["id"] for verdict in verdicts}
    assert "fig3-downstream-window" in ids
    assert "fig4b-gain-las" not in ids


def test_each_point_is_simulated_once() -> None:
    cells = [cell for spec in FIGURES for cell in spec.points(FULL)]
    # LAS by bytes in figures 4 and 8, with a late download; SPM-AF per ACK, and unmarked twice.
    assert len(set(cells)) == 4 * 15 + 4 * 5 + (15 + 5) + 2 + 2 + 4
    assert len(FULL.seeds) == 10


def resolved(cell: Cell) -> dict[str, Any]:
    return gong2006.PAPER.scenario(cell, FULL).resolved


def test_cases_change_what_they_say() -> None:
    pytest.importorskip("evenair._core", reason="the engine has not been built")
    plain = resolved(Cell("las", BUFFER))
    assert plain["cell"]["queue"]["service"] == "sequence"
    assert resolved(Cell("las", BUFFER, case="bytes"))["cell"]["queue"]["service"] == "bytes"
    for case, key in (("per-ack", "byte_counting"), ("unmarked", "spm_marking")):
        before = resolved(Cell("spm-tail", BUFFER))
        after = resolved(Cell("spm-tail", BUFFER, case=case))
        for group in before["station"]:
            assert group["flows"][0][key] is True
            group["flows"][0][key] = False
        assert after == before
    late = resolved(Cell("las", BUFFER, case="late"))
    assert [group["count"] for group in late["station"]] == [5, 4, 1]
    assert late["station"][2]["flows"][0]["start"] == pytest.approx(100.0)
    assert late["duration"] == 300.0
    assert resolved(Cell("las", BUFFER, case="catching-up"))["duration"] == pytest.approx(105.0)


def test_claims_that_rest_on_the_service_of_las_are_not_tests() -> None:
    by_id = {claim.id: claim for claim in gong2006.claims()}
    for name in ("fig4b-gain-las", "fig4b-gain-las-of-means", "fig8b-las-perfect"):
        assert by_id[name].evidence == "calibrated"
        assert "service" in by_id[name].evidence_reason
    for name in ("fig4b-gain-las-by-bytes", "fig8b-las-perfect-by-bytes"):
        assert by_id[name].evidence == "post-hoc"


def test_progress_counts_runs(tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    gong2006.rebuild(
        ["6"],
        True,
        tmp_path / "out",
        lambda done, total: seen.append((done, total)),
        simulate=simulate,
    )
    assert seen == [(done, 8) for done in range(1, 9)]


def test_an_interrupted_rebuild_leaves_nothing(tmp_path: Path) -> None:
    def interrupt(*_: Any) -> Runs[Cell]:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        gong2006.rebuild(None, True, tmp_path / "out", None, simulate=interrupt)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["4B", "fig4b", "Figure 4b", " 4b "])
def test_figures_by_name(name: str) -> None:
    assert [spec.id for spec in select_figures(FIGURES, [name])] == ["4b"]


@pytest.mark.parametrize("name", ["9", "", "fig", "4", "../3"])
def test_unknown_figures(tmp_path: Path, name: str) -> None:
    with pytest.raises(
        ValueError, match="expected one of 2, 3, 4a, 4b, 5, 6, 7, 8a, 8b, table1, variants"
    ):
        papers.rebuild("gong2006", [name], True, tmp_path / "out", None)
    assert list(tmp_path.iterdir()) == []


def test_papers_by_name(tmp_path: Path) -> None:
    assert "gong2006" in papers.NAMES
    assert "Queue Management Strategies" in papers.describe("gong2006")
    with pytest.raises(ValueError, match="expected one of blefari2007, gong2006"):
        papers.rebuild("gong2007", None, True, tmp_path / "out", None)
    with pytest.raises(ValueError, match="expected one of blefari2007, gong2006"):
        papers.describe("os")


def test_a_figure_by_simulation(tmp_path: Path) -> None:
    pytest.importorskip("evenair._core", reason="the engine has not been built")
    out = tmp_path / "out"
    status = papers.rebuild("gong2006", ["6", "table1"], True, out, None)
    verdicts = json.loads((out / "claims.json").read_text(encoding="utf-8"))
    by_id = {verdict["id"]: verdict for verdict in verdicts}
    refuted = [
        verdict["id"]
        for verdict in verdicts
        if (verdict["outcome"], verdict["evidence"]) == ("fails", "test")
    ]
    assert status == int(bool(refuted))
    # What two seeds and a minute cannot get wrong.
    assert by_id["fig6-droptail-acks"]["measured"] > 0.5
    for name in ("fig6-spm-makes-room", "fig7a-las-holds-upstream"):
        assert by_id[name]["outcome"] == "holds", name
    with (out / "table1.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [row["flow"] for row in rows] == [str(flow) for flow in range(1, 11)]
    assert all(float(row["tail_mbps"]) > 0.1 for row in rows)
