"""A stored table that is damaged is told in one line, and no value of it is used."""

from __future__ import annotations

import ast
import random
from typing import TYPE_CHECKING

import evenair as ea
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from evenair.campaign.errors import CampaignError
from evenair.cli import main
from evenair.cli.arguments import BadInput
from evenair.cli.tables import read_table
from evenair.files import parquet
from evenair_command import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

GRID = {"cell.queue.kind": ["droptail", "las"], "cell.queue.limit": [10, 20]}
BASE = ea.load("gong2006").with_(duration=1)
FLIPS = 1000


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A campaign's table."""
    path = tmp_path_factory.mktemp("stored") / "x.parquet"
    ea.sweep(BASE, GRID, 2, out=path)
    return path


def flipped(content: bytes, bit: int) -> bytes:
    changed = bytearray(content)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


def positions(content: bytes) -> Iterator[int]:
    """Bits all over a file, and all bits of its last 32 bytes: with the footer's length."""
    draw = random.Random(1)
    yield from (draw.randrange(8 * len(content)) for _ in range(FLIPS))
    yield from range(8 * len(content) - 256, 8 * len(content))


def refusal(path: Path) -> str:
    """What a command says of a table that it does not read."""
    with pytest.raises(BadInput) as caught:
        read_table(path)
    text = str(caught.value)
    assert text.startswith(f"{path}: ")
    assert "\n" not in text
    return text


def test_a_changed_bit_is_noticed_wherever_it_is(stored: Path, tmp_path: Path) -> None:
    content, path = stored.read_bytes(), tmp_path / "t.parquet"
    for bit in positions(content):
        path.write_bytes(flipped(content, bit))
        refusal(path)
    path.write_bytes(content)
    assert read_table(path).table.equals(pq.read_table(stored), check_metadata=True)


def test_each_bit_of_the_seal_counts(stored: Path, tmp_path: Path) -> None:
    content, path = stored.read_bytes(), tmp_path / "t.parquet"
    start = content.index(b"evenair-sha256-1")
    for bit in range(8 * start, 8 * (start + 48)):
        path.write_bytes(flipped(content, bit))
        assert "is damaged" in refusal(path)


def test_each_page_has_a_checksum(stored: Path) -> None:
    """For other programs, which know nothing of the seal."""
    content = stored.read_bytes()
    group = pq.read_metadata(stored).row_group(0)
    for index in range(group.num_columns):
        column = group.column(index)
        start = column.dictionary_page_offset or column.data_page_offset
        changed = flipped(content, 8 * (start + column.total_compressed_size - 1))
        with pytest.raises(OSError, match="CRC"):
            pq.read_table(
                pa.BufferReader(changed),
                columns=[column.path_in_schema],
                page_checksum_verification=True,
            )


def test_a_file_that_was_cut_off_is_refused(stored: Path, tmp_path: Path) -> None:
    content, path = stored.read_bytes(), tmp_path / "t.parquet"
    draw = random.Random(3)
    for size in {0, 1, 8, 12, len(content) - 1, *(draw.randrange(len(content)) for _ in range(50))}:
        path.write_bytes(content[:size])
        refusal(path)
    path.write_bytes(content + b"\0")
    refusal(path)
    path.write_bytes(content + content[-8:])
    refusal(path)


def test_pages_in_other_places_are_refused(stored: Path, tmp_path: Path) -> None:
    """Two columns of one type and size, each with valid checksums of its pages."""
    content, path = stored.read_bytes(), tmp_path / "t.parquet"
    group = pq.read_metadata(stored).row_group(0)
    places: dict[tuple[str, int], list[int]] = {}
    for index in range(group.num_columns):
        column = group.column(index)
        start = column.dictionary_page_offset or column.data_page_offset
        places.setdefault((column.physical_type, column.total_compressed_size), []).append(start)
    (_, size), (first, second, *_) = next(each for each in places.items() if len(each[1]) > 1)
    changed = bytearray(content)
    changed[first : first + size] = content[second : second + size]
    changed[second : second + size] = content[first : first + size]
    assert pq.read_table(pa.BufferReader(changed), page_checksum_verification=True).num_rows == 8
    path.write_bytes(changed)
    assert "is damaged" in refusal(path)


