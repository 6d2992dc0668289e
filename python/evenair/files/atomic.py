"""Atomic output: files and folders that are either complete or not there.

A symbolic link is followed. A FIFO or device is not replaced, but written to once all is complete.
"""

from __future__ import annotations

import errno
import os
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, Self

if TYPE_CHECKING:
    from collections.abc import Iterator


def sibling(path: Path, suffix: str) -> Path:
    """Return `x-suffix.y` for the path `x.y`: the name of a file that belongs to it."""
    return path.with_name(f"{path.stem}-{suffix}{path.suffix}")


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Name a file in an OSError that does not, as when the disk is full."""
    try:
        yield
    except OSError as error:
        if error.errno is None or error.filename is not None:
            raise
        raise OSError(error.errno, os.strerror(error.errno), str(path)) from None


def is_disk_full(error: Exception) -> bool:
    """Return whether a file could not be written for lack of space, which is no bad input."""
    return isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)


class AtomicOutput:
    """Writes files and folders to hidden staging folders, then moves them to their destinations.

    Missing folders are made, but none in the root of the file system.

    `stage` and `stage_folder` fail at once if a destination cannot be written, so that this is
    known before a long simulation. Without `commit`, the `with` block leaves nothing behind::

        with AtomicOutput() as output:
            path = output.stage(Path("report/flows.parquet"))
            ...  # write to path
            output.commit()
    """

    def __init__(self) -> None:
        self._staged: list[tuple[Path, Path]] = []
        self._staging: dict[Path, Path] = {}

    def stage(self, destination: Path) -> Path:
        """Return the path to write to, of the same name and suffix. Raises OSError."""
        target = Path(os.path.realpath(destination))
        if target.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(destination))
        if target.is_symlink():
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(destination))
        return self._stage(target, destination.name)

    def stage_folder(self, destination: Path) -> Path:
        """Return an empty folder to write to. Raises OSError.

        Files of the same name in an existing destination are replaced, other files are kept.
        """
        destination = destination.resolve()
        if destination.exists() and not destination.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(destination))
        if not destination.exists() and destination.parent == destination.parent.parent:
            _refuse(destination)
        path = self._stage(destination, destination.name)
        path.mkdir()
        return path

    def commit(self) -> None:
        """Flush what has been written to the disk and move it into place. Raises OSError.

        What was staged first is moved last: it is there only if everything else is. A file that has
        been staged but not written is left out.
        """
        for path, destination in reversed(self._staged):
            if path.is_dir():
                for source in sorted(file for file in path.rglob("*") if file.is_file()):
                    _move(source, destination / source.relative_to(path))
            elif path.exists():
                _move(path, destination)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, error: object, traceback: object) -> None:
        if isinstance(error, OSError) and isinstance(error.filename, str):
            error.filename = self._at_destination(error.filename)
        elif isinstance(error, Exception):
            error.args = tuple(
                self._at_destination(part) if isinstance(part, str) else part for part in error.args
            )
        try:
            self._remove_staging()
        except KeyboardInterrupt:
            self._remove_staging()
            raise

    def _remove_staging(self) -> None:
        if self._staging:
            import shutil  # see _staging_folder

            for folder in self._staging.values():
                shutil.rmtree(folder, ignore_errors=True)

    def _at_destination(self, text: str) -> str:
        """Replace staged paths in a message by their destinations, which the user knows."""
        for staged, path in self._staged:
            inside = path.is_relative_to(Path.cwd())
            text = text.replace(str(staged), str(path.relative_to(Path.cwd()) if inside else path))
        return text

    def _stage(self, destination: Path, name: str) -> Path:
        path = self._staging_folder(destination) / name
        self._staged.append((path, destination))
        return path

    def _staging_folder(self, destination: Path) -> Path:
        """Return a folder on the file system of a file or folder, which may not exist yet."""
        folder = destination.parent
        if _is_special(destination):  # /dev is no place for files
            import tempfile  # here, because `evenair run --json` writes no file and must start fast

            folder = Path(tempfile.gettempdir())
        if folder not in self._staging:
            root = folder
            while not root.exists() and root != root.parent:
                root = root.parent
            if root == root.parent and folder != root:
                _refuse(folder)
            path = root / f".evenair-{os.urandom(8).hex()}"
            # Known before it is there, so that an interruption at any moment leaves nothing.
            self._staging[folder] = path
            path.mkdir(mode=0o700)
        return self._staging[folder]


def _refuse(folder: Path) -> NoReturn:
    """Raise OSError: a folder in the root of the file system is most likely a slip."""
    raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(folder))


def _is_special(path: Path) -> bool:
    """Return whether a path is a FIFO, socket or device."""
    return path.exists() and not path.is_file() and not path.is_dir()


def _move(source: Path, destination: Path) -> None:
    if _is_special(destination):
        import shutil

        with naming(destination), source.open("rb") as content, destination.open("wb") as file:
            shutil.copyfileobj(content, file)
        return
    with naming(destination), source.open("r+b") as file:
        os.fsync(file.fileno())
    destination.parent.mkdir(parents=True, exist_ok=True)
    source.replace(destination)
    if os.name == "posix":  # Windows cannot open a folder
        descriptor = os.open(destination.parent, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
