"""`evenair testbed` with the real engine, in namespaces of its own, as root."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import statistics
import struct
import subprocess
import sys
import time
import uuid
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from evenair.testbed import limiter
from evenair.testbed.errors import TestbedError
from evenair.testbed.linux.namespaces import FOLDERS, NETNS

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = [
    pytest.mark.real_time("iperf3 over emulated air"),
    pytest.mark.skipif(
        "(os.geteuid() != 0 or not os.path.exists('/dev/net/tun') or not shutil.which('iperf3'))"
        " and os.environ.get('CI') != 'true'",
        reason="the test-bed needs root, /dev/net/tun and iperf3",
    ),
]

TWO = ["--set", "station.0.count=1", "--set", "station.1.count=1"]
"""gong2006 with one upload and one download: as few processes as possible."""


class Bed:
    """A command that is marked in its environment, which all of its children inherit."""

    def __init__(self, folder: Path, *arguments: str, **environment: str) -> None:
        self.mark = f"EVENAIR_TEST={uuid.uuid4().hex}"
        name, _, value = self.mark.partition("=")
        self.process = subprocess.Popen(
            [sys.executable, "-m", "evenair", *arguments],
            cwd=folder,
            env={**os.environ, "PYTHONWARNINGS": "error", name: value, **environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    @property
    def run(self) -> str:
        return f"{self.process.pid:x}"

    def finish(self, seconds: float = 60) -> tuple[int, str, str]:
        out, err = self.process.communicate(timeout=seconds)
        return self.process.returncode, out, err

    def wait_for_traffic(self, flow: int = 0) -> None:
        """Wait until the client of a flow has been started."""
        deadline = time.monotonic() + 30
        while not (FOLDERS / self.run / f"client-{flow}.out").exists():
            assert self.process.poll() is None, self.process.communicate()
            assert time.monotonic() < deadline
            time.sleep(0.02)
        time.sleep(0.5)

    def processes(self) -> list[str]:
        found = []
        for entry in Path("/proc").iterdir():
            if not entry.name.isdigit() or int(entry.name) == self.process.pid:
                continue
            try:
                if self.mark.encode() in (entry / "environ").read_bytes().split(b"\0"):
                    state = (entry / "stat").read_text().rpartition(")")[2].split()[0]
                    if state != "Z":
                        found.append((entry / "cmdline").read_bytes().decode())
            except OSError:
                continue
        return found

    def left(self) -> list[str]:
        """What a run may leave: namespaces (with their devices), mounts, folders, processes."""
        prefix = f"evenair-{self.run}-"
        names = [path.name for path in NETNS.glob(f"{prefix}*")]
        mounts = [m for m in Path("/proc/mounts").read_text().split("\n") if prefix in m]
        folders = [str(path) for path in FOLDERS.glob(self.run)]
        return names + mounts + folders + self.processes()


@pytest.fixture
def start(tmp_path: Path) -> Iterator[object]:
    beds: list[Bed] = []
    host = host_devices()

    def begin(*arguments: str, **environment: str) -> Bed:
        if arguments[0] != "run" and "--max-lateness" not in arguments:
            # Other tests may take the processors; lateness costs no capacity.
            arguments = (*arguments, "--max-lateness", "100 ms")
        beds.append(Bed(tmp_path, *arguments, **environment))
        return beds[-1]

    yield begin
    for bed in beds:
        if bed.process.poll() is None:
            bed.process.kill()
            bed.process.communicate()
    assert host_devices() == host


def host_devices() -> set[str]:
    """The host's devices that have a name of the test-bed's: other tests may make others."""
    ours = {"wlan0", "eth0", "ap0", "wan0", "control"}
    return ours & {path.name for path in Path("/sys/class/net").iterdir()}


# --- What is missing ------------------------------------------------------------------------------


def refused(bed: Bed, *messages: str) -> None:
    status, out, err = bed.finish()
    assert (status, out) == (2, "")
    assert err.count("\n") == 1
    for message in messages:
        assert message in err
    assert bed.left() == []


def test_without_root_one_line_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from evenair.cli import main

    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert main(["testbed", "gong2006"]) == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert output.err == (
        "evenair: the test-bed needs root, for network namespaces and TUN devices;"
        f" run it with sudo {Path(sys.executable).with_name('evenair')}\n"
    )


def test_without_tun_one_line_says_so(tmp_path: Path) -> None:
    hidden = f"mount -t tmpfs none /dev/net && exec {sys.executable} -m evenair testbed gong2006"
    done = subprocess.run(
        ["unshare", "--mount", "sh", "-c", hidden], capture_output=True, text=True, cwd=tmp_path
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("evenair: /dev/net/tun: No such file or directory;")
    assert done.stderr.count("\n") == 1


def path_with(folder: Path, *programs: str) -> str:
    """Make a folder that has these programs only."""
    for program in programs:
        found = shutil.which(program)
        assert found is not None
        (folder / program).symlink_to(found)
    return str(folder)


def test_without_iperf3_one_line_says_so(start: type[Bed], tmp_path: Path) -> None:
    bed = start("testbed", "gong2006", PATH=path_with(tmp_path, "ip"))
    refused(bed, "iperf3: not found", "package iperf3")


def test_without_the_daemon_one_line_says_so(start: type[Bed], tmp_path: Path) -> None:
    if (Path(sys.executable).parent / "evenaird").exists():
        pytest.skip("evenaird is beside the interpreter")
    path = path_with(tmp_path, "ip", "iperf3")
    refused(start("testbed", "blefari2007", PATH=path, EVENAIRD=""), "gateway.limiter", "EVENAIRD")
    refused(start("testbed", "blefari2007", EVENAIRD="/no/such"), "EVENAIRD: got '/no/such'")


def test_a_congestion_control_that_the_kernel_lacks(start: type[Bed]) -> None:
    available = Path("/proc/sys/net/ipv4/tcp_available_congestion_control").read_text()
    if "vegas" in available:
        pytest.skip("this kernel has vegas")
    bed = start("testbed", "gong2006", "--set", "station.0.flows.0.transport=vegas")
    refused(bed, "station.0.flows.0.transport: got 'vegas'", "reno")


def test_a_congestion_control_for_all_flows_that_the_kernel_lacks(start: type[Bed]) -> None:
    refused(start("testbed", "gong2006", "--congestion", "newreno"), "--congestion: got 'newreno'")


# --- Results --------------------------------------------------------------------------------------


def test_a_result_has_the_keys_of_a_simulated_one(start: type[Bed], tmp_path: Path) -> None:
    arguments = ["gong2006", *TWO, "--set", "trace.interval=1", "--set", "duration=4"]
    bed = start("testbed", *arguments, "--json", "--out", "out", "--plot", "x.svg")
    status, out, err = bed.finish()
    assert (status, err) == (0, "")
    assert bed.left() == []
    result = json.loads(out)
    simulated = json.loads(start("run", *arguments, "--json").finish()[1])
    assert (result["engine"], simulated["engine"]) == ("testbed", "sim")
    assert simulated.keys() - result.keys() == {"events", "fingerprint"}
    assert result.keys() - simulated.keys() == {"testbed"}
    assert result["scenario"] == simulated["scenario"]
    for name in ("ap_queue", "ap", "losses", "wired"):
        assert result[name].keys() == simulated[name].keys(), name
    assert result["stations"][0].keys() == simulated["stations"][0].keys()
    assert [flow["id"] for flow in result["flows"]] == ["up-1", "down-1"]
    assert len(result["series"]["time_s"]) == 4
    for flow in result["flows"]:
        # A window of 20 segments limits a flow that has the cell for itself and another one.
        assert 0.3e6 < flow["goodput_bps"] < 7e6
        assert 1 <= flow["most_in_flight"] <= 21
        assert 0.001 < flow["mean_rtt_s"] < 1
    assert result["aggregate_goodput_bps"] == pytest.approx(
        sum(flow["goodput_bps"] for flow in result["flows"])
    )
    bed_facts = result["testbed"]
    assert bed_facts["kernel"] == os.uname().release
    assert bed_facts["congestion_controls"] == {"up-1": "reno", "down-1": "reno"}
    assert bed_facts["sysctls"]["net.ipv4.tcp_timestamps"] == "0"
    assert bed_facts["offloads"]["tcp-segmentation-offload"] is False
    assert (bed_facts["trusted"], bed_facts["untrusted"]) == (True, [])
    assert bed_facts["ended_early"] == bed_facts["stopped"] == []
    assert 0 <= bed_facts["late_share"] <= 0.01
    assert 0 < bed_facts["longest_stall_s"] <= 0.2
    assert 0 <= bed_facts["longest_stall_at_s"] <= 4
    assert 0 <= bed_facts["driver"]["engine_late_s"] <= 0.15
    assert 0 <= bed_facts["steal_s"] < 60
    account = bed_facts["account"]
    dropped = sum(account["dropped"].values())
    assert account["read"] == account["written"] + dropped + account["in_flight"]
    assert {path.name for path in (tmp_path / "out").iterdir()} >= {"result.json", "flows.parquet"}
    assert (tmp_path / "x.svg").exists()


@pytest.mark.long
def test_a_wimax_cell(start: type[Bed]) -> None:
    """More datagrams than the uplink carries, and fewer than the downlink does."""
    flows = (
        "station=[{flows=[{direction='up',transport='udp',rate='12 Mbps',segment=1000,header=28},"
        "{direction='down',transport='udp',rate='2 Mbps',segment=1000,header=28}]}]"
    )
    arguments = ["tsiknas2012-wimax", "--set", flows, "--set", "warmup=1", "--set", "duration=4"]
    status, out, err = start("testbed", *arguments, "--json").finish()
    assert (status, err) == (0, "")
    result = json.loads(out)
    simulated = json.loads(start("run", *arguments, "--json").finish()[1])
    assert simulated.keys() - result.keys() == {"events", "fingerprint"}
    for name in ("frame", "requests"):
        assert result[name].keys() == simulated[name].keys()
    up, down = result["flows"]
    # As much as the simulator carries; the downlink carries what it is given.
    assert up["goodput_bps"] == pytest.approx(simulated["flows"][0]["goodput_bps"], rel=0.02)
    assert down["goodput_bps"] == pytest.approx(2e6, rel=0.02)
    frame = result["frame"]
    assert frame["ul_utilization"] == pytest.approx(simulated["frame"]["ul_utilization"], rel=0.02)
    # A request is granted in the next frame (docs/media/wimax.md): 5 ms.
    assert result["stations"][0]["grant_delay_s"]["p50"] == pytest.approx(0.005, rel=0.01)
    assert result["requests"]["sent"] > 100
    # Losses are of the measured time, as the queues' statistics: some 3 Mb/s of the uplink.
    queues = [result["ap_queue"]["drops"], *(s["queue_drops"] for s in result["stations"])]
    queues += [link["drops"] for link in result["wired"]["links"]]
    assert 500 < sum(queues) < result["testbed"]["account"]["dropped"]["queue"] - 100
    assert result["losses"]["congestion"] == sum(queues)


# The other station's flow. A TCP download would fill the access point's queue until it drops some.
LIGHT = "station.1.flows=[{direction='down',transport='udp',rate='100 kbps',segment=500,start=0}]"


@pytest.mark.long
def test_datagrams_arrive_at_their_rate(start: type[Bed]) -> None:
    flow = (
        "station.0.flows=[{direction='up',transport='udp',rate='1 Mbps',segment=1000,header=28,"
        "start=0},{direction='down',transport='udp',rate='2 Mbps',segment=500,header=28,start=0}]"
    )
    bed = start(
        "testbed", "gong2006-one-up", "--set", flow, "--set", LIGHT, "--set", "station.1.count=1",
        "--set", "warmup=1", "--duration", "3", "--json",
    )  # fmt: skip
    status, out, err = bed.finish()
    assert (status, err) == (0, "")
    up, down = json.loads(out)["flows"][:2]
    # The cell carries both: what arrives is what is offered.
    assert up["goodput_bps"] == pytest.approx(1e6, rel=0.02)
    assert down["goodput_bps"] == pytest.approx(2e6, rel=0.02)
    assert bed.left() == []


@pytest.mark.long
def test_random_sources_of_datagrams(start: type[Bed]) -> None:
    flow = (
        "station.0.flows=[{direction='up',transport='udp',application='poisson',rate='1 Mbps',"
        "segment=1000,header=28,start=0},{direction='down',transport='udp',rate='2 Mbps',"
        "application={kind='on-off',on='0.1 s',off='0.1 s'},segment=500,header=28,start=0}]"
    )
    bed = start(
        "testbed", "gong2006-one-up", "--set", flow, "--set", LIGHT, "--set", "station.1.count=1",
        "--set", "warmup=1", "--duration", "4", "--json",
    )  # fmt: skip
    status, out, err = bed.finish()
    assert (status, err) == (0, "")
    up, down = json.loads(out)["flows"][:2]
    # 500 datagrams are expected; five standard deviations of their number are 22%.
    assert up["goodput_bps"] == pytest.approx(1e6, rel=0.22)
    # Half of the time; 20 on periods, and a part of one.
    assert down["goodput_bps"] == pytest.approx(1e6, rel=0.04)
    assert bed.left() == []


@pytest.mark.long
def test_saturated_uploads_are_those_of_simulator_and_model(start: type[Bed]) -> None:
    flow = "flows=[{direction='up',transport='udp',rate='11 Mbps',segment=1460,start=0}]"
    bed = start(
        "compare", "gong2006-one-up", "--engines", "sim,testbed,model", "--json", "--set",
        f"station.0.{flow}", "--set", f"station.1.{flow}", "--set", "station.1.count=1", "--set",
        "warmup=1", "--duration", "6",
    )  # fmt: skip
    status, out, err = bed.finish()
    assert (status, err) == (0, "")
    engines = json.loads(out)["engines"]
    total = {name: values["aggregate_goodput_bps"]["mean"] for name, values in engines.items()}
    # docs/validation.md: simulator and Bianchi's model differ by up to 1.3% in saturation.
    assert total["testbed"] == pytest.approx(total["sim"], rel=0.02)
    assert total["testbed"] == pytest.approx(total["model"], rel=0.033)
    assert bed.left() == []


@pytest.mark.parametrize(("phy", "direction"), [("802.11ac", "up"), ("802.11ax", "down")])
def test_a_cell_with_aggregation_is_that_of_the_simulator(
    start: type[Bed], tmp_path: Path, phy: str, direction: str
) -> None:
    """A window above what the path holds and below the queues: nothing is lost.

    Then the MAC and the ACKs decide the goodput, and not how slow start ends.
    """
    (tmp_path / "cell.toml").write_text(
        f"warmup=2\nduration=3\n[cell]\nphy='{phy}'\nchannel_width='20 MHz'\nmcs=7\n"
        "queue={kind='droptail',limit=1000}\n[wired]\nrate='1 Gbps'\n"
        f"[[station]]\nflows=[{{direction='{direction}',transport='newreno',window=750,"
        "access_category='vi'}]\n"
    )
    bed = start("testbed", "cell.toml", "--json")
    status, out, err = bed.finish()
    assert (status, err) == (0, "")
    real = json.loads(out)
    simulated = json.loads(start("run", "cell.toml", "--json").finish()[1])
    # 65 Mb/s of 802.11ac, 86 Mb/s of 802.11ax (IEEE 802.11-2020 tables 21-30, 802.11ax 27-55).
    assert real["aggregate_goodput_bps"] > 0.7 * (65e6 if phy == "802.11ac" else 86e6)
    assert real["aggregate_goodput_bps"] == pytest.approx(
        simulated["aggregate_goodput_bps"], rel=0.04
    )
    assert real["flows"][0]["retransmissions"] == 0
    sender, receiver = real["stations"][0], real["ap"]
    if direction == "down":
        sender, receiver = receiver, sender
    assert sender["mpdus_per_ppdu"] > 10
    # Data and ACKs are in video, by their DSCP; nothing else is sent in the measured time.
    for node in (sender, receiver):
        assert {name for name, of in node["categories"].items() if of["attempts"]} == {"vi"}
    # RFC 5681, section 4.2: an ACK for each second segment.
    assert receiver["queue_arrivals"] == pytest.approx(sender["queue_arrivals"] / 2, rel=0.1)
    assert bed.left() == []


@pytest.mark.long
def test_a_linux_access_point_shares_the_airtime_of_real_stacks(
    start: type[Bed], tmp_path: Path
) -> None:
    """A fast and a slow station have half of the airtime each, and short queues.

    With one queue for both the slow one has nearly all of the airtime: equal packets of 65 and
    6.5 Mb/s take some 1 to 7 parts with aggregation.
    """
    (tmp_path / "cell.toml").write_text(
        "warmup=3\nduration=8\n[cell]\nphy='802.11n'\naccess_point='linux'\n"
        "[wired]\nrate='1 Gbps'\ndelay='5 ms'\n"
        "[[station]]\nflows=[{direction='down',transport='cubic'}]\n"
        "[[station]]\nmcs=0\nflows=[{direction='down',transport='cubic'}]\n"
    )
    bed = start("testbed", "cell.toml", "--json")
    status, out, err = bed.finish()
    assert (status, err) == (0, "")
    real = json.loads(out)
    simulated = json.loads(start("run", "cell.toml", "--json").finish()[1])
    fast, slow = (station["airtime_share"] for station in real["stations"])
    assert fast / (fast + slow) == pytest.approx(0.5, abs=0.05)
    for index in range(2):
        measured, expected = (run["flows"][index] for run in (real, simulated))
        assert measured["goodput_bps"] == pytest.approx(expected["goodput_bps"], rel=0.1)
        # 10 ms of wire; 20 ms is CoDel's target, and a round of both stations takes some 10 ms.
        assert measured["mean_rtt_s"] < 0.1
    assert bed.left() == []


@pytest.mark.long
def test_web_users_have_sessions(start: type[Bed]) -> None:
    web = (
        "station.0.flows=[{direction='down',application={kind='web',size={distribution="
        "'deterministic',mean='30 KB'},think={distribution='deterministic',mean='0.3 s'}}},"
        "{direction='up',application={kind='web',size=20000,think='0.5 s'}}]"
    )
    bed = start("testbed", "gong2006-one-up", "--set", web, "--set", "station.1.count=1",
                "--set", "station.1.flows.0.start=3", "--duration", "4", "--json")  # fmt: skip
    status, out, err = bed.finish()
    assert (status, err) == (0, "")
    result = json.loads(out)
    sizes = {"down-1": 30_000, "up-1": 20_000}
    for flow, size in sizes.items():
        own = [session for session in result["sessions"] if session["flow"] == flow]
        assert len(own) >= 3
        for session in own:
            assert session["bytes"] == size
            # 30 KB take 26 ms at 11 Mb/s without any overhead.
            assert session["start_s"] + size * 8 / 11e6 < session["end_s"]
            assert session["start_s"] < session["first_byte_s"] <= session["last_byte_s"]
    assert bed.left() == []


APPLICATIONS = Path(__file__).parent.parent / "validation" / "testbed" / "applications"
"""Cells that docs/validation.md compares at length."""


@pytest.mark.parametrize(
    ("name", "seconds", "change"),
    [
        ("1-g-small-page", 6, ()),
        # With a window below what path and queue hold the queue is as long in each run.
        ("3-g-page-beside-bulk", 8, ("--set", "station.1.flows.0.window=80")),
        ("4-ac-arrivals", 6, ()),
    ],
)
def test_users_wait_as_long_as_in_the_simulator(
    start: type[Bed], name: str, seconds: int, change: tuple[str, ...]
) -> None:
    """Page load and completion times of real stacks: medians within 10%."""
    cell = str(APPLICATIONS / f"{name}.toml")
    arguments = (cell, "--set", f"duration={seconds}", "--set", "warmup=2", *change, "--json")
    bed = start("testbed", *arguments)
    status, out, err = bed.finish()
    assert (status, err) == (0, "")
    assert bed.left() == []
    real, simulated = json.loads(out), json.loads(start("run", *arguments).finish()[1])
    medians = [
        statistics.median(each["last_byte_s"] - each["start_s"] for each in result["sessions"])
        for result in (real, simulated)
    ]
    assert medians[0] == pytest.approx(medians[1], rel=0.1)
    flows = [result["flows"][0] for result in (real, simulated)]
    key = "completion_s" if "completion_s" in flows[1] else "page_load_s"
    assert flows[0][key].keys() == flows[1][key].keys()
    counts = [flow["sessions"] for flow in flows]
    assert counts[0] == pytest.approx(counts[1], abs=2, rel=0.02)


@pytest.mark.long
def test_calls_and_pings_over_real_sockets(start: type[Bed], tmp_path: Path) -> None:
    """A cell that is far from full: nothing is lost, and delays are those of the links."""
    (tmp_path / "cell.toml").write_text(
        "warmup=1\nduration=5\n[cell]\nphy='802.11g'\n[wired]\ndelay='10 ms'\n[[station]]\nflows=["
        "{direction='both',transport='udp',application='voip'},"
        "{direction='up',transport='udp',application={kind='ping',interval=0.1}},"
        "{direction='down',transport='udp',application='video-call',rate='1 Mbps'},"
        "{direction='up',transport='udp',application={kind='trace',packets=[[0,200],[0.1,900]],"
        "repeat=0.5}}]\n"
    )
    status, out, err = start("testbed", "cell.toml", "--json").finish()
    assert (status, err) == (0, "")
    real = json.loads(out)
    simulated = json.loads(start("run", "cell.toml", "--json").finish()[1])
    for flow, expected in zip(real["flows"], simulated["flows"], strict=True):
        absent = {"limited_by", "data_losses", "ack_losses", "fast_retransmits"}
        assert expected.keys() - flow.keys() <= absent
        assert flow["segments_sent"] == pytest.approx(expected["segments_sent"], abs=1, rel=0.05)
    up, down, ping, video, trace = real["flows"]
    for call in (up, down):
        assert call["loss_ratio"] == 0
        assert call["mos"] == pytest.approx(simulated["flows"][0]["mos"], abs=0.02)
    assert ping["packets_lost"] == 0
    # Twice the delay of the link, and less than 10 ms for the cell.
    assert 0.02 < ping["rtt_s"]["p50"] < 0.03
    assert (video["frames_lost_ratio"], video["freezes"]) == (0, 0)
    # Less 28 bytes of headers each, 1044 bytes in half a second.
    assert trace["goodput_bps"] == pytest.approx(8 * 1044 * 2, rel=0.1)


@pytest.mark.long
def test_flows_of_a_host_have_options_of_their_own(start: type[Bed], tmp_path: Path) -> None:
    """Window, timestamps and ECN of two uploads to the same server."""
    (tmp_path / "x.toml").write_text(
        "station=[{flows=[{direction='up',window=10,start=0}]},"
        "{flows=[{direction='up',header=52,ecn=true,start=0}]}]\n"
    )
    bed = start("testbed", "x.toml", "--duration", "3", "--json", "--pcap", "x.pcapng")
    status, out, err = bed.finish()
    assert (status, err) == (0, "")
    narrow, wide = json.loads(out)["flows"]
    # The buffer has room for one segment more.
    assert narrow["most_in_flight"] <= 11 < 30 < wide["most_in_flight"]
    # RFC 9293 section 3.1: data offset and flags. RFC 3168: a SYN with ECE and CWR asks for ECN.
    syns, headers = {}, {}
    for packet in packets_of((tmp_path / "x.pcapng").read_bytes()):
        if packet[0] == 0x45 and packet[9] == socket.IPPROTO_TCP:
            source, target = struct.unpack_from(">HH", packet, 20)
            offset, flags = packet[32] >> 4, packet[33]
            if target in (5201, 5202) and source > 20_000:
                if flags & 2:
                    syns[target] = flags & 0xC0
                elif len(packet) > 1000:
                    headers[target] = 4 * offset
    assert syns == {5201: 0, 5202: 0xC0}
    assert headers == {5201: 20, 5202: 32}


@pytest.mark.long
def test_receive_windows_are_whole_segments(start: type[Bed], tmp_path: Path) -> None:
    """The 20 segments of 1460 bytes that both flows have, and never a part of a segment."""
    bed = start("testbed", "gong2006", *TWO, "--duration", "3", "--pcap", "x.pcapng")
    assert bed.finish()[0] == 0
    windows: dict[int, set[int]] = {5201: set(), 5202: set()}
    begins: dict[int, int] = {}
    for packet in packets_of((tmp_path / "x.pcapng").read_bytes()):
        if packet[0] == 0x45 and packet[9] == socket.IPPROTO_TCP and len(packet) == 40:
            receiver, sender = struct.unpack_from(">HH", packet, 20)
            acknowledged, window = struct.unpack_from(">I2xH", packet, 28)
            # iperf3's data connections come from ports above 20000, and begin with 37 bytes that
            # name the test: the window after them has a part of a segment.
            if receiver not in windows or sender < 20_000:
                continue
            if acknowledged != begins.setdefault(receiver, acknowledged):
                windows[receiver].add(window)
    for receiver, seen in windows.items():
        assert max(seen) == 20 * 1460, receiver
        assert {window % 1460 for window in seen} == {0}, receiver


def packets_of(data: bytes) -> Iterator[bytes]:
    """Yield the packets of a capture (draft-ietf-opsawg-pcapng, enhanced packet blocks)."""
    while data:
        kind, length = struct.unpack_from("<II", data)
        if kind == 6:
            yield data[28 : 28 + struct.unpack_from("<I", data, 20)[0]]
        data = data[length:]


@pytest.mark.long
def test_a_host_may_have_any_name_and_users_many_sizes(start: type[Bed], tmp_path: Path) -> None:
    """A name that looks like a station's and like a path; sizes that no command line holds."""
    sizes = [20_000 + k for k in range(20_000)]
    application = f"{{kind='web',size={{distribution='trace',values={sizes}}},think='0.2 s'}}"
    (tmp_path / "x.toml").write_text(
        "wired.link=[{between=['sta-9/b','ap']}]\n"
        f"station=[{{flows=[{{direction='down',host='sta-9/b',application={application}}},"
        "{direction='up',host='sta-9/b',start=2}]}]\n"
    )
    bed = start("testbed", "x.toml", "--duration", "3", "--json")
    status, out, err = bed.finish()
    assert (status, err) == (0, "")
    result = json.loads(out)
    assert [session["bytes"] for session in result["sessions"][:2]] == sizes[:2]
    assert result["flows"][1]["goodput_bps"] > 0.2e6
    assert bed.left() == []


