"""Typical mistakes: one line names the place, what is there, and what is accepted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from evenair.cli import main

if TYPE_CHECKING:
    from pathlib import Path

UP = '[[station]]\nflows = [{ direction = "up" }]\n'


def cell(line: str) -> str:
    return f"[cell]\n{line}\n{UP}"


def flow(keys: str) -> str:
    return f"[[station]]\nflows = [{{ {keys} }}]\n"


FILES: list[tuple[str, list[str]]] = [
    # A key is misspelt.
    (f'duratoin = "60 s"\n{UP}', ["duratoin", "duration"]),
    (cell("data_rates = 11"), ["cell.data_rates", "data_rate"]),
    (cell('queue = { kind = "las", limits = 60 }'), ["cell.queue.limits", "limit"]),
    (f'[wire]\nrate = "1 Mbps"\n{UP}', ["wire", "wired"]),
    ('[[stations]]\nflows = [{ direction = "up" }]\n', ["stations", "station"]),
    (flow('direction = "up", windows = 20'), ["station.0.flows.0.windows", "window"]),
    # A name is misspelt, or one of another program.
    (cell('phy = "802.11z"'), ["cell.phy", "802.11z", "802.11b"]),
    (cell('kind = "wifi"'), ["cell.kind", "wifi", "wlan"]),
    (cell('queue = "dropnail"'), ["cell.queue", "dropnail", "droptail"]),
    (flow('direction = "download"'), ["station.0.flows.0.direction", "download", "down"]),
    (flow('direction = "up", transport = "cubicc"'), ["transport", "cubicc", "cubic"]),
    (flow('direction = "up", application = "http"'), ["application", "http", "web"]),
    # A value without its unit's quantity, or out of range.
    (f'duration = "300 Mbps"\n{UP}', ["duration", "300 Mbps", "s"]),
    (f'duration = "5 minutes"\n{UP}', ["duration", "5 minutes", "min"]),
    (f"duration = -1\n{UP}", ["duration", "-1", "accepted: a time"]),
    (cell('data_rate = "11 mbit"'), ["cell.data_rate", "11 mbit", "Mbps"]),
    (cell('data_rate = "12 Mbps"'), ["cell.data_rate", "12", "11"]),
    (cell('queue = { kind = "droptail", limit = 0 }'), ["cell.queue.limit", "0", "1"]),
    (cell('queue = { kind = "red", max_p = 1.5 }'), ["cell.queue", "red", "droptail"]),
    (cell("short_retry_limit = 0"), ["cell.short_retry_limit", "0", "1"]),
    (cell('immediate_access = "yes"'), ["cell.immediate_access", "yes", "true"]),
    (flow('direction = "up", window = 0'), ["station.0.flows.0.window", "0", "1"]),
    (flow('direction = "up", segment = 100000'), ["station.0.flows.0.segment", "100000"]),
    # Something is missing, or does not fit.
    ('duration = "60 s"\n', ["station", "missing"]),
    (flow('transport = "newreno"'), ["station.0.flows.0.direction", "missing"]),
    (
        flow('direction = "up", transport = "udp", application = "cbr"'),
        ["station.0.flows.0.rate", "missing"],
    ),
    (
        flow('direction = "up", start = "5 s", stop = "4 s"'),
        ["station.0.flows.0.stop", "4", "start"],
    ),
    ("duration: 60 s\n", ["line 1", "="]),
]

COMMANDS: list[tuple[list[str], list[str]]] = [
    (["rum", "gong2006"], ["rum", "run"]),
    (["run"], ["SCENARIO"]),
    (["run", "gong206"], ["gong206", "gong2006"]),
    (["run", "missing.toml"], ["missing.toml", "no such file"]),
    (["run", "gong2006", "--set", "duration"], ["--set", "duration", "KEY=VALUE"]),
    (["run", "gong2006", "--set", "cell.queue.kind=lass"], ["cell.queue", "lass", "las"]),
    (["run", "gong2006", "--set", "station.7.count=3"], ["station", "7"]),
    (["run", "gong2006", "--seed", "1.5"], ["--seed", "1.5"]),
    (["run", "gong2006", "--runs", "0"], ["--runs", "0", "1"]),
    (["run", "gong2006", "--plot", "x.gif"], ["--plot", "x.gif", ".png"]),
    (["run", "gong2006", "--pcap", "x.pcap"], ["--pcap", "x.pcap", ".pcapng"]),
    (["run", "gong2006", "--runs", "2", "--pcap", "x.pcapng"], ["--pcap", "--runs"]),
    (["sweep", "gong2006", "--out", "x.parquet", "--vary", "duration"], ["--vary", "duration"]),
    (["sweep", "gong2006", "--out", "x.csv", "--runs", "2"], ["--out", "x.csv", ".parquet"]),
    (["sweep", "gong2006", "--runs", "2"], ["--out"]),
    (
        ["sweep", "gong2006", "--out", "x.parquet", "--vary", "cell.queue.limit=10:60:-10"],
        ["--vary", "10:60:-10"],
    ),
    (["model", "bianci"], ["bianci", "bianchi"]),
    (["model", "bianchi", "node=5"], ["node", "nodes"]),
    (["model", "bianchi", "nodes=many"], ["nodes", "many"]),
    (["paper", "gong206"], ["gong206", "gong2006"]),
    (["paper", "gong2006", "--figure", "99"], ["--figure", "99", "4b"]),
    (["parts", "queues"], ["queues", "queue"]),
    (["scenarios", "gong2005"], ["gong2005", "gong2006"]),
    (["plot", "missing.parquet", "--x", "a", "--y", "b"], ["missing.parquet", "no such file"]),
]


def check(arguments: list[str], named: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    status = main(arguments)
    printed = capsys.readouterr()
    assert (status, printed.out) == (2, "")
    [line] = printed.err.splitlines()
    assert line.startswith("evenair: ")
    assert "Traceback" not in line
    assert [name for name in named if name not in line] == [], line


@pytest.mark.parametrize(("text", "named"), FILES)
def test_a_mistake_in_a_file(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    text: str,
    named: list[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cell.toml").write_text(text)
    check(["run", "cell.toml"], ["cell.toml", *named], capsys)


@pytest.mark.parametrize(("arguments", "named"), COMMANDS)
def test_a_mistake_on_the_command_line(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    named: list[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    check(arguments, named, capsys)
    assert list(tmp_path.iterdir()) == []
