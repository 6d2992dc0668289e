"""Tests under load: flent's flows in a cell, what is read from their results, flent's files."""

from __future__ import annotations

import gzip
import importlib.util
import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from evenair.presets.mixes import PRESETS
from evenair.presets.prepared import prepare
from evenair.presets.samples import samples, summary
from evenair.scenario import Scenario, load

if TYPE_CHECKING:
    from pathlib import Path

    from evenair_command import Evenair

PNG = b"\x89PNG\r\n\x1a\n"
EDCA = {
    "cell": {"phy": "802.11ax"},
    "station": [{"name": "sta", "count": 5, "flows": [{"direction": "up"}]}],
}


def flent(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    if importlib.util.find_spec("flent") is None:
        if os.environ.get("CI"):
            pytest.fail("flent is not installed")
        pytest.skip("flent is not installed")
    command = [sys.executable, "-m", "flent", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)


def exported(path: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(gzip.decompress(path.read_bytes()))
    return document


@pytest.fixture
def cell(tmp_path: Path) -> Path:
    path = tmp_path / "cell.toml"
    path.write_text(Scenario(**EDCA).to_toml())
    return path


@pytest.mark.parametrize(
    "test",
    [
        "rrul",
        *(
            pytest.param(test, marks=pytest.mark.long)
            for test in ("rtt-fair", "voip-under-load", "page-under-load")
        ),
    ],
)
def test_flent_reads_and_draws_the_file(
    evenair_here: Evenair, cell: Path, tmp_path: Path, test: str
) -> None:
    done = evenair_here(
        "run", cell, "--test", test, "--set", "duration=14", "--out", tmp_path, "--export", "flent"
    )
    assert (done.returncode, done.stderr) == (0, "")
    file = tmp_path / f"{test}.flent.gz"
    for plot in ("all", "ping_cdf", "box_download" if test == "rtt-fair" else "box_totals"):
        figure = tmp_path / f"{plot}.png"
        said = flent("-i", file, "-p", plot, "-o", figure).stderr
        assert "WARNING" not in said, said
        assert "ERROR" not in said, said
        assert figure.read_bytes().startswith(PNG)
        assert figure.stat().st_size > 10_000
    # What flent reads is what it prints, and it computes no other series than those of the file.
    content = exported(file)
    lines = flent("-i", file, "-f", "csv").stdout.splitlines()
    rows = [line.split(",") for line in lines if line and not line.startswith("Starting")]
    names = rows[0][1:]
    assert set(content["results"]) <= set(names)
    for name, values in content["results"].items():
        column = [row[1 + names.index(name)] for row in rows[1:]]
        read = [float(cell) if cell else None for cell in column]
        assert read == pytest.approx(values), name


def test_the_file_has_the_series_of_the_result(
    evenair_here: Evenair, cell: Path, tmp_path: Path
) -> None:
    for folder in ("one", "two"):
        out = tmp_path / folder
        evenair_here(
            "run", cell, "--test", "rrul", "--set", "duration=13", "--out", out, "--export", "flent"
        )
    file = tmp_path / "one" / "rrul.flent.gz"
    assert file.read_bytes() == (tmp_path / "two" / "rrul.flent.gz").read_bytes()
    content = exported(file)
    result = json.loads((tmp_path / "one" / "result.json").read_text())
    series, times = result["series"]["flows"], result["series"]["time_s"]
    assert (content["version"], content["x_values"]) == (4, times)
    assert content["metadata"]["LENGTH"] == 3
    assert len(result["flows"]) == 12
    for flow in result["flows"]:
        values = content["results"][flow["name"]]
        if flow["application"] == "ping":
            measured = series[flow["id"]]["rtt_mean_s"]
            assert values == [None if rtt is None else rtt * 1e3 for rtt in measured]
        else:
            goodput = [bps * 1e-6 for bps in series[flow["id"]]["goodput_bps"]]
            during = [5.1 < time < 8.1 for time in times]
            assert sum(during) == 15
            expected = [x if is_load else None for x, is_load in zip(goodput, during, strict=True)]
            assert values == expected
            assert any(values)
        raw = content["raw_values"][flow["name"]]
        assert [point["val"] for point in raw] == [x for x in values if x is not None]
    # There is no load, and no other wait than that for other pings, in the first five seconds.
    idle = [x for x in content["results"]["Ping (ms) ICMP"][:25] if x is not None]
    assert max(idle) < 2 * min(idle)


def test_a_test_replaces_flows_and_keeps_the_rest_of_the_cell() -> None:
    home = load("home")
    resolved = prepare(home, "rtt-fair", PRESETS["rtt-fair"], 70.0).resolved
    # The fourth is the first of two of the same entry.
    kept = ["laptop", "console", "cellar", "backup-1"]
    assert [station["name"] for station in resolved["station"]] == kept
    assert [len(station["flows"]) for station in resolved["station"]] == [3] * 4
    before = home.resolved
    assert resolved["cell"] == before["cell"]
    assert resolved["wired"] == before["wired"]
    assert resolved["station"][2]["channel"] == before["station"][2]["channel"]
    flows = resolved["station"][3]["flows"]
    assert [flow["name"] for flow in flows] == [
        "TCP upload BE backup-1",
        "TCP download BE backup-1",
        "Ping (ms) ICMP backup-1",
    ]
    assert [(flow["start"], flow.get("stop")) for flow in flows] == [(5, 65), (5, 65), (0.1, None)]


def test_classes_are_access_categories_where_there_are_any() -> None:
    def categories(phy: str) -> dict[str, str | None]:
        scenario = Scenario(cell={"phy": phy}, station=[{"flows": [{"direction": "up"}]}])
        document = prepare(scenario, "rrul", PRESETS["rrul"], 70.0).resolved
        return {f["name"]: f.get("access_category") for f in document["station"][0]["flows"]}

    found = categories("802.11n")
    for way in ("TCP upload", "TCP download"):
        own = [found[f"{way} {label}"] for label in ("BE", "BK", "CS5", "EF")]
        assert own == ["be", "bk", "vi", "vo"]
    pings = [found[f"Ping (ms) {label}"] for label in ("UDP BE", "UDP BK", "UDP EF", "ICMP")]
    assert pings == ["be", "bk", "vo", "be"]
    assert set(categories("802.11g").values()) == {None}


def test_computed_series_and_summaries() -> None:
    """By hand, of a load of 1 s: two uploads, one download, two pings."""
    times = [0.5 * k for k in range(1, 23)]

    def rates(first: float, second: float) -> list[float]:
        return [first * 1e6 if t == 5.5 else second * 1e6 if t == 6.0 else 0.0 for t in times]

    def pings(before: float, under: float) -> list[float | None]:
        return [None if t == 1.0 else (under if 5 < t <= 6 else before) * 1e-3 for t in times]

    columns = {
        "up-1": ("TCP upload BE", {"goodput_bps": rates(1, 3)}),
        "up-2": ("TCP upload BK", {"goodput_bps": rates(2, 5)}),
        "down-1": ("TCP download BE", {"goodput_bps": rates(4, 6)}),
        "up-3": ("Ping (ms) ICMP", {"rtt_mean_s": pings(2, 20)}),
        "up-4": ("Ping (ms) UDP BE", {"rtt_mean_s": pings(4, 60)}),
    }
    document = {
        "duration_s": 11.0,
        "flows": [
            {"id": flow, "group": name, "direction": flow[: flow.index("-")]}
            for flow, (name, _) in columns.items()
        ],
        "series": {
            "time_s": times,
            "flows": {flow: series for flow, (_, series) in columns.items()},
        },
    }
    run = samples(document, PRESETS["rrul"])
    found = {series.name: series for series in run.series}

    def under_load(name: str) -> list[float]:
        return run.under_load(found[name])

    assert under_load("TCP upload avg") == [1.5, 4.0]
    assert under_load("TCP upload sum") == [3.0, 8.0]
    assert under_load("TCP totals") == [7.0, 14.0]
    assert under_load("Ping (ms) avg") == [40.0, 40.0]
    assert found["TCP upload sum"].values[9] is None
    assert found["Ping (ms) avg"].values[1] is None
    total = summary(run, found["TCP totals"])
    assert (total.mean, total.median, total.p99, total.idle) == (10.5, 10.5, 14.0, None)
    assert total.count == 2
    ping = summary(run, found["Ping (ms) UDP BE"])
    assert (ping.mean, ping.idle) == pytest.approx((60.0, 4.0))
    fair = samples(document, PRESETS["rtt-fair"])
    # (1 + 2)^2 / (2 * 5) and (3 + 5)^2 / (2 * 34).
    index = next(series for series in fair.series if series.name == "TCP upload fairness")
    assert fair.under_load(index) == pytest.approx([0.9, 64 / 68])


def test_plots_and_table(evenair_here: Evenair, cell: Path, tmp_path: Path) -> None:
    for kind in ("all", "cdf", "box"):
        figure = tmp_path / f"{kind}.png"
        done = evenair_here(
            *("run", cell, "--test", "rrul", "--set", "duration=12"),
            *("--plot", figure, "--plot-kind", kind),
        )
        assert figure.read_bytes().startswith(PNG)
    for name in ("TCP download BE", "TCP upload sum", "Ping (ms) UDP EF", "Ping (ms) avg"):
        assert name in done.stdout
    assert "1 run, seed 1: 12 s simulated" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("--test rruul", "--test: invalid choice: 'rruul'"),
        ("--test rrul --vary cell.queue=las,codel", "unrecognized arguments: --vary"),
        ("--test rrul --against gong2006", "--test: not together with --against"),
        ("--export flent --out x", "--export: there is nothing to export without --test NAME"),
        ("--test rrul --export csv --out x", "--export: invalid choice: 'csv'"),
        ("--test rrul --export flent", "--export: there is no folder"),
        ("--test rrul --export flent --out x --runs 2", "--export: a file of flent is of one run"),
        ("--test rtt-fair --set station.0.count=1", "--test rtt-fair: got a cell with 1 station,"),
        ("--test rrul --set duration=10", "--test rrul: got the duration 10 s, expected at least"),
        ("--test rrul --set trace.interval=1", "--set trace.interval: the test rrul sets it"),
        ("--test rrul --set station.0.flows=[]", "--set station.0.flows: the test rrul sets it"),
        ("--test rrul --plot x.png --plot-kind flows", "--plot-kind: a test has all, cdf, box"),
        ("--plot x.png --plot-kind box", "--plot-kind: box is a plot of --test NAME"),
    ],
)
def test_what_does_not_fit_is_one_line(
    evenair_here: Evenair, cell: Path, tmp_path: Path, arguments: str, said: str
) -> None:
    done = evenair_here("run", cell, *arguments.split())
    assert done.returncode == 2
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert said in line
    assert not (tmp_path / "x").exists()


def test_a_sweep_has_no_tests(evenair_here: Evenair, cell: Path) -> None:
    sweep = ("sweep", cell, "--vary", "cell.queue=las,codel", "--runs", "1", "--out", "x.parquet")
    done = evenair_here(*sweep, "--test", "rrul")
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert "unrecognized arguments: --test rrul" in line
