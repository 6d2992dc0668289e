"""Output files that are either complete or not there."""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from types import TracebackType


def beside(path: Path, what: str) -> Path:
    """Return `x-what.y` for the path `x.y`: the name of a file that goes with it."""
    return path.with_name(f"{path.stem}-{what}{path.suffix}")


class Outputs:
    """Collects output files in hidden directories beside their destinations, then moves them.

    `stage` fails at once where a destination cannot be written, so that nobody waits for a
    simulation whose result has no place. Without `commit`, nothing is left behind::

        with Outputs() as outputs:
            path = outputs.stage(Path("report/flows.parquet"))
            ...  # write to path
            outputs.commit()
    """

    def __init__(self) -> None:
        self._staged: list[tuple[Path, Path]] = []
        self._stages: dict[Path, Path] = {}

    def stage(self, destination: Path) -> Path:
        """Return the path to write to, of the same name and suffix. Raises OSError."""
        destination = destination.absolute()
        if destination.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(destination))
        path = self._stage_beside(destination.parent) / destination.name
        self._staged.append((path, destination))
        return path

    def commit(self) -> None:
        """Move what has been written into place; what has not been is left out. Raises OSError."""
        for path, destination in self._staged:
            if path.exists():
                destination.parent.mkdir(parents=True, exist_ok=True)
                path.replace(destination)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for stage in self._stages.values():
            shutil.rmtree(stage, ignore_errors=True)

    def _stage_beside(self, directory: Path) -> Path:
        """Return a directory on the same file system as `directory`, which may not exist yet."""
        if directory not in self._stages:
            root = directory
            while not root.exists() and root != root.parent:
                root = root.parent
            self._stages[directory] = Path(tempfile.mkdtemp(prefix=".evenair-", dir=root))
        return self._stages[directory]
