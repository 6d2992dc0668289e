"""docs/today.md: its tables are those of the data beside its figures, which a run gives again."""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path

import evenair as ea
import pytest
from evenair.papers.today import PAPER
from evenair.papers.today.cells import FULL, PHYS, Cell
from evenair.papers.today.drawing import PICTURES
from evenair.papers.today.figures import grid
from evenair.papers.today.quantities import QUANTITIES
from evenair.papers.today.questions import scenario
from evenair.statistics import estimate

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "today.md").read_text(encoding="utf-8")
CLAIMS = json.loads((DOCS / "images" / "today-claims.json").read_text(encoding="utf-8"))

sys.path.insert(0, str(DOCS / "images"))
import today  # noqa: E402


@pytest.mark.parametrize("name", today.tables())
def test_a_table_has_the_data(name: str) -> None:
    assert "\n".join(today.tables()[name]) in PAGE


@pytest.mark.parametrize("question", PICTURES)
def test_the_data_have_all_cells(question: str) -> None:
    assert len(today.rows(question)) == len(grid(question))


REBUILT = (
    Cell("uploads", "g"),
    Cell("limiter", "g", scheme="limiter"),
    Cell("airtime", "g", "tfrc", "cot"),
    Cell("window", "g", case="one"),
    Cell("losses", "g", "newreno", stations=2, case="ip-0.001"),
)


@pytest.mark.parametrize("cell", REBUILT, ids=lambda cell: cell.question)
def test_the_data_are_rebuilt(cell: Cell) -> None:
    """Ten seeds of a cell of 802.11g, which is the fastest to simulate."""
    picture = PICTURES[cell.question]
    key = (PHYS[cell.phy]["phy"], cell.control, cell.scheme, str(cell.stations), cell.case)
    row = today.rows(cell.question)[key]
    runs = [ea.run(scenario(cell, FULL), seed=seed).document for seed in FULL.seeds]
    for name in picture.columns:
        if not row[name]:
            continue
        mean, half = estimate([QUANTITIES[name](run) for run in runs])
        assert mean == pytest.approx(float(row[name]), rel=1e-5), name
        assert half == pytest.approx(float(row[f"{name}_ci95"]), rel=1e-4), name


def test_counts_of_what_was_expected() -> None:
    assert {claim["id"] for claim in CLAIMS} == {claim.id for claim in PAPER.claims()}
    tested = Counter(claim["outcome"] for claim in CLAIMS if claim["evidence"] == "test")
    assert tested == {"holds": 87, "fails": 26, "undecided": 6}
    assert "Of the 119 that are tests 87 hold, 26 fail\nand 6 are undecided" in PAGE
    row = "| What was expected of [cells of today](today.md) | 87 of 119 (26, 6) |"
    assert row in (DOCS / "validation.md").read_text(encoding="utf-8")


def test_what_does_not_hold_is_explained() -> None:
    outcomes = {claim["id"]: claim["outcome"] for claim in CLAIMS}
    for claim in PAPER.claims():
        assert bool(claim.explanation) == (outcomes[claim.id] != "holds"), claim.id
