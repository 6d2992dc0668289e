"""A small HTTP server, and web users: programs that run in the namespaces of a test-bed.

    python -m evenair.testbed.traffic.web server|client TABLE

TABLE is a file of JSON, a list with an entry for each flow of the namespace. Standard output gets a
line of JSON for each event, standard input says when the run begins. Downloads are GET requests of
/BYTES, uploads PUT requests; each has a connection of its own, which the station opens.
"""

from __future__ import annotations

import contextlib
import json
import random
import socket
import sys
import threading
import time
from pathlib import Path
from typing import Any

from evenair.testbed.linux.tcp_info import TcpInfo
from evenair.testbed.traffic.draws import draws

_BLOCK = bytes(1 << 16)
_TCP_INFO_BYTES = 256
_SO_RCVBUFFORCE = 33  # asm-generic/socket.h
_MOST_HEADERS = 1 << 14
_REPORT_S = 0.05
"""Time between two reports of the progress of a transfer."""
_PAUSE_S = 0.1
"""Time between an error, which may last, and the next file."""
_lock = threading.Lock()


def main(arguments: list[str]) -> int:
    """Run the server or the clients until standard input ends."""
    if len(arguments) != 2 or arguments[0] not in ("server", "client"):
        print("usage: python -m evenair.testbed.traffic.web server|client TABLE", file=sys.stderr)
        return 2
    table: list[dict[str, Any]] = json.loads(Path(arguments[1]).read_text())
    if arguments[0] == "server":
        for entry in table:
            listener = listen(entry)
            threading.Thread(target=serve, args=(listener, entry), daemon=True).start()
        report(event="ready")
    else:
        report(event="ready")
        began = float(sys.stdin.readline() or "nan")
        if began == began:  # else the test-bed has ended
            for entry in table:
                threading.Thread(target=browse, args=(entry, began), daemon=True).start()
    sys.stdin.read()
    return 0


def report(**event: Any) -> None:
    """Print a line of JSON."""
    with _lock:
        print(json.dumps(event), flush=True)


# --- Server ---------------------------------------------------------------------------------------


