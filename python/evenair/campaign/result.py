"""The result of a campaign."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from evenair import tables
from evenair.campaign.storage.record import METRICS
from evenair.campaign.summary import Group, summarize
from evenair.statistics import part_of_runs
from evenair.text import markup
from evenair.text.cells import scaled, with_interval
from evenair.text.labels import metric, value_text
from evenair.text.messages import shown

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence

    import pandas as pd
    import pyarrow as pa
    import xarray as xr
    from matplotlib.figure import Figure

    from evenair.scenario import Scenario
    from evenair.text.axis import Value


_SHOWN = (
    "aggregate_goodput_bps",
    "jain_index",
    "mean_up_goodput_bps",
    "mean_down_goodput_bps",
    "ap_queue_loss_ratio",
)
"""The metrics that a notebook shows: those of the table on a terminal."""


@dataclass(frozen=True)
class Failure:
    """A run that failed, and how to reproduce it."""

    values: Mapping[str, Value]
    """The varied keys and their values."""
    overrides: Sequence[tuple[str, str]]
    """The same as text, in the order in which they are set."""
    seed: int
    reason: str
    """One line."""
    scenario: Scenario
    """`evenair.run(failure.scenario, seed=failure.seed)` reproduces the failure."""
    base: str | None
    """The `evenair run ...` command without the varied keys; None without a scenario file."""

    @property
    def command(self) -> str:
        """The command that reproduces the failure."""
        if self.base is None:
            return f"evenair.run(failure.scenario, seed={self.seed})"
        words = [f"--set {shlex.quote(f'{key}={value}')}" for key, value in self.overrides]
        return " ".join([self.base, *words, f"--seed {self.seed}"])


class Campaign:
    """The runs of a grid: their table, a summary per point of the grid, and a plot."""

    def __init__(
        self,
        tables: Mapping[str, pa.Table],
        keys: Sequence[str],
        failures: Sequence[Failure],
        unsettled: Sequence[Mapping[str, Value]],
        new_runs: int,
        foreign: int,
        damaged: str | None,
    ) -> None:
        self._tables = tables
        self.keys = tuple(keys)
        """The keys that were varied."""
        self.failures = tuple(failures)
        """The runs that failed. They are not in the table."""
        self.unsettled = tuple(unsettled)
        """The points that reached the maximum number of runs without the requested precision."""
        self.new_runs = new_runs
        """Number of runs done now; the others were in the store."""
        self.foreign = foreign
        """Runs of other engine versions in the store; they were not used."""
        self.damaged = damaged
        """One line if the store was damaged, None if it was intact. Its damaged runs were done
        again."""

    @property
    def table(self) -> pa.Table:
        """One row per run: the varied keys, the seed and the metrics (bit/s, s, packets)."""
        return self._tables["runs"]

    @property
    def flows(self) -> pa.Table:
        """One row per run and flow. Raises ValueError unless the sweep had `flows=True`."""
        return self._optional("flows")

    @property
    def series(self) -> pa.Table:
        """One row per sample of a trace: time_s, flow, quantity, value.

        Raises ValueError unless the sweep had `series=True`.
        """
        return self._optional("series")

    def _optional(self, name: str) -> pa.Table:
        if name not in self._tables:
            raise ValueError(f"{name}: not stored; run the sweep again with {name}=True")
        return self._tables[name]

    def to_pandas(self) -> pd.DataFrame:
        """Return the table of runs as a pandas data frame.

        Raises ImportError if pandas is not installed.
        """
        return tables.data_frame(self.table)

    def to_xarray(self) -> xr.Dataset:
        """Return the table of runs as an xarray data set over the varied keys and the seed.

        Its variables are the metrics that some run has; NaN stands for runs that are missing or do
        not have the metric. Raises ImportError if xarray is not installed.
        """
        from evenair.campaign.dataset import dataset

        return dataset(self.table, (*self.keys, "seed"))

    @cached_property
    def groups(self) -> list[Group]:
        """The points of the grid with their estimated metrics."""
        return summarize(self.table, self.keys, list(METRICS))

    def summary(self, by: str | Sequence[str] | None = None) -> pa.Table:
        """Return mean and half-width of the 95% interval of each metric, per point of the grid.

        One row per combination of the keys `by`, by default of all that were varied: these keys,
        `runs`, and for each metric M the columns `M` (mean), `M_ci95` (Student's t; null for a
        single run) and `M_runs` (how many runs have it). Runs that differ in other keys are pooled.
        Raises ValueError.
        """
        import pyarrow as pa

        keys = self.keys if by is None else _names(by)
        for key in keys:
            if key not in self.keys:
                raise ValueError(f"by: got {key!r}, expected some of {', '.join(self.keys)}")
        groups = self.groups if keys == self.keys else summarize(self.table, keys, list(METRICS))
        columns: dict[str, Any] = {
            key: pa.array(
                [group.values[key] for group in groups], self.table.schema.field(key).type
            )
            for key in keys
        }
        columns["runs"] = pa.array([group.runs for group in groups], pa.int64())
        for name in METRICS:
            found = [group.metrics.get(name) for group in groups]
            columns[name] = pa.array([e and e.mean for e in found], pa.float64())
            columns[f"{name}_ci95"] = pa.array([e and e.ci95 for e in found], pa.float64())
            counts = [group.counts.get(name, 0) for group in groups]
            columns[f"{name}_runs"] = pa.array(counts, pa.int64())
        return pa.table(columns)

    def plot(
        self,
        x: str,
        y: str,
        by: str | Sequence[str] = (),
        *,
        kind: Literal["line", "box"] = "line",
        log: Literal["", "x", "y", "xy"] = "",
    ) -> Figure:
        """Draw a metric over a varied key, with 95% intervals; a line per value of the keys `by`.

        With `kind="box"` there are box plots of the runs instead; `log` names logarithmic axes.
        Raises ValueError, with suggestions for an unknown name.
        """
        from evenair.campaign.figure import plot

        return plot(self.table, x, y, _names(by), kind=kind, log=log)

    def _repr_html_(self) -> str:
        metrics = [name for name in _SHOWN if any(name in group.metrics for group in self.groups)]
        rows = (
            (
                *(value_text(value) for value in group.values.values()),
                group.runs,
                *(_cell(group, name) for name in metrics),
            )
            for group in self.groups
        )
        heading = f"{self.table.num_rows} runs; means ± 95% confidence intervals"
        names = (metric(name).with_unit for name in metrics)
        return markup.heading(heading) + markup.table((*self.keys, "runs", *names), rows)

    def report(self, path: str | os.PathLike[str]) -> None:
        """Write what was varied, means, figures and scenario as one HTML file. Raises OSError."""
        from evenair.campaign.report import report

        out = Path(path)
        out.write_text(report(self.table, out.with_suffix(".parquet").name), encoding="utf-8")

    def __eq__(self, other: object) -> bool:
        """Return whether the runs are equal: the same keys, values, seeds and metrics.

        How many of them were done now, and how they were made, does not count.
        """
        if not isinstance(other, Campaign):
            return NotImplemented
        return self.keys == other.keys and bool(self.table.equals(other.table))

    def __hash__(self) -> int:
        return hash((self.keys, self.table.num_rows))

    def __repr__(self) -> str:
        keys = " × ".join(self.keys) or "one scenario"
        failed = f", {len(self.failures)} failed" if self.failures else ""
        return f"<Campaign {keys}: {self.table.num_rows} runs{failed}>"


def _names(by: str | Sequence[str]) -> tuple[str, ...]:
    """Return one or several names. Raises ValueError."""
    if isinstance(by, str):
        return (by,)
    if not isinstance(by, Iterable):
        raise ValueError(f"by: got {shown(by)}, expected names of columns")
    return tuple(by)


def _cell(group: Group, name: str) -> str | None:
    """Return a metric as the table on a terminal has it, with the interval."""
    found = group.metrics.get(name)
    if found is None:
        return None
    label = metric(name)
    part = part_of_runs(group.counts[name], group.runs)
    return with_interval(scaled(found, label.scale), label.decimals, part)
