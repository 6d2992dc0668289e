"""What `rebuild` has written, for tests."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def rows(path: Path) -> list[dict[str, str]]:
    """Return the rows of a CSV file, by column."""
    with path.open() as file:
        return list(csv.DictReader(file))


def check_figure(out: Path, stem: str) -> None:
    """The figure is there as PNG and SVG."""
    assert (out / f"{stem}.png").read_bytes().startswith(b"\x89PNG")
    assert b"<svg" in (out / f"{stem}.svg").read_bytes()


def check_figure_and_data(out: Path, stem: str) -> None:
    """The figure is there, and the data behind it."""
    check_figure(out, stem)
    assert rows(out / "data" / f"{stem}.csv")
