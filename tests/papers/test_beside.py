"""The test-bed as an engine of a paper: what is kept, judged and said, on made-up runs."""

from __future__ import annotations

import json
import platform
import random
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from evenair import papers
from evenair._core import RESULT_VERSION
from evenair.cli import main
from evenair.engine import Interrupted
from evenair.papers import measured
from evenair.papers.blefari2007 import PAPER, rebuild
from evenair.papers.blefari2007.cells import TESTBED, TESTBED_QUICK, Cell, Effort
from evenair.papers.runs import Runs
from evenair.result import RunResult
from evenair.testbed import pool
from fake_limiter import document, simulate
from written import check_figure_and_data, rows

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from evenair import Scenario

FIGURES = [str(number) for number in range(4, 12)]


def fake_bed(trusted: bool = True) -> dict[str, Any]:
    """What a result says about the test-bed."""
    return {
        "kernel": "6.1",
        "trusted": trusted,
        "lateness_s": {"p99": 5e-5 if trusted else 5e-3},
        "differences": ["TCP is the kernel's"],
        "untrusted": [] if trusted else ["the engine was late"],
        "warnings": [],
    }


def measure_with(late: set[tuple[Cell, int]]) -> Callable[..., Runs[Cell]]:
    """Stand in for the test-bed: twice the goodput of the made-up simulation, uploads alone."""

    def measure(points: list[Cell], effort: Effort, out: Path, progress: object) -> Runs[Cell]:
        documents = {}
        for cell in points:
            for seed in effort.seeds:
                made = document(cell, seed)
                for flow in made["flows"]:
                    flow["goodput_bps"] *= 2 if flow["direction"] == "up" else 1
                made["testbed"] = fake_bed((cell, seed) not in late)
                documents[cell, seed] = made
        return Runs(effort.seeds, documents)

    return measure


@pytest.mark.long
def test_figures_have_both_and_claims_are_of_the_test_bed(tmp_path: Path) -> None:
    out, said = tmp_path / "out", list[str]()
    late = {(Cell("off", stations=4), 2)}
    status = rebuild(
        None,
        False,
        out,
        engine="testbed",
        say=said.append,
        simulate=simulate,
        measure=measure_with(late),
    )
    assert status == 1  # because of the run that was late
    assert said == [
        "not measured on the test-bed: many, bucket, step, interval, media, signal, udp, unstated,"
        " queue, queue-quantities, queue-claims, uplink-count, schemes",
        "off-static-802.11b-4, seed 2: not to be trusted: the engine was late",
    ]
    for stem in FIGURES:
        check_figure_and_data(out, f"fig{stem}")
    found = rows(out / "data/fig8.csv")
    sim, bed = ([row for row in found if row["engine"] == engine] for engine in ("sim", "testbed"))
    assert [row["stations"] for row in bed] == [str(n) for n in TESTBED.stations]
    assert [float(row["up_mbps"]) for row in sim] == pytest.approx([2.5] * 6, rel=1e-4)
    assert [float(row["up_mbps"]) for row in bed] == pytest.approx([5.0] * 6, rel=1e-4)
    assert [float(row["p99_lateness_ms"]) for row in bed] == [0.05] * 6
    assert (sim[0]["p99_lateness_ms"], bed[0]["queue_loss_ratio"]) == ("", "0.25")
    times = rows(out / "data/fig11.csv")
    assert [row["engine"] for row in times] == ["sim"] * 500 + ["testbed"] * 500
    assert times[600]["rate_mbps"] == "3"
    verdicts = {v["id"]: v for v in json.loads((out / "claims.json").read_text())}
    assert verdicts["fig8-almost-equal"]["measured"] == pytest.approx(2 * 2.5 / 7.5)
    assert verdicts["fig8-almost-equal"]["evidence"] == "post-hoc"
    assert "The simulator, in the same time: 0 ± 0 " in verdicts["fig8-almost-equal"]["reason"]
    assert verdicts["fig11-downloads-alone"]["evidence"] == "test"
    assert verdicts["fig11-downloads-alone"]["outcome"] == "holds"
    # Down over up is 0.01, which holds, but for the late run.
    assert verdicts["fig4-downstream-below"]["measured"] == pytest.approx(0.01)
    assert verdicts["fig4-downstream-below"]["outcome"] == "undecided"
    assert verdicts["fig6-upstream-dominates"]["outcome"] == "holds"
    assert not any(v.startswith(("sec31", "sec32")) for v in verdicts)
    report = (out / "report.html").read_text()
    assert "rebuilt on the test-bed, beside the simulator" in report
    assert "Not to be trusted: off-static-802.11b-4, seed 2 (the engine was late)." in report


def test_one_report_does_not_replace_that_of_the_other_engine(tmp_path: Path) -> None:
    out = tmp_path / "out"
    rebuild(["5"], True, out, simulate=simulate)
    with pytest.raises(ValueError, match=r"has a quick report of blefari2007, figures 5; give"):
        rebuild(["5"], True, out, engine="testbed", simulate=simulate, measure=measure_with(set()))
    folder = papers.folder("blefari2007", ["5"], True, "testbed")
    assert folder.as_posix() == "report/blefari2007-fig5-quick-testbed"
    assert papers.folder("blefari2007", None, False, "testbed").name == "blefari2007-testbed"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["gong2006", "--engine", "testbed"], "--engine: got 'testbed'; gong2006 is simulated"),
        (["blefari2007", "--engine", "ns2"], "--engine: got 'ns2', expected one of sim, testbed"),
        (
            ["blefari2007", "--engine", "testbed", "--figure", "bucket"],
            "--figure: got 'bucket', which is not measured on the test-bed; expected one of 4, 5",
        ),
    ],
)
def test_what_cannot_be_measured(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["paper", *arguments]) == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert output.err.startswith(f"evenair: {message}")
    assert output.err.count("\n") == 1


