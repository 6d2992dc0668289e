"""The extension module of evenair."""

import os
from collections.abc import Callable, Iterable, Sequence
from typing import ClassVar, Final, final

__all__ = [
    "LABELS",
    "RESULT_VERSION",
    "AckEvent",
    "AdaptiveRateLimiter",
    "DatagramSource",
    "Link",
    "NextFrame",
    "Packet",
    "Phy",
    "QueueContext",
    "RandomStream",
    "RateSample",
    "RunError",
    "Scenario",
    "ScenarioError",
    "SentEvent",
    "StreamSession",
    "Window",
    "__version__",
    "air_trace",
    "answer",
    "emulate",
    "explain",
    "explain_delays",
    "nearest",
    "parts",
    "quantity",
    "read_no_files",
    "register_prototype",
    "run_jobs",
    "schema",
]

LABELS: Final[str]
"""Words and units of metrics and of a scenario's keys, as JSON text."""

RESULT_VERSION: Final[int]
"""Incremented whenever the same scenario and seed give another result."""

__version__: str

class ScenarioError(ValueError):
    """A scenario is not valid. The message names source, field, value and what is accepted."""

class RunError(RuntimeError):
    """A run failed. The message names the scenario and the seed that reproduce it."""

@final
class Scenario:
    """A scenario document and, after the first use, its resolved form. Immutable."""

    def __new__(cls, document: str, source: str) -> Scenario:
        """Read a JSON document; `source` names it in errors. Only the syntax is checked."""

    @staticmethod
    def from_toml(data: bytes, source: str) -> Scenario:
        """Read a TOML document. Only the syntax is checked."""

    @property
    def source(self) -> str:
        """Where the document came from, as errors name it."""

    def with_overrides(
        self, overrides: Sequence[tuple[str, str]], override_source: str, source: str
    ) -> Scenario:
        """Return a copy with dotted keys set to values in the syntax of the command line.

        Errors in a key name `override_source`; errors of the copy name `source`.
        """

    def resolve(self) -> None:
        """Check the document and fill in every default. Raises ScenarioError."""

    def document_json(self) -> str:
        """Return the document as JSON text, as it was given."""

    def resolved_json(self) -> str:
        """Return the resolved document as JSON text. Raises ScenarioError."""

    def phy(self) -> Phy:
        """Return the timing of the PHY of the scenario's cell, a WLAN. Raises ScenarioError."""

    def __getnewargs__(self) -> tuple[str, str]: ...

@final
class Phy:
    """Slot time, interframe spaces and airtimes of a scenario's cell; made by `Scenario.phy`."""

    ACK_BITS: ClassVar[int]
    """Bits of an ACK."""
    CTS_BITS: ClassVar[int]
    """Bits of a CTS."""
    RTS_BITS: ClassVar[int]
    """Bits of an RTS."""

    @property
    def slot_s(self) -> float:
        """aSlotTime, seconds."""

    @property
    def sifs_s(self) -> float:
        """aSIFSTime, seconds."""

    @property
    def difs_s(self) -> float:
        """DIFS, seconds."""

    @property
    def eifs_s(self) -> float:
        """EIFS, seconds."""

    @property
    def response_timeout_s(self) -> float:
        """How long a sender waits for the start of a CTS or ACK, seconds."""

    @property
    def cw_min(self) -> int:
        """aCWmin: the first backoff is uniform on 0..=cw_min slots."""

    @property
    def cw_max(self) -> int:
        """ACWmax."""

    @property
    def rates_bps(self) -> list[int]:
        """Data rates, bit/s, ascending."""

    def control_rate_bps(self, data_rate_bps: int) -> int:
        """Rate of RTS, CTS and ACK in an exchange whose data frame has this rate, bit/s."""

    def airtime_s(self, bits: int, rate_bps: int) -> float:
        """The time on air of a frame, preamble included, in seconds, rounded to the nanosecond."""