def test_a_capture_has_an_interface_for_each_device(start: type[Bed], tmp_path: Path) -> None:
    bed = start("testbed", "gong2006", *TWO, "--duration", "1", "--pcap", "x.pcapng")
    assert bed.finish()[0] == 0
    data = (tmp_path / "x.pcapng").read_bytes()
    # draft-ietf-opsawg-pcapng: block type and total length; 1 is an interface, 6 a packet.
    kinds: list[int] = []
    while data:
        kind, length = struct.unpack_from("<II", data)
        kinds.append(kind)
        data = data[length:]
    # Of two stations, the server, and two of the gateway.
    assert kinds.count(1) == 5
    assert kinds.count(6) > 100
    assert [path.name for path in tmp_path.iterdir()] == ["x.pcapng"]


@pytest.mark.long
def test_a_late_engine_is_not_to_be_trusted(start: type[Bed]) -> None:
    bed = start("testbed", "gong2006", *TWO, "--duration", "2", "--max-lateness", "1 ns")
    status, out, err = bed.finish()
    assert status == 1
    assert "not to be trusted" in err
    assert "Jain's index" in out
    assert "not to be trusted: seed 1" in " ".join(out.split())


def untrusted(bed: Bed) -> tuple[dict[str, Any], str]:
    """The result of a run that is not to be trusted, and the line that says so."""
    status, out, err = bed.finish()
    assert status == 1
    assert err.startswith("evenair: seed 1: not to be trusted: ")
    assert err.count("\n") == 1
    assert bed.left() == []
    result: dict[str, Any] = json.loads(out)
    assert result["testbed"]["trusted"] is False
    assert err.rstrip().endswith("; ".join(result["testbed"]["untrusted"]))
    return result, err


