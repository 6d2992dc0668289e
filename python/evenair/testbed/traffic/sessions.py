"""Sessions over TCP: a program that runs in a namespace of a test-bed, see `application`.

What is done with connections, and when, is decided by the simulator's own code (`StreamSession`).
Here are the sockets. A request is bytes without a meaning: the sender of the data knows from the
session how many were asked for.
"""

from __future__ import annotations

import collections
import errno
import fcntl
import json
import os
import select
import socket
import struct
import sys
import termios
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from evenair._core import StreamSession
from evenair.testbed.linux.namespaces import enter, join
from evenair.testbed.linux.tcp_info import TcpInfo
from evenair.testbed.traffic import application

if TYPE_CHECKING:
    from collections.abc import Callable

_BLOCK = memoryview(bytes(1 << 18))
_RECEIVE_BYTES = 1 << 20
_TCP_INFO_BYTES = 256
_SO_RCVBUFFORCE = 33  # asm-generic/socket.h
_SO_TIMESTAMPING = 37
_TIMESTAMPING = 1 << 4 | 1 << 9 | 1 << 11
"""SOF_TIMESTAMPING_SOFTWARE, _TX_ACK, _OPT_TSONLY (linux/net_tstamp.h): when the last byte
of a call has been acknowledged the queue of errors has an entry, of which epoll(7) tells."""
_MOST_ERRORS = 10
_GONE = (errno.EPIPE, errno.ECONNRESET)


@dataclass
class _Connection:
    """A connection and its progress."""

    slot: int
    opener: socket.socket
    asked: int
    """Bytes that the session has asked for."""
    waiting: collections.deque[int]
    """Bytes of each request that has not reached the sender."""
    sender: socket.socket | None = None
    receiver: socket.socket | None = None
    is_connected: bool = False
    request_bytes: int = 0
    """Of requests that have reached the sender."""
    unsent: int = 0
    written: int = 0
    received: int = 0
    is_stopped: bool = False
    is_done: bool = False
    counted: Counts | None = None
    """What it had done when it was closed."""

    @property
    def sockets(self) -> list[socket.socket]:
        """Those that are open."""
        found = {self.opener, self.sender, self.receiver} - {None}
        return [each for each in found if each is not None and each.fileno() >= 0]

    def counts(self) -> Counts:
        """Return what the ends have done so far."""
        if self.counted is not None:
            return self.counted
        infos = [(end, _info(end)) for end in self.sockets]
        sent = [info for end, info in infos if end is self.sender]
        return Counts(
            sum(info.data_segments for info in sent),
            sum(info.retransmissions for info in sent),
            sum(info.timeouts or 0 for _, info in infos),
        )


@dataclass(frozen=True)
class Counts:
    """What connections have done."""

    segments: int = 0
    retransmissions: int = 0
    timeouts: int = 0
    received: int = 0

    def __add__(self, other: Counts) -> Counts:
        return Counts(*(a + b for a, b in zip(self._values, other._values, strict=True)))

    def __sub__(self, other: Counts) -> Counts:
        return Counts(*(a - b for a, b in zip(self._values, other._values, strict=True)))

    @property
    def _values(self) -> tuple[int, ...]:
        return self.segments, self.retransmissions, self.timeouts, self.received


