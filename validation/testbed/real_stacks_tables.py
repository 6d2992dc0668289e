"""The tables of docs/real-stacks.md, from what was measured."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from evenair.papers.claims import EVIDENCE, judge, measured_text, number, requirement
from evenair.papers.gong2006 import PAPER, quantities
from evenair.papers.gong2006.cells import Cell
from evenair.papers.measures import Term
from evenair.papers.runs import Runs as PaperRuns
from evenair.statistics import Estimate, estimate
from real_stacks_cases import BUFFERS, CONTROLS, EFFORT, QUEUES, SCHEMES, Runs, cases

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from evenair.papers.claims import Claim, Verdict
    from evenair.papers.gong2006.cells import Effort

    Quantity = Callable[[dict[str, Any]], float | None]

NAMES = {
    "droptail": "DropTail",
    "las": "LAS",
    "spm-tail": "SPM-AF tail",
    "spm-head": "SPM-AF head",
    "fq-codel": "FQ-CoDel",
    "reno": "Reno",
    "cubic": "CUBIC",
    "bbr": "BBR",
}

ENGINES = {"testbed": "test-bed", "sim": "simulator"}

NEEDS_NS2 = {
    "cwnd": "windows of ns-2's NewReno",
    "reductions": "fast retransmits of ns-2's NewReno: the kernel does not count its own",
    "down_timeouts": "timers of ns-2's NewReno",
    "acks_per_segment": "delayed ACKs of ns-2",
    "peak": "single samples of the queue are not stored",
    "wire": "the wire is not measured",
    "upload_queue": "packets that wait at stations, a premise, are not stored",
    "flow_": "a late flow is not measured",
    "mbps_early": "parts of a run are not stored",
    "mbps_late": "parts of a run are not stored",
}
"""Quantities of claims that are not judged, by parts of their names, and why."""


def tables(runs: Runs) -> dict[str, list[str]]:
    """Return the lines of each table."""
    return {
        "buffer": _buffer(runs),
        "marking": _marking(runs),
        "total": _buffer(runs, quantities.aggregate_mbps),
        "controls": _controls(runs),
        "mixed": _mixed(runs),
        "counts": _counts(runs),
        "left out": _left_out(),
        "claims": _claim_rows(runs),
    }


# --- Quantities -----------------------------------------------------------------------------------


def mean_mbps(direction: str, result: dict[str, Any], group: str | None = None) -> float:
    """Return the mean goodput of a flow, Mb/s."""
    rates = [flow["goodput_bps"] for flow in _flows(result, direction, group)]
    return math.fsum(rates) / len(rates) / 1e6


LEAST_BPS = 50e3
"""Goodput below which a flow's round-trip time is left out: it is that of a few packets."""


def rtt_ms(direction: str, result: dict[str, Any]) -> float | None:
    """Return the mean round-trip time of the flows that are not starved, ms."""
    known = [
        flow["mean_rtt_s"]
        for flow in _flows(result, direction, None)
        if flow["mean_rtt_s"] is not None and flow["goodput_bps"] >= LEAST_BPS
    ]
    return math.fsum(known) / len(known) * 1e3 if known else None


def share(control: str, direction: str, result: dict[str, Any]) -> float:
    """Return the share of a control's flows in the goodput of a direction."""
    own, reno = (mean_mbps(direction, result, group) for group in (control, "reno"))
    return own / (own + reno)


def of(runs: Runs, case: str, quantity: Quantity, engine: str = "testbed") -> Estimate | None:
    """Estimate a quantity over the runs of a case; None if no or not every run has it."""
    values = [quantity(result) for result in runs.of(case, engine)]
    known = [value for value in values if value is not None]
    return estimate(known) if known and len(known) == len(values) else None


def _flows(result: dict[str, Any], direction: str, group: str | None) -> list[dict[str, Any]]:
    return [
        flow
        for flow in result["flows"]
        if flow["direction"] == direction and group in (None, flow["group"])
    ]


# --- Tables ---------------------------------------------------------------------------------------


def _buffer(runs: Runs, quantity: Quantity = quantities.jain) -> list[str]:
    head = ["packets"]
    for scheme in SCHEMES:
        head += [NAMES[scheme], "simulator"]
    rows = []
    for limit in BUFFERS:
        row = [str(limit)]
        for scheme in SCHEMES:
            name = f"buffer/{scheme}/{limit}"
            row += [text(of(runs, name, quantity, engine)) for engine in ("testbed", "sim")]
        rows.append(row)
    return _table(head, rows)


def _marking(runs: Runs) -> list[str]:
    head = ["60 packets", "engine", "Jain's index", "timeouts of downloads", "data lost (%)"]
    rows = []
    for scheme in ("spm-tail", "spm-head"):
        for case, label in (("buffer", "with marks"), ("unmarked", "without")):
            for engine, name in ENGINES.items():
                columns: list[Quantity] = [
                    quantities.jain,
                    partial(quantities.timeouts, "down"),
                    lambda result: 100 * quantities.loss_ratio_of("data", result),
                ]
                where = f"{case}/{scheme}/60"
                measured = [text(of(runs, where, each, engine)) for each in columns]
                rows.append([f"{NAMES[scheme]}, {label}", name, *measured])
    return _table(head, rows)


