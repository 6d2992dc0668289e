"""Blefari-Melazzi, Detti, Ordine and Salsano (2007): an adaptive rate limiter of the uplink."""

from __future__ import annotations

from functools import cache

from evenair.papers.beside import OnTestbed
from evenair.papers.blefari2007 import testbed
from evenair.papers.blefari2007.cells import FULL, QUICK, TESTBED, TESTBED_QUICK, Cell, Effort
from evenair.papers.blefari2007.figures import FIGURES
from evenair.papers.blefari2007.quantities import condensed, read_term
from evenair.papers.paper import Paper
from evenair.scenario import Scenario, load


@cache
def _base(name: str) -> Scenario:
    return load(name)


def _facts(effort: Effort) -> dict[str, str]:
    return {
        "Simulated time": f"{effort.duration_s:g} s, with dynamic traffic "
        f"{500 * effort.schedule:g} s",
        "Scenarios": "blefari2007, blefari2007-dynamic (built in)",
        "Stations": ", ".join(map(str, effort.stations))
        + "; uploads that cannot start: "
        + ", ".join(map(str, effort.many)),
        "Goodput": "payload of TCP, each byte counted once",
    }


PAPER = Paper(
    name="blefari2007",
    title="A mechanism to enforce TCP Fairness in 802.11 wireless LANs and its performance "
    "evaluation in a real test-bed",
    authors="Nicola Blefari-Melazzi, Andrea Detti, Alessandro Ordine, Stefano Salsano (University "
    "of Rome Tor Vergata, 2007)",
    question="Uploads starve downloads in an 802.11 cell whose access point loses packets. If a "
    "gateway behind it polices the uplink, at a rate that it adapts to what the cell carries and "
    "to losses of the access point: do both directions get the same, and is anything wasted?",
    figures=FIGURES,
    full=FULL,
    quick=QUICK,
    scenario=lambda cell, effort: cell.scenario(_base(cell.base), effort),
    order=lambda cell: cell.sort_key,
    read_term=read_term,
    facts=_facts,
    example=Cell("limiter"),
    others="The others differ in the limiter, the number of stations, the traffic, the cell, and "
    "in the queue of the access point.",
    condensed=condensed,
    testbed=OnTestbed(
        full=TESTBED,
        quick=TESTBED_QUICK,
        run_name=lambda cell: cell.file_name,
        evidence=testbed.evidence,
    ),
)
"""The paper as data."""

claims = PAPER.claims
describe = PAPER.describe
folder = PAPER.folder
rebuild = PAPER.rebuild
