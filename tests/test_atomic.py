"""Output is written in full or not at all."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import evenair as ea
import pytest
from evenair.files.atomic import AtomicOutput, sibling

if TYPE_CHECKING:
    from collections.abc import Callable


def test_a_new_folder_appears_when_all_is_done(tmp_path: Path) -> None:
    out = tmp_path / "deep" / "out"
    with AtomicOutput() as output:
        (output.stage_folder(out) / "a").write_text("1")
        assert not out.exists()
        output.commit()
    assert [path.name for path in out.iterdir()] == ["a"]
    assert [path.name for path in out.parent.iterdir()] == ["out"]
    assert [path.name for path in tmp_path.iterdir()] == ["deep"]


def test_an_old_folder_keeps_its_other_files(tmp_path: Path) -> None:
    out = tmp_path / "out"
    (out / "data").mkdir(parents=True)
    (out / "mine").write_text("mine")
    (out / "a").write_text("old")
    with AtomicOutput() as output:
        folder = output.stage_folder(out)
        (folder / "data").mkdir()
        (folder / "data" / "b").write_text("2")
        (folder / "a").write_text("new")
        output.commit()
    assert (out / "mine").read_text() == "mine"
    assert (out / "a").read_text() == "new"
    assert (out / "data" / "b").read_text() == "2"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
@pytest.mark.parametrize("stage", [AtomicOutput.stage, AtomicOutput.stage_folder])
def test_nothing_is_left_of_an_interrupted_run(
    tmp_path: Path, error: type[BaseException], stage: Callable[[AtomicOutput, Path], Path]
) -> None:
    def interrupted() -> None:
        with AtomicOutput() as output:
            path = stage(output, tmp_path / "deep" / "out")
            (path / "a" if path.is_dir() else path).write_text("1")
            raise error

    with pytest.raises(error):
        interrupted()
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_left_if_the_removal_is_interrupted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    removals = []
    remove = shutil.rmtree

    def interrupted_once(folder: Path, *, ignore_errors: bool) -> None:
        removals.append(folder)
        if len(removals) == 1:
            raise KeyboardInterrupt
        remove(folder, ignore_errors=ignore_errors)

    def write() -> None:
        with AtomicOutput() as output:
            output.stage(tmp_path / "out").write_text("1")
            output.commit()

    monkeypatch.setattr(shutil, "rmtree", interrupted_once)
    with pytest.raises(KeyboardInterrupt):
        write()
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_file_in_the_way(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("x")
    for target in (tmp_path / "out", tmp_path / "out" / "deeper"):
        with pytest.raises(NotADirectoryError), AtomicOutput() as output:
            output.stage_folder(target)
    assert (tmp_path / "out").read_text() == "x"


def test_a_folder_in_the_way(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError), AtomicOutput() as output:
        output.stage(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    for name, target in (("x.txt", "real/file"), ("loop", "loop"), ("dir", "real")):
        (tmp_path / name).symlink_to(target)
    for _ in range(2):  # the file is new, then replaced
        with AtomicOutput() as output:
            path = output.stage(tmp_path / "x.txt")
            assert path.name == "x.txt"
            path.write_text("content")
            output.commit()
        assert (tmp_path / "x.txt").is_symlink()
        assert (tmp_path / "real" / "file").read_text() == "content"
    with AtomicOutput() as output:
        with pytest.raises(OSError, match="loop"):
            output.stage(tmp_path / "loop")
        with pytest.raises(IsADirectoryError):
            output.stage(tmp_path / "dir")
    assert sorted(path.name for path in tmp_path.rglob("*")) == [
        *("dir", "file", "loop", "real", "x.txt")
    ]


def test_a_link_to_a_capture_is_followed(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "x.pcapng").symlink_to("real/y.pcapng")
    ea.run(ea.load("gong2006").with_(duration=1), pcap=tmp_path / "x.pcapng")
    assert (tmp_path / "x.pcapng").is_symlink()
    for name in ("x.pcapng", "x-wire.pcapng"):
        assert (tmp_path / name).stat().st_size > 1000
    assert [path.name for path in (tmp_path / "real").iterdir()] == ["y.pcapng"]


def test_a_fifo_is_written_to(tmp_path: Path) -> None:
    fifo = tmp_path / "x.txt"
    os.mkfifo(fifo)
    with subprocess.Popen(["cat", fifo], stdout=subprocess.PIPE, text=True) as reader:
        with AtomicOutput() as output:
            output.stage(fifo).write_text("content")
            output.commit()
        assert reader.communicate(timeout=10)[0] == "content"
    assert fifo.is_fifo()
    assert list(tmp_path.iterdir()) == [fifo]


def test_what_is_not_written_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "b").write_text("old")
    with AtomicOutput() as output:
        output.stage(tmp_path / "a").write_text("1")
        output.stage(tmp_path / "b")
        output.commit()
    assert (tmp_path / "a").read_text() == "1"
    assert (tmp_path / "b").read_text() == "old"


def test_the_first_file_is_moved_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    moved = []
    replace = Path.replace

    def record(source: Path, target: Path) -> Path:
        moved.append(target.name)
        return replace(source, target)

    monkeypatch.setattr(Path, "replace", record)
    with AtomicOutput() as output:
        for name in ("table", "flows", "series"):
            output.stage(tmp_path / name).write_text(name)
        output.commit()
    assert moved == ["series", "flows", "table"]


def test_the_name_of_a_sibling() -> None:
    assert sibling(Path("a/x.pcapng"), "wire") == Path("a/x-wire.pcapng")


def test_no_folder_is_made_in_the_root_of_the_file_system() -> None:
    """A slip such as `--out /resuts` as root."""
    with AtomicOutput() as output:
        for path in ("/evenair-no-such-folder/x.png", "/evenair-no-such-folder/a/x.png"):
            with pytest.raises(FileNotFoundError):
                output.stage(Path(path))
        with pytest.raises(FileNotFoundError):
            output.stage_folder(Path("/evenair-no-such-folder"))
        output.commit()
    assert not Path("/evenair-no-such-folder").exists()
