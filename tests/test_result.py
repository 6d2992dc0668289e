"""Results in Python."""

from __future__ import annotations

import math
import threading
from typing import TYPE_CHECKING

import evenair as ea
import matplotlib as mpl
import pytest
from evenair.engine import Interrupted, run_jobs
from evenair.statistics import estimate, t_quantile_975

if TYPE_CHECKING:
    from pathlib import Path

TRACED = {"duration": 10, "trace": {"interval": "1 s"}}


@pytest.fixture(scope="module")
def result() -> ea.RunResult:
    return ea.run(ea.load("gong2006").with_(**TRACED), seed=3)


@pytest.fixture(scope="module")
def runs() -> ea.RunSet:
    return ea.run(ea.load("gong2006").with_(**TRACED), seed=3, runs=4)


def test_numbers(result: ea.RunResult) -> None:
    assert result.seed == 3
    assert result.duration_s == 10.0
    assert 4e6 < result.aggregate_goodput_bps < 7e6
    assert 0.1 <= result.jain_index <= 1
    assert result.wall_s > 0
    assert result.scenario["duration"] == 10.0
    assert repr(result).startswith("<RunResult 'Gong et al. 2006")


def test_tables(result: ea.RunResult) -> None:
    flows = result.flows
    assert flows.num_rows == 10
    assert flows["id"].to_pylist() == [f"{d}-{k}" for d in ("up", "down") for k in range(1, 6)]
    assert math.fsum(flows["goodput_bps"].to_pylist()) == pytest.approx(
        result.aggregate_goodput_bps
    )
    assert result.stations.num_rows == 10
    assert result.sessions.num_rows == 0


def test_series(result: ea.RunResult) -> None:
    series = result.series
    times = series["time_s"].to_pylist()
    assert len(times) in (10, 11)
    assert times == sorted(times)
    acks, data = series["ap_queue_acks"].to_pylist(), series["ap_queue_data"].to_pylist()
    assert all(0 <= a + d <= 60 for a, d in zip(acks, data, strict=True))
    cwnds = [c for c in series["flows.up-1.cwnd"].to_pylist() if c is not None]
    assert all(cwnd >= 1 for cwnd in cwnds)


def test_a_run_without_trace_has_no_series() -> None:
    assert ea.run(ea.load("gong2006").with_(duration=1)).series.num_rows == 0


def test_runs(runs: ea.RunSet, result: ea.RunResult) -> None:
    assert [run.seed for run in runs.runs] == [3, 4, 5, 6]
    assert runs.runs[0].document | {"wall_s": 0} == result.document | {"wall_s": 0}
    jain = [run.jain_index for run in runs.runs]
    assert runs.summary["jain_index"] == estimate(jain)
    assert runs.flows.num_rows == 40
    assert runs.flows.column_names[0] == "seed"


def test_metrics_that_a_run_has_not_are_left_out() -> None:
    up_only = ea.Scenario(duration=1, station=[{"flows": [{"direction": "up"}]}])
    metrics = ea.run(up_only).metrics
    assert "mean_up_goodput_bps" in metrics
    assert "mean_down_goodput_bps" not in metrics


def test_plots_have_labels_and_units(result: ea.RunResult, runs: ea.RunSet) -> None:
    for figure in (result.plot(), runs.plot()):
        labels = [axes.get_ylabel() for axes in figure.axes]
        assert labels == ["goodput (Mb/s)", "cwnd (segments)", "AP queue (packets)"]
        assert all(axes.get_xlabel() and axes.get_legend() for axes in figure.axes)


@pytest.mark.parametrize("name", ["$$", "$", "$x^2$", r"\$a\$ $b", "a_{1}", "$\\frac{$"])
def test_text_in_plots_is_literal(name: str, tmp_path: Path) -> None:
    figure = ea.run(ea.load("gong2006").with_(duration=1, name=name)).plot()
    with mpl.rc_context({"svg.fonttype": "none"}):
        figure.savefig(tmp_path / "text.svg")
    drawn = (tmp_path / "text.svg").read_text()
    assert f">{name} (seed 1)<" in drawn


