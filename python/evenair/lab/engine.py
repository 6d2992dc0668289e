"""Runs for the page, at most one per processor at a time."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from evenair._core import answer
from evenair.engine import processors

if TYPE_CHECKING:
    from starlette.requests import Request


class Gone(Exception):
    """Nobody waits for the answer any more, or the server is ending."""


class Runs:
    """A pool of threads for requests to the engine; `close` ends what is running."""

    def __init__(self) -> None:
        self.parallel = processors()
        """How many run at once; others wait in the order of their arrival."""
        self._threads = ThreadPoolExecutor(self.parallel, "run")
        self._current: set[threading.Event] = set()
        self._is_closed = False

    async def answer(self, text: str, request: Request) -> str:
        """Return the engine's answer to a request in JSON text.

        Raises Gone if the client of the HTTP request does not wait for it, or after `close`. The
        run has ended then.
        """
        if self._is_closed:
            raise Gone
        gone = threading.Event()

        def work() -> str:
            def check() -> None:
                if gone.is_set():
                    raise Gone

            check()
            return answer(text, check)

        self._current.add(gone)
        run = asyncio.get_running_loop().run_in_executor(self._threads, work)
        watch = asyncio.create_task(_disconnected(request))
        try:
            waited: list[asyncio.Future[Any]] = [run, watch]
            await asyncio.wait(waited, return_when=asyncio.FIRST_COMPLETED)
            if not run.done():
                gone.set()
            return await run
        finally:
            gone.set()
            watch.cancel()
            self._current.discard(gone)

    def close(self) -> None:
        """End all runs."""
        self._is_closed = True
        for gone in self._current:
            gone.set()
        self._threads.shutdown(wait=False)  # those that wait end when they start


async def _disconnected(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
