"""Figures of campaigns. Importing this module imports matplotlib."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pyarrow as pa

from evenair.campaign.storage.record import FLOWS_PAGE, METRICS_PAGE
from evenair.campaign.summary import Group, scenario_of, summarize, varied_keys
from evenair.plot.style import (
    DIRECTIONS,
    legend_above,
    literal,
    mark_truncated,
    new_figure,
    numbered,
    styled,
)
from evenair.statistics import part_of_runs
from evenair.text import labels
from evenair.text.labels import metric, value_text
from evenair.text.messages import downlink_sender, unknown_column

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.figure import Figure

    from evenair.text.axis import Value
    from evenair.text.labels import Label


def plot(table: pa.Table, x: str | None, y: str, by: Sequence[str] = ()) -> Figure:
    """Draw the mean of a metric over a key, with 95% intervals; a line per value of the keys `by`.

    `table` is a campaign's table of runs. Raises ValueError, in one line, if a column is
    missing or not numeric, or if a varied key that is not named would be averaged over.

    Of a table of flows each run's mean is taken first. Columns of flows (`direction`, `group`,
    `name`, `id`) can be `x` and `by`. If `x` is None it is the key that was varied or, where none
    was, the first of `by`.
    """
    if x is None:
        x, by = _default_x(table, by)
    _check(table, x, y, by)
    lines: dict[tuple[object, ...], list[Group]] = {}
    for group in summarize(table, (*by, x), (y,)):
        lines.setdefault(tuple(group.values[key] for key in by), []).append(group)

    scenario = scenario_of(table)
    y_label = metric(y, downlink_sender({"scenario": scenario}))
    positions = _positions(table, x)
    x_label = labels.key(x, scenario)
    by_labels = [labels.key(name, scenario) for name in by]
    with styled():
        figure, (axes,) = new_figure(panel=(6.0, 3.8))
        for k, (values, groups) in enumerate(lines.items()):
            known = [group for group in groups if y in group.metrics]
            if positions is None:
                known.sort(key=lambda group: group.values[x])
            beside = 0.5 * (k - (len(lines) - 1) / 2) / len(lines)
            places = [_place(group.values[x], x_label.scale, positions, beside) for group in known]
            style = numbered(k).layered(k, len(lines)) if len(lines) < 5 else numbered(k).keywords()
            if positions is not None:  # texts have no order: no line leads from one to the next
                style["linestyle"] = "none"
            line = axes.errorbar(
                places,
                [group.metrics[y].mean * y_label.scale for group in known],
                yerr=[(group.metrics[y].ci95 or 0.0) * y_label.scale for group in known],
                capsize=2.5,
                elinewidth=0.9,
                **style | {"label": _line_name(by_labels, by, values)},
            )
            for place, group in zip(places, known, strict=True):
                axes.annotate(
                    part_of_runs(group.counts[y], group.runs),
                    (place, group.metrics[y].mean * y_label.scale),
                    xytext=(4, 4),
                    textcoords="offset points",
                    fontsize="x-small",
                    color=line.lines[0].get_color(),
                )
        if positions is not None:
            axes.set_xticks(list(positions.values()), [_value(text) for text in positions])
            axes.set_xlim(-0.5, len(positions) - 0.5)
            if sum(len(_value(text)) for text in positions) > 60:
                axes.tick_params(axis="x", rotation=30)
        axes.set_xlabel(literal(x_label.with_unit if positions is None else x_label.text))
        axes.set_ylabel(literal(y_label.with_unit))
        name = scenario.get("name")
        title = _title(lines, y)
        axes.set_title(f"{literal(name)}\n{title}" if name else title)
        if by:
            names = literal(
                ", ".join(
                    label.with_unit if _is_numeric(table, name) else label.text
                    for name, label in zip(by, by_labels, strict=True)
                )
            )
            widest = max(len(str(text)) for text in axes.get_legend_handles_labels()[1])
            legend_above(figure, axes, max(1, min(len(lines), 70 // (widest + 8))), names)
        mark_truncated(figure)
    return figure


def _line_name(by_labels: Sequence[Label], by: Sequence[str], values: Sequence[object]) -> str:
    """Return the name of a line in the legend: the values of the keys `by`, in their units."""
    texts = (
        _direction(value) if name == "direction" else literal(labels.value_in_unit(value, label))
        for name, label, value in zip(by, by_labels, values, strict=True)
    )
    # matplotlib leaves labels that begin with an underscore out of the legend.
    return re.sub("^_", " _", ", ".join(texts))


def _default_x(table: pa.Table, by: Sequence[str]) -> tuple[str, Sequence[str]]:
    """Return `x` and the remaining `by` where no `x` is given."""
    varied = [key for key in varied_keys(table) if key not in by]
    if len(varied) == 1:
        return varied[0], by
    if not varied and by:
        return by[0], by[1:]
    several = f"one of {', '.join(varied)}" if varied else "a column"
    raise ValueError(f"x: missing; expected {several}")


def _check(table: pa.Table, x: str, y: str, by: Sequence[str]) -> None:
    names = table.column_names
    for option, name in (("x", x), ("y", y), *(("by", key) for key in by)):
        if name not in names:
            page = FLOWS_PAGE if "goodput_bps" in names else METRICS_PAGE
            known = unknown_column("column", str(name), names, first=varied_keys(table), page=page)
            raise ValueError(f"{option}: {known}")
    if not _is_numeric(table, y):
        raise ValueError(f"y: {y}: holds text, expected numbers")
    if table.num_rows == 0 or table[y].null_count == table.num_rows:
        raise ValueError(f"y: {y}: no run has a value")
    if len({x, y, *by}) < 2 + len(by):
        raise ValueError("x, y and by: the same column twice, expected different ones")
    for option, key in (("x", x), *(("by", key) for key in by)):
        if table[key].null_count == table.num_rows:
            raise ValueError(f"{option}: {key}: no row has a value")
    if table[x].null_count and not pa.types.is_string(table.schema.field(x).type):
        raise ValueError(f"x: {x}: some rows have no value")
    for key in varied_keys(table):
        if key not in (x, y, *by) and len(table[key].unique()) > 1:
            raise ValueError(f"by: {key} was also varied; name it to draw a line for each value")


def _is_numeric(table: pa.Table, column: str) -> bool:
    kind = table.schema.field(column).type
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind))


def _value(value: object) -> str:
    return literal(value_text(value))


def _direction(value: object) -> str:
    """Return "uploads" for "up"."""
    return DIRECTIONS[value].label if value in DIRECTIONS else _value(value)


def _place(
    value: Value, scale: float, positions: Mapping[object, int] | None, beside: float
) -> float:
    """Return where a value is on the horizontal axis; lines over texts are `beside` each other."""
    if positions is not None:
        return positions[value] + beside
    return float(value) * scale


def _positions(table: pa.Table, x: str) -> dict[object, int] | None:
    """Return the position of each text on the axis; None for numbers, which are positions."""
    if _is_numeric(table, x):
        return None
    return {value: k for k, value in enumerate(table[x].unique().to_pylist())}


def _title(lines: dict[tuple[object, ...], list[Group]], y: str) -> str:
    groups = [group for line in lines.values() for group in line]
    low, high = min(group.runs for group in groups), max(group.runs for group in groups)
    several = any(group.rows > group.runs for group in groups)
    if high == 1:
        title = "one run per point" + (", mean of its rows" if several else "")
    else:
        count = str(low) if low == high else f"{low} to {high}"
        each = ", each the mean of its rows" if several else ""
        title = f"means of {count} runs per point{each}, 95% confidence intervals"
    without = sum(y not in group.metrics for group in groups)
    if without:
        title += f"\n{without} of {len(groups)} points left out: no run has a value"
    return title
