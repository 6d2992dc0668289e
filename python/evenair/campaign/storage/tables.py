"""The tables of a campaign: one row per run, per flow, or per sample of a series.

Rows are in the order of the grid, seeds innermost, and do not depend on when or where the runs were
done: a file has the same bytes however often the campaign was interrupted.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa

from evenair._core import RESULT_VERSION, __version__
from evenair.campaign.storage.record import METRICS, Record, unpack
from evenair.files import parquet
from evenair.files.atomic import AtomicOutput, naming
from evenair.tables import flat, traces

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from evenair.campaign.grid import Grid
    from evenair.text.axis import Value

CHUNK = 50_000
"""Rows in memory at a time; one row group of the file."""

METADATA = b"evenair"
"""The key of a table's schema metadata: the varied columns, versions, and the scenarios."""

_ARROW = {bool: pa.bool_(), int: pa.int64(), float: pa.float64(), str: pa.string()}


class Row(NamedTuple):
    """A finished run and its place in the grid."""

    values: Mapping[str, Value]
    seed: int
    record: Record

    def metrics(self) -> dict[str, float | int]:
        """Return the run's METRICS."""
        metrics: dict[str, float | int] = json.loads(self.record.metrics)
        return metrics


class Origin(NamedTuple):
    """Where the rows of a table come from."""

    scenarios: str
    """The fingerprint of the points that have rows."""
    command: str | None
    """The command that made the table, without --out; None if it was not made by one."""


class Files(Mapping[str, pa.Table]):
    """Tables that are read from their files on first access, which raises parquet.Damaged."""

    def __init__(self, paths: Mapping[str, Path]) -> None:
        self._paths = paths
        self._read: dict[str, pa.Table] = {}

    def __getitem__(self, name: str) -> pa.Table:
        if name not in self._read:
            self._read[name] = parquet.read(self._paths[name]).table
        return self._read[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._paths)

    def __len__(self) -> int:
        return len(self._paths)


class Table:
    """A table that is made row by row, in memory or in a file."""

    def __init__(
        self,
        grid: Grid,
        origin: Origin,
        columns: Mapping[str, pa.DataType],
        rows: Iterator[dict[str, Any]],
    ) -> None:
        """Take the columns that follow the varied keys and the seed, and all rows."""
        keys = {axis.key: _ARROW[type(axis.values[0])] for axis in grid.axes}
        about = {
            "keys": list(keys),
            "version": __version__,
            "result_version": RESULT_VERSION,
            **origin._asdict(),
            "scenario": grid.document,
        }
        self._schema = pa.schema(
            {**keys, "seed": pa.uint64(), **columns}, metadata={METADATA: json.dumps(about)}
        )
        self._rows = rows

    def read(self) -> pa.Table:
        """Return the table."""
        return pa.Table.from_batches(self._batches(), self._schema)

    def write(self, path: Path) -> None:
        """Write the table as Parquet."""
        with parquet.writer(path, self._schema) as file:
            for batch in self._batches():
                file.write_batch(batch, row_group_size=CHUNK)

    def _batches(self) -> Iterator[pa.RecordBatch]:
        names = self._schema.names
        chunk: list[list[Any]] = [[] for _ in names]
        for row in self._rows:
            for column, name in zip(chunk, names, strict=True):
                column.append(row.get(name))
            if len(chunk[0]) == CHUNK:
                yield self._batch(chunk)
                chunk = [[] for _ in names]
        if chunk[0]:
            yield self._batch(chunk)

    def _batch(self, chunk: list[list[Any]]) -> pa.RecordBatch:
        arrays = [
            pa.array(column, field.type) for column, field in zip(chunk, self._schema, strict=True)
        ]
        return pa.RecordBatch.from_arrays(arrays, schema=self._schema)


def runs(grid: Grid, origin: Origin, rows: Iterable[Row]) -> Table:
    """One row per run, with its METRICS."""
    columns = {name: _ARROW[kind] for name, kind in METRICS.items()}
    return Table(
        grid,
        origin,
        columns,
        ({**row.values, "seed": row.seed, **row.metrics()} for row in rows),
    )


def flows(grid: Grid, origin: Origin, rows: Callable[[], Iterable[Row]]) -> Table:
    """One row per flow of a run, as in the result document. `rows` is iterated twice."""
    kinds: dict[str, set[type]] = {}
    for row in rows():
        for flow in unpack(row.record.flows):
            for name, value in flat(flow).items():
                kinds.setdefault(name, set()).add(type(value))
    columns = {name: _arrow(found) for name, found in kinds.items()}
    return Table(
        grid,
        origin,
        columns,
        (
            {**row.values, "seed": row.seed, **flat(flow)}
            for row in rows()
            for flow in unpack(row.record.flows)
        ),
    )


def series(grid: Grid, origin: Origin, rows: Iterable[Row]) -> Table:
    """One row per sample: `time_s`, the flow's id or null, the quantity and its value."""
    columns = {
        "time_s": pa.float64(),
        "flow": pa.string(),
        "quantity": pa.string(),
        "value": pa.float64(),
    }
    return Table(
        grid,
        origin,
        columns,
        (
            {**row.values, "seed": row.seed, **sample}
            for row in rows
            if row.record.series is not None
            for sample in _samples(traces(unpack(row.record.series)))
        ),
    )


def write(tables: Mapping[Path, Table]) -> None:
    """Write tables as files, all of them or none. The first is moved last. Raises OSError."""
    with AtomicOutput() as output:
        staged = {path: output.stage(path) for path in tables}
        for path, table in tables.items():
            with naming(staged[path]):
                table.write(staged[path])
        output.commit()


def _arrow(found: set[type]) -> pa.DataType:
    known = found - {type(None)}
    if len(known) == 1:
        return _ARROW.get(known.pop(), pa.string())
    return pa.float64() if known <= {int, float} else pa.string()


def _samples(document: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    times = document["time_s"]
    for flow, quantity, values in _quantities(document, None, ""):
        for time, value in zip(times, values, strict=True):
            yield {"time_s": time, "flow": flow, "quantity": quantity, "value": value}


def _quantities(
    document: Mapping[str, Any], flow: str | None, prefix: str
) -> Iterator[tuple[str | None, str, list[float | None]]]:
    for name, content in document.items():
        if name == "flows" and flow is None and not prefix:
            for flow_id, columns in content.items():
                yield from _quantities(columns, flow_id, "")
        elif isinstance(content, dict):
            yield from _quantities(content, flow, f"{prefix}{name}.")
        elif name != "time_s" or prefix:
            yield flow, prefix + name, content
