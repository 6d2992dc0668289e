"""Air traces, `evenair._core.air_trace`: what they show is what the run has done."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import evenair as ea
import pytest
from evenair import _core


def air_trace(scenario: ea.Scenario, from_s: float = 0.0, accesses: int = 1000) -> dict[str, Any]:
    text = _core.air_trace(scenario._core, 3, from_s, accesses)
    loaded: dict[str, Any] = json.loads(text)
    return loaded


def test_an_air_trace_of_a_whole_run_has_its_frames_and_drops() -> None:
    flows = [{"direction": "up", "start": 0}, {"direction": "down", "start": 0}]
    scenario = ea.Scenario(duration="800 ms", station=[{"count": 4, "flows": flows}])
    result = ea.run(scenario, seed=3).document
    recorded = air_trace(scenario)
    assert recorded["ended"]
    assert [node["id"] for node in recorded["nodes"]][:2] == ["ap", "sta-1"]
    assert [flow["id"] for flow in recorded["flows"]] == [flow["id"] for flow in result["flows"]]
    accesses = recorded["accesses"]
    frames = [frame for access in accesses for frame in access["frames"]]
    sent = Counter(frame["from"] for frame in frames if frame["kind"] == "data")
    macs = [result["ap"], *result["stations"]]
    assert [sent[node] for node in range(len(macs))] == [mac["frames_sent"] for mac in macs]
    given_up = sum(node["packets"] for access in accesses for node in access["given_up"])
    assert given_up == sum(mac["frames_dropped"] for mac in macs)
    collisions = sum(len(access["attempts"]) for access in accesses if len(access["attempts"]) > 1)
    assert collisions == sum(frame["fate"] == "collided" for frame in frames) > 0


def test_an_air_trace_of_a_wimax_cell_has_its_pdus_and_requests() -> None:
    flows = [{"direction": "up", "start": 0}, {"direction": "down", "start": 0}]
    station = {"count": 3, "flows": flows, "error": {"rate": 0.05, "level": "mac"}}
    scenario = ea.Scenario(duration="800 ms", cell={"kind": "wimax"}, station=[station])
    result = ea.run(scenario, seed=3).document
    recorded = air_trace(scenario)
    assert recorded["ended"]
    assert recorded["medium"] == "wimax"
    frames = [frame for access in recorded["accesses"] for frame in access["frames"]]
    sent: Counter[int] = Counter()
    for frame in frames:
        sent[frame["from"]] += frame["pdus"]
    macs = [result["ap"], *result["stations"]]
    assert [sent[node] for node in range(len(macs))] == [mac["frames_sent"] for mac in macs]
    fates = Counter(frame["fate"] for frame in frames if frame["kind"] == "request")
    assert fates.total() == result["requests"]["sent"] > 0
    assert fates["collided"] == result["requests"]["collided"]


def test_errors_are_one_line() -> None:
    wlan = ea.load("gong2006").with_(duration=2)
    with pytest.raises(_core.RunError, match=r"begins at 2 s; a time from 0 to below 2 s is acc"):
        air_trace(wlan, 2.0)
    with pytest.raises(_core.RunError, match="has 0 accesses; 1 to 1000 are accepted"):
        air_trace(wlan, accesses=0)
    with pytest.raises(_core.ScenarioError, match="station: missing"):
        _core.air_trace(_core.Scenario("{}", "test"), 1, 0.0, 10)
