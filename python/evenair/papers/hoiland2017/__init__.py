"""Hoiland-Jorgensen et al. (2017): low latency and airtime fairness in Wi-Fi."""

from __future__ import annotations

from functools import cache

from evenair.papers.hoiland2017.cells import FULL, QUICK, SCHEMES, Cell, Effort
from evenair.papers.hoiland2017.figures import FIGURES
from evenair.papers.hoiland2017.quantities import read_term
from evenair.papers.paper import Paper
from evenair.scenario import Scenario, load


@cache
def _base() -> Scenario:
    return load("hoiland2017")


def _facts(effort: Effort) -> dict[str, str]:
    return {
        "Scenario": "hoiland2017 (built in)",
        "Access points": ", ".join(SCHEMES),
        "Measured time": f"{effort.duration_s:g} s of each run",
        "Text of the paper": "not at hand: claims rest on its abstract and on descriptions of "
        "changes of Linux; recalled numbers judge nothing",
    }


PAPER = Paper(
    name="hoiland2017",
    title="Ending the Anomaly: Achieving Low Latency and Airtime Fairness in WiFi",
    authors="Toke Høiland-Jørgensen, Michał Kazior, Dave Täht, Per Hurtig, Anna Brunstrom "
    "(USENIX ATC 2017)",
    question="One slow station takes most of the time of a Wi-Fi cell, and packets wait in the "
    "access point where no queue management sees them. If queues move into the MAC, one for each "
    "station under FQ-CoDel, and a scheduler gives stations equal airtime: how much lower is "
    "latency under load, how fair is airtime, and what is gained in throughput?",
    figures=FIGURES,
    full=FULL,
    quick=QUICK,
    scenario=lambda cell, effort: cell.scenario(_base(), effort),
    order=lambda cell: cell.sort_key,
    read_term=read_term,
    facts=_facts,
    example=Cell("airtime", "tcp"),
    others="The others differ in queue, scheduler and ring of the access point, in the flows, and "
    "in the number of stations.",
)
"""The paper as data."""

claims = PAPER.claims
describe = PAPER.describe
folder = PAPER.folder
rebuild = PAPER.rebuild
