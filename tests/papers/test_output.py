"""Results are written in full or not at all, and summed up in a line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from evenair.papers.output import staged, write_csv
from evenair.papers.report import summarise

if TYPE_CHECKING:
    from pathlib import Path


def test_a_new_folder_appears_when_all_is_done(tmp_path: Path) -> None:
    out = tmp_path / "deep" / "out"
    with staged(out) as folder:
        (folder / "a").write_text("1")
        assert not out.exists()
    assert [path.name for path in out.iterdir()] == ["a"]
    assert [path.name for path in out.parent.iterdir()] == ["out"]


def test_an_old_folder_keeps_its_other_files(tmp_path: Path) -> None:
    out = tmp_path / "out"
    (out / "data").mkdir(parents=True)
    (out / "mine").write_text("mine")
    (out / "a").write_text("old")
    with staged(out) as folder:
        (folder / "data").mkdir()
        (folder / "data" / "b").write_text("2")
        (folder / "a").write_text("new")
    assert (out / "mine").read_text() == "mine"
    assert (out / "a").read_text() == "new"
    assert (out / "data" / "b").read_text() == "2"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_nothing_is_left_of_an_interrupted_run(tmp_path: Path, error: type[BaseException]) -> None:
    def interrupted() -> None:
        with staged(tmp_path / "deep" / "out") as folder:
            (folder / "a").write_text("1")
            raise error

    with pytest.raises(error):
        interrupted()
    assert list(tmp_path.iterdir()) == []


def test_a_file_in_the_way(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("x")
    for target in (tmp_path / "out", tmp_path / "out" / "deeper"):
        with pytest.raises(ValueError, match="--out"), staged(target):
            pass
    assert (tmp_path / "out").read_text() == "x"


def test_csv(tmp_path: Path) -> None:
    write_csv(tmp_path / "t.csv", ("a", "b"), [(1, 1 / 3), ("x", None)])
    assert (tmp_path / "t.csv").read_text() == "a,b\n1,0.333333\nx,\n"


@pytest.mark.parametrize(
    ("holds", "expected"),
    [
        ([], "no published claim is about what was asked for"),
        ([True, True], "2 of 2 claims hold"),
        ([True, False], "1 of 2 claims hold, 1 does not"),
        ([False, True, False], "1 of 3 claims hold, 2 do not"),
    ],
)
def test_the_summary_counts_what_holds(holds: list[bool], expected: str) -> None:
    assert summarise(holds) == expected
