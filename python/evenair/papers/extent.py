"""What a report covers: its default folder, and which reports another one may replace."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from evenair.text.messages import reason

if TYPE_CHECKING:
    from collections.abc import Mapping

_FILE = "report.json"


@dataclass(frozen=True)
class Extent:
    """What a report covers; `report.json` in its folder says it."""

    paper: str
    figures: tuple[str, ...]
    """The figures' ids."""
    quick: bool
    engine: str = "sim"
    """What has made the runs: "sim", or "testbed" beside it."""

    def includes(self, other: Extent) -> bool:
        """Return whether a report has all figures of another, and was not made with less effort."""
        same = (self.paper, self.engine) == (other.paper, other.engine)
        more = set(self.figures) >= set(other.figures)
        return same and more and (other.quick or not self.quick)

    def write(self, folder: Path, results: Mapping[str, object]) -> None:
        """Write the file, with `results` behind what the report covers."""
        text = json.dumps({**asdict(self), **results}, indent=2, ensure_ascii=False)
        (folder / _FILE).write_text(text + "\n", encoding="utf-8")


def read_extent(folder: Path) -> Extent | None:
    """Return the extent of the report in a folder, None if there is none.

    Raises ValueError if the file cannot be read.
    """
    path = folder / _FILE
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        figures, engine = tuple(content["figures"]), content.get("engine", "sim")
        return Extent(content["paper"], figures, content["quick"], engine)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ValueError(f"--out: {path}: cannot be read: {reason(error)}") from None


def default_folder(extent: Extent, stems: list[str] | None) -> Path:
    """Return `report/NAME`, with the stems of selected figures, "quick" and "testbed" appended."""
    parts = [extent.paper, *(stems or []), *(["quick"] if extent.quick else [])]
    parts += ["testbed"] if extent.engine == "testbed" else []
    return Path("report") / "-".join(parts)


def check_replaceable(folder: Path, extent: Extent) -> None:
    """Raise ValueError, in one line, if a folder has a report that `extent` does not include."""
    old = read_extent(folder)
    if old is not None and not extent.includes(old):
        effort = ("quick " if old.quick else "") + ("test-bed " if old.engine == "testbed" else "")
        raise ValueError(
            f"--out: {folder}: has a {effort}report of {old.paper}, figures"
            f" {', '.join(old.figures)}; give another folder, or --force to replace it"
        )
