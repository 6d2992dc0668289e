"""Gong, Wu and Williamson (2006): queue management for fair TCP in an 802.11 cell, rebuilt."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from importlib.resources import files
from typing import TYPE_CHECKING

from evenair.papers import runs
from evenair.papers.claims import Claim, load_claims
from evenair.papers.gong2006.cells import BUFFER, FULL, QUICK, Cell, Effort
from evenair.papers.gong2006.figures import FIGURES
from evenair.papers.gong2006.published import AUTHORS, TITLE
from evenair.papers.gong2006.quantities import read_term
from evenair.papers.paper import Paper

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from evenair.papers.paper import Progress


def claims(effort: Effort = FULL) -> list[Claim[Cell]]:
    """Return the paper's claims, to be measured on the grid of `effort`."""
    text = (files(__name__) / "claims.toml").read_text(encoding="utf-8")
    return load_claims(text, partial(read_term, effort))


def simulate(cells: list[Cell], effort: Effort, progress: Progress | None) -> runs.Runs[Cell]:
    """Simulate cells of the built-in scenario `gong2006`."""
    from evenair.scenario import load

    base = load("gong2006")
    return runs.simulate(cells, effort.seeds, lambda cell: cell.scenario(base, effort), progress)


def _cost(cell: Cell) -> tuple[int, str, int]:
    return (-(cell.up + cell.down), cell.scheme, cell.limit)


def _facts(results: runs.Runs[Cell], effort: Effort) -> dict[str, str]:
    return {
        "Scenario": "gong2006 (built in)",
        "Simulated time": f"{effort.duration_s:g} s each",
        "Buffers": ", ".join(map(str, effort.buffers)) + " packets",
        "Throughput": "goodput: payload acknowledged, headers not counted",
    }


def _example(results: runs.Runs[Cell]) -> Cell:
    usual = Cell("droptail", BUFFER)
    return usual if usual in results.points else next(iter(results.documents))[0]


PAPER: Paper[Cell, Effort] = Paper(
    name="gong2006",
    title=TITLE,
    authors=AUTHORS,
    figures=FIGURES,
    efforts=(FULL, QUICK),
    claims=claims,
    simulate=simulate,
    cost=_cost,
    facts=_facts,
    example=_example,
    quick="Two seeds, one simulated minute and a coarser grid",
    variations="the others differ in the queue and in the number of stations",
)


def describe() -> str:
    """Return what the paper is and the ids of what can be rebuilt."""
    return PAPER.describe()


def rebuild(
    figures: list[str] | None,
    quick: bool,
    out: Path,
    progress: Progress | None = None,
    *,
    simulate: Callable[[list[Cell], Effort, Progress | None], runs.Runs[Cell]] = simulate,
) -> int:
    """Rebuild the paper, see `evenair.papers.rebuild`. `simulate` can be replaced for tests."""
    return replace(PAPER, simulate=simulate).rebuild(figures, quick, out, progress)
