"""A plain web server for the lab's static page: loopback, gzip, nothing cached."""

from __future__ import annotations

import gzip
import http.server
import threading
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

TYPES = {
    ".css": "text/css",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript",
    ".json": "application/json",
    ".txt": "text/plain; charset=utf-8",
    ".wasm": "application/wasm",
}


@cache
def compressed(path: Path, modified_ns: int) -> bytes:
    """Return the content of a file as it is sent. Most tests have a site of the same page."""
    return gzip.compress(path.read_bytes(), 6)


class Site:
    """A folder on a port of 127.0.0.1.

    It can be stopped and started again at the same address. `requested` has the paths that were
    asked for, in order, and `sent` the bytes of all bodies, compressed.
    """

    def __init__(self, folder: Path) -> None:
        self.files = {
            f"/{path.relative_to(folder).as_posix()}": (
                TYPES.get(path.suffix, "application/octet-stream"),
                compressed(path, path.stat().st_mtime_ns),
            )
            for path in folder.rglob("*")
            if path.is_file()
        }
        self.requested: list[str] = []
        self.sent = 0
        self._port = 0
        self._server: http.server.ThreadingHTTPServer | None = None

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._port}/"

    def start(self) -> Site:
        site = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            timeout = 1  # seconds that an idle connection stays

            def do_GET(self) -> None:
                site._answer(self)

            def log_message(self, *_: object) -> None:
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", self._port), Handler)
        self._server.daemon_threads = True
        self._port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def stop(self) -> None:
        assert self._server is not None
        self._server.shutdown()
        self._server.server_close()
        self._server = None

    def _answer(self, handler: http.server.BaseHTTPRequestHandler) -> None:
        path = handler.path.partition("?")[0]
        self.requested.append(path)
        kind, body = self.files.get("/index.html" if path == "/" else path, ("", None))
        if body is None:
            handler.send_error(404)
            return
        self.sent += len(body)
        handler.send_response(200)
        for name, value in {
            "Content-Type": kind,
            "Content-Encoding": "gzip",
            "Content-Length": str(len(body)),
            "Cache-Control": "no-store",
        }.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(body)
