"""Serving the lab: the socket, the token, and signals."""

from __future__ import annotations

import asyncio
import errno
import ipaddress
import os
import secrets
import signal
import socket
from contextlib import contextmanager
from typing import TYPE_CHECKING

import uvicorn

from evenair._core import read_no_files
from evenair.lab.app import Lab
from evenair.lab.errors import LabError
from evenair.lab.folder import remove_abandoned
from evenair.lab.follow import source
from evenair.lab.page import Page
from evenair.text.messages import reason

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from types import FrameType

_GRACE_S = 2
"""How long connections may take to end."""
_ENDING = [
    number
    for name in ("SIGINT", "SIGTERM", "SIGHUP")
    if (number := getattr(signal, name, None)) is not None  # Windows has no SIGHUP
]


def serve(
    *,
    host: str,
    port: int,
    scenario: str | None,
    follow: Sequence[str],
    ready: Callable[[str], None],
) -> None:
    """Serve the lab until a signal, which is then handled as it was before the call.

    `ready` is called with the address of the page once it can be opened. Raises LabError. From
    then on, no scenario of this process may name files.
    """
    read_no_files()  # a page could have any file of this machine told to it
    page = Page()
    remove_abandoned()
    listening = _listen(host, port)
    with listening:
        asyncio.run(_serve(page, listening, host, scenario, follow, ready))


async def _serve(
    page: Page,
    listening: socket.socket,
    host: str,
    scenario: str | None,
    follow: Sequence[str],
    ready: Callable[[str], None],
) -> None:
    token = secrets.token_urlsafe(24)
    sources = [source(text) for text in follow]
    lab = Lab(page, token=token, host=host, scenario=scenario, sources=sources)
    config = uvicorn.Config(
        lab.app,
        http="h11",
        ws="none",
        log_config=None,
        log_level="critical",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=_GRACE_S,
    )
    address = f"http://{_shown(host)}:{listening.getsockname()[1]}/?token={token}"
    await _Server(config, lab, lambda: ready(address)).serve([listening])


class _Server(uvicorn.Server):
    """A server that says when it is ready, and ends runs and streams on a signal."""

    def __init__(self, config: uvicorn.Config, lab: Lab, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._lab, self._ready = lab, ready
        self._received: list[int] = []

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start to accept connections."""
        await super().startup(sockets)
        self._ready()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Take the signals that end the program, and raise them again at the end."""
        loop = asyncio.get_running_loop()

        def stop(number: int, frame: FrameType | None) -> None:
            self._received.append(number)
            self.should_exit = True
            loop.call_soon_threadsafe(self._lab.stop)

        before = {number: signal.signal(number, stop) for number in _ENDING}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
        if self._received:
            signal.raise_signal(self._received[0])


def is_loopback(host: str) -> bool:
    """Return whether only this machine can reach a host."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens. Raises LabError."""
    try:
        family, kind, protocol, _, where = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listening = socket.socket(family, kind, protocol)
        try:
            if os.name == "posix":  # elsewhere it lets another program listen on the same port
                # Connections of a server that has ended do not keep the port.
                listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listening.bind(where)
            listening.listen(100)
        except BaseException:
            listening.close()
            raise
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise LabError(
                f"--port: {port} is in use on {host}, perhaps by another lab;"
                " give another one, or 0 for any that is free"
            ) from None
        if error.errno == errno.EACCES:
            raise LabError(f"--port: {port}: {reason(error)}") from None
        raise LabError(f"--host: {host}: {reason(error)}") from None
    except UnicodeError:
        raise LabError(f"--host: got {host!r}, expected a name or an address") from None
    return listening


def _shown(host: str) -> str:
    """Return the host as a browser on this machine finds it."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host
    if address.is_unspecified:
        return "127.0.0.1" if address.version == 4 else "[::1]"
    return f"[{host}]" if address.version == 6 else host
