"""Results in Python."""

from __future__ import annotations

import math
import re
import sys
import threading
import time
from itertools import groupby, pairwise
from typing import TYPE_CHECKING

import evenair as ea
import matplotlib as mpl
import numpy as np
import pytest
from evenair.engine import Interrupted, run_jobs
from evenair.statistics import estimate, t_quantile, t_quantile_975
from evenair.text import markup

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


def test_series_have_variables_of_congestion_controls() -> None:
    """Those of a flow with BBR; the gains are those of the draft's table in 5.6.1."""
    result = ea.run(
        ea.Scenario(
            duration=4,
            trace={"interval": "20 ms"},
            wired={"rate": "10 Mbps", "delay": "50 ms"},
            station=[
                {"flows": [{"direction": "down", "transport": "bbr", "window": 1000}]},
                {"flows": [{"direction": "up"}]},
            ],
        )
    )
    frame = result.to_pandas("series")
    own, other = (
        {name.rpartition(".")[2] for name in frame.columns if f".{way}-1." in name}
        for way in ("down", "up")
    )
    assert own - other == {"state", "bandwidth_bps", "min_rtt_s", "pacing_gain"}
    assert other <= own
    states = [state for state, _ in groupby(frame["flows.down-1.state"])]
    assert states[:2] == ["Startup", "Drain"], states
    assert states[2].startswith("ProbeBW_"), states
    gains = frame.groupby("flows.down-1.state")["flows.down-1.pacing_gain"].unique()
    assert {gains[state][0] for state in ("Startup", "Drain", "ProbeBW_CRUISE")} == {2.77, 0.5, 1}
    assert frame["flows.down-1.min_rtt_s"].min() > 0.1  # the wire, there and back
    labels = [axes.get_ylabel() for axes in result.plot().axes]
    assert labels[1:3] == ["cwnd (segments)", "bandwidth (Mb/s)"]
    assert "pacing gain" in labels


def test_a_run_without_trace_has_no_series() -> None:
    assert ea.run(ea.load("gong2006").with_(duration=1)).series.num_rows == 0


def test_runs(runs: ea.RunSet, result: ea.RunResult) -> None:
    assert [run.seed for run in runs.runs] == [3, 4, 5, 6]
    assert runs.runs[0].document | {"wall_s": 0} == result.document | {"wall_s": 0}
    jain = [run.jain_index for run in runs.runs]
    assert runs.summary["jain_index"] == estimate(jain)
    assert runs.flows.num_rows == 40
    assert runs.flows.column_names[0] == "seed"


def test_runs_are_a_sequence(runs: ea.RunSet) -> None:
    assert list(runs) == list(runs.runs)
    assert [run.seed for run in runs] == [3, 4, 5, 6]
    assert runs[0] is runs.runs[0]
    assert runs[-1].seed == 6
    assert isinstance(runs[1:3], ea.RunSet)
    assert [run.seed for run in runs[1:3]] == [4, 5]
    with pytest.raises(IndexError):
        runs[4]
    with pytest.raises(ValueError, match="runs: got none"):
        runs[4:]


TABLES = ("flows", "sessions", "stations", "links", "delays", "series", "rounds")
BLOCKS = ("ap_queue", "ap", "losses", "limiter", "air", "frame", "requests")
LIMITED = {"duration": 5, "trace": {"interval": "1 s"}}


@pytest.mark.parametrize("name", ["blefari2007", "tsiknas2012-wimax", "miorandi2006"])
def test_tables_of_all_runs(name: str) -> None:
    """They are the tables of each run, one after the other, after the seed."""
    runs = ea.run(ea.load(name, LIMITED), seed=8, runs=2)
    for table in TABLES:
        expected = [
            {"seed": run.seed, **row} for run in runs for row in getattr(run, table).to_pylist()
        ]
        found = getattr(runs, table).to_pylist()
        assert [
            {key: row[key] for key in want} for row, want in zip(found, expected, strict=True)
        ] == expected
        assert len(found) == len(expected)
    for block in BLOCKS:
        documents = [run.document[block] for run in runs if block in run.document]
        assert [getattr(run, block) for run in runs] == (documents or [{}, {}])
        table = getattr(runs, block)
        assert table.num_rows == len(documents)
        for row, run, document in zip(table.to_pylist(), runs, documents, strict=False):
            assert row["seed"] == run.seed
            plain = {key: value for key, value in document.items() if not isinstance(value, dict)}
            assert {key: row[key] for key in plain} == plain
    present = {block for block in BLOCKS if getattr(runs[0], block)}
    own = {"blefari2007": {"air", "limiter"}, "tsiknas2012-wimax": {"frame", "requests"}}
    assert present == {"ap_queue", "ap", "losses"} | own.get(name, {"air"})


