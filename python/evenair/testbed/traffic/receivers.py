"""Sockets of iperf3's receivers: what its servers have no option for.

- The DSCP of ACKs: a server of iperf3 leaves it 0, whatever the client's --tos.
- SO_RCVLOWAT: Linux sends an ACK for each second segment while less than this waits to be read.
  Above it, it waits for the program unless the window stays as it is (__tcp_ack_snd_check()): one
  that gets no processor for a moment then sends an ACK for many segments. But the program is not
  woken for less either, and what waits is missing in the window. Where the kernel sizes the buffer
  the option follows its size.
"""

from __future__ import annotations

import ctypes
import os
import socket
from pathlib import Path
from typing import TYPE_CHECKING

from evenair.testbed.linux.tcp_info import Connections
from evenair.testbed.traffic.iperf import client_port, has_default_window, window_bytes

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Mapping

    from evenair.testbed.layout import Flow

_LEAST_WINDOW = 1 << 20
"""Bytes. What waits to be read is missing in the window: in a smaller one that would be seen."""
_SHARE = 8
"""What may wait is this part of the window: of the default the payload of the largest A-MPDU."""
_ESTABLISHED = 1
"""A state of TCP (net/tcp_states.h)."""
_PIDFD_GETFD = 438
"""The number of the system call, the same on all machines (Linux 5.6)."""


def low_water_mark(flow: Flow, buffer: int) -> int:
    """Return SO_RCVLOWAT of a flow's receiver, bytes; 1 is the kernel's default.

    `buffer` is the size of its receive buffer, of which at most half is payload.
    """
    window = window_bytes(flow)
    if window < _LEAST_WINDOW:
        return 1
    return (min(window, buffer // 2) if has_default_window(flow) else window) // _SHARE


class Receivers:
    """Sets the options of receivers once their data connections are there."""

    def __init__(self, namespaces: Mapping[str, str]) -> None:
        """`namespaces` has the path of each node's namespace."""
        self._namespaces = namespaces
        self._waiting: list[tuple[Flow, subprocess.Popen[bytes]]] = []
        self._growing: list[tuple[Flow, socket.socket]] = []

    def add(self, flow: Flow, server: subprocess.Popen[bytes]) -> None:
        """Add a flow over TCP, and the server of iperf3 that receives it."""
        if window_bytes(flow) >= _LEAST_WINDOW or flow.traffic_class:
            self._waiting.append((flow, server))

    def look(self) -> None:
        """Set the options of the connections that have come since, or whose buffers have grown."""
        for node in {flow.receiver for flow, _ in self._waiting}:
            connections = Connections(self._namespaces[node])
            inodes = {(c.local_port, c.remote_port): c.inode for c in connections.list()}
            connections.close()
            for flow, server in [each for each in self._waiting if each[0].receiver == node]:
                inode = inodes.get((flow.port, client_port(flow)))
                sock = _socket(server.pid, inode) if inode else None
                if sock is None:
                    continue
                self._waiting.remove((flow, server))
                sock.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, flow.traffic_class)
                _set_low_water_mark(flow, sock)
                if has_default_window(flow):
                    self._growing.append((flow, sock))
                else:
                    sock.close()
        for flow, sock in list(self._growing):
            if sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 1)[0] == _ESTABLISHED:
                _set_low_water_mark(flow, sock)
            else:  # without this descriptor it is closed when its program closes it
                self._growing.remove((flow, sock))
                sock.close()

    def close(self) -> None:
        """Close the descriptors."""
        for _, sock in self._growing:
            sock.close()


def _set_low_water_mark(flow: Flow, sock: socket.socket) -> None:
    buffer = sock.getsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVLOWAT, low_water_mark(flow, buffer))


def _socket(pid: int, inode: int) -> socket.socket | None:
    """Return another descriptor of a process's socket; None if the process does not have it."""
    try:
        for path in Path(f"/proc/{pid}/fd").iterdir():
            if str(path.readlink()) == f"socket:[{inode}]":
                return _socket_of(pid, int(path.name))
    except (FileNotFoundError, ProcessLookupError):  # closed or ended in between
        pass
    return None


def _socket_of(pid: int, number: int) -> socket.socket:
    """Return another descriptor of the socket of a process (pidfd_getfd(2))."""
    process = os.pidfd_open(pid)
    try:
        libc = ctypes.CDLL(None, use_errno=True)
        descriptor = libc.syscall(_PIDFD_GETFD, process, number, 0)
        if descriptor < 0:
            code = ctypes.get_errno()
            raise OSError(code, os.strerror(code), "pidfd_getfd")
        return socket.socket(fileno=descriptor)
    finally:
        os.close(process)
