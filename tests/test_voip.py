"""Calls: what Python and the command line say of them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import evenair as ea
import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from evenair_command import Evenair

CALL = {"name": "call", "transport": "udp", "application": "voip"}
# Datagrams of 200 bytes each 20 ms are 80 kb/s at IP level: a wired link of 70 kb/s loses some,
# and those that it carries wait in its queue.
NARROW = {"rate": "70 kbps", "delay": "10 ms"}


@pytest.fixture(scope="module")
def poor() -> ea.RunResult:
    return ea.run(ea.Scenario(duration="20 s", wired=NARROW, station=[{"flows": [CALL]}]))


def test_metrics_and_tables_have_the_mos(poor: ea.RunResult) -> None:
    scores = [flow["mos"] for flow in poor.document["flows"]]
    assert len(scores) == 2
    assert poor.metrics["mean_mos"] == pytest.approx(sum(scores) / 2)
    assert poor.metrics["worst_mos"] == min(scores) < 3.6
    assert poor.flows["mos"].to_pylist() == scores
    assert poor.flows["name"].to_pylist() == ["call-up", "call-down"]


def test_runs_without_calls_have_none() -> None:
    result = ea.run(ea.Scenario(duration=1, station=[{"flows": [{"direction": "up"}]}]))
    assert not {"mean_mos", "worst_mos"} & set(result.metrics)
    assert "mos" not in result.document["flows"][0]


def test_poor_calls_are_explained(poor: ea.RunResult) -> None:
    found = poor.explain()
    assert [each.flow for each in found] == ["up-1", "down-1"]
    for each, flow in zip(found, poor.document["flows"], strict=True):
        assert (each.fault, each.measure) == ("poor_call", f"MOS {flow['mos']:.2f}")
        assert each.cause in ("call_delay", "call_losses", "call_late")


def test_the_command_prints_the_mos(evenair_here: Evenair, tmp_path: Path) -> None:
    scenario = tmp_path / "call.toml"
    scenario.write_text(
        'duration = "20 s"\n[wired]\nrate = "70 kbps"\ndelay = "10 ms"\n'
        '[[station]]\nflows = [{ name = "call", transport = "udp", application = "voip" }]\n'
    )
    shown = evenair_here("run", scenario).stdout
    assert "MOS" in shown
    explained = evenair_here("run", scenario, "--explain").stdout
    assert "call-down is a poor call (MOS " in explained
    document = json.loads(evenair_here("run", scenario, "--json").stdout)
    assert document["scenario"]["station"][0]["flows"][0]["direction"] == "both"


def test_a_sweep_has_the_mos(tmp_path: Path) -> None:
    cell = ea.Scenario(duration="5 s", station=[{"flows": [CALL]}])
    rows = (
        ea.sweep(cell, {"station.0.flows.0.application.buffer": ["20 ms", "400 ms"]}, runs=1)
        .summary()
        .to_pylist()
    )
    short, long = (row["mean_mos"] for row in rows)
    # 400 ms in the buffer and 20 ms of speech: below the MOS at 400 ms, 3.22 (G.107).
    assert long < 3.22 < 4.3 < short
