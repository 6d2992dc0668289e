"""`--check`: the simulation that matches, beside the model."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import evenair as ea
import pytest
from evenair.models import TABLE_1, Cell
from evenair.models.check import (
    check_bianchi,
    check_contention,
    check_session_delay,
    check_tcp_throughput,
)
from evenair.statistics import estimate

if TYPE_CHECKING:
    from evenair_command import Evenair


def check(evenair: Evenair, *arguments: str) -> dict[str, Any]:
    done = evenair("model", *arguments, "--check", "--runs", "5", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    document: dict[str, Any] = json.loads(done.stdout)
    assert document["check"]["runs"] == 5
    return document


def test_one_saturated_station_is_known_exactly(evenair: Evenair) -> None:
    """Nothing collides, and the mean of many backoffs is no luck: within 0.2%."""
    document = check(evenair, "bianchi", "nodes=1", "rts_bits=160")
    found = document["check"]["simulated"]
    assert found["collision_probability"] == {"mean": 0, "ci95": 0}
    throughput = found["throughput_bps"]
    assert throughput["mean"] == pytest.approx(document["throughput_bps"], rel=0.002)
    assert throughput["ci95"] < 0.002 * throughput["mean"]


@pytest.mark.parametrize("nodes", [2, 10])
@pytest.mark.parametrize("rts", ["true", "false"])
def test_bianchi(evenair: Evenair, nodes: int, rts: str) -> None:
    """2%, the bar of the simulator's own comparison with this model."""
    keys = (f"nodes={nodes}", f"rts={rts}", "rts_bits=160", "eifs=true")
    document = check(evenair, "bianchi", *keys)
    found = document["check"]["simulated"]["throughput_bps"]["mean"]
    assert found == pytest.approx(document["throughput_bps"], rel=0.02)


def test_contention_over_several_numbers_of_nodes(evenair: Evenair) -> None:
    """A slotted Monte-Carlo by others had 0.0587, 0.2872; standard error 0.0002, other rules."""
    document = check(evenair, "contention", "nodes=2,10")
    found = document["check"]["simulated"]["collision_probability"]
    assert [point["mean"] for point in found] == pytest.approx([0.0587, 0.2872], rel=0.06)
    assert all(0 < point["ci95"] < 0.05 * point["mean"] for point in found)


def test_drops(evenair: Evenair) -> None:
    """A frame is dropped after m collisions: P^m with the P that is simulated, within 15%.

    Colliders contend a little sooner again than others, so that collisions are not independent.
    """
    document = check(evenair, "contention", "nodes=10", "attempts=4")
    found = document["check"]["simulated"]
    p = found["collision_probability"]["mean"]
    assert found["drop_probability"]["mean"] == pytest.approx(p**4, rel=0.15)


def test_estimates_are_those_of_the_runs(evenair: Evenair) -> None:
    document = check(evenair, "tcp-throughput", "stations=3", "--seed", "11")
    scenario, measure = check_tcp_throughput({"stations": 3, "delayed_ack": 1}, TABLE_1)
    runs = ea.run(scenario, seed=11, runs=5).runs
    for name, found in document["check"]["simulated"].items():
        mean, ci95 = estimate([measure(run.document)[name] for run in runs])
        assert found == {"mean": mean, "ci95": ci95}


def test_tcp_throughput_of_many_stations(evenair: Evenair) -> None:
    """The model is some 3% low (docs/models.md says why); more would be a mistake of the match."""
    document = check(evenair, "tcp-throughput", "stations=10", "rts_bits=160")
    found = document["check"]["simulated"]["aggregate_bps"]["mean"]
    assert document["aggregate_bps"] == pytest.approx(found, rel=0.04)


def test_a_large_window_contends_as_the_model_has_it(evenair: Evenair) -> None:
    """At W* = 1000 there is always a segment and nearly always an ACK: within 5%, as figure 5."""
    document = check(evenair, "window-effect", "window=1000", "rts_bits=160")
    found = document["check"]["simulated"]["throughput_bps"]["mean"]
    assert found == pytest.approx(document["throughput_bps"], rel=0.05)


