"""The questions of five papers, asked in cells of today: 802.11g, n, ac and ax, CUBIC, BBR, Prague.

Not a published paper: the claims are what was expected, written down before the first run.
"""

from __future__ import annotations

from evenair.papers.beside import OnTestbed
from evenair.papers.paper import Paper
from evenair.papers.today import testbed
from evenair.papers.today.cells import FULL, QUICK, TESTBED, TESTBED_QUICK, Cell, Effort
from evenair.papers.today.figures import FIGURES
from evenair.papers.today.quantities import read_term
from evenair.papers.today.questions import QUESTIONS, scenario


def _facts(effort: Effort) -> dict[str, str]:
    papers = ", ".join(f"{name} ({question.paper})" for name, question in QUESTIONS.items())
    return {
        "Questions": papers,
        "Scenarios": ", ".join(question.base for question in QUESTIONS.values()) + " (built in)",
        "Measured time": f"{effort.duration_s:g} s of each run; with web users ten times that",
    }


PAPER = Paper(
    name="today",
    title="Five cures for TCP over Wi-Fi, in cells of today",
    authors="evenair (no paper: what was expected is judged)",
    question="Five papers of 2006 to 2012 describe problems of TCP over 802.11b and cures. With "
    "aggregation, EDCA, CUBIC and BBR: are the problems still there, do the cures work, and does "
    "the Linux access point make them unnecessary?",
    figures=FIGURES,
    full=FULL,
    quick=QUICK,
    scenario=scenario,
    order=lambda cell: cell.sort_key,
    read_term=read_term,
    facts=_facts,
    example=Cell("uploads"),
    others="The others differ in PHY, congestion control, access point, stations and traffic.",
    testbed=OnTestbed(
        full=TESTBED,
        quick=TESTBED_QUICK,
        run_name=lambda cell: cell.name,
        evidence=testbed.evidence,
        most=1,  # a cell of 802.11ac takes most of two processors
    ),
)
"""The description of the whole."""

claims = PAPER.claims
describe = PAPER.describe
folder = PAPER.folder
rebuild = PAPER.rebuild
