"""Sweeps that the page starts: each in a process of its own, which uses all processors.

Its runs reach the page as lines like those of the live file of any `evenair sweep`.
"""

from __future__ import annotations

import asyncio
import json
import re
import signal
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evenair.lab.feed import Feed
from evenair.lab.folder import Folder
from evenair.lab.requests import BadRequest, text_of
from evenair.text.messages import shown, whole_number

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping

KEYS = ("toml", "vary", "runs", "seed", "keep")
"""Of a request."""

_MOST = 100
"""Campaigns that are kept in memory and in the temporary folder."""
_GRACE_S = 1.0
"""How long a sweep may take to end after SIGTERM, before SIGKILL."""
_BLOCK = 1 << 20
_FILE = re.compile(r"[^/\\\0.][^/\\\0]*\.parquet")


class Campaigns:
    """The sweeps of this server; `close` ends them and removes their files."""

    def __init__(self) -> None:
        self._folder: Folder | None = None
        self._all: dict[int, Campaign] = {}
        self._count = 0

    async def start(self, request: Mapping[str, Any]) -> Campaign:
        """Start a sweep. Raises BadRequest."""
        running = [campaign for campaign in self._all.values() if campaign.outcome is None]
        if running:
            raise BadRequest("another sweep of this lab is running; stop it first", 409)
        if len(self._all) >= _MOST:
            raise BadRequest(f"there are {_MOST} sweeps already; remove some", 409)
        if self._folder is None:
            self._folder = Folder()
        self._count += 1
        keep = _kept(request)
        out = self._folder.path / f"sweep-{self._count}.parquet" if keep is None else keep
        campaign = self._all[self._count] = Campaign(self._count, out, is_kept=keep is not None)
        try:
            await campaign.start(_job(request, out))
        except BaseException:
            del self._all[campaign.number]
            raise
        return campaign

    def all(self) -> list[Campaign]:
        """Return the sweeps in the order of their start."""
        return list(self._all.values())

    def get(self, number: int) -> Campaign:
        """Return a sweep. Raises BadRequest."""
        if number not in self._all:
            raise BadRequest(f"there is no sweep {number}", 404)
        return self._all[number]

    async def remove(self, number: int) -> None:
        """End a sweep and remove its files, those that were to be kept excepted."""
        campaign = self.get(number)
        await campaign.stop()
        campaign.remove()
        self._all.pop(number, None)

    async def close(self) -> None:
        """End all sweeps, and remove the temporary folder."""
        await asyncio.gather(*(campaign.stop() for campaign in self._all.values()))
        if self._folder is not None:
            self._folder.close()


class Campaign:
    """A sweep in a process of its own."""

    outcome: dict[str, Any] | None = None
    """How it has ended: `{"state": "done"}`, or "failed" or "cancelled" with a message."""

    def __init__(self, number: int, out: Path, *, is_kept: bool) -> None:
        self.number, self.out, self.is_kept = number, out, is_kept
        self._process: asyncio.subprocess.Process | None = None
        self._end: asyncio.Task[None] | None = None
        self._is_cancelled = False
        self._feed = Feed()

    async def start(self, job: Mapping[str, Any]) -> None:
        """Start the process."""
        self._process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-m", "evenair.lab.sweep"),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C in a terminal is for the lab alone, which ends it
        )
        text = json.dumps(job).encode() + b"\n"
        self._end = asyncio.create_task(self._follow(self._process, text))

    async def _follow(self, process: asyncio.subprocess.Process, job: bytes) -> None:
        """Collect what the sweep says until it has ended."""
        if process.stdin is None or process.stdout is None:
            raise ValueError("the process has no pipes")
        with suppress(ConnectionError):
            process.stdin.write(job)  # it stays open: the sweep ends when this server is gone
            await process.stdin.drain()
        rest, last = b"", b""
        while block := await process.stdout.read(_BLOCK):
            lines, newline, rest = (rest + block).rpartition(b"\n")
            if newline:
                self._feed.add(lines + newline)
                last = lines.rpartition(b"\n")[2]
        process.stdin.close()
        await process.wait()
        outcome = json.loads(last) if last else {}
        if "state" not in outcome:
            outcome = self._unsaid(process.returncode)
            self._feed.add(json.dumps(outcome).encode() + b"\n")
        self.outcome = outcome
        self._feed.end()

    def _unsaid(self, status: int | None) -> dict[str, Any]:
        """Return the outcome of a process that could not say it."""
        if self._is_cancelled:
            return {"state": "cancelled"}
        return {"state": "failed", "message": f"the sweep has ended with status {status}"}

    def lines(self) -> AsyncIterator[bytes]:
        """Return what the sweep has said from the start, then what is new, until its end."""
        return self._feed.lines()

    async def stop(self) -> None:
        """End the process. What it has finished is kept if it was to be kept."""
        if self._process is None or self._end is None or self._end.done():
            return
        self._is_cancelled = True
        with suppress(ProcessLookupError):
            self._process.send_signal(signal.SIGTERM)
        await asyncio.wait({self._end}, timeout=_GRACE_S)
        if not self._end.done():
            with suppress(ProcessLookupError):
                self._process.kill()
            await self._end

    def remove(self) -> None:
        """Remove the files, unless they were to be kept."""
        if not self.is_kept:
            for path in self.out.parent.glob(f"{self.out.name}*"):
                path.unlink(missing_ok=True)


def _kept(request: Mapping[str, Any]) -> Path | None:
    """Return the file that is to be kept. Raises BadRequest."""
    if request.get("keep") is None:
        return None
    name = text_of(request, "keep")
    if not _FILE.fullmatch(name) or not name.isprintable():
        raise BadRequest(f"keep: got {shown(name)}, expected a file name that ends in .parquet")
    return Path.cwd() / name


def _job(request: Mapping[str, Any], out: Path) -> dict[str, Any]:
    """Return what the process is told. Raises BadRequest."""
    vary = request.get("vary")
    if not isinstance(vary, list) or not all(isinstance(text, str) for text in vary):
        raise BadRequest(f"vary: got {shown(vary)}, expected a list of texts KEY=VALUES")
    try:
        runs = whole_number("runs", request.get("runs", 3), 1, 1_000_000)
        seed = whole_number("seed", request.get("seed", 1), 0)
    except ValueError as error:
        raise BadRequest(str(error)) from None
    toml = text_of(request, "toml")
    return {"toml": toml, "vary": vary, "runs": runs, "seed": seed, "out": str(out)}
