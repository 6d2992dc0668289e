"""Tables with mutated bytes: each is read as it was written, or refused in one line."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest
from evenair.cli.arguments import BadInput
from evenair.cli.tables import read_table
from evenair.files import parquet
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

if TYPE_CHECKING:
    from pathlib import Path

TABLE = pa.table(
    {
        "cell.queue.limit": [10, 20, 20, 40] * 50,
        "queue": ["droptail", "las", "las", None] * 50,
        "jain_index": [0.25, 0.5, 0.75, 1.0] * 50,
    },
    metadata={"evenair": '{"keys": ["cell.queue.limit"], "version": "0.1.0"}'},
)
BYTES = st.binary(min_size=1, max_size=4)


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("table") / "x.parquet"
    parquet.write(TABLE, path)
    return path.read_bytes()


# The file is written anew for each example.
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    changes=st.lists(st.tuples(st.floats(0, 1, exclude_max=True), BYTES), max_size=4),
    cut=st.none() | st.floats(0, 1),
)
def test_a_mutated_table_is_the_same_or_refused_in_a_line(
    changes: list[tuple[float, bytes]], cut: float | None, written: bytes, tmp_path: Path
) -> None:
    mutated = io.BytesIO(written)
    for place, new in changes:
        mutated.seek(int(place * len(written)))
        mutated.write(new)
    damaged = mutated.getvalue()
    if cut is not None:
        damaged = damaged[: int(cut * len(damaged))]
    path = tmp_path / "x.parquet"
    path.write_bytes(damaged)
    try:
        content = read_table(path)
    except BadInput as error:
        line = str(error)
        assert line.startswith(f"{path}: ")
        assert line.isprintable()
        assert damaged != written
    else:
        assert content.table.equals(TABLE, check_metadata=True)
