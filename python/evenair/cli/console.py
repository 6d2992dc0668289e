"""Tables and progress bars on the terminal. Importing this module imports rich."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich import box
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
    TimeRemainingColumn,
)
from rich.table import Table
from rich.text import Text

from evenair.statistics import Estimate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class _Rate(ProgressColumn):
    """The number done per second."""

    def render(self, task: Task) -> Text:
        speed = task.finished_speed or task.speed
        return Text("" if speed is None else f"{speed:.1f}/s")


@contextmanager
def progress_bar(what: str) -> Iterator[Callable[[int, int], None]]:
    """Show a bar on standard error; yields the function to call with (done, total)."""
    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), _Rate(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(what, total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)


def with_interval(metric: Estimate | None, form: str, part: str = "") -> str:
    """Return a mean and the half-width of its 95% interval, if it has one; "-" for None.

    `part` follows in parentheses: which part of the runs has the metric.
    """
    if metric is None:
        return "-"
    spread = "" if metric.ci95 is None else f" ± {metric.ci95:{form}}"
    return f"{metric.mean:{form}}{spread}{part and f' ({part})'}"


def mean_alone(metric: Estimate | None, form: str, part: str = "") -> str:
    """Return a mean as `with_interval` does, without its interval."""
    return with_interval(metric and Estimate(metric.mean, None), form, part)


def scaled(metric: Estimate, scale: float) -> Estimate:
    """Return a metric in another unit."""
    ci95 = None if metric.ci95 is None else metric.ci95 * scale
    return Estimate(metric.mean * scale, ci95)


def new_table(*columns: str) -> Table:
    """Return a compact table with these headings."""
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    for column in columns:
        table.add_column(column)
    return table


def open_console() -> Console:
    """Return a console that prints text literally and does not wrap lines on a pipe."""
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="replace")
    width = None if sys.stdout.isatty() else 10_000
    return Console(width=width, markup=False, highlight=False, emoji=False, soft_wrap=True)
