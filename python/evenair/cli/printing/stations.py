"""The tables of stations that `evenair run` prints. Importing this module imports rich."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from evenair.cli.printing.console import fill, new_table
from evenair.statistics import estimate, estimate_known, part_of_runs
from evenair.text.cells import mean_alone, scaled, with_interval

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.table import Table

    from evenair.result import RunResult


def occupancy_table(runs: Sequence[RunResult]) -> Table:
    """Return goodput, airtime and channel occupancy of each station, means over the runs."""
    table = new_table("station")
    for heading in ("goodput\n(Mb/s)", "airtime\n(%)", "channel occu-\npancy (%)"):
        table.add_column(heading, justify="right")
    rows = []
    for k, station in enumerate(runs[0].document["stations"]):
        goodput = estimate([_goodput(run, station["id"]) for run in runs])
        shares = (
            estimate([run.document["stations"][k][name] for run in runs])
            for name in ("airtime_share", "occupancy_share")
        )
        rows.append(
            (
                station["name"] or station["id"],
                with_interval(scaled(goodput, 1e-6), 3),
                *(with_interval(scaled(share, 100), 1) for share in shares),
            )
        )
    return fill(table, rows)


def grant_table(runs: Sequence[RunResult]) -> Table:
    """Return goodput and grant delay of each station, means over the runs."""
    table = new_table("station")
    for heading in (
        "goodput\n(Mb/s)",
        "grant delay\nmean (ms)",
        "95th per-\ncentile",
        "99th per-\ncentile",
    ):
        table.add_column(heading, justify="right")
    rows = []
    for k, station in enumerate(runs[0].document["stations"]):
        goodput = estimate([_goodput(run, station["id"]) for run in runs])
        delays = [run.document["stations"][k]["grant_delay_s"] or {} for run in runs]
        rows.append(
            (
                station["name"] or station["id"],
                with_interval(scaled(goodput, 1e-6), 3),
                *(_delay([each.get(part) for each in delays]) for part in ("mean", "p95", "p99")),
            )
        )
    return fill(table, rows)


def _goodput(run: RunResult, station: str) -> float:
    """Return the goodput of all flows of a station, bit/s."""
    flows = run.document["flows"]
    return math.fsum(flow["goodput_bps"] for flow in flows if flow["station"] == station)


def _delay(sample: Sequence[float | None]) -> str:
    """Return the mean of delays in milliseconds; "-" without any."""
    found = estimate_known(sample)
    if found is None:
        return "-"
    return mean_alone(scaled(found[0], 1e3), 1, part_of_runs(found[1], len(sample)))