def test_plot_without_trace_has_one_panel() -> None:
    figure = ea.run(ea.load("gong2006").with_(duration=1)).plot()
    (axes,) = figure.axes
    # Told apart without colour: each direction has its own hatch.
    hatches = {bar.get_hatch() for bar in axes.patches}
    assert len(hatches) == 2
    assert axes.get_xticklabels()[0].get_text() == "up-1"


def test_results_come_in_the_order_of_the_jobs() -> None:
    scenarios = [ea.load("gong2006").with_(duration=d) for d in (8, 1, 4)]
    calls: list[tuple[int, int]] = []
    results = run_jobs(
        [(scenario, seed) for scenario in scenarios for seed in (9, 1)],
        threads=3,
        progress=lambda done, total: calls.append((done, total)),
    )
    assert [(r.duration_s, r.seed) for r in results] == [
        *((8.0, 9), (8.0, 1), (1.0, 9), (1.0, 1), (4.0, 9), (4.0, 1)),
    ]
    assert calls == [(k, 6) for k in range(1, 7)]


def test_an_exception_in_progress_stops_all(tmp_path: Path) -> None:
    def fail(done: int, total: int) -> None:
        raise LookupError(f"{done} of {total}")

    jobs = [
        (ea.load("gong2006").with_(duration=1), 1),
        (ea.load("gong2006").with_(duration=1e6), 1),
    ]
    with pytest.raises(LookupError, match="1 of 2"):
        run_jobs(jobs, threads=2, progress=fail)


def test_other_threads_go_on_during_a_run() -> None:
    ticks = 0
    over = threading.Event()

    def tick() -> None:
        nonlocal ticks
        while not over.wait(0.001):
            ticks += 1

    ticker = threading.Thread(target=tick)
    ticker.start()
    wall = ea.run(ea.load("gong2006").with_(duration=3000)).wall_s
    over.set()
    ticker.join()
    assert ticks > 100 * wall


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"seed": -1}, "seed: got -1"),
        ({"seed": 2**64}, "seed: got"),
        ({"runs": 0}, "runs: got 0"),
        ({"runs": 2, "threads": 0}, "threads: got 0"),
        ({"runs": 2, "pcap": "x.pcapng"}, "pcap"),
        ({"pcap": "x.pcap"}, "pcap: got 'x.pcap'"),
        ({"pcap": ""}, "pcap: got"),
    ],
)
def test_bad_arguments(keys: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ea.run("gong2006", **keys)  # type: ignore[call-overload]


def test_captures_are_complete_or_not_there(tmp_path: Path) -> None:
    def captures() -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in air.parent.glob("*.pcapng")}

    def stop(done: int, total: int) -> None:
        assert captures() == before
        raise KeyboardInterrupt

    air, scenario = tmp_path / "new/air.pcapng", ea.load("gong2006").with_(duration=1)
    before: dict[str, bytes] = {}
    with pytest.raises(Interrupted):
        ea.run(scenario, progress=stop, pcap=air)
    assert list(tmp_path.iterdir()) == []

    ea.run(scenario, pcap=air)
    before = captures()
    assert sorted(before) == ["air-wire.pcapng", "air.pcapng"]
    with pytest.raises(Interrupted):
        ea.run(scenario, seed=2, progress=stop, pcap=air)
    assert captures() == before
    ea.run(scenario, seed=2, pcap=str(air))
    assert sorted(captures()) == sorted(before)
    assert all(captures()[name] != content for name, content in before.items())
    with pytest.raises(OSError, match=r"air\.pcapng"):
        ea.run(scenario, pcap=air / "x.pcapng")


def test_t_quantiles() -> None:
    # Abramowitz and Stegun (1964), table 26.10, and the normal distribution as the limit.
    table = {1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776, 9: 2.262, 10: 2.228, 29: 2.045, 120: 1.980}
    for degrees, quantile in table.items():
        assert t_quantile_975(degrees) == pytest.approx(quantile, abs=6e-4)
    assert t_quantile_975(100_000) == pytest.approx(1.959964, abs=1e-4)
