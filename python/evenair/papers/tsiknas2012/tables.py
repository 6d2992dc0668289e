"""Tables that are not in the paper: what its unstated parameters and the form of Vegas change."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evenair.papers.checks import select_values
from evenair.papers.figures import FigureSpec, Table
from evenair.papers.tsiknas2012.comparison import NAMES, Rows, gain
from evenair.papers.tsiknas2012.downloads import (
    QUEUE_RATE,
    QUEUE_SETS,
    RATE_SETS,
    VARIANTS,
    Download,
    Effort,
    on_link,
    over_errors,
)
from evenair.papers.tsiknas2012.quantities import goodput_mbps
from evenair.statistics import estimate

if TYPE_CHECKING:
    from evenair.papers.runs import Runs
    from evenair.papers.tsiknas2012.wimax import Point

_LEVELS = {"mac": "before", "ip": "after"}
_GAINING = ("westwood", "westwood-plus", "bic", "veno", "vegas")
_FORMS = ("vegas", "vegas-1995")


def _share(runs: Runs[Point], seed: int, pair: tuple[Download, Download]) -> float:
    """The goodput with the congested link over that without."""
    congested, free = (goodput_mbps(runs.lookup(seed)(download)) for download in pair)
    return congested / free


def gains(runs: Runs[Point], effort: Effort) -> tuple[None, Table]:
    """Make a table of the mean gains over New Reno for several error processes."""
    rows = Rows(
        [("level", "Errors before or after retransmission"), ("bad_state_ms", "Mean bad state")],
        [(f"{_column(name)}_gain_percent", f"{NAMES[name]}, %") for name in _GAINING],
    )
    for level, word in _LEVELS.items():
        for bad_state in effort.bad_states_ms:
            base = over_errors("newreno", level, bad_state, effort)
            estimates = [
                gain(runs, over_errors(name, level, bad_state, effort), base) for name in _GAINING
            ]
            rows.add((level, bad_state), (word, f"{bad_state} ms"), estimates)
    return None, rows.table()


def congestion(runs: Runs[Point], effort: Effort) -> tuple[None, Table]:
    """Make a table of the shares that are left, for several rates and queues of the link."""
    columns = [(f"{_column(name)}_share", title) for name, title in VARIANTS.items()]
    rows = Rows(
        [("link_mbps", "Congested link"), ("queue_packets", "Its queue")],
        [*columns, ("westwood_less_newreno", "Westwood less New Reno")],
    )
    for link in effort.links_mbps:
        for queue in effort.link_queues:
            shares = {
                name: [_share(runs, seed, on_link(name, link, queue)) for seed in runs.seeds]
                for name in VARIANTS
            }
            pairs = zip(shares["westwood"], shares["newreno"], strict=True)
            difference = estimate([a - b for a, b in pairs])
            estimates = [*map(estimate, shares.values()), difference]
            rows.add((link, queue), (f"{link} Mb/s", f"{queue} packets"), estimates)
    return None, rows.table()


def forms_of_vegas(runs: Runs[Point], effort: Effort) -> tuple[None, Table]:
    """Make a table of the mean gains of both forms of Vegas over New Reno, in all figures."""
    rows = Rows(
        [("figure", "Figure"), ("range", "Range")],
        [(f"{_column(name)}_gain_percent", f"{NAMES[name]}, %") for name in _FORMS],
    )
    for figure, congested in (("14", False), ("15", True)):
        for name in ("below-0.01", "high"):
            points = {form: _along(form, name, effort, congested=congested) for form in _FORMS}
            base = _along("newreno", name, effort, congested=congested)
            low, high = RATE_SETS[name]
            estimates = [gain(runs, points[form], base) for form in _FORMS]
            rows.add((figure, name), (figure, f"PER {low:g} to {high:g}"), estimates)
    for name in ("small", "medium", "large"):
        base = _queues("newreno", name, effort)
        low, high = QUEUE_SETS[name]
        estimates = [gain(runs, _queues(form, name, effort), base) for form in _FORMS]
        rows.add(("16", name), ("16", f"queues of {low:g} to {high:g} packets"), estimates)
    return None, rows.table()


def _along(transport: str, name: str, effort: Effort, *, congested: bool) -> list[Download]:
    rates = select_values("rates", name, RATE_SETS, effort.rates)
    return [Download(transport, rate, congested) for rate in rates]


def _queues(transport: str, name: str, effort: Effort) -> list[Download]:
    sizes = select_values("queues", name, QUEUE_SETS, effort.queues)
    return [Download(transport, QUEUE_RATE, True, int(size)) for size in sizes]


def _column(name: str) -> str:
    return name.replace("-", "_")


def _all_gains(effort: Effort) -> set[Point]:
    return {
        download
        for transport in ("newreno", *_GAINING)
        for level in _LEVELS
        for bad_state in effort.bad_states_ms
        for download in over_errors(transport, level, bad_state, effort)
    }


def _all_links(effort: Effort) -> set[Point]:
    return {
        download
        for transport in VARIANTS
        for link in effort.links_mbps
        for queue in effort.link_queues
        for download in on_link(transport, link, queue)
    }


def _all_forms(effort: Effort) -> set[Point]:
    return {
        download
        for transport in ("newreno", *_FORMS)
        for downloads in (
            *(
                _along(transport, name, effort, congested=congested)
                for congested in (False, True)
                for name in ("below-0.01", "high")
            ),
            _queues(transport, "all", effort),
        )
        for download in downloads
    }


TABLES: tuple[FigureSpec[Point, Effort], ...] = (
    FigureSpec(
        "gains",
        "Influence of the error process on the gains of figure 14",
        "Not in the paper. Mean gain in goodput over New Reno for packet error rates of 0.01 to "
        "0.1, with the 95% interval over the seeds; published: 35% for Westwood, 9% for BIC. The "
        "paper states neither the mean bad state nor whether errors occur before or after the "
        "MAC's retransmissions. The claims are judged with 50 ms, before.",
        _all_gains,
        gains,
    ),
    FigureSpec(
        "congestion",
        "Influence of the congested link on the shares of figure 15",
        "Not in the paper. Goodput in scenario 2 over that in scenario 1 at a packet error rate of "
        "0.001, and the paired difference of two shares, with the 95% interval over the seeds. "
        "The rate of the link is not in the text. The claims are judged with 23 Mb/s.",
        _all_links,
        congestion,
    ),
    FigureSpec(
        "vegas",
        "Vegas as in Linux and as published in 1995",
        "Not in the paper. Mean gain in goodput over New Reno, with the 95% interval over the "
        "seeds. The claims are judged with Linux's Vegas, as in ns-2's Agent/TCP/Linux.",
        _all_forms,
        forms_of_vegas,
    ),
)
"""Our own tables, in the order of the figures that they are about."""
