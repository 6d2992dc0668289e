"""Diagnoses of flows in Python and on the command line. Causes are tested in Rust."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import evenair as ea
import pytest
from evenair import _core

if TYPE_CHECKING:
    from pathlib import Path

    from evenair_command import Evenair

SHORT = ("--set", "duration=20")
DOWNLOADS = [f"down-{k}" for k in range(1, 6)]


@pytest.fixture(scope="module")
def unfair() -> ea.RunResult:
    return ea.run(ea.load("gong2006").with_(duration=20))


@pytest.fixture(scope="module")
def fair() -> ea.RunResult:
    """With room for all windows."""
    return ea.run(ea.load("gong2006").with_(**{"duration": 20, "cell.queue.limit": 300}))


def test_numbers_of_diagnoses_are_those_of_the_result(unfair: ea.RunResult) -> None:
    found = unfair.explain()
    assert [each.flow for each in found] == DOWNLOADS
    flows = {flow["id"]: flow for flow in unfair.document["flows"]}
    queue = unfair.ap_queue
    for each in found:
        flow = flows[each.flow]
        assert (each.cause, each.place) == ("data_losses", "ap_queue")
        assert each.goodput_bps == flow["goodput_bps"]
        assert each.fair_share_bps == pytest.approx(unfair.aggregate_goodput_bps / 10)
        lost = 100 * flow["data_losses"]["ap_queue"] / flow["segments_sent"]
        shown = f"{lost:.1f}" if lost < 9.95 else f"{lost:.0f}"
        acks = 100 * queue["mean_acks"] / queue["mean_packets"]
        assert each.text.endswith(
            f"{shown}% of its data was dropped at the AP's queue,"
            f" where ACKs of uploads hold {acks:.0f}% of the places"
        )


def test_a_fair_cell_has_no_diagnosis(fair: ea.RunResult) -> None:
    assert fair.explain() == []


def test_runs_are_explained_by_their_means() -> None:
    runs = ea.run(ea.load("gong2006").with_(duration=20), runs=3)
    found = runs.explain()
    assert [each.flow for each in found] == DOWNLOADS
    for each in found:
        goodputs = [
            flow["goodput_bps"]
            for run in runs
            for flow in run.document["flows"]
            if flow["id"] == each.flow
        ]
        assert each.goodput_bps == pytest.approx(sum(goodputs) / 3)
        alone = [each.flow in {one.flow for one in run.explain()} for run in runs]
        assert (each.faulty_runs, each.runs) == (sum(alone), 3)


def test_losses_of_flows_are_columns(unfair: ea.RunResult) -> None:
    flows = unfair.flows
    drops = sum(flows["data_losses_ap_queue"].to_pylist())
    assert drops == unfair.ap_queue["data_drops"] > 0
    assert sum(flows["ack_losses_ap_queue"].to_pylist()) == unfair.ap_queue["ack_drops"] > 0


def test_the_command_prints_a_line_for_each(evenair_here: Evenair) -> None:
    plain = evenair_here("run", "gong2006", *SHORT)
    done = evenair_here("run", "gong2006", *SHORT, "--explain")
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    # A table of ten flows with headings of two lines, and where the delay of the worst is.
    assert len(lines) == len(plain.stdout.splitlines()) + 2 + 1 + 10 + 1 + 5
    assert [line.split()[:2] for line in lines[-5:]] == [[flow, "starves"] for flow in DOWNLOADS]
    document = json.loads(evenair_here("run", "gong2006", *SHORT, "--explain", "--json").stdout)
    assert list(document)[-1] == "why"
    assert [line.split(": ", 1)[1] for line in lines[-5:]] == [w["text"] for w in document["why"]]
    several = evenair_here("run", "gong2006", *SHORT, "--runs", "2", "--explain").stdout
    assert "down-1 starves in 2 of 2 runs (" in several


def test_the_command_says_that_no_flow_starves(evenair_here: Evenair) -> None:
    fair = ("run", "gong2006", *SHORT, "--set", "cell.queue.limit=300", "--explain")
    done = evenair_here(*fair)
    assert done.stdout.splitlines()[-1] == "no flow has less than half of its fair share"
    assert json.loads(evenair_here(*fair, "--json").stdout)["why"] == []


def test_the_command_says_what_users_notice(evenair_here: Evenair, tmp_path: Path) -> None:
    file = tmp_path / "call.toml"
    file.write_text("""
        duration = "20 s"
        [[station]]
        error = { kind = "independent", rate = 0.02, level = "ip", direction = "down" }
        [[station.flows]]
        direction = "down"
        transport = "udp"
        rate = "500 kbps"
        application = "video-call"
    """)
    result = ea.run(ea.load(file))
    flow = result.document["flows"][0]
    assert flow["freezes"] > 1
    last = evenair_here("run", str(file), "--explain").stdout.splitlines()
    measure = f"({flow['freezes']} times, {flow['frozen_s']:.2f} s)"
    assert any(line.startswith(f"down-1 freezes {measure}: ") for line in last)
    (found,) = result.explain()
    assert (found.fault, found.cause, found.place) == ("freezes", "frame_losses", "error")


def test_explain_is_of_one_scenario(evenair_here: Evenair) -> None:
    done = evenair_here("run", "gong2006", "--against", "cell.queue.kind=las", "--explain")
    assert done.returncode == 2
    assert done.stderr == "evenair: --explain: not together with --against\n"


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"runs":[{}]}'])
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"^not the document of a result: "):
        _core.explain(text)


@pytest.fixture(scope="module")
def anomaly() -> ea.RunResult:
    """One of four stations of 802.11b is slow; with room for all windows all have the same."""
    flows = [{"direction": "down", "window": 20, "tcp": "ns2"}]
    scenario = ea.Scenario(
        duration=20,
        cell={"data_rate": "11 Mbps", "queue": {"limit": 300}},
        station=[
            {"name": "fast", "count": 3, "flows": flows},
            {"name": "cellar", "data_rate": "1 Mbps", "flows": flows},
        ],
    )
    return ea.run(scenario, delay_by_place=True)


def test_the_station_that_takes_the_airtime_is_named(anomaly: ea.RunResult) -> None:
    (found,) = anomaly.explain()
    assert (found.fault, found.station, found.flow) == ("takes_airtime", "sta-4", "down-4")
    shares = [station["airtime_share"] for station in anomaly.document["stations"]]
    assert found.measure.startswith(f"{100 * shares[3] / sum(shares):.0f}% of it for ")
    assert found.text.startswith("at 1.0 Mb/s, ")


def test_delays_are_where_their_places_say(anomaly: ea.RunResult) -> None:
    found = anomaly.explain_delays()
    assert found is not None
    flows = anomaly.document["flows"]
    assert [each.flow for each in found.flows] == [flow["id"] for flow in flows]
    for each, flow in zip(found.flows, flows, strict=True):
        means = {place: times["mean"] for place, times in each.by_place_s.items()}
        assert sum(means.values()) == pytest.approx(flow["one_way_delay_s"]["mean"], rel=1e-9)
        assert each.share == pytest.approx(means["ap_queue"] / each.delay_s)
        assert each.place == "ap_queue"
    worst = max(found.flows, key=lambda each: each.delay_s)
    assert found.worst == worst.flow
    assert found.text.startswith(f"{100 * worst.share:.0f}% of its one-way delay of ")


def test_without_the_measurement_no_delay_is_explained(unfair: ea.RunResult) -> None:
    assert unfair.explain_delays() is None
    with pytest.raises(ValueError, match="places"):
        unfair.plot("places")


def test_a_bar_per_flow_is_as_long_as_its_delay(anomaly: ea.RunResult) -> None:
    found = anomaly.explain_delays()
    assert found is not None
    (axes,) = anomaly.plot("places").axes
    ends = [0.0] * 4
    for bars in axes.containers:
        for k, bar in enumerate(bars):
            assert bar.get_x() == pytest.approx(ends[k])
            ends[k] += bar.get_width()
    assert ends == pytest.approx([1e3 * flow.delay_s for flow in found.flows])
    labels = [bars.get_label() for bars in axes.containers]
    assert labels == ["AP queue", "air", "wired queue", "wire"]


def test_the_command_prints_where_the_delay_is(evenair_here: Evenair, tmp_path: Path) -> None:
    figure = tmp_path / "delays.svg"
    done = evenair_here("run", "cafe", "--set", "duration=3", "--explain", "--plot", str(figure))
    assert done.returncode == 0, done.stderr
    assert "takes the airtime of others (" in done.stdout
    assert "delay (ms)" in done.stdout
    assert "of its one-way delay of" in done.stdout
    assert figure.stat().st_size > 0
    done = evenair_here("run", "cafe", "--set", "duration=3", "--explain", "--json")
    document = json.loads(done.stdout)
    assert list(document)[-2:] == ["why_delayed", "why"]
    assert document["why_delayed"]["worst"] in {flow["id"] for flow in document["flows"]}
