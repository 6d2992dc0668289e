"""The table that `evenair sweep` prints. Importing this module imports rich."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from evenair.cli.printing.console import fill, fitting, new_table, open_console
from evenair.statistics import part_of_runs
from evenair.text.cells import mean_alone, scaled, with_interval
from evenair.text.labels import metric, value_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from rich.table import Table

    from evenair.campaign.result import Campaign
    from evenair.campaign.summary import Group
    from evenair.statistics import Estimate

MAX_ROWS = 200
"""Rows printed; the file has all of them."""


class _Column(NamedTuple):
    heading: str
    metric: str
    interval: bool = False
    """Whether there is room for the interval at 80 columns."""


_COLUMNS = (
    _Column("aggregate\ngoodput\n(Mb/s)", "aggregate_goodput_bps", interval=True),
    _Column("Jain's\nindex", "jain_index", interval=True),
    _Column("mean\nupload\n(Mb/s)", "mean_up_goodput_bps"),
    _Column("mean\ndownload\n(Mb/s)", "mean_down_goodput_bps"),
    _Column("queue\nloss\n(%)", "ap_queue_loss_ratio"),
)


def print_campaign(campaign: Campaign, out: Path) -> None:
    """Print the means of each point of the grid; goodput and fairness with their intervals."""
    console = open_console()
    console.print(fitting(console, _tables(campaign)))
    points = len(campaign.groups)
    if points > MAX_ROWS:
        console.print(f"... and {points - MAX_ROWS} more points")
    runs, new = campaign.table.num_rows, campaign.new_runs
    old = "" if new >= runs else f", {runs - new} of them from before"
    console.print(
        f"{runs} runs{old}, in {out}; means, ± 95% confidence intervals where there is room"
    )


def _tables(campaign: Campaign) -> Iterator[Table]:
    """Return the table with intervals, as far as there is room at 80 columns, and without."""
    yield _table(campaign, with_interval)
    yield _table(campaign, mean_alone)


def _table(campaign: Campaign, wide: Callable[[Estimate, int, str], str]) -> Table:
    groups = campaign.groups[:MAX_ROWS]
    table = new_table()
    for key in campaign.keys:
        numbers = all(isinstance(group.values[key], int | float) for group in groups)
        table.add_column(key.replace(".", ".\n"), justify="right" if numbers else "left")
    for heading in ("runs", *(column.heading for column in _COLUMNS)):
        table.add_column(heading, justify="right")
    rows = [
        (
            *(value_text(value) for value in group.values.values()),
            str(group.runs),
            *(_cell(group, column, wide if column.interval else mean_alone) for column in _COLUMNS),
        )
        for group in groups
    ]
    return fill(table, rows)


def _cell(group: Group, column: _Column, cell: Callable[[Estimate, int, str], str]) -> str:
    found = group.metrics.get(column.metric)
    if found is None:
        return "-"
    label = metric(column.metric)
    part = part_of_runs(group.counts[column.metric], group.runs)
    return cell(scaled(found, label.scale), label.decimals, part)
