"""Random numbers, times and parameters of components in Python."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from typing import Annotated, Any, Literal

import evenair as ea
import pytest
from evenair.prototypes import MS, Duration, Range, Rate
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
