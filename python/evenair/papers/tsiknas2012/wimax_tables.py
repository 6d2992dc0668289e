"""Tables on WiMAX that are not in the paper."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evenair.papers.figures import FigureSpec, Table
from evenair.papers.tsiknas2012.comparison import NAMES, Rows, gain
from evenair.papers.tsiknas2012.downloads import VARIANTS, Download, Effort
from evenair.papers.tsiknas2012.quantities import fairness, goodput_mbps
from evenair.papers.tsiknas2012.wimax import ASYMMETRIC, RATIO_RATE, WINDOW_RATE, Wimax

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evenair.papers.runs import Document, Runs
    from evenair.papers.tsiknas2012.wimax import Point

_GAINING = ("westwood", "westwood-plus", "bic", "veno", "vegas")
_SACK = ("newreno", "vegas", "veno", "westwood", "westwood-plus", "bic", "biad")
_REQUESTS: dict[str, dict[str, Any]] = {
    "T16 50 ms, 2 retries": {},
    "T16 20 ms": {"t16_ms": 20},
    "16 retries, the standard's": {"retries": 16},
    "piggyback": {"piggyback": True},
}
_ASYMMETRIC = ("newreno", "westwood", "westwood-plus", "bic")


def media(runs: Runs[Point], effort: Effort) -> tuple[None, Table]:
    """Make a table that sets goodput and gains on WiMAX and on WLANs side by side."""
    rows = Rows(
        [("scenario", "Scenario"), ("packet_error_rate", "PER"), ("transport", "Variant")],
        [
            ("wimax_mbps", "WiMAX, Mb/s"),
            ("wlan_mbps", "WLAN, Mb/s"),
            ("wimax_gain_percent", "WiMAX, % over New Reno"),
            ("wlan_gain_percent", "WLAN, % over New Reno"),
        ],
    )
    for number in (1, 2):
        for rate in effort.media_rates:
            base = _media("newreno", number, rate)
            for transport, title in VARIANTS.items():
                points = _media(transport, number, rate)
                goodput = [runs.estimate(point, goodput_mbps) for point in points]
                gains = [
                    gain(runs, [point], [other]) for point, other in zip(points, base, strict=True)
                ]
                rows.add(
                    (number, rate, transport), (str(number), f"{rate:g}", title), [*goodput, *gains]
                )
    return None, rows.table()


def _media(transport: str, number: int, rate: float) -> tuple[Point, Point]:
    return Wimax(transport, number, rate), Download(transport, rate, number == 2)


def losses(runs: Runs[Point], effort: Effort) -> tuple[None, Table]:
    """Make a table of the gains over New Reno for several mean bad states."""
    rows = Rows(
        [("bad_state_us", "Mean bad state")],
        [
            ("lost_permille", "New Reno's packets lost, per thousand"),
            ("reductions", "its recoveries and timeouts"),
            ("newreno_mbps", "its goodput, Mb/s"),
            *((f"{_column(name)}_gain_percent", f"{NAMES[name]}, %") for name in _GAINING),
        ],
    )
    for bad_state in effort.bad_states_us:
        base = _loss("newreno", bad_state)
        own = [runs.estimate(base, value) for value in (_lost_permille, _reductions, goodput_mbps)]
        gains = [gain(runs, [_loss(name, bad_state)], [base]) for name in _GAINING]
        rows.add((bad_state,), (f"{bad_state / 1000:g} ms",), [*own, *gains])
    return None, rows.table()


def _loss(transport: str, bad_state_us: int) -> Wimax:
    return Wimax(transport, 1, WINDOW_RATE, bad_state_us=bad_state_us)


def _lost_permille(document: Document) -> float:
    """Packets lost on the air over packets that left the base station's queue."""
    queue = document["ap_queue"]
    return 1000.0 * float(document["losses"]["error"]) / float(queue["arrivals"] - queue["drops"])


def _reductions(document: Document) -> float:
    (flow,) = document["flows"]
    return float(flow["fast_retransmits"] + flow["timeouts"])


def timers(runs: Runs[Point], effort: Effort) -> tuple[None, Table]:
    """Make a table of goodput and fairness in scenario 3 for several timers T16."""
    rows = Rows(
        [("t16_ms", "T16")],
        [
            *((f"{_column(name)}_mbps", f"{NAMES[name]}, Mb/s") for name in _ASYMMETRIC),
            ("newreno_fairness", "fairness of New Reno"),
        ],
    )
    for timer in effort.t16s_ms:
        goodput = [runs.estimate(_timer(name, timer), goodput_mbps) for name in _ASYMMETRIC]
        index = runs.estimate(_timer("newreno", timer), fairness)
        rows.add((timer,), (f"{timer} ms",), [*goodput, index])
    return None, rows.table()


def _timer(transport: str, t16_ms: int) -> Wimax:
    return Wimax(transport, 3, RATIO_RATE, t16_ms=t16_ms)


