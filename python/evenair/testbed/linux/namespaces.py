"""Network namespaces of a test-bed: made, configured, removed, also those of owners that died.

The name of a namespace is evenair-RUN-NODE, that of the run's folder RUN. RUN is the process id of
the owner in hexadecimal, followed by ".2" and so on if this process has others, so that several
test-beds do not collide and the next start finds those of processes that are gone.
"""

from __future__ import annotations

import contextlib
import ctypes
import itertools
import os
import re
import shutil
import threading
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from evenair._core import RunError
from evenair.testbed.layout import CLIENT_PORTS, GATEWAY, SERVER_PORTS
from evenair.testbed.linux.processes import run

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from evenair.testbed.layout import Node, Plan

NETNS = Path("/run/netns")
"""Where iproute2 keeps named namespaces (ip-netns(8))."""

FOLDERS = Path("/run/evenair-testbed")
"""Where each test-bed has a folder, which only root can read."""

_IPV6 = Path("/proc/sys/net/ipv6")
"""Not there if the kernel runs without IPv6 (ipv6.disable=1)."""

_CONTROL_TABLE = "200"
"""The routing table of control connections; any but those of the system."""

_NAME = re.compile(r"evenair-([0-9a-f]+)(\.[0-9]+)?-")
_FOLDER = re.compile(r"([0-9a-f]+)(\.[0-9]+)?")
_CLONE_NEWNET = 0x40000000  # linux/sched.h

T = TypeVar("T")


class Namespaces:
    """The namespaces and the folder of one test-bed. `remove` them at the end."""

    def __init__(self, plan: Plan) -> None:
        """`plan` says which; they are made by `create`."""
        self._plan = plan
        self._run = ""
        self.folder = FOLDERS
        """Of this test-bed alone once it is made."""

    def name(self, node: str) -> str:
        """Return the name of a node's namespace."""
        return f"evenair-{self._run}-{self._plan.node(node).label}"

    def path(self, node: str) -> str:
        """Return the path of a node's namespace."""
        return str(NETNS / self.name(node))

    def create(self) -> None:
        """Make the folder and the namespaces. Raises RunError, OSError."""
        FOLDERS.mkdir(mode=0o700, exist_ok=True)
        for number in itertools.count(1):
            name = f"{os.getpid():x}" if number == 1 else f"{os.getpid():x}.{number}"
            with contextlib.suppress(FileExistsError):
                (FOLDERS / name).mkdir(mode=0o700)
                break
        self._run, self.folder = name, FOLDERS / name
        for node in self._plan.nodes:
            run("ip", "netns", "add", self.name(node.name))
            run("ip", "-n", self.name(node.name), "link", "set", "lo", "up")

    def configure(
        self, sysctls: Mapping[str, Mapping[str, str]], windows: Mapping[str, int]
    ) -> None:
        """Give the devices addresses and routes, and each node its sysctls, by node and name.

        `windows` has the largest receive windows (bytes) of nodes where they are fixed.
        """
        for node in self._plan.nodes:
            name = self.name(node.name)
            # Namespaces inherit this from the host. The control connections of iperf3 take another
            # device than the routes say, which a strict filter drops (ip-sysctl.rst).
            values = {
                f"net.ipv4.conf.{device}.rp_filter": "0"
                for device in ("all", "default", *node.devices)
            }
            values |= sysctls.get(node.name, {})
            if node.name == GATEWAY:
                values["net.ipv4.ip_forward"] = "1"
            if node.name == GATEWAY and _IPV6.exists():
                values["net.ipv6.conf.all.forwarding"] = "1"
            self.inside(node.name, partial(_set_sysctls, values))
            for device in node.devices:
                mtu = str(self._plan.mtu)
                run("ip", "-n", name, "link", "set", device, "mtu", mtu, "up")
            for family, *arguments in addresses(node, self._plan, windows.get(node.name)):
                if family == "-4" or _IPV6.exists():
                    run("ip", "-n", name, family, *arguments)

    def connect_controls(self) -> None:
        """Connect all nodes by a bridge at the gateway, for the control connections of iperf3.

        They would otherwise compete with the traffic that they control: in a cell with losses a
        flow could begin seconds late.
        """
        gateway = self.name(GATEWAY)
        run("ip", "-n", gateway, "link", "add", "control", "type", "bridge")
        run("ip", "-n", gateway, "link", "set", "control", "up")
        for number, node in enumerate(self._plan.nodes):
            if node.name == GATEWAY:
                continue
            name, port = self.name(node.name), f"control{number}"
            peer = ("peer", "name", "control", "netns", name)
            run("ip", "-n", gateway, "link", "add", port, "type", "veth", *peer)
            run("ip", "-n", gateway, "link", "set", port, "master", "control", "up")
            run("ip", "-n", name, "link", "set", "control", "up")
            for arguments in control_routes(node):
                run("ip", "-n", name, *arguments)

    def set(self, node: str, sysctl: str, value: str) -> None:
        """Set a sysctl of a node. Raises RunError."""
        self.inside(node, lambda: _set_sysctls({sysctl: value}))

    def inside(self, node: str, function: Callable[[], T]) -> T:
        """Call a function in a node's namespace, in a thread of its own, and return its value."""
        return enter(self.path(node), function)

    def remove(self) -> None:
        """Remove the namespaces and the folder. Says nothing about what is gone already."""
        if not self._run:
            return
        for node in self._plan.nodes:
            _delete(self.name(node.name))
        shutil.rmtree(self.folder, ignore_errors=True)