@pytest.mark.long
def test_a_stall_of_the_engine_is_not_to_be_trusted(start: type[Bed]) -> None:
    """Of 10 s the engine stands still for 3 s."""
    bed = start("testbed", "gong2006", *TWO, "--set", "warmup=1", "--duration", "10", "--json")
    bed.wait_for_traffic()
    (engine,) = processes_of(bed, b"evenair.testbed.engine")
    time.sleep(3)
    os.kill(engine, signal.SIGSTOP)
    time.sleep(3)
    os.kill(engine, signal.SIGCONT)
    result, err = untrusted(bed)
    facts = result["testbed"]
    # Less the millisecond after which it looks again, as it would have been late.
    assert facts["longest_stall_s"] >= 2.998
    # It is late after 100 ms.
    assert facts["late_share"] >= 2.898 / 10
    assert 3 < facts["longest_stall_at_s"] < 8
    assert f"the engine stood still for {facts['longest_stall_s']:.2f} s at " in err
    assert "ms late in" in err


def client_of(bed: Bed, port: int) -> int:
    """The client of iperf3 that sends to a port."""
    clients = processes_of(bed, b"--client")
    mine = f"\0{port}\0".encode()
    (found,) = [each for each in clients if mine in Path(f"/proc/{each}/cmdline").read_bytes()]
    return found


