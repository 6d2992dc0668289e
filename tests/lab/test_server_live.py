"""What `evenair lab` shows of other programs: sweeps, test-beds, gateway daemons."""

from __future__ import annotations

import asyncio
import contextlib
import http.server
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq
import pytest
from evenair.files.live import LiveFile, is_written
from evenair.lab.feed import Feed
from evenair.lab.gateway import parse
from evenair.testbed import limiter
from evenair.testbed.errors import TestbedError
from lab_server import LabServer, wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.real_time("a server, sweeps, and a gateway that answers")

SCENARIO = """\
duration = "2 s"
[cell]
queue = { kind = "droptail", limit = 50 }
[[station]]
count = 2
flows = [{ direction = "up" }]
"""
VARY = "cell.queue.limit=10,20,30"


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[LabServer]:
    server = LabServer(tmp_path, "--follow=x.parquet", "--follow=testbed")
    yield server
    server.stop()


@pytest.fixture(scope="module")
def one_for_all(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LabServer]:
    """A server for requests that leave nothing in it."""
    server = LabServer(tmp_path_factory.mktemp("lab"))
    yield server
    server.stop()


def rows_of(table: Any) -> list[tuple[Any, ...]]:
    names = ("cell.queue.limit", "seed", "jain_index", "aggregate_goodput_bps")
    return sorted(zip(*(table[name].to_pylist() for name in names), strict=True))


def rows_in(lines: list[Any]) -> list[tuple[Any, ...]]:
    return sorted(
        (
            line["values"]["cell.queue.limit"],
            line["seed"],
            line["metrics"]["jain_index"],
            line["metrics"]["aggregate_goodput_bps"],
        )
        for line in lines
        if "metrics" in line
    )


# --- Sweeps of the page ---------------------------------------------------------------------------


def test_a_sweep_of_the_page_has_the_runs_of_the_command(lab: LabServer, tmp_path: Path) -> None:
    body = {"toml": SCENARIO, "vary": [VARY], "runs": 4, "seed": 5}
    number = lab.post("/api/campaigns", body)["ok"]["number"]
    lines = [*lab.lines(f"/api/campaigns/{number}")]
    assert lines[0]["keys"] == ["cell.queue.limit"]
    assert lines[-1] == {"state": "done", "runs": 12, "failures": []}
    progress = [(line["done"], line["total"]) for line in lines if "done" in line]
    assert progress == sorted(progress)
    assert progress[-1] == (12, 12)
    # A reader that comes later gets the same.
    assert [*lab.lines(f"/api/campaigns/{number}")] == lines

    (tmp_path / "s.toml").write_text(SCENARIO)
    command = ["sweep", "s.toml", f"--vary={VARY}", "--runs=4", "--seed=5", "--out=own.parquet"]
    subprocess.run([sys.executable, "-m", "evenair", *command, "--quiet"], cwd=tmp_path, check=True)
    own = rows_of(pq.read_table(tmp_path / "own.parquet"))
    assert rows_in(lines) == own
    file = lab.ask("GET", f"/api/campaigns/{number}/file")
    assert file.headers["Content-Type"] == "application/vnd.apache.parquet"
    (tmp_path / "got.parquet").write_bytes(file.body)
    assert rows_of(pq.read_table(tmp_path / "got.parquet")) == own
    assert not [*tmp_path.glob("own.parquet.live")]


@pytest.mark.long
def test_a_sweep_of_one_short_run_is_seen(lab: LabServer) -> None:
    number = lab.post("/api/campaigns", {"toml": SCENARIO, "vary": [], "runs": 1})["ok"]["number"]
    about, *lines = lab.lines(f"/api/campaigns/{number}")
    assert about["keys"] == []
    assert [line["seed"] for line in lines if "metrics" in line] == [1]
    assert lines[-1]["state"] == "done"


