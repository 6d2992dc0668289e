"""Writing a folder of results: all of it or nothing."""

from __future__ import annotations

import csv
import os
import shutil
from contextlib import contextmanager
from typing import TYPE_CHECKING

from evenair.terminal import why

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path


@contextmanager
def staged(out: Path) -> Iterator[Path]:
    """Give a fresh folder beside `out` and move what it holds to `out` at the end of the block.

    If the block raises, even KeyboardInterrupt, the fresh folder is removed and `out` is left as it
    was. Files of the same name in `out` are replaced, others stay. Raises ValueError if `out` is
    not a folder or cannot be written.
    """
    target = out.resolve()
    folder = target.parent / f".{target.name}.{os.getpid()}.partial"
    made: list[Path] = []
    try:
        if target.exists() and not target.is_dir():
            raise ValueError(f"--out: {out} is a file, a folder is expected")
        for parent in reversed([target.parent, *target.parent.parents]):
            if not parent.exists():
                parent.mkdir()
                made.append(parent)
        folder.mkdir()
    except OSError as error:
        _remove_empty(made)
        raise ValueError(f"--out: {out} cannot be written: {why(error)}") from None
    try:
        yield folder
        _move(folder, target)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        _remove_empty(made)
        raise


def _remove_empty(folders: Sequence[Path]) -> None:
    for folder in reversed(folders):
        if not any(folder.iterdir()):
            folder.rmdir()


def _move(folder: Path, target: Path) -> None:
    if not target.exists():
        folder.rename(target)
        return
    for source in sorted(path for path in folder.rglob("*") if path.is_file()):
        destination = target / source.relative_to(folder)
        destination.parent.mkdir(exist_ok=True)
        source.replace(destination)
    shutil.rmtree(folder)


def write_csv(path: Path, header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Write a table; numbers get six significant digits, None is left empty."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        for row in rows:
            writer.writerow([f"{cell:.6g}" if isinstance(cell, float) else cell for cell in row])
