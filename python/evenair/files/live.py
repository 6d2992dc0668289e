"""A file in which a running command says what it does, for `evenair lab --follow`.

It has a line of JSON each time; the first one says what runs. Its writer holds a lock on it, which
ends with the process, and removes it at the end.
"""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Self

try:
    import fcntl
except ImportError:  # Windows has no such locks
    fcntl = None  # type: ignore[assignment]

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path
    from typing import IO


class Live:
    """Where a running command says what it does: nowhere, unless a subclass knows better."""

    @property
    def is_open(self) -> bool:
        """Whether lines are written."""
        return False

    def write(self, *lines: str) -> None:
        """Add lines, each a JSON document."""

    def close(self) -> None:
        """Say no more."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


class LiveFile(Live):
    """The writer's side; a context manager that removes the file.

    Nothing is said about a file that cannot be written: the work goes on without it.
    """

    def __init__(self, path: Path, about: Mapping[str, Any]) -> None:
        """Make the file, with `about` as its first line."""
        self._path = path
        self._file: IO[bytes] | None = None
        try:
            with suppress(OSError):
                path.unlink(missing_ok=True)  # of a process that was killed; its reader has it open
                self._file = path.open("xb", buffering=0)
                if fcntl is not None:
                    fcntl.flock(self._file, fcntl.LOCK_EX)
            self.write(json.dumps(about, separators=(",", ":")))
        except BaseException:  # Ctrl-C, perhaps before the file that was made is known here
            self.close()
            with suppress(OSError):
                path.unlink(missing_ok=True)
            raise

    @property
    def is_open(self) -> bool:
        """Whether lines are written."""
        return self._file is not None

    def write(self, *lines: str) -> None:
        """Add lines, each a JSON document."""
        if self._file is None or not lines:
            return
        try:
            self._file.write("".join(f"{line}\n" for line in lines).encode())
        except OSError:  # half a line may be there
            self.close()

    def close(self) -> None:
        """Remove the file."""
        if self._file is None:
            return
        with suppress(OSError):
            self._path.unlink()
        with suppress(OSError):
            self._file.close()
        self._file = None


def is_written(file: IO[bytes]) -> bool:
    """Return whether the writer of an open file lives."""
    if fcntl is None:
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    fcntl.flock(file, fcntl.LOCK_UN)
    return False
