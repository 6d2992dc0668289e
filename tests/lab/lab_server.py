"""`evenair lab` as a process, and requests to it."""

from __future__ import annotations

import http.client
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

ROOT = Path(__file__).parent.parent.parent


def write_page(folder: Path) -> Path:
    """A page with the index of the lab: the tests here look at the server, not at the page."""
    folder.mkdir()
    shutil.copy(ROOT / "lab" / "index.html", folder)
    (folder / "main.js").write_text("document.title = 'lab';\n" * 1000)
    (folder / "evenair.wasm").write_bytes(b"\0asm\1\0\0\0" + bytes(10_000))
    secret = folder.parent / "secret.txt"
    secret.write_text("not of the page")
    # Links that lead out of it.
    (folder / "link.txt").symlink_to(secret)
    (folder / "linked").symlink_to(folder.parent)
    (folder / "folder").mkdir()
    (folder / "folder" / "index.html").symlink_to(secret)
    return folder


@dataclass
class Answer:
    status: int
    headers: http.client.HTTPMessage
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class LabServer:
    """A server with a page of its own, in a folder; ended by `stop`."""

    def __init__(self, folder: Path, *arguments: str, port: int = 0) -> None:
        page = folder / "page"
        if not page.exists():
            write_page(page)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "evenair", "lab", "--no-browser", f"--port={port}", *arguments],
            cwd=folder,
            env={**os.environ, "EVENAIR_LAB_PAGE": str(page), "TMPDIR": str(folder)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            _, errors = self.process.communicate(timeout=30)
            raise RuntimeError(f"status {self.process.returncode}: {errors}")
        self.address = line.rpartition(" ")[2].strip()
        parts = urlsplit(self.address)
        self.host, self.port = parts.hostname or "", parts.port or 0
        self.token = parse_qs(parts.query)["token"][0]

    def connect(self, timeout: float = 60) -> http.client.HTTPConnection:
        return http.client.HTTPConnection(self.host, self.port, timeout=timeout)

    def ask(
        self,
        method: str,
        path: str,
        body: Any = None,
        headers: dict[str, str] | None = None,
        *,
        token: str | None = "",
    ) -> Answer:
        """Send a request with the token, another one, or none; a body that is no text as JSON."""
        connection = self.connect()
        sent = dict(headers or {})
        if token is not None:
            sent.setdefault("Authorization", f"Bearer {token or self.token}")
        if body is not None and not isinstance(body, bytes | str):
            body = json.dumps(body)
        try:
            connection.request(method, path, body, sent)
            response = connection.getresponse()
            return Answer(response.status, response.headers, response.read())
        finally:
            connection.close()

    def post(self, path: str, body: Any) -> Any:
        answer = self.ask("POST", path, body)
        assert answer.status in (200, 201), answer.body
        return answer.json

    def lines(self, path: str) -> Stream:
        return Stream(self, path)

    def stop(self, number: int = signal.SIGTERM) -> tuple[int, str]:
        """End the process; return its status and what it has said on standard error."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        _, errors = self.process.communicate(timeout=30)
        return self.process.returncode, errors


class Stream:
    """The documents of a stream, as they come."""

    def __init__(self, server: LabServer, path: str) -> None:
        self._connection = server.connect(timeout=30)
        headers = {"Authorization": f"Bearer {server.token}"}
        self._connection.request("GET", path, headers=headers)
        self._response = self._connection.getresponse()
        assert self._response.status == 200

    def __iter__(self) -> Stream:
        return self

    def __next__(self) -> Any:
        while line := self._response.readline():
            if line.strip():
                return json.loads(line)
        self.close()
        raise StopIteration

    def until(self, state: str) -> list[Any]:
        """Return the documents up to the first with this state."""
        found = []
        for document in self:
            found.append(document)
            if document.get("state") == state:
                return found
        raise AssertionError(f"the stream has ended without {state!r}: {found[-3:]}")

    def close(self) -> None:
        self._response.close()
        self._connection.close()


def wait_until(condition: Any, timeout_s: float = 30.0) -> None:
    """Wait for a condition. Raises AssertionError if it does not come about."""
    deadline = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < deadline, "it did not come about in time"
        time.sleep(0.02)
