"""WiMAX cells through the command line and the Python interface."""

from __future__ import annotations

import json
import shutil
import subprocess
from typing import TYPE_CHECKING

import evenair as ea
import pyarrow.parquet as pq
import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from evenair_command import Evenair

SCENARIO = """
name = "802.16"
duration = "5 s"
[cell]
kind = "wimax"
[[station]]
count = 2
name = "home"
flows = [
    { direction = "down", tcp = "ns2", window = 100 },
    { direction = "up", transport = "udp", rate = "200 kbps" },
]
"""
REQUESTS = ("sent", "collided", "retried", "given_up")


@pytest.fixture
def scenario(tmp_path: Path) -> str:
    (tmp_path / "cell.toml").write_text(SCENARIO, encoding="utf-8")
    return "cell.toml"


def test_run_prints_the_frame_and_a_row_per_station(evenair_here: Evenair, scenario: str) -> None:
    done = evenair_here("run", scenario)
    assert (done.returncode, done.stderr) == (0, "")
    lines = [line.strip() for line in done.stdout.splitlines()]
    assert "frame: 146 symbols" in lines
    # Two bursts and two grants: 73 - 3 - 6 - 2 symbols, 73 - 11 - 1 - 6 - 2 symbols.
    down = next(line for line in lines if line.startswith("downlink"))
    assert down.startswith("downlink 73, 62 of them for data: 10.61 Mb/s, ")
    up = next(line for line in lines if line.startswith("uplink"))
    assert up.startswith("uplink 73, 53 of them for data: 9.07 Mb/s, ")
    document = json.loads(evenair_here("run", scenario, "--json").stdout)
    requests = document["requests"]
    counts = ", ".join(f"{name.replace('_', ' ')} {requests[name]}" for name in REQUESTS)
    assert f"bandwidth requests: {counts}" in lines
    assert any("BS queue loss" in line for line in lines)
    for k, station in enumerate(document["stations"]):
        (row,) = [line.split() for line in lines if line.split()[:1] == [f"home-{k + 1}"]]
        flows = [flow for flow in document["flows"] if flow["station"] == station["id"]]
        goodput = sum(flow["goodput_bps"] for flow in flows) / 1e6
        delays = [f"{station['grant_delay_s'][part] * 1e3:.1f}" for part in ("mean", "p95", "p99")]
        assert row[1:] == [f"{goodput:.3f}", *delays]
    several = evenair_here("run", scenario, "--runs", "3").stdout
    assert "% used" in several
    assert "±" in several


def test_a_wlan_prints_what_it_did(evenair_here: Evenair) -> None:
    text = evenair_here("run", "gong2006", "--set", "duration=1").stdout
    assert "AP queue loss" in text
    for name in ("frame", "bandwidth requests", "grant"):
        assert name not in text


def test_metrics_tables_and_plots(evenair_here: Evenair, scenario: str, tmp_path: Path) -> None:
    done = evenair_here(
        *("run", scenario, "--runs", "2", "--set", "trace.interval=1 s"),
        *("--out", "out", "--plot", "plot.png", "--json"),
    )
    assert (done.returncode, done.stderr) == (0, "")
    summary = json.loads(done.stdout)["summary"]
    runs = json.loads(done.stdout)["runs"]
    for name in REQUESTS:
        mean = sum(run["requests"][name] for run in runs) / 2
        assert summary[f"requests_{name}"]["mean"] == pytest.approx(mean)
    assert 0 < summary["dl_utilization"]["mean"] <= 1
    stations = pq.read_table(tmp_path / "out/stations.parquet").to_pylist()
    assert stations[0]["grant_delay_p95_s"] == runs[0]["stations"][0]["grant_delay_s"]["p95"]
    assert (tmp_path / "plot.png").stat().st_size > 10_000
    assert evenair_here("run", scenario, "--plot", "cdf.png", "--plot-kind", "cdf").returncode == 0
    # The resolved scenario runs the same.
    again = evenair_here("run", "out/scenario.toml", "--json")
    assert json.loads(again.stdout)["fingerprint"] == runs[0]["fingerprint"]


