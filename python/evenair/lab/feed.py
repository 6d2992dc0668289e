"""Lines that several readers follow, each from the first that is kept."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


class Feed:
    """Blocks of whole lines; `end` tells readers that no more will come."""

    def __init__(self, most: int | None = None, most_bytes: int | None = None) -> None:
        """`most` and `most_bytes` are how many blocks and bytes are kept at most; None for all."""
        self._most, self._most_bytes = most, most_bytes
        self._blocks: deque[bytes] = deque()
        self._bytes = self._count = 0
        """Blocks since the start."""
        self._has_ended = False
        self._news = asyncio.Event()
        """Of the next change: each change has a new one."""

    def add(self, block: bytes) -> None:
        """Add lines."""
        self._blocks.append(block)
        self._bytes += len(block)
        self._count += 1
        while self._is_full():
            self._bytes -= len(self._blocks.popleft())
        self._tell()

    def _is_full(self) -> bool:
        if self._most is not None and len(self._blocks) > self._most:
            return True
        return self._most_bytes is not None and self._bytes > self._most_bytes

    def end(self) -> None:
        """Add no more."""
        self._has_ended = True
        self._tell()

    def _tell(self) -> None:
        self._news.set()
        self._news = asyncio.Event()

    async def lines(self) -> AsyncIterator[bytes]:
        """Return what is kept, then what is new, until the end."""
        read = 0
        while True:
            news, missed = self._news, min(self._count - read, len(self._blocks))
            if missed:
                blocks = [*self._blocks][len(self._blocks) - missed :]
                read = self._count
                yield b"".join(blocks)
            elif self._has_ended:
                return
            else:
                await news.wait()
