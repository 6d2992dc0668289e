"""Means and confidence intervals of the runs of a campaign, per combination of keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from evenair.statistics import Estimate, estimate

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

    from evenair.axis import Value


class Group(NamedTuple):
    """The runs that have the same values of some keys."""

    values: dict[str, Value]
    runs: int
    metrics: dict[str, Estimate]
    """Of each metric that every run of the group has."""


def summarize(table: pa.Table, keys: Sequence[str], metrics: Sequence[str]) -> list[Group]:
    """Estimate the mean of metrics for each combination of keys, in the order of the table."""
    samples: dict[tuple[Value, ...], list[int]] = {}
    columns = [table[key].to_pylist() for key in keys]
    for row in range(table.num_rows):
        samples.setdefault(tuple(column[row] for column in columns), []).append(row)
    values = {metric: table[metric].to_pylist() for metric in metrics}
    groups = []
    for combination, rows in samples.items():
        estimates = {}
        for metric in metrics:
            sample = [values[metric][row] for row in rows]
            if None not in sample:
                estimates[metric] = estimate(sample)
        groups.append(Group(dict(zip(keys, combination, strict=True)), len(rows), estimates))
    return groups
