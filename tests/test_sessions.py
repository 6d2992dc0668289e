"""Finite transfers, from a scenario to tables."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import evenair as ea
import pyarrow.parquet as pq
import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from evenair_command import Evenair

SCENARIO = """
duration = "60 s"
[[station]]
count = 2
[[station.flows]]
direction = "down"
application = { kind = "web", think = "1 s", sessions = 3, size = SIZE }
"""
TRACE = '{ distribution = "trace", file = "sizes.csv" }'
COLUMNS = [
    "flow",
    "start_s",
    "end_s",
    "bytes",
    "first_byte_s",
    "last_byte_s",
    "retransmissions",
    "timeouts",
]


@pytest.fixture
def scenario(tmp_path: Path) -> Path:
    folder = tmp_path / "there"
    folder.mkdir()
    (folder / "sizes.csv").write_text("bytes\n1000\n20 KB\n")
    (folder / "web.toml").write_text(SCENARIO.replace("SIZE", TRACE))
    return folder / "web.toml"


def test_sessions_are_a_table(scenario: Path) -> None:
    result = ea.run(ea.load(scenario), seed=1)
    sessions = result.sessions
    assert sessions.column_names == COLUMNS
    for flow in ("down-1", "down-2"):
        rows = [row for row in sessions.to_pylist() if row["flow"] == flow]
        assert [row["bytes"] for row in rows] == [1000, 20_000, 1000]
        assert all(row["start_s"] < row["last_byte_s"] < row["end_s"] for row in rows)
    assert result.duration_s == max(sessions["end_s"].to_pylist())
    times = [row["end_s"] - row["start_s"] for row in sessions.to_pylist()]
    assert result.metrics["mean_session_s"] == pytest.approx(sum(times) / len(times))


def test_pages_and_arrivals_have_times(tmp_path: Path) -> None:
    path = tmp_path / "today.toml"
    path.write_text(
        """
        duration = "60 s"
        [[station]]
        flows = [
            { direction = "down", application = { kind = "page", think = "1 s", pages = 3 } },
            { direction = "up", application = { kind = "arrivals", gap = "1 s", arrivals = 5 } },
        ]
        """
    )
    result = ea.run(ea.load(path), seed=1)
    page, arrivals = result.flows.to_pylist()
    assert (page["page_load_n"], arrivals["completion_n"]) == (3, 5)
    for row, name in ((page, "page_load"), (arrivals, "completion")):
        times = [
            one["last_byte_s"] - one["start_s"]
            for one in result.sessions.to_pylist()
            if one["flow"] == row["id"]
        ]
        assert row[f"{name}_mean_s"] == pytest.approx(sum(times) / len(times))
        assert result.metrics[f"mean_{name}_s"] == pytest.approx(sum(times) / len(times))
        assert row[f"{name}_geometric_mean_s"] <= row[f"{name}_mean_s"]
    assert page["completion_n"] is None
    assert arrivals["completion_slowdown"] > 0.5


def test_a_resolved_scenario_does_not_need_the_file(scenario: Path) -> None:
    loaded = ea.load(scenario)
    size = loaded.resolved["station"][0]["flows"][0]["application"]["size"]
    assert size == {"distribution": "trace", "values": [1000, 20_000]}
    again = scenario.parent / "again.toml"
    again.write_text(loaded.to_toml(resolved=True))
    (scenario.parent / "sizes.csv").unlink()
    assert ea.load(again) == loaded


def test_run_writes_the_sessions(evenair_here: Evenair, scenario: Path, tmp_path: Path) -> None:
    done = evenair_here("run", scenario, "--out", "one", "--json")
    assert done.stderr == ""
    document = json.loads(done.stdout)
    assert pq.read_table(tmp_path / "one/sessions.parquet").to_pylist() == document["sessions"]

    assert evenair_here("run", scenario, "--out", "three", "--runs", "3", "--quiet").returncode == 0
    stacked = pq.read_table(tmp_path / "three/sessions.parquet")
    assert stacked.column_names == ["seed", *COLUMNS]
    assert stacked["seed"].to_pylist() == [1] * 6 + [2] * 6 + [3] * 6

    evenair_here("run", "gong2006", "--set", "duration=1", "--out", "none")
    assert not (tmp_path / "none/sessions.parquet").exists()


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("", "it is empty; accepted: a text file of values"),
        ("bytes\n", "got 0 values"),
        ("100\nmany\n", 'sizes.csv", line 2: got "many"'),
        (None, "No such file"),
    ],
)
def test_a_bad_trace_is_told(
    evenair_here: Evenair, scenario: Path, text: str | None, part: str
) -> None:
    sizes = scenario.parent / "sizes.csv"
    if text is None:
        sizes.unlink()
    else:
        sizes.write_text(text)
    done = evenair_here("run", scenario)
    assert done.returncode == 2
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert "station.0.flows.0.application.size.file: " in line
    assert part in line
    assert "accepted: " in line


def test_applications_are_parts(evenair_here: Evenair) -> None:
    listed = evenair_here("parts", "application").stdout
    streams = ("bulk", "file", "web", "page", "arrivals", "stream")
    datagrams = ("cbr", "poisson", "on-off", "voip", "video-call", "trace", "ping")
    for name in (*streams, *datagrams, "think", "opened_by", "keeping", "beyond"):
        assert name in listed
    assert "lognormal" in evenair_here("parts", "distribution").stdout
