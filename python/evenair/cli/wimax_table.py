"""What `evenair run` prints of a WiMAX cell: the frame, requests, and a row per station."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from evenair.cli.console import mean_alone, new_table, with_interval
from evenair.statistics import Estimate, estimate, estimate_known, part_of_runs

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.table import Table

    from evenair.result import RunResult


def frame_lines(runs: Sequence[RunResult]) -> Iterator[str]:
    """Return the symbols of each part and their use, and the counts of bandwidth requests."""
    frame = runs[0].document["frame"]
    yield f"frame: {frame['symbols']} symbols"
    for name, key in (("downlink", "dl"), ("uplink", "ul")):
        used = _scaled(estimate([run.document["frame"][f"{key}_utilization"] for run in runs]), 100)
        yield (
            f"  {name} {frame[f'{key}_symbols']}, {frame[f'{key}_data_symbols']} of them for data:"
            f" {frame[f'{key}_capacity_bps'] / 1e6:.2f} Mb/s, {with_interval(used, '.1f')}% used"
        )
    counts = ".0f" if len(runs) == 1 else ".1f"
    requests = (
        f"{name.replace('_', ' ')} {with_interval(estimate(sample), counts)}"
        for name, sample in (
            (name, [run.document["requests"][name] for run in runs])
            for name in ("sent", "collided", "retried", "given_up")
        )
    )
    yield f"bandwidth requests: {', '.join(requests)}"


def station_table(runs: Sequence[RunResult]) -> Table:
    """Return goodput and grant delay of each station, means over the runs."""
    table = new_table("station")
    for heading in (
        "goodput\n(Mb/s)",
        "grant delay\nmean (ms)",
        "95th per-\ncentile",
        "99th per-\ncentile",
    ):
        table.add_column(heading, justify="right")
    for k, station in enumerate(runs[0].document["stations"]):
        goodput = estimate([_goodput(run, station["id"]) for run in runs])
        delays = [run.document["stations"][k]["grant_delay_s"] or {} for run in runs]
        table.add_row(
            station["name"] or station["id"],
            with_interval(_scaled(goodput, 1e-6), ".3f"),
            *(_delay([each.get(part) for each in delays]) for part in ("mean", "p95", "p99")),
        )
    return table


def _goodput(run: RunResult, station: str) -> float:
    """Return the goodput of all flows of a station, bit/s."""
    flows = run.document["flows"]
    return math.fsum(flow["goodput_bps"] for flow in flows if flow["station"] == station)


def _delay(sample: Sequence[float | None]) -> str:
    """Return the mean of delays in milliseconds; "-" without any."""
    found = estimate_known(sample)
    if found is None:
        return "-"
    return mean_alone(_scaled(found[0], 1e3), ".1f", part_of_runs(found[1], len(sample)))


def _scaled(metric: Estimate, scale: float) -> Estimate:
    ci95 = None if metric.ci95 is None else metric.ci95 * scale
    return Estimate(metric.mean * scale, ci95)