def requests(runs: Runs[Point], effort: Effort) -> tuple[None, Table]:
    """Make a table of goodput in scenario 3 for several ways of requesting bandwidth."""
    rows = Rows(
        [("requests", "Requests")],
        [
            (f"{name}_{r}_mbps", f"{NAMES[name]}, {r}:1, Mb/s")
            for name in ASYMMETRIC
            for r in effort.request_ratios
        ],
    )
    for words, keys in _REQUESTS.items():
        goodput = [
            runs.estimate(_request(name, r, keys), goodput_mbps)
            for name in ASYMMETRIC
            for r in effort.request_ratios
        ]
        rows.add((words,), (words,), goodput)
    return None, rows.table()


def _request(transport: str, ratio: int, keys: Mapping[str, Any]) -> Wimax:
    return Wimax(transport, 3, RATIO_RATE, ratio=ratio, **keys)


def with_sack(runs: Runs[Point], effort: Effort) -> tuple[None, Table]:
    """Make a table of goodput and timeouts in scenario 1 without and with SACK and RACK-TLP."""
    rows = Rows(
        [("packet_error_rate", "PER"), ("sack", "SACK and RACK-TLP")],
        [
            *((f"{_column(name)}_mbps", f"{NAMES[name]}, Mb/s") for name in _SACK),
            ("bic_timeouts", "timeouts of BIC"),
        ],
    )
    for rate in effort.sack_rates:
        for sack in (False, True):
            goodput = [runs.estimate(_sack(name, rate, sack), goodput_mbps) for name in _SACK]
            timeouts = runs.estimate(_sack("bic", rate, sack), _timeouts)
            words = (f"{rate:.6f}".rstrip("0"), "yes" if sack else "no")
            rows.add((rate, int(sack)), words, [*goodput, timeouts])
    return None, rows.table()


def _sack(transport: str, rate: float, sack: bool) -> Wimax:
    return Wimax(transport, 1, rate, sack=sack)


def _timeouts(document: Document) -> float:
    (flow,) = document["flows"]
    return float(flow["timeouts"])


def _column(name: str) -> str:
    return name.replace("-", "_")


def _all_media(effort: Effort) -> set[Point]:
    return {
        point
        for transport in VARIANTS
        for number in (1, 2)
        for rate in effort.media_rates
        for point in _media(transport, number, rate)
    }


def _all_losses(effort: Effort) -> set[Point]:
    return {
        _loss(transport, bad_state)
        for transport in ("newreno", *_GAINING)
        for bad_state in effort.bad_states_us
    }


def _all_sack(effort: Effort) -> set[Point]:
    return {
        _sack(transport, rate, sack)
        for transport in _SACK
        for rate in effort.sack_rates
        for sack in (False, True)
    }


def _all_requests(effort: Effort) -> set[Point]:
    return {
        _request(transport, r, keys)
        for transport in ASYMMETRIC
        for r in effort.request_ratios
        for keys in _REQUESTS.values()
    }


def _all_timers(effort: Effort) -> set[Point]:
    return {_timer(transport, timer) for transport in _ASYMMETRIC for timer in effort.t16s_ms}


TABLES: tuple[FigureSpec[Point, Effort], ...] = (
    FigureSpec(
        "media",
        "WiMAX and WLAN side by side",
        "Not in the paper as a table: figures 4, 7, 14 and 15 at three packet error rates. "
        "Goodput, and gain over New Reno, with the 95% interval over the seeds. On WiMAX a loss on "
        "the air is final; the WLAN's MAC retransmits, so that TCP sees only what is left.",
        _all_media,
        media,
    ),
    FigureSpec(
        "losses",
        "Influence of the error process on the gains of figure 4",
        "Not in the paper. Scenario 1 on WiMAX at a packet error rate of 0.001: gains over New "
        "Reno for several mean bad states, with the 95% interval over the seeds; published: 96% "
        "for Westwood, 18% for BIC. The claims are judged with 0.142 ms, nearly independent "
        "losses.",
        _all_losses,
        losses,
    ),
    FigureSpec(
        "timer",
        "Influence of T16 on figure 10",
        "Not in the paper. Scenario 3, DL:UL = 3:1, packet error rate 0.00001: mean goodput of a "
        "flow for several timers of bandwidth requests, with the 95% interval over the seeds. The "
        "claims are judged with 50 ms.",
        _all_timers,
        timers,
    ),
    FigureSpec(
        "requests",
        "Influence of bandwidth requests on figure 12",
        "Not in the paper. Scenario 3, packet error rate 0.00001: mean goodput of a flow for "
        "several ratios, with the 95% interval over the seeds. A request that is given up drops "
        "the ACKs that it covers. The claims are judged with the first row.",
        _all_requests,
        requests,
    ),
    FigureSpec(
        "sack",
        "Influence of SACK on figure 4",
        "Not in the paper. Goodput in scenario 1 on WiMAX, and BIC's timeouts in a run, with the "
        "95% interval over the seeds. The claims are judged without SACK, and with it a second "
        "time.",
        _all_sack,
        with_sack,
    ),
)
"""In the order of the figures that they are about."""
