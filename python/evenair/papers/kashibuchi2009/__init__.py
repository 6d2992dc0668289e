"""Kashibuchi, Nemoto and Kato (2009): TFRC with equal airtime in multi-rate 802.11 cells."""

from __future__ import annotations

from functools import cache

from evenair.papers.kashibuchi2009.cells import FULL, QUICK, Cell, Effort
from evenair.papers.kashibuchi2009.figures import FIGURES
from evenair.papers.kashibuchi2009.quantities import read_term
from evenair.papers.paper import Paper
from evenair.scenario import Scenario, load


@cache
def _base() -> Scenario:
    return load("kashibuchi2009")


def _facts(effort: Effort) -> dict[str, str]:
    return {
        "Simulated time": f"{effort.duration_s:g} s for figures 3 and 4, {effort.other_s:g} s for "
        "our own",
        "Scenario": "kashibuchi2009 (built in)",
        "Rates of STA2": ", ".join(f"{rate:g}" for rate in effort.rates) + " Mb/s, figure 3",
        "Stations": ", ".join(map(str, effort.stations)) + ", figure 4",
        "Random rates": "drawn from the seed: the same for all schemes, and for the first stations "
        "at every number of stations",
        "Throughput": "goodput: payload received, headers not counted",
    }


PAPER = Paper(
    name="kashibuchi2009",
    title="Mitigating Performance Anomaly of TFRC in Multi-Rate IEEE 802.11 Wireless LANs",
    authors="Kenichi Kashibuchi, Yoshiaki Nemoto, Nei Kato (Tohoku University, 2009)",
    question="One slow station takes most of the time of an 802.11 cell, and all stations become "
    "slow. If the access point measures how long each station occupies the channel and announces "
    "equal shares in its beacons, and the stations limit their TFRC flows to these: is the time "
    "shared equally, and what is gained in throughput and losses?",
    figures=FIGURES,
    full=FULL,
    quick=QUICK,
    scenario=lambda cell, effort: cell.scenario(_base(), effort),
    order=lambda cell: cell.sort_key,
    read_term=read_term,
    facts=_facts,
    example=Cell("cot", rate=6.0),
    others="The others differ in the controller, the rates, the number of stations, the traffic, "
    "and in queue and scheduler of the access point.",
    drawn=lambda scenario, cell, seed: cell.drawn(scenario, seed),
)
"""The paper as data."""

claims = PAPER.claims
describe = PAPER.describe
folder = PAPER.folder
rebuild = PAPER.rebuild