@pytest.mark.long
def test_a_sweep_is_stopped_and_continued_in_the_file_that_is_kept(
    lab: LabServer, tmp_path: Path
) -> None:
    body = {
        "toml": SCENARIO.replace("2 s", "100 s"),
        "vary": [VARY],
        "runs": 100,
        "keep": "k.parquet",
    }
    lab.post("/api/campaigns", body)
    other = lab.ask("POST", "/api/campaigns", body)
    assert other.status == 409
    stream = lab.lines("/api/campaigns/1")
    for line in stream:
        if line.get("done", 0) >= 3:
            break
    assert lab.post("/api/campaigns/1/stop", {})["ok"]["state"] == "cancelled"
    assert [*stream][-1] == {"state": "cancelled"}
    stream.close()
    assert not (tmp_path / "k.parquet.live").exists()
    # The same again has what is done at once.
    again = {**body, "toml": body["toml"], "runs": 1}
    number = lab.post("/api/campaigns", again)["ok"]["number"]
    lines = [*lab.lines(f"/api/campaigns/{number}")]
    assert lines[-1]["state"] == "done"
    assert lines[-1]["runs"] == 3
    assert lab.ask("DELETE", f"/api/campaigns/{number}").status == 204
    assert (tmp_path / "k.parquet").exists()
    assert [each["number"] for each in lab.ask("GET", "/api/campaigns").json] == [1]


def test_a_file_that_is_there_is_neither_read_nor_replaced(lab: LabServer, tmp_path: Path) -> None:
    (tmp_path / "own.parquet").write_text("not for pages")
    body = {"toml": SCENARIO, "vary": [VARY], "runs": 1, "keep": "own.parquet"}
    lab.post("/api/campaigns", body)
    (*_, line) = lab.lines("/api/campaigns/1")
    assert line["state"] == "failed"
    assert "own.parquet: is not a table of a campaign" in line["message"]
    assert lab.ask("GET", "/api/campaigns/1/file").status == 404
    assert lab.ask("DELETE", "/api/campaigns/1").status == 204
    assert (tmp_path / "own.parquet").read_text() == "not for pages"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"vary": ["cell.queue.limt=1"]}, "limt"),
        ({"vary": ["x"]}, "expected KEY="),
        ({"toml": "x ="}, "scenario"),
        ({"runs": 200_000}, "at most 100000 in all"),
    ],
)
def test_a_sweep_that_is_not_valid(
    one_for_all: LabServer, change: dict[str, Any], message: str
) -> None:
    body = {"toml": SCENARIO, "vary": [VARY], "runs": 1, **change}
    number = one_for_all.post("/api/campaigns", body)["ok"]["number"]
    (*_, line) = one_for_all.lines(f"/api/campaigns/{number}")
    assert line["state"] == "failed"
    assert message in line["message"]
    assert "\n" not in line["message"]
    assert one_for_all.ask("DELETE", f"/api/campaigns/{number}").status == 204


@pytest.mark.parametrize(
    "change",
    [
        {"keep": "/tmp/x.parquet"},
        {"keep": "../x.parquet"},
        {"keep": ".parquet"},
        {"keep": "x.csv"},
        {"keep": "a\\b.parquet"},
        {"vary": "a=1"},
        {"vary": [1]},
        {"runs": 0},
        {"more": 1},
    ],
)
def test_a_request_for_a_sweep_that_is_refused(
    one_for_all: LabServer, change: dict[str, Any]
) -> None:
    body = {"toml": SCENARIO, "vary": [VARY], "runs": 1, **change}
    assert one_for_all.ask("POST", "/api/campaigns", body).status == 400
    assert one_for_all.ask("GET", "/api/campaigns").json == []


# --- Sweeps of the command ------------------------------------------------------------------------


def sweep(folder: Path, *arguments: str) -> subprocess.Popen[bytes]:
    (folder / "s.toml").write_text(SCENARIO.replace("2 s", "50 s"))
    command = ["sweep", "s.toml", f"--vary={VARY}", "--out=x.parquet", "--quiet", *arguments]
    return subprocess.Popen([sys.executable, "-m", "evenair", *command], cwd=folder)


