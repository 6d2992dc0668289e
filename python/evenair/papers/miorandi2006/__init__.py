"""Miorandi, Kherani and Altman (2006): a model of web traffic over an 802.11 cell, rebuilt."""

from __future__ import annotations

from functools import partial
from importlib.resources import files
from typing import TYPE_CHECKING

from evenair.papers import runs
from evenair.papers.claims import Claim, load_claims
from evenair.papers.miorandi2006.figures import FIGURES
from evenair.papers.miorandi2006.points import FULL, QUICK, Downloads, Effort, Point, Web
from evenair.papers.miorandi2006.published import AUTHORS, TITLE
from evenair.papers.miorandi2006.quantities import condensed, read_term
from evenair.papers.paper import Paper

if TYPE_CHECKING:
    from pathlib import Path

    from evenair.papers.paper import Progress


def claims(effort: Effort = FULL) -> list[Claim[Point]]:
    """Return the paper's claims, to be measured on the grid of `effort`."""
    text = (files(__name__) / "claims.toml").read_text(encoding="utf-8")
    return load_claims(text, partial(read_term, effort))


def simulate(points: list[Point], effort: Effort, progress: Progress | None) -> runs.Runs[Point]:
    """Simulate points, each from the built-in scenario of its kind."""
    from evenair.scenario import load

    bases = {name: load(name) for name in {point.base for point in points}}
    return runs.simulate(
        points, effort.seeds, lambda point: effort.scenario(point, bases), progress, condensed
    )


def _cost(point: Point) -> tuple[float, str]:
    return (-point.cost, repr(point))


def _facts(results: runs.Runs[Point], effort: Effort) -> dict[str, str]:
    return {
        "Scenarios": "miorandi2006, miorandi2006-persistent, miorandi2006-backlogged (built in)",
        "Persistent downloads": f"{effort.persistent_s:g} s each, after 20 s",
        "Web sessions": f"{effort.sessions} per station, {effort.files} of a single station",
        "Models": "as printed, misprints corrected; L_RTS = 180 bits. The simulator's RTS has 160",
        "Throughput": "goodput: payload acknowledged, headers not counted",
    }


def _example(results: runs.Runs[Point]) -> Point:
    for usual in (Web(10, 1), Downloads(10, 1)):
        if usual in results.points:
            return usual
    return next(iter(results.documents))[0]


PAPER: Paper[Point, Effort] = Paper(
    name="miorandi2006",
    title=TITLE,
    authors=AUTHORS,
    figures=FIGURES,
    efforts=(FULL, QUICK),
    claims=claims,
    simulate=simulate,
    cost=_cost,
    facts=_facts,
    example=_example,
    quick="Two seeds, shorter runs and a coarser grid",
    variations="the others differ in stations, window, delayed ACKs, files and think times",
)


def describe() -> str:
    """Return what the paper is and the ids of what can be rebuilt."""
    return PAPER.describe()


def rebuild(
    figures: list[str] | None, quick: bool, out: Path, progress: Progress | None = None
) -> int:
    """Rebuild the paper, see `evenair.papers.rebuild`."""
    return PAPER.rebuild(figures, quick, out, progress)
