"""The table of a campaign as a data set of xarray, which need not be installed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evenair.text.labels import metric

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa
    import xarray as xr

_UNITS = {"_bps": "bit/s", "_s": "s"}
"""The units of the table's columns, by the ending of their names."""


def dataset(table: pa.Table, dimensions: Sequence[str]) -> xr.Dataset:
    """Return the columns that have values over some others, which together identify a row.

    Where there is no row, and where it has no value, is NaN. Raises ImportError if xarray is not
    installed.
    """
    try:
        import xarray as xr
    except ImportError:
        raise ImportError(
            "to_xarray: xarray is not installed; pip install 'evenair[xarray]'", name="xarray"
        ) from None
    import numpy as np

    columns = [table[name].to_pylist() for name in dimensions]
    coordinates = {
        name: list(dict.fromkeys(column)) for name, column in zip(dimensions, columns, strict=True)
    }
    places = [{value: k for k, value in enumerate(each)} for each in coordinates.values()]
    index = tuple(
        np.array([place[value] for value in column], dtype=int)
        for place, column in zip(places, columns, strict=True)
    )
    shape = tuple(map(len, coordinates.values()))
    variables = {}
    for name in table.column_names:
        if name in dimensions or table[name].null_count == table.num_rows:
            continue
        values = np.full(shape, np.nan)
        values[index] = table[name].to_numpy()
        units = next((unit for ending, unit in _UNITS.items() if name.endswith(ending)), None)
        about = {"long_name": metric(name).text} | ({"units": units} if units else {})
        variables[name] = (tuple(dimensions), values, about)
    return xr.Dataset(variables, coordinates)
