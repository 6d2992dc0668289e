"""The store of finished runs: SQLite beside the output, one row per run, durable row by row.

If the process is killed or the power fails, only runs that have not been committed are lost. One
process at a time can open the store; a file lock, released with the process, enforces this.

Each row has a checksum. Opening the store verifies all of them and SQLite's structures; if the file
is damaged, it is rebuilt from the rows that are intact, and the other runs are missing.
"""

from __future__ import annotations

import errno
import sqlite3
import tempfile
from contextlib import closing, contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from evenair.campaign.errors import CampaignError
from evenair.campaign.storage.identity import ENGINE
from evenair.campaign.storage.record import Record
from evenair.text.messages import one_line, reason

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_SCHEMA = """CREATE TABLE runs (
    id       BLOB PRIMARY KEY, -- SHA-256, see Identity
    engine   TEXT NOT NULL,    -- "package version/result version"
    metrics  TEXT NOT NULL,    -- JSON
    flows    BLOB NOT NULL,    -- JSON, deflated
    series   BLOB,             -- JSON, deflated
    checksum BLOB NOT NULL     -- BLAKE2b of the other columns
)"""
_INSERT = "INSERT OR IGNORE INTO runs VALUES (?, ?, ?, ?, ?, ?)"
_SCAN = "SELECT id, engine, metrics, flows, series, checksum FROM runs NOT INDEXED ORDER BY rowid"


