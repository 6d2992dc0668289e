"""The table of a comparison. Importing this module imports rich."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from evenair.cli.printing.console import fill, filled, fitting, new_table, open_console
from evenair.statistics import Estimate
from evenair.text.cells import mean_alone, scaled, with_interval
from evenair.text.labels import metric as label_of
from evenair.text.messages import downlink_sender

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from rich.table import Table

    from evenair.comparison import Comparison, Difference
    from evenair.text.labels import Label


def print_comparison(comparison: Comparison) -> None:
    """Print a row for each metric, a column for each mean and for each difference."""
    console = open_console()
    table = fitting(console, _tables(comparison))
    console.print(table)
    for line in filled(_notes(comparison, table.row_count), console.width):
        console.print(line)


def _tables(comparison: Comparison) -> Iterator[Table]:
    """Return the table, and then others that are narrower."""
    metrics, main = comparison.metrics, comparison.main
    yield _table(comparison, metrics, with_interval, share=True)
    yield _table(comparison, metrics, mean_alone, share=True)
    yield _table(comparison, main, mean_alone, share=True)
    yield _table(comparison, main, mean_alone, share=False)


def _table(
    comparison: Comparison,
    metrics: Sequence[str],
    mean: Callable[[Estimate | None, int], str],
    *,
    share: bool,
) -> Table:
    first, *others = comparison.columns
    names = {name: re.sub(r"(, |(?==))", r"\1\n", name) for name in comparison.columns}
    table = new_table("")
    for column in comparison.columns:
        table.add_column(names[column], justify="right")
    for column in others:
        heading = "difference" if len(others) == 1 else f"{names[column]}\n- {first}"
        table.add_column(heading, justify="right")
    sender = downlink_sender({"scenario": comparison.scenario})
    rows = []
    for metric in metrics:
        label = label_of(metric, sender)
        means = [comparison.estimate(column, metric) for column in comparison.columns]
        changes = [comparison.difference(column, metric) for column in others]
        rows.append(
            (
                label.with_unit,
                *(mean(found and scaled(found, label.scale), label.decimals) for found in means),
                *(_change(change, label, share) for change in changes),
            )
        )
    return fill(table, rows)


def _change(change: Difference | None, label: Label, share: bool) -> str:
    if change is None:
        return "-"
    value = scaled(Estimate(change.value, change.ci95), label.scale)
    sign = "+" if change.value > 0 else ""
    percent = f" ({change.relative:+.1%})" if share and change.relative is not None else ""
    return f"{sign}{with_interval(value, label.decimals)}{percent}{' *' if change.clear else '  '}"


def _notes(comparison: Comparison, rows: int) -> Iterator[str]:
    if hidden := len(comparison.metrics) - rows:
        yield f"A wider terminal shows {hidden} metrics more, --json all of them."
    several = any(
        sum(value is not None for value in values) > 1
        for samples in comparison.samples.values()
        for values in samples.values()
    )
    if comparison.paired:
        seeds = comparison.seeds
        last = f"s {seeds[0]} to {seeds[-1]}" if len(seeds) > 1 else f" {seeds[0]}"
        yield f"The same seed{last} for both."
    if several:
        clear = "; * the interval of a difference excludes 0" if len(comparison.columns) > 1 else ""
        yield f"± 95% intervals{clear}."
    else:
        yield "Without intervals: one run each; --runs N gives them."
