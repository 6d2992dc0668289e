"""Descriptions of the paper's figures and of our own: simulations, drawing functions and names."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from evenair.papers.blefari2007 import drawing, queues, testbed
from evenair.papers.blefari2007.cells import Cell, Effort, over_many, over_schemes, over_stations
from evenair.papers.figures import FigureSpec

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

Spec = FigureSpec[Cell, Effort]

_BARS = "Bars: 95% interval over the seeds."
_ONE = "The first seed."
_STATIC = "Static traffic: an upload and a download of each station, 300 s."
_DYNAMIC = "Dynamic traffic, Tab. 2, N = 6."
_WITH = {"off": "without rate limiter", "limiter": "with rate limiter"}


def _average(scheme: str) -> Callable[[Effort], set[Cell]]:
    # The claims on figure 8 compare it with figure 4.
    schemes = {scheme, "off"}
    return lambda effort: {cell for name in schemes for _, cell in over_stations(name, effort)}


def _dynamic(scheme: str) -> Callable[[Effort], set[Cell]]:
    # The claims on figure 11 compare it with figure 7.
    return lambda _: {Cell(name, traffic="dynamic") for name in {scheme, "off"}}


def _figures(scheme: str, ids: Sequence[str]) -> tuple[Spec, ...]:
    """Return the four figures without, or with limiter."""
    average, single, static, dynamic = ids
    which = _WITH[scheme]
    rate = "" if scheme == "off" else " R is not in the paper's figure."
    return (
        FigureSpec(
            average,
            f"Average upstream, downstream and total goodput over N, {which}",
            f"{_STATIC} {_BARS}",
            _average(scheme),
            partial(drawing.over_n, scheme=scheme),
            testbed.over_n(scheme),
        ),
        FigureSpec(
            single,
            f"Average goodput of single stations, N = 6, {which}",
            f"{_STATIC} {_ONE}",
            lambda _: {Cell(scheme)},
            partial(drawing.single_stations, scheme=scheme),
            testbed.single_stations(scheme),
        ),
        FigureSpec(
            static,
            f"Goodput over time, N = 6, {which}",
            f"{_STATIC} {_ONE} Goodput of each second.{rate}",
            lambda _: {Cell(scheme)},
            partial(drawing.over_time, scheme=scheme),
            testbed.over_time(scheme),
        ),
        FigureSpec(
            dynamic,
            f"Goodput over time with dynamic traffic, {which}",
            f"{_DYNAMIC} {_ONE} Goodput of each second.{rate}",
            _dynamic(scheme),
            partial(drawing.over_time, scheme=scheme, traffic="dynamic"),
            testbed.over_time(scheme, "dynamic"),
        ),
    )


def _sweep(name: str, of: str, title: str, x_label: str, column: str) -> Spec:
    return FigureSpec(
        name,
        title,
        f"N = 6, with the limiter; everything else as in figure 8. {_BARS}",
        lambda _: {cell for _, cell in over_schemes(of)},
        partial(drawing.over_parameter, name=of, x=(column, x_label)),
    )


def _table(
    name: str,
    title: str,
    caption: str,
    cells: Mapping[str, Cell],
    columns: Sequence[drawing.Column],
) -> Spec:
    return FigureSpec(
        name,
        title,
        f"Not in the paper. {caption}",
        lambda _: set(cells.values()),
        partial(drawing.table_of, cells=cells, columns=columns),
    )


_LIMITERS = {"off": "no limiter", "fixed": "fixed, 2.3 Mb/s", "limiter": "adaptive"}
_MEDIA = {
    f"{title}: {_LIMITERS[scheme]}": Cell(scheme, kind=kind)
    for kind, title in (("802.11g", "802.11g"), ("mixed", "802.11b, one station at 1 Mb/s"))
    for scheme in ("off", "fixed", "limiter")
    if (kind, scheme) != ("802.11g", "fixed")
}
_SIGNALS = {
    "no limiter": Cell("off"),
    "adaptive, exact": Cell("limiter"),
    "adaptive, polled each 3 s": Cell("polled"),
    "adaptive, polled each 3 s, T_p = 3 s": Cell("slow-polled"),
}
_UDP = {
    "no limiter": Cell("off", traffic="udp"),
    "adaptive, one bucket": Cell("limiter", traffic="udp"),
    "adaptive, 1 Mb/s reserved": Cell("udp-reserved", traffic="udp"),
    "adaptive, UDP estimated": Cell("udp-estimated", traffic="udp"),
}

_UNSTATED = {
    f"{title}: {_LIMITERS[scheme]}": Cell(scheme, kind=kind)
    for kind, title in (
        ("queue-30", "queue of 30 packets"),
        ("802.11b", "queue of 60, long preamble (the scenario)"),
        ("queue-100", "queue of 100"),
        ("queue-250", "queue of 250"),
        ("short", "short preamble"),
    )
    for scheme in ("off", "limiter")
}

FIGURES: tuple[Spec, ...] = (
    *_figures("off", ("4", "5", "6", "7")),
    *_figures("limiter", ("8", "9", "10", "11")),
    FigureSpec(
        "many",
        "Uploads that cannot start, N up to 30",
        "The paper reports them from the authors' simulations, without a figure. "
        f"{_STATIC} {_BARS}",
        lambda effort: {cell for scheme in _WITH for _, cell in over_many(scheme, effort)},
        drawing.starved,
    ),
    _sweep("bucket", "buckets", "Goodput over the size of the bucket", "Bucket (KB)", "bucket_kb"),
    _sweep(
        "step",
        "steps",
        "Goodput over R_step (not in the paper)",
        "R_step (kb/s)",
        "step_kbps",
    ),
    _sweep(
        "interval",
        "intervals",
        "Goodput over T_p (not in the paper)",
        "T_p (s)",
        "interval_s",
    ),
    _table(
        "media",
        "802.11g, and stations at mixed rates",
        "N = 6, 300 s. In 802.11g the limiter's rates and bucket are five times those of the "
        "paper. C is estimated at run time in all of them.",
        _MEDIA,
        drawing.GENERAL,
    ),
    _table(
        "signal",
        "A loss counter that is refreshed each 3 s",
        "N = 6, 300 s. The decision of a round sees losses up to the last refresh alone, and so "
        "two of three rounds see none.",
        _SIGNALS,
        drawing.GENERAL,
    ),
    _table(
        "udp",
        "TCP beside UDP",
        "N = 6, and a station with 0.5 Mb/s of UDP in each direction, 300 s.",
        _UDP,
        drawing.WITH_UDP,
    ),
    _table(
        "unstated",
        "What the paper does not state: queue of the access point, preamble",
        "N = 6, 300 s. Added after the first run; the scenario has kept its values.",
        _UNSTATED,
        drawing.GENERAL,
    ),
    FigureSpec(
        "queue",
        "Figures 4 and 8 with a queue of 60 packets and of 120 at the access point",
        f"Not in the paper, which does not state the queue. {_STATIC} {_BARS}",
        queues.points_over_n,
        queues.goodput_over_n,
    ),
    FigureSpec(
        "queue-quantities",
        "Figures 5, 7, 9 and 11 with a queue of 60 packets and of 120",
        "Not in the paper. N = 6: the smallest and the greatest flow of a direction with static "
        "traffic, and all flows of a direction in each phase of Tab. 2, from 10 s after its "
        "beginning.",
        queues.points_of_quantities,
        queues.quantities_side_by_side,
    ),
    FigureSpec(
        "queue-claims",
        "The claims on figures 4 to 11 with a queue of 60 packets and of 120",
        "Not in the paper. A queue of 120 was chosen because with it the unfairness becomes "
        "critical above N = 4, as in figure 4: its outcomes on figure 4 are calibrated.",
        queues.points_of_claims,
        queues.claims_side_by_side,
    ),
    FigureSpec(
        "uplink-count",
        "What R_up counts: all that crosses the air, or what passes the policer",
        f"Not in the paper. {_STATIC} Upstream over downstream goodput, of the whole run and from "
        f"20 s on. {_BARS}",
        lambda effort: {
            cell for name in ("off", "limiter", "passed") for _, cell in over_stations(name, effort)
        },
        drawing.readings,
    ),
    FigureSpec(
        "schemes",
        "Fairness against total goodput: queue disciplines and limiters",
        "Not in the paper. N = 6, 300 s: queue disciplines without limiter, and DropTail with a "
        "fixed and an adaptive one, whose loss signal is exact, or polled each 3 s. "
        f"{_BARS}",
        lambda _: {Cell(scheme) for scheme in drawing.SCHEME_LINES},
        drawing.fairness_and_goodput,
    ),
)
"""All figures of the paper in its order, then our own."""