@pytest.mark.long
def test_a_client_that_is_killed_is_named(start: type[Bed]) -> None:
    bed = start("testbed", "gong2006", *TWO, "--duration", "5", "--json")
    bed.wait_for_traffic()
    client = client_of(bed, 5201)
    time.sleep(1)
    os.kill(client, signal.SIGKILL)
    result, err = untrusted(bed)
    (ended,) = result["testbed"]["ended_early"]
    assert (ended["program"], ended["flows"]) == ("client (iperf3)", ["up-1"])
    assert ended["status"] == -signal.SIGKILL
    assert 1 < ended["time_s"] < 5
    reason = f"flow up-1: its client (iperf3) was killed by SIGKILL at {ended['time_s']:.1f} s"
    assert reason in err
    # The other flow has the cell for itself.
    up, down = result["flows"]
    assert down["goodput_bps"] > 0.3e6
    assert up["goodput_bps"] < down["goodput_bps"]


@pytest.mark.long
def test_web_users_that_are_killed_are_named(start: type[Bed]) -> None:
    web = "station.0.flows=[{direction='down',application={kind='web',size=20000,think='0.1 s'}}]"
    bed = start("testbed", "gong2006-one-up", "--set", web, "--set", "station.1.count=1",
                "--set", "station.1.flows.0.start=0", "--duration", "4", "--json")  # fmt: skip
    bed.wait_for_traffic(flow=1)
    (user,) = processes_of(bed, b"sessions-0.json")
    os.kill(user, signal.SIGTERM)
    result, err = untrusted(bed)
    assert "flow down-1: its program (web) was killed by SIGTERM at" in err
    assert result["flows"][1]["goodput_bps"] > 0.3e6


