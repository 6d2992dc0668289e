"""Flows that replay the packets of a file: what a user sees, and what mistakes say."""

from __future__ import annotations

import json
import struct
from typing import TYPE_CHECKING

import evenair as ea
import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from .conftest import Evenair

SCENARIO = """
duration = "2 s"
[[station]]
flows = [
    { transport = "udp", application = { kind = "trace", file = "x" }, direction = "both" },
]
"""

ROWS = [(0.0, 1500, True), (0.5, 100, False), (1.0, 60, True)]
"""Time, size, and whether the packet is of the station."""


def capture(rows: list[tuple[float, int, bool]], protocol: int = 0x0800) -> bytes:
    """Write a pcap file of Ethernet."""
    file = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1)
    for at, size, is_up in rows:
        ends = [bytes([192, 168, 0, 2]), bytes([10, 0, 0, 1])]
        ip = struct.pack(">BBHIBBH", 0x45, 0, size, 0, 64, 17, 0)
        ip += b"".join(ends if is_up else reversed(ends))
        frame = bytes(12) + struct.pack(">H", protocol) + ip
        seconds, micros = divmod(round(at * 1e6), 1_000_000)
        file += struct.pack("<IIII", 1_700_000_000 + seconds, micros, len(frame), size + 14) + frame
    return file


def csv(rows: list[tuple[float, int, bool]]) -> bytes:
    lines = [f"{at},{size},{'up' if is_up else 'down'}" for at, size, is_up in rows]
    return "\n".join(["time,size,direction", *lines]).encode()


@pytest.fixture
def scenario(tmp_path: Path) -> Path:
    path = tmp_path / "trace.toml"
    path.write_text(SCENARIO)
    return path


def test_rows_are_transfers_over_tcp(scenario: Path) -> None:
    rows = [(0.0, 20_000, True), (0.5, 3_000, False), (0.6, 1, False)]
    (scenario.parent / "x").write_bytes(csv(rows))
    text = SCENARIO.replace('transport = "udp", ', "")
    scenario.write_text(text.replace('kind = "trace"', 'kind = "trace", sent_as = "transfers"'))
    result = ea.run(ea.load(scenario))
    sizes = [(each["flow"], each["bytes"]) for each in result.document["sessions"]]
    assert sorted(sizes) == [("down-1", 1), ("down-1", 3_000), ("up-1", 20_000)]
    up, down = result.document["flows"]
    assert (up["completion_s"]["n"], down["completion_s"]["n"]) == (1, 2)
    assert down["arrivals"]["finished"] == 2
    assert up["completion_s"]["slowdown"] > 0


def test_a_capture_and_a_csv_file_are_the_same_run(scenario: Path) -> None:
    """By hand: 1472 and 32 bytes of payload go up in 2 s, 72 bytes down."""
    results = []
    for content in (csv(ROWS), capture(ROWS)):
        (scenario.parent / "x").write_bytes(content)
        results.append(ea.run(ea.load(scenario)))
    first, second = (dict(result.document) for result in results)
    for document in (first, second):
        document.pop("wall_s", None)
    assert first == second
    up, down = first["flows"]
    assert (up["id"], down["id"]) == ("up-1", "down-1")
    assert (up["goodput_bps"], down["goodput_bps"]) == (8 * (1472 + 32) / 2, 8 * 72 / 2)
    application = first["scenario"]["station"][0]["flows"][0]["application"]
    assert application["packets"] == [[0.0, 1500, "up"], [0.5, 100, "down"], [1.0, 60, "up"]]
    (scenario.parent / "x").unlink()
    again = ea.run(ea.Scenario(**first["scenario"]))
    assert again.document["flows"] == first["flows"]


@pytest.mark.parametrize(
    ("content", "part"),
    [
        (None, "No such file"),
        (b"", "it is empty"),
        (b"time,size\n", "got 0 packets"),
        (b"time,bytes\n0,100\n", 'line 1: got "time,bytes" without a column "size"'),
        (b"0,100\n-1,100\n", "line 2: got -1: it is negative"),
        (b"1,100\n0,100\n", "line 2: got 0 s after 1 s"),
        (b"0,100\n1,0\n", "line 2: got 0 B"),
        (b"0,5000000000\n", "line 1: got 5000000000 B"),
        (b"0,100,left\n", 'line 1: got "left"'),
        (b"\xff\xfe\x00", "got no text"),
        (capture(ROWS, protocol=0x0806), "got no IP packet"),
        (capture(ROWS)[:-1], "packet 3: got the end of the file within it"),
        (capture([(1.0, 60, True), (0.5, 60, True)]), "packet 2: got a time before the first"),
    ],
)
def test_mistakes_in_a_file_are_told_in_one_line(
    evenair_here: Evenair, scenario: Path, content: bytes | None, part: str
) -> None:
    file = scenario.parent / "x"
    if content is not None:
        file.write_bytes(content)
    done = evenair_here("run", scenario)
    assert done.returncode == 2
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert "station.0.flows.0.application.file: " in line
    assert str(file) in line
    assert part in line
    assert "accepted: " in line


def test_a_packet_that_does_not_fit_is_told(evenair_here: Evenair, scenario: Path) -> None:
    (scenario.parent / "x").write_bytes(csv([*ROWS, (1.5, 1600, True)]))
    done = evenair_here("run", scenario)
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert "station.0.flows.0.application.packets: packet 4: got 1600 B" in line
    wide = evenair_here("run", scenario, "--set", "station.0.flows.0.segment=1600", "--json")
    assert wide.returncode == 0
    assert json.loads(wide.stdout)["flows"][0]["segments_sent"] == 3


def test_the_test_bed_replays_traces(scenario: Path) -> None:
    from evenair.testbed.layout import plan

    (scenario.parent / "x").write_bytes(csv(ROWS))
    flows = plan(ea.load(scenario).resolved).flows
    assert {(flow.kind, flow.is_tcp) for flow in flows} == {("trace", False)}
