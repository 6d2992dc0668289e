"""Arrow tables of result documents. The functions import pyarrow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import pandas as pd
    import pyarrow as pa

PERCENTILES = ("mean", "p5", "p25", "p50", "p75", "p95", "p99", "max")
"""The members of a distribution of delays in a result document."""

_DELAYS = (
    "rtt_s",
    "one_way_delay_s",
    "frame_delay_s",
    "delay_s",
    "queue_delay_s",
    "grant_delay_s",
    "page_load_s",
    "completion_s",
)

_NO_TIMES = ("n", "slowdown")
"""The members of a distribution that are no times."""


def flat(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return a record whose nested members are members of their own.

    `rtt_s.p95` becomes `rtt_p95_s`, `limited_by.cwnd` becomes `limited_by_cwnd`. Lists within
    members are left out.
    """
    members: dict[str, Any] = {}
    for name, value in record.items():
        content = dict.fromkeys(PERCENTILES) if value is None and name in _DELAYS else value
        if isinstance(content, dict):
            stem, unit = (name[:-2], "_s") if name.endswith("_s") else (name, "")
            members.update(
                {
                    f"{stem}_{key}{'' if key in _NO_TIMES else unit}": item
                    for key, item in content.items()
                    if not isinstance(item, list)
                }
            )
        else:
            members[name] = content
    return members


def rows(records: Sequence[Mapping[str, Any]]) -> pa.Table:
    """Make a table with one row per record, flat; null where a record has no such member."""
    import pyarrow as pa

    records = [flat(record) for record in records]
    names = list(dict.fromkeys(name for record in records for name in record))
    return pa.table({name: [record.get(name) for record in records] for name in names})


def curves(records: Sequence[Mapping[str, Any]]) -> pa.Table:
    """Make a table with one row per point of the cumulative distributions of a result document."""
    import pyarrow as pa

    points = [
        (curve["quantity"], curve.get("flow"), bound, count, count / curve["count"][-1])
        for curve in records
        for bound, count in zip(curve["le_s"], curve["count"], strict=True)
    ]
    names = ("quantity", "flow", "le_s", "count", "share")
    kinds = (pa.string(), pa.string(), pa.float64(), pa.int64(), pa.float64())
    values = [list(column) for column in zip(*points, strict=True)] or [[]] * len(names)
    return pa.table(
        {name: pa.array(v, kind) for name, kind, v in zip(names, kinds, values, strict=True)}
    )


def traces(series: Mapping[str, Any]) -> dict[str, Any]:
    """Return the series of a result document by column, those of a controller as well.

    The rounds of a limiter have times of their own and are left out.
    """
    named = dict(series)
    named.pop("limiter", None)
    if records := named.pop("controller", None):
        named["controller"] = _transposed(records)
        del named["controller"]["t_s"]
    return named


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


def data_frame(table: pa.Table) -> pd.DataFrame:
    """Return a table as a pandas data frame. Raises ImportError if pandas is not installed."""
    try:
        import pandas  # noqa: F401 - pyarrow imports it
    except ImportError:
        raise ImportError(
            "to_pandas: pandas is not installed; pip install 'evenair[pandas]'", name="pandas"
        ) from None
    return table.to_pandas()


def _transposed(records: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Make one record of lists from records with the same members."""
    return {
        name: _transposed(values) if isinstance(values[0], dict) else values
        for name, values in ((name, [record[name] for record in records]) for name in records[0])
    }


def _flatten(document: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, list[Any]]]:
    for key, content in document.items():
        if isinstance(content, dict):
            yield from _flatten(content, f"{prefix}{key}.")
        else:
            yield prefix + key, content
