"""The store of a campaign's finished runs: damage, locks and other versions."""

from __future__ import annotations

import json
import random
import resource
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from typing import TYPE_CHECKING

import evenair as ea
import pytest
from evenair.campaign.errors import CampaignError
from evenair.campaign.storage.record import Record
from evenair.campaign.storage.store import Store
from test_campaign import SHORT, new_runs

if TYPE_CHECKING:
    from pathlib import Path

    from evenair.campaign.result import Campaign
    from evenair_command import Evenair


def test_two_processes_do_not_share_a_store(evenair: Evenair, tmp_path: Path) -> None:
    command = (*SHORT, "--vary", "cell.queue.limit=10", "--runs", "1", "--out", "x.parquet")
    with Store(tmp_path / "x.parquet.runs"):
        done = evenair(*command)
        assert done.returncode == 2
        assert done.stderr.count("\n") == 1
        assert "x.parquet.runs: another process" in done.stderr
    assert new_runs(evenair, *command) == 1


@pytest.mark.parametrize("damage", ["text", "cut", "foreign"])
def test_a_store_that_cannot_be_read_is_reported_in_one_line(
    evenair: Evenair, tmp_path: Path, damage: str
) -> None:
    command = (*SHORT, "--vary", "cell.queue.limit=10", "--runs", "40", "--out", "x.parquet")
    path = tmp_path / "x.parquet.runs"
    if damage == "text":
        path.write_text("these are not the runs that you are looking for\n" * 100)
    elif damage == "foreign":
        with sqlite3.connect(path) as db:
            db.execute("CREATE TABLE runs (other)")
        db.close()
    else:
        assert new_runs(evenair, *command) == 40
        path.write_bytes(path.read_bytes()[:20_000])
    done = evenair(*command)
    assert done.returncode == 2
    assert done.stderr.startswith("evenair: x.parquet.runs: damaged")
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""


@pytest.mark.parametrize("place", ["folder", "read-only", "under a file"])
def test_a_store_that_cannot_be_written_names_the_file_and_the_reason(
    evenair: Evenair, tmp_path: Path, place: str
) -> None:
    """In one line: SQLite says only that it is unable to open the database file."""
    (tmp_path / "x.parquet.runs").mkdir()
    (tmp_path / "file").touch()
    out, names = {
        "folder": ("x.parquet", ["x.parquet.runs: cannot be written: Is a directory"]),
        # Root may write there, but nobody makes files in /proc.
        "read-only": ("/proc/x.parquet", ["/proc/x.parquet.runs: cannot be written", " in /proc:"]),
        "under a file": (
            "file/x.parquet",
            ["file/x.parquet: cannot be written", "file: is a file"],
        ),
    }[place]
    done = evenair(*SHORT, "--vary", "cell.queue.limit=10", "--runs", "1", "--out", out)
    assert done.returncode == 2
    assert done.stderr.startswith("evenair: --out: ")
    assert done.stderr.count("\n") == 1
    assert all(name in done.stderr for name in names)


