"""Namespaces, counters of the kernel, iperf3 and applications without the emulated air, as root."""

from __future__ import annotations

import dataclasses
import json
import os
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from evenair import Scenario
from evenair import run as simulate
from evenair._core import RunError
from evenair.testbed import host, layout
from evenair.testbed.linux import namespaces
from evenair.testbed.linux.namespaces import FOLDERS, NETNS, Namespaces, enter, read_sysctl
from evenair.testbed.linux.processes import Processes, run
from evenair.testbed.linux.tcp_info import Connections
from evenair.testbed.sampler import Sampler
from evenair.testbed.traffic import application, iperf, sessions

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = [
    pytest.mark.real_time("programs of the test-bed"),
    pytest.mark.skipif(
        "os.geteuid() != 0 and os.environ.get('CI') != 'true'",
        reason="network namespaces need root",
    ),
]


def plan_of(**flow: object) -> layout.Plan:
    flows = [{"direction": "up", "start": 0, **flow}]
    return layout.plan(Scenario(station=[{"flows": flows}], duration=3).resolved)


@pytest.fixture
def processes() -> Iterator[Processes]:
    children = Processes()
    yield children
    children.stop()


@pytest.fixture
def one(processes: Processes) -> Iterator[Namespaces]:
    """Namespaces of one station, server and gateway, with loopback devices only."""
    made = Namespaces(plan_of())
    made.create()
    yield made
    processes.stop()
    made.remove()


def left_behind(owner: int | None = None) -> list[str]:
    run_name = f"{owner or os.getpid():x}"
    names = [p.name for p in NETNS.glob(f"evenair-{run_name}-*")]
    mounts = [
        line
        for line in Path("/proc/mounts").read_text().split("\n")
        if f"evenair-{run_name}-" in line
    ]
    return names + mounts + [str(p) for p in FOLDERS.glob(run_name)]


def test_namespaces_are_made_and_removed() -> None:
    before = Path("/proc/self/ns/net").stat().st_ino
    made = Namespaces(plan_of())
    made.create()
    try:
        assert len([n for n in left_behind() if n.startswith("evenair")]) == 3
        inodes = {
            enter(made.path(n), lambda: Path("/proc/thread-self/ns/net").stat().st_ino)
            for n in ("sta-1", "server", "gateway")
        }
        assert len(inodes | {before}) == 4
        assert made.folder.stat().st_mode & 0o777 == 0o700
    finally:
        made.remove()
    assert left_behind() == []
    made.remove()  # what is gone is no error
    assert Path("/proc/self/ns/net").stat().st_ino == before


def test_test_beds_of_a_process_do_not_collide(one: Namespaces) -> None:
    """One that is kept, or that another thread has, is not that of the next."""
    other = Namespaces(plan_of())
    other.remove()  # not made yet: removes nothing
    other.create()
    try:
        assert other.path("sta-1") != one.path("sta-1")
        assert Path(other.path("sta-1")).exists()
        assert other.folder != one.folder
    finally:
        other.remove()
    assert not Path(other.path("sta-1")).exists()
    assert Path(one.path("sta-1")).exists()
    assert one.folder.exists()


def test_a_strict_reverse_path_filter_of_the_host_is_not_inherited(one: Namespaces) -> None:
    plan = plan_of()
    for node in plan.nodes:
        for device in ("all", "default"):
            one.set(node.name, f"net.ipv4.conf.{device}.rp_filter", "1")
    add_devices(one)
    one.configure({}, {})
    one.connect_controls()
    for node in plan.nodes:
        for device in ("all", *node.devices):
            name = f"net.ipv4.conf.{device}.rp_filter"
            assert one.inside(node.name, lambda name=name: read_sysctl(name)) == "0"
    name = "net.ipv4.conf.control.rp_filter"
    assert one.inside("sta-1", lambda: read_sysctl(name)) == "0"


def add_devices(made: Namespaces) -> None:
    """Make the devices that otherwise the engine makes."""
    for node in plan_of().nodes:
        for device in node.devices:
            run("ip", "-n", made.name(node.name), "tuntap", "add", "mode", "tun", "name", device)