@dataclass
class Sockets:
    """The connections of a session, by slot, as it wants them (`StreamSession`)."""

    table: dict[str, Any]
    request_bytes: int
    sender_listens: bool
    poll: select.epoll = field(default_factory=select.epoll)
    slots: dict[int, _Connection] = field(default_factory=dict)
    """The present connection of each slot."""
    changed: dict[int, None] = field(default_factory=dict)
    """The slots of which the session is to be told, in the order of time."""
    errors: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Listen."""
        self._past = Counts()
        self._by_port: dict[int, _Connection] = {}
        self._by_descriptor: dict[int, tuple[_Connection, socket.socket]] = {}
        server = "sender" if self.sender_listens else "receiver"
        self._server = (self.table["addresses"][server], self.table["port"])
        self._listener = enter(self.table["namespaces"][server], self._listen)
        self.poll.register(self._listener, select.EPOLLIN)

    # --- What the session calls -------------------------------------------------------------------

    def open(self, slot: int, size: int) -> None:
        """Open a new connection instead of the present one, over which so many bytes are sent."""
        self.close(slot)
        opener = self._socket()
        connection = _Connection(slot, opener, size, collections.deque([size]))
        self.slots[slot] = connection
        if self.sender_listens:
            connection.receiver = opener
        else:
            connection.sender = opener
        self._watch(connection, opener, select.EPOLLOUT)
        code = opener.connect_ex(self._server)
        if code not in (0, errno.EINPROGRESS):
            self._fail(connection, code)
            return
        self._by_port[opener.getsockname()[1]] = connection

    def request(self, slot: int, size: int) -> None:
        """Ask for so many bytes more."""
        connection = self.slots[slot]
        connection.asked += size
        connection.is_done = False
        connection.waiting.append(size)
        self._ask(connection)

    def received(self, slot: int) -> tuple[int, bool]:
        """Return how many bytes have arrived, and whether any have."""
        received = self.slots[slot].received if slot in self.slots else 0
        return received, received > 0

    def is_done(self, slot: int) -> bool:
        """Return whether the sender knows that all has arrived."""
        return slot in self.slots and self.slots[slot].is_done

    def repairs(self, slot: int) -> tuple[int, int]:
        """Return segments sent again, and expiries of retransmission timers."""
        counts = self.slots[slot].counts()
        return counts.retransmissions, counts.timeouts

    def stop(self, slot: int) -> bool:
        """Send nothing new; return whether something is under way."""
        if slot not in self.slots:
            return False
        connection = self.slots[slot]
        connection.is_stopped = True
        connection.waiting.clear()
        connection.unsent = 0
        if connection.sender is None or not connection.is_connected:
            self.close(slot)
            return False
        self._check_done(connection)
        return not connection.is_done

    # --- What happens to sockets ------------------------------------------------------------------

    def wait(self, seconds: float) -> None:
        """Handle what happens until then, or what happens first."""
        # The timeout of epoll_wait(2) is in milliseconds, that of select(2) in microseconds.
        select.select([self.poll], [], [], seconds)
        for descriptor, events in self.poll.poll(0):
            if descriptor == self._listener.fileno():
                self._accept()
            elif descriptor in self._by_descriptor:  # else it has just been closed
                connection, end = self._by_descriptor[descriptor]
                try:
                    self._handle(connection, end, events)
                except OSError as error:
                    self._fail(connection, error.errno or 0)

    def close(self, slot: int) -> None:
        """Close the connection of a slot."""
        connection = self.slots.get(slot)
        if connection is None or connection.counted is not None:
            return
        connection.counted = connection.counts()
        self._past += connection.counted
        for end in connection.sockets:
            self._by_descriptor.pop(end.fileno(), None)
            self.poll.unregister(end)
            end.close()

    def close_done(self) -> None:
        """Close the connections over which all has been said."""
        for slot, connection in self.slots.items():
            if connection.is_done:
                self.close(slot)

    def counts(self) -> Counts:
        """Return what all connections have done so far."""
        present = [each.counts() for each in self.slots.values() if each.counted is None]
        return sum(present, self._past)

    def _handle(self, connection: _Connection, end: socket.socket, events: int) -> None:
        if events & select.EPOLLERR:
            _drain_errors(end)
            if code := end.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR):
                self._fail(connection, code)
                return
        if events & select.EPOLLOUT and end is connection.opener and not connection.is_connected:
            connection.is_connected = True
            self._watch(connection, end, select.EPOLLIN)
            if self.sender_listens:
                self._ask(connection)
            else:
                self._release(connection)
        elif events & select.EPOLLOUT and end is connection.sender:
            self._send(connection)
        if events & (select.EPOLLIN | select.EPOLLHUP):
            self._read(connection, end)
        self._check_done(connection)

    def _read(self, connection: _Connection, end: socket.socket) -> None:
        # With MSG_TRUNC, tcp(7): the data are not copied.
        try:
            count = end.recv_into(_SINK, _RECEIVE_BYTES, socket.MSG_TRUNC)
        except BlockingIOError:
            return
        if not count:
            self._fail(connection, errno.ECONNRESET)
        elif end is connection.receiver:
            is_first = connection.received == 0
            connection.received += count
            self._past += Counts(received=count)
            if is_first or connection.received >= connection.asked:
                self.changed[connection.slot] = None
        else:
            connection.request_bytes += count
            while connection.waiting and connection.request_bytes >= self.request_bytes:
                connection.request_bytes -= self.request_bytes
                self._release(connection)

    def _accept(self) -> None:
        while True:
            try:
                end, (_, port) = self._listener.accept()
            except BlockingIOError:
                return
            connection = self._by_port.pop(port, None)
            if connection is None or connection.counted is not None:
                end.close()
                continue
            self._prepare(end)
            self._watch(connection, end, select.EPOLLIN)
            if not self.sender_listens:
                connection.receiver = end
                continue
            connection.sender = end
            if not self.request_bytes:
                self._release(connection)

    def _ask(self, connection: _Connection) -> None:
        """The receiver asks for what was asked for last."""
        if self.request_bytes and connection.receiver is not None:
            connection.receiver.send(_BLOCK[: self.request_bytes])

    def _release(self, connection: _Connection) -> None:
        """The sender sends what the oldest request asks for."""
        if connection.waiting and not connection.is_stopped:
            connection.unsent += connection.waiting.popleft()
            self._send(connection)

    def _send(self, connection: _Connection) -> None:
        sender = connection.sender
        if sender is None:
            return
        while connection.unsent:
            block = _BLOCK[: min(connection.unsent, len(_BLOCK))]
            # Segments in the middle of a transfer are full.
            more = socket.MSG_MORE if connection.unsent > len(block) else 0
            try:
                count = sender.send(block, more)
            except BlockingIOError:
                break
            connection.unsent -= count
            connection.written += count
        events = select.EPOLLIN | (select.EPOLLOUT if connection.unsent else 0)
        self._watch(connection, sender, events)

    def _check_done(self, connection: _Connection) -> None:
        if connection.is_done or connection.sender is None or connection.counted is not None:
            return
        # The kernel acknowledges what this program has still to read.
        has_all = connection.received == connection.written and not connection.unsent
        if has_all and not connection.waiting and not _unacknowledged(connection.sender):
            connection.is_done = True
            self.changed[connection.slot] = None

    def _fail(self, connection: _Connection, code: int) -> None:
        """Note an error. What the connection was to bring does not come."""
        if len(self.errors) < _MOST_ERRORS and not (connection.is_done and code in _GONE):
            self.errors.append(os.strerror(code))
        self.close(connection.slot)

    # --- Sockets ----------------------------------------------------------------------------------

    def _listen(self) -> socket.socket:
        listener = self._socket()
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("", self.table["port"]))
        listener.listen(1024)
        return listener

    def _socket(self) -> socket.socket:
        sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        configure(sock, self.table)
        self._prepare(sock)
        return sock

    def _prepare(self, sock: socket.socket) -> None:
        sock.setblocking(False)
        # As web servers do: the last segment of an answer does not wait for an ACK.
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        sock.setsockopt(socket.SOL_SOCKET, _SO_TIMESTAMPING, _TIMESTAMPING)

    def _watch(self, connection: _Connection, end: socket.socket, events: int) -> None:
        if end.fileno() in self._by_descriptor:
            self.poll.modify(end, events)
        else:
            self._by_descriptor[end.fileno()] = (connection, end)
            self.poll.register(end, events)


_SINK = bytearray(_RECEIVE_BYTES)


def configure(sock: socket.socket, table: dict[str, Any]) -> None:
    """Give a socket the flow's traffic class, congestion control and receive buffer."""
    sock.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, table["traffic_class"])
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, table["control"].encode())
    if table["receive_buffer"] is not None:
        # The kernel doubles the value, which may exceed net.core.rmem_max (socket(7)).
        sock.setsockopt(socket.SOL_SOCKET, _SO_RCVBUFFORCE, table["receive_buffer"] // 2)


def prepare(table: dict[str, Any]) -> Callable[[int], dict[str, Any]]:
    """Return what runs the session of a table, and returns its outcome."""
    session = StreamSession(application.scenario(table), table["seed"], table["flow"])
    by_receiver = session.is_opened_by_receiver
    join(table["namespaces"]["receiver" if by_receiver else "sender"])
    sockets = Sockets(table, session.request if by_receiver else 0, sender_listens=by_receiver)
    return lambda began: run(session, sockets, began)


def run(session: StreamSession, sockets: Sockets, began: int) -> dict[str, Any]:
    """Run a session to the end of the run, which began at a time of the monotonic clock."""
    warmup, end = sockets.table["warmup"], sockets.table["end"]
    before: Counts | None = None
    finished = last = 0
    while (now := time.monotonic_ns() - began) < end:
        if before is None and now >= warmup:
            before = sockets.counts()
        due = session.poll_at()
        if due is not None and due <= now:
            # As if in time: what follows counts from then, as in a simulation.
            session.on_timer(max(due, last), sockets)
        elif sockets.changed:
            slot = next(iter(sockets.changed))
            del sockets.changed[slot]
            last = now
            session.on_progress(now, slot, sockets)
        else:
            if session.finished > finished:
                finished = session.finished
                sockets.close_done()
            until = min(each for each in (due, end) if each is not None)
            sockets.wait((until - now) / application.NANOSECONDS)
    counts = sockets.counts() - (before or Counts())
    application.relax()  # a simulation follows, perhaps
    outcome: dict[str, Any] = json.loads(session.result(end))
    outcome["flow"] |= {
        "goodput_bps": 8 * counts.received * application.NANOSECONDS / (end - warmup),
        "segments_sent": counts.segments,
        "retransmissions": counts.retransmissions,
        "timeouts": counts.timeouts,
    }
    return outcome | {"errors": sockets.errors}


def _info(connection: socket.socket) -> TcpInfo:
    data = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _TCP_INFO_BYTES)
    return TcpInfo.parse(data)


def _unacknowledged(connection: socket.socket) -> int:
    """Return how many bytes have been written and not acknowledged (SIOCOUTQ, tcp(7))."""
    answer = fcntl.ioctl(connection, termios.TIOCOUTQ, bytes(4))
    return int(struct.unpack("=i", answer)[0])


def _drain_errors(connection: socket.socket) -> None:
    while True:
        try:
            connection.recvmsg(0, 256, socket.MSG_ERRQUEUE)
        except OSError:  # there is no other
            return


if __name__ == "__main__":
    raise SystemExit(application.main(sys.argv, prepare))
