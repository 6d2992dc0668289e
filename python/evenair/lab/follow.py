"""Sources of live data: what they are, and a stream of lines of JSON from each.

A source of a file passes on what a running command writes to its live file
(`evenair.files.live`). Between these lines `{"state": ...}` says whether it runs.
"""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from evenair.campaign.live import live_path
from evenair.files.live import is_written
from evenair.lab.errors import LabError
from evenair.lab.gateway import Gateway, is_address

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from typing import IO

_POLL_S = 0.2
"""How often files are looked at."""
_BLOCK = 1 << 20

TESTBED = "testbed"


class Source(Protocol):
    """Something that the page can follow."""

    kind: str
    name: str

    def lines(self) -> AsyncIterator[bytes]:
        """Return whole lines of JSON, several at once, without an end."""


def source(text: str) -> Source:
    """Return the source that `--follow` names. Raises LabError."""
    if text == TESTBED:
        from evenair.testbed.live import newest

        return LiveSource("testbed", "the test-bed", newest)
    if is_address(text):
        return Gateway(text)
    path = Path(text)
    if path.suffix == ".parquet":
        live = live_path(path.absolute())
        return LiveSource("sweep", path.name, lambda: live)
    raise LabError(
        f"--follow: got {text!r}; accepted: testbed, FILE.parquet of a sweep, HOST:PORT or"
        " unix:PATH of a gateway daemon's metrics"
    )


class LiveSource:
    """A live file, and those that take its place when the command is started again."""

    def __init__(self, kind: str, name: str, find: Callable[[], Path | None]) -> None:
        """`find` returns the file's path, which need not be there."""
        self.kind, self.name, self._find = kind, name, find

    async def lines(self) -> AsyncIterator[bytes]:
        """Return the lines of the file from its first, then new ones as they are written."""
        yield state("waiting")
        file = self._open()
        while True:
            while file is None:
                await asyncio.sleep(_POLL_S)
                file = self._open()
                if file is not None and not is_written(file):  # read already, of a killed command
                    file.close()
                    file = None
            with file:
                yield state("running")
                async for lines in whole_lines(file, is_written):
                    yield lines
            yield state("ended")
            file = None

    def _open(self) -> IO[bytes] | None:
        path = self._find()
        try:
            return None if path is None else path.open("rb")
        except OSError:
            return None


async def whole_lines(
    file: IO[bytes], is_running: Callable[[IO[bytes]], bool]
) -> AsyncIterator[bytes]:
    """Return whole lines as they are written, until nothing comes and it is not running."""
    rest = b""
    while True:
        runs = is_running(file)  # before reading: what it has written last is not missed
        while block := file.read(_BLOCK):
            lines, newline, rest = (rest + block).rpartition(b"\n")
            if newline:
                yield lines + newline
        if not runs:
            return
        await asyncio.sleep(_POLL_S)


def state(name: str, **more: Any) -> bytes:
    """Return the line that says what a source does."""
    return json.dumps({"state": name, **more}).encode() + b"\n"