@pytest.mark.long
def test_it_follows_a_sweep_that_is_interrupted_and_continued(
    lab: LabServer, tmp_path: Path
) -> None:
    assert lab.ask("GET", "/api/about").json["live"][0] == {"kind": "sweep", "name": "x.parquet"}
    stream = lab.lines("/api/live/0")
    assert next(stream) == {"state": "waiting"}
    process = sweep(tmp_path, "--runs=1000")
    first = []
    for line in stream:
        first.append(line)
        if line.get("done", 0) >= 5:
            break
    process.send_signal(signal.SIGTERM)
    assert process.wait(timeout=30) == 143
    first += stream.until("ended")
    assert first[:2] == [{"state": "running"}, first[1]]
    assert first[1]["keys"] == ["cell.queue.limit"]
    assert not (tmp_path / "x.parquet.live").exists()
    stored = rows_in(first)

    process = sweep(tmp_path, "--runs=60")  # most of them are new, so that it takes a second
    assert process.wait(timeout=60) == 0
    second = stream.until("ended")
    assert rows_in(second) == rows_of(pq.read_table(tmp_path / "x.parquet"))
    assert {row for row in stored if row[1] <= 60} <= {*rows_in(second)}
    stream.close()


def test_a_sweep_that_is_killed_has_ended(lab: LabServer, tmp_path: Path) -> None:
    process = sweep(tmp_path, "--runs=1000")
    stream = lab.lines("/api/live/0")
    stream.until("running")
    process.kill()
    process.wait()
    stream.until("ended")
    assert (tmp_path / "x.parquet.live").exists()  # nobody could remove it
    process = sweep(tmp_path, "--runs=30")
    stream.until("ended")
    assert process.wait(timeout=60) == 0
    assert not (tmp_path / "x.parquet.live").exists()
    stream.close()


def test_readers_that_have_gone_are_forgotten(lab: LabServer, tmp_path: Path) -> None:
    """Each reader has the live file open."""

    def opened() -> int:
        found = 0
        for entry in Path(f"/proc/{lab.process.pid}/fd").iterdir():
            with contextlib.suppress(OSError):  # closed in between
                found += "x.parquet.live" in str(entry.readlink())
        return found

    process = sweep(tmp_path, "--runs=1000")
    streams = [lab.lines("/api/live/0") for _ in range(4)]
    for stream in streams:
        stream.until("running")
    assert opened() == 4
    for stream in streams:
        stream.close()
    wait_until(lambda: opened() == 0)
    process.terminate()
    process.wait(timeout=30)


def test_a_sweep_goes_on_where_its_live_file_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "x.parquet.live").mkdir()
    assert sweep(tmp_path, "--runs=1").wait(timeout=60) == 0
    assert pq.read_table(tmp_path / "x.parquet").num_rows == 3


def test_who_writes_a_live_file(tmp_path: Path) -> None:
    path = tmp_path / "live"
    with LiveFile(path, {"kind": "sweep"}) as writer:
        writer.write("{}")
        with path.open("rb") as file:
            assert is_written(file)
            assert [json.loads(line) for line in file] == [{"kind": "sweep"}, {}]
            writer.close()
            assert not is_written(file)
    assert not path.exists()


