"""The tables that `evenair model` prints. Importing this module imports rich."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evenair.cli.console import new_table, open_console
from evenair.models.query import as_typed

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rich.table import Table

    from evenair.models.catalogue import Key, Model, Result
    from evenair.models.evaluate import Answer
    from evenair.models.query import Query

_MOST_COLUMNS = 8
"""A table over the values of a key with more results has a row for each of them."""


def print_models(models: Iterable[Model]) -> None:
    """Print the models, their keys with defaults, and their results."""
    console = open_console()
    for model in models:
        console.print(f"{model.name}: {model.summary} [{model.source}]")
        for key in model.all_keys.values():
            console.print(f"      {_key(key)}")
        results = ", ".join(result.name for result in model.results)
        console.print(f"    gives {results}")
        console.print()


def print_answer(query: Query, answer: Answer) -> None:
    """Print results beside simulated values: a row per result, or per value of the varied key."""
    shown = [result for result in query.model.results if result.name != "state_probabilities"]
    console = open_console()
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
    for result in shown:
        row = [result.label]
        for place in range(len(query.values)):
            row.append(_number(answer.results[result.name][place], result.scale))
            if answer.simulated:
                row.append(_simulated(answer, result, place))
        table.add_row(*row, result.unit)
    return table


def _by_value(key: Key, query: Query, answer: Answer, shown: Sequence[Result]) -> Table:
    """Make a table with a row per value of the varied key, and a column per result."""
    table = new_table(f"{key.name}\n({key.unit})" if key.unit else key.name)
    for result in shown:
        unit = f"\n({result.unit})" if result.unit else ""
        table.add_column(f"{result.label}{unit}", justify="right")
        if result.name in answer.simulated:
            table.add_column(f"simulated{unit}", justify="right")
    for place, value in enumerate(query.values):
        row = [as_typed(value)]
        for result in shown:
            row.append(_number(answer.results[result.name][place], result.scale))
            if result.name in answer.simulated:
                row.append(_simulated(answer, result, place))
        table.add_row(*row)
    return table


def _key(key: Key) -> str:
    default = "" if key.default is None else f" = {as_typed(key.default)}"
    accepted = f" ({', '.join(key.accepted)})" if key.accepted else ""
    unit = f", {key.unit}" if key.unit else ""
    return f"{key.name}{default}: {key.meaning}{unit}{accepted}"


def _number(value: float | None, scale: float) -> str:
    return "-" if value is None else f"{value * scale:.5g}"


def _simulated(answer: Answer, result: Result, place: int) -> str:
    if result.name not in answer.simulated:
        return "-"
    mean, ci95 = answer.simulated[result.name][place]
    spread = "" if ci95 is None else f" ± {ci95 * result.scale:.2g}"
    return f"{mean * result.scale:.5g}{spread}"