def test_a_lone_session_is_known_by_hand(evenair: Evenair) -> None:
    """30 segments of a 30 KB file in turns with their ACKs, after two packets of the handshake.

    Each packet and what comes with it, in us: DIFS 50, preambles 4 * 192, SIFS 3 * 10, RTS 80, CTS
    56, ACK 56, and 320 + 272 bits, or 8000 more, at 11 Mb/s. The two backoffs of a turn last 26.5
    slots, not 31, because post-backoffs run at the same time (docs/models.md); each packet of the
    handshake waits 15.5 at most.
    """
    document = check(
        evenair, "session-delay", "stations=1", "size_distribution=constant", "rts_bits=160"
    )
    found = document["check"]["simulated"]["mean_delay_s"]
    ack = 1e-6 * (50 + 4 * 192 + 3 * 10 + 80 + 56 + 56 + 592 / 11)
    data = ack + 8000 / 11e6
    files = 30 * (data + ack + 26.5 * 20e-6)
    assert found["mean"] == pytest.approx(files + 2 * ack + 15.5 * 20e-6, abs=15.5 * 20e-6)
    assert found["ci95"] < 0.005 * found["mean"]


@pytest.mark.parametrize("keys", [("stations=5,10",), ("stations=10", "think=1")])
def test_sessions_of_several_stations(evenair: Evenair, keys: tuple[str, ...]) -> None:
    """10%, the bar of the comparison with section 4.2."""
    document = check(evenair, "session-delay", *keys)
    found, model = document["check"]["simulated"]["mean_delay_s"], document["mean_delay_s"]
    found = [point["mean"] for point in found] if isinstance(model, list) else found["mean"]
    assert found == pytest.approx(model, rel=0.1)


def test_session_scenarios_match() -> None:
    inputs = {
        "stations": 3,
        "delayed_ack": 2,
        "think": 5.0,
        "size": 40_000.0,
        "size_distribution": "pareto",
        "shape": 1.4,
    }
    scenario, measure = check_session_delay(inputs, TABLE_1)
    flow = scenario.resolved["station"][0]["flows"][0]
    assert (flow["window"], flow["initial_window"], flow["delayed_ack"]) == (2, 2, 2)
    application = flow["application"]
    assert application["sessions"] == 300
    assert application["opened_by"] == "sender"
    assert application["size"] == {"distribution": "pareto", "mean": 40_000.0, "shape": 1.4}
    result = ea.run(scenario.with_(station__0__flows__0__application__sessions=2))
    assert len(result.document["sessions"]) == 6
    assert 0.01 < measure(result.document)["mean_delay_s"] < 100


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ("think=1000000", "think: got 1e+06 with size=30000; accepted: with --check, shorter"),
        ("size=1000000000", "accepted: with --check, shorter times and smaller files"),
    ],
)
def test_sessions_that_no_simulation_lasts_for(evenair: Evenair, key: str, message: str) -> None:
    done = evenair("model", "session-delay", "stations=1000", key, "--check")
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


def test_scenarios_match() -> None:
    cell = Cell(phy="802.11b", preamble="short", attempts=5, segment=500)
    for scenario in (
        check_contention({"nodes": 7}, cell)[0],
        check_tcp_throughput({"stations": 7, "delayed_ack": 3}, cell)[0],
    ):
        resolved = scenario.resolved
        assert resolved["cell"]["preamble"] == "short"
        assert resolved["cell"]["rts_threshold"] == 0
        assert resolved["cell"]["mac_overhead"] == 34
        assert resolved["cell"]["short_retry_limit"] == 5
        assert resolved["station"][0]["count"] == 7
        assert resolved["station"][0]["flows"][0]["segment"] == 500
        assert resolved["wired"]["rate"] == "unlimited"
    flow = resolved["station"][0]["flows"][0]
    assert (flow["window"], flow["initial_window"], flow["delayed_ack"]) == (3, 3, 3)
    inputs = {"nodes": 3, "payload": 1500.0, "rts": False}
    resolved = check_bianchi(inputs, cell)[0].resolved
    assert resolved["cell"]["rts_threshold"] == "off"
    assert resolved["station"][0]["flows"][0]["segment"] == 1472


def test_a_table_shows_both(evenair: Evenair) -> None:
    done = evenair("model", "tcp-throughput", "stations=1,2", "--check", "--runs", "2")
    assert done.stdout.count("±") == 5
    assert "means of 2 runs ± 95% confidence intervals, seeds 1 to 2" in done.stdout
    assert done.stderr == ""
