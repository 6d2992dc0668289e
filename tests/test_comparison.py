"""Two scenarios with the same seeds: `evenair run A --against B`, `evenair.compare`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import evenair as ea
import pytest
from evenair.cli import main
from evenair.cli.commands import against
from evenair.comparison import Comparison, paired_difference
from evenair.engine import Interrupted, run_jobs

if TYPE_CHECKING:
    from pathlib import Path

    from evenair_command import Evenair

SHORT = ("--set", "duration=2")
T_2 = 4.302652729911275
"""The 0.975 quantile of Student's t with two degrees of freedom (a table of the distribution)."""


def test_the_interval_is_that_of_the_differences_of_pairs() -> None:
    # By hand: the differences 1, 2, 3 have mean 2 and standard deviation 1, however far the
    # values of the pairs are from each other; the reference's mean is 20.
    found = paired_difference([10.0, 20.0, 30.0], [11.0, 22.0, 33.0])
    assert found is not None
    assert found.value == pytest.approx(2)
    assert found.ci95 == pytest.approx(T_2 / 3**0.5)
    assert found.relative == pytest.approx(0.1)
    assert not found.clear  # 2 < 2.48
    exact = paired_difference([1.0, 2.0], [2.0, 3.0])
    assert exact is not None
    assert (exact.ci95, exact.clear) == (0.0, True)


def test_pairs_without_a_value_are_left_out() -> None:
    found = paired_difference([1.0, None, 3.0, 5.0], [2.0, 4.0, None, 9.0])
    assert found is not None
    assert found.value == pytest.approx(2.5)  # of 1 and 4
    assert found.relative == pytest.approx(2.5 / 3)
    assert paired_difference([None], [1.0]) is None
    assert paired_difference([], [1.0]) is None
    one = paired_difference([0.0], [1.0])
    assert one is not None
    assert (one.value, one.ci95, one.relative) == (1.0, None, None)


@pytest.mark.parametrize(
    ("other_side", "other"),
    [
        (["cell.queue.kind=las"], ["gong2006", "--set", "cell.queue.kind=las"]),
        (["gong2006-one-up"], ["gong2006-one-up"]),
        (
            ["station.0.count=2", "gong2006-one-up", "cell.queue=las"],
            [*("gong2006-one-up", "--set", "station.0.count=2"), *("--set", "cell.queue=las")],
        ),
    ],
)
def test_the_numbers_are_those_of_both_runs(
    evenair_here: Evenair, other_side: list[str], other: list[str]
) -> None:
    options = (*SHORT, "--runs", "3", "--seed", "4", "--json")
    both = [word for text in other_side for word in ("--against", text)]
    done = evenair_here("run", "gong2006", *both, *options)
    assert (done.returncode, done.stderr) == (0, "")
    document = json.loads(done.stdout)
    first, second = (
        json.loads(evenair_here("run", *words, *options).stdout) for words in (["gong2006"], other)
    )
    assert document["reference"] == "gong2006"
    assert document["seeds"] == [4, 5, 6]
    a, b = document["metrics"].values()
    assert set(first["summary"]) <= set(a)
    for name, estimate in first["summary"].items():
        assert a[name]["mean"] == pytest.approx(estimate["mean"])
        assert a[name]["ci95"] == pytest.approx(estimate["ci95"])
        assert b[name]["mean"] == pytest.approx(second["summary"][name]["mean"])
    goodputs = [[run["aggregate_goodput_bps"] for run in each["runs"]] for each in (first, second)]
    changes = [y - x for x, y in zip(*goodputs, strict=True)]
    mean = sum(changes) / 3
    deviation = (sum((change - mean) ** 2 for change in changes) / 2) ** 0.5
    found = b["aggregate_goodput_bps"]["difference"]
    assert found["value"] == pytest.approx(mean)
    assert found["ci95"] == pytest.approx(T_2 * deviation / 3**0.5)


def test_a_scenario_does_not_differ_from_itself(evenair_here: Evenair) -> None:
    done = evenair_here("run", "gong2006", *SHORT, "--against", "gong2006", "--runs", "2", "--json")
    assert done.returncode == 0
    document = json.loads(done.stdout)
    assert len(document["metrics"]) == 2
    (_, other) = document["metrics"].values()
    assert {each["difference"]["value"] for each in other.values()} == {0.0}


def test_the_table(evenair_here: Evenair) -> None:
    command = ("run", "gong2006", *SHORT, "--against", "cell.queue.kind=las")
    lines = evenair_here(*command, "--runs", "2").stdout.splitlines()
    assert lines[1].split()[-1] == "difference"
    (jain,) = (line for line in lines if line.startswith("Jain's index  "))
    assert jain.count("±") == 3
    assert "The same seeds 1 to 2 for both." in lines[-1]
    single = evenair_here(*command).stdout
    assert "±" not in single
    assert "--runs N gives them" in single


