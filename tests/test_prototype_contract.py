"""Random numbers, times and parameters of components in Python."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from typing import Annotated, Any, Literal

import evenair as ea
import pytest
from evenair.prototypes import (
    MS,
    AckEvent,
    Duration,
    Link,
    NextFrame,
    Range,
    Rate,
    RateSample,
    Window,
)
from prototype_support import fingerprint, load, registered  # noqa: F401 (a fixture)


def test_random_numbers_follow_from_the_seed() -> None:
    drawn: list[list[float]] = []

    class Draws:
        def __init__(self, queue: ea.prototypes.QueueContext) -> None:
            self.queue, self.packets = queue, []
            rng = queue.rng
            drawn.append([rng.uniform(), rng.up_to(9), rng.exponential(2.0), rng.next_u64()])

        def enqueue(self, now: int, packet: Any) -> None:
            if self.queue.has_room_for(packet) and not self.queue.rng.bernoulli(0.02):
                self.packets.append(packet)
            else:
                self.queue.drop(packet)

        def dequeue(self, now: int) -> Any:
            return self.packets.pop(0) if self.packets else None

    ea.register(queue=Draws)
    scenario = ea.load("gong2006").with_(duration="2 s", cell__queue="draws")
    first, second, other = ea.run(scenario), ea.run(scenario), ea.run(scenario, seed=2)
    assert fingerprint(first) == fingerprint(second) != fingerprint(other)
    assert drawn[0] == drawn[1] != drawn[2]
    uniform, up_to, exponential, _ = drawn[0]
    assert 0 <= uniform < 1
    assert up_to in range(10)
    assert exponential > 0


def test_a_shaper_holds_packets_back() -> None:
    """A packet per 10 ms, since 12,000 bits at 1.2 Mb/s take that long: `tbf` without a burst."""
    left: list[int] = []

    class OnePer10Ms:
        kind = "one-per-10-ms"

        def __init__(self, queue: ea.prototypes.QueueContext) -> None:
            self.queue, self.packets, self.next = queue, [], 0

        def enqueue(self, now: int, packet: Any) -> None:
            if self.queue.has_room_for(packet):
                self.packets.append(packet)
            else:
                self.queue.drop(packet)

        def dequeue(self, now: int) -> Any:
            if not self.packets or now < self.next:
                return None
            left.append(now)
            self.next = now + 10 * MS
            return self.packets.pop(0)

        def ready_at(self) -> int:
            return self.next

    ea.register(queue=OnePer10Ms)
    flows = [{"direction": "down", "transport": "udp", "rate": "4 Mbps"}]
    station = [{"flows": flows}]
    ea.run(ea.Scenario(duration=2, cell={"queue": "one-per-10-ms"}, station=station))
    gaps = [b - a for a, b in pairwise(left)]
    assert 195 <= len(left) <= 201
    assert min(gaps) >= 10 * MS


def test_parameters_are_read_as_those_of_built_in_components() -> None:
    seen: list[Any] = []

    class HasParameters:
        """has one of each.

        More text.
        """

        source = "RFC 0"

        def __init__(
            self,
            queue: object,
            time: Duration = 5 * MS,
            rate: Annotated[Rate, "of something"] = 1_500_000,
            share: Annotated[float, Range(0, 1), "a share"] = 0.25,
            many: int = 7,
            on: bool = True,
            side: Literal["head", "tail"] = "head",
        ) -> None:
            self.packets: list[Any] = []
            seen.append((time, rate, share, many, on, side))

        def enqueue(self, now: int, packet: Any) -> None:
            self.packets.append(packet)

        def dequeue(self, now: int) -> Any:
            return self.packets.pop(0) if self.packets else None

    ea.register(queue=HasParameters)
    base = ea.load("gong2006").with_(duration="1 s", cell__queue__limit=1000)
    result = ea.run(base.with_(cell__queue__kind="has-parameters"))
    assert seen.pop() == (5_000_000, 1_500_000, 0.25, 7, True, "head")
    queue = {
        **{"kind": "has-parameters", "time": "1.5 us", "rate": "2 Mbps", "share": 1, "many": 0},
        **{"on": False, "side": "tail", "limit": 1000},
    }
    result = ea.run(base.with_(cell__queue=queue))
    assert seen.pop() == (1_500, 2_000_000, 1.0, 0, False, "tail")
    written = json.loads(result.json)["scenario"]["cell"]["queue"]
    expected = {**queue, "time": 1.5e-6, "rate": 2e6}
    assert written == expected
    # The scenario of a result is one that gives it again.
    again = ea.run(ea.Scenario(**json.loads(result.json)["scenario"]))
    assert fingerprint(again) == fingerprint(result)

    from evenair._core import parts, schema

    (part,) = (each for each in json.loads(parts()) if each["name"] == "has-parameters")
    assert (part["kind"], part["summary"], part["source"]) == (
        "queue discipline",
        "has one of each",
        "RFC 0",
    )
    assert part["parameters"][2] == {
        "name": "share",
        "default": 0.25,
        "accepts": "a number from 0 to 1",
        "meaning": "a share",
    }
    assert "has-parameters" in schema()

    for key, value, message in [
        ("time", "0 s", "accepted: a time above 0"),
        ("share", 1.5, "got 1.5; accepted: a number from 0 to 1"),
        ("many", -1, "got -1; accepted: a whole number from 0 to 1000000000000000"),
        ("on", "yes", 'got "yes"; accepted: true or false'),
        ("side", "heed", 'got "heed"; did you mean "head"?'),
        ("shre", 1, "unknown key `shre`; did you mean `share`?"),
        ("interval", 1, '`interval` is no parameter of a "has-parameters" queue'),
    ]:
        with pytest.raises(ea.ScenarioError, match=re.escape(f"cell.queue.{key}: ")) as raised:
            base.with_(cell__queue={"kind": "has-parameters", key: value})
        assert message in str(raised.value)


def test_a_control_names_what_a_series_has_of_it() -> None:
    """Its attributes at the end of each interval: a number, a state, what is not known yet."""

    class Counts:
        observed = ("acks", "state", "lost_at_s")

        def __init__(self) -> None:
            self.acks, self.state, self.lost_at_s = 0, "before a loss", None

        def on_ack(self, window: Window, event: AckEvent) -> None:
            self.acks += 1
            window.grow(event.credit)

        def on_loss(self, window: Window, event: AckEvent) -> None:
            self.state, self.lost_at_s = "after a loss", event.now / 1e9
            window.ssthresh = window.cwnd = max(event.flight / 2, 2.0)

        def on_timeout(self, window: Window, event: AckEvent, first: bool) -> None:
            self.on_loss(window, event)
            window.cwnd = 1.0

    ea.register(congestion_control=Counts)
    flow = {"direction": "down", "transport": "counts", "window": 1000}
    run = ea.run(ea.Scenario(duration=4, trace={"interval": 0.5}, station=[{"flows": [flow]}]))
    series = run.document["series"]["flows"]["down-1"]
    assert all(isinstance(number, float) for number in series["acks"])
    assert series["acks"] == sorted(series["acks"])
    assert len(series["state"]) == len(series["acks"]) == 8
    for time, state, lost in zip(
        run.document["series"]["time_s"], series["state"], series["lost_at_s"], strict=True
    ):
        assert (state == "after a loss") == (lost is not None)
        assert lost is None or lost <= time
    assert series["state"][-1] == "after a loss"


@pytest.mark.parametrize("names", ["acks", [1], ("Acks",), ("acks", "acks"), ("cwnd",)])
def test_names_that_no_column_can_have_are_refused(names: Any) -> None:
    class Wrong:
        observed = names

        def __init__(self) -> None:
            self.acks = 0

    for method in ("on_ack", "on_loss", "on_timeout"):
        setattr(Wrong, method, lambda self, *_: None)
    with pytest.raises(ValueError, match=r"^Wrong\.observed: got .*; accepted: a list or tuple"):
        ea.register(congestion_control=Wrong)


def test_a_value_that_no_column_can_have_ends_the_run() -> None:
    class Lists:
        observed = ("acks",)

        def __init__(self) -> None:
            self.acks: list[int] = []

        def on_ack(self, window: Window, event: AckEvent) -> None:
            window.grow(event.credit)

        def on_loss(self, window: Window, event: AckEvent) -> None:
            window.ssthresh = window.cwnd = 2.0

        def on_timeout(self, window: Window, event: AckEvent, first: bool) -> None:
            window.cwnd = 1.0

    ea.register(congestion_control=Lists)
    flow = {"direction": "down", "transport": "lists"}
    scenario = ea.Scenario(duration=2, trace={"interval": 1}, station=[{"flows": [flow]}])
    with pytest.raises(
        ea.RunError, match=r"observed: acks is \[\]; accepted: a number, None or text"
    ):
        ea.run(scenario)


def test_a_pacing_rate_spaces_segments() -> None:
    """1,000 bytes at 400 kb/s: one segment each 20 ms, though the window has room for all."""
    left: list[int] = []

    class Paced(Growing):
        def on_sent(self, window: Window, event: ea.prototypes.SentEvent) -> None:
            left.append(event.now)

        def pacing_rate(self) -> float:
            return 400e3

    ea.register(congestion_control=Paced)
    result = ea.run(over_a_slow_wire("paced", segment=1000))
    assert {later - earlier for earlier, later in pairwise(left)} == {20 * MS}
    flow = result.document["flows"][0]
    assert len(left) == flow["segments_sent"]
    assert flow["goodput_bps"] == pytest.approx(400e3, rel=0.01)


def test_the_delivery_rate_is_that_of_the_bottleneck() -> None:
    """Packets of 1,500 bytes at 2 Mb/s, of which 1,460 are payload."""
    samples: list[RateSample] = []
    sent: list[int] = []

    class Measuring(Growing):
        def on_sent(self, window: Window, event: ea.prototypes.SentEvent) -> None:
            sent.append(event.bytes)

        def on_rate_sample(self, window: Window, sample: RateSample) -> None:
            samples.append(sample)

    ea.register(congestion_control=Measuring)
    ea.run(over_a_slow_wire("measuring", segment=1460))
    rates = [sample.rate for sample in samples if sample.rate is not None]
    bottleneck = 2e6 * 1460 / 1500
    assert sorted(rates)[len(rates) // 2] == pytest.approx(bottleneck, rel=0.01)
    assert max(rates) < 1.1 * bottleneck
    assert len(rates) > 0.9 * len(samples) > 100
    total = 0
    for sample in samples:
        total += sample.newly_delivered
        assert sample.total == total
        assert sample.prior_delivered < total
    # What is delivered and what is in the network has been sent.
    assert sum(sent) == pytest.approx(total + samples[-1].in_flight, abs=20 * 1460)
    assert not any(sample.is_app_limited for sample in samples)


@pytest.mark.parametrize("rate", [0.0, -1.0, float("nan"), float("inf")])
def test_a_pacing_rate_that_is_none_is_refused(rate: float) -> None:
    class NoRate(Growing):
        def pacing_rate(self) -> float:
            return rate

    ea.register(congestion_control=NoRate, replace=True)
    with pytest.raises(ea.RunError, match=r"pacing_rate: returned .*; accepted: None, or a number"):
        ea.run(over_a_slow_wire("no-rate", segment=1460))


class Growing:
    """as newreno"""

    def on_ack(self, window: Window, event: AckEvent) -> None:
        window.grow(event.credit)

    def on_loss(self, window: Window, event: AckEvent) -> None:
        window.ssthresh = window.cwnd = max(event.flight / 2, 2.0)

    def on_timeout(self, window: Window, event: AckEvent, first: bool) -> None:
        window.cwnd = 1.0


def over_a_slow_wire(kind: str, segment: int) -> ea.Scenario:
    """A download over a wire of 2 Mb/s, slower than the cell; its queue has room for the window."""
    flow = {"direction": "down", "transport": kind, "segment": segment, "window": 60}
    wired = {"rate": "2 Mbps", "delay": "20 ms"}
    return ea.Scenario(duration=8, wired=wired, station=[{"flows": [flow]}])


def test_a_rate_control_knows_modes_and_learns_of_mpdus() -> None:
    """With MCS it sees each mode, and of each PPDU how many MPDUs are acknowledged.

    HE, 20 MHz and one stream has MCS 0 to 11. At 10.9 dB a tenth of 1458 bytes are lost with MCS 4
    (docs/channel.md): of 1432 bytes, 1394 of IP and 38, 1 - 0.9^(1432 / 1458) = 9.83 %. Of some
    20,000 MPDUs five standard errors are 1.1 %.
    """
    seen: dict[str, Any] = {"mpdus": 0, "acknowledged": 0, "ppdus": 0}

    class Fourth:
        """MCS 4, always"""

        def __init__(self, link: Link) -> None:
            seen["modes"] = link.modes
            self.rate = link.modes.index((4, 1, 20_000_000))

        def choose(self, frame: NextFrame) -> int:
            return self.rate

        def report_mpdus(self, mpdus: int, acknowledged: int) -> None:
            seen["ppdus"] += 1
            seen["mpdus"] += mpdus
            seen["acknowledged"] += acknowledged

        def report(self, now: int, sent_data: bool, outcome: str) -> None: ...

        def present(self) -> int:
            return self.rate

    ea.register(rate_control=Fourth, replace=True)
    flow = {"direction": "up", "transport": "udp", "rate": "60 Mbps", "segment": 1366}
    station = {
        "rate_control": "fourth",
        "channel": {"kind": "snr", "snr_db": 10.9},
        "flows": [flow],
    }
    cell = {"phy": "802.11ax", "channel_width": "20 MHz"}
    ea.run(ea.Scenario(duration=5, cell=cell, station=[station]), seed=1)
    assert seen["modes"] == [(mcs, 1, 20_000_000) for mcs in range(12)]
    assert seen["ppdus"] > 400
    assert seen["mpdus"] > 20 * seen["ppdus"]
    lost = 1 - seen["acknowledged"] / seen["mpdus"]
    assert abs(lost - 0.0983) < 0.011, lost
