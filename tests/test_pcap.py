"""Captures, as tshark reads them."""

from __future__ import annotations

import shutil
import subprocess
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import evenair as ea
import pytest

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(shutil.which("tshark") is None, reason="needs tshark")

SERVER = "10.0.0.1"
RETRANSMITTED = " || ".join(
    f"tcp.analysis.{kind}"
    for kind in ("retransmission", "fast_retransmission", "spurious_retransmission", "out_of_order")
)


# The paper's cell, and smaller buffers, where uploads lose ACKs and retransmit, too.
QUEUES = [("droptail", 60), ("droptail", 10), ("las", 20), ("spm-af", 20)]
SAMPLE = ("las", 20)
"""What `make test` has of them: a queue that drops packets out of order."""


@dataclass(frozen=True)
class Capture:
    """Ten seconds of a cell: the result, what was on the air, what was on the wire."""

    result: ea.RunResult
    air: Path
    wire: Path

    def retransmissions(self, direction: str) -> int:
        flows = self.result.document["flows"]
        return sum(flow["retransmissions"] for flow in flows if flow["direction"] == direction)


@pytest.fixture(
    scope="module",
    params=[
        queue if queue == SAMPLE else pytest.param(queue, marks=pytest.mark.long)
        for queue in QUEUES
    ],
    ids=lambda queue: f"{queue[0]}-{queue[1]}",
)
def capture(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Capture:
    kind, limit = request.param
    folder = tmp_path_factory.mktemp("capture")
    scenario = ea.load("gong2006").with_(duration=10, cell__queue={"kind": kind, "limit": limit})
    result = ea.run(scenario, seed=1, pcap=folder / "air.pcapng")
    return Capture(result, folder / "air.pcapng", folder / "air-wire.pcapng")


def tshark(file: Path, *arguments: str) -> list[str]:
    command = ["tshark", "-n", "-r", str(file), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def retransmissions(file: Path, *options: str) -> Counter[str]:
    """Count the data segments that TCP sequence analysis calls repeated, by direction."""
    lines = tshark(
        file, *options, "-Y", f"tcp.len > 0 && ({RETRANSMITTED})", "-T", "fields", "-e", "ip.src"
    )
    return Counter("down" if source == SERVER else "up" for source in lines)


def test_nothing_is_malformed(capture: Capture) -> None:
    for file in (capture.air, capture.wire):
        assert len(tshark(file)) > 1000
        assert tshark(file, "-Y", "_ws.malformed || _ws.expert.group == checksum") == []


def test_wire_tells_the_retransmissions_of_downloads(capture: Capture) -> None:
    assert capture.retransmissions("down") > 10
    assert retransmissions(capture.wire)["down"] == capture.retransmissions("down")


def test_air_tells_the_retransmissions_of_uploads(
    capture: Capture, request: pytest.FixtureRequest
) -> None:
    if "droptail-60" not in request.node.name:
        assert capture.retransmissions("up") > 5
    # A frame that the MAC repeats is no retransmission of TCP's.
    seen = retransmissions(capture.air, "-o", "wlan.retransmitted:FALSE")
    assert seen["up"] == capture.retransmissions("up")
