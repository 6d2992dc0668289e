"""The table of a test under load. Importing this module imports rich."""

from __future__ import annotations

from dataclasses import astuple
from typing import TYPE_CHECKING

from evenair.cli.printing.console import fill, new_table, open_console
from evenair.cli.printing.run import print_end
from evenair.presets.samples import samples, summary
from evenair.statistics import estimate_known, part_of_runs
from evenair.text.cells import mean_alone

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evenair.presets.mixes import Preset
    from evenair.result import RunResult
    from evenair.statistics import Estimate


def print_test(runs: Sequence[RunResult], preset: Preset) -> None:
    """Print what flent's summary says of each series, of the time under load."""
    console = open_console()
    table = new_table("series", "unit")
    for heading in ("mean", "median", "99th %", "median\nidle", "values"):
        table.add_column(heading, justify="right")
    each = [samples(run.document, preset) for run in runs]
    rows = []
    for k, series in enumerate(each[0].series):
        numbers = zip(*(astuple(summary(run, run.series[k])) for run in each), strict=True)
        *statistics, counts = (estimate_known(values) for values in numbers)
        cells = (_cell(found, 2, len(runs)) for found in statistics)
        rows.append((series.name, series.unit, *cells, _cell(counts, 0, len(runs))))
    console.print(fill(table, sorted(rows)))
    start, stop = each[0].load
    console.print(f"of intervals of 200 ms between {start:g} and {stop:g} s; idle: before")
    print_end(console, runs)


def _cell(found: tuple[Estimate, int] | None, decimals: int, runs: int) -> str:
    return mean_alone(found[0], decimals, part_of_runs(found[1], runs)) if found else "-"