@pytest.mark.long
def test_a_client_that_is_stopped_is_named(start: type[Bed]) -> None:
    bed = start("testbed", "gong2006", *TWO, "--duration", "5", "--json")
    bed.wait_for_traffic()
    client = client_of(bed, 5201)
    os.kill(client, signal.SIGSTOP)
    time.sleep(2)
    os.kill(client, signal.SIGCONT)
    result, err = untrusted(bed)
    (stopped,) = result["testbed"]["stopped"]
    assert (stopped["program"], stopped["flows"]) == ("client (iperf3)", ["up-1"])
    # It is looked at each 0.1 s.
    assert stopped["seconds"] == pytest.approx(2, abs=0.5)
    assert "flow up-1: its client (iperf3) was stopped for " in err
    assert result["testbed"]["ended_early"] == []


@pytest.mark.long
def test_a_stall_of_the_driver_is_not_to_be_trusted(start: type[Bed]) -> None:
    """It samples the connections seconds after the engine has stopped to carry packets."""
    bed = start("testbed", "gong2006", *TWO, "--duration", "3", "--json")
    bed.wait_for_traffic()
    bed.process.send_signal(signal.SIGSTOP)
    time.sleep(5)
    bed.process.send_signal(signal.SIGCONT)
    result, err = untrusted(bed)
    # It stopped less than 3 s before the end.
    assert result["testbed"]["driver"]["samples_late_s"] > 2
    assert "an end of the measured time was sampled" in err


