"""Figures of campaigns. Importing this module imports matplotlib."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pyarrow as pa

from evenair.campaign.curves import Place, draw_boxes, draw_means
from evenair.campaign.horizontal import horizontal, is_numeric, plain_log
from evenair.campaign.storage.record import FLOWS_PAGE, METRICS_PAGE
from evenair.campaign.summary import Sample, samples, scenario_of, varied_keys
from evenair.plot.style import (
    DIRECTIONS,
    legend_above,
    literal,
    mark_truncated,
    new_figure,
    styled,
)
from evenair.text import labels
from evenair.text.labels import metric, value_text
from evenair.text.messages import downlink_sender, shown, unknown_column

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

    from evenair.text.labels import Label


def plot(
    table: pa.Table,
    x: str | None,
    y: str,
    by: Sequence[str] = (),
    *,
    kind: str = "line",
    log: str = "",
) -> Figure:
    """Draw the mean of a metric over a key, with 95% intervals; a line per value of the keys `by`.

    `table` is a campaign's table of runs. Raises ValueError, in one line, if a column is
    missing or not numeric, or if a varied key that is not named would be averaged over.

    Of a table of flows each run's mean is taken first. Columns of flows (`direction`, `group`,
    `name`, `id`) can be `x` and `by`. If `x` is None it is the key that was varied or, where none
    was, the first of `by`.

    With `kind` "box" there are box plots of the runs in place of means. `log` names the axes that
    are logarithmic: "x", "y" or "xy".
    """
    if kind not in ("line", "box"):
        raise ValueError(f"kind: got {shown(kind)}, expected 'line' or 'box'")
    if log not in ("", "x", "y", "xy", "yx"):
        raise ValueError(f"log: got {shown(log)}, expected 'x', 'y' or 'xy'")
    if x is None:
        x, by = _default_x(table, by)
    _check(table, x, y, by)
    scenario = scenario_of(table)
    x_label = labels.key(x, scenario)
    axis = horizontal(table, x, x_label, in_classes=kind == "box", is_log="x" in log)
    y_label = metric(y, downlink_sender({"scenario": scenario}))
    by_labels = [labels.key(name, scenario) for name in by]
    lines: dict[tuple[object, ...], list[Sample]] = {}
    for sample in samples(table, (*by, x), (y,)):
        lines.setdefault(tuple(sample.values[key] for key in by), []).append(sample)
    everything = [sample for line in lines.values() for sample in line]
    if "y" in log and any(value is not None and value <= 0 for value in _of(everything, y)):
        raise ValueError(f"log: y: {y} has values that are not above 0")
    draw = draw_boxes if kind == "box" else draw_means
    with styled():
        figure, (axes,) = new_figure(panel=(6.0, 3.8))
        for k, (values, line) in enumerate(lines.items()):
            known = [one for one in line if any(value is not None for value in one.metrics[y])]
            known.sort(key=lambda one: axis.places[one.values[x]])
            beside = 0.5 * (k - (len(lines) - 1) / 2) / len(lines) if axis.in_classes else 0.0
            draw(
                axes,
                [axis.places[one.values[x]] + beside for one in known],
                [[v * y_label.scale for v in one.metrics[y] if v is not None] for one in known],
                [one.runs for one in known],
                Place(k, len(lines), has_order=axis.has_order),
                _line_name(by_labels, by, values),
            )
        axis.apply(axes)
        if "y" in log:
            plain_log(axes, "y")
        axes.set_ylabel(literal(y_label.with_unit))
        name = scenario.get("name")
        title = _title(everything, y, kind)
        axes.set_title(f"{literal(name)}\n{title}" if name else title)
        if by:
            names = literal(
                ", ".join(
                    label.with_unit if is_numeric(table, name) else label.text
                    for name, label in zip(by, by_labels, strict=True)
                )
            )
            widest = max(len(str(text)) for text in axes.get_legend_handles_labels()[1])
            legend_above(figure, axes, max(1, min(len(lines), 70 // (widest + 8))), names)
        mark_truncated(figure)
    return figure


def _of(found: Sequence[Sample], y: str) -> list[float | None]:
    return [value for sample in found for value in sample.metrics[y]]


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
    if not is_numeric(table, y):
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


def _value(value: object) -> str:
    return literal(value_text(value))


def _direction(value: object) -> str:
    """Return "uploads" for "up"."""
    return DIRECTIONS[value].label if value in DIRECTIONS else _value(value)


def _title(found: Sequence[Sample], y: str, kind: str) -> str:
    low, high = min(one.runs for one in found), max(one.runs for one in found)
    several = any(one.rows > one.runs for one in found)
    if high == 1:
        title = "one run per point" + (", mean of its rows" if several else "")
    else:
        count = str(low) if low == high else f"{low} to {high}"
        each = ", each the mean of its rows" if several else ""
        title = (
            f"median, quartiles and range of {count} runs per point{each}"
            if kind == "box"
            else f"means of {count} runs per point{each}, 95% confidence intervals"
        )
    without = sum(all(value is None for value in one.metrics[y]) for one in found)
    if without:
        title += f"\n{without} of {len(found)} points left out: no run has a value"
    return title
