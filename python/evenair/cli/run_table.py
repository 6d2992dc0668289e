"""The table that `evenair run` prints. Importing this module imports rich."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from evenair.cli.console import mean_alone, new_table, open_console, scaled, with_interval
from evenair.cli.station_table import grant_table, occupancy_table
from evenair.cli.wimax_table import frame_lines
from evenair.messages import downlink_sender
from evenair.result import RunSet
from evenair.statistics import Estimate, estimate_known, part_of_runs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from rich.table import Table

    from evenair.result import RunResult


def print_result(result: RunResult | RunSet) -> None:
    """Print a table of the flows and, below it, the summary of the runs."""
    runs = result.runs if isinstance(result, RunSet) else (result,)
    whole = RunSet(runs)
    console = open_console()
    console.print(_flows(runs))
    console.print("  ".join(_totals(whole)))
    if "frame" in runs[0].document:
        for line in frame_lines(runs):
            console.print(line)
        console.print(grant_table(runs))
    if "jain_occupancy" in runs[0].document:
        console.print(occupancy_table(runs))
    spread = "; means over the runs ± 95% confidence intervals" if len(runs) > 1 else ""
    console.print(f"{_which(runs)}: {_how(runs)}{spread}")


def _how(runs: Sequence[RunResult]) -> str:
    """Return how long the runs took, and how late the engine of a test-bed was at worst."""
    seconds = sum(run.duration_s for run in runs)
    if runs[0].document.get("engine") != "testbed":
        speed = seconds / sum(run.wall_s for run in runs)
        return f"{seconds:g} s simulated, {speed:,.0f} times as fast as real time"
    beds = [run.document["testbed"] for run in runs]
    late = max(bed["lateness_s"]["p99"] for bed in beds) * 1e3
    return (
        f"{seconds:g} s of real time, Linux {beds[0]['kernel']},"
        f" lateness of the air 99th percentile {late:.2f} ms"
    )


def _flows(runs: Sequence[RunResult]) -> Table:
    """Return the means over the runs. At 80 columns only goodput has room for its interval."""
    flows = runs[0].document["flows"]
    stations = {each["id"]: each["name"] or each["id"] for each in runs[0].document["stations"]}
    table = new_table("flow", "sta-\ntion", "direc-\ntion", "trans-\nport", "appli-\ncation")
    for heading in ("goodput\n(Mb/s)", "RTT\n(ms)", "retrans-\nmissions", "time-\nouts"):
        table.add_column(heading, justify="right")
    table.add_column("limited by")
    counts = ".0f" if len(runs) == 1 else ".1f"
    for k, flow in enumerate(flows):

        def of(
            cell: Callable[[Estimate | None, str, str], str],
            key: str,
            form: str,
            scale: float = 1.0,
            *,
            k: int = k,
        ) -> str:
            sample = [run.document["flows"][k].get(key) for run in runs]
            found = estimate_known(None if value is None else value * scale for value in sample)
            return cell(found[0], form, part_of_runs(found[1], len(runs))) if found else "-"

        table.add_row(
            flow["name"] or flow["id"],
            stations[flow["station"]],
            flow["direction"],
            flow["transport"],
            flow["application"],
            of(with_interval, "goodput_bps", ".3f", 1e-6),
            of(mean_alone, "mean_rtt_s", ".1f", 1e3),
            of(mean_alone, "retransmissions", counts),
            of(mean_alone, "timeouts", counts),
            _limit([run.document["flows"][k].get("limited_by") for run in runs]),
        )
    return table


_LIMITS = {
    "receive_window": "its receive window",
    "cwnd": "cwnd",
    "recovery": "recovery",
    "timeout": "timeouts",
    "application": "its application",
}


def _limit(shares: Sequence[Mapping[str, float] | None]) -> str:
    """Return what held a flow back for most of the time, on average over the runs."""
    known = [share for share in shares if share]
    if not known:
        return "-"
    return _LIMITS[max(_LIMITS, key=lambda name: math.fsum(share[name] for share in known))]


def _totals(runs: RunSet) -> Iterator[str]:
    document = runs.runs[0].document
    others = any(flow["application"] != document["jain_over"] for flow in document["flows"])
    sender = downlink_sender(document)
    bulk = " of bulk flows" if document["jain_over"] == "bulk" and others else ""
    shown = (
        ("aggregate", "aggregate_goodput_bps", 1e-6, ".3f", " Mb/s"),
        (f"Jain's index{bulk}", "jain_index", 1.0, ".3f", ""),
        ("of occupancy", "jain_occupancy", 1.0, ".3f", ""),
        (f"{sender} queue loss", "ap_queue_loss_ratio", 100.0, ".2f", "%"),
        (f"mean {sender} queue", "ap_queue_mean_packets", 1.0, ".1f", " packets"),
        ("mean session", "mean_session_s", 1.0, ".4f", " s"),
        ("limiter", "limiter_mean_rate_bps", 1e-6, ".3f", " Mb/s"),
        ("dropped by it", "limiter_packets_dropped", 1.0, ".0f", " packets"),
    )
    for label, name, scale, form, unit in shown:
        if name in runs.summary:
            part = part_of_runs(runs.counts[name], len(runs))
            value = with_interval(scaled(runs.summary[name], scale), form)
            yield f"{label} {value}{unit}{part and f' ({part})'}"


def _which(runs: Sequence[RunResult]) -> str:
    first, last = runs[0].seed, runs[-1].seed
    return (
        f"1 run, seed {first}" if len(runs) == 1 else f"{len(runs)} runs, seeds {first} to {last}"
    )