@final
class AdaptiveRateLimiter:
    """The rules of Blefari-Melazzi et al. 2007, Tab. 1.

    From what a control round has seen follows the rate of the uplink. `interval` (T_p, seconds),
    `step` (R_step, bit/s), `max_rate` (C_max, bit/s), `udp` ("shared", "reserved" or "estimated"),
    `udp_rate` and `min_rate` (bit/s) are the parameters of the limiter of a scenario, as numbers or
    texts with a unit. The rules do not use `interval`. Raises ValueError.
    """

    def __new__(
        cls,
        interval: float | str = 1.0,
        step: float | str = 200e3,
        max_rate: float | str = 6e6,
        udp: str = "shared",
        udp_rate: float | str = 1e6,
        min_rate: float | str = 0.0,
    ) -> AdaptiveRateLimiter: ...
    def round(
        self,
        up_bps: float,
        down_bps: float,
        lost: bool,
        *,
        udp_up_bps: float = 0.0,
        udp_down_bps: float = 0.0,
    ) -> int:
        """End a control round; return the rate from now on, bit/s.

        `up_bps` and `down_bps` are the throughputs of the round at IP level, that of the uplink
        with or without what the policer has dropped (`uplink_count` of a scenario's limiter);
        `udp_up_bps` and `udp_down_bps` are UDP's part of them; fractions are dropped. `lost` says
        whether the access point's downlink queue has lost packets.
        """

    def release(self) -> None:
        """Forget all losses: the rate is max_rate again."""

    @property
    def rate_bps(self) -> int:
        """R, the rate of the uplink, bit/s."""

    @property
    def capacity_bps(self) -> int | None:
        """C, the capacity as of the last lossy round, bit/s; None before the first loss."""

    @property
    def udp_rate_bps(self) -> int | None:
        """The rate of UDP's own bucket, bit/s; None with `udp` "shared"."""

    @property
    def first_loss(self) -> bool:
        """Whether the next lossy round is the first one after a round without a loss."""

    @property
    def reason(self) -> str:
        """The branch of Tab. 1 of the last round: "no-loss", "first-loss" or "loss"."""

@final
class RandomStream:
    """Random numbers of one component in one run; they follow from the run's seed alone."""

    def next_u64(self) -> int:
        """Return 64 uniform bits."""

    def up_to(self, largest: int) -> int:
        """Return a uniform integer from 0 to `largest`, at most 2^32 - 1."""

    def uniform(self) -> float:
        """Return a uniform number from 0 to below 1."""

    def bernoulli(self, probability: float) -> bool:
        """Return True with this probability."""

    def exponential(self, mean: float) -> float:
        """Return an exponential number with this mean."""

@final
class Packet:
    """A packet in a queue."""

    @property
    def flow(self) -> int:
        """The flow's number in the scenario."""

    @property
    def connection(self) -> int:
        """The number of the flow's connection, modulo 256."""

    @property
    def size(self) -> int:
        """Bytes at IP level."""

    @property
    def progress(self) -> int:
        """Sequence number of data, acknowledgement number of a pure acknowledgement, bytes."""

    @property
    def is_pure_ack(self) -> bool:
        """Whether it is a TCP acknowledgement without payload."""

    @property
    def is_high_priority(self) -> bool:
        """Whether its source has marked it as high priority."""

    @property
    def enqueued_at(self) -> int:
        """When it arrived at the queue, ns."""

    @property
    def ecn(self) -> str:
        """The ECN field: "not-ect", "ect0", "ect1" or "ce" (RFC 3168 section 5)."""

@final
class QueueContext:
    """The queue of a discipline: what waits, and what the discipline does with it."""

    @property
    def packets(self) -> int:
        """Waiting packets.

        A packet counts when `enqueue` has kept it, until it is dropped or returned by `dequeue`.
        """

    @property
    def bytes(self) -> int:
        """Waiting bytes at IP level."""

    @property
    def acks(self) -> int:
        """Waiting TCP acknowledgements without payload."""

    @property
    def rng(self) -> RandomStream:
        """The queue's own random numbers."""

    def has_room_for(self, packet: Packet) -> bool:
        """Return whether the limit has room for the packet."""

    def has_room_without(self, victims: Sequence[Packet], packet: Packet) -> bool:
        """Return whether the limit has room for the packet once these are dropped."""

    def drop(self, packet: Packet, reason: str | None = None) -> None:
        """Drop the packet that arrives, or one that waits.

        `reason` is "on-arrival", "on-departure", "evicted" or "superseded". By default it is
        "on-arrival" for the packet that arrives, "evicted" for another one in `enqueue`, and
        "on-departure" in `dequeue`.
        """

    def mark(self, packet: Packet) -> bool:
        """Set the ECN field to "ce" if the packet's transport supports ECN.

        Returns whether it does.
        """