def test_without_root_one_line_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    monkeypatch.chdir(tmp_path)
    status = main(["paper", "blefari2007", "--figure", "5", "--quick", "--engine", "testbed"])
    assert status == 2
    err = capsys.readouterr().err
    assert err.startswith("evenair: the test-bed needs root") or "needs Linux" in err
    assert err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


# --- What is kept ---------------------------------------------------------------------------------


class FakePool:
    """Stands in for several test-beds: counts the runs, and may be interrupted or late."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.seeds: list[int] = []
        self.stop_after = 100
        self.trusted = True
        monkeypatch.setattr(measured, "prepare", lambda scenario, options: None)
        monkeypatch.setattr(pool, "run_all", self)

    def __call__(
        self,
        jobs: Sequence[tuple[Scenario, int]],
        keep: Callable[[int, RunResult], None],
        progress: Callable[[float], None],
        most: int | None,
    ) -> None:
        assert most is None
        for index, (scenario, seed) in enumerate(jobs):
            if index == self.stop_after:
                raise KeyboardInterrupt
            self.seeds.append(seed)
            made = {
                "engine": "testbed",
                "scenario": scenario.resolved,
                "seed": seed,
                "result_version": RESULT_VERSION,
                "testbed": {
                    "kernel": platform.release(),
                    "trusted": self.trusted,
                    "untrusted": [] if self.trusted else ["the engine was late"],
                },
            }
            keep(index, RunResult(json.dumps(made)))
            progress(float(index))


def test_an_interrupted_measurement_continues(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    beds, said, steps = FakePool(monkeypatch), list[str](), list[tuple[int, int]]()
    effort = replace(TESTBED_QUICK, seeds=(1, 2, 3))

    def measure(points: list[Cell]) -> Runs[Cell]:
        return measured.measure(
            points,
            effort.seeds,
            lambda cell: PAPER.scenario(cell, effort),
            lambda cell: cell.file_name,
            tmp_path,
            lambda *step: steps.append(step),
            said.append,
        )

    beds.stop_after = 2
    with pytest.raises(Interrupted, match=r"2 of 3 runs are in .*runs; the same command continues"):
        measure([Cell("off")])
    assert {path.name for path in (tmp_path / "runs").iterdir()} == {
        f"off-static-802.11b-6-{seed}.json" for seed in (1, 2)
    }
    assert measure([Cell("off")]).documents.keys() == {(Cell("off"), seed) for seed in (1, 2, 3)}
    assert beds.seeds == [1, 2, 3]
    assert said[1:] == [
        f"test-bed: 2 of 3 runs are in {tmp_path / 'runs'}",
        f"test-bed: 1 runs, {pool.at_once()} at once: about 34 s of real time",
    ]
    beds.stop_after = 100
    # A damaged one is measured again, wherever the wrong bit is.
    kept = tmp_path / "runs" / "off-static-802.11b-6-2.json"
    content = kept.read_bytes()
    assert "sha256" in json.loads(content)
    for bit in random.Random(1).sample(range(8 * len(content)), 60):
        changed = bytearray(content)
        changed[bit // 8] ^= 1 << bit % 8
        kept.write_bytes(changed)
        measure([Cell("off")])
        assert beds.seeds.pop() == 2
        assert kept.read_bytes() == content
    # Nothing is left to do; another duration, and a run that was late, are measured again.
    measure([Cell("off")])
    assert beds.seeds == [1, 2, 3]
    effort = replace(effort, duration_s=11.0)
    beds.trusted = False
    measure([Cell("off")])
    beds.trusted = True
    measure([Cell("off")])
    assert beds.seeds == [1, 2, 3] * 3
    # So is one from before runs were judged by time.
    (kept, *_) = sorted((tmp_path / "runs").iterdir())
    made = json.loads(kept.read_text())
    del made["testbed"]["untrusted"]
    kept.write_text(json.dumps(made))
    measure([Cell("off")])
    assert beds.seeds == [*[1, 2, 3] * 3, 1]
    assert all(done <= total for done, total in steps)


def test_the_expected_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "at_once", lambda: 2)
    scenario = PAPER.scenario(Cell("off"), TESTBED_QUICK)  # 20 s and 10 s
    assert pool.expected_s([scenario] * 3) == pytest.approx(2 * (30 + pool._AROUND_S))
    assert pool.expected_s([]) == 0.0


def test_the_quick_schedule_is_a_tenth_of_table_2() -> None:
    resolved = PAPER.scenario(Cell("limiter", traffic="dynamic"), TESTBED_QUICK).resolved
    assert (resolved["duration"], resolved["warmup"]) == (50.0, 0.0)
    times = [(flow["start"], flow.get("stop")) for flow in resolved["station"][0]["flows"]]
    assert times == [(2.0, 30.0), (40.0, None), (2.0, 10.0), (20.0, None)]
    static = PAPER.scenario(Cell("limiter"), TESTBED).resolved
    assert (static["duration"], static["warmup"]) == (60.0, 20.0)
