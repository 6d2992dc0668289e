"""What a test-bed needs of the machine, and what a result says about it."""

from __future__ import annotations

import array
import fcntl
import os
import platform
import shutil
import socket
import struct
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evenair.testbed import limiter
from evenair.testbed.errors import TestbedError
from evenair.testbed.layout import kernel_control
from evenair.testbed.linux.namespaces import read_sysctl
from evenair.testbed.traffic import iperf

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evenair.testbed.layout import Plan

_SYSCTLS = (
    "net.ipv4.tcp_sack",
    "net.ipv4.tcp_dsack",
    "net.ipv4.tcp_timestamps",
    "net.ipv4.tcp_recovery",
    "net.ipv4.tcp_early_retrans",
    "net.ipv4.tcp_ecn",
    "net.ipv4.tcp_rmem",
    "net.ipv4.tcp_wmem",
    "net.ipv4.tcp_moderate_rcvbuf",
    "net.ipv4.tcp_no_metrics_save",
    "net.ipv4.tcp_slow_start_after_idle",
    "net.ipv4.tcp_limit_output_bytes",
    "net.ipv4.tcp_rto_min_us",
)
_OFFLOADS = {  # linux/ethtool.h
    "scatter-gather": 0x18,
    "tcp-segmentation-offload": 0x1E,
    "generic-segmentation-offload": 0x23,
    "generic-receive-offload": 0x2B,
}
_SIOCETHTOOL = 0x8946  # linux/sockios.h


def check(plan: Plan, congestion: str | Mapping[str, str] | None = None) -> None:
    """Check that this machine can run a plan. Raises TestbedError with what is missing.

    `congestion`: see `controls`.
    """
    iperf.check_windows(plan)
    if sys.platform != "linux":
        raise TestbedError(f"the test-bed needs Linux; this is {platform.system()}")
    if os.geteuid() != 0:
        # The command's path, as root's PATH lacks that of an environment.
        command = Path(sys.executable).with_name("evenair")
        raise TestbedError(
            "the test-bed needs root, for network namespaces and TUN devices;"
            f" run it with sudo {command}"
        )
    try:
        os.close(os.open("/dev/net/tun", os.O_RDWR))
    except OSError as error:
        raise TestbedError(
            f"/dev/net/tun: {error.strerror}; the test-bed needs TUN devices (modprobe tun)"
        ) from None
    need("ip", "iproute2")
    if any(flow.is_of_iperf for flow in plan.flows):
        need("iperf3", "iperf3")
    if plan.limiter is not None:
        limiter.find()
    controls(plan, congestion)


def need(program: str, package: str) -> None:
    """Raise TestbedError if a program is not in PATH."""
    if shutil.which(program) is None:
        raise TestbedError(f"{program}: not found; the test-bed needs it (package {package})")


def available_controls() -> tuple[str, ...]:
    """Return the congestion controls of the kernel."""
    return tuple((read_sysctl("net.ipv4.tcp_available_congestion_control") or "").split())


def controls(plan: Plan, congestion: str | Mapping[str, str] | None = None) -> dict[int, str]:
    """Return the kernel's congestion control of each TCP flow, by the index of the flow.

    `congestion` is that of all flows, or those of the groups of flows that it names; the others
    have the scenario's. Raises TestbedError if the kernel does not have one of them.
    """
    available = available_controls()
    tcp = [flow for flow in plan.flows if flow.is_tcp]
    groups = {str(flow.spec.get("group") or "") for flow in tcp}
    if isinstance(congestion, str):
        congestion = dict.fromkeys(groups, congestion)
    wanted = congestion or {}
    for group, control in wanted.items():
        if group not in groups:
            known = ", ".join(sorted(groups - {""})) or "none"
            raise TestbedError(f"--congestion: got group {group!r}; groups of TCP flows: {known}")
        if control not in available:
            accepted = ", ".join(sorted(available))
            raise TestbedError(f"--congestion: got {control!r}; this kernel has {accepted}")
    return {
        flow.index: wanted.get(str(flow.spec.get("group") or "")) or kernel_control(flow, available)
        for flow in tcp
    }


def describe() -> dict[str, Any]:
    """Return what a result says about the machine."""
    return {
        "kernel": platform.release(),
        "machine": platform.machine(),
        "processors": len(os.sched_getaffinity(0)),
        "iperf3": _version("iperf3"),
    }


def steal_s() -> float:
    """Return the processor time that a hypervisor has taken since the system started, seconds."""
    fields = Path("/proc/stat").read_text().split("\n", 1)[0].split()
    return int(fields[8]) / os.sysconf("SC_CLK_TCK")  # proc(5)


def suspended_s() -> float:
    """Return how long the machine was suspended since the system started, seconds."""
    return time.clock_gettime(time.CLOCK_BOOTTIME) - time.monotonic()  # clock_gettime(2)


def sysctls() -> dict[str, str]:
    """Return the sysctls of TCP in the calling thread's network namespace."""
    values = {name: read_sysctl(name) for name in _SYSCTLS}
    return {name: value for name, value in values.items() if value is not None}


def offloads(device: str) -> dict[str, bool]:
    """Return which offloads a device of the calling thread's network namespace has."""
    found = {}
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        for name, command in _OFFLOADS.items():
            value = array.array("I", [command, 0])
            request = struct.pack("16sP16x", device.encode(), value.buffer_info()[0])
            try:
                fcntl.ioctl(sock, _SIOCETHTOOL, request)
            except OSError:
                continue
            found[name] = bool(value[1])
    return found


def _version(program: str) -> str | None:
    path = shutil.which(program)
    if path is None:
        return None
    said = subprocess.run([path, "--version"], capture_output=True, text=True, check=False).stdout
    return said.split("\n")[0].strip()