# --- Clean-up -------------------------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.parametrize(
    ("number", "second", "status"),
    [
        (signal.SIGINT, signal.SIGTERM, 130),
        (signal.SIGTERM, signal.SIGINT, 143),
        (signal.SIGHUP, signal.SIGHUP, 129),
    ],
)
def test_signals_leave_nothing(
    start: type[Bed], number: signal.Signals, second: signal.Signals, status: int
) -> None:
    bed = start("testbed", "gong2006", "--duration", "60")
    bed.wait_for_traffic()
    assert len(bed.left()) > 10
    began = time.monotonic()
    bed.process.send_signal(number)
    time.sleep(0.1)
    bed.process.send_signal(second)  # does not stop the clean-up
    assert bed.finish()[0] == status
    assert time.monotonic() - began < 5
    assert bed.left() == []


def test_a_signal_during_set_up_leaves_nothing(start: type[Bed]) -> None:
    bed = start("testbed", "gong2006", "--duration", "60")
    deadline = time.monotonic() + 30
    while not list(NETNS.glob(f"evenair-{bed.run}-sta-2")):
        assert bed.process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.005)
    bed.process.terminate()
    assert bed.finish()[0] == 143
    assert bed.left() == []


@pytest.mark.long
def test_the_next_start_removes_what_a_killed_one_left(start: type[Bed]) -> None:
    killed = start("testbed", "gong2006", "--duration", "60")
    killed.wait_for_traffic()
    killed.process.kill()
    killed.process.communicate()
    deadline = time.monotonic() + 5
    while killed.processes():  # the kernel kills them
        assert time.monotonic() < deadline
        time.sleep(0.02)
    assert killed.left()
    status, _, err = start("testbed", "gong2006", *TWO, "--duration", "1").finish()
    assert (status, err) == (0, "")
    assert killed.left() == []


