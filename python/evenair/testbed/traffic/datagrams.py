"""Applications over UDP: a program that runs in a namespace of a test-bed, see `application`.

When datagrams are sent, of which size, and what their receiver makes of them, is decided by the
simulator's own code (`DatagramSource`). The times of arrivals are the kernel's. A datagram begins
with its number, as far as it has room: flows keep their order, so a few bits tell which it is.
"""

from __future__ import annotations

import collections
import contextlib
import json
import select
import socket
import struct
import sys
import time
from typing import TYPE_CHECKING, Any

from evenair._core import DatagramSource
from evenair.testbed.linux.namespaces import enter, join
from evenair.testbed.traffic import application

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_LARGEST = bytes(1 << 16)
_NUMBER_BYTES = 4
_SO_TIMESTAMPNS = 35  # asm-generic/socket.h
_TIMESPEC = struct.Struct("=qq")
_ANCILLARY_BYTES = socket.CMSG_SPACE(_TIMESPEC.size)


class Numbers:
    """The numbers of the datagrams that arrive at one end."""

    def __init__(self) -> None:
        """None has arrived."""
        self._next = 0

    def read(self, data: bytes) -> int:
        """Return the number of a datagram: the first that it may have after the one before."""
        known = data[:_NUMBER_BYTES]
        modulus = 1 << (8 * len(known))
        number = self._next + (int.from_bytes(known) - self._next) % modulus
        self._next = number + 1
        return number


def payload(number: int, size: int) -> bytes:
    """Return a datagram of `size` bytes with its number."""
    room = min(size, _NUMBER_BYTES)
    return (number % (1 << (8 * room))).to_bytes(room) + _LARGEST[room:size]


class Ends:
    """The sockets of both ends of a flow."""

    def __init__(self, table: dict[str, Any]) -> None:
        """Make them."""
        join(table["namespaces"]["sender"])
        self._target = (table["addresses"]["receiver"], table["port"])
        self._tos = table["traffic_class"]
        self.sender = self._socket(table["source_port"])
        self.receiver = enter(table["namespaces"]["receiver"], lambda: self._socket(table["port"]))

    def send(self, data: bytes) -> None:
        """Send a datagram."""
        with contextlib.suppress(OSError):  # the device is full, or gone at the end
            self.sender.sendto(data, self._target)

    def _socket(self, port: int) -> socket.socket:
        sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        sock.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, self._tos)
        sock.setsockopt(socket.SOL_SOCKET, _SO_TIMESTAMPNS, 1)
        sock.bind(("", port))
        return sock


def prepare(table: dict[str, Any]) -> Callable[[int], dict[str, Any]]:
    """Return what sends and receives the datagrams of a table, and returns its outcome."""
    source = DatagramSource(application.scenario(table), table["seed"], table["flow"])
    ends = Ends(table)
    return lambda began: run(source, ends, table, began)


def run(source: DatagramSource, ends: Ends, table: dict[str, Any], began: int) -> dict[str, Any]:
    """Send and receive to the end of the run, which began at a time of the monotonic clock."""
    end, header = table["end"], table["header"]
    under_way: collections.deque[tuple[int, int]] = collections.deque()
    arrived, returned = Numbers(), Numbers()
    sent = 0
    while (now := time.monotonic_ns() - began) < end:
        due, size = source.next()
        if due is not None and due <= now:  # one that is late is sent at once
            source.on_sent(now)
            under_way.append((sent, now))
            ends.send(payload(sent, size + header))
            sent += 1
            continue
        until = end if due is None else min(due, end)
        wait = (until - now) / application.NANOSECONDS
        readable, _, _ = select.select([ends.receiver, ends.sender], [], [], wait)
        if ends.receiver in readable:
            for at, data, address in _arrivals(ends.receiver, began):
                if source.is_echoed:
                    with contextlib.suppress(OSError):
                        ends.receiver.sendto(data, address)
                number = arrived.read(data)
                while under_way and under_way[0][0] < number:
                    under_way.popleft()
                if under_way:
                    number, when = under_way.popleft()
                    source.on_datagram(at, when, number, max(0, len(data) - header))
        if ends.sender in readable:
            for at, data, _ in _arrivals(ends.sender, began):
                source.on_echo(at, returned.read(data))
    return {"flow": json.loads(source.result(end)), "errors": []}


def _arrivals(sock: socket.socket, began: int) -> Iterator[tuple[int, bytes, Any]]:
    """Yield what has arrived: when, by the clock of the run, what, and from where."""
    while True:
        try:
            data, ancillary, _, address = sock.recvmsg(
                len(_LARGEST), _ANCILLARY_BYTES, socket.MSG_DONTWAIT
            )
        except BlockingIOError:
            return
        except OSError:  # of what was sent before, as that its port was closed
            continue
        clocks = time.monotonic_ns() - time.time_ns()
        at = time.time_ns()
        for level, kind, value in ancillary:
            if (level, kind) == (socket.SOL_SOCKET, _SO_TIMESTAMPNS):
                seconds, rest = _TIMESPEC.unpack(value)
                at = seconds * application.NANOSECONDS + rest
        yield at + clocks - began, data, address


if __name__ == "__main__":
    raise SystemExit(application.main(sys.argv, prepare))
