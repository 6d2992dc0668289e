"""What a test-bed consists of: nodes, addresses and flows, as functions of the scenario alone."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from evenair.testbed.errors import TestbedError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

ACCESS_POINT, GATEWAY, SERVER = "ap", "gateway", "server"

MOST_FLOWS = 1000
"""Flows of a test-bed: each has two processes."""

SERVER_PORTS = range(5201, 5201 + MOST_FLOWS)
"""The ports of iperf3's servers and other receivers, by flow; the first is iperf3's default."""

CLIENT_PORTS = range(20001, 20001 + MOST_FLOWS)
"""The source ports of data, but for those of sessions, by flow."""

SESSION_PORTS = range(8001, 8001 + MOST_FLOWS)
"""The ports at which the connections of sessions arrive, by flow."""

_STAGGER_S = 0.1
"""Time between the default starts of two flows, as in the simulator (docs/scenario.md)."""

_IPV4_MTU, _IPV6_MTU = 576, 1280
"""The least MTU that every host accepts: RFC 791, RFC 8200 section 5."""

_PER_BYTE = 250
"""Host numbers in the last byte of an IPv4 address, from 1."""

TCP_HEADER, UDP_HEADER, TIMESTAMPS = 40, 28, 12
"""Bytes of the headers of IPv4 and TCP or UDP, and of TCP's timestamp option (RFC 7323)."""

_CONTROLS = {
    "newreno": "reno",
    "cubic": "cubic",
    "dctcp": "dctcp",
    "bic": "bic",
    "vegas": "vegas",
    "veno": "veno",
    "westwood-plus": "westwood",
    "bbr1": "bbr",
}
"""Linux's name of each congestion control of scenarios that Linux has."""

_DSCP = {"be": 0, "bk": 8, "vi": 40, "vo": 48}
"""The DSCP that puts packets into an access category: the class selectors CS0, CS1, CS5, CS6, whose
top three bits are user priorities of IEEE 802.11-2020, table 10-1."""

NEGOTIATED: Mapping[str, Callable[[Flow], bool]] = {
    "header": lambda flow: flow.timestamps,
    "ecn": lambda flow: flow.ecn,
}
"""What a connection has if both of its nodes have it (RFC 7323, RFC 3168), by the key of flows."""

_OF_IPERF = ("bulk", "cbr")
"""The applications that iperf3 makes."""


@dataclass(frozen=True)
class Node:
    """A network namespace: a station, a wired host or the gateway."""

    name: str
    """As in results: "sta-1", "server", "gateway"."""
    label: str
    """The same with letters, digits and hyphens only, for the name of the namespace."""
    ipv4: str
    ipv6: str

    @property
    def devices(self) -> tuple[str, ...]:
        """The TUN devices of the node, towards the access point first."""
        if self.name == GATEWAY:
            return ("ap0", "wan0")
        return ("wlan0",) if self.label.startswith("sta-") else ("eth0",)


@dataclass(frozen=True)
class Flow:
    """A flow of the scenario. Times are seconds since the start of the run."""

    index: int
    id: str
    field: str
    """The path of its table in the scenario, for errors."""
    sender: str
    receiver: str
    station: str | None
    """The station of a flow through the cell."""
    transport: str
    application: Mapping[str, Any]
    """The application as a table, with its `kind`."""
    start: float
    stop: float | None
    spec: Mapping[str, Any]
    """The resolved table of the flow."""
    name: str | None

    @property
    def kind(self) -> str:
        """The kind of its application."""
        return str(self.application["kind"])

    @property
    def is_tcp(self) -> bool:
        """Whether the flow is of TCP."""
        return self.transport != "udp"

    @property
    def is_of_iperf(self) -> bool:
        """Whether iperf3 makes its traffic."""
        return self.kind in _OF_IPERF

    @property
    def is_session(self) -> bool:
        """Whether its application has a session: finite transfers over TCP."""
        return self.is_tcp and not self.is_of_iperf

    @property
    def port(self) -> int:
        """The destination port of its data connections, at their server."""
        ports = SESSION_PORTS if self.is_session else SERVER_PORTS
        return ports[self.index]

    @property
    def timestamps(self) -> bool:
        """Whether its segments have the option of timestamps."""
        return self.is_tcp and self.spec["header"] == TCP_HEADER + TIMESTAMPS

    @property
    def ecn(self) -> bool:
        """Whether its connections have ECN."""
        return self.is_tcp and bool(self.spec.get("ecn"))

    @property
    def traffic_class(self) -> int:
        """The traffic class (TOS) of its packets, with the DSCP of its access category."""
        return _DSCP[self.spec.get("access_category", "be")] << 2

    @property
    def data_bytes(self) -> int:
        """The largest IP packet of the flow, bytes."""
        return int(self.spec["segment"]) + int(self.spec["header"])

    @property
    def up(self) -> bool:
        """Whether the data go from a station to a host."""
        return self.station is not None and self.sender == self.station

    @property
    def host(self) -> str:
        """The wired end of a station's flow."""
        return self.receiver if self.up else self.sender


