"""The table that `evenair tune` prints. Importing this module imports rich."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from evenair.cli.printing.console import fill, fitting, new_table, open_console, print_lines
from evenair.statistics import Estimate
from evenair.text.cells import mean_alone, scaled, with_interval
from evenair.text.labels import metric, value_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rich.table import Table

    from evenair.text.labels import Label
    from evenair.tuning.measures import Metric
    from evenair.tuning.result import Tuning
    from evenair.tuning.trials import Mean

MAX_ROWS = 20
"""Settings printed; --json has all."""


def print_tuning(found: Tuning) -> None:
    """Print the settings tried, the one chosen, how sure that is, and what it took."""
    console = open_console()
    console.print(fitting(console, _tables(found)))
    print_lines(console, _notes(found))


def _tables(found: Tuning) -> Iterator[Table]:
    """Return the table with intervals, and a narrower one without."""
    yield _table(found, with_interval)
    yield _table(found, mean_alone)


def _table(found: Tuning, cell: Callable[[Estimate | None, int], str]) -> Table:
    table = new_table()
    settings = found.settings[:MAX_ROWS]
    for key in found.settings[0].values:
        numbers = all(isinstance(s.values[key], int | float) for s in found.settings)
        table.add_column(key.replace(".", ".\n"), justify="right" if numbers else "left")
    metrics = {found.objective: [setting.objective for setting in settings]}
    for k, limit in enumerate(found.limits):
        metrics.setdefault(limit.metric, [setting.limits[k].mean for setting in settings])
    for heading in ("runs", *map(_heading, metrics)):
        table.add_column(heading, justify="right")
    table.add_column("verdict")
    columns = [_cells(means, metric(name.name), cell) for name, means in metrics.items()]
    rows = [
        (
            *(value_text(value) for value in setting.values.values()),
            str(setting.runs),
            *cells,
            setting.verdict,
        )
        for setting, *cells in zip(settings, *columns, strict=True)
    ]
    return fill(table, rows)


def _heading(name: Metric) -> str:
    label = metric(name.name)
    words = label.text.split(" ")
    where = [f"{column}={value}" for column, value in name.where or ()]
    unit = [f"({label.unit})"] if label.unit else []
    return "\n".join([*words, *where, *unit])


def _cells(
    means: list[Mean | None], label: Label, cell: Callable[[Estimate | None, int], str]
) -> list[str]:
    return [cell(mean and scaled(Estimate(*mean), label.scale), label.decimals) for mean in means]


def _notes(found: Tuning) -> Iterator[str]:
    if (hidden := len(found.settings) - MAX_ROWS) and hidden > 0:
        yield f"... and {hidden} more settings, in --json"
    if found.chosen is not None:  # otherwise an error says it
        yield from found.statements()
    if found.options:
        yield "apply: " + " ".join(f"--set {shlex.quote(option)}" for option in found.options)
    share = found.runs / found.grid_runs
    old = found.runs - found.new_runs
    before = f", {old} of them from before" if old else ""
    yield (
        f"{found.runs} runs{before}, {share:.1%} of the {found.grid_runs} of all"
        f" {found.grid_settings} settings with {found.seeds[1]} seeds;"
        f" ± {100 * found.confidence:.6g}% intervals"
    )
