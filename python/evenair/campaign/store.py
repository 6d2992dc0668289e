"""The store of finished runs: SQLite beside the output, one row per run, durable row by row.

If the process is killed or the power fails, only runs that have not been committed are lost. One
process at a time can open the store; a file lock, released with the process, enforces this.
"""

from __future__ import annotations

import sqlite3
from contextlib import contextmanager
from typing import TYPE_CHECKING, Self

from evenair.campaign.errors import CampaignError
from evenair.campaign.identity import ENGINE
from evenair.campaign.record import Record

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

_SCHEMA = """
CREATE TABLE IF NOT EXISTS runs (
    id      BLOB PRIMARY KEY, -- SHA-256, see Identity
    engine  TEXT NOT NULL,    -- "package version/result version"
    metrics TEXT NOT NULL,    -- JSON
    flows   BLOB NOT NULL,    -- JSON, deflated
    series  BLOB              -- JSON, deflated
)
"""


class Store:
    """The finished runs of campaigns; a context manager that closes the file.

    Raises CampaignError if the file is corrupt or in use.
    """

    def __init__(self, path: Path | None) -> None:
        """Open or create the file; None keeps everything in memory."""
        self._name = str(path or "store")
        with self._errors():
            # Without a timeout, a second process fails at once.
            self._db = sqlite3.connect(path or ":memory:", timeout=0, isolation_level=None)
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
        self._db.execute(_SCHEMA)
        self._db.execute("COMMIT")
        if self._db.execute("PRAGMA quick_check(1)").fetchone() != ("ok",):
            raise sqlite3.DatabaseError("integrity check failed")
        self._db.execute("SELECT id, engine, metrics, flows, series FROM runs LIMIT 1").fetchall()

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
            self._db.executemany("INSERT OR IGNORE INTO runs VALUES (?, ?, ?, ?, ?)", rows)

    def get(self, run: bytes, *, flows: bool = False, series: bool = False) -> Record | None:
        """Return a run or None; flows and series are read only on request."""
        columns = f"metrics, {'flows' if flows else 'NULL'}, {'series' if series else 'NULL'}"
        with self._errors():
            query = f"SELECT {columns} FROM runs WHERE id = ? AND engine = ?"
            row = self._db.execute(query, (run, ENGINE)).fetchone()
        return None if row is None else Record(row[0], row[1] or b"", row[2])

    def corrupt(self, error: Exception) -> CampaignError:
        """Return the error for a record that cannot be read."""
        return CampaignError(
            f"{self._name}: corrupt ({error}); restore a copy, or delete the file and start again"
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
            if "no such column" in text:
                raise self.corrupt(ValueError("made by another program")) from None
            if getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_FULL:
                raise OSError(28, "no space left on device", self._name) from None
            raise CampaignError(f"{self._name}: {text}") from None
        except sqlite3.DatabaseError as error:
            raise self.corrupt(ValueError(str(error))) from None
