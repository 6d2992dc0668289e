"""The table that `evenair sweep` prints. Importing this module imports rich."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from evenair.cli.console import mean_alone, new_table, open_console, with_interval
from evenair.statistics import Estimate, part_of_runs

if TYPE_CHECKING:
    from pathlib import Path

    from evenair.campaign.result import Campaign
    from evenair.campaign.summary import Group

MAX_ROWS = 200
"""Rows printed; the file has all of them."""


class _Column(NamedTuple):
    heading: str
    metric: str
    scale: float
    form: str
    interval: bool = False
    """Whether there is room for the interval at 80 columns."""


_COLUMNS = (
    _Column("aggregate\n(Mb/s)", "aggregate_goodput_bps", 1e-6, ".3f", interval=True),
    _Column("Jain's\nindex", "jain_index", 1.0, ".3f", interval=True),
    _Column("mean up\n(Mb/s)", "mean_up_goodput_bps", 1e-6, ".3f"),
    _Column("mean down\n(Mb/s)", "mean_down_goodput_bps", 1e-6, ".3f"),
    _Column("AP loss\n(%)", "ap_queue_loss_ratio", 100.0, ".2f"),
)


def print_campaign(campaign: Campaign, out: Path) -> None:
    """Print the means of each point of the grid; goodput and fairness with their intervals."""
    console = open_console()
    groups = campaign.groups
    table = new_table(*campaign.keys)
    for heading in ("runs", *(column.heading for column in _COLUMNS)):
        table.add_column(heading, justify="right")
    for group in groups[:MAX_ROWS]:
        table.add_row(
            *(str(value) for value in group.values.values()),
            str(group.runs),
            *(_cell(group, column) for column in _COLUMNS),
        )
    console.print(table)
    if len(groups) > MAX_ROWS:
        console.print(f"... and {len(groups) - MAX_ROWS} more points")
    runs, new = campaign.table.num_rows, campaign.new_runs
    old = "" if new >= runs else f", {runs - new} of them from before"
    console.print(f"{runs} runs{old}, in {out}; means ± 95% confidence intervals")


def _cell(group: Group, column: _Column) -> str:
    if column.metric not in group.metrics:
        return "-"
    mean, ci95 = group.metrics[column.metric]
    scaled = Estimate(mean * column.scale, None if ci95 is None else ci95 * column.scale)
    part = part_of_runs(group.counts[column.metric], group.runs)
    return (with_interval if column.interval else mean_alone)(scaled, column.form, part)