def test_a_kernel_without_ipv6_is_good_enough(
    one: Namespaces, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(namespaces, "_IPV6", tmp_path / "ipv6")
    add_devices(one)
    one.configure({}, {})
    shown = ["ip", "-n", one.name("sta-1"), "-o", "address", "show", "dev", "wlan0"]
    said = subprocess.run(shown, capture_output=True, text=True, check=True).stdout
    assert "10.77.0.1" in said
    assert "fd77" not in said
    assert one.inside("gateway", lambda: read_sysctl("net.ipv6.conf.all.forwarding")) == "0"


def test_sysctls_are_of_the_namespace(one: Namespaces) -> None:
    host_value = read_sysctl("net.ipv4.tcp_rmem")
    one.set("server", "net.ipv4.tcp_rmem", "4096 50000 60000")
    assert one.inside("server", lambda: read_sysctl("net.ipv4.tcp_rmem")) == "4096 50000 60000"
    assert read_sysctl("net.ipv4.tcp_rmem") == host_value
    with pytest.raises(RunError, match=r"net\.ipv4\.no_such"):
        one.set("server", "net.ipv4.no_such", "1")


def test_what_a_dead_owner_left_is_removed_and_what_a_live_one_has_is_not(one: Namespaces) -> None:
    dead = subprocess.Popen(["true"])
    dead.wait()
    names = [f"evenair-{dead.pid:x}-sta-1", f"evenair-{dead.pid:x}.2-sta-1"]
    for name in names:
        run("ip", "netns", "add", name)
    folder = FOLDERS / f"{dead.pid:x}"
    folder.mkdir()
    live = subprocess.Popen(["sleep", "60"])
    other = f"evenair-{live.pid:x}-sta-1"
    run("ip", "netns", "add", other)
    try:
        namespaces.remove_abandoned()
        assert left_behind(dead.pid) == []
        assert not (NETNS / names[1]).exists()
        assert other in left_behind(live.pid)
        assert len(left_behind()) >= 4  # our own
    finally:
        live.kill()
        live.wait()
        namespaces.remove_abandoned()
    assert left_behind(live.pid) == []


def test_a_process_that_got_the_id_of_the_owner_does_not_keep_its_namespaces(
    tmp_path: Path,
) -> None:
    made = tmp_path / "made"
    made.touch()
    assert not namespaces._is_gone(os.getpid(), made)
    # The file is older than the process: another one made it. Its ctime cannot be set.
    late = subprocess.Popen(["sleep", "60"])
    try:
        old = Path("/etc/hostname")
        assert old.stat().st_ctime < time.time() - 60
        assert namespaces._is_gone(late.pid, old)
    finally:
        late.kill()
        late.wait()


def test_children_end_with_their_parent() -> None:
    """Even if the parent is killed, as with SIGKILL."""
    program = (
        "import sys, time; from evenair.testbed.linux.processes import Processes;"
        "print(Processes().start(['sleep', '60']).pid, flush=True); time.sleep(60)"
    )
    parent = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    parent.stdout.close()
    assert Path(f"/proc/{child}").exists()
    parent.kill()
    parent.wait()
    deadline = time.monotonic() + 5
    while is_running(child):
        assert time.monotonic() < deadline
        time.sleep(0.01)


def is_running(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_a_process_that_ignores_sigterm_is_killed(processes: Processes) -> None:
    child = processes.start(["sh", "-c", "trap '' TERM; echo; sleep 60"], stdout=subprocess.PIPE)
    assert child.stdout is not None
    child.stdout.readline()
    processes.stop()
    assert child.returncode == -9


def test_a_command_that_fails_says_why() -> None:
    with pytest.raises(RunError, match=r"^ip netns delete evenair-no-such: .*evenair-no-such"):
        run("ip", "netns", "delete", "evenair-no-such")
    with pytest.raises(RunError, match=r"^no-such-program: not found"):
        run("no-such-program")


def test_counters_of_a_connection_are_those_of_the_kernel(one: Namespaces) -> None:
    def connect() -> tuple[socket.socket, socket.socket]:
        with socket.create_server(("127.0.0.1", 7000)) as listener:
            client = socket.create_connection(("127.0.0.1", 7000))
            return client, listener.accept()[0]

    connections = Connections(one.path("server"))
    client, server = one.inside("server", connect)
    with client, server:
        client.sendall(bytes(100_000))
        received = 0
        while received < 100_000:
            received += len(server.recv(100_000))
        found = {c.remote_port: c for c in connections.list()}
        sending = found[7000].info
        receiving = found[client.getsockname()[1]].info
        assert sending is not None
        assert receiving is not None
        # The SYN counts as a byte (RFC 4898, tcpEStatsAppHCThruOctetsAcked, as Linux has it).
        assert sending.bytes_acked in (100_000, 100_001)
        assert receiving.bytes_received == 100_000
        assert sending.retransmissions == 0
        assert sending.timeouts in (0, None)
        assert 0 < sending.data_segments < 100
        assert 0 < sending.rtt_s < 1
    connections.close()


@pytest.mark.parametrize("control", ["reno", "cubic"])
def test_iperf3_is_driven_and_sampled(
    one: Namespaces, processes: Processes, tmp_path: Path, control: str
) -> None:
    """Over the loopback device of a namespace that is both station and server."""
    assert control in host.available_controls()
    flow = dataclasses.replace(plan_of(stop=1).flows[0], sender="server", receiver="server")
    output = tmp_path / "client.json"
    processes.start(iperf.server_command(flow), one.name("server"), stdout=subprocess.DEVNULL)
    connections = Connections(one.path("server"))
    wait_for(lambda: any(c.listens and c.local_port == flow.port for c in connections.list()))
    connections.close()
    command = iperf.client_command(flow, "127.0.0.1", control, 1500, 3.0)
    with output.open("wb") as out:
        client = processes.start(command, one.name("server"), stdout=out)
    sampler = Sampler([flow], {"server": one.path("server")})
    samples = sampler.samples[flow.index]

    def sampled() -> bool:
        sampler.sample(0.5, measured=True)
        return samples.grown("bytes_acked") > 1_000_000

    wait_for(sampled)
    client.wait(5)
    report = json.loads(output.read_text())
    assert report["end"]["sender_tcp_congestion"] == control
    assert samples.grown("bytes_acked") <= report["end"]["sum_sent"]["bytes"] + 100
    assert samples.rtts_s
    sampler.close()


def wait_for(condition: object, seconds: float = 5.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():  # type: ignore[operator]
        assert time.monotonic() < deadline
        time.sleep(0.01)


def outcome_of(
    one: Namespaces, processes: Processes, folder: Path, scenario: Scenario
) -> dict[str, Any]:
    """What the program of the only flow reports, over the loopback device of a namespace."""
    plan = layout.plan(scenario.resolved)
    (flow,) = plan.flows
    (folder / "scenario.json").write_text(json.dumps(plan.resolved))
    paths = {node: one.path("server") for node in (flow.sender, flow.receiver)}
    table = application.table(flow, plan, paths, folder, 1)
    table["addresses"] = {"sender": "127.0.0.1", "receiver": "127.0.0.1"}
    table |= {"control": "reno", "receive_buffer": 400_000, "source_port": 20001, "header": 0}
    (folder / "table.json").write_text(json.dumps(table))
    module = "sessions" if flow.is_session else "datagrams"
    program = processes.start(
        [sys.executable, "-m", f"evenair.testbed.traffic.{module}", str(folder / "table.json")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert program.stdin is not None
    assert program.stdout is not None
    assert program.stdout.readline() == b"ready\n"
    program.stdin.write(f"{time.monotonic()}\n".encode())
    program.stdin.flush()
    outcome = json.loads(program.stdout.readline())
    assert program.wait(5) == 0
    assert outcome["errors"] == []
    return dict(outcome)


def scenario_of(flow: dict[str, object], direction: str = "down", **keys: object) -> Scenario:
    return Scenario(
        station=[{"flows": [{"direction": direction, "start": 0, **flow}]}],
        **{"warmup": 0, "duration": 2, **keys},
    )


@pytest.mark.parametrize("opened_by", ["sender", "receiver"])
@pytest.mark.parametrize("request_bytes", [0, 350])
def test_web_users_have_whole_files(
    one: Namespaces, processes: Processes, tmp_path: Path, opened_by: str, request_bytes: int
) -> None:
    web = {
        "kind": "web",
        "size": {"distribution": "trace", "values": [1.0, 300_000.0]},
        "think": 0.1,
        "sessions": 2,
        "opened_by": opened_by,
        "request": request_bytes if opened_by == "receiver" else 0,
    }
    outcome = outcome_of(one, processes, tmp_path, scenario_of({"application": web}))
    small, large = outcome["sessions"]
    assert (small["bytes"], large["bytes"]) == (1, 300_000)
    assert outcome["flow"]["goodput_bps"] == pytest.approx(8 * 300_001 / 2)
    # The loopback device has an MTU of 65,536 bytes.
    assert 6 <= outcome["flow"]["segments_sent"] < 100
    for session in (small, large):
        assert session["flow"] == "down-1"
        assert session["start_s"] < session["first_byte_s"] <= session["last_byte_s"]
        assert session["last_byte_s"] <= session["end_s"] < session["start_s"] + 0.2
    assert small["start_s"] == pytest.approx(0.1)
    assert large["start_s"] == pytest.approx(small["end_s"] + 0.1)


@pytest.mark.parametrize("keeping", ["kept", "new"])
def test_a_page_has_all_of_its_objects(
    one: Namespaces, processes: Processes, tmp_path: Path, keeping: str
) -> None:
    page = {"kind": "page", "objects": 20, "depth": 3, "keeping": keeping, "think": 0.1, "pages": 3}
    outcome = outcome_of(one, processes, tmp_path, scenario_of({"application": page}))
    assert [session["bytes"] for session in outcome["sessions"]] == [20 * 18_667] * 3
    assert outcome["flow"]["page_load_s"]["n"] == 3
    assert outcome["flow"]["goodput_bps"] == pytest.approx(8 * 3 * 20 * 18_667 / 2)


def test_files_come_when_they_come_in_the_simulator(
    one: Namespaces, processes: Processes, tmp_path: Path
) -> None:
    """The same seed: the same sizes at the same times, whatever the network is like."""
    arrivals = {
        "kind": "arrivals",
        "size": "10 KB",
        "gap": {"distribution": "exponential", "mean": 0.03},
    }
    scenario = scenario_of({"application": arrivals})
    outcome = outcome_of(one, processes, tmp_path, scenario)
    simulated = simulate(scenario, seed=1).document["sessions"]
    assert len(simulated) > 30
    count = min(len(simulated), len(outcome["sessions"]))
    for key in ("start_s", "bytes"):
        found, expected = (
            [session[key] for session in sorted(each, key=lambda one: one["start_s"])][: count - 5]
            for each in (outcome["sessions"], simulated)
        )
        assert found == expected, key
    completion = outcome["flow"]["completion_s"]
    assert completion["n"] == outcome["flow"]["arrivals"]["finished"]
    # The loopback device is faster than the cell in which a transfer alone is simulated.
    assert 0 < completion["slowdown"] < 1


def test_a_viewer_has_chunks(one: Namespaces, processes: Processes, tmp_path: Path) -> None:
    outcome = outcome_of(one, processes, tmp_path, scenario_of({"application": "stream"}))
    assert outcome["sessions"] == []
    assert outcome["flow"]["chunks"] > 5
    assert outcome["flow"]["stalls_s"] == 0


def test_datagrams_have_receivers(one: Namespaces, processes: Processes, tmp_path: Path) -> None:
    udp = {"transport": "udp"}
    call = outcome_of(one, processes, tmp_path, scenario_of({**udp, "application": "voip"}))["flow"]
    assert call["segments_sent"] == 100  # one each 20 ms
    assert (call["loss_ratio"], call["late_ratio"]) == (0, 0)
    # ITU-T G.107: the default of R is 93.2, less what a delay below 100 ms takes; MOS 4.4.
    assert call["mos"] == pytest.approx(4.4, abs=0.05)
    assert 0 < call["one_way_delay_s"]["p50"] < 5e-3
    ping = {**udp, "application": {"kind": "ping", "interval": 0.1}}
    echoes = outcome_of(one, processes, tmp_path, scenario_of(ping))["flow"]
    assert (echoes["segments_sent"], echoes["packets_lost"]) == (20, 0)
    assert echoes["one_way_delay_s"]["p50"] < echoes["rtt_s"]["p50"] < 10e-3
    packets = {"kind": "trace", "packets": [[0, 128], [0, 29], [0.2, 30]], "repeat": 0.5}
    trace = outcome_of(one, processes, tmp_path, scenario_of({**udp, "application": packets}))[
        "flow"
    ]
    # Less 28 bytes of headers: 103 bytes in each of four rounds.
    assert trace["goodput_bps"] == pytest.approx(8 * 4 * 103 / 2)
    assert trace["segments_sent"] == 12


def test_a_window_of_a_session_may_exceed_the_limit_of_sockets() -> None:
    size = 2 * 2 * int(Path("/proc/sys/net/core/rmem_max").read_text())
    table = {"traffic_class": 0xA0, "control": "reno", "receive_buffer": size}
    with socket.socket() as sock:
        sessions.configure(sock, table)
        assert sock.getsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF) == size
        assert sock.getsockopt(socket.IPPROTO_IP, socket.IP_TOS) == 0xA0


@pytest.mark.parametrize("program", ["sessions", "datagrams"])
def test_programs_say_how_they_are_used(program: str) -> None:
    command = [sys.executable, "-m", f"evenair.testbed.traffic.{program}"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 2
    assert "usage" in done.stderr
