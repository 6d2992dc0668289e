"""The table that `evenair run` prints. Importing this module imports rich."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from evenair.cli.printing.console import fill, filled, fitting, new_table, open_console, print_lines
from evenair.cli.printing.stations import grant_table, occupancy_table
from evenair.cli.printing.wimax import frame_lines
from evenair.diagnosis import PLACES
from evenair.result import RunSet
from evenair.statistics import Estimate, estimate_known, part_of_runs
from evenair.text.cells import mean_alone, scaled, with_interval
from evenair.text.labels import metric
from evenair.text.messages import downlink_sender

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from rich.console import Console
    from rich.table import Table

    from evenair.diagnosis import DelayExplanation, Diagnosis
    from evenair.result import RunResult

    _Cell = Callable[[Estimate | None, int, str], str]


def print_result(result: RunResult | RunSet) -> None:
    """Print a table of the flows and, below it, the summary of the runs."""
    runs = result.runs if isinstance(result, RunSet) else (result,)
    whole = RunSet(runs)
    console = open_console()
    console.print(fitting(console, _flows(runs)))
    for line in filled(_totals(whole), console.width):
        console.print(line)
    if "frame" in runs[0].document:
        for line in frame_lines(runs):
            console.print(line)
        console.print(grant_table(runs))
    if "jain_occupancy" in runs[0].document:
        console.print(occupancy_table(runs))
    if len(runs) > 1:
        console.print("means over the runs ± 95% confidence intervals")
    print_end(console, runs)


def print_end(console: Console, runs: Sequence[RunResult]) -> None:
    """Print which runs these are, and how long they took."""
    console.print(f"{_which(runs)}: {_how(runs)}")


def print_diagnoses(result: RunResult | RunSet) -> None:
    """Print where the delay of flows is, and what is wrong with flows and stations and why."""
    first = result.runs[0] if isinstance(result, RunSet) else result
    names = {each["id"]: each["name"] or each["id"] for each in first.document["flows"]}
    stations = {each["id"]: each["name"] or each["id"] for each in first.document["stations"]}
    console = open_console()
    delays = result.explain_delays()
    if delays:
        console.print(_delay_table(delays, names, downlink_sender(first.document)))
        print_lines(console, [f"{names[delays.worst]}: {delays.text}"])
    found = result.explain()
    of = [
        stations[each.station] if each.fault == "takes_airtime" else names[each.flow]
        for each in found
    ]
    lines = [f"{name} {_says(each)}: {each.text}" for name, each in zip(of, found, strict=True)]
    print_lines(console, lines or ["no flow has less than half of its fair share"])


def _delay_table(delays: DelayExplanation, names: Mapping[str, str], sender: str) -> Table:
    """Return a table of the mean one-way delay of each flow by place, where there is any."""
    flows = delays.flows
    places = [key for key in PLACES if any(flow.by_place_s[key]["mean"] > 0 for flow in flows)]
    table = new_table("flow")
    table.add_column("one-way\ndelay (ms)", justify="right")
    for key in places:
        table.add_column(PLACES[key].replace("AP", sender).replace(" ", "\n"), justify="right")
    rows = []
    for flow in flows:
        times = [flow.delay_s, *(flow.by_place_s[key]["mean"] for key in places)]
        rows.append((names[flow.flow], *(f"{1e3 * time:.2f}" for time in times)))
    return fill(table, rows)


def _says(found: Diagnosis) -> str:
    often = f" in {found.faulty_runs} of {found.runs} runs" if found.runs > 1 else ""
    return f"{found.says}{often} ({found.measure})"


def _how(runs: Sequence[RunResult]) -> str:
    """Return how long the runs took, and how late the engine of a test-bed was at worst."""
    seconds = sum(run.duration_s for run in runs)
    if runs[0].document.get("engine") != "testbed":
        speed = seconds / sum(run.wall_s for run in runs)
        return f"{seconds:g} s simulated, {speed:,.0f} times as fast as real time"
    beds = [run.document["testbed"] for run in runs]
    late = max(bed["lateness_s"]["p99"] for bed in beds) * 1e3
    stall = max(bed["longest_stall_s"] for bed in beds) * 1e3
    bad = [str(run.seed) for run, bed in zip(runs, beds, strict=True) if not bed["trusted"]]
    return (
        f"{seconds:g} s of real time, Linux {beds[0]['kernel']},"
        f" lateness of the air 99th percentile {late:.2f} ms, longest stall {stall:.2f} ms"
        + (f"; not to be trusted: seed {', '.join(bad)}" if bad else "")
    )


def _flows(runs: Sequence[RunResult]) -> Iterator[Table]:
    """Return tables of the means over the runs, each narrower than the one before it.

    At 80 columns only goodput has room for its interval, and what all flows have in common for no
    column; then texts are left out, and no number.
    """
    flows = runs[0].document["flows"]
    same = {name for name in ("transport", "application") if len({f[name] for f in flows}) == 1}
    yield _flow_table(runs, set(), with_interval)
    yield _flow_table(runs, same, with_interval)
    yield _flow_table(runs, same, mean_alone)
    for name in ("application", "transport", "station"):
        same.add(name)
        yield _flow_table(runs, same, mean_alone)


def _flow_table(runs: Sequence[RunResult], left_out: set[str], goodput: _Cell) -> Table:
    document = runs[0].document
    stations = {each["id"]: each["name"] or each["id"] for each in document["stations"]}
    table = new_table()
    texts = {name: heading for name, heading in _TEXTS.items() if name not in left_out}
    for heading in texts.values():
        table.add_column(heading)
    noticed = [name for name in _NOTICED if any(name in flow for flow in document["flows"])]
    headings = [_NOTICED[name] for name in noticed]
    numbers = ("goodput\n(Mb/s)", "RTT\n(ms)", *headings, "retrans-\nmissions", "time-\nouts")
    for heading in numbers:
        table.add_column(heading, justify="right")
    table.add_column("limited by")
    counts = 0 if len(runs) == 1 else 1
    rows = []
    for k, flow in enumerate(document["flows"]):
        shown = flow | {
            "name": flow["name"] or flow["id"],
            "station": stations[flow["station"]],
        }
        rows.append(
            (
                *(shown[name] for name in texts),
                _number(runs, k, goodput, "goodput_bps", 3, 1e-6),
                _number(runs, k, mean_alone, "mean_rtt_s", 1, 1e3),
                *(_number(runs, k, mean_alone, name, 2) for name in noticed),
                _number(runs, k, mean_alone, "retransmissions", counts),
                _number(runs, k, mean_alone, "timeouts", counts),
                _limit([run.document["flows"][k].get("limited_by") for run in runs]),
            )
        )
    return fill(table, rows)


_TEXTS = {
    "name": "flow",
    "station": "sta-\ntion",
    "direction": "direc-\ntion",
    "transport": "trans-\nport",
    "application": "appli-\ncation",
}


def _number(
    runs: Sequence[RunResult], k: int, cell: _Cell, key: str, decimals: int, scale: float = 1.0
) -> str:
    """Return the mean of a number of flow `k` over the runs; "-" if none has it."""
    sample = [run.document["flows"][k].get(key) for run in runs]
    found = estimate_known(None if value is None else value * scale for value in sample)
    return cell(found[0], decimals, part_of_runs(found[1], len(runs))) if found else "-"


_LIMITS = {
    "receive_window": "receive window",
    "cwnd": "cwnd",
    "recovery": "recovery",
    "timeout": "timeouts",
    "application": "application",
    "small_queue": "small queue",
    "pacing": "pacing",
    "bandwidth_probing": "bandwidth probing",
}


def _limit(shares: Sequence[Mapping[str, float] | None]) -> str:
    """Return what held a flow back for most of the time, on average over the runs."""
    known = [share for share in shares if share]
    if not known:
        return "-"
    return _LIMITS[
        max(_LIMITS, key=lambda name: math.fsum(share.get(name, 0.0) for share in known))
    ]


_NOTICED = {"mos": "MOS", "frozen_s": "frozen\n(s)", "stalls_s": "stalled\n(s)"}
"""The columns of what users of applications notice, of flows that have it."""

_TOTALS = (
    "aggregate_goodput_bps",
    "jain_index",
    "jain_occupancy",
    "ap_queue_loss_ratio",
    "ap_queue_mean_packets",
    "mean_session_s",
    "mean_mos",
    "worst_mos",
    "mean_frame_delay_s",
    "mean_frozen_s",
    "mean_stalls_s",
    "mean_video_rate_bps",
    "mean_page_load_s",
    "mean_completion_s",
    "limiter_mean_rate_bps",
    "limiter_packets_dropped",
)


def _totals(runs: RunSet) -> Iterator[str]:
    document = runs.runs[0].document
    others = any(flow["application"] != document["jain_over"] for flow in document["flows"])
    bulk = " of bulk flows" if document["jain_over"] == "bulk" and others else ""
    for name in _TOTALS:
        if name in runs.summary:
            text, unit, scale, decimals = metric(name, downlink_sender(document))
            part = part_of_runs(runs.counts[name], len(runs))
            value = with_interval(scaled(runs.summary[name], scale), decimals)
            of = bulk if name == "jain_index" else ""
            yield f"{text}{of} {value}{unit and f' {unit}'}{part and f' ({part})'}"


def _which(runs: Sequence[RunResult]) -> str:
    first, last = runs[0].seed, runs[-1].seed
    return (
        f"1 run, seed {first}" if len(runs) == 1 else f"{len(runs)} runs, seeds {first} to {last}"
    )