@final
class Window:
    """The congestion window, in segments."""

    cwnd: float
    """The congestion window, segments."""
    ssthresh: float
    """The slow-start threshold, segments."""

    def grow(self, credit: float) -> None:
        """Slow start and congestion avoidance (RFC 5681 section 3.1)."""

    def slow_start(self, credit: float) -> float:
        """Slow start alone; return what is left of the credit once ssthresh is reached."""

    def in_use(self, event: AckEvent) -> float:
        """Return the part of cwnd that is in use, segments."""

@final
class AckEvent:
    """What the sender knows when something happens."""

    @property
    def now(self) -> int:
        """The time, ns."""

    @property
    def acked(self) -> float:
        """Segments newly acknowledged; 0 of a duplicate ACK."""

    @property
    def credit(self) -> float:
        """Segments by which this ACK counts: 1, or `acked` with byte counting."""

    @property
    def may_grow(self) -> bool:
        """Whether cwnd may grow; what it grows by nevertheless is taken off."""

    @property
    def marked(self) -> float:
        """Of `acked`, the segments that arrived with a mark, as far as the sender knows."""

    @property
    def flight(self) -> float:
        """Segments that were outstanding before (RFC 5681: FlightSize)."""

    @property
    def rtt(self) -> int | None:
        """The round-trip time of the last acknowledged segment, ns; None if it was sent twice."""

    @property
    def snd_una(self) -> int:
        """The first byte that had not been acknowledged before."""

    @property
    def snd_nxt(self) -> int:
        """The next byte to be sent."""

    @property
    def segment(self) -> int:
        """Payload bytes of a full segment."""

    @property
    def ack(self) -> int:
        """The first byte that is not acknowledged now."""

@final
class SentEvent:
    """A data segment leaves."""

    @property
    def now(self) -> int:
        """The time, ns."""

    @property
    def bytes(self) -> int:
        """Payload bytes of the segment."""

    @property
    def retransmission(self) -> bool:
        """Whether it has been sent before."""

    @property
    def in_flight(self) -> int:
        """Payload bytes in the network before it; 0 after a pause."""

@final
class RateSample:
    """How fast payload is delivered, as one ACK tells it (draft-ietf-ccwg-bbr-02, 4.1.1)."""

    @property
    def now(self) -> int:
        """The time, ns."""

    @property
    def newly_delivered(self) -> int:
        """Bytes that the ACK is the first to report."""

    @property
    def total(self) -> int:
        """Bytes delivered since the connection began."""

    @property
    def prior_delivered(self) -> int:
        """What `total` was when the segment was sent that was sent last of those newly reported."""

    @property
    def interval(self) -> int | None:
        """The time in which `total - prior_delivered` was delivered, ns; None: compressed ACKs."""

    @property
    def rate(self) -> int | None:
        """The delivery rate, bit/s of payload; None without an interval."""

    @property
    def is_app_limited(self) -> bool:
        """Whether the application had left the sender without data."""

    @property
    def in_flight(self) -> int:
        """Bytes in the network after the ACK."""

    @property
    def rtt(self) -> int | None:
        """The round-trip time of the segment sent last, ns; None if it was sent twice."""

    @property
    def prior_in_flight(self) -> int:
        """Bytes in the network before the ACK."""

    @property
    def newly_lost(self) -> int:
        """Bytes that the ACK has marked lost."""

    @property
    def lost(self) -> int:
        """Bytes marked lost since the newest of the newly reported segments was sent."""

    @property
    def tx_in_flight(self) -> int:
        """Bytes in the network just after that segment was sent."""

    @property
    def newly_marked(self) -> int:
        """Of `newly_delivered`, the bytes that arrived with a congestion mark, if known."""

    @property
    def marked(self) -> int:
        """Bytes that arrived with a mark since that segment was sent."""

    @property
    def is_cwnd_limited(self) -> bool:
        """Whether what is in the network has filled cwnd since the last sample."""

