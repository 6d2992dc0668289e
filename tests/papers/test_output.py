"""The folder of a paper, tables as CSV files."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from evenair import papers
from evenair.papers.csv_file import write_csv
from evenair.papers.extent import Extent

if TYPE_CHECKING:
    from pathlib import Path


def test_a_file_in_the_way(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("x")
    for out, reason in (("out", "is a file"), ("out/deeper", "cannot be written")):
        with pytest.raises(ValueError, match=f"^--out: .*{out} {reason}"):
            papers.rebuild("gong2006", ["2"], True, tmp_path / out)
    assert (tmp_path / "out").read_text() == "x"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_report_is_replaced_only_by_one_that_includes_it(tmp_path: Path) -> None:
    def rebuild(figures: list[str], quick: bool, *, force: bool = False) -> list[str]:
        """Rebuild tables, which need no simulation; return the figures in the folder."""
        papers.rebuild("miorandi2006", figures, quick, tmp_path / "out", force=force)
        found: list[str] = json.loads((tmp_path / "out/report.json").read_text())["figures"]
        return found

    assert rebuild(["table1"], True) == ["table1"]
    assert rebuild(["table1"], False) == ["table1"]
    before = (tmp_path / "out/report.html").read_bytes()
    with pytest.raises(ValueError, match=r"^--out: .*out: has a report of miorandi2006, figures "):
        rebuild(["table1"], True)
    full = Extent("miorandi2006", ("table1", "8"), False)
    full.write(tmp_path / "out", {})
    with pytest.raises(ValueError, match="figures table1, 8; give another folder, or --force"):
        rebuild(["table1"], False)
    assert (tmp_path / "out/report.html").read_bytes() == before
    assert rebuild(["table1"], True, force=True) == ["table1"]
    (tmp_path / "out/report.json").write_text("[")
    with pytest.raises(ValueError, match=r"^--out: .*report\.json: cannot be read"):
        rebuild(["table1"], False)


def test_parts_of_a_paper_have_folders_of_their_own() -> None:
    def folder(figures: list[str] | None, quick: bool) -> str:
        return papers.folder("gong2006", figures, quick).as_posix()

    assert folder(None, False) == "report/gong2006"
    assert folder(None, True) == "report/gong2006-quick"
    assert folder(["Figure 4b", "3"], False) == "report/gong2006-fig3-fig4b"
    assert folder(["table1"], True) == "report/gong2006-table1-quick"
    with pytest.raises(ValueError, match="--figure"):
        folder(["../x"], False)


def test_csv(tmp_path: Path) -> None:
    write_csv(tmp_path / "t.csv", ("a", "b"), [(1, 1 / 3), ("x", None)])
    assert (tmp_path / "t.csv").read_text() == "a,b\n1,0.333333\nx,\n"
