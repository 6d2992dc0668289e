"""Namespaces, counters of the kernel, iperf3 and web users without the emulated air, as root."""

from __future__ import annotations

import dataclasses
import json
import os
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from evenair import Scenario
from evenair._core import RunError
from evenair.testbed import host, layout
from evenair.testbed.linux import namespaces
from evenair.testbed.linux.namespaces import FOLDERS, NETNS, Namespaces, enter, read_sysctl
from evenair.testbed.linux.processes import Processes, run
from evenair.testbed.linux.tcp_info import Connections
from evenair.testbed.sampler import Sampler
from evenair.testbed.traffic import iperf, web

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


@pytest.mark.parametrize("up", [False, True])
def test_web_users_fetch_or_send_whole_files(
    one: Namespaces, processes: Processes, tmp_path: Path, up: bool
) -> None:
    entry = {
        "flow": 3,
        "port": 7100,
        "address": "127.0.0.1",
        "up": up,
        "traffic_class": 0,
        "control": "reno",
        "receive_buffer": 60_000,
        "size": {"distribution": "trace", "values": [1.0, 300_000.0]},
        "think": 0.01,
        "sessions": 2,
        "start": 0.1,
        "stop": None,
        "seed": 1,
    }
    children, files = [], []
    table = tmp_path / "table.json"
    table.write_text(json.dumps([entry]))
    for role in ("server", "client"):
        files.append(tmp_path / role)
        with files[-1].open("wb") as out:
            command = [sys.executable, "-m", "evenair.testbed.traffic.web", role, str(table)]
            children.append(
                processes.start(command, one.name("server"), stdin=subprocess.PIPE, stdout=out)
            )
        wait_for(lambda: files[-1].stat().st_size > 0)
    stdin = children[1].stdin
    assert stdin is not None
    began = time.monotonic()
    stdin.write(f"{began}\n".encode())
    stdin.flush()
    wait_for(lambda: '"done"' in files[1].read_text())
    time.sleep(0.1)
    events = [json.loads(line) for path in files for line in path.read_text().splitlines()]
    assert sum(e["bytes"] for e in events if e["event"] == "bytes") == 300_001
    transfers: dict[int, dict[str, float]] = {}
    for event in events:
        if event["event"] == "transfer":
            transfers.setdefault(event["port"], {}).update(event)
    assert sorted(t["bytes"] for t in transfers.values()) == [1, 300_000]
    for transfer in transfers.values():
        assert began + 0.1 <= transfer["start"] <= transfer["first"] <= transfer["last"]
        assert transfer["last"] <= transfer["end"] + 1e-3
        # A probe of TLP, if the receiver waits for a processor.
        assert 0 <= transfer["retransmissions"] < transfer["segments"]


def test_errors_that_last_do_not_fill_the_log(capsys: pytest.CaptureFixture[str]) -> None:
    """Nobody listens at the port."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    entry = {
        "flow": 0, "port": port, "address": "127.0.0.1", "up": False, "traffic_class": 0,
        "control": "reno", "receive_buffer": None, "size": 1.0, "think": 0.0, "sessions": None,
        "start": 0.0, "stop": 0.35, "seed": 1,
    }  # fmt: skip
    web.browse(entry, time.monotonic())
    *errors, done = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert (done["event"], {error["event"] for error in errors}) == ("done", {"error"})
    assert 1 <= len(errors) <= 4


def test_a_window_of_a_web_user_may_exceed_the_limit_of_sockets() -> None:
    size = 2 * 2 * int(Path("/proc/sys/net/core/rmem_max").read_text())
    with socket.socket() as sock:
        web._configure(sock, {"traffic_class": 0xA0, "control": "reno", "receive_buffer": size})
        assert sock.getsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF) == size
        assert sock.getsockopt(socket.IPPROTO_IP, socket.IP_TOS) == 0xA0


@pytest.mark.parametrize("program", ["web", "datagrams"])
def test_programs_say_how_they_are_used(program: str) -> None:
    command = [sys.executable, "-m", f"evenair.testbed.traffic.{program}", "proxy", "[]"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 2
    assert "usage" in done.stderr