def test_sweep_and_plot(evenair_here: Evenair, scenario: str, tmp_path: Path) -> None:
    vary = ("--vary", "cell.dl_ratio=1:1,3:1", "--vary", "cell.scheduler=round-robin,drr")
    done = evenair_here("sweep", scenario, *vary, "--runs", "2", "--out", "grid.parquet")
    assert done.returncode == 0, done.stderr
    rows = pq.read_table(tmp_path / "grid.parquet").to_pylist()
    assert [row["cell.dl_ratio"] for row in rows] == ["1:1"] * 4 + ["3:1"] * 4
    assert {row["cell.scheduler"] for row in rows} == {"round-robin", "drr"}
    assert all(0 < row["ul_utilization"] <= 1 and row["requests_sent"] > 0 for row in rows)
    plot = ("--x", "cell.dl_ratio", "--y", "dl_utilization", "--by", "cell.scheduler")
    done = evenair_here("plot", "grid.parquet", *plot, "--out", "grid.png")
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(shutil.which("tshark") is None, reason="needs tshark")
def test_only_the_wire_is_captured(evenair_here: Evenair, scenario: str, tmp_path: Path) -> None:
    done = evenair_here("run", scenario, "--pcap", "x.pcapng", "--json")
    assert done.returncode == 0
    (line,) = done.stderr.splitlines()
    assert "a WiMAX cell are not captured" in line
    assert "x-wire.pcapng" in line
    assert not (tmp_path / "x.pcapng").exists()
    command = ["tshark", "-n", "-r", str(tmp_path / "x-wire.pcapng"), "-Y", "udp"]
    packets = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    # Two stations send 200 kb/s for 5 s in datagrams of 1460 bytes; the last may be under way.
    assert 160 <= len(packets.splitlines()) <= 172
    cell = ea.load(tmp_path / "cell.toml").with_(duration=1)
    ea.run(cell, pcap=tmp_path / "y.pcapng")
    assert not (tmp_path / "y.pcapng").exists()
    assert (tmp_path / "y-wire.pcapng").exists()


def test_parts_lists_modulations_and_schedulers(evenair_here: Evenair) -> None:
    assert "64qam-3/4" in evenair_here("parts", "modulation").stdout
    schedulers = evenair_here("parts", "scheduler").stdout
    for name in ("round-robin", "drr", "quantum"):
        assert name in schedulers


def test_a_wimax_cell_has_no_80211_phy() -> None:
    scenario = ea.Scenario(cell={"kind": "wimax"}, station=[{"flows": [{"direction": "up"}]}])
    with pytest.raises(ea.ScenarioError, match=r"cell\.kind: got \"wimax\".*accepted: \"wlan\""):
        scenario._core.phy()


def cell(line: str) -> str:
    return SCENARIO.replace('kind = "wimax"', f'kind = "wimax"\n{line}')


BROKEN = {
    "bandwidth off the raster": (cell('bandwidth = "7.1 MHz"'), "cell.bandwidth"),
    "unit of another quantity": (cell('bandwidth = "7 Mbps"'), "cell.bandwidth"),
    "frame without a code": (cell('frame = "6 ms"'), "cell.frame"),
    "unknown cyclic prefix": (cell('cyclic_prefix = "1/64"'), "cell.cyclic_prefix"),
    "unknown modulation": (cell('modulation = "256qam-3/4"'), "cell.modulation"),
    "ratio without room": (cell('dl_ratio = "7:1"'), "cell.dl_ratio"),
    "ratio of one number": (cell('dl_ratio = "3:"'), "cell.dl_ratio"),
    "no contention slots": (cell("contention_slots = 0"), "cell.contention_slots"),
    "backoff that shrinks": (cell("request_backoff = [6, 2]"), "cell.request_backoff"),
    "no T16": (cell("t16 = 0"), "cell.t16"),
    "negative retries": (cell("request_retries = -1"), "cell.request_retries"),
    "unknown maps": (cell('maps = "real"'), "cell.maps"),
    "too few bytes": (cell("bytes_per_symbol = 1"), "cell.bytes_per_symbol"),
    "text for a switch": (cell('piggyback = "yes"'), "cell.piggyback"),
    "number for a switch": (cell("crc = 1"), "cell.crc"),
    "unknown scheduler": (cell('scheduler = "fifo"'), "cell.scheduler"),
    "queue without room": (cell("queue = { limit = 0 }"), "cell.queue.limit"),
    "key of a WLAN": (cell('data_rate = "11 Mbps"'), "cell.data_rate"),
    "key of a WLAN's station": (
        SCENARIO.replace("count = 2", 'data_rate = "11 Mbps"'),
        "station.0.data_rate",
    ),
    "unknown modulation of a station": (
        SCENARIO.replace("count = 2", 'modulation = "64qam"'),
        "station.0.modulation",
    ),
    "zero stations": (SCENARIO.replace("count = 2", "count = 0"), "station.0.count"),
    "packet longer than a PDU": (
        SCENARIO.replace("window = 100", "segment = 2010"),
        "station.0.flows.0.segment",
    ),
    "key of a WiMAX cell": (
        SCENARIO.replace('kind = "wimax"', 'kind = "wlan"\nmodulation = "64qam-3/4"'),
        "cell.modulation",
    ),
    "modulation of a WLAN's station": (
        SCENARIO.replace('kind = "wimax"', "").replace("count = 2", 'modulation = "qpsk-1/2"'),
        "station.0.modulation",
    ),
    "unknown kind": (SCENARIO.replace('"wimax"', '"wifi"'), "cell.kind"),
}


@pytest.mark.parametrize("what", BROKEN)
def test_bad_input_is_one_line(what: str, evenair_here: Evenair, tmp_path: Path) -> None:
    text, named = BROKEN[what]
    (tmp_path / "bad.toml").write_text(text, encoding="utf-8")
    done = evenair_here("run", "bad.toml")
    assert done.returncode == 2, done.stdout
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"evenair: bad.toml: {named}"), line
    assert "accepted: " in line
