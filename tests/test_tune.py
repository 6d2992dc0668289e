"""`evenair tune` and `evenair.tune`, end to end: what is found, kept, written and refused."""

from __future__ import annotations

import json
from statistics import fmean
from typing import TYPE_CHECKING, Any

import evenair as ea
import pyarrow.parquet as pq
import pytest
from evenair.campaign import local
from evenair.campaign.errors import CampaignInterrupted
from evenair.campaign.storage.store import Store
from evenair.statistics import estimate
from evenair.tables import flat

if TYPE_CHECKING:
    from pathlib import Path

    from evenair_command import Evenair

CELL = ("tune", "gong2006", "--set", "duration=2")
OVER = ("--over", "cell.queue.kind=droptail,las", "--over", "cell.queue.limit=10:100:10")
GOAL = ("--minimise", "rtt_p95_s", "--subject-to", "aggregate_goodput_bps >= 0.9 best")
SHORT = (*CELL, *OVER, *GOAL, "--seeds", "3")
CALLS = """
duration = "1 s"
[cell]
phy = "802.11g"
[[station]]
count = 2
flows = [{ direction = "down", transport = "cubic", group = "downloads" }]
[[station]]
flows = [{ transport = "udp", application = "voip", group = "call" }]
"""


def found(evenair: Evenair, *arguments: str) -> dict[str, Any]:
    done = evenair(*arguments, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def test_the_table_and_what_is_chosen(evenair: Evenair) -> None:
    done = evenair(*SHORT)
    assert (done.returncode, done.stderr) == (0, "")
    document = found(evenair, *SHORT)
    lines = [line.rstrip() for line in done.stdout.splitlines()]
    chosen = document["chosen"]
    (row,) = (line for line in lines if line.endswith("chosen"))
    assert row.split()[:2] == [chosen["cell.queue.kind"], str(chosen["cell.queue.limit"])]
    assert f"chosen: {' '.join(document['set'])}" in lines
    apply = "apply: " + " ".join(f"--set {option}" for option in document["set"])
    assert apply in lines
    (used,) = (line for line in lines if line.startswith(f"{document['runs']} runs, "))
    assert "of the 60 of all 20 settings with 3 seeds" in used
    assert document["runs"] <= 30


def test_what_is_chosen_does_not_depend_on_jobs(evenair_here: Evenair) -> None:
    assert found(evenair_here, *SHORT, "--jobs", "1") == found(evenair_here, *SHORT, "--jobs", "2")
    assert found(evenair_here, *SHORT)["chosen"] == found(evenair_here, *SHORT)["chosen"]


def test_all_numbers_are_those_of_the_runs() -> None:
    tuning = ea.tune(
        ea.load("gong2006").with_(duration=2),
        {"cell.queue.limit": [10, 40, 80]},
        maximise="aggregate_goodput_bps",
        subject_to="jain_index >= 0.5 best",
        seeds=4,
        seed=5,
    )
    assert (tuning.runs, tuning.new_runs, tuning.grid_runs) == (12, 12, 12)
    samples = {}
    for limit in (10, 40, 80):
        scenario = ea.load("gong2006").with_(duration=2, cell__queue__limit=limit)
        samples[limit] = ea.run(scenario, seed=5, runs=4)
    assert tuning.chosen is not None
    best = samples[int(tuning.chosen.values["cell.queue.limit"])]
    for setting in tuning.settings:
        runs = samples[int(setting.values["cell.queue.limit"])]
        expected = runs.summary["aggregate_goodput_bps"]
        assert setting.objective == pytest.approx(expected)
        assert setting.limits[0].mean == pytest.approx(runs.summary["jain_index"])
        differences = [
            b.aggregate_goodput_bps - a.aggregate_goodput_bps
            for a, b in zip(runs.runs, best.runs, strict=True)
        ]
        if setting.behind is not None:
            assert setting.behind.mean == pytest.approx(fmean(differences))
            # Three pairs: 98.3% of each, t of 4.857 with 3 degrees of freedom instead of 3.182.
            half = estimate(differences).ci95
            assert half is not None
            assert setting.behind.half == pytest.approx(half * 4.8567 / 3.1824, rel=1e-3)
    highest = max(s.summary["jain_index"].mean for s in samples.values())
    assert tuning.bounds == (pytest.approx(highest / 2),)
    assert tuning.scenario is not None
    resolved = tuning.scenario.resolved["cell"]["queue"]["limit"]
    assert resolved == tuning.chosen.values["cell.queue.limit"]
    frame = tuning.to_pandas()
    assert list(frame["verdict"]) == [setting.verdict for setting in tuning.settings]
    means = [setting.objective and setting.objective.mean for setting in tuning.settings]
    assert list(frame["aggregate_goodput_bps"]) == means
    assert tuning.runs_table.num_rows == 12


def test_metrics_of_some_flows(tmp_path: Path) -> None:
    (tmp_path / "calls.toml").write_text(CALLS)
    name = "one_way_delay_p95_s[group=call,direction=down]"
    tuning = ea.tune(
        tmp_path / "calls.toml", {"cell.queue.limit": [10, 300]}, minimise=name, seeds=2
    )
    for setting in tuning.settings:
        limit = setting.values["cell.queue.limit"]
        scenario = ea.load(tmp_path / "calls.toml").with_(cell__queue__limit=limit)
        delays = [
            flat(flow)["one_way_delay_p95_s"]
            for run in ea.run(scenario, runs=2).runs
            for flow in run.document["flows"]
            if flow["group"] == "call" and flow["direction"] == "down"
        ]
        assert len(delays) == 2
        assert setting.objective is not None
        assert setting.objective.mean == pytest.approx(fmean(delays))
    assert name in tuning.table.column_names


def test_finished_runs_are_kept_and_shared_with_sweeps(
    evenair_here: Evenair, tmp_path: Path
) -> None:
    first = found(evenair_here, *SHORT, "--out", "x.parquet")
    table = pq.read_table(tmp_path / "x.parquet")
    assert table.num_rows == first["runs"] == first["new_runs"]
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == ["x.parquet", "x.parquet.runs"]
    again = found(evenair_here, *SHORT, "--out", "x.parquet")
    assert again == first | {"new_runs": 0}
    assert pq.read_table(tmp_path / "x.parquet").equals(table)
    # Of a sweep with the same seeds only the comparison, with the next seeds, is left to do.
    vary = [word.replace("--over", "--vary") for word in OVER]
    sweep = ("sweep", *CELL[1:], *vary, "--runs", "3", "--out", "y.parquet", "--quiet")
    assert evenair_here(*sweep).returncode == 0
    refused = evenair_here(*SHORT, "--out", "y.parquet")
    assert refused.returncode == 2
    assert "y.parquet: is not a table of evenair tune" in refused.stderr
    after = found(evenair_here, *SHORT, "--out", "y.parquet", "--force")
    finals = sum(setting["finalist"] for setting in first["settings"])
    assert after == first | {"new_runs": 3 * finals}
    report = evenair_here("report", "x.parquet", "--out", "x.html")
    assert (report.returncode, report.stderr) == (0, "")
    assert "evenair tune gong2006" in (tmp_path / "x.html").read_text()


def test_an_interruption_loses_nothing(tmp_path: Path) -> None:
    scenario = ea.load("gong2006").with_(duration=2)
    over = {"cell.queue.limit": "10:200:10"}

    def stop(done: int, total: int) -> None:
        assert done <= total == 50
        if done >= 20:
            raise KeyboardInterrupt

    whole = ea.tune(scenario, over, minimise="rtt_p95_s", seeds=5)
    out = tmp_path / "x.parquet"
    with pytest.raises(CampaignInterrupted) as interrupted:
        ea.tune(scenario, over, minimise="rtt_p95_s", seeds=5, out=out, progress=stop)
    with Store(tmp_path / "x.parquet.runs") as store:
        stored = len(store.ids())
    assert interrupted.value.finished == stored >= 20
    assert not out.exists()
    resumed = ea.tune(scenario, over, minimise="rtt_p95_s", seeds=5, out=out)
    assert resumed.new_runs == whole.runs - stored
    assert resumed.document == whole.document | {"new_runs": resumed.new_runs}


def test_a_setting_whose_run_fails_is_left_out(
    monkeypatch: pytest.MonkeyPatch, evenair_here: Evenair, tmp_path: Path
) -> None:
    execute = local.execute

    def flaky(runs: Any, report: Any, *, threads: int) -> None:
        def broken(outcomes: Any) -> None:
            report(
                [
                    (run, "panicked" if run.seed == 2 and run.point == 1 else r)
                    for run, r in outcomes
                ]
            )

        execute(runs, broken, threads=threads)

    arguments = (*CELL, "--over", "cell.queue.limit=10,20,30", "--minimise", "rtt_p95_s")
    arguments = (*arguments, "--seeds", "3", "--json", "--out", "x.parquet")
    with monkeypatch.context() as patch:
        patch.setattr(local, "execute", flaky)
        done = evenair_here(*arguments)
    assert done.returncode == 1
    assert done.stderr.splitlines() == [
        "evenair: cell.queue.limit=20, seed 2 failed: panicked",
        "evenair: to reproduce: evenair run gong2006 --set duration=2 --set cell.queue.limit=20"
        " --seed 2",
    ]
    *finalists, failed = json.loads(done.stdout)["settings"]
    assert [setting["finalist"] for setting in finalists] == [True, True]
    assert failed["keys"] == {"cell.queue.limit": 20}
    assert failed["verdict"] == "a run failed"
    # Nothing is kept of a failure: the next time it is tried again.
    assert found(evenair_here, *arguments[:-3], "--out", "x.parquet")["new_runs"] == 1


def test_no_setting_meets_the_limits(evenair_here: Evenair) -> None:
    arguments = (*CELL, "--over", "cell.queue.limit=10,20", "--minimise", "rtt_p95_s")
    arguments = (*arguments, "--seeds", "2", "--subject-to", "aggregate_goodput_bps >= 20 Mbps")
    done = evenair_here(*arguments)
    assert done.returncode == 2
    assert done.stderr.startswith(
        "evenair: no setting meets aggregate_goodput_bps >= 20 Mbps; the closest is cell.queue.lim"
    )
    assert done.stderr.count("\n") == 1
    assert "closest" in done.stdout
    document = json.loads(evenair_here(*arguments, "--json").stdout)
    assert (document["chosen"], document["set"]) == (None, [])
    assert document["settings"][0]["verdict"] == "closest"
    assert document["settings"][0]["limits"][0]["verdict"] == "violated"


LIMITS = ("--over", "cell.queue.limit=10,20,30")
RTT = (*LIMITS, "--minimise", "rtt_p95_s")


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        ((), ["--over", "missing"]),
        (LIMITS, ["--minimise", "either minimise or maximise"]),
        ((*RTT, "--maximise", "jain_index"), ["either minimise or maximise"]),
        ((*LIMITS, "--minimise", "rtt"), ["--minimise", "rtt", "rtt_p95_s"]),
        ((*LIMITS, "--maximise", "jain_indx"), ["--maximise", "did you mean jain_index?"]),
        ((*RTT, *LIMITS), ["--over: cell.queue.limit: varied twice"]),
        ((*RTT, "--set", "cell.queue.limit=5"), ["--over: cell.queue.limit", "--set"]),
        (("--over", "cell.queue.limt=1,2", *RTT[2:]), ["--over cell.queue.limt=1", "limit"]),
        (("--over", "cell.queue.kind=las,red", *RTT[2:]), ["--over cell.queue.kind=red"]),
        (("--over", "cell.queue.limit=", *RTT[2:]), ["--over: cell.queue.limit", "empty value"]),
        (("--over", "cell.queue.limit=9:1:2", *RTT[2:]), ["--over", "9:1:2", "STEP"]),
        (("--over", "cell.queue.limit=9:1:x2", *RTT[2:]), ["--over", "9:1:x2", "xFACTOR"]),
        (("--over", "cell.queue.limit=9", *RTT[2:]), ["--over", "one setting"]),
        (("--over", "cell.queue.limit", *RTT[2:]), ["--over", "KEY=V1,V2"]),
        ((*RTT, "--subject-to", "goodput >= 3"), ["--subject-to", "goodput", "no such metric"]),
        ((*RTT, "--subject-to", "jain_index"), ["--subject-to", "'jain_index'", ">= NUMBER"]),
        ((*RTT, "--subject-to", "jain_index > 0.5"), ["--subject-to", "METRIC >= NUMBER"]),
        ((*RTT, "--subject-to", "jain_index >= fair"), ["'jain_index >= fair'", "NUMBER"]),
        ((*RTT, "--subject-to", "jain_index >= 2 best"), ["above 0 and up to 1"]),
        ((*RTT, "--subject-to", "mean_rtt_s <= 0.9 best"), ["of at least 1"]),
        ((*RTT, "--subject-to", "mean_rtt_s <= 9 Mbps"), ["--subject-to", "mean_rtt_s <= 9 Mbps"]),
        ((*RTT, "--subject-to", "mean_mos >= 3"), ["--subject-to: no run has a value of mean_mos"]),
        ((*LIMITS, "--maximise", "mean_mos"), ["--maximise: no run has a value of mean_mos"]),
        ((*LIMITS, "--maximise", "goodput_bps[up]"), ["[up]", "NAME=VALUE"]),
        ((*LIMITS, "--maximise", "goodput_bps[direction=up"), ["[direction=up'", "METRIC"]),
        ((*LIMITS, "--maximise", "goodput_bps[direction=dwn]"), ["did you mean down?"]),
        ((*LIMITS, "--maximise", "goodput_bps[way=up]"), ["way: no such column", "direction"]),
        ((*LIMITS, "--maximise", "goodput[direction=up]"), ["no such metric", "goodput_bps"]),
        ((*LIMITS, "--maximise", "transport[direction=up]"), ["transport: no such metric"]),
        ((*LIMITS, "--maximise", "goodput_bps[group=x]"), ["group=x", "no flow has a group"]),
        ((*RTT, "--runs", "5"), ["--runs: got 5, expected at least 24"]),
        ((*RTT, "--seeds", "1"), ["--seeds: got 1", "2 to"]),
        ((*RTT, "--confidence", "2"), ["--confidence", "'2'", "0.95"]),
        ((*RTT, "--seed", str(2**64 - 1)), ["--seeds: got 10, but seeds from"]),
        ((*RTT, "--out", "x.csv"), ["--out", "x.csv", ".parquet"]),
    ],
    ids=" ".join,
)
def test_mistakes_are_told_in_one_line(
    arguments: tuple[str, ...], parts: list[str], evenair_here: Evenair, tmp_path: Path
) -> None:
    done = evenair_here("tune", "gong2006", "--set", "duration=1", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("evenair: ")
    assert done.stderr.count("\n") == 1
    for part in parts:
        assert part in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"over": ["cell.queue.limit"]}, "over: got "),
        ({"over": {"cell.queue.limit": 5}}, "over: cell.queue.limit: got 5"),
        ({"minimise": 3}, "minimise: got 3"),
        ({"subject_to": 3}, "subject-to: got 3"),
        ({"subject_to": [3]}, "subject-to: got 3"),
        ({"seeds": 2.5}, "seeds: got 2.5"),
        ({"runs": "many"}, "runs: got 'many'"),
        ({"confidence": "high"}, "confidence: got 'high'"),
        ({"confidence": 1}, "confidence: got 1"),
        ({"jobs": 0}, "jobs: got 0"),
        ({"out": 3}, "out: got 3"),
        ({"progress": 3}, "progress: got 3"),
    ],
    ids=str,
)
def test_mistakes_in_python(arguments: dict[str, Any], message: str) -> None:
    usual: dict[str, Any] = {"over": {"cell.queue.limit": [10, 20]}, "minimise": "rtt_p95_s"}
    with pytest.raises(ea.CampaignError) as error:
        ea.tune("gong2006", **usual | arguments)
    assert str(error.value).startswith(message)
