"""Arrow tables of result documents. The functions import pyarrow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    import pyarrow as pa


def rows(records: Sequence[Mapping[str, Any]]) -> pa.Table:
    """Make a table with one row per record; a column is null where a record has no such key."""
    import pyarrow as pa

    names = list(dict.fromkeys(name for record in records for name in record))
    return pa.table({name: [record.get(name) for record in records] for name in names})


def columns(document: Mapping[str, Any]) -> pa.Table:
    """Make a table from lists of equal length; the names of nested ones are joined by dots."""
    import pyarrow as pa

    return pa.table(dict(_flatten(document, "")))


def stack(parts: Sequence[tuple[int, pa.Table]]) -> pa.Table:
    """Concatenate the tables of several runs, with the seed as the first column."""
    import pyarrow as pa

    seeded = [
        table.add_column(0, "seed", pa.array([seed] * table.num_rows, pa.uint64()))
        for seed, table in parts
    ]
    return pa.concat_tables(seeded, promote_options="permissive")


def write_parquet(table: pa.Table, path: Path) -> None:
    """Write a table as a Parquet file."""
    import pyarrow.parquet as pq

    pq.write_table(table, path, compression="zstd")


def _flatten(document: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, list[Any]]]:
    for key, content in document.items():
        if isinstance(content, dict):
            yield from _flatten(content, f"{prefix}{key}.")
        else:
            yield prefix + key, content