def test_an_interrupted_writer_leaves_no_live_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C comes when the file has been made, and is not yet known to its writer."""
    path = tmp_path / "live"

    def interrupted(self: Path, mode: str, buffering: int) -> None:
        self.touch()
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "open", interrupted)
    with pytest.raises(KeyboardInterrupt):
        LiveFile(path, {})
    assert not path.exists()


# --- Test-beds ------------------------------------------------------------------------------------


def has_daemon() -> bool:
    try:
        limiter.find()
    except TestbedError:
        return False
    return True


CAN_EMULATE = os.geteuid() == 0 and Path("/dev/net/tun").exists() and shutil.which("iperf3")


@pytest.mark.long
@pytest.mark.skipif(
    not CAN_EMULATE and os.environ.get("CI") != "true",
    reason="the test-bed needs root, /dev/net/tun and iperf3",
)
def test_it_follows_a_test_bed(lab: LabServer, tmp_path: Path) -> None:
    stream = lab.lines("/api/live/1")
    assert next(stream) == {"state": "waiting"}
    one = ["--set=station.0.count=1", "--set=station.1.count=1", "--set=warmup=1"]
    command = ["testbed", "gong2006", *one, "--duration=4", "--max-lateness=1 s", "--json"]
    done = subprocess.run(
        [sys.executable, "-m", "evenair", *command],
        cwd=tmp_path,
        capture_output=True,
        check=True,
        timeout=120,
    )
    result = json.loads(done.stdout)
    (_, about, *lines) = stream.until("ended")
    stream.close()
    assert about["kind"] == "testbed"
    assert about["scenario"] == result["scenario"]
    assert [flow["id"] for flow in about["flows"]] == [flow["id"] for flow in result["flows"]]
    samples = [line for line in lines if "flows" in line]
    times = [sample["time_s"] for sample in samples]
    assert times == sorted(times)
    assert len(times) >= 4
    # From the same counters as the result, whose goodput is over the four seconds from 1 s on. The
    # samples, one each second, are within them.
    first = next(sample for sample in samples if sample["time_s"] >= 1)
    all_of_them = part_of_them = 0.0
    for flow in result["flows"]:
        before, after = (
            sample["flows"][flow["id"]]["acked_bytes"] for sample in (first, samples[-1])
        )
        measured = flow["goodput_bps"] * 4 / 8
        assert 0 <= after - before <= 1.01 * measured
        all_of_them += measured
        part_of_them += after - before
    assert part_of_them > 0.25 * all_of_them


# --- Gateway daemons ------------------------------------------------------------------------------

METRICS = """\
# TYPE evenaird_build info
# HELP evenaird_build Version of the daemon.
evenaird_build_info{{interface="eth1",version="0.1.0"}} 1
# TYPE evenaird_rate_bps gauge
evenaird_rate_bps{{interface="eth1"}} {rate}
# TYPE evenaird_throughput_bps gauge
evenaird_throughput_bps{{interface="eth1",direction="up",traffic="all"}} 3.1e6
# EOF
"""


@contextlib.contextmanager
def daemon(text: str, status: int = 200) -> Iterator[int]:
    """Metrics at a port."""

    class Handler(http.server.BaseHTTPRequestHandler):
        rate = 2_000_000

        def do_GET(self) -> None:
            body = text.format(rate=Handler.rate).encode()
            Handler.rate += 1000
            self.send_response(status if self.path == "/metrics" else 404)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *arguments: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.mark.long
def test_it_follows_a_gateway_daemon(tmp_path: Path) -> None:
    with daemon(METRICS) as port:
        server = LabServer(tmp_path, f"--follow=127.0.0.1:{port}")
        try:
            stream = server.lines("/api/live/0")
            lines = [next(stream) for _ in range(3)]
            rates = [line["samples"]["evenaird_rate_bps"] for line in lines]
            assert rates == [2_000_000, 2_001_000, 2_002_000]
            throughput = 'evenaird_throughput_bps{direction="up",traffic="all"}'
            assert lines[0]["samples"][throughput] == 3_100_000
            times = [line["unix_s"] for line in lines]
            assert times == sorted(times)
            # Another reader gets what was read before.
            other = server.lines("/api/live/0")
            assert next(other) == lines[0]
            stream.close()
            other.close()
        finally:
            server.stop()


@pytest.fixture
def evenaird(tmp_path: Path) -> Iterator[str]:
    """A real daemon in a namespace of its own, and where its metrics are."""
    namespace = f"evenair-test-{os.getpid()}"
    inside = ["ip", "netns", "exec", namespace]
    listen = f"unix:{tmp_path}/metrics.socket"
    configuration = tmp_path / "evenaird.toml"
    configuration.write_text(
        f'interface = "ap0"\nmode = "observe"\nruntime_directory = "{tmp_path}/run"\n'
        'limiter = { kind = "adaptive", interval = "1 s" }\n'
        'loss_signal = { kind = "local", device = "ap0", counter = "device" }\n'
        f'metrics = {{ listen = "{listen}" }}\n'
    )
    subprocess.run(["ip", "netns", "add", namespace], check=True)
    try:
        subprocess.run([*inside, "ip", "tuntap", "add", "ap0", "mode", "tun"], check=True)
        subprocess.run([*inside, "ip", "link", "set", "ap0", "up"], check=True)
        process = subprocess.Popen([*inside, limiter.find(), "run", str(configuration)])
        yield listen
        process.terminate()
        process.wait(timeout=30)
    finally:
        subprocess.run(["ip", "netns", "delete", namespace], check=True)


@pytest.mark.long
@pytest.mark.skipif(
    not (CAN_EMULATE and has_daemon()) and os.environ.get("CI") != "true",
    reason="needs root, /dev/net/tun and evenaird",
)
def test_it_reads_the_metrics_of_the_real_daemon(evenaird: str, tmp_path: Path) -> None:
    server = LabServer(tmp_path, f"--follow={evenaird}")
    try:
        stream = server.lines("/api/live/0")
        stream.until("running")
        first, second = next(stream)["samples"], next(stream)["samples"]
        stream.close()
    finally:
        server.stop()
    assert second["evenaird_rounds_total"] >= first["evenaird_rounds_total"]
    assert first['evenaird_mode{evenaird_mode="observe"}'] == 1
    # What the page shows.
    for direction in ("up", "down"):
        assert f'evenaird_throughput_bps{{direction="{direction}",traffic="all"}}' in second
    assert second["evenaird_rate_bps"] == 6_000_000  # the default of max_rate; nothing was lost


def test_addresses_without_metrics(tmp_path: Path) -> None:
    answers = [(METRICS, 500, "500"), ("<html>", 200, "not OpenMetrics"), ("a 1\n", 200, "# EOF")]
    with contextlib.ExitStack() as daemons:
        ports = [daemons.enter_context(daemon(text, status)) for text, status, _ in answers]
        none = f"--follow=unix:{tmp_path}/none.socket"
        addresses = [f"--follow=http://127.0.0.1:{port}/metrics" for port in ports]
        server = LabServer(tmp_path, none, *addresses)
        try:
            stream = server.lines("/api/live/0")
            assert next(stream)["state"] == "waiting"
            stream.close()
            for number, (*_, reason) in enumerate(answers, 1):
                stream = server.lines(f"/api/live/{number}")
                line = next(stream)
                assert line["state"] == "waiting"
                assert reason in line["reason"]
                stream.close()
        finally:
            server.stop()


@pytest.mark.long
@pytest.mark.parametrize(
    "text",
    ["a{{" + "a" * 60_000 + "}} 1\n# EOF\n", "a{{" + "a" * 900_000, 'a{{a="' + '\\"' * 400_000],
    ids=["label", "large label", "escapes"],
)
def test_hostile_metrics_do_not_keep_the_lab(tmp_path: Path, text: str) -> None:
    """A label of 60,000 characters kept it for 40 s, and Ctrl-C with it."""
    with daemon(text) as port:
        server = LabServer(tmp_path, f"--follow=127.0.0.1:{port}")
        try:
            stream = server.lines("/api/live/0")
            for _ in range(2):
                assert "not OpenMetrics" in next(stream)["reason"]
            began = time.monotonic()
            assert server.ask("GET", "/api/about").status == 200
            stream.close()
        finally:
            server.stop()
        assert time.monotonic() - began < 10


@pytest.mark.long
def test_metrics_that_never_end_are_given_up(tmp_path: Path) -> None:
    """One byte at a time: the time is that of the whole answer."""
    listening = socket.create_server(("127.0.0.1", 0))

    def drip() -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = listening.accept()
                with connection, contextlib.suppress(OSError):
                    connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
                    while True:
                        connection.sendall(b"a")
                        time.sleep(0.1)

    thread = threading.Thread(target=drip)
    thread.start()
    server = LabServer(tmp_path, f"--follow=127.0.0.1:{listening.getsockname()[1]}")
    try:
        stream = server.lines("/api/live/0")
        assert next(stream) == {"state": "waiting", "reason": "no answer in time"}
        stream.close()
    finally:
        server.stop()
        listening.shutdown(socket.SHUT_RDWR)
        listening.close()
        thread.join()


def test_a_feed_keeps_so_many_bytes() -> None:
    async def kept(feed: Feed) -> bytes:
        for number in range(100):
            feed.add(b"%09d\n" % number)
        feed.end()
        return b"".join([block async for block in feed.lines()])

    assert asyncio.run(kept(Feed())).count(b"\n") == 100
    assert asyncio.run(kept(Feed(7))).split() == [b"%09d" % n for n in range(93, 100)]
    assert asyncio.run(kept(Feed(50, 35))).split() == [b"%09d" % n for n in range(97, 100)]


def test_openmetrics() -> None:
    text = (
        "# TYPE a counter\n"
        'a_total{interface="x,y=\\"z\\"",b="1"} 7 1700000000.5\n'
        'a_total{interface="x"} 8\n'
        "c NaN\n"
        "# EOF\n"
    )
    samples = parse(text)
    assert samples['a_total{b="1"}'] == 7
    assert samples["a_total"] == 8
    assert "c" not in samples
