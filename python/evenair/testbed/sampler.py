"""The senders' view of the flows, read from the kernel at intervals."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from evenair.testbed.linux.tcp_info import Connections
from evenair.testbed.traffic.iperf import client_port

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evenair.testbed.layout import Flow
    from evenair.testbed.linux.tcp_info import TcpInfo

PERIOD_S = 0.1
"""Time between two samples: the last one before a flow's `stop` is at most this old."""


@dataclass
class Samples:
    """The samples of a flow's data connection."""

    before: TcpInfo | None = None
    """At the end of the warm-up; None if the connection was not yet there."""
    last: TcpInfo | None = None
    """The last one; None if there never was a connection."""
    began_s: float | None = None
    """When the connection was first seen, seconds since the start of the run."""
    rtts_s: list[float] = field(default_factory=list)
    """Smoothed round-trip times of the measured time, one for each sample in which it was another:
    retransmitted segments have none (RFC 6298 section 3), so that of a starved flow may be old."""
    most_unacked: int = 0
    """The most segments that were in flight at a sample."""

    def add(self, info: TcpInfo, time_s: float, *, measured: bool) -> None:
        """Add a sample."""
        if self.began_s is None:
            self.began_s = time_s
        is_new = self.last is None or info.rtt_s != self.last.rtt_s
        if measured and is_new and info.rtt_s > 0:
            self.rtts_s.append(info.rtt_s)
        if measured:
            self.most_unacked = max(self.most_unacked, info.unacked)
        self.last = info

    def grown(self, name: str) -> int:
        """Return by how much a counter has grown in the measured time."""
        if self.last is None:
            return 0
        before = 0 if self.before is None else int(getattr(self.before, name) or 0)
        return int(getattr(self.last, name) or 0) - before


class Sampler:
    """Samples the data connections of all iperf3 flows over TCP."""

    def __init__(self, flows: Sequence[Flow], namespaces: Mapping[str, str]) -> None:
        """`namespaces` has the path of each node's namespace."""
        self.samples = {flow.index: Samples() for flow in flows}
        self.times_s: list[float] = []
        """The ends of the intervals of the trace, seconds since the end of the warm-up."""
        self.goodputs_bps: dict[int, list[float]] = {flow.index: [] for flow in flows}
        """By flow, in these intervals."""
        self.cwnds: dict[int, list[int | None]] = {flow.index: [] for flow in flows}
        """By flow, segments, at their ends."""
        self._bytes = self._acked()
        self._sampled_s = self._warm_s = 0.0
        self._flows = {(flow.sender, client_port(flow), flow.port): flow for flow in flows}
        self._connections = {
            node: Connections(namespaces[node]) for node in {flow.sender for flow in flows}
        }

    @property
    def measured_s(self) -> float:
        """The time in which counters have grown: from the end of the warm-up to the last sample."""
        return self._sampled_s - self._warm_s

    def sample(self, time_s: float, *, measured: bool) -> None:
        """Sample all connections, at a time since the start of the run."""
        self._sampled_s = time_s
        for node, connections in self._connections.items():
            for connection in connections.list():
                key = (node, connection.local_port, connection.remote_port)
                flow = self._flows.get(key)
                if flow is not None and connection.info is not None:
                    samples = self.samples[flow.index]
                    samples.add(connection.info, time_s, measured=measured)

    def end_warmup(self) -> None:
        """Note the counters of the last sample: the measured time has begun with it."""
        self._warm_s = self._sampled_s
        for samples in self.samples.values():
            samples.before = samples.last
        self._bytes = self._acked()

    def trace(self, time_s: float) -> None:
        """End an interval of the trace, at a time since the end of the warm-up."""
        acked = self._acked()
        span = time_s - (self.times_s[-1] if self.times_s else 0.0)
        for index, samples in self.samples.items():
            self.goodputs_bps[index].append(8 * (acked[index] - self._bytes[index]) / span)
            self.cwnds[index].append(samples.last.cwnd if samples.last else None)
        self.times_s.append(time_s)
        self._bytes = acked

    def _acked(self) -> dict[int, int]:
        return {
            index: samples.last.bytes_acked if samples.last else 0
            for index, samples in self.samples.items()
        }

    def close(self) -> None:
        """Close the netlink sockets."""
        for connections in self._connections.values():
            connections.close()