@dataclass(frozen=True)
class Plan:
    """The nodes and flows of a scenario."""

    resolved: Mapping[str, Any]
    nodes: tuple[Node, ...]
    flows: tuple[Flow, ...]
    mtu: int

    @property
    def warmup(self) -> float:
        """Seconds before measuring starts."""
        return float(self.resolved["warmup"])

    @property
    def duration(self) -> float:
        """Measured time, seconds."""
        return float(self.resolved["duration"])

    @property
    def limiter(self) -> Mapping[str, Any] | None:
        """The rate limiter at the gateway."""
        limiter = _table(self.resolved["gateway"]["limiter"])
        return None if limiter["kind"] == "none" else limiter

    @property
    def has_ipv6(self) -> bool:
        """Whether the packets of the scenario are large enough for IPv6."""
        return self.mtu >= _IPV6_MTU

    def node(self, name: str) -> Node:
        """Return the node of this name."""
        return next(node for node in self.nodes if node.name == name)


def plan(resolved: Mapping[str, Any]) -> Plan:
    """Lay out a resolved scenario. Raises TestbedError for what a test-bed does not have."""
    flows = tuple(_flows(resolved))
    if len(flows) > MOST_FLOWS:
        accepted = f"with a test-bed, up to {MOST_FLOWS} flows in all"
        raise TestbedError(f"station: got {len(flows)} flows in all; accepted: {accepted}")
    for flow in flows:
        _check(flow)
    for key, has in NEGOTIATED.items():
        _check_negotiated(flows, key, has)
    count = sum(group["count"] for group in resolved["station"])
    stations = [f"sta-{number}" for number in range(1, count + 1)]
    ends = [end for flow in flows for end in (flow.sender, flow.receiver)]
    hosts = [name for name in dict.fromkeys(ends) if name not in stations]
    for flow in flows:
        reserved = (*stations, GATEWAY, ACCESS_POINT)
        if flow.station is None and {flow.sender, flow.receiver} & {*reserved}:
            raise TestbedError(f"{flow.field}: a host has the name of a station or of the gateway")
        if flow.station is not None and flow.host in reserved:
            raise TestbedError(f"{flow.field}.host: got {flow.host!r}, the name of another node")
    nodes = (
        *(_node(name, name, 77, k) for k, name in enumerate(stations, 1)),
        *(_node(name, f"host-{k}", 78, k) for k, name in enumerate(hosts, 1)),
        _node(GATEWAY, GATEWAY, 79, 1),
    )
    return Plan(resolved, nodes, flows, max(_IPV4_MTU, *(flow.data_bytes for flow in flows)))


def kernel_control(flow: Flow, available: tuple[str, ...]) -> str:
    """Return the kernel's name of a flow's congestion control. Raises TestbedError without one."""
    control = _CONTROLS.get(flow.transport)
    if control is None or control not in available:
        wanted = f" (Linux's {control!r})" if control else ""
        raise TestbedError(
            f"{flow.field}.transport: got {flow.transport!r}{wanted};"
            f" this kernel has {', '.join(sorted(available))}"
        )
    return control


def differences(plan: Plan) -> list[str]:
    """Return in which ways the flows of the test-bed differ from the scenario's."""
    tcp = [flow for flow in plan.flows if flow.is_tcp]
    notes = []
    if tcp:
        notes.append("TCP is the kernel's, with its SACK, RACK-TLP, PRR, timers and initial window")
    if any(flow.is_session for flow in tcp):
        notes.append(
            "a request follows the handshake in a segment of its own; connections are closed"
        )
    if any(_signal(plan)):
        notes.append("limiter.loss_signal.delay does not apply: the daemon asks when it decides")
    return notes


def _signal(plan: Plan) -> Iterator[float]:
    signal = (plan.limiter or {}).get("loss_signal")
    if isinstance(signal, dict):
        yield float(signal.get("delay", 0))


