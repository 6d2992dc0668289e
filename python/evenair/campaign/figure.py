"""Figures of campaigns. Importing this module imports matplotlib."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pyarrow as pa
from matplotlib.figure import Figure

from evenair.campaign.summary import Group, summarize, varied_keys
from evenair.messages import suggest
from evenair.statistics import part_of_runs
from evenair.style import literal

if TYPE_CHECKING:
    from collections.abc import Sequence

# Okabe and Ito's colours for colour-blind readers, ordered so that neighbours also differ in grey.
# Line styles and markers repeat the distinction.
_COLOURS = ("#0072B2", "#E69F00", "#000000", "#56B4E9", "#D55E00", "#009E73", "#CC79A7")
_LINES = ("-", "--", ":", "-.", (0, (5, 1)), (0, (1, 1)), (0, (3, 1, 1, 1, 1, 1)))
_MARKERS = "os^vDPX*<>"

_UNITS = {
    "limit": "packets",
    "window": "segments",
    "initial_window": "segments",
    "segment": "bytes",
    "header": "bytes",
    "extra_header": "bytes",
    "mac_overhead": "bytes",
    "rts_threshold": "bytes",
    "duration": "s",
    "warmup": "s",
    "delay": "s",
    "min_rto": "s",
    "initial_rto": "s",
    "delayed_ack_timeout": "s",
    "start": "s",
    "stop": "s",
    "rate": "bit/s",
    "data_rate": "bit/s",
    "control_rate": "bit/s",
}
"""Units of plain numbers, by the last part of a scenario's key."""

_QUEUE = ("ap_queue_mean_packets", "ap_queue_mean_data", "ap_queue_mean_acks")


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

    figure = Figure(figsize=(6.4, 4.2), layout="constrained")
    axes = figure.subplots()
    scale, unit = _scale(table, y)
    positions = _positions(table, x)
    for k, (values, groups) in enumerate(lines.items()):
        known = [group for group in groups if y in group.metrics]
        if positions is None:
            known.sort(key=lambda group: group.values[x])
        places = [
            group.values[x] if positions is None else positions[_text(group.values[x])]
            for group in known
        ]
        line = axes.errorbar(
            places,
            [group.metrics[y].mean * scale for group in known],
            yerr=[(group.metrics[y].ci95 or 0.0) * scale for group in known],
            # matplotlib leaves labels that begin with an underscore out of the legend.
            label=re.sub("^_", " _", ", ".join(_value(value) for value in values)),
            color=_COLOURS[k % len(_COLOURS)],
            linestyle=_LINES[k % len(_LINES)],
            marker=_MARKERS[k % len(_MARKERS)],
            markersize=5,
            linewidth=1.3,
            capsize=3,
            elinewidth=0.9,
        )
        for place, group in zip(places, known, strict=True):
            axes.annotate(
                part_of_runs(group.counts[y], group.runs),
                (place, group.metrics[y].mean * scale),
                xytext=(4, 4),
                textcoords="offset points",
                fontsize="x-small",
                color=line.lines[0].get_color(),
            )
    if positions is not None:
        axes.set_xticks(list(positions.values()), [_value(text) for text in positions])
        if sum(map(len, positions)) > 60:
            axes.tick_params(axis="x", rotation=30)
    axes.set_xlabel(_label(x, _UNITS.get(x.rpartition(".")[2], "") if positions is None else ""))
    axes.set_ylabel(_label(_words(y), unit))
    axes.set_title(_title(lines, y), fontsize="medium")
    axes.grid(alpha=0.3)
    axes.set_axisbelow(True)
    if by:
        axes.legend(title=literal(", ".join(by)), fontsize="small", title_fontsize="small")
    return figure


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
            hint = suggest(name, names, most=3, cutoff=0.4)
            raise ValueError(f"{option}: {name[:80]}: no such column; {hint}")
    kind = table.schema.field(y).type
    if not (pa.types.is_integer(kind) or pa.types.is_floating(kind)):
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
    """Return a value as a label: a table becomes "spm-af, filtering = head"."""
    try:
        content = json.loads(value) if isinstance(value, str) else value
    except ValueError:
        content = value
    if not isinstance(content, dict):
        return literal(_text(value))
    kind = [str(content.pop("kind"))] if "kind" in content else []
    return literal(", ".join([*kind, *(f"{key} = {item}" for key, item in content.items())]))


def _positions(table: pa.Table, x: str) -> dict[str, int] | None:
    """Return the position of each text on the axis; None for numbers, which are positions."""
    kind = table.schema.field(x).type
    if pa.types.is_integer(kind) or pa.types.is_floating(kind):
        return None
    return {_text(value): k for k, value in enumerate(table[x].unique().to_pylist())}


def _text(value: object) -> str:
    return "(none)" if value is None else str(value)


def _scale(table: pa.Table, y: str) -> tuple[float, str]:
    """Return the factor and the unit in which a metric is drawn."""
    if y.endswith("_bps"):
        return 1e-6, "Mb/s"
    if y.endswith("_s"):
        largest = max(abs(value) for value in table[y].to_pylist() if value is not None)
        return (1e3, "ms") if largest < 1 else (1.0, "s")
    if y.endswith("_ratio"):
        return 100.0, "%"
    return 1.0, "packets" if y in _QUEUE else _UNITS.get(y.rpartition(".")[2], "")


def _words(metric: str) -> str:
    """Return a metric's name as words: "aggregate goodput", "Jain's index"."""
    if "." in metric:
        return metric
    text = metric.removesuffix("_bps").removesuffix("_s").removesuffix("_ratio").replace("_", " ")
    text = text.replace("ap queue", "AP queue").replace("rtt", "RTT")
    return "Jain's index" if metric == "jain_index" else text


def _label(name: str, unit: str) -> str:
    return literal(f"{name} ({unit})" if unit else name)


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
