"""iperf3: its commands and what its JSON says. The sender of a flow is the client."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

from evenair.testbed.layout import CLIENT_PORTS, TCP_HEADER, UDP_HEADER

if TYPE_CHECKING:
    from evenair.testbed.layout import Flow

_SMALLEST_DATAGRAM = 16
"""Bytes that iperf3 needs for its own header."""

# What tcp_win_from_space() of Linux 6.7 and later makes of a receive buffer: its bytes times
# payload over memory of a packet, in 1/256. A packet from a TUN device lies in one buffer of the
# kernel's allocator, a power of two, with this much room before and behind it, and has a struct
# sk_buff.
_HEAD_ROOM, _SHARED_INFO, _SK_BUFF = 64, 320, 256
_SCALE = 256


def client_port(flow: Flow) -> int:
    """Return the source port of the flow's data connection."""
    return CLIENT_PORTS[flow.index]


def server_command(flow: Flow) -> list[str]:
    """Return the command at the flow's receiver."""
    return ["iperf3", "--server", "--one-off", "--json", "--port", str(flow.port)]


def client_command(
    flow: Flow, address: str, control: str | None, mtu: int, end: float
) -> list[str]:
    """Return the command at the flow's sender, which ends by itself at the flow's `stop`.

    `control` is the kernel's congestion control, None over UDP; `end` the end of the run.
    """
    # Beyond the end of the run: there it is stopped, with what is in flight.
    seconds = math.ceil(end - flow.start) + 10 if flow.stop is None else flow.stop - flow.start
    command = ["iperf3", "--client", address, "--port", str(flow.port), "--json"]
    command += ["--cport", str(client_port(flow)), "--time", str(max(1, round(seconds)))]
    if control is None:
        rate = datagram_bytes(flow) / flow.spec["segment"] * flow.spec["rate"]
        command += ["--udp", "--bitrate", str(round(rate)), "--length", str(datagram_bytes(flow))]
        return command
    command += ["--congestion", control]
    if flow.data_bytes < mtu:
        # tcpi_advmss: with the option of timestamps, which the kernel subtracts.
        command += ["--set-mss", str(flow.data_bytes - TCP_HEADER)]
    return command


def datagram_bytes(flow: Flow) -> int:
    """Return the payload of UDP that makes IP packets of the flow's size."""
    return max(_SMALLEST_DATAGRAM, flow.data_bytes - UDP_HEADER)


def receive_buffer(flow: Flow) -> int | None:
    """Return the size of the receive buffer (tcp_rmem, bytes) that gives the flow its window.

    None for the window of Linux's default, 3 MiB: then the kernel sizes the buffer.
    """
    segment, window = int(flow.spec["segment"]), int(flow.spec["window"])
    if window >= (3 << 20) // segment:
        return None
    packet = segment + int(flow.spec["header"]) + _HEAD_ROOM + _SHARED_INFO
    memory: int = 2 ** (packet - 1).bit_length() + _SK_BUFF
    ratio: int = _SCALE * segment // memory
    return math.ceil(window * segment * _SCALE / ratio)


def parse(text: str) -> dict[str, Any]:
    """Return what a client or server reports: "error", "lost_packets", "datagrams", "jitter_s".

    What it does not have is left out; a text that is no JSON has an error.
    """
    try:
        document = json.loads(text)
    except ValueError:
        return {"error": "iperf3 has written no JSON"}
    report: dict[str, Any] = {}
    if error := document.get("error"):
        report["error"] = str(error)
    total = document.get("end", {}).get("sum", {})
    for key, name, scale in (
        ("lost_packets", "lost_packets", 1),
        ("packets", "datagrams", 1),
        ("jitter_ms", "jitter_s", 1e-3),
    ):
        if key in total:
            report[name] = total[key] * scale
    return report
