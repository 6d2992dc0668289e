"""The metrics of a gateway daemon (`evenaird`), polled: OpenMetrics over HTTP."""

from __future__ import annotations

import asyncio
import json
import math
import re
import time
from typing import TYPE_CHECKING

from evenair.lab.errors import LabError
from evenair.lab.feed import Feed
from evenair.text.messages import reason

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

_PERIOD_S = 1.0
_TIMEOUT_S = 2.0
_KEPT = 3600
"""Readings that a page gets that begins to follow later."""
_KEPT_BYTES = 50_000_000
"""Of all readings: an hour of them if each has 13 kB."""
_MOST_BYTES = 1_000_000
"""Of an answer."""

_ADDRESS = re.compile(r"(?:http://)?(?:\[([0-9a-f:.]+)\]|([a-z0-9.-]+)):(\d{1,5})(?:/metrics)?/?")
_UNIX = "unix:"
# Each is matched at one place, and no part of it can match what the next one does: they take time
# in proportion to the text, also where it is not OpenMetrics.
_NAME = re.compile(r"[a-z_:][a-z0-9_:]*", re.IGNORECASE)
_LABEL = re.compile(r'([a-z_][a-z0-9_]*)="[^"\\]*(?:\\.[^"\\]*)*"', re.IGNORECASE)


def is_address(text: str) -> bool:
    """Return whether a text names a daemon's metrics, as `[metrics] listen` of its file does."""
    return text.startswith(_UNIX) or _ADDRESS.fullmatch(text.lower()) is not None


class Gateway:
    """A daemon's metrics, read each second from the first request for them on."""

    kind = "gateway"

    def __init__(self, address: str) -> None:
        """Take HOST:PORT or unix:PATH. Raises LabError."""
        self.name = address
        match = _ADDRESS.fullmatch(address.lower())
        if match is not None and int(match[3]) > 65535:
            raise LabError(f"--follow: got {address!r}, expected a port up to 65535")
        self._host = None if match is None else match[1] or match[2]
        self._port = 0 if match is None else int(match[3])
        self._feed = Feed(_KEPT, _KEPT_BYTES)
        self._task: asyncio.Task[None] | None = None

    async def lines(self) -> AsyncIterator[bytes]:
        """Return the readings that are kept, then new ones. Has no end."""
        if self._task is None:
            self._task = asyncio.create_task(self._poll())
        async for lines in self._feed.lines():
            yield lines

    async def _poll(self) -> None:
        while True:
            began = time.monotonic()
            try:
                async with asyncio.timeout(_TIMEOUT_S):
                    samples = parse(await self._get())
                line = {"state": "running", "unix_s": time.time(), "samples": samples}
            except TimeoutError:
                line = {"state": "waiting", "reason": "no answer in time"}
            except (OSError, ValueError) as error:
                line = {"state": "waiting", "reason": reason(error)}
            self._feed.add(json.dumps(line, separators=(",", ":")).encode() + b"\n")
            await asyncio.sleep(max(0.0, _PERIOD_S - (time.monotonic() - began)))

    async def _get(self) -> str:
        """Return the text of the metrics. Raises OSError, ValueError."""
        if self._host is None:
            path = self.name.removeprefix(_UNIX)
            reader, writer = await asyncio.open_unix_connection(path, limit=_MOST_BYTES)
        else:
            reader, writer = await asyncio.open_connection(
                self._host, self._port, limit=_MOST_BYTES
            )
        try:
            writer.write(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            head = await reader.readuntil(b"\r\n\r\n")
            if head.split(b" ", 2)[1:2] != [b"200"]:
                status = head.partition(b"\r")[0].decode(errors="replace")
                raise ValueError(f"answers {status[:80]}")
            body = bytearray()
            while block := await reader.read(1 << 16):
                body += block
                if len(body) > _MOST_BYTES:
                    raise ValueError("answers more than 1 MB")
            return body.decode()
        except asyncio.LimitOverrunError:
            raise ValueError("answers more than 1 MB") from None
        except asyncio.IncompleteReadError:
            raise ValueError("ends the connection without an answer") from None
        finally:
            writer.close()


def parse(text: str) -> dict[str, float]:
    """Return the samples of an OpenMetrics text, by name and labels without the interface.

    Raises ValueError if it is none.
    """
    samples: dict[str, float] = {}
    for line in text.split("\n"):
        if line.startswith("#") or not line:
            continue
        sample = _sample(line)
        if sample is None:
            raise ValueError(f"not OpenMetrics: {line[:80]}")
        name, value = sample
        if math.isfinite(value):  # JSON has no others
            samples[name] = value
    if not text.endswith("# EOF\n"):
        raise ValueError("not OpenMetrics: it does not end with # EOF")
    return samples


def _sample(line: str) -> tuple[str, float] | None:
    """Return name and value of `NAME{LABEL="...",...} VALUE TIMESTAMP`, None if it is not that."""
    name = _NAME.match(line)
    if name is None:
        return None
    found = _labels(line, name.end())
    if found is None:
        return None
    labels, end = found
    fields = line[end:].split(" ", 3)
    if len(fields) not in (2, 3) or fields[0] or not all(fields[1:]):
        return None
    try:
        value = float(fields[1])
    except ValueError:
        return None
    others = [text for label, text in labels if label != "interface"]
    return name[0] + ("{" + ",".join(others) + "}" if others else ""), value


def _labels(line: str, start: int) -> tuple[list[tuple[str, str]], int] | None:
    """Return names and texts of the labels at a place, if any, and where they end."""
    if line[start : start + 1] != "{":
        return [], start
    if line[start + 1 : start + 2] == "}":
        return [], start + 2
    labels, at = [], start
    while line[at] in "{,":
        label = _LABEL.match(line, at + 1)
        if label is None or label.end() == len(line):
            return None
        labels.append((label[1], label[0]))
        at = label.end()
    return (labels, at + 1) if line[at] == "}" else None