class Store:
    """The finished runs of campaigns; a context manager that closes the file.

    Raises CampaignError if the file is in use, is not a store, or cannot be rebuilt.
    """

    damaged: str | None = None
    """One line if the file was damaged and has been rebuilt: what was kept."""

    def __init__(self, path: Path | None) -> None:
        """Open or create the file; None keeps everything in memory."""
        self._name = str(path or "store")
        with self._errors():
            # Without a timeout, a second process fails at once.
            self._db = sqlite3.connect(path or ":memory:", timeout=0, isolation_level=None)
            # Damaged text may not be UTF-8.
            self._db.text_factory = bytes
            try:
                self._open()
            except BaseException:
                self._db.close()
                raise

    def _open(self) -> None:
        self._db.execute("PRAGMA locking_mode = EXCLUSIVE")
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute("PRAGMA synchronous = FULL")
        self._db.execute("BEGIN EXCLUSIVE")
        # Tables and indexes, the index of the primary key left out.
        found = self._db.execute("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL").fetchall()
        if not found:
            self._db.execute(_SCHEMA)
        elif found != [(_SCHEMA.encode(),)]:
            raise self.corrupt(ValueError("made by another program or version"))
        self._db.execute("COMMIT")
        if not self._intact():
            self._rebuild()

    def _intact(self) -> bool:
        try:
            if self._db.execute("PRAGMA integrity_check(1)").fetchone() != (b"ok",):
                return False
            return all(map(_is_intact, self._db.execute(_SCAN)))
        except sqlite3.DatabaseError as error:
            _check_corrupt(error)
            return False

    def _rebuild(self) -> None:
        """Replace the content of the file by the rows that can be read and are intact."""
        with closing(sqlite3.connect("", isolation_level=None)) as copy:  # a temporary file
            copy.execute(_SCHEMA)
            copy.execute("BEGIN")
            # An unreadable page ends a scan: one from each end reads what is around it.
            for order in ("ASC", "DESC"):
                try:
                    rows = filter(_is_intact, self._db.execute(f"{_SCAN} {order}"))
                    copy.executemany(_INSERT, map(_as_text, rows))
                    break
                except sqlite3.DatabaseError as error:
                    _check_corrupt(error)
            copy.execute("COMMIT")
            kept = copy.execute("SELECT count(*) FROM runs").fetchone()[0]
            copy.backup(self._db)
        self.damaged = (
            f"{self._name}: damaged; the {kept} stored runs that are intact are used, the others"
            " are done again"
        )

    def ids(self) -> set[bytes]:
        """Return the identities of all runs of this engine."""
        with self._errors():
            query = "SELECT id FROM runs WHERE engine = ?"
            return {bytes(row[0]) for row in self._db.execute(query, (ENGINE,))}

    def foreign(self) -> int:
        """Return how many runs are of other engine versions. They are kept but never used."""
        with self._errors():
            query = "SELECT count(*) FROM runs WHERE engine != ?"
            return int(self._db.execute(query, (ENGINE,)).fetchone()[0])

    def add(self, runs: Iterable[tuple[bytes, Record]]) -> None:
        """Store runs. When this returns, they are on the disk."""
        rows = [(run, ENGINE, *record) for run, record in runs]
        with self._errors(), self._db:
            self._db.execute("BEGIN")
            self._db.executemany(_INSERT, ((*row, _checksum(row)) for row in rows))

    def get(self, run: bytes, *, flows: bool = False, series: bool = False) -> Record | None:
        """Return a run or None; flows and series are read only on request."""
        columns = f"metrics, {'flows' if flows else 'NULL'}, {'series' if series else 'NULL'}"
        with self._errors():
            query = f"SELECT {columns} FROM runs WHERE id = ? AND engine = ?"
            row = self._db.execute(query, (run, ENGINE)).fetchone()
        return None if row is None else Record(row[0].decode(), row[1] or b"", row[2])

    def corrupt(self, error: Exception) -> CampaignError:
        """Return the error for a file that cannot be read."""
        why = one_line(error)
        return CampaignError(
            f"{self._name}: damaged ({why}); restore a copy, or delete the file and start again"
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self._db.close()

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.OperationalError as error:
            text = str(error)
            if "locked" in text or "busy" in text:
                raise CampaignError(
                    f"{self._name}: another process is using it; wait until that campaign is done"
                ) from None
            # The lower byte; the others say what SQLite was about to do.
            match getattr(error, "sqlite_errorcode", 0) & 0xFF:
                case sqlite3.SQLITE_FULL:
                    raise OSError(errno.ENOSPC, "no space left on device", self._name) from None
                case sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_READONLY | sqlite3.SQLITE_IOERR if (
                    why := _obstacle(self._name)
                ):
                    raise CampaignError(f"out: {self._name}: cannot be written: {why}") from None
                case sqlite3.SQLITE_IOERR:  # a quota, or a limit of the size of files, among others
                    raise OSError(errno.EIO, text, self._name) from None
            raise CampaignError(f"{self._name}: {text}") from None
        except sqlite3.DatabaseError as error:
            raise self.corrupt(ValueError(str(error))) from None


def _obstacle(name: str) -> str:
    """Return why a file and those beside it cannot be written, which SQLite does not say."""
    path = Path(name)
    try:
        with path.open("r+b"):
            pass
    except FileNotFoundError:
        pass  # it is to be made
    except OSError as error:
        return reason(error)
    try:
        with tempfile.TemporaryFile(dir=path.parent):
            return ""
    except OSError as error:
        return f"no files can be made in {path.parent.resolve()}: {reason(error)}"


def _checksum(row: Sequence[Any]) -> bytes:
    """Return the checksum of id, engine, metrics, flows and series."""
    digest = blake2b(digest_size=16)
    for field in row:
        content = field.encode() if isinstance(field, str) else field
        # The length separates the fields, and a missing series from an empty one.
        digest.update(b"-" if content is None else b"%d:%b" % (len(content), content))
    return digest.digest()


def _is_intact(row: Sequence[Any]) -> bool:
    # A damaged field can have another type.
    content = all(isinstance(field, bytes | None) for field in row)
    return content and _checksum(row[:-1]) == row[-1]


def _as_text(row: Sequence[Any]) -> Sequence[Any]:
    """Return a row that was read as bytes as it was stored."""
    run, engine, metrics, *others = row
    return run, engine.decode(), metrics.decode(), *others


def _check_corrupt(error: sqlite3.DatabaseError) -> None:
    """Raise an error again unless it says that the file is damaged."""
    if getattr(error, "sqlite_errorcode", 0) & 0xFF != sqlite3.SQLITE_CORRUPT:
        raise error