def test_files(evenair_here: Evenair, tmp_path: Path) -> None:
    command = ("run", "gong2006", *SHORT, "--against", "cell.queue.kind=las", "--quiet")
    done = evenair_here(*command, "--out", "x", "--plot", "x.svg")
    assert (done.returncode, done.stdout) == (0, "")
    assert (tmp_path / "x.svg").stat().st_size > 5000
    document = json.loads((tmp_path / "x/comparison.json").read_text())
    for folder, metrics in zip("ab", document["metrics"].values(), strict=True):
        result = json.loads((tmp_path / "x" / folder / "result.json").read_text())
        assert metrics["jain_index"]["mean"] == result["jain_index"]
    assert result["scenario"]["cell"]["queue"]["kind"] == "las"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--against", "gong2007"), "gong2007: no such file or built-in scenario"),
        (("--against", "cell.queue.kind=lass"), "lass"),
        (("--against", "cell.quue=las"), "quue"),
        (("--against", ""), "cannot be read"),
        (("--against", "gong2006-one-up", "--against", "gong2006"), "expected one scenario"),
        (("--against", "cell.queue=las", "--pcap", "x.pcapng"), "--pcap: not together with"),
        (("--against", "cell.queue=las", "--plot", "x.png", "--plot-kind", "cdf"), "--plot-kind"),
    ],
)
def test_bad_input(evenair_here: Evenair, arguments: tuple[str, ...], message: str) -> None:
    done = evenair_here("run", "gong2006", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


def test_ctrl_c_keeps_whole_pairs(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def interrupted(jobs: list[Any], **_: object) -> None:
        raise Interrupted(run_jobs(jobs[:5]))

    monkeypatch.setattr(against, "run_jobs", interrupted)
    command = ["run", "gong2006", *SHORT, "--against", "cell.queue.kind=las", "--json"]
    assert main([*command, "--runs", "4", "--seed", "3"]) == 130
    stdout, stderr = capfd.readouterr()
    assert json.loads(stdout)["seeds"] == [3, 4]
    assert stderr == (
        "evenair: interrupted; kept the runs with seeds 3 to 4; continue with --seed 5 --runs 2\n"
    )


def test_differences_of_any_size_are_inside_the_picture() -> None:
    resolved = ea.load("gong2006").resolved
    for far in (40.0, 0.1):
        samples = {"a": {"jain_index": [0.02, 0.02]}, "b": {"jain_index": [0.02 + 0.02 * far] * 2}}
        figure = Comparison(resolved, samples, paired=True).plot()
        axes = figure.axes[2]
        low, high = axes.transAxes.inverted().transform(
            axes.transData.transform([(0, 0), (100 * far, 0)])
        )[:, 0]
        assert (low, high) == (pytest.approx(1 / 22, abs=0.01), pytest.approx(21 / 22, abs=0.01))
        figure.canvas.draw()
        assert "$" not in "".join(text.get_text() for text in axes.get_xticklabels())


def test_in_python() -> None:
    a = ea.load("gong2006").with_(duration=2)
    found = ea.compare(a, a.with_(cell__queue="las"), runs=2)
    assert isinstance(found, Comparison)
    assert found.columns == ["cell.queue.kind=droptail", "cell.queue.kind=las"]
    rows = {row["metric"]: row for row in found.table.to_pylist()}
    assert rows["jain_index"]["difference"] == pytest.approx(
        rows["jain_index"]["mean"] - rows["jain_index"]["reference_mean"]
    )
    html = found._repr_html_()
    assert "<th>cell.queue.kind=las - cell.queue.kind=droptail</th>" in html
    assert "<td>Jain&#x27;s index</td>" in html
    figure = found.plot()
    goodput, jain, differences = figure.axes
    assert (goodput.get_ylabel(), len(goodput.patches), len(jain.patches)) == (
        "goodput (Mb/s)",
        6,
        2,
    )
    assert differences.get_xlabel() == "difference, % of cell.queue.kind=droptail"
    assert [text.get_text() for text in differences.get_yticklabels()][:2] == [
        "aggregate goodput",
        "mean upload",
    ]
    for names, keys in ((None, ("one (a)", "one (b)")), (("x", "y"), ("x", "y"))):
        other = a.with_(name="one", cell__queue="las", wired__delay="1 ms", wired__rate="9 Mbps")
        again = ea.compare(a.with_(name="one"), other, runs=1, names=names)
        assert tuple(again.columns) == keys
        assert again.difference(keys[1], "jain_index").ci95 is None
    for wrong, message in (
        ({"runs": 0}, "runs: got 0, expected a whole number, at least 1"),
        ({"runs": "5"}, "runs: got '5', expected a whole number"),
        ({"seed": [1, 2]}, r"seed: got \[1, 2\] \(list\), expected a whole number"),
        ({"names": "ab"}, "names: got 'ab', expected two texts"),
        ({"progress": True}, "progress: got True, expected a function"),
    ):
        with pytest.raises(ValueError, match=message):
            ea.compare(a, a, **wrong)
    with pytest.raises(ValueError, match="names: got 'x' twice"):
        ea.compare(a, a, runs=1, names=("x", "x"))