def _flows(resolved: Mapping[str, Any]) -> Iterator[Flow]:
    """Yield all flows, numbered as in the simulator: by station, then those between hosts."""
    several = any(group["count"] > 1 for group in resolved["station"])
    counts = {"up": 0, "down": 0}
    index = station = 0
    for group_index, group in enumerate(resolved["station"]):
        for number in range(1, group["count"] + 1):
            station += 1
            node = f"sta-{station}"
            for flow_index, spec, direction in _directed(group["flows"]):
                host = spec.get("host", SERVER)
                counts[direction] += 1
                sender, receiver = (node, host) if direction == "up" else (host, node)
                flow = _flow(index, f"{direction}-{counts[direction]}", spec, sender, receiver)
                yield replace(
                    flow,
                    field=f"station.{group_index}.flows.{flow_index}",
                    station=node,
                    start=spec.get("start", _STAGGER_S * index if several else 0.0),
                    name=_numbered(spec.get("name"), number, group["count"]),
                )
                index += 1
    for number, spec in enumerate(resolved["wired"].get("flow", [])):
        flow = _flow(index, f"wired-{number + 1}", spec, spec["from"], spec["to"])
        yield replace(flow, field=f"wired.flow.{number}")
        index += 1


def _directed(specs: Sequence[Mapping[str, Any]]) -> Iterator[tuple[int, Mapping[str, Any], str]]:
    """Yield the flows of a station with their directions: of "both" one of each, with its name."""
    for index, spec in enumerate(specs):
        if spec["direction"] != "both":
            yield index, spec, spec["direction"]
            continue
        for direction in ("up", "down"):
            name = spec.get("name")
            named = {} if name is None else {"name": f"{name}-{direction}"}
            yield index, {**spec, **named, "direction": direction}, direction


def _flow(index: int, id_: str, spec: Mapping[str, Any], sender: str, receiver: str) -> Flow:
    return Flow(
        index=index,
        id=id_,
        field="",
        sender=sender,
        receiver=receiver,
        station=None,
        transport=_table(spec["transport"])["kind"],
        application=_table(spec["application"]),
        start=spec.get("start", 0.0),
        stop=spec.get("stop"),
        spec=spec,
        name=spec.get("name"),
    )


def _check(flow: Flow) -> None:
    if flow.transport == "tfrc":
        raise TestbedError(f"{flow.field}.transport: got 'tfrc'; the kernel has TCP and UDP only")
    for key in ("ecn", "receiver_ecn"):
        if flow.is_tcp and (value := flow.spec.get(key)) not in (None, flow.ecn):
            accepted = "with a test-bed, false, or true at both ends"
            raise TestbedError(f"{flow.field}.{key}: got {value!r}; accepted: {accepted}")
    if flow.transport == "udp" and (ecn := _table(flow.spec["transport"]).get("ecn")):
        got = f"{flow.field}.transport.ecn: got {ecn!r}"
        raise TestbedError(f"{got}; accepted: with a test-bed, none: its datagrams are not-ECT")
    if flow.application.get("adaptation", "none") != "none":
        got = f"{flow.field}.application.adaptation: got {flow.application['adaptation']!r}"
        raise TestbedError(f"{got}; accepted: with a test-bed, 'none': its receivers do not report")
    if flow.is_tcp and flow.spec["header"] not in (TCP_HEADER, TCP_HEADER + TIMESTAMPS):
        accepted = f"with a test-bed, {TCP_HEADER}, or {TCP_HEADER + TIMESTAMPS} with timestamps"
        raise TestbedError(f"{flow.field}.header: got {flow.spec['header']}; accepted: {accepted}")


def nodes_with(flows: Iterable[Flow], has: Callable[[Flow], bool]) -> frozenset[str]:
    """Return the nodes that need an option of TCP: the ends of flows that have it."""
    return frozenset(node for flow in flows if has(flow) for node in (flow.sender, flow.receiver))


def _check_negotiated(flows: tuple[Flow, ...], key: str, has: Callable[[Flow], bool]) -> None:
    """Refuse a flow that would get an option which it is not to have: both of its nodes have it."""
    nodes = nodes_with(flows, has)
    for flow in flows:
        if flow.is_tcp and not has(flow) and {flow.sender, flow.receiver} <= nodes:
            got = json.dumps(flow.spec.get(key, False))
            accepted = "with a test-bed, that of the other flows of its station and its host"
            raise TestbedError(f"{flow.field}.{key}: got {got}; accepted: {accepted}")


def _node(name: str, label: str, network: int, number: int) -> Node:
    high, low = divmod(number - 1, _PER_BYTE)
    return Node(name, label, f"10.{network}.{high}.{low + 1}", f"fd{network}::{number:x}")


def _numbered(name: str | None, number: int, count: int) -> str | None:
    return name if name is None or count == 1 else f"{name}-{number}"


def _table(component: Any) -> Mapping[str, Any]:
    """Return a component as a table: without parameters it is written as its name."""
    return {"kind": component} if isinstance(component, str) else component