@final
class Link:
    """What a rate control knows of its direction of a link from the start."""

    @property
    def rates(self) -> list[int]:
        """The rates, ascending, bit/s. A rate control names a rate by its index here."""

    @property
    def modes(self) -> list[tuple[int, int, int] | None]:
        """MCS, spatial streams and width in Hz at each of the rates; None at one without MCS."""

    @property
    def first(self) -> int:
        """The index of the rate of the first data frame."""

    @property
    def rng(self) -> RandomStream:
        """Random numbers of this direction of the link."""

    def airtime(self, size: int, rate: int) -> int:
        """Return the time on air of a frame of `size` bytes at the rate with this index, ns."""

@final
class NextFrame:
    """A data frame whose rate is to be chosen."""

    @property
    def now(self) -> int:
        """When its attempt begins, ns."""

    @property
    def bytes(self) -> int:
        """Its size, MAC overhead included."""

    @property
    def prelude(self) -> str:
        """What goes before it: "off", "cts-to-self" or "rts-cts"."""

def register_prototype(kind: str, cls: type, description: str, replace: bool) -> None:
    """Register a class as a component that scenarios can name; `evenair.register` calls this.

    `kind` is "queue", "congestion_control" or "rate_control". `description` is JSON text with
    `name`, `summary`, `source`, `file` and `parameters`, each with `name`, `meaning`, `type`,
    `default` and, depending on the type, `min` and `max`, or `names`. Raises ValueError.
    """

def quantity(kind: str, text: str) -> float:
    """Read a quantity as a scenario does: a number with a unit, or a plain number.

    `kind` is "rate" (bit/s), "time" (seconds), "size" (bytes) or "frequency" (Hz). Raises
    ValueError, which says what was given and what is accepted.
    """

def run_jobs(
    jobs: Iterable[tuple[Scenario, int]],
    threads: int,
    on_results: Callable[[list[tuple[int, str | None, str | None]]], object],
    pcap: tuple[str | os.PathLike[str] | None, str | os.PathLike[str]] | None = None,
    delay_by_place: bool = False,
) -> None:
    """Run the jobs of an iterator, pairs of a `Scenario` and a seed, on `threads` threads.

    The iterator is consumed a bounded number of jobs ahead of the threads. `on_results` is called
    on the calling thread with a list of `(index of the job, result as JSON text or None, error or
    None)`: the runs that have finished since the last call, in any order. A run that fails and a
    scenario that is not valid do not stop the others. An exception in the iterator or in
    `on_results`, or Ctrl-C, stops all of them.

    If the system refuses a thread, those that have been started do all jobs; if there is none, this
    raises RunError.

    `pcap` names the capture files of the only job: that of the air, or None, and that of the wire.
    Frames on the air of a cell of WiMAX, 802.11n, ac or ax are not captured.
    """

def air_trace(scenario: Scenario, seed: int, from_s: float, accesses: int) -> str:
    """Return the accesses to the medium of a run from a moment on, as JSON text.

    They begin `from_s` seconds after the warm-up, and are at most `accesses`; in a WiMAX cell they
    are frames. Raises ScenarioError, or RunError if it would begin after the run or be too long.
    """

