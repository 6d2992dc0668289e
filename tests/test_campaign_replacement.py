"""A sweep does not replace a table with runs that it does not include."""

from __future__ import annotations

from typing import TYPE_CHECKING

import evenair as ea
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from evenair.campaign.errors import CampaignError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from evenair_command import Evenair

GRID = {"cell.queue.kind": ["droptail", "las"], "cell.queue.limit": [10, 20]}
BASE = ea.load("gong2006").with_(duration=1)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """A table of four points with two runs each."""
    path = tmp_path / "x.parquet"
    assert ea.sweep(BASE, GRID, 2, out=path).new_runs == 8
    return path


@pytest.mark.parametrize(
    ("scenario", "grid", "runs", "seed", "reason"),
    [
        (BASE.with_(duration=2), GRID, 2, 1, "has runs of another scenario"),
        (BASE, {**GRID, "cell.queue.limit": [10]}, 2, 1, "the run .*limit=20 seed=1 would be lost"),
        (BASE, {**GRID, "duration": [1, 2]}, 2, 1, "another grid: varied cell.queue.kind, cell"),
        (BASE, {"duration": [1]}, 2, 1, "another grid"),
        (BASE, GRID, 1, 1, "seed=2 would be lost"),
        (BASE, GRID, 2, 2, "seed=1 would be lost"),
    ],
)
def test_other_runs_are_not_replaced(
    table: Path,
    scenario: ea.Scenario,
    grid: Mapping[str, list[object]],
    runs: int,
    seed: int,
    reason: str,
) -> None:
    before = table.read_bytes()
    with pytest.raises(CampaignError, match=rf"^out: .*x\.parquet: .*{reason}.*--force"):
        ea.sweep(scenario, grid, runs, seed=seed, out=table)
    assert table.read_bytes() == before
    campaign = ea.sweep(scenario, grid, runs, seed=seed, out=table, force=True)
    assert pq.read_table(table).equals(campaign.table)
    assert table.read_bytes() != before


def test_the_same_and_more_runs_replace_a_table(table: Path) -> None:
    before = pq.read_table(table)
    assert ea.sweep(BASE.with_(name="other"), GRID, 2, out=table).new_runs == 0
    assert pq.read_table(table) == before
    more = {"cell.queue.kind": ["las", "spm-af", "droptail"], "cell.queue.limit": [20, 15, 10]}
    assert ea.sweep(BASE, more, 3, out=table).new_runs == 3 * 9 - 8
    assert pq.read_metadata(table).num_rows == 27


def test_a_file_of_something_else_is_not_replaced(tmp_path: Path) -> None:
    text, other = tmp_path / "text.parquet", tmp_path / "other.parquet"
    text.write_text("mine")
    pq.write_table(pa.table({"seed": [1]}), other)
    for path in (text, other):
        before = path.read_bytes()
        with pytest.raises(CampaignError, match="is not a table of a campaign"):
            ea.sweep(BASE, GRID, 1, out=path)
        assert path.read_bytes() == before


def test_tables_of_flows_are_not_replaced(evenair_here: Evenair, tmp_path: Path) -> None:
    sweep = ("sweep", "gong2006", "--vary", "cell.queue.limit=10", "--flows", "--quiet")
    short = (*sweep, "--out", "x.parquet", "--set", "duration=1")
    assert evenair_here(*short, "--runs", "2").returncode == 0
    (tmp_path / "x.parquet").unlink()
    done = evenair_here(*short, "--runs", "1")
    assert done.returncode == 2
    assert done.stderr.startswith("evenair: --out: x-flows.parquet: has another grid: the run ")
    assert done.stderr.count("\n") == 1
    assert [path.name for path in tmp_path.glob("*.parquet")] == ["x-flows.parquet"]
    assert evenair_here(*short, "--runs", "1", "--force").returncode == 0
    assert pq.read_metadata(tmp_path / "x-flows.parquet").num_rows == 10
