"""Broken scenarios through the command line: one line that names file and field, and no output."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from evenair_command import Evenair

STATION = '[[station]]\nflows = [{ direction = "up" }]\n'


def cell(line: str) -> str:
    return f"[cell]\n{line}\n{STATION}"


def flow(keys: str) -> str:
    return f"[[station]]\nflows = [{{ {keys} }}]\n"


# What is wrong: the file, and what the message has to name.
BROKEN: dict[str, tuple[str | bytes, str]] = {
    "unknown key at the top": (f'duratoin = "60 s"\n{STATION}', "duratoin"),
    "unknown key in the cell": (cell("data_rates = 11"), "data_rates"),
    "unknown key in the queue": (cell('queue = { kind = "las", limits = 60 }'), "limits"),
    "unknown key in a flow": (flow('direction = "up", windows = 20'), "windows"),
    "unit of another quantity": (f'duration = "300 Mbps"\n{STATION}', "duration"),
    "unknown unit": (cell('data_rate = "11 Mbpps"'), "cell.data_rate"),
    "number without a meaning": (f'duration = "long"\n{STATION}', "duration"),
    "zero duration": (f"duration = 0\n{STATION}", "duration"),
    "negative duration": (f"duration = -1.5\n{STATION}", "duration"),
    "infinite duration": (f"duration = inf\n{STATION}", "duration"),
    "nan": (f"duration = nan\n{STATION}", "duration"),
    "endless duration": (f'duration = "1e30 s"\n{STATION}', "duration"),
    "negative rate": (cell('data_rate = "-11 Mbps"'), "cell.data_rate"),
    "rate that the PHY has not": (cell('data_rate = "10 Mbps"'), "cell.data_rate"),
    "unknown PHY": (cell('phy = "802.11z"'), "cell.phy"),
    "unknown queue": (cell('queue = { kind = "dropnail" }'), "cell.queue"),
    "queue without room": (cell('queue = { kind = "droptail", limit = 0 }'), "cell.queue.limit"),
    "half a packet": (cell('queue = { kind = "droptail", limit = 0.5 }'), "cell.queue.limit"),
    "preamble of another PHY": (
        cell('phy = "802.11a"\ndata_rate = "54 Mbps"\npreamble = "short"'),
        "cell.preamble",
    ),
    "retry limit zero": (cell("short_retry_limit = 0"), "cell.short_retry_limit"),
    "text for a truth": (cell('immediate_access = "no"'), "cell.immediate_access"),
    "table for a number": (cell("mac_overhead = { bytes = 36 }"), "cell.mac_overhead"),
    "no stations": ('duration = "60 s"\n', "station"),
    "zero stations": (
        '[[station]]\ncount = 0\nflows = [{ direction = "up" }]\n',
        "station.0.count",
    ),
    "huge count": (
        '[[station]]\ncount = 4000000000\nflows = [{ direction = "up" }]\n',
        "station.0.count",
    ),
    "count beyond integers": (
        '[[station]]\ncount = 99999999999999999999\nflows = [{ direction = "up" }]\n',
        "line 2",
    ),
    "no flows": ("[[station]]\ncount = 5\n", "station.0.flows"),
    "empty list of flows": ("[[station]]\nflows = []\n", "station.0.flows"),
    "no direction": (flow('transport = "newreno"'), "station.0.flows.0.direction"),
    "unknown direction": (flow('direction = "sideways"'), "station.0.flows.0.direction"),
    "unknown transport": (flow('direction = "up", transport = "renoo"'), "transport"),
    "window zero": (flow('direction = "up", window = 0'), "station.0.flows.0.window"),
    "segment too long": (flow('direction = "up", segment = 100000'), "station.0.flows.0.segment"),
    "stop before start": (
        flow('direction = "up", start = "5 s", stop = "4 s"'),
        "station.0.flows.0.stop",
    ),
    "start after the end": (
        'duration = "5 s"\n' + flow('direction = "up", start = "6 s"'),
        "station.0.flows.0.start",
    ),
    "too many flows in all": (
        '[[station]]\ncount = 60000\nflows = [{ direction = "up", start = 0 }]\n' * 2,
        "station: got 120000 flows",
    ),
    "endless trace": (
        f'duration = "300 s"\ntrace = {{ interval = "0.1 ms" }}\n{STATION}',
        "trace.interval",
    ),
    "cbr without a rate": (
        flow('direction = "up", transport = "udp", application = "cbr"'),
        "station.0.flows.0.rate: missing",
    ),
    "alpha above beta": (
        flow('direction = "up", transport = { kind = "vegas", alpha = 4, beta = 2 }'),
        "station.0.flows.0.transport.beta",
    ),
    "alpha above the beta that it gets": (
        flow('direction = "up", transport = { kind = "vegas", alpha = 5 }'),
        "station.0.flows.0.transport.beta",
    ),
    "retransmission timeout beyond its range": (
        flow('direction = "up", min_rto = "120 s"'),
        "station.0.flows.0.min_rto",
    ),
    "rack without sack": (
        flow('direction = "up", sack = false, rack = true'),
        "station.0.flows.0.rack",
    ),
    "rack without ns-2's sack": (
        flow('direction = "up", tcp = "ns2", rack = true'),
        "station.0.flows.0.rack",
    ),
    "unknown preset": (flow('direction = "up", tcp = "lunix"'), "station.0.flows.0.tcp"),
    "quick acks below zero": (
        flow('direction = "up", quick_acks = -1'),
        "station.0.flows.0.quick_acks",
    ),
    "no switch": (
        flow('direction = "up", cwnd_validation = "on"'),
        "station.0.flows.0.cwnd_validation",
    ),
    "unknown formula": (flow('direction = "up", rto = "rfc"'), "station.0.flows.0.rto"),
    "unknown timer": (flow('direction = "up", syn_timer = "off"'), "station.0.flows.0.syn_timer"),
    "prr without sack": (
        flow('direction = "up", sack = false, prr = true'),
        "station.0.flows.0.prr",
    ),
    "timestamps without room": (
        flow('direction = "up", timestamps = true, header = 40'),
        "station.0.flows.0.header",
    ),
    "timestamps over udp": (
        flow(
            'direction = "up", transport = "udp", rate = "1 Mbps", application = "cbr",'
            " timestamps = true"
        ),
        "station.0.flows.0.timestamps",
    ),
    "ecn over udp": (
        flow(
            'direction = "up", transport = "udp", rate = "1 Mbps", application = "cbr", ecn = true'
        ),
        "station.0.flows.0.ecn",
    ),
    "not TOML": ("duration: 60 s\nstation:\n  - count: 5\n", "line 1"),
    "unfinished TOML": ("[cell\n", "line 1"),
    "key twice": (f"duration = 1\nduration = 2\n{STATION}", "line 2"),
    "binary file": (bytes(range(256)), "line 1"),
    "not UTF-8": (b'name = "caf\xe9"\n' + STATION.encode(), "line 1"),
    "empty file": ("", "station"),
}


@pytest.mark.parametrize("what", BROKEN)
def test_broken_scenario_is_told_in_one_line(
    evenair_here: Evenair, tmp_path: Path, what: str
) -> None:
    content, field = BROKEN[what]
    file = tmp_path / "broken.toml"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())

    done = evenair_here(
        "run", "broken.toml", "--out", "out", "--plot", "p.png", "--pcap", "c.pcapng"
    )

    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("evenair: broken.toml: ")
    assert field in done.stderr
    assert "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["run", "gong206"], ["gong206", "did you mean gong2006?"]),
        (["run", "nowhere.toml"], ["nowhere.toml"]),
        (["run", "."], [".: cannot be read"]),
        (["run", "gong2006", "--set", "cell.queue.kind=lass"], ["cell.queue", "las"]),
        (["run", "gong2006", "--set", "station.7.count=3"], ["station", "7"]),
        (["run", "gong2006", "--set", "duration"], ["--set", "KEY=VALUE"]),
        (["run", "gong2006", "--set", "name=\udcff"], ["--set", "KEY=VALUE"]),
        (["run", "gong2006", "--set", f"station={'[' * 1000}"], ["station"]),
        (["run", "\udcff.toml"], [".toml: no such file"]),
        (["run", "/dev/zero"], ["/dev/zero", "larger than"]),
        (["run", ""], ["''"]),
        (["run", "gong2006", "--seed", "-1"], ["--seed", "-1"]),
        (["run", "gong2006", "--seed", "18446744073709551616"], ["--seed"]),
        (["run", "gong2006", "--seed", "1.5"], ["--seed", "1.5"]),
        (["run", "gong2006", "--runs", "0"], ["--runs", "0"]),
        (["run", "gong2006", "--runs", "10001"], ["--runs", "1 to 10000", "evenair sweep"]),
        (["run", "gong2006", "--seed", "18446744073709551615", "--runs", "2"], ["--runs"]),
        (["run", "gong2006", "--runs", "2", "--pcap", "x.pcapng"], ["--pcap", "--runs"]),
        (["run", "gong2006", "--plot", "x.gif"], ["--plot", ".png"]),
        (["run", "gong2006", "--pcap", "x.pcap"], ["--pcap", ".pcapng"]),
        (["run", "gong2006", "--plot", "file/x.png"], ["--plot", "file/x.png"]),
        (["run", "gong2006", "--out", "file"], ["--out", "file"]),
        (["run", "gong2006", "--pcap", "folder.pcapng"], ["--pcap", "folder.pcapng"]),
        (["run", "gong2006", "--out", ""], ["--out", "''"]),
        (["sweep", "gong2006", "--runs", "1", "--out", ""], ["--out", "''"]),
        (["sweep", "gong2006", "--runs", "1", "--flows", "--out", "."], ["--out", "."]),
        (["paper", "gong2006", "--figure", "table1", "--out", ""], ["--out", "''"]),
        (["plot", ".", "--x", "a", "--y", "b"], [".: is a directory"]),
        (["plot", "", "--x", "a", "--y", "b"], ["''"]),
        (["model", "session-delay", "shape=2,3"], ["shape", "size_distribution=pareto"]),
        (["run"], ["SCENARIO"]),
        (["rum", "gong2006"], ["rum"]),
        (["run", "gong2006", "--sed", "1"], ["--sed"]),
        (["run", "gong2006", "--run", "5"], ["--run 5; did you mean --runs? (see evenair run"]),
        (["scenarios", "gong2005"], ["gong2005", "did you mean"]),
        (["parts", "queues"], ["queues", "queue discipline"]),
        (["parts", ""], ["'': no such part; kinds are queue discipline"]),
        (["parts", "quic"], ["quic: no such part, which is not modelled: see", "not-modelled.md"]),
        (["parts", "CAKE"], ["CAKE: no such part, which is not modelled: see", "not-modelled.md"]),
        (["parts", "802.11be"], ["802.11be: no such part, which is not modelled"]),
        (["parts", "is not modelled"], ["no such part; kinds are queue discipline"]),
        (["parts", "codell"], ["codell: no such part; did you mean codel?"]),
        (["model", "contentoin", "--help"], ["contentoin: no such model"]),
        (["paper", "gong206"], ["gong206", "did you mean gong2006?"]),
        (["paper", "gong2006", "--figure", "99"], ["99"]),
        ([], ["COMMAND"]),
    ],
)
def test_bad_argument_is_told_in_one_line(
    evenair_here: Evenair, tmp_path: Path, arguments: list[str], named: list[str]
) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "folder.pcapng").mkdir()
    before = sorted(tmp_path.rglob("*"))

    done = evenair_here(*arguments)

    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("evenair: ")
    assert done.stderr.count("\n") == 1
    for name in named:
        assert name in done.stderr
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize("rto", ["60 s", "1 us"])
def test_retransmission_timeouts_within_their_range(
    evenair: Evenair, tmp_path: Path, rto: str
) -> None:
    keys = f'direction = "up", min_rto = "{rto}"'
    (tmp_path / "good.toml").write_text(f"duration = 1\n{flow(keys)}")
    assert evenair("run", "good.toml", "--quiet").returncode == 0
