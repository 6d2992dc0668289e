"""The result document of a run of the test-bed, with the keys of a simulated one."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

from evenair._core import RESULT_VERSION, __version__
from evenair.testbed import limiter
from evenair.testbed.layout import UDP_HEADER, differences
from evenair.testbed.traffic.iperf import datagram_bytes
from evenair.testbed.verdict import START_TOLERANCE_S, reasons

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from evenair.testbed.layout import Flow, Plan
    from evenair.testbed.session import Measurements

_PUNCTUALITY = ("late_share", "longest_stall_s", "longest_stall_at_s")
"""How late the engine was, weighted by time."""


def assemble(plan: Plan, seed: int, run: Measurements, wall_s: float) -> str:
    """Return the result as JSON text."""
    engine = run.engine
    flows = [_flow(plan, flow, run) for flow in plan.flows]
    cell = [f for flow, f in zip(plan.flows, flows, strict=True) if flow.station is not None]
    wired = [f for flow, f in zip(plan.flows, flows, strict=True) if flow.station is None]
    bulk = [flow for flow in cell if flow["application"] == "bulk"]
    judged = bulk or cell
    airtimes = {station["id"]: station["airtime_share"] for station in engine["stations"]}
    sampled = {flow["station"]: airtimes[flow["station"]] for flow in judged}
    document: dict[str, Any] = {
        "engine": "testbed",
        "scenario": plan.resolved,
        "seed": seed,
        "version": __version__,
        "result_version": RESULT_VERSION,
        "duration_s": plan.duration,
        "aggregate_goodput_bps": math.fsum(flow["goodput_bps"] for flow in cell),
        "jain_index": jain_index([flow["goodput_bps"] for flow in judged]),
        "jain_airtime": jain_index(sampled.values()),
        "jain_over": "bulk" if bulk else "all",
        "rtt_s": None,
        "one_way_delay_s": None,
        "flows": cell,
    }
    if any(flow.is_session for flow in plan.flows):
        document["sessions"] = _sessions(run)
    document["losses"] = dict(engine["losses"])
    document["ap_queue"] = engine["ap_queue"]
    if plan.limiter is not None:
        end = plan.warmup + plan.duration
        document["limiter"] = limiter.summarize(run.records, plan.limiter, plan.warmup, end)
        # The policer is between two devices of the gateway.
        document["losses"]["policer"] = document["limiter"]["packets_dropped"]
    document["wired"] = dict(engine["wired"]) | ({"flows": wired} if wired else {})
    document |= {"stations": engine["stations"], "ap": engine["ap"]}
    # Of a WLAN cell the first, of a WiMAX cell the others.
    document |= {name: engine[name] for name in ("air", "frame", "requests") if name in engine}
    document["delays"] = []
    if "trace" in plan.resolved:
        document["series"] = _series(plan, run)
    document |= {"wall_s": wall_s, "testbed": _testbed(plan, run, flows)}
    return json.dumps(document, separators=(",", ":"), allow_nan=False)


def jain_index(goodputs: Iterable[float]) -> float:
    """Return Jain's fairness index, (sum x)^2 / (n sum x^2) (R. Jain 1991); 0 if all are 0."""
    values = list(goodputs)
    squares = math.fsum(x * x for x in values)
    return math.fsum(values) ** 2 / (len(values) * squares) if squares else 0.0


def _flow(plan: Plan, flow: Flow, run: Measurements) -> dict[str, Any]:
    row: dict[str, Any] = {
        "id": flow.id,
        "name": flow.name,
        "group": flow.spec.get("group"),
    }
    if flow.station is None:
        row |= {"from": flow.sender, "to": flow.receiver}
    else:
        row |= {"station": flow.station, "direction": "up" if flow.up else "down"}
    row |= {"transport": flow.transport, "application": flow.kind}
    if not flow.is_of_iperf:
        return row | _application(flow, run)
    if not flow.is_tcp:
        return row | _datagrams(plan, flow, run)
    samples = run.sampler.samples[flow.index]
    rtts = samples.rtts_s
    return row | {
        "goodput_bps": 8 * samples.grown("bytes_acked") / run.sampler.measured_s,
        "segments_sent": samples.grown("data_segments"),
        "retransmissions": samples.grown("retransmissions"),
        "timeouts": samples.grown("timeouts"),
        "mean_rtt_s": math.fsum(rtts) / len(rtts) if rtts else None,
        "rtt_s": None,
        "one_way_delay_s": None,
        "began_s": samples.began_s,
        "most_in_flight": samples.most_unacked,
    }


