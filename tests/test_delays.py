"""Delays and limits in tables, summaries, plots and on the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import evenair as ea
import pytest
from evenair.cli.printing.run import print_result
from evenair.plot.delays import plot_delays, pool
from evenair.tables import PERCENTILES, flat

if TYPE_CHECKING:
    from pathlib import Path

    from evenair_command import Evenair

FLOWS = [
    {"direction": "down", "window": 4, "initial_window": 2},
    {"direction": "up", "transport": "udp", "application": "cbr", "rate": "200 kbps"},
]


@pytest.fixture(scope="module")
def runs() -> ea.RunSet:
    scenario = ea.Scenario(duration=5, wired={"delay": "50 ms"}, station=[{"flows": FLOWS}])
    return ea.run(scenario, runs=3)


def test_nested_members_are_columns() -> None:
    record = {"id": "up-1", "rtt_s": {"mean": 1.0, "p5": 0.5}, "limited_by": {"cwnd": 1.0}}
    assert flat(record) == {
        "id": "up-1",
        "rtt_mean_s": 1.0,
        "rtt_p5_s": 0.5,
        "limited_by_cwnd": 1.0,
    }
    assert flat({"delay_s": None}) == {f"delay_{part}_s": None for part in PERCENTILES}
    assert flat({"mean_rtt_s": None}) == {"mean_rtt_s": None}


def test_flows(runs: ea.RunSet) -> None:
    down, up = runs.runs[0].flows.to_pylist()
    order = [down[f"rtt_{part}_s"] for part in ("p5", "p25", "p50", "p75", "p95", "p99", "max")]
    assert order == sorted(order)
    assert 0.1 < down["rtt_p5_s"] <= down["rtt_mean_s"] <= down["rtt_max_s"]
    assert down["limited_by_receive_window"] > 0.8
    assert up["rtt_p50_s"] is None
    assert up["limited_by_receive_window"] is None
    # The wire's 50 ms, and the air.
    assert 0.05 < up["one_way_delay_p50_s"] < 0.06


def test_summary(runs: ea.RunSet) -> None:
    sample = [run.document["rtt_s"]["p95"] for run in runs.runs]
    mean, ci95 = runs.summary["rtt_p95_s"]
    assert mean == pytest.approx(sum(sample) / 3)
    assert ci95 is not None
    assert {f"one_way_delay_{part}_s" for part in PERCENTILES} <= runs.summary.keys()
    assert {f"ap_queue_delay_{part}_s" for part in PERCENTILES} <= runs.summary.keys()


def test_distributions(runs: ea.RunSet) -> None:
    run = runs.runs[0]
    delays = run.delays.to_pylist()
    curves = {(row["quantity"], row["flow"]) for row in delays}
    assert curves == {
        *(("rtt", "down-1"), ("one_way_delay", "down-1"), ("one_way_delay", "up-1")),
        ("ap_queue_delay", None),
    }
    for curve in curves:
        rows = [row for row in delays if (row["quantity"], row["flow"]) == curve]
        assert [row["le_s"] for row in rows] == sorted(row["le_s"] for row in rows)
        assert [row["count"] for row in rows] == sorted(row["count"] for row in rows)
        assert (rows[0]["count"], rows[-1]["share"]) == (0, 1.0)
    rtt = run.document["flows"][0]["rtt_s"]
    rows = [row for row in delays if row["quantity"] == "rtt"]
    for part in ("p5", "p50", "p95"):
        below = [row["share"] for row in rows if row["le_s"] < rtt[part]]
        assert below[-1] < float(part[1:]) / 100 + 1e-9
    assert rows[-1]["le_s"] == rtt["max"]
    assert runs.table("delays").column_names[0] == "seed"


def test_cdf(runs: ea.RunSet) -> None:
    figure = runs.plot(kind="cdf")
    assert [axes.get_xlabel() for axes in figure.axes] == [
        "round-trip time (ms)",
        "one-way delay (ms)",
        "waiting time in the AP's queue (ms)",
    ]
    assert {axes.get_ylabel() for axes in figure.axes} == {"share of samples"}
    assert "3 runs together" in figure.get_suptitle()
    rtt, one_way, _ = figure.axes
    assert len(rtt.lines) == 1
    assert [line.get_linestyle() for line in one_way.lines] == ["--", "-"]
    with pytest.raises(ValueError, match=r"kind: got 'pdf', expected 'flows', 'cdf' or 'places'"):
        runs.plot(kind="pdf")  # type: ignore[arg-type]


def test_cdf_without_delays() -> None:
    late = {"direction": "up", "start": "2 s"}
    empty = ea.run(ea.Scenario(duration=3, station=[{"flows": [late]}])).document | {"delays": []}
    (axes,) = plot_delays([empty]).axes
    assert [text.get_text() for text in axes.texts] == ["no delays were measured"]


def test_pooled_distribution() -> None:
    # By hand: of 1, 2, 2, 4 and 3 ms.
    one = {"le_s": [0.0, 0.001, 0.002, 0.004], "count": [0, 1, 3, 4]}
    other = {"le_s": [0.0, 0.003], "count": [0, 1]}
    delays, shares = pool([one, other])
    assert delays == pytest.approx([0, 0, 1, 2, 3, 4])
    assert shares == pytest.approx([0, 0, 0.2, 0.6, 0.8, 1.0])


def test_the_table_says_what_limits_a_flow(
    runs: ea.RunSet, capsys: pytest.CaptureFixture[str]
) -> None:
    for result in (runs, runs.runs[0]):
        print_result(result)
        lines = capsys.readouterr().out.splitlines()
        assert any("limited by" in line for line in lines)
        (down,) = (line for line in lines if line.startswith("down-1"))
        (up,) = (line for line in lines if line.startswith("up-1"))
        assert down.rstrip().endswith("receive window")
        assert up.rstrip().endswith("-")


def test_run_draws_a_cdf(evenair_here: Evenair, tmp_path: Path) -> None:
    command = ("run", "gong2006", "--set", "duration=5", "--quiet", "--plot", "x.svg")
    done = evenair_here(*command, "--plot-kind", "cdf")
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "x.svg").stat().st_size > 1000
    wrong = evenair_here(*command, "--plot-kind", "pdf")
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert len(wrong.stderr.splitlines()) == 1
    assert "pdf" in wrong.stderr
    assert "cdf" in wrong.stderr
    without = evenair_here(*command[:-2], "--plot-kind", "cdf")
    assert (without.returncode, without.stdout) == (2, "")
    assert "--plot-kind: there is no plot without --plot" in without.stderr


def test_a_sweep_has_percentiles(evenair_here: Evenair, tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    done = evenair_here(
        *("sweep", "gong2006", "--set", "duration=2", "--vary", "cell.queue.limit=10,60"),
        *("--runs", "2", "--flows", "--out", "x.parquet", "--quiet"),
    )
    assert done.returncode == 0
    rows = pq.read_table(tmp_path / "x.parquet").to_pylist()
    assert all(row["rtt_p5_s"] <= row["rtt_p50_s"] <= row["rtt_p99_s"] for row in rows)
    flows = pq.read_table(tmp_path / "x-flows.parquet").to_pylist()
    assert all(0 <= row["limited_by_timeout"] <= 1 for row in flows)
    plot = ("plot", "x-flows.parquet", "--x", "cell.queue.limit", "--y", "rtt_p95_s")
    assert evenair_here(*plot, "--by", "direction").returncode == 0
