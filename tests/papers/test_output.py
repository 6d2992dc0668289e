"""The folder of a paper, tables as CSV files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from evenair import papers
from evenair.papers.csv_file import write_csv

if TYPE_CHECKING:
    from pathlib import Path


def test_a_file_in_the_way(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("x")
    for out, reason in (("out", "is a file"), ("out/deeper", "cannot be written")):
        with pytest.raises(ValueError, match=f"^--out: .*{out} {reason}"):
            papers.rebuild("gong2006", ["2"], True, tmp_path / out)
    assert (tmp_path / "out").read_text() == "x"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_csv(tmp_path: Path) -> None:
    write_csv(tmp_path / "t.csv", ("a", "b"), [(1, 1 / 3), ("x", None)])
    assert (tmp_path / "t.csv").read_text() == "a,b\n1,0.333333\nx,\n"
