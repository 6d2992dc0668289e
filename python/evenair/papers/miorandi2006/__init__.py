"""Miorandi, Kherani and Altman (2006): a model of web traffic over an 802.11 cell."""

from __future__ import annotations

from functools import cache

from evenair.papers.miorandi2006.figures import FIGURES
from evenair.papers.miorandi2006.points import FULL, QUICK, Effort, Point, Web
from evenair.papers.miorandi2006.published import AUTHORS, TITLE
from evenair.papers.miorandi2006.quantities import condensed, read_term
from evenair.papers.paper import Paper
from evenair.scenario import Scenario, load


@cache
def _base(name: str) -> Scenario:
    return load(name)


def _scenario(point: Point, effort: Effort) -> Scenario:
    return _base(point.base).with_(**point.changes(effort))


def _facts(effort: Effort) -> dict[str, str]:
    return {
        "Simulated time": f"{effort.duration_s:g} s after 20 s for persistent downloads, "
        f"{effort.backlogged_s:g} s for backlogged nodes",
        "Web sessions": f"{effort.sessions} per station, {effort.files} of a single station",
        "Scenarios": "miorandi2006, miorandi2006-persistent, miorandi2006-backlogged (built in)",
        "Models": "as printed, misprints corrected; L_RTS = 180 bits. The simulator's RTS has 160",
        "Throughput": "goodput: payload acknowledged, headers not counted",
    }


PAPER: Paper[Point, Effort] = Paper(
    name="miorandi2006",
    title=TITLE,
    authors=AUTHORS,
    question="How long does it take to fetch a file when stations browse the web through an 802.11 "
    "access point? A model of TCP over the DCF, with persistent connections first and short files "
    "next, is compared with simulations, and used to ask what the TCP window, delayed ACKs and the "
    "distribution of file sizes do.",
    figures=FIGURES,
    full=FULL,
    quick=QUICK,
    scenario=_scenario,
    order=lambda point: (-point.cost, repr(point)),
    read_term=read_term,
    facts=_facts,
    example=Web(10, 1),
    others="The others differ in the kind of traffic, stations, window, delayed ACKs, file sizes, "
    "think times and buffer.",
    condensed=condensed,
)

describe = PAPER.describe
folder = PAPER.folder
claims = PAPER.claims
simulate = PAPER.simulate
rebuild = PAPER.rebuild