def test_nested_values_of_a_block_are_columns(runs: ea.RunSet) -> None:
    expected = [run.ap_queue["delay_s"]["p95"] for run in runs]
    assert runs.ap_queue["delay_p95_s"].to_pylist() == expected
    assert runs.table("ap_queue").equals(runs.ap_queue)
    with pytest.raises(ValueError, match=r"table: ap_queu: no such table; did you mean ap_queue\?"):
        runs.table("ap_queu")


def test_notebooks_show_tables(result: ea.RunResult, runs: ea.RunSet) -> None:
    html = result._repr_html_()
    assert html.count("<tr>") == 1 + len(result.document["flows"])
    assert f"{result.document['flows'][0]['goodput_bps'] / 1e6:.4g}</td>" in html
    html = runs._repr_html_()
    assert "4 runs, seeds 3 to 6" in html
    # As on the command line: in Mb/s, with two digits of the half-width at most.
    found = re.search(r"<td>aggregate_goodput_bps</td><td>(\S+) ± (\S+)</td><td>Mb/s</td>", html)
    assert found
    goodput, ci95 = runs.summary["aggregate_goodput_bps"]
    assert ci95
    decimals = len(found[2].partition(".")[2])
    assert float(found[1]) == pytest.approx(goodput / 1e6, abs=0.5001 * 10**-decimals)
    assert float(found[2]) == pytest.approx(ci95 / 1e6, abs=0.5001 * 10**-decimals)
    assert len(found[2].replace(".", "").lstrip("0")) <= 2
    assert "e-" not in html
    hostile = ea.run(ea.load("gong2006", {"name": "<b>&", "duration": 1}))._repr_html_()
    assert "<b>" not in hostile
    assert "&lt;b&gt;&amp;" in hostile


def test_results_are_equal_but_for_the_time_that_they_took(runs: ea.RunSet) -> None:
    again = ea.run(ea.load("gong2006").with_(**TRACED), seed=3, runs=4)
    assert again == runs
    assert again[1] == runs[1]
    assert again[1].json != runs[1].json  # wall_s
    assert len({*again, *runs}) == 4
    assert len({again, runs}) == 1
    assert runs[0] != runs[1]
    assert runs[:2] != runs[1:3]
    assert runs[0] != runs[0].document
    assert runs != list(runs)
    longer = ea.run(ea.load("gong2006").with_(**TRACED | {"duration": 11}), seed=3)
    assert longer != runs[0]


def test_the_package_lists_its_public_names_alone() -> None:
    public = [name for name in dir(ea) if not name.startswith("__")]
    assert public == sorted(name for name in ea.__all__ if not name.startswith("__"))
    assert "__version__" in dir(ea)
    assert [name for name in dir(ea.models) if not name.startswith("__")] == sorted(
        ea.models.__all__
    )


def test_long_tables_are_cut_in_notebooks() -> None:
    html = markup.table(("n",), ([k] for k in range(100)))
    assert html.count("<tr>") == 1 + markup.MAX_ROWS + 1
    assert f"and {100 - markup.MAX_ROWS} more" in html


class Without:
    """Finds no module of a name, wherever it is installed."""

    def __init__(self, name: str) -> None:
        self.name = name

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        if name == self.name:
            raise ModuleNotFoundError(name)


