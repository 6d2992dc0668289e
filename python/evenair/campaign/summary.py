"""Means and confidence intervals of the runs of a campaign, per combination of keys."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any, NamedTuple

from evenair.campaign.storage.tables import METADATA
from evenair.statistics import Estimate, estimate_known

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

    from evenair.text.axis import Value


class Group(NamedTuple):
    """The runs that have the same values of some keys."""

    values: dict[str, Value]
    runs: int
    metrics: dict[str, Estimate]
    """Of each metric that some run of the group has."""
    counts: dict[str, int]
    """How many runs have each of these metrics."""
    rows: int
    """The number of rows; more than `runs` if runs have several, as in a table of flows."""


class Sample(NamedTuple):
    """The values of metrics in the runs that have the same values of some keys."""

    values: dict[str, Value]
    metrics: dict[str, list[float | None]]
    """Of each metric a value per run; None if the run does not have it."""
    runs: int
    rows: int
    """See Group.rows."""


def about(table: pa.Table) -> dict[str, Any]:
    """Return what the table's metadata say of its campaign; nothing if it has none."""
    content = (table.schema.metadata or {}).get(METADATA)
    return dict(json.loads(content)) if content else {}


def varied_keys(table: pa.Table) -> list[str]:
    """Return the keys that were varied, from the table's metadata if it has them."""
    keys: list[str] = about(table).get("keys", [])
    return keys


def scenario_of(table: pa.Table) -> dict[str, Any]:
    """Return the scenario that was varied, as it was written; empty if the table has none."""
    scenario: dict[str, Any] = about(table).get("scenario", {})
    return scenario


def samples(table: pa.Table, keys: Sequence[str], metrics: Sequence[str]) -> list[Sample]:
    """Return the values of metrics for each combination of keys, in the order of the table.

    Rows of a group that have the same seed and the same varied keys are of one run: their mean
    counts once.
    """
    names = [name for name in (*varied_keys(table), "seed") if name in table.column_names]
    runs = list(zip(*(table[name].to_pylist() for name in names), strict=True))
    runs = runs if names else [()] * table.num_rows
    columns = [table[key].to_pylist() for key in keys]
    found: dict[tuple[Value, ...], dict[tuple[Value, ...], list[int]]] = {}
    for row, run in enumerate(runs):
        group = found.setdefault(tuple(column[row] for column in columns), {})
        group.setdefault(run, []).append(row)
    values = {metric: table[metric].to_pylist() for metric in metrics}
    return [
        Sample(
            dict(zip(keys, combination, strict=True)),
            {metric: [_mean(values[metric], of) for of in rows.values()] for metric in metrics},
            len(rows),
            sum(map(len, rows.values())),
        )
        for combination, rows in found.items()
    ]


def summarize(table: pa.Table, keys: Sequence[str], metrics: Sequence[str]) -> list[Group]:
    """Estimate the mean of metrics for each combination of keys, from `samples`.

    Intervals are over runs. Runs without a metric are left out of its estimate.
    """
    groups = []
    for sample in samples(table, keys, metrics):
        estimates, counts = {}, {}
        for metric in metrics:
            found = estimate_known(sample.metrics[metric])
            if found is not None:
                estimates[metric], counts[metric] = found
        groups.append(Group(sample.values, sample.runs, estimates, counts, sample.rows))
    return groups


def _mean(values: Sequence[float | None], rows: Sequence[int]) -> float | None:
    """Return the mean over those rows that have a value."""
    known = [value for row in rows if (value := values[row]) is not None]
    if len(known) == 1:
        return known[0]
    return math.fsum(known) / len(known) if known else None