def test_a_failure_leaves_nothing(start: type[Bed]) -> None:
    bed = start("testbed", "gong2006", "--duration", "60")
    bed.wait_for_traffic()
    (engine,) = processes_of(bed, b"evenair.testbed.engine")
    os.kill(engine, signal.SIGKILL)
    status, out, err = bed.finish()
    assert (status, out) == (1, "")
    assert err.startswith("evenair: the engine of the test-bed ended")
    assert err.count("\n") == 1
    assert bed.left() == []


def processes_of(bed: Bed, argument: bytes) -> list[int]:
    """The processes of a test-bed that have an argument which ends so."""
    found = []
    for process in Path("/proc").iterdir():
        try:
            arguments = (process / "cmdline").read_bytes().split(b"\0")
            marked = bed.mark.encode() in (process / "environ").read_bytes()
        except OSError:
            continue
        if marked and any(each.endswith(argument) for each in arguments):
            found.append(int(process.name))
    return found


@pytest.mark.long
def test_two_test_beds_do_not_collide(start: type[Bed]) -> None:
    arguments = ["testbed", "gong2006", *TWO, "--duration", "4", "--json"]
    beds = [start(*arguments), start(*arguments)]
    for bed in beds:
        bed.wait_for_traffic()
    assert all(bed.process.poll() is None for bed in beds)
    for bed in beds:
        status, out, err = bed.finish()
        assert (status, err) == (0, "")
        assert json.loads(out)["aggregate_goodput_bps"] > 2e6
        assert bed.left() == []