@final
class StreamSession:
    """The session of a flow over TCP: what its application does with its connections.

    Times are nanoseconds since the start of the run. `connections` of its methods is an object with
    these methods, which get the number of a slot:

    - `open(slot, bytes)`: open a new connection instead of the present one, over which so many
      bytes are transferred
    - `request(slot, bytes)`: the receiver asks for so many more over the present one
    - `received(slot)`: payload bytes that have arrived over it, and whether any have
    - `is_done(slot)`: whether the sender knows that all has arrived
    - `repairs(slot)`: segments sent again, and expiries of retransmission timers
    - `stop(slot)`: send nothing new; return whether something is under way
    """

    def __new__(cls, scenario: Scenario, seed: int, flow: int) -> StreamSession:
        """The session of flow number `flow`. Raises ValueError if it has none."""

    @property
    def slots(self) -> int:
        """How many connections it may have at a time."""

    @property
    def is_opened_by_receiver(self) -> bool:
        """Whether the receiver of the data opens the connections; otherwise their sender does."""

    @property
    def request(self) -> int:
        """Payload of a request of the receiver, bytes."""

    @property
    def finished(self) -> int:
        """How many transfers are over."""

    def poll_at(self) -> int | None:
        """Return when `on_timer` is to be called.

        None: not before something else has happened.
        """

    def on_timer(self, now: int, connections: object) -> None:
        """Do what is due."""

    def on_progress(self, now: int, slot: int, connections: object) -> None:
        """Note what the connection of a slot has brought.

        The first data have arrived, or all that was asked for, or the sender knows that.
        """

    def result(self, now: int) -> str:
        """Return what was measured up to `now` as JSON text.

        `flow` has members of a flow's result; `sessions` its finite transfers. What a slowdown is
        compared with is simulated. Raises RunError.
        """

@final
class DatagramSource:
    """The datagrams of a flow over UDP, and what its ends make of those that arrive.

    Times are nanoseconds since the start of the run.
    """

    def __new__(cls, scenario: Scenario, seed: int, flow: int) -> DatagramSource:
        """The datagrams of flow number `flow`. Raises ValueError if it has none."""

    @property
    def is_echoed(self) -> bool:
        """Whether the receiver sends back what it receives."""

    def next(self) -> tuple[int | None, int]:
        """Return when the next datagram is to be sent, and its payload, bytes.

        None: there is no other.
        """

    def on_sent(self, now: int) -> None:
        """Note that it has been sent."""

    def on_datagram(self, now: int, sent: int, number: int, size: int) -> None:
        """Note that a datagram with `size` bytes of payload has arrived.

        Before it `number` others were sent.
        """

    def on_echo(self, now: int, number: int) -> None:
        """Note that the datagram has come back before which `number` others were sent."""

    def result(self, now: int) -> str:
        """Return what was measured up to `now` as JSON text: members of a flow's result."""

def emulate(spec: str, report: Callable[[str], str | None] | None = None) -> str:
    """Emulate the network of a scenario between TUN devices in network namespaces (Linux).

    `spec` is a JSON document with the scenario, the namespaces and addresses of the hosts and the
    flows that are counted. Returns the result as JSON text. Packets are carried from the first call
    of `report` on, with `{"event": "ready"}`; every 50 ms follows
    `{"event": "progress", "t_s": ...}`, the time since the start of the scenario or null. `report`
    returns None, `{"command": "start"}`, with which time 0 of the scenario is now, or
    `{"command": "stop"}`, which ends the run. Without `report` the scenario starts at once. An
    exception in `report` or in a signal handler ends the run.

    For a process of its own: it is killed when its parent dies.
    """

def explain(result: str) -> str:
    """Return why flows starve: a list of diagnoses as JSON text, empty if none does.

    `result` is the JSON text of a result, or of several runs (`{"runs": [...]}`), whose means
    count. Raises ValueError if it is neither.
    """

def explain_delays(result: str) -> str:
    """Return where the delay of flows is as JSON text: "null" if that was not measured.

    `result` as of `explain`. Raises ValueError as well.
    """

def nearest(text: str, names: Sequence[str]) -> str | None:
    """Return the name that a text is most likely meant to be; None if none is near, or several are.

    The distance counts characters that are missing, too many, wrong or exchanged; case does not
    count.
    """

def answer(request: str, check: Callable[[], object]) -> str:
    """Answer a request of the lab's page, as its WebAssembly does. Both are JSON text.

    `check` is called on this thread while it waits; what it raises cancels the run, and is raised
    once the run has ended.
    """

def read_no_files() -> None:
    """From now on, no scenario of this process may name files, as on the page in a browser."""

def parts() -> str:
    """Return every component that a scenario can name, as JSON text.

    Queue disciplines, congestion controls, the datagram transport, PHYs, modulations, schedulers,
    loss processes (kind "error"), applications and distributions, each with its parameters.
    """

def schema() -> str:
    """Return the JSON Schema of a scenario, as JSON text."""
