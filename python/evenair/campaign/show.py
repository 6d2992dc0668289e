"""The table at the end of a campaign. rich is imported with this module."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evenair.console import _console, _mean, _show, _table
from evenair.statistics import Estimate

if TYPE_CHECKING:
    from pathlib import Path

    from evenair.campaign.result import Campaign, Group

MOST_ROWS = 200
"""Nobody reads more; the file has them all."""

_COLUMNS = (
    ("aggregate\n(Mb/s)", "aggregate_goodput_bps", 1e-6, ".3f"),
    ("Jain's\nindex", "jain_index", 1.0, ".3f"),
    ("mean up\n(Mb/s)", "mean_up_goodput_bps", 1e-6, ".3f"),
    ("mean down\n(Mb/s)", "mean_down_goodput_bps", 1e-6, ".3f"),
    ("AP loss\n(%)", "ap_queue_loss_ratio", 100.0, ".2f"),
)


def show(campaign: Campaign, out: Path) -> None:
    """Print the means of each point of the grid; only fairness and goodput with their intervals."""
    console = _console()
    groups = campaign.groups
    table = _table(*campaign.keys)
    for heading in ("runs", *(heading for heading, *_ in _COLUMNS)):
        table.add_column(heading, justify="right")
    for group in groups[:MOST_ROWS]:
        table.add_row(
            *(str(value) for value in group.values.values()),
            str(group.runs),
            *(_cell(group, name, scale, form) for _, name, scale, form in _COLUMNS),
        )
    console.print(table)
    if len(groups) > MOST_ROWS:
        console.print(f"... and {len(groups) - MOST_ROWS} more points")
    runs, new = campaign.table.num_rows, campaign.new_runs
    old = "" if new >= runs else f", {runs - new} of them from before"
    console.print(f"{runs} runs{old}, in {out}; means ± 95% confidence intervals")


def _cell(group: Group, name: str, scale: float, form: str) -> str:
    if name not in group.metrics:
        return "-"
    mean, ci95 = group.metrics[name]
    scaled = Estimate(mean * scale, None if ci95 is None else ci95 * scale)
    return _show(scaled, form) if name in _COLUMNS[0] + _COLUMNS[1] else _mean(scaled, form)