def test_a_missing_package_is_named(
    result: ea.RunResult, runs: ea.RunSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    campaign = ea.sweep("gong2006", {"duration": [1]}, runs=1)
    for package, conversions in {
        "pandas": (result.to_pandas, runs.to_pandas, campaign.to_pandas),
        "xarray": (campaign.to_xarray,),
    }.items():
        with monkeypatch.context() as patched:
            patched.delitem(sys.modules, package, raising=False)
            patched.setattr(sys, "meta_path", [Without(package), *sys.meta_path])
            for convert in conversions:
                with pytest.raises(
                    ImportError,
                    match=rf"^to_{package}: {package} is not installed; pip install 'evenair\[",
                ):
                    convert()


def test_data_frames(runs: ea.RunSet) -> None:
    pytest.importorskip("pandas")
    assert list(runs.to_pandas()["seed"].unique()) == [3, 4, 5, 6]
    assert len(runs.to_pandas("ap_queue")) == 4


def test_metrics_that_a_run_has_not_are_left_out() -> None:
    up_only = ea.Scenario(duration=1, station=[{"flows": [{"direction": "up"}]}])
    metrics = ea.run(up_only).metrics
    assert "mean_up_goodput_bps" in metrics
    assert "mean_down_goodput_bps" not in metrics


def test_plots_have_labels_and_units(result: ea.RunResult, runs: ea.RunSet) -> None:
    for figure in (result.plot(), runs.plot()):
        labels = [axes.get_ylabel() for axes in figure.axes]
        assert labels == ["goodput (Mb/s)", "cwnd (segments)", "AP queue (packets)"]
        assert [axes.get_xlabel() for axes in figure.axes] == ["flow", "time (s)", "time (s)"]
        assert all(axes.get_legend() for axes in figure.axes)


@pytest.mark.parametrize("name", ["$$", "$", "$x^2$", r"\$a\$ $b", "a_{1}", "$\\frac{$"])
def test_text_in_plots_is_literal(name: str, tmp_path: Path) -> None:
    figure = ea.run(ea.load("gong2006").with_(duration=1, name=name)).plot()
    with mpl.rc_context({"svg.fonttype": "none"}):
        figure.savefig(tmp_path / "text.svg")
    drawn = (tmp_path / "text.svg").read_text()
    assert f">{name} (seed 1)<" in drawn


def test_plots_name_flows_and_stations() -> None:
    """A flow without a name has its station's; of a station with several, the id as well."""
    flows = [{"direction": "up"}, {"direction": "down", "name": "video"}]
    figure = ea.run(
        ea.Scenario(
            duration=1,
            name="home",
            station=[
                {"name": "phone", "flows": flows[:1]},
                {"name": "tv", "flows": flows},
                {"flows": flows[:1]},
            ],
        )
    ).plot()
    names = [text.get_text() for text in figure.axes[0].get_xticklabels()]
    assert names == ["phone", "tv up-2", "video", "up-3"]
    title = figure.get_suptitle()
    assert title.startswith("home (seed 1)\naggregate ")
    assert " Mb/s, Jain's index " in title


@pytest.mark.parametrize("length", [1, 8, 12, 16, 24])
def test_names_of_flows_do_not_overlap(length: int) -> None:
    station = [
        {"flows": [{"name": f"{k}".rjust(length, "x"), "direction": "up"}]} for k in range(6)
    ]
    figure = ea.run(ea.Scenario(duration=0.1, station=station)).plot()
    figure.canvas.draw()
    boxes = [text.get_window_extent() for text in figure.axes[0].get_xticklabels()]
    assert all(one.x1 < next_one.x0 for one, next_one in pairwise(boxes))


def test_plot_without_trace_has_one_panel() -> None:
    figure = ea.run(ea.load("gong2006").with_(duration=1)).plot()
    (axes,) = figure.axes
    # Told apart without colour: ITU-R BT.601 luma of the bars of each direction.
    lumas = {
        direction: {
            round(0.299 * red + 0.587 * green + 0.114 * blue, 3)
            for bar in bars
            for red, green, blue, _ in [bar.get_facecolor()]
        }
        for direction, bars in (("up", axes.patches[:5]), ("down", axes.patches[5:]))
    }
    assert {len(found) for found in lumas.values()} == {1}
    assert abs(lumas["up"].pop() - lumas["down"].pop()) > 0.4
    assert not any(bar.get_hatch() for bar in axes.patches)
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["uploads", "downloads"]
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
    before = time.process_time()  # a busy machine may give the process no time at all for a while
    ea.run(ea.load("gong2006").with_(duration=3000))
    taken = time.process_time() - before
    over.set()
    ticker.join()
    assert ticks > 100 * taken


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
        ({"pcap": 3}, "pcap: got 3, expected a file name"),
        ({"seed": [1, 2]}, r"seed: got \[1, 2\] \(list\), expected a whole number, 0 to .* runs"),
        ({"seed": "1"}, "seed: got '1', expected a whole number"),
        ({"seed": 1.0}, "seed: got 1.0, expected a whole number"),
        ({"seed": True}, "seed: got True, expected a whole number"),
        ({"seed": None}, "seed: got None, expected a whole number"),
        ({"runs": "3"}, "runs: got '3', expected a whole number, at least 1"),
        ({"runs": [3]}, r"runs: got \[3\] \(list\)"),
        ({"runs": 2, "threads": "two"}, "threads: got 'two', expected a whole number"),
        ({"progress": True}, "progress: got True, expected a function"),
    ],
)
def test_bad_arguments(keys: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        ea.run("gong2006", **keys)  # type: ignore[call-overload]
    assert "\n" not in str(caught.value)


def test_numbers_of_numpy_are_numbers() -> None:
    scenario = ea.load("gong2006", {"duration": 1})
    runs = ea.run(scenario, seed=np.uint64(7), runs=np.int64(2))  # type: ignore[call-overload]
    assert [run.seed for run in runs] == [7, 8]


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


@pytest.mark.parametrize(
    ("within", "degrees", "quantile"),
    [(0.5, 5, 0.727), (0.9, 2, 2.920), (0.99, 9, 3.250), (0.999, 1, 636.619), (0.2, 1, 0.325)],
)
def test_t_quantiles_of_other_intervals(within: float, degrees: int, quantile: float) -> None:
    """The table of any textbook: two-sided probabilities."""
    assert t_quantile(within, degrees) == pytest.approx(quantile, abs=6e-4)
