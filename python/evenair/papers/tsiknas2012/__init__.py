"""Tsiknas and Stamatelos (2012): TCP variants over WiMAX and WLANs with errors and congestion."""

from __future__ import annotations

from functools import cache

from evenair.papers.paper import Paper
from evenair.papers.tsiknas2012.agent import TCP_LINUX
from evenair.papers.tsiknas2012.downloads import FULL, QUICK, Effort
from evenair.papers.tsiknas2012.figures import FIGURES
from evenair.papers.tsiknas2012.quantities import read_term
from evenair.papers.tsiknas2012.wimax import Wimax
from evenair.scenario import Scenario, load


@cache
def _base(name: str) -> Scenario:
    return load(name)


def _facts(effort: Effort) -> dict[str, str]:
    return {
        "Scenarios": "tsiknas2012-wimax, -wimax-congested, -wimax-asymmetric, tsiknas2012, "
        "tsiknas2012-congested (built in)",
        "Packet error rates": f"WiMAX: {_list(effort.asymmetric_rates)} (the last above 0.05 in "
        f"scenario 3 alone); WLAN: {_list(effort.rates)}",
        "Queues": f"{_list(effort.queues)} packets, figures 8 and 16",
        "DL:UL ratios": ", ".join(f"{r}:1" for r in effort.ratios) + ", figures 12 and 13",
        "Goodput": "payload acknowledged over simulated time, equation (2)",
    }


def _list(values: tuple[float, ...]) -> str:
    return ", ".join(f"{value:g}" for value in values)


PAPER = Paper(
    name="tsiknas2012",
    title="Comparative Performance Evaluation of TCP Variants in WiMAX (and WLANs) Network "
    "Configurations",
    authors="Konstantinos Tsiknas, George Stamatelos (Democritus University of Thrace, 2012)",
    question="Which TCP variant has the highest goodput over a wired path that ends in a WiMAX "
    "cell or a WLAN with wireless errors: New Reno, Vegas, Veno, Westwood or BIC? And which if the "
    "wire is congested, too, or if the WiMAX cell's uplink is narrow?",
    figures=FIGURES,
    full=FULL,
    quick=QUICK,
    scenario=lambda point, effort: point.scenario(_base(point.base), effort),
    order=lambda point: point.sort_key,
    read_term=read_term,
    facts=_facts,
    alternative=TCP_LINUX,
    example=Wimax("newreno", 1, 0.001),
    others="The others differ in the medium, the TCP variant, the errors, and in scenarios 2 and 3 "
    "in the wire, the number of stations and the DL:UL ratio.",
)
"""The paper as data."""

claims = PAPER.claims
describe = PAPER.describe
folder = PAPER.folder
rebuild = PAPER.rebuild
"""The configurations of the paper, and the extent of the simulations."""