def _datagrams(plan: Plan, flow: Flow, run: Measurements) -> dict[str, Any]:
    counts = run.engine["flows"][flow.index]
    packet = datagram_bytes(flow) + UDP_HEADER
    received = counts["delivered_bytes_ip"] / packet
    return {
        "goodput_bps": 8 * received * flow.spec["segment"] / plan.duration,
        "segments_sent": None,
        "retransmissions": 0,
        "timeouts": 0,
        "mean_rtt_s": None,
        "rtt_s": None,
        "one_way_delay_s": None,
    }


def _application(flow: Flow, run: Measurements) -> dict[str, Any]:
    """Return what the program of a flow has measured; of one that has ended early nothing."""
    nothing = dict.fromkeys(("segments_sent", "mean_rtt_s", "rtt_s", "one_way_delay_s"))
    row = {"goodput_bps": 0.0, **nothing, "retransmissions": 0, "timeouts": 0}
    outcome: dict[str, Any] = run.outcomes.get(flow.index, {}).get("flow", {})
    return row | outcome


def _sessions(run: Measurements) -> list[dict[str, Any]]:
    found = [each for outcome in run.outcomes.values() for each in outcome.get("sessions", [])]
    return sorted(found, key=lambda session: float(session["start_s"]))


def _series(plan: Plan, run: Measurements) -> dict[str, Any]:
    """Return what the senders of iperf3's TCP flows knew at the ends of the intervals."""
    sampler = run.sampler
    traced = [flow for flow in plan.flows if flow.index in sampler.samples]
    cell = [flow for flow in plan.flows if flow.station is not None]
    series: dict[str, Any] = {
        "time_s": sampler.times_s,
        "flows": {
            flow.id: {
                "goodput_bps": sampler.goodputs_bps[flow.index],
                "cwnd": sampler.cwnds[flow.index],
            }
            for flow in traced
        },
    }
    if all(flow in traced for flow in cell):
        each = [sampler.goodputs_bps[flow.index] for flow in cell]
        sums = [math.fsum(goodputs) for goodputs in zip(*each, strict=True)]
        series["aggregate_goodput_bps"] = sums
    if plan.limiter is not None:
        end = plan.warmup + plan.duration
        series["limiter"] = limiter.samples(run.records, plan.warmup, end)
    return series


def _testbed(plan: Plan, run: Measurements, flows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    warnings = [*run.engine["warnings"], *_complaints(plan, run, flows)]
    datagrams = {
        plan.flows[index].id: report
        for index, report in run.reports.items()
        if not plan.flows[index].is_tcp
    }
    unconnected = [row["id"] for row in flows if row.get("began_s", 0.0) is None]
    untrusted = reasons(
        plan,
        run.engine["untrusted"],
        run.driver,
        run.ended,
        run.stopped,
        unconnected,
        run.max_lateness,
    )
    return {
        **run.machine,
        "differences": differences(plan),
        **{name: run.engine[name] for name in ("lateness_s", *_PUNCTUALITY, "realtime")},
        "driver": run.driver.document,
        "ended_early": [each.document for each in run.ended],
        "stopped": [each.document for each in run.stopped],
        "trusted": not untrusted,
        "untrusted": untrusted,
        "cpu_s": run.engine["cpu_s"],
        "account": run.engine["account"],
        "iperf3_datagrams": datagrams,
        "warnings": warnings,
        **({"kept": run.kept} if run.kept else {}),
    }


def _complaints(plan: Plan, run: Measurements, flows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return what went wrong with single flows."""
    found = []
    for flow, row in zip(plan.flows, flows, strict=True):
        began = row.get("began_s")
        if began is not None and began > flow.start + START_TOLERANCE_S:
            found.append(f"flow {flow.id}: began at {began:.1f} s instead of {flow.start:g} s")
    for index, outcome in run.outcomes.items():
        found += [f"flow {plan.flows[index].id}: {error}" for error in outcome["errors"]]
    return found
