"""The store of finished runs: SQLite beside the output, one row per run, durable row by row.

A process that is killed at any moment, or a power cut, loses only runs that had not been committed.
The store belongs to one process at a time, by a lock of the operating system that ends with the
process.
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
    from types import TracebackType

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
    """The finished runs of campaigns. Closes with its `with` block.

    Raises CampaignError whenever the file is damaged or in use.
    """

    def __init__(self, path: Path | None) -> None:
        """Open the file, or make it; None keeps everything in memory."""
        self._name = str(path or "store")
        with self._errors():
            # A second process is told at once, not after SQLite's patience.
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
            raise sqlite3.DatabaseError("damaged")
        self._db.execute("SELECT id, engine, metrics, flows, series FROM runs LIMIT 1").fetchall()

    def ids(self) -> set[bytes]:
        """Return the identities of all runs of this engine."""
        with self._errors():
            query = "SELECT id FROM runs WHERE engine = ?"
            return {bytes(row[0]) for row in self._db.execute(query, (ENGINE,))}

    def foreign(self) -> int:
        """Return how many runs are of other engine versions. They stay, and are never used."""
        with self._errors():
            query = "SELECT count(*) FROM runs WHERE engine != ?"
            return int(self._db.execute(query, (ENGINE,)).fetchone()[0])

    def add(self, runs: Iterable[tuple[bytes, Record]]) -> None:
        """Keep runs: when this returns, they are on the disk."""
        rows = [(run, ENGINE, *record) for run, record in runs]
        with self._errors(), self._db:
            self._db.execute("BEGIN")
            self._db.executemany("INSERT OR IGNORE INTO runs VALUES (?, ?, ?, ?, ?)", rows)

    def get(self, run: bytes, *, flows: bool = False, series: bool = False) -> Record | None:
        """Return a run, or None; with flows and series only if they are asked for."""
        columns = f"metrics, {'flows' if flows else 'NULL'}, {'series' if series else 'NULL'}"
        with self._errors():
            query = f"SELECT {columns} FROM runs WHERE id = ? AND engine = ?"
            row = self._db.execute(query, (run, ENGINE)).fetchone()
        return None if row is None else Record(row[0], row[1] or b"", row[2])

    def damaged(self, error: Exception) -> CampaignError:
        """Return the error for a run whose content cannot be read."""
        return CampaignError(
            f"{self._name}: damaged ({error}); put a copy back, or delete it and start anew"
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
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
                raise self.damaged(ValueError("made by another program")) from None
            if getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_FULL:
                raise OSError(28, "no space left on device", self._name) from None
            raise CampaignError(f"{self._name}: {text}") from None
        except sqlite3.DatabaseError as error:
            raise self.damaged(ValueError(str(error))) from None
