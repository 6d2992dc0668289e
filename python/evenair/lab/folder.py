"""The temporary folder of a lab, which the next one removes if the lab was killed.

Its lab holds a lock on it, which ends with the process: no number of a process, which another one
may have by then, says whether it lives. Where there are no such locks it is left.
"""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows has no such locks
    fcntl = None  # type: ignore[assignment]

_PREFIX = "evenair-lab-"
_MARK = ".evenair-lab"
"""A file that only a folder of a lab has, made once the folder is locked."""


class Folder:
    """A folder for the files of a lab; `close` removes it. Raises OSError."""

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix=_PREFIX))
        self._lock: int | None = None
        if fcntl is None:
            return
        with suppress(OSError):  # of a file system without locks
            self._lock = os.open(self.path, os.O_RDONLY)
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            (self.path / _MARK).touch()

    def close(self) -> None:
        """Remove the folder."""
        shutil.rmtree(self.path, ignore_errors=True)
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


def remove_abandoned() -> None:
    """Remove the folders of this user's labs that have ended without removing them."""
    if fcntl is None:
        return
    with suppress(OSError):
        for path in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
            with suppress(OSError):
                _remove_abandoned(path)


def _remove_abandoned(path: Path) -> None:
    """Remove a folder if it is one. Raises OSError.

    Others can write to the folder of temporary files, also while this runs. So a link is not
    followed, the owner is that of what was opened, and files are removed relative to that.
    """
    folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        status = os.fstat(folder)
        # As `mkdtemp` makes it: of this user, and nobody else can write to it.
        if status.st_uid != os.geteuid() or status.st_mode & 0o077:
            return
        os.stat(_MARK, dir_fd=folder, follow_symlinks=False)
        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        with os.scandir(folder) as entries:
            names = [entry.name for entry in entries if entry.name != _MARK]
        # The mark last: what is left after an interruption is removed the next time.
        for name in [*names, _MARK]:
            found = os.stat(name, dir_fd=folder, follow_symlinks=False)
            if stat.S_ISDIR(found.st_mode):
                shutil.rmtree(name, dir_fd=folder)
            else:
                os.unlink(name, dir_fd=folder)
        try:
            path.rmdir()
        except OSError:  # a sweep of the killed lab still wrote
            os.close(os.open(_MARK, os.O_CREAT | os.O_WRONLY, 0o600, dir_fd=folder))
    finally:
        os.close(folder)
