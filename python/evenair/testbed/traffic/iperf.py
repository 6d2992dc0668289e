"""iperf3: its commands and what its JSON says. The sender of a flow is the client."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

from evenair.testbed.errors import TestbedError
from evenair.testbed.layout import CLIENT_PORTS, TCP_HEADER, UDP_HEADER

if TYPE_CHECKING:
    from evenair.testbed.layout import Flow, Plan

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
    if flow.traffic_class:
        command += ["--tos", str(flow.traffic_class)]
    if control is None:
        rate = datagram_bytes(flow) / flow.spec["segment"] * flow.spec["rate"]
        command += ["--udp", "--bitrate", str(round(rate)), "--length", str(datagram_bytes(flow))]
        return command
    command += ["--congestion", control]
    if has_own_mss(flow, mtu):
        # tcpi_advmss: with the option of timestamps, which the kernel subtracts.
        command += ["--set-mss", str(flow.data_bytes - TCP_HEADER)]
    return command


def datagram_bytes(flow: Flow) -> int:
    """Return the payload of UDP that makes IP packets of the flow's size."""
    return max(_SMALLEST_DATAGRAM, flow.data_bytes - UDP_HEADER)


def has_default_window(flow: Flow) -> bool:
    """Return whether the window is Linux's default, 3 MiB: then the kernel may size the buffer."""
    return int(flow.spec["window"]) >= (3 << 20) // int(flow.spec["segment"])


def window_bytes(flow: Flow) -> int:
    """Return the flow's receive window in bytes."""
    return int(flow.spec["window"]) * int(flow.spec["segment"])


def has_own_mss(flow: Flow, mtu: int) -> bool:
    """Return whether iperf3 has to set the MSS of a flow: it is not that of the devices."""
    return flow.data_bytes < mtu


def receive_buffer(flow: Flow) -> int:
    """Return the size of the receive buffer (tcp_rmem, bytes) that gives the flow its window.

    It has room for one segment more: an ACK is sent before the segment is read that it confirms.
    """
    segment, window = int(flow.spec["segment"]), int(flow.spec["window"])
    packet = segment + int(flow.spec["header"]) + _HEAD_ROOM + _SHARED_INFO
    memory: int = 2 ** (packet - 1).bit_length() + _SK_BUFF
    ratio: int = _SCALE * segment // memory
    return math.ceil((window + 1) * segment * _SCALE / ratio)


def check_windows(plan: Plan) -> None:
    """Refuse windows that iperf3 cannot give. Raises TestbedError.

    A server that is told the MSS makes its socket anew, when all servers of the host have started:
    then the host has one size of buffers.
    """
    sizes: dict[str, int] = {}
    for flow in plan.flows:
        if flow.is_of_iperf and flow.is_tcp and has_own_mss(flow, plan.mtu):
            size = receive_buffer(flow)
            if sizes.setdefault(flow.receiver, size) != size:
                raise TestbedError(
                    f"{flow.field}.window: got {flow.spec['window']}; accepted: with a test-bed,"
                    " that of the other flows to its host that have segments below the MTU"
                )


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
