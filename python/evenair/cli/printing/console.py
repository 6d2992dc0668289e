"""Tables and progress bars on the terminal. Importing this module imports rich."""

from __future__ import annotations

import codecs
import sys
from contextlib import contextmanager
from textwrap import wrap
from typing import TYPE_CHECKING

from rich import box
from rich.console import Console
from rich.measure import Measurement
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Table
from rich.text import Text

from evenair.text.cells import aligned

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence


class _Rate(ProgressColumn):
    """The number done per second."""

    def render(self, task: Task) -> Text:
        speed = task.finished_speed or task.speed
        return Text("" if speed is None else f"{speed:.1f}/s")


@contextmanager
def progress_bar(what: str, total: int | None) -> Iterator[Callable[[int, int], None]]:
    """Show a bar on standard error; yields the function to call with (done, total)."""
    console = Console(stderr=True, no_color=True)  # whatever the background of the terminal
    columns = (
        TextColumn(what),
        BarColumn(),
        MofNCompleteColumn(),
        _Rate(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task(what, total=total)
        yield lambda done, total: progress.update(task, completed=done, total=total)


def new_table(*columns: str) -> Table:
    """Return a compact table with these headings."""
    lines = box.SIMPLE_HEAD if _draws_lines() else _DASHES
    table = Table(box=lines, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    for column in columns:
        table.add_column(column)
    return table


def fill(table: Table, rows: Iterable[Sequence[str]]) -> Table:
    """Add rows to a table and return it: in columns to the right, decimal points are aligned."""
    columns = []
    for column, cells in zip(table.columns, zip(*rows, strict=True), strict=False):
        texts = list(cells)
        if column.justify == "right":
            texts = aligned(texts)
            heading = str(column.header).split("\n")
            width = max(map(len, (*texts, *heading)))
            # rich takes the spaces from the end of a cell before it moves it to the right.
            column.justify = "left"
            column.header = "\n".join(line.rjust(width) for line in heading)
            texts = [text.rjust(width) for text in texts]
        columns.append(texts)
    for row in zip(*columns, strict=True):
        table.add_row(*row)
    return table


def fitting(console: Console, tables: Iterable[Table]) -> Table:
    """Return the first of some tables that is not wider than the terminal, or the last."""
    any_width = console.options.update(max_width=10_000)
    for table in tables:
        found = table
        if Measurement.get(console, any_width, table).maximum <= console.width:
            break
    return found


def filled(items: Iterable[str], width: int) -> list[str]:
    """Return lines of several items each, as far as they fit."""
    lines: list[str] = []
    for item in items:
        if lines and len(lines[-1]) + 2 + len(item) <= width:
            lines[-1] += f"  {item}"
        else:
            lines.append(item)
    return lines


_DASHES = box.Box("    \n    \n -- \n    \n    \n    \n    \n    \n", ascii=True)
"""The box of tables that are not on a terminal."""


def _draws_lines() -> bool:
    """Return whether standard output is a terminal that shows lines."""
    encoding = sys.stdout.encoding or ""
    return sys.stdout.isatty() and encoding.lower().startswith("utf")


def _as_ascii(error: UnicodeError) -> tuple[str, int]:
    """Return what stands for characters that the encoding of standard output lacks."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    missing = error.object[error.start : error.end]
    return "".join({"±": "+-", "×": "x", "…": "~"}.get(char, "?") for char in missing), error.end


_PLAIN = "evenair.plain"
codecs.register_error(_PLAIN, _as_ascii)


def print_lines(console: Console, lines: Iterable[str]) -> None:
    """Print lines of text; a terminal's width wraps them, further lines indented by two more."""
    for line in lines:
        indent = " " * (len(line) - len(line.lstrip()) + 2)
        parts = wrap(
            line,
            console.width,
            subsequent_indent=indent,
            drop_whitespace=True,
            break_long_words=False,
            break_on_hyphens=False,
        )
        console.print("\n".join(parts))


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """Raise the BrokenPipeError, where rich would end the process with status 1."""
        raise


def open_console() -> Console:
    """Return a console that prints text literally and does not wrap lines on a pipe."""
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors=_PLAIN)
    is_terminal = sys.stdout.isatty()
    return _Console(
        # FORCE_COLOR, which kernels of notebooks set, puts escape sequences into a pipe otherwise.
        force_terminal=is_terminal,
        width=None if is_terminal else 10_000,
        markup=False,
        highlight=False,
        emoji=False,
        soft_wrap=True,
    )
