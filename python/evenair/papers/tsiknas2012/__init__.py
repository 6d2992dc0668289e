"""Tsiknas and Stamatelos (2012): TCP variants over a WLAN with errors and congestion.

Only the WLAN part, section 5; the WiMAX part is not included.
"""

from __future__ import annotations

from functools import cache

from evenair.papers.paper import Paper
from evenair.papers.tsiknas2012.downloads import FULL, QUICK, Download, Effort
from evenair.papers.tsiknas2012.figures import FIGURES
from evenair.papers.tsiknas2012.quantities import read_term
from evenair.scenario import Scenario, load


@cache
def _base(name: str) -> Scenario:
    return load(name)


def _facts(effort: Effort) -> dict[str, str]:
    return {
        "Scenarios": "tsiknas2012, tsiknas2012-congested (built in)",
        "Packet error rates": ", ".join(f"{rate:g}" for rate in effort.rates),
        "Queues": ", ".join(map(str, effort.queues)) + " packets, figure 16",
        "Goodput": "payload acknowledged over simulated time, equation (2)",
    }


PAPER = Paper(
    name="tsiknas2012",
    title="Comparative Performance Evaluation of TCP Variants in WiMAX (and WLANs) Network "
    "Configurations: the WLANs",
    authors="Konstantinos Tsiknas, George Stamatelos (Democritus University of Thrace, 2012)",
    question="Which TCP variant has the highest goodput over a wired path that ends in a WLAN with "
    "wireless errors: New Reno, Vegas, Veno, Westwood or BIC? And which if the wire is congested, "
    "too?",
    figures=FIGURES,
    full=FULL,
    quick=QUICK,
    scenario=lambda download, effort: download.scenario(_base(download.base), effort),
    order=lambda download: (not download.congested, download.sort_key),
    read_term=read_term,
    facts=_facts,
    example=Download("newreno", 0.01),
    others="The others differ in the TCP variant, the errors, and in scenario 2 the wire.",
)
"""The paper as data."""

claims = PAPER.claims
describe = PAPER.describe
folder = PAPER.folder
rebuild = PAPER.rebuild
