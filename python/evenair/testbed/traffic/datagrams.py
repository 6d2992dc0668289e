"""Poisson and on-off sources over UDP: programs that run in the namespaces of a test-bed.

    python -m evenair.testbed.traffic.datagrams send|receive ENTRY

ENTRY is JSON with the keys of `entry`. Both print a line when they are ready and run until standard
input ends; the sender first reads a line from it with the time of the monotonic clock at which the
run begins. iperf3 has neither source.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import random
import socket
import sys
import threading
import time
from typing import TYPE_CHECKING, Any

from evenair.testbed.traffic.draws import draws
from evenair.testbed.traffic.iperf import client_port, datagram_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evenair.testbed.layout import Flow

KINDS = ("poisson", "on-off")
"""The applications that this program has."""

_RECEIVE_BYTES = 1 << 16


def entry(flow: Flow, address: str, seed: int) -> dict[str, Any]:
    """Return what the programs need to know of a flow; `address` is its receiver's."""
    return {
        "application": dict(flow.application),
        "address": address,
        "port": flow.port,
        "source_port": client_port(flow),
        "traffic_class": flow.traffic_class,
        "bytes": datagram_bytes(flow),
        "interval": 8 * flow.spec["segment"] / flow.spec["rate"],
        "start": flow.start,
        "stop": flow.stop,
        "seed": f"{seed} {flow.index}",
    }


def send_times(application: dict[str, Any], interval: float, seed: str) -> Iterator[float]:
    """Yield the times of the datagrams, seconds since the start of the flow, as in the simulator.

    `interval` is the time between two datagrams at the flow's rate, seconds. "poisson":
    exponential gaps with this mean. "on-off": a datagram at the start and after each interval of
    on time, whose clock stands still in off periods (docs/scenario.md).
    """
    own, other = (random.Random(f"{seed} {number}") for number in range(2))
    if application["kind"] == "poisson":
        gaps = (own.expovariate(1 / interval) for _ in itertools.count())
        yield from itertools.accumulate(gaps)
        return
    on, off = draws(application["on"], own), draws(application["off"], other)
    now, left = 0.0, next(on)
    while True:
        yield now
        missing = interval
        while left < missing:
            missing -= left
            now += left + next(off)
            left = next(on)
        now += missing
        left -= missing


def send(entry: dict[str, Any], began: float) -> None:
    """Send the datagrams. One that is late is sent at once."""
    start = began + entry["start"]
    stop = None if entry["stop"] is None else began + entry["stop"]
    payload = bytes(entry["bytes"])
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        sock.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, entry["traffic_class"])
        sock.bind(("", entry["source_port"]))
        for after in send_times(entry["application"], entry["interval"], entry["seed"]):
            due = start + after
            if stop is not None and due >= stop:
                return
            if (wait := due - time.monotonic()) > 0:
                time.sleep(wait)
            with contextlib.suppress(OSError):  # the device is full, or gone at the end
                sock.sendto(payload, (entry["address"], entry["port"]))


def receive(sock: socket.socket) -> None:
    """Take what comes, so that the kernel sends no ICMP; the engine counts it."""
    while True:
        sock.recv(_RECEIVE_BYTES)


def main(arguments: list[str]) -> int:
    """Run a sender or a receiver until standard input ends."""
    if len(arguments) != 2 or arguments[0] not in ("send", "receive"):
        usage = "usage: python -m evenair.testbed.traffic.datagrams send|receive ENTRY"
        print(usage, file=sys.stderr)
        return 2
    flow: dict[str, Any] = json.loads(arguments[1])
    if arguments[0] == "receive":
        sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        sock.bind(("", flow["port"]))
        threading.Thread(target=receive, args=(sock,), daemon=True).start()
        print("ready", flush=True)
    else:
        print("ready", flush=True)
        line = sys.stdin.readline()
        if line:  # else the test-bed has ended
            threading.Thread(target=send, args=(flow, float(line)), daemon=True).start()
    sys.stdin.read()
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
