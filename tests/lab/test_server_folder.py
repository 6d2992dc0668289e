"""The temporary folder of a lab that was killed is removed by the next one, and nothing else is."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from evenair.lab.folder import Folder, remove_abandoned
from lab_server import LabServer, wait_until

pytest.importorskip("fcntl")

SCENARIO = """\
duration = "2 s"
[cell]
queue = { kind = "droptail", limit = 50 }
[[station]]
count = 2
flows = [{ direction = "up" }]
"""
HOLD = "from evenair.lab.folder import Folder; print(Folder().path, flush=True); input()"


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of temporary files, of this process and of its children."""
    folder = tmp_path / "tmp"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr(tempfile, "tempdir", None)
    return folder


def lab_process(temporary: Path) -> tuple[subprocess.Popen[str], Path]:
    """A process that has a folder until it ends, and the folder."""
    command = [sys.executable, "-c", HOLD]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
    )
    assert process.stdout is not None
    path = Path(process.stdout.readline().strip())
    assert path.parent == temporary
    return process, path


def kill(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.communicate()


def files(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))


@pytest.mark.real_time("a server that is killed")
def test_the_next_lab_removes_what_a_killed_one_has_left(tmp_path: Path) -> None:
    killed = LabServer(tmp_path)
    killed.post("/api/campaigns", {"toml": SCENARIO, "vary": ["cell.queue.limit=10,20"], "runs": 2})
    with_stream = killed.lines("/api/campaigns/1")
    with_stream.until("done")
    with_stream.close()
    killed.stop(signal.SIGKILL)
    [left] = tmp_path.glob("evenair-lab-*")
    assert (left / "sweep-1.parquet").exists()
    following = LabServer(tmp_path)
    try:
        wait_until(lambda: not left.exists())
    finally:
        following.stop()
    assert list(tmp_path.glob("evenair-lab-*")) == []


def test_the_folder_of_a_lab_that_runs_is_left(temporary: Path) -> None:
    process, path = lab_process(temporary)
    (path / "sweep-1.parquet").touch()
    own = Folder()
    remove_abandoned()
    assert files(path) == [".evenair-lab", "sweep-1.parquet"]
    assert own.path.exists()
    kill(process)
    remove_abandoned()
    assert not path.exists()
    assert own.path.exists()
    own.close()
    assert files(temporary) == []


def test_folders_and_links_below_are_removed_and_not_followed(
    temporary: Path, tmp_path: Path
) -> None:
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "thesis").touch()
    process, path = lab_process(temporary)
    (path / ".evenair-x").mkdir()
    (path / ".evenair-x" / "sweep-1.parquet").touch()
    (path / ".evenair-x" / "link").symlink_to(precious)
    (path / "link").symlink_to(precious)
    (path / "file").symlink_to(precious / "thesis")
    kill(process)
    remove_abandoned()
    assert files(temporary) == []
    assert files(precious) == ["thesis"]


def test_what_only_looks_like_a_folder_of_a_lab_is_left(temporary: Path, tmp_path: Path) -> None:
    # A link to a folder that would be removed.
    process, path = lab_process(temporary)
    kill(process)
    elsewhere = path.rename(tmp_path / path.name)
    (temporary / "evenair-lab-link").symlink_to(elsewhere)
    (temporary / "evenair-lab-file").touch()
    # A folder of the user's own.
    (temporary / "evenair-lab-notes").mkdir(mode=0o700)
    (temporary / "evenair-lab-notes" / "thesis").touch()
    # One to which others can write.
    process, shared = lab_process(temporary)
    kill(process)
    shared.chmod(0o770)
    before = files(temporary)
    remove_abandoned()
    assert files(temporary) == before
    assert files(elsewhere) == [".evenair-lab"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a folder of another user")
def test_the_folder_of_another_user_is_left(temporary: Path) -> None:
    process, path = lab_process(temporary)
    kill(process)
    os.chown(path, 12345, 12345)
    remove_abandoned()
    assert files(path) == [".evenair-lab"]
    os.chown(path, os.geteuid(), os.getegid())
    remove_abandoned()
    assert not path.exists()