FIVE_RUNS = (*SHORT, "--vary", "cell.queue.limit=10", "--runs", "5", "--flows")
FIVE_RUNS = (*FIVE_RUNS, "--out", "x.parquet")


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of a campaign of FIVE_RUNS that has ended."""
    folder = tmp_path_factory.mktemp("finished")
    command = [sys.executable, "-m", "evenair", *FIVE_RUNS, "--quiet"]
    subprocess.run(command, cwd=folder, check=True)
    return folder


@pytest.mark.parametrize(
    "statement",
    [
        """UPDATE runs SET metrics = replace(metrics, '0', '1') WHERE rowid = 3""",
        "UPDATE runs SET metrics = CAST(x'ff' AS TEXT) WHERE rowid = 3",
        "UPDATE runs SET flows = (SELECT flows FROM runs WHERE rowid = 4) WHERE rowid = 3",
        "UPDATE runs SET series = x'' WHERE rowid = 3",
        "UPDATE runs SET engine = '0.0.1/0' WHERE rowid = 3",
        "UPDATE runs SET id = randomblob(32) WHERE rowid = 3",
        "UPDATE runs SET checksum = 7 WHERE rowid = 3",
    ],
)
def test_a_damaged_run_is_done_again(
    evenair_here: Evenair, finished: Path, tmp_path: Path, statement: str
) -> None:
    shutil.copytree(finished, tmp_path, dirs_exist_ok=True)
    before = [path.read_bytes() for path in sorted(tmp_path.glob("*.parquet"))]
    with closing(sqlite3.connect(tmp_path / "x.parquet.runs")) as db, db:
        assert db.execute(statement).rowcount == 1
    done = evenair_here(*FIVE_RUNS, "--json")
    assert (done.returncode, json.loads(done.stdout)["new_runs"]) == (0, 1)
    assert done.stderr == (
        "evenair: x.parquet.runs: damaged; the 4 stored runs that are intact are used,"
        " the others are done again\n"
    )
    assert [path.read_bytes() for path in sorted(tmp_path.glob("*.parquet"))] == before
    assert new_runs(evenair_here, *FIVE_RUNS) == 0


@pytest.mark.parametrize("page", ["leaf", "root", "index"])
def test_a_damaged_page_costs_at_most_its_runs(tmp_path: Path, page: str) -> None:
    path = tmp_path / "x.runs"
    records = {
        bytes([k] * 32): Record(f'{{"timeouts":{k}}}', bytes([k]) * 1000, None) for k in range(200)
    }
    with Store(path) as store:
        store.add(records.items())
    with closing(sqlite3.connect(path)) as db:
        roots = dict(db.execute("SELECT type, rootpage FROM sqlite_schema"))
        (size,) = db.execute("PRAGMA page_size").fetchone()
    data = bytearray(path.read_bytes())
    # File format, section 1.6: page types 13 and 5 are a table's leaf and interior pages.
    leaves = [k for k in range(1, len(data) // size) if data[k * size] == 13]
    pages = {"leaf": leaves[20], "root": roots["table"] - 1, "index": roots["index"] - 1}
    data[pages[page] * size] ^= 1
    path.write_bytes(data)
    with Store(path) as store:
        assert store.damaged is not None
        kept = store.ids()
        assert len(kept) >= {"leaf": 195, "root": 0, "index": 200}[page]
        for run in kept:
            assert store.get(run, flows=True) == records[run]
        store.add(records.items())
    with Store(path) as store:
        assert store.damaged is None
        assert store.ids() == records.keys()


@pytest.mark.long
def test_a_flipped_bit_changes_no_table(tmp_path: Path) -> None:
    """Any bit of the store: the same table and nothing lost, or one line."""
    scenario = ea.load("gong2006").with_(duration=1)

    def campaign() -> Campaign:
        return ea.sweep(scenario, {}, runs=8, out=tmp_path / "x.parquet", flows=True, jobs=1)

    whole = campaign()
    table, flows = whole.table, whole.flows
    path = tmp_path / "x.parquet.runs"
    good = path.read_bytes()
    draw = random.Random(12)
    damaged = 0
    refused: list[str] = []
    for _ in range(40):
        bit = draw.randrange(8 * len(good))
        data = bytearray(good)
        data[bit // 8] ^= 1 << bit % 8
        path.write_bytes(data)
        try:
            again = campaign()
        except CampaignError as error:
            refused.append(str(error))
            continue
        assert (again.table, again.flows) == (table, flows)
        assert again.new_runs == 0 or again.damaged
        damaged += again.damaged is not None
        assert (campaign().new_runs, campaign().damaged) == (0, None)
    assert damaged > 10
    assert all("x.parquet.runs: damaged" in line and "\n" not in line for line in refused)


def test_runs_of_another_version_are_not_mixed_in(
    evenair: Evenair, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = (*SHORT, "--vary", "cell.queue.limit=10,20", "--runs", "2", "--out", "x.parquet")
    assert new_runs(evenair, *command) == 4
    before = (tmp_path / "x.parquet").read_bytes()
    (tmp_path / "x.parquet.runs").unlink()
    monkeypatch.setattr("evenair.campaign.storage.store.ENGINE", "0.0.1/0")
    with Store(tmp_path / "x.parquet.runs") as store:
        store.add((bytes([k] * 32), Record('{"jain_index": 2}', b"", None)) for k in range(4))
    monkeypatch.undo()
    done = evenair(*command, "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout)["new_runs"] == 4
    assert "4 runs of other versions" in done.stderr
    assert (tmp_path / "x.parquet").read_bytes() == before


def test_a_full_disk_is_no_bad_input(tmp_path: Path) -> None:
    def limit_files() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))

    command = [sys.executable, "-m", "evenair", *SHORT, "--vary", "cell.queue.limit=10"]
    done = subprocess.run(
        [*command, "--runs", "100", "--out", "x.parquet"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        preexec_fn=limit_files,
    )
    assert done.returncode == 1
    assert done.stderr.startswith("evenair: x.parquet.runs: ")
    assert done.stderr.count("\n") == 1
