"""The tables that `evenair model` prints. Importing this module imports rich."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evenair.cli.printing.console import fill, new_table, open_console, print_lines
from evenair.models.command.answer import inputs
from evenair.models.command.query import as_typed, make_query
from evenair.models.command.text import assumptions, description, title
from evenair.text.cells import scaled, with_interval

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rich.table import Table

    from evenair.models.command.answer import Answer
    from evenair.models.command.catalogue import Key, Model, Result
    from evenair.models.command.query import Query

_MOST_DECIMALS = 5
"""Of a mean without spread."""
_MOST_COLUMNS = 8
"""A table over the values of a key with more results has a row for each of them."""


def print_models(models: Iterable[Model]) -> None:
    """Print the names of the models with a line about each."""
    console = open_console()
    table = new_table("model", "what it is of")
    for model in models:
        table.add_row(model.name, model.summary)
    console.print(table)
    print_lines(console, ["", "evenair model NAME --help: what it assumes, its keys and results"])


def print_description(model: Model) -> None:
    """Print what a model assumes, its keys with defaults, and its results."""
    print_lines(open_console(), description(model, inputs(make_query(model, {}))))


def print_answer(query: Query, answer: Answer) -> None:
    """Print what is assumed and the results beside simulated values.

    The table has a row per result, or per value of the varied key.
    """
    shown = [result for result in query.model.results if result.name != "state_probabilities"]
    console = open_console()
    varied = query.varied.name if query.varied else None
    lines = assumptions(query.model, inputs(query), query.given, varied)
    print_lines(console, [title(query.model), *lines, ""])
    if query.varied is None or len(shown) > _MOST_COLUMNS:
        console.print(_by_result(query, answer, shown))
    else:
        console.print(_by_value(query.varied, query, answer, shown))
    if answer.simulated:
        console.print(
            f"simulated: means of {answer.runs} runs ± 95% confidence intervals,"
            f" seeds {answer.seed} to {answer.seed + answer.runs - 1}"
        )


def _by_result(query: Query, answer: Answer, shown: Sequence[Result]) -> Table:
    """Make a table with a row per result, and a column per value of the varied key."""
    name = query.varied.name if query.varied else ""
    table = new_table(name)
    for value in query.values:
        table.add_column(as_typed(value) if name else "model", justify="right")
        if answer.simulated:
            table.add_column("simulated", justify="right")
    table.add_column("")
    rows = []
    for result in shown:
        row = [result.label]
        for place in range(len(query.values)):
            row.append(_number(answer.results[result.name][place], result.scale))
            if answer.simulated:
                row.append(_simulated(answer, result, place))
        rows.append((*row, result.unit))
    return fill(table, rows)


def _by_value(key: Key, query: Query, answer: Answer, shown: Sequence[Result]) -> Table:
    """Make a table with a row per value of the varied key, and a column per result."""
    table = new_table(f"{key.name}\n({key.unit})" if key.unit else key.name)
    for result in shown:
        unit = f"\n({result.unit})" if result.unit else ""
        table.add_column(f"{result.label}{unit}", justify="right")
        if result.name in answer.simulated:
            table.add_column(f"simulated{unit}", justify="right")
    rows = []
    for place, value in enumerate(query.values):
        row = [as_typed(value)]
        for result in shown:
            row.append(_number(answer.results[result.name][place], result.scale))
            if result.name in answer.simulated:
                row.append(_simulated(answer, result, place))
        rows.append(row)
    return fill(table, rows)


def _number(value: float | None, scale: float) -> str:
    return "-" if value is None else f"{value * scale:.5g}"


def _simulated(answer: Answer, result: Result, place: int) -> str:
    if result.name not in answer.simulated:
        return "-"
    found = scaled(answer.simulated[result.name][place], result.scale)
    if found.ci95 is None:
        return f"{found.mean:.5g}"
    return with_interval(found, _MOST_DECIMALS)
