"""Campaigns, end to end: what survives, what is run again, and what is in the tables."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import evenair as ea
import pyarrow.parquet as pq
import pytest
from evenair import _core
from evenair.campaign.errors import CampaignInterrupted
from evenair.campaign.jobs import Run
from evenair.campaign.local import execute
from evenair.campaign.storage.identity import Identity
from evenair.campaign.storage.record import METRICS, Record
from evenair.campaign.storage.store import Store
from evenair.statistics import estimate
from evenair.tables import flat

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from evenair.campaign.jobs import Outcome
    from evenair_command import Evenair

SHORT = ("sweep", "gong2006", "--set", "duration=2")
GRID = ("--vary", "cell.queue.kind=droptail,las", "--vary", "cell.queue.limit=10:30:10")


def new_runs(evenair: Evenair, *arguments: str) -> int:
    done = evenair(*arguments, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    return int(json.loads(done.stdout)["new_runs"])


def stored(path: Path) -> int:
    with Store(path) as store:
        return len(store.ids())


def test_the_table_has_every_run_in_order(evenair: Evenair, tmp_path: Path) -> None:
    done = evenair(*SHORT, *GRID, "--runs", "3", "--seed", "5", "--out", "new/x.parquet")
    assert (done.returncode, done.stderr) == (0, "")
    assert "18 runs, in new/x.parquet" in done.stdout
    rows = [line for line in done.stdout.splitlines() if line.startswith(("droptail", "las"))]
    assert [line.count("±") for line in rows] == [2] * 6
    table = pq.read_table(tmp_path / "new/x.parquet")
    assert table.column_names == ["cell.queue.kind", "cell.queue.limit", "seed", *METRICS]
    keys = zip(*(table[k].to_pylist() for k in table.column_names[:3]), strict=True)
    assert list(keys) == [
        (kind, limit, seed)
        for kind in ("droptail", "las")
        for limit in (10, 20, 30)
        for seed in (5, 6, 7)
    ]
    base = ea.load("gong2006").with_(duration=2)
    for row in table.to_pylist()[::7]:
        scenario = base.with_(cell__queue={k: row[f"cell.queue.{k}"] for k in ("kind", "limit")})
        run = ea.run(scenario, seed=row["seed"])
        assert run.metrics.items() <= row.items()
        assert row["timeouts"] == sum(flow["timeouts"] for flow in run.document["flows"])
    names = sorted(path.name for path in (tmp_path / "new").iterdir())
    assert names == ["x.parquet", "x.parquet.runs"]


def test_flows_and_series(evenair: Evenair, tmp_path: Path) -> None:
    command = (*SHORT, "--set", "trace.interval=1 s", "--vary", "cell.queue.limit=10,20")
    command = (*command, "--runs", "2", "--out", "x.parquet")
    assert new_runs(evenair, *command) == 4
    assert new_runs(evenair, *command, "--flows", "--series") == 0
    flows = pq.read_table(tmp_path / "x-flows.parquet").to_pylist()
    series = pq.read_table(tmp_path / "x-series.parquet").to_pylist()
    scenario = ea.load("gong2006").with_(duration=2, trace={"interval": 1}, cell__queue__limit=20)
    run = ea.run(scenario, seed=2)
    point: dict[str, Any] = {"cell.queue.limit": 20, "seed": 2}
    assert [row for row in flows if point.items() <= row.items()] == [
        {**point, **flat(flow)} for flow in run.document["flows"]
    ]
    cwnd = [
        row["value"]
        for row in series
        if {**point, "flow": "up-1", "quantity": "cwnd"}.items() <= row.items()
    ]
    assert cwnd == run.document["series"]["flows"]["up-1"]["cwnd"]
    assert {row["quantity"] for row in series if row["flow"] is None} == {
        *("ap_queue_acks", "ap_queue_data", "aggregate_goodput_bps"),
        *("ap_queue_delay_p50_s", "ap_queue_delay_p95_s"),
    }


def test_only_what_is_new_is_run(evenair_here: Evenair, tmp_path: Path) -> None:
    command = (*SHORT, "--runs", "2", "--out", "x.parquet")
    assert new_runs(evenair_here, *command, "--vary", "cell.queue.limit=10,20") == 4
    first = (tmp_path / "x.parquet").read_bytes()
    assert new_runs(evenair_here, *command, "--vary", "cell.queue.limit=10,20") == 0
    assert (tmp_path / "x.parquet").read_bytes() == first
    assert new_runs(evenair_here, *command, "--vary", "cell.queue.limit=10,15,20") == 2
    more = (*SHORT, "--runs", "3", "--out", "x.parquet", "--vary", "cell.queue.limit=10,15,20")
    assert new_runs(evenair_here, *more) == 3
    assert pq.read_table(tmp_path / "x.parquet")["seed"].to_pylist() == [1, 2, 3] * 3
    assert new_runs(evenair_here, *command, "--vary", "cell.queue.limit=10,20", "--force") == 0
    assert (tmp_path / "x.parquet").read_bytes() == first


def test_the_number_of_jobs_does_not_matter(evenair: Evenair, tmp_path: Path) -> None:
    for jobs in ("1", "2", "5"):
        command = (*SHORT, *GRID, "--runs", "4", "--out", f"{jobs}.parquet", "--jobs", jobs)
        assert new_runs(evenair, *command, "--flows") == 24
    for name in ("{}.parquet", "{}-flows.parquet"):
        assert len({(tmp_path / name.format(k)).read_bytes() for k in (1, 2, 5)}) == 1


def test_killed_at_any_moment_it_goes_on(evenair: Evenair, tmp_path: Path) -> None:
    """Six times kill -9, then to the end: the same bytes."""
    arguments = ["sweep", "gong2006", "--set", "duration=30", "--vary", "cell.queue.limit=11:20:1"]
    arguments += ["--runs", "20", "--quiet", "--out"]
    assert evenair(*arguments, "whole.parquet").returncode == 0
    with Store(tmp_path / "whole.parquet.runs") as store:
        ids = store.ids()
    assert len(ids) == 200

    # Before anything is stored, at the start, in its imports and at the first runs; and when this
    # process has stored its first runs, at once and later.
    moments = [(False, 0.0), (True, 0.0), (False, 0.25), (True, 0.03), (False, 0.45), (True, 0.08)]
    command = [sys.executable, "-m", "evenair", *arguments, "cut.parquet"]
    log = tmp_path / "cut.parquet.runs-wal"
    kept: list[int] = []
    for has_stored, wait_s in moments:
        before = log.stat().st_mtime_ns if log.exists() else 0
        with subprocess.Popen(command, cwd=tmp_path, stdin=subprocess.DEVNULL) as process:
            while has_stored and (not log.exists() or log.stat().st_mtime_ns == before):
                if process.poll() is not None:
                    break  # a fast machine was done
                time.sleep(0.002)
            time.sleep(wait_s)
            process.kill()
        if (tmp_path / "cut.parquet.runs").exists():
            kept.append(stored(tmp_path / "cut.parquet.runs"))
    assert min(kept) < 200
    assert kept == sorted(kept)
    assert kept[-1] > 0
    done = json.loads(evenair(*arguments, "cut.parquet", "--json").stdout)
    assert done["new_runs"] == 200 - kept[-1]
    assert (tmp_path / "cut.parquet").read_bytes() == (tmp_path / "whole.parquet").read_bytes()
    with Store(tmp_path / "cut.parquet.runs") as store:
        assert store.ids() == ids
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        *("cut.parquet", "cut.parquet.runs", "whole.parquet", "whole.parquet.runs")
    ]


@pytest.mark.real_time("a campaign that Ctrl-C ends")
def test_ctrl_c_keeps_what_is_finished(evenair: Evenair, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "evenair", "sweep", "gong2006", "--set", "duration=10"]
    command += ["--vary", "cell.queue.limit=1:100:1", "--runs", "2000", "--out", "x.parquet"]
    with subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        time.sleep(1.5)
        process.send_signal(signal.SIGINT)
        start = time.monotonic()
        stdout, stderr = process.communicate(timeout=30)
    assert time.monotonic() - start < 1
    assert (process.returncode, stdout) == (130, "")
    kept = stored(tmp_path / "x.parquet.runs")
    assert kept > 0
    assert stderr == (
        f"evenair: interrupted; x.parquet.runs has {kept} finished runs;"
        " repeat the command to continue\n"
    )
    assert [path.name for path in tmp_path.iterdir()] == ["x.parquet.runs"]


def failing(runs: Sequence[Run]) -> list[Outcome]:
    outcomes: list[Outcome] = []
    execute(iter(runs), outcomes.extend, threads=2)
    return outcomes


def test_a_run_that_fails_does_not_stop_the_others() -> None:
    """A scenario that is not valid takes the same way through the pool as a panic."""
    good = ea.load("gong2006").with_(duration=1)._core
    bad = _core.Scenario("{}", "scenario")
    outcomes = failing([Run(bytes([k]), 0, k, bad if k == 2 else good) for k in range(5)])
    assert sorted(run.seed for run, _ in outcomes) == [0, 1, 2, 3, 4]
    reasons = {run.seed: record for run, record in outcomes if not isinstance(record, Record)}
    assert list(reasons) == [2]
    assert "station" in reasons[2]


@pytest.mark.parametrize("threads", [3000, 2**59, 2**70])
def test_more_threads_than_are_useful(threads: int) -> None:
    scenario = ea.load("gong2006").with_(duration=1)
    assert [run.seed for run in ea.run(scenario, runs=3, threads=threads).runs] == [1, 2, 3]
    assert ea.sweep(scenario, {}, runs=3, jobs=threads).table.num_rows == 3
    with pytest.raises(ValueError, match="threads: got -1"):
        ea.run(scenario, runs=3, threads=-1)


def test_the_pool_starts_a_thread_per_job_at_most() -> None:
    scenario = ea.load("gong2006").with_(duration=1)._core
    done: list[int] = []
    _core.run_jobs(
        ((scenario, k) for k in range(3)),
        2**59,
        lambda some: done.extend(index for index, text, _ in some if text is not None),
    )
    assert sorted(done) == [0, 1, 2]


def test_a_thread_that_cannot_be_had_is_reported_in_one_line(
    evenair: Evenair, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Rust reads the size of a thread's stack from here: more than the address space has.
    monkeypatch.setenv("RUST_MIN_STACK", str(2**60))
    for command in (("run", "gong2006"), (*SHORT, "--runs", "2", "--out", "x.parquet")):
        done = evenair(*command)
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr.startswith("evenair: a thread cannot be started: ")
        assert done.stderr.count("\n") == 1


def test_the_pool_stops_for_an_error_of_its_driver() -> None:
    good = ea.load("gong2006").with_(duration=1e6)._core

    def jobs() -> Any:
        yield good, 1
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        _core.run_jobs(jobs(), 2, list)
    with pytest.raises(ValueError, match="threads"):
        _core.run_jobs(iter([]), 0, list)


def test_a_failure_is_reported_with_the_command_that_repeats_it(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    from evenair.campaign import local
    from evenair.cli import main

    def flaky(runs: Any, report: Any, *, threads: int) -> None:
        def broken(outcomes: Sequence[Outcome]) -> None:
            report(
                [
                    (run, "the engine panicked" if (run.point, run.seed) == (1, 2) else record)
                    for run, record in outcomes
                ]
            )

        execute(runs, broken, threads=threads)

    monkeypatch.chdir(tmp_path)
    command = [*SHORT, "--vary", "cell.queue={kind='las'},droptail", "--runs", "2", "--quiet"]
    command += ["--out", "x.parquet"]
    with monkeypatch.context() as patch:
        patch.setattr(local, "execute", flaky)
        assert main(command) == 1
    assert capfd.readouterr().err.splitlines() == [
        "evenair: cell.queue=droptail, seed 2 failed: the engine panicked",
        "evenair: to reproduce: evenair run gong2006 --set duration=2"
        " --set cell.queue=droptail --seed 2",
    ]
    assert pq.read_table("x.parquet").num_rows == 3
    # Nothing is kept of a failure: the next time it is tried again.
    assert main(command) == 0
    assert pq.read_table("x.parquet").num_rows == 4


def test_until_a_precision(evenair: Evenair, tmp_path: Path) -> None:
    command = [*SHORT, "--vary", "cell.queue.kind=droptail,las", "--until", "jain_index:2%"]
    command += ["--max-runs", "8", "--json"]
    results = []
    for jobs in ("1", "2"):
        done = evenair(*command, "--jobs", jobs, "--out", f"{jobs}.parquet")
        assert done.returncode == 0
        assert done.stderr.count("not as precise") == len(json.loads(done.stdout)["unsettled"])
        results.append((tmp_path / f"{jobs}.parquet").read_bytes())
    assert results[0] == results[1]
    looks = [3, 5, 8]
    for kind, unsettled in (("droptail", True), ("las", False)):
        table = pq.read_table(tmp_path / "1.parquet", filters=[("cell.queue.kind", "=", kind)])
        sample = table["jain_index"].to_pylist()
        assert table["seed"].to_pylist() == list(range(1, len(sample) + 1))
        met = []
        for look in looks[: looks.index(len(sample)) + 1]:
            mean, ci95 = estimate(sample[:look])
            assert ci95 is not None
            met.append(ci95 <= 0.02 * mean)
        assert not any(met[:-1])
        assert met[-1] is not unsettled
    assert json.loads(done.stdout)["unsettled"] == [{"cell.queue.kind": "droptail"}]


def test_python(tmp_path: Path) -> None:
    scenario = ea.load("gong2006").with_(duration=2)
    grid = {"cell.queue.kind": ["droptail", "las"], "cell.queue.limit": range(10, 31, 10)}
    calls: list[tuple[int, int]] = []
    campaign = ea.sweep(scenario, grid, runs=2, progress=lambda *call: calls.append(call))
    assert campaign.table.num_rows == campaign.new_runs == 12
    assert calls[-1] == (12, 12)
    assert campaign.keys == ("cell.queue.kind", "cell.queue.limit")
    summary = campaign.summary()
    assert summary.num_rows == 6
    sample = campaign.table["jain_index"].to_pylist()[2:4]
    row = summary.to_pylist()[1]
    assert (row["jain_index"], row["jain_index_ci95"]) == estimate(sample)
    assert row["runs"] == 2
    assert campaign.summary(by="cell.queue.kind")["runs"].to_pylist() == [6, 6]
    with pytest.raises(ValueError, match="by: got 'seeds'"):
        campaign.summary(by="seeds")
    with pytest.raises(ValueError, match="flows=True"):
        _ = campaign.flows
    kept = ea.sweep(scenario, grid, runs=2, out=tmp_path / "x.parquet", flows=True)
    assert kept.table.equals(campaign.table)
    assert kept.flows.num_rows == 120
    assert ea.sweep(scenario, grid, runs=2, out=tmp_path / "x.parquet").new_runs == 0
    figure = campaign.plot("cell.queue.limit", "jain_index", by="cell.queue.kind")
    assert len(figure.axes[0].containers) == 2
    assert figure.axes[0].get_xlabel() == "limit of the AP queue (packets)"


def test_python_is_interrupted() -> None:
    def stop(done: int, total: int) -> None:
        if done >= 3:
            raise KeyboardInterrupt

    with pytest.raises(CampaignInterrupted) as caught:
        ea.sweep("gong2006", {"duration": [1]}, runs=100_000, progress=stop)
    assert caught.value.finished >= 3


def test_an_interruption_counts_the_runs_of_its_own_campaign(tmp_path: Path) -> None:
    out = tmp_path / "x.parquet"
    scenario = ea.load("gong2006").with_(duration=1)
    assert ea.sweep(scenario, {"cell.queue.limit": [10]}, runs=7, out=out).new_runs == 7

    def interrupted(limit: int) -> tuple[int, int]:
        """Return the runs that are said to be kept, and those that are new in the store."""

        def stop(done: int, total: int) -> None:
            raise KeyboardInterrupt

        before = stored(tmp_path / "x.parquet.runs")
        grid = {"cell.queue.limit": [limit]}
        with pytest.raises(CampaignInterrupted) as caught:
            ea.sweep(scenario, grid, 5000, out=out, jobs=1, force=True, progress=stop)
        return caught.value.finished, stored(tmp_path / "x.parquet.runs") - before

    kept, new = interrupted(20)
    assert kept == new > 0
    kept, new = interrupted(10)
    assert kept == 7 + new
    assert interrupted(10)[0] > kept


def test_the_name_of_a_scenario_is_not_what_a_run_is(tmp_path: Path) -> None:
    out = tmp_path / "x.parquet"
    scenario = ea.load("gong2006").with_(duration=1, name="one")
    first = ea.sweep(scenario, {"cell.queue.limit": [10, 20]}, 2, out=out)
    again = ea.sweep(scenario.with_(name="other"), {"cell.queue.limit": [10, 20]}, 2, out=out)
    assert (first.new_runs, again.new_runs) == (4, 0)
    assert again.table.equals(first.table)
    names = ea.sweep(scenario, {"name": ["one", "two"]}, 2)
    assert (names.new_runs, names.table.num_rows) == (2, 4)
    identities = {
        Identity(json.dumps(changed.resolved)).of(seed)
        for changed in (scenario, scenario.with_(name="other"), scenario.with_(duration=2))
        for seed in (1, 2)
    }
    assert len(identities) == 4


@pytest.mark.real_time("a bound on the time of the start")
def test_a_huge_grid_starts_at_once(tmp_path: Path) -> None:
    """Runs are made as they are needed: 10 million of them neither take time nor memory."""
    import tracemalloc

    def stop(done: int, total: int) -> None:
        assert total == 10_000_000
        raise KeyboardInterrupt

    tracemalloc.start()
    start = time.monotonic()
    try:
        with pytest.raises(CampaignInterrupted):
            ea.sweep("gong2006", {"duration": "1:10:1"}, runs=1_000_000, progress=stop)
        assert tracemalloc.get_traced_memory()[1] < 20e6
    finally:
        tracemalloc.stop()
    assert time.monotonic() - start < 5


@pytest.mark.long
def test_plot(evenair: Evenair, tmp_path: Path) -> None:
    assert new_runs(evenair, *SHORT, *GRID, "--runs", "2", "--out", "x.parquet") == 12
    axes = ("--x", "cell.queue.limit", "--y", "aggregate_goodput_bps", "--by", "cell.queue.kind")
    assert evenair("plot", "x.parquet", *axes).stderr == ""
    for suffix in ("png", "svg", "pdf"):
        done = evenair("plot", "x.parquet", *axes, "--out", f"new/y.{suffix}")
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
        assert (tmp_path / f"new/y.{suffix}").stat().st_size > 5000
    assert (tmp_path / "x.png").read_bytes() == (tmp_path / "new/y.png").read_bytes()
    text = ("--x", "cell.queue.kind", "--y", "jain_index", "--by", "cell.queue.limit")
    assert evenair("plot", "x.parquet", *text).returncode == 0


SWEEP = ("sweep", "gong2006", "--runs", "2", "--out", "x.parquet")
PLOT = ("plot", "t.parquet", "--x", "duration", "--y", "jain_index")


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (("sweep", "gong206", "--runs", "1", "--out", "x.parquet"), ["did you mean gong2006?"]),
        ((*SWEEP, "--vary", "cell.queue.kind=las,lass"), ["cell.queue.kind=lass", "las"]),
        ((*SWEEP, "--vary", "cell.queue.limits=1,2"), ["--vary", "cell.queue.limits=1", "limit"]),
        ((*SWEEP, "--vary", "cell.queue.limit"), ["--vary", "KEY="]),
        ((*SWEEP, "--vary", "cell.queue.limit=1:9:0"), ["--vary", "cell.queue.limit", "1:9:0"]),
        ((*SWEEP, "--vary", "cell.queue.limit=5,5"), ["cell.queue.limit", "twice"]),
        ((*SWEEP, "--vary", "duration=1", "--vary", "duration=2"), ["duration", "twice"]),
        ((*SWEEP, "--vary", "duration=1", "--set", "duration=2"), ["duration", "--set"]),
        ((*SWEEP, "--set", "duration"), ["--set", "KEY=VALUE"]),
        ((*SWEEP, "--seed", "-1"), ["--seed"]),
        ((*SWEEP, "--seed", "18446744073709551615"), ["--runs", "18446744073709551615"]),
        ((*SWEEP, "--runs", "0"), ["--runs", "0"]),
        ((*SWEEP, "--jobs", "0"), ["--jobs", "0"]),
        ((*SWEEP, "--jobs", "2", "--cluster", "tcp://127.0.0.1:1"), ["--jobs", "workers"]),
        ((*SWEEP, "--cluster", "nowhere:"), ["--cluster", "nowhere:"]),
        ((*SWEEP, "--series"), ["--series", "trace.interval"]),
        ((*SWEEP, "--max-runs", "5"), ["--max-runs", "until"]),
        ((*SWEEP, "--until", "jain_index:1"), ["--until", "METRIC:PERCENT%"]),
        ((*SWEEP, "--until", "jain_index:0%"), ["--until", "METRIC:PERCENT%"]),
        (
            (*SWEEP, "--until", "jane_index:1%"),
            ["--until", "did you mean jain_index", "docs/campaigns.md#output"],
        ),
        ((*SWEEP, "--until", "jain_index:1%", "--max-runs", "2"), ["--max-runs", "at least 3"]),
        (("sweep", "gong2006", "--out", "x.parquet"), ["--runs", "missing"]),
        (("sweep", "gong2006", "--runs", "2"), ["--out"]),
        (("sweep", "gong2006", "--runs", "2", "--out", "x.csv"), ["--out", ".parquet"]),
        (("sweep", "gong2006", "--runs", "2", "--out", "d.parquet"), ["--out", "directory"]),
        (("sweep", "gong2006", "--runs", "2", "--out", "file/x.parquet"), ["--out", "file/x"]),
        (("plot", "no.parquet", *PLOT[2:]), ["no.parquet", "no such file"]),
        (("plot", "file", *PLOT[2:]), ["file", "Parquet"]),
        (
            (*PLOT, "--x", "durations"),
            ["durations: no such column", "duration, ", "duration_s"],
        ),
        ((*PLOT, "--y", "jane_index"), ["--y", "did you mean jain_index", "aggregate_goodput_bps"]),
        ((*PLOT, "--y", "goodness"), ["--y: goodness", "there are ", "aggregate_goodput_bps"]),
        ((*PLOT, "--y", "queue"), ["--y: queue", "ap_queue_drops", "docs/campaigns.md#output"]),
        ((*PLOT, "--by", "cell.queue"), ["--by", "cell.queue.kind"]),
        (PLOT, ["--by", "cell.queue.kind"]),
        ((*PLOT, "--y", "cell.queue.kind"), ["--y", "text"]),
        ((*PLOT, "--by", "cell.queue.kind", "--out", "x.gif"), ["--out", ".png"]),
        ((*PLOT, "--by", "cell.queue.kind", "--out", "file/x.png"), ["--out", "file/x.png"]),
    ],
)
def test_bad_input_is_told_in_one_line(
    evenair_here: Evenair, tmp_path: Path, arguments: tuple[str, ...], named: list[str], table: Path
) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "d.parquet").mkdir()
    (tmp_path / "t.parquet").write_bytes(table.read_bytes())
    before = sorted(tmp_path.rglob("*"))
    done = evenair_here(*arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("evenair: ")
    assert done.stderr.count("\n") == 1
    for name in named:
        assert name in done.stderr
    assert sorted(tmp_path.rglob("*")) == before


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("table") / "t.parquet"
    ea.sweep("gong2006", {"duration": [1, 2], "cell.queue.kind": ["las", "droptail"]}, 2, out=path)
    return path
