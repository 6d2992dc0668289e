"""Rebuild the figures of docs/today.md, with the data of all cells beside them.

Not part of `make pictures`: 4720 runs of 25 s, some half an hour on two processors.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from evenair.papers import today
from evenair.papers.today.questions import QUESTIONS


def main(folder: Path) -> None:
    """Write today-QUESTION.svg and .csv, and today-claims.json, to `folder`."""
    with tempfile.TemporaryDirectory() as temporary:
        report = Path(temporary) / "report"
        today.rebuild(None, False, report)
        copy(report, folder)


def copy(report: Path, folder: Path) -> None:
    """Copy what the page shows from a report."""
    for name in QUESTIONS:
        shutil.copyfile(report / f"{name}.svg", folder / f"today-{name}.svg")
        shutil.copyfile(report / "data" / f"{name}.csv", folder / f"today-{name}.csv")
    shutil.copyfile(report / "claims.json", folder / "today-claims.json")


if __name__ == "__main__":
    main(Path(__file__).parent)