@pytest.mark.parametrize(
    "command",
    [("report",), ("plot", "--x=cell.queue.limit", "--y=jain_index", "--by=cell.queue.kind")],
    ids=["report", "plot"],
)
def test_commands_make_nothing_of_a_damaged_table(
    command: tuple[str, ...], stored: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    content, path = stored.read_bytes(), tmp_path / "t.parquet"
    draw = random.Random(4)
    for _ in range(40):
        path.write_bytes(flipped(content, draw.randrange(8 * len(content))))
        assert main([command[0], str(path), *command[1:]]) == 2
        captured = capfd.readouterr()
        assert captured.out == ""
        assert captured.err.startswith(f"evenair: {path}: ")
        assert captured.err.count("\n") == 1
        assert list(tmp_path.iterdir()) == [path]


def test_a_sweep_does_not_take_over_a_damaged_table(stored: Path, tmp_path: Path) -> None:
    content, path = stored.read_bytes(), tmp_path / "x.parquet"
    draw = random.Random(5)
    for _ in range(20):
        damaged = flipped(content, draw.randrange(8 * len(content)))
        path.write_bytes(damaged)
        with pytest.raises(CampaignError, match=r"^out: .*x\.parquet: is .*--force"):
            ea.sweep(BASE, GRID, 2, out=path)
        assert path.read_bytes() == damaged
    ea.sweep(BASE, GRID, 2, out=path, force=True)
    assert path.read_bytes() == content


def test_a_campaign_does_not_have_a_table_that_was_damaged_meanwhile(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    campaign = ea.sweep(BASE, GRID, 1, out=path, flows=True)
    flows = tmp_path / "x-flows.parquet"
    flows.write_bytes(flipped(flows.read_bytes(), 8 * 500))
    assert campaign.table.num_rows == 4
    with pytest.raises(ValueError, match=r"x-flows\.parquet: is damaged"):
        _ = campaign.flows


def test_the_tables_of_a_run_are_sealed(tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert main(["run", "gong2006", "--set", "duration=1", "--out", str(out), "--quiet"]) == 0
    files = sorted(out.glob("*.parquet"))
    assert len(files) >= 4
    for path in files:
        assert parquet.read(path).is_sealed
        path.write_bytes(flipped(path.read_bytes(), 4 * path.stat().st_size))
        with pytest.raises(parquet.Damaged):
            parquet.read(path)


def test_a_table_without_a_checksum_is_read_and_that_is_said(
    stored: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """As evenair wrote them before, or as a user has changed one in pyarrow."""
    table, path = pq.read_table(stored), tmp_path / "t.parquet"
    for option in ({}, {"write_page_index": True}, {"compression": "none"}):
        pq.write_table(table.slice(2), path, **option)
        content = read_table(path)
        assert not content.is_sealed
        assert content.table.equals(table.slice(2), check_metadata=True)
    for command in (["report"], ["plot", "--y=jain_index", "--by=cell.queue.kind"]):
        assert main([command[0], str(path), *command[1:]]) == 0
        said = capfd.readouterr().err
        assert said.startswith(f"evenair: {path}: has no checksum")
        assert said.count("\n") == 1
    # An error is one line nevertheless.
    assert main(["plot", str(path), "--y=jane_index"]) == 2
    assert capfd.readouterr().err.count("\n") == 1
    # Neither is it lost, nor does it keep a sweep from making it again.
    pq.write_table(table, path)
    ea.sweep(BASE, GRID, 2, out=path)
    assert path.read_bytes() == stored.read_bytes()


def test_other_programs_read_the_table(stored: Path) -> None:
    duckdb, pandas = pytest.importorskip("duckdb"), pytest.importorskip("pandas")
    polars = pytest.importorskip("polars")
    rows = parquet.read(stored).table.to_pylist()
    assert pq.read_table(stored).to_pylist() == rows
    assert pandas.read_parquet(stored)["jain_index"].tolist() == [r["jain_index"] for r in rows]
    assert polars.read_parquet(stored).to_dicts() == rows
    assert polars.scan_parquet(stored).collect().to_dicts() == rows
    assert duckdb.sql(f"select * from '{stored}'").to_arrow_table().to_pylist() == rows


def imports(node: ast.AST) -> Iterator[str]:
    """The modules that are imported, those for types alone left out."""
    if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
        return
    if isinstance(node, ast.Import | ast.ImportFrom):
        module = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
        yield from (module + alias.name for alias in node.names)
    for child in ast.iter_child_nodes(node):
        yield from imports(child)


def test_one_module_reads_and_writes_parquet() -> None:
    """The one that verifies."""
    package = ROOT / "python" / "evenair"
    users = {
        path.relative_to(package).as_posix()
        for path in package.rglob("*.py")
        for name in imports(ast.parse(path.read_text()))
        if name.startswith(("pyarrow.parquet", "pyarrow.dataset"))
    }
    assert users == {"files/parquet.py"}