def _controls(runs: Runs) -> list[str]:
    head = ["queue", "TCP", "engine", "total (Mb/s)", "per upload", "per download"]
    head += ["Jain's index", "RTT of uploads (ms)", "of downloads", "wait at the AP (ms)"]
    rows = []
    for queue in QUEUES:
        for control in CONTROLS:
            name = f"controls/{control}/{queue}"
            for engine, label in ENGINES.items():
                if not runs.of(name, engine):
                    continue
                columns: list[Quantity] = [
                    quantities.aggregate_mbps,
                    partial(mean_mbps, "up"),
                    partial(mean_mbps, "down"),
                    quantities.jain,
                    partial(rtt_ms, "up"),
                    partial(rtt_ms, "down"),
                    lambda result: quantities.mean_delay_s(result) * 1e3,
                ]
                measured = [text(of(runs, name, column, engine)) for column in columns]
                rows.append([NAMES[queue], NAMES[control], label, *measured])
    return _table(head, rows)


def _mixed(runs: Runs) -> list[str]:
    head = ["beside Reno", "queue", "engine", "share of uploads", "share of downloads"]
    head += ["total (Mb/s)", "up", "down", "Jain's index"]
    rows = []
    for control in ("cubic", "bbr"):
        for queue in QUEUES:
            name = f"mixed/{control}/{queue}"
            for engine, label in ENGINES.items():
                if not runs.of(name, engine):
                    continue
                columns: list[Quantity] = [
                    partial(share, control, "up"),
                    partial(share, control, "down"),
                    quantities.aggregate_mbps,
                    lambda result: 6 * mean_mbps("up", result),
                    lambda result: 6 * mean_mbps("down", result),
                    quantities.jain,
                ]
                measured = [text(of(runs, name, column, engine)) for column in columns]
                rows.append([NAMES[control], NAMES[queue], label, *measured])
    return _table(head, rows)


def text(value: Estimate | None) -> str:
    """Return a mean with its interval."""
    return "-" if value is None else number(value)


def _table(head: list[str], rows: list[list[str]]) -> list[str]:
    lines = [head, ["---"] * len(head), *rows]
    return [f"| {' | '.join(line)} |" for line in lines]


# --- Claims ---------------------------------------------------------------------------------------


def verdicts(runs: Runs, engine: str) -> list[Verdict[Cell]]:
    """Judge the claims by the runs of an engine, as far as they are measured."""
    documents = {
        (case.point, result["seed"]): result
        for case in cases().values()
        if case.point is not None
        for result in runs.of(case.name, engine)
    }
    seeds = tuple(sorted({seed for _, seed in documents}))
    return judge(_claims(), PaperRuns(seeds, documents))


def left_out() -> dict[str, int]:
    """Return how many claims are not judged, by the reason."""
    missing = [
        sorted(point.case for point in claim.points if point.limit == 0) for claim in _claims()
    ]
    reasons = [names[0] if names else None for names in missing]
    return {reason: reasons.count(reason) for reason in dict.fromkeys(reasons) if reason}


def _claims() -> list[Claim[Cell]]:
    return replace(PAPER, read_term=_read_term).claims(EFFORT)


def _read_term(effort: Effort, table: Mapping[str, Any]) -> Term[Cell]:
    """Read a term; one that is not measured is at a point without buffer, whose case says why."""

    def missing(reason: str) -> Term[Cell]:
        return Term(quantities.jain, (Cell("droptail", 0, case=reason),), (0.0,))

    for part, reason in NEEDS_NS2.items():
        if part in table["quantity"]:
            return missing(reason)
    if table.get("case", "paper") not in ("paper", "unmarked"):
        return missing("a variant of ns-2's senders or of LAS that is not measured")
    if "downs" in table:
        return missing("a single upload is not measured")
    try:
        term = quantities.read_term(effort, table)
    except ValueError:
        return missing("buffers that are not measured")
    points = {case.point for case in cases().values()}
    return term if points.issuperset(term.points) else missing("points that are not measured")


def _claim_rows(runs: Runs) -> list[str]:
    simulated = {verdict.claim.id: verdict for verdict in verdicts(runs, "sim")}
    rows = []
    for verdict in verdicts(runs, "testbed"):
        claim, other = verdict.claim, simulated[verdict.claim.id]
        rows.append(
            [
                claim.statement.replace("|", "/"),
                requirement(claim),
                measured_text(verdict.measured, claim),
                verdict.outcome,
                measured_text(other.measured, claim),
                other.outcome,
            ]
        )
    head = ["claim", "required", "test-bed", "outcome", "simulator", "outcome"]
    return _table(head, rows)


def _counts(runs: Runs) -> list[str]:
    engines = {engine: verdicts(runs, engine) for engine in ("testbed", "sim")}
    rows = []
    for evidence in EVIDENCE:
        row = [evidence]
        for engine in engines.values():
            found = [verdict.outcome for verdict in engine if verdict.claim.evidence == evidence]
            row += [str(found.count(outcome)) for outcome in ("holds", "fails", "undecided")]
        rows.append(row)
    head = ["evidence", "holds", "fails", "undecided", "simulator: holds", "fails", "undecided"]
    return _table(head, rows)


def _left_out() -> list[str]:
    rows = [[reason, str(count)] for reason, count in left_out().items()]
    return _table(["reason", "claims"], rows)
