"""Connections of a network namespace, as the kernel describes them: sock_diag(7), tcp_info."""

from __future__ import annotations

import os
import socket
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING

from evenair.testbed.linux.namespaces import enter

if TYPE_CHECKING:
    from collections.abc import Iterator

# linux/netlink.h, linux/sock_diag.h, linux/inet_diag.h, net/tcp_states.h
_NETLINK_SOCK_DIAG = 4
_SOCK_DIAG_BY_FAMILY = 20
_DONE, _ERROR = 3, 2
_REQUEST_DUMP = 0x1 | 0x300
_INET_DIAG_INFO = 2
_HEADER = struct.Struct("=IHHII")
_REQUEST = struct.Struct("=BBBxI48x")
_MESSAGE_BYTES = 72
_ATTRIBUTE = struct.Struct("=HH")
_LISTEN = 10
_ALL_STATES = 0xFFF
_RECEIVE_BYTES = 1 << 18
_KNOWN_BYTES, _TOTAL_RTO = 184, 240
"""Of struct tcp_info: what a result needs (Linux 4.9), and the offset of tcpi_total_rto."""


@dataclass(frozen=True)
class TcpInfo:
    """The members of tcp_info (linux/tcp.h) that a result needs."""

    mss: int
    """tcpi_snd_mss, bytes of payload and options of a segment."""
    unacked: int
    """tcpi_unacked, segments in flight."""
    rtt_s: float
    """tcpi_rtt, smoothed, seconds."""
    cwnd: int
    """tcpi_snd_cwnd, segments."""
    retransmissions: int
    """tcpi_total_retrans, segments."""
    bytes_acked: int
    """tcpi_bytes_acked, of payload."""
    bytes_received: int
    """tcpi_bytes_received, of payload."""
    data_segments: int
    """tcpi_data_segs_out, retransmissions included."""
    receive_window_limited_s: float
    """tcpi_rwnd_limited, seconds."""
    timeouts: int | None
    """tcpi_total_rto; None before Linux 6.7."""

    @classmethod
    def parse(cls, data: bytes) -> TcpInfo:
        """Read a struct tcp_info, which is shorter in older kernels."""

        def u32(offset: int) -> int:
            return int(struct.unpack_from("=I", data, offset)[0])

        def u64(offset: int) -> int:
            return int(struct.unpack_from("=Q", data, offset)[0])

        has_timeouts = len(data) >= _TOTAL_RTO + 2
        return cls(
            mss=u32(16),
            unacked=u32(24),
            rtt_s=u32(68) / 1e6,
            cwnd=u32(80),
            retransmissions=u32(100),
            bytes_acked=u64(120),
            bytes_received=u64(128),
            data_segments=u32(156),
            receive_window_limited_s=u64(176) / 1e6,
            timeouts=struct.unpack_from("=H", data, _TOTAL_RTO)[0] if has_timeouts else None,
        )


@dataclass(frozen=True)
class Connection:
    """A TCP socket: its ports and state, and tcp_info unless it listens or is closed."""

    local_port: int
    remote_port: int
    cookie: int
    """Identifies the socket for as long as the system runs."""
    inode: int
    """That of its descriptors; 0 while no process has accepted it."""
    listens: bool
    info: TcpInfo | None


class Connections:
    """The TCP sockets of a network namespace."""

    def __init__(self, namespace: str) -> None:
        """Open a netlink socket in the namespace at this path, where it stays."""
        self._socket = enter(
            namespace,
            lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, _NETLINK_SOCK_DIAG),
        )
        self._socket.settimeout(5.0)
        self._sequence = 0

    def list(self) -> list[Connection]:
        """Return all TCP sockets of both versions of IP."""
        return [
            connection
            for family in (socket.AF_INET, socket.AF_INET6)
            for connection in self._dump(family)
        ]

    def close(self) -> None:
        """Close the netlink socket."""
        self._socket.close()

    def _dump(self, family: int) -> Iterator[Connection]:
        self._sequence += 1
        extension = 1 << (_INET_DIAG_INFO - 1)
        body = _REQUEST.pack(family, socket.IPPROTO_TCP, extension, _ALL_STATES)
        length = _HEADER.size + len(body)
        header = _HEADER.pack(length, _SOCK_DIAG_BY_FAMILY, _REQUEST_DUMP, self._sequence, 0)
        self._socket.send(header + body)
        while True:
            data = self._socket.recv(_RECEIVE_BYTES)
            offset = 0
            while offset < len(data):
                length, kind, _, sequence, _ = _HEADER.unpack_from(data, offset)
                if sequence == self._sequence:
                    if kind == _DONE:
                        return
                    if kind == _ERROR:
                        code = -struct.unpack_from("=i", data, offset + _HEADER.size)[0]
                        raise OSError(code, os.strerror(code), "sock_diag")
                    yield _connection(data[offset + _HEADER.size : offset + length])
                offset += _aligned(length)


def _connection(message: bytes) -> Connection:
    state = message[1]
    local, remote = struct.unpack_from("!HH", message, 4)
    (cookie,) = struct.unpack_from("=Q", message, 44)
    (inode,) = struct.unpack_from("=I", message, 68)
    info = None
    offset = _MESSAGE_BYTES
    while offset + _ATTRIBUTE.size <= len(message):
        length, kind = _ATTRIBUTE.unpack_from(message, offset)
        if (
            kind == _INET_DIAG_INFO
            and state != _LISTEN
            and length >= _ATTRIBUTE.size + _KNOWN_BYTES
        ):
            info = TcpInfo.parse(message[offset + _ATTRIBUTE.size : offset + length])
        offset += _aligned(max(length, _ATTRIBUTE.size))
    return Connection(local, remote, cookie, inode, state == _LISTEN, info)


def _aligned(length: int) -> int:
    return (length + 3) & ~3