@pytest.mark.long
def test_keep_leaves_namespaces_until_the_next_start(start: type[Bed]) -> None:
    bed = start("testbed", "gong2006", *TWO, "--duration", "1", "--keep")
    status, _, err = bed.finish()
    assert status == 0
    assert f"evenair-{bed.run}-sta-1" in err
    assert bed.processes() == []
    assert len(bed.left()) > 3
    assert json.loads((FOLDERS / bed.run / "client-0.out").read_text())["start"]
    start("testbed", "gong2006", *TWO, "--duration", "1").finish()
    assert bed.left() == []


# --- The gateway daemon ---------------------------------------------------------------------------


def has_daemon() -> bool:
    try:
        limiter.find()
    except TestbedError:
        return False
    return True


needs_daemon = pytest.mark.skipif(
    "not has_daemon() and os.environ.get('CI') != 'true'", reason="evenaird is not built"
)


@needs_daemon
def test_the_daemon_limits_the_uplink(start: type[Bed]) -> None:
    """At a fixed rate of 1 Mb/s at IP level: of its payload 1460 of 1500 bytes, less the ACKs."""
    bed = start(
        "testbed", "gong2006", *TWO, "--set", "gateway.limiter={kind='fixed',rate='1 Mbps',"
        "bucket='70 KB'}", "--set", "warmup=2", "--duration", "6", "--json",
    )  # fmt: skip
    status, out, err = bed.finish()
    assert (status, err) == (0, "")
    result = json.loads(out)
    up, down = result["flows"]
    assert up["goodput_bps"] < 1e6 * 1460 / 1500 * 1.05
    assert down["goodput_bps"] > 2 * up["goodput_bps"]
    assert result["limiter"]["mean_rate_bps"] == pytest.approx(1e6)
    assert result["limiter"]["packets_dropped"] > 0
    assert result["losses"]["policer"] > 0
    assert bed.left() == []


@needs_daemon
def test_what_the_daemon_refuses_is_bad_input(start: type[Bed]) -> None:
    """A bucket that a GSO super-packet of a real interface would never pass."""
    limited = "gateway.limiter={kind='fixed',rate='1 Mbps',bucket='20 KB'}"
    bed = start("testbed", "gong2006", *TWO, "--set", limited, "--duration", "30")
    began = time.monotonic()
    refused(bed, "gateway.limiter.bucket: got 20000 bytes; accepted: at least")
    assert time.monotonic() - began < 25


@needs_daemon
def test_a_daemon_that_ends_is_noticed(start: type[Bed]) -> None:
    limited = "gateway.limiter={kind='fixed',rate='1 Mbps',bucket='70 KB'}"
    bed = start("testbed", "gong2006", *TWO, "--set", limited, "--duration", "60")
    bed.wait_for_traffic()
    (daemon,) = processes_of(bed, b"evenaird.toml")
    os.kill(daemon, signal.SIGKILL)
    status, out, err = bed.finish(40)
    assert (status, out) == (1, "")
    assert err.startswith("evenair: evenaird has ended with status -9")
    assert err.count("\n") == 1
    assert bed.left() == []
