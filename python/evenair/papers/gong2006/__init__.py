"""Gong, Wu and Williamson (2006): queue management for fair TCP in an 802.11 cell."""

from __future__ import annotations

from functools import cache

from evenair.papers.gong2006.cells import BUFFER, FULL, QUICK, Cell, Effort
from evenair.papers.gong2006.figures import FIGURES
from evenair.papers.gong2006.published import AUTHORS, TITLE
from evenair.papers.gong2006.quantities import read_term
from evenair.papers.paper import Paper
from evenair.scenario import Scenario, load


@cache
def _base() -> Scenario:
    return load("gong2006")


def _facts(effort: Effort) -> dict[str, str]:
    return {
        "Scenario": "gong2006 (built in)",
        "Buffers": ", ".join(map(str, effort.buffers)) + " packets",
        "Service under LAS": "sequence numbers, chosen because the gain in fairness is then as "
        "published; by bytes it is negative (see the variants)",
        "Preamble": "long, chosen because the totals of Table I are then as published",
        "Throughput": "goodput: payload acknowledged, headers not counted",
    }


PAPER = Paper(
    name="gong2006",
    title=TITLE,
    authors=AUTHORS,
    question="Every 802.11 station gets the same access to the channel, so uploads take more than "
    "downloads through the access point. Do two queue disciplines at the access point, selective "
    "packet marking with ACK filtering (SPM-AF) and least attained service (LAS), make TCP flows "
    "fairer than DropTail at about the same aggregate throughput?",
    figures=FIGURES,
    full=FULL,
    quick=QUICK,
    scenario=lambda cell, effort: cell.scenario(_base(), effort),
    order=lambda cell: (-(cell.up + cell.down), cell.scheme, cell.limit, cell.case),
    read_term=read_term,
    facts=_facts,
    example=Cell("droptail", BUFFER),
    others="The others differ in the queue and in the number of stations.",
)
"""The paper as data."""

claims = PAPER.claims
describe = PAPER.describe
folder = PAPER.folder
rebuild = PAPER.rebuild