def listen(entry: dict[str, Any]) -> socket.socket:
    """Listen at the flow's port with its congestion control and receive buffer."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    _configure(listener, entry)
    listener.bind(("", entry["port"]))
    listener.listen(1024)
    return listener


def serve(listener: socket.socket, entry: dict[str, Any]) -> None:
    """Answer requests, each in a thread."""
    while True:
        connection, (_, port) = listener.accept()
        threading.Thread(target=answer, args=(connection, port, entry), daemon=True).start()


def answer(connection: socket.socket, port: int, entry: dict[str, Any]) -> None:
    """Answer one request, and report what the client cannot know."""
    with connection, contextlib.suppress(OSError, ValueError):
        head, body = _read_head(connection)
        method, target = head.split(b" ", 2)[:2]
        if method == b"GET":
            size = int(target.removeprefix(b"/"))
            connection.sendall(_response(b"200 OK", size))
            _send(connection, size)
            connection.shutdown(socket.SHUT_WR)
            while connection.recv(len(_BLOCK)):  # the client closes once it has all
                pass
            end = time.monotonic()
            report(event="transfer", flow=entry["flow"], port=port, end=end, **_counts(connection))
        elif method == b"PUT":
            arrivals = Arrivals(entry["flow"], len(body))
            arrivals.receive(connection, _length(head) - len(body))
            report(event="transfer", flow=entry["flow"], port=port, **arrivals.times)
            connection.sendall(_response(b"204 No Content", 0))
        else:
            connection.sendall(_response(b"405 Method Not Allowed", 0))


# --- Client ---------------------------------------------------------------------------------------


def browse(entry: dict[str, Any], began: float) -> None:
    """Fetch or send files one after the other, with times to think."""
    randoms = [random.Random(f"{entry['seed']} {entry['flow']} {what}") for what in "st"]
    sizes, thinks = draws(entry["size"], randoms[0]), draws(entry["think"], randoms[1])
    _sleep_until(began + entry["start"])
    stop = None if entry["stop"] is None else began + entry["stop"]
    for _ in range(entry["sessions"] or sys.maxsize):
        time.sleep(next(thinks))
        if stop is not None and time.monotonic() >= stop:
            break
        size = max(1, round(next(sizes)))
        try:
            transfer(entry, size)
        except (OSError, ValueError) as error:
            report(event="error", flow=entry["flow"], t=time.monotonic(), reason=str(error))
            time.sleep(_PAUSE_S)
    report(event="done", flow=entry["flow"])


def transfer(entry: dict[str, Any], size: int) -> None:
    """Fetch or send one file, and report what this end knows about it."""
    start = time.monotonic()
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as connection:
        _configure(connection, entry)
        connection.connect((entry["address"], entry["port"]))
        port = connection.getsockname()[1]
        report(event="transfer", flow=entry["flow"], port=port, start=start, bytes=size)
        if entry["up"]:
            connection.sendall(_request(f"PUT / HTTP/1.1\r\nContent-Length: {size}", entry))
            _send(connection, size)
            _read_head(connection)
            end = time.monotonic()
            report(event="transfer", flow=entry["flow"], port=port, end=end, **_counts(connection))
        else:
            connection.sendall(_request(f"GET /{size} HTTP/1.1", entry))
            head, body = _read_head(connection)
            if not head.startswith(b"HTTP/1.1 200 "):
                raise ValueError(head.split(b"\r\n")[0].decode(errors="replace"))
            arrivals = Arrivals(entry["flow"], len(body))
            arrivals.receive(connection, size - len(body))
            report(event="transfer", flow=entry["flow"], port=port, **arrivals.times)


# --- Both -----------------------------------------------------------------------------------------


class Arrivals:
    """The body of a request or response as it arrives; reports its progress."""

    def __init__(self, flow: int, count: int) -> None:
        """`count` bytes have arrived with the head."""
        self.times: dict[str, float] = {}
        self._flow = flow
        self._count = 0
        self._reported = time.monotonic()
        self._add(count)

    def receive(self, connection: socket.socket, size: int) -> None:
        """Receive `size` bytes. Raises OSError if the connection ends before."""
        while size > 0:
            data = connection.recv(min(size, len(_BLOCK)))
            if not data:
                raise ConnectionError(f"the connection ended with {size} bytes missing")
            size -= len(data)
            self._add(len(data))
        self._report()

    def _add(self, count: int) -> None:
        now = time.monotonic()
        if count:
            self.times.setdefault("first", now)
            self.times["last"] = now
            self._count += count
        if now - self._reported > _REPORT_S:
            self._report()

    def _report(self) -> None:
        self._reported = time.monotonic()
        if self._count:
            report(event="bytes", flow=self._flow, t=self._reported, bytes=self._count)
            self._count = 0


def _configure(sock: socket.socket, entry: dict[str, Any]) -> None:
    sock.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, entry["traffic_class"])
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, entry["control"].encode())
    if entry["receive_buffer"] is not None:
        # The kernel doubles the value, which may exceed net.core.rmem_max (socket(7)).
        sock.setsockopt(socket.SOL_SOCKET, _SO_RCVBUFFORCE, entry["receive_buffer"] // 2)


def _send(connection: socket.socket, size: int) -> None:
    while size > 0:
        block = memoryview(_BLOCK)[: min(size, len(_BLOCK))]
        connection.sendall(block)
        size -= len(block)


def _read_head(connection: socket.socket) -> tuple[bytes, bytes]:
    """Return the head of a request or response, and what has arrived of its body."""
    data = b""
    while b"\r\n\r\n" not in data:
        part = connection.recv(len(_BLOCK))
        if not part or len(data) > _MOST_HEADERS:
            raise ConnectionError("the connection ended within the header")
        data += part
    head, _, body = data.partition(b"\r\n\r\n")
    return head, body


def _length(head: bytes) -> int:
    for line in head.split(b"\r\n")[1:]:
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-length":
            return int(value)
    raise ValueError("no Content-Length")


def _request(line: str, entry: dict[str, Any]) -> bytes:
    return f"{line}\r\nHost: {entry['address']}\r\nConnection: close\r\n\r\n".encode()


def _response(status: bytes, size: int) -> bytes:
    length = f"Content-Length: {size}\r\n".encode()
    return b"HTTP/1.1 " + status + b"\r\n" + length + b"Connection: close\r\n\r\n"


def _info(connection: socket.socket) -> TcpInfo:
    data = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _TCP_INFO_BYTES)
    return TcpInfo.parse(data)


def _counts(connection: socket.socket) -> dict[str, int | None]:
    info = _info(connection)
    return {
        "segments": info.data_segments,
        "retransmissions": info.retransmissions,
        "timeouts": info.timeouts,
    }


def _sleep_until(when: float) -> None:
    time.sleep(max(0.0, when - time.monotonic()))


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
