"""The papers' questions in cells of today: their cells, claims, quantities and figures."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import evenair as ea
import pytest
from evenair.papers import today
from evenair.papers.today import PAPER
from evenair.papers.today.cells import FULL, PHYS, QUICK, Cell
from evenair.papers.today.figures import grid
from evenair.papers.today.quantities import (
    down_over_up,
    jain_airtime,
    latency_ms,
    read_term,
    slow_airtime,
    up_over_down,
)
from evenair.papers.today.questions import QUESTIONS, capacity_bps, scenario

if TYPE_CHECKING:
    from pathlib import Path

    from evenair.papers.runs import Runs
    from evenair.papers.today.cells import Effort

BUILT_IN = {
    "uploads": Cell("uploads"),
    "limiter": Cell("limiter", scheme="limiter"),
    "airtime": Cell("airtime", control="tfrc", scheme="cot"),
    "window": Cell("window", case="d2"),
    "losses": Cell("losses", stations=2, case="ip-0.001"),
}
"""The cell that the built-in scenario of a question is."""


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_built_in_scenario_is_a_cell_of_its_question(question: str) -> None:
    cell = BUILT_IN[question]
    assert cell in grid(question)
    built_in = ea.load(QUESTIONS[question].base)
    assert scenario(cell, FULL).resolved == built_in.resolved


@pytest.mark.parametrize("question", QUESTIONS)
def test_every_cell_is_a_scenario_with_its_stations(question: str) -> None:
    for cell in grid(question):
        resolved = scenario(cell, QUICK).resolved
        assert sum(station["count"] for station in resolved["station"]) == cell.stations
        assert resolved["cell"]["phy"] == PHYS[cell.phy]["phy"]


@pytest.mark.parametrize("phy", PHYS)
def test_the_capacity_is_what_a_saturated_station_carries(phy: str) -> None:
    """C_max of a limiter, from the model, against a saturated upload; within 2 %."""
    saturated = ea.Scenario(
        duration=3,
        warmup=1,
        cell={**PHYS[phy]},
        station=[
            {
                "flows": [
                    {
                        "direction": "up",
                        "transport": "udp",
                        "rate": "900 Mbps",
                        "segment": 1472,
                        "header": 28,
                    }
                ]
            }
        ],
        wired={"rate": "unlimited", "delay": "0 s"},
    )
    goodput = ea.run(saturated).document["aggregate_goodput_bps"]
    assert goodput * 1500 / 1472 == pytest.approx(capacity_bps(phy), rel=0.02)


def test_claims_are_measured_on_cells_of_their_figure() -> None:
    claims = PAPER.claims()
    assert {claim.figure for claim in claims} == set(QUESTIONS)
    for claim in claims:
        assert claim.points <= grid(claim.figure), claim.id
        assert claim.reading, claim.id


def test_each_claim_of_a_sentence_is_about_a_cell_of_its_own() -> None:
    seen: dict[tuple[str, frozenset[Cell]], str] = {}
    for claim in PAPER.claims():
        key = (claim.sentence or claim.id, frozenset(claim.points))
        assert key not in seen, (claim.id, seen[key])
        seen[key] = claim.id


def flow(direction: str, mbps: float, application: str = "bulk", **keys: Any) -> dict[str, Any]:
    return {
        "direction": direction,
        "goodput_bps": 1e6 * mbps,
        "application": application,
        **keys,
    }


def test_quantities_by_hand() -> None:
    document = {
        "scenario": {"wired": {"delay": 0.01}},
        "flows": [
            flow("up", 6.0),
            flow("up", 2.0),
            flow("down", 1.0),
            flow("down", 0.0, "ping", rtt_s={"p50": 0.0275}),
        ],
        "stations": [{"airtime_share": share} for share in (0.1, 0.1, 0.3, 0.3)],
    }
    assert up_over_down(document) == pytest.approx(4.0)
    assert down_over_up(document) == pytest.approx(0.25)
    assert latency_ms(document) == pytest.approx(7.5)
    assert slow_airtime(document) == pytest.approx(0.75)
    assert jain_airtime(document) == pytest.approx(0.8)  # 0.8^2 / (4 * 0.2)


def test_terms() -> None:
    term = read_term(FULL, {"quantity": "jain", "question": "uploads", "stations": [2, 20]})
    assert term.points == (Cell("uploads", stations=2), Cell("uploads", stations=20))
    assert term.positions == (2.0, 20.0)
    good = {"quantity": "jain", "question": "uploads"}
    for wrong in (
        {"scheme": "cot"},
        {"phy": "be"},
        {"stations": 3},
        {"stations": 0},
        {"case": "d1"},
        {"seed": 1},
    ):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            read_term(FULL, {**good, **wrong})


def test_all_figures_are_drawn(tmp_path: Path) -> None:
    """With runs of one cell of each question in the place of all cells that are like it."""
    short = replace(QUICK, seeds=(1,), duration_s=1.0, warmup_s=0.5)

    def simulate(points: list[Cell], _effort: Effort, _progress: object) -> Runs[Cell]:
        like = {point: replace(point, phy="g", stations=2) for point in points}
        runs = PAPER.simulate(sorted(set(like.values()), key=PAPER.order), short, None)
        documents = {(point, 1): runs.documents[other, 1] for point, other in like.items()}
        return replace(runs, documents=documents)

    PAPER.rebuild(None, True, tmp_path / "out", simulate=simulate)
    for name in QUESTIONS:
        rows = (tmp_path / "out" / "data" / f"{name}.csv").read_text(encoding="utf-8")
        assert len(rows.splitlines()) == 1 + len(grid(name))
        assert (tmp_path / "out" / f"{name}.svg").exists()


def test_no_paper_is_named_as_the_source_of_a_claim() -> None:
    """What was expected is ours; a paper's name stands for its question."""
    for claim in today.claims():
        assert claim.where == "expected"
