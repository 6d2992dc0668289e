"""Tables of campaigns that commands read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evenair.cli.arguments import BadInput

if TYPE_CHECKING:
    from pathlib import Path

    import pyarrow as pa


def read_table(path: Path) -> pa.Table:
    """Read a Parquet file. Raises BadInput."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    if path.is_dir():
        raise BadInput(f"{path}: is a directory, expected a file")
    try:
        return pq.read_table(path)
    except FileNotFoundError:
        raise BadInput(f"{path}: no such file") from None
    except (OSError, pa.ArrowException) as error:
        cause = " ".join(str(error).split())[:200]
        raise BadInput(f"{path}: cannot be read as Parquet: {cause}") from None