def addresses(node: Node, plan: Plan, window: int | None = None) -> list[tuple[str, ...]]:
    """Return the arguments of `ip` that give a node its addresses and routes.

    From a route's window the kernel chooses the window scale. Below 64 KiB there is none, and it
    rounds windows to whole segments; with a scale for tcp_rmem, to multiples of 128 bytes.
    """
    versions = (("-4", node.ipv4, "32", "10"), ("-6", node.ipv6, "128", "fd"))
    commands: list[tuple[str, ...]] = []
    for family, address, length, prefix in versions[: 2 if plan.has_ipv6 else 1]:
        if node.name != GATEWAY:
            device = node.devices[0]
            no_dad = ("nodad",) if family == "-6" else ()
            add = ("addr", "add", f"{address}/{length}", "dev", device, *no_dad)
            clamp = ("window", str(window)) if window is not None else ()
            route = (family, "route", "add", "default", "dev", device, *clamp)
            commands += [(family, *add), route]
            continue
        commands.append((family, "addr", "add", f"{address}/{length}", "dev", "lo"))
        networks = {"10": ("10.77.0.0/16", "10.78.0.0/16"), "fd": ("fd77::/16", "fd78::/16")}
        for network, device in zip(networks[prefix], node.devices, strict=True):
            commands.append((family, "route", "add", network, "dev", device))
    return commands


def control_routes(node: Node) -> list[tuple[str, ...]]:
    """Return the arguments of `ip` that lead iperf3's control connections past the cell.

    Both connections of a flow have the same destination port. That of the data has a known source
    port.
    """

    def rule(priority: int, end: str, ports: range, table: str) -> tuple[str, ...]:
        what = ("ipproto", "tcp", end, f"{ports[0]}-{ports[-1]}", "lookup", table)
        return ("rule", "add", "priority", str(priority), *what)

    source = ("src", node.ipv4, "table", _CONTROL_TABLE)
    return [
        *(
            ("route", "add", network, "dev", "control", *source)
            for network in ("10.77.0.0/16", "10.78.0.0/16")
        ),
        rule(100, "sport", CLIENT_PORTS, "main"),
        rule(101, "dport", CLIENT_PORTS, "main"),
        rule(102, "sport", SERVER_PORTS, _CONTROL_TABLE),
        rule(103, "dport", SERVER_PORTS, _CONTROL_TABLE),
    ]


def remove_abandoned() -> None:
    """Remove namespaces and folders whose owner is gone."""
    names = [path.name for path in NETNS.glob("evenair-*-*")] if NETNS.is_dir() else []
    for name in names:
        match = _NAME.match(name)
        if match and _is_gone(int(match[1], 16), NETNS / name):
            _delete(name)
    for folder in FOLDERS.iterdir() if FOLDERS.is_dir() else ():
        match = _FOLDER.fullmatch(folder.name)
        if match and _is_gone(int(match[1], 16), folder):
            shutil.rmtree(folder, ignore_errors=True)


def join(path: str) -> None:
    """Move the calling thread to the network namespace at a path."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.setns(descriptor, _CLONE_NEWNET) != 0:
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number), path)
    finally:
        os.close(descriptor)


def enter(path: str, function: Callable[[], T]) -> T:
    """Call a function in the network namespace at a path, in a thread of its own."""
    values: list[T] = []
    errors: list[BaseException] = []

    def call() -> None:
        try:
            join(path)
            values.append(function())
        except BaseException as error:
            errors.append(error)

    # setns(2) moves the calling thread alone, and this one ends.
    thread = threading.Thread(target=call)
    thread.start()
    thread.join()
    if errors:
        raise errors[0]
    return values[0]


def read_sysctl(name: str) -> str | None:
    """Return a sysctl of the calling thread's network namespace; None if it has none."""
    try:
        return " ".join(_sysctl_path(name).read_text().split())
    except OSError:
        return None


def _set_sysctls(values: Mapping[str, str]) -> None:
    for name, value in values.items():
        try:
            _sysctl_path(name).write_text(value)
        except OSError as error:
            raise RunError(f"sysctl {name}={value}: {error.strerror}") from None


def _sysctl_path(name: str) -> Path:
    # What is below /proc/sys/net depends on the thread that opens it.
    return Path("/proc/sys", *name.split("."))


def _is_gone(owner: int, made: Path) -> bool:
    """Return whether the process that made a file is gone, though another may have its id."""
    try:
        start_ticks = int(Path(f"/proc/{owner}/stat").read_text().rpartition(")")[2].split()[19])
        boot_s = next(
            float(line.split()[1])
            for line in Path("/proc/stat").read_text().split("\n")
            if line.startswith("btime ")
        )
        made_s = made.stat().st_ctime
    except (OSError, StopIteration):
        return not Path(f"/proc/{owner}").exists()
    # btime is in whole seconds, and the clock may have been set by a few.
    return boot_s + start_ticks / os.sysconf("SC_CLK_TCK") > made_s + 10.0


def _delete(name: str) -> None:
    if (NETNS / name).exists():
        with contextlib.suppress(RunError):  # another test-bed may have done it
            run("ip", "netns", "delete", name)
