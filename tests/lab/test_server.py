"""`evenair lab`: who may use it, what it answers, and how it ends."""

from __future__ import annotations

import gzip
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from evenair._core import Scenario as CoreScenario
from evenair._core import air_trace as core_air_trace
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lab_server import ROOT, LabServer, wait_until, write_page

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evenair_command import Evenair

pytestmark = pytest.mark.real_time("a server and its answers")

SHORT = 'duration = "2 s"\n[[station]]\ncount = 2\nflows = [{ direction = "up" }]\n'
ENDLESS = SHORT.replace("2 s", "100000 s")
"""Takes minutes, if nobody ends it."""


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LabServer]:
    server = LabServer(tmp_path_factory.mktemp("lab"), "gong2006")
    yield server
    status, errors = server.stop()
    assert status == 143
    assert errors == "evenair: the lab has ended\n"


# --- What it answers ------------------------------------------------------------------------------


def test_about_says_what_serves(lab: LabServer) -> None:
    about = lab.ask("GET", "/api/about").json
    version = subprocess.check_output([sys.executable, "-m", "evenair", "--version"], text=True)
    assert f"evenair {about['version']}" == version.strip()
    assert about["parallel"] == len(os.sched_getaffinity(0))
    scenario = ROOT / "python" / "evenair" / "scenarios" / "gong2006.toml"
    assert about["scenario"] == scenario.read_text()


@pytest.mark.parametrize("name", ["gong2006", "tsiknas2012-wimax"])
def test_a_run_is_what_the_command_prints(lab: LabServer, name: str, tmp_path: Path) -> None:
    text = (ROOT / "python" / "evenair" / "scenarios" / f"{name}.toml").read_text()
    path = tmp_path / "scenario.toml"
    path.write_text(text)
    command = [sys.executable, "-m", "evenair", "run", str(path), "--seed=7", "--json"]
    printed = subprocess.run(command, capture_output=True, check=True).stdout.decode()
    answer = lab.ask("POST", "/api/run", {"toml": text, "seed": 7}).body.decode()
    # As text: numbers to the last digit, keys in their order. The wall-clock time is no result.
    expected = re.sub(r',?"wall_s":[0-9.e-]+', "", printed.strip())
    assert expected in answer


def test_an_air_trace_is_that_of_the_engine(lab: LabServer) -> None:
    body = {"toml": SHORT, "seed": 3, "from_s": 0.5, "accesses": 20}
    trace = lab.post("/api/air_trace", body)["ok"]
    scenario = CoreScenario.from_toml(SHORT.encode(), "scenario")
    assert trace == json.loads(core_air_trace(scenario, 3, 0.5, 20))
    assert len(trace["accesses"]) == 20


@pytest.mark.parametrize(
    "change",
    [{"accesses": 0}, {"accesses": 1.5}, {"from_s": -1}, {"from_s": "0"}, {"from_s": None}],
)
def test_a_request_for_an_invalid_air_trace(lab: LabServer, change: dict[str, Any]) -> None:
    body = {"toml": SHORT, "seed": 3, "from_s": 0.5, "accesses": 20, **change}
    answer = lab.ask("POST", "/api/air_trace", body)
    assert answer.status == 400
    assert answer.json["error"]["message"].startswith(next(iter(change)))


def test_an_error_of_the_scenario_is_an_answer(lab: LabServer) -> None:
    toml = SHORT + "[cell]\nqueue = 7\n"
    answer = lab.ask("POST", "/api/run", {"toml": toml, "seed": 1})
    assert answer.status == 200
    assert "cell.queue" in json.dumps(answer.json["error"])
    assert "\n" not in answer.json["error"]["message"]


def test_runs_are_made_in_parallel_and_in_each_tab_alike(lab: LabServer) -> None:
    answers: dict[int, bytes] = {}

    def tab(number: int) -> None:
        body = {"toml": SHORT, "seed": number % 4}
        answers[number] = lab.ask("POST", "/api/run", body).body

    tabs = [threading.Thread(target=tab, args=(number,)) for number in range(16)]
    for each in tabs:
        each.start()
    for each in tabs:
        each.join()
    assert len(answers) == 16
    for number, answer in answers.items():
        assert answer == answers[number % 4]
    assert len(set(answers.values())) == 4


def test_files_of_the_page(lab: LabServer) -> None:
    index = lab.ask("GET", "/", token=None)
    assert index.status == 200
    assert index.headers["Content-Type"] == "text/html; charset=utf-8"
    assert index.body == (ROOT / "lab" / "index.html").read_bytes()
    wasm = lab.ask("GET", "/evenair.wasm", token=None, headers={"Accept-Encoding": "gzip"})
    assert wasm.headers["Content-Type"] == "application/wasm"
    assert wasm.headers["Content-Encoding"] == "gzip"
    assert len(wasm.body) < 1000 < len(gzip.decompress(wasm.body))
    script = lab.ask("GET", "/main.js", token=None)
    assert script.headers["Content-Type"] == "text/javascript; charset=utf-8"
    assert "Content-Encoding" not in script.headers
    again = {"If-None-Match": script.headers["ETag"]}
    assert lab.ask("GET", "/main.js", token=None, headers=again).status == 304


def test_a_scenario_names_no_file(lab: LabServer, tmp_path: Path) -> None:
    """An error would tell the line that is no value."""
    secret = tmp_path / "secret"
    secret.write_text("1\n2\nnot for pages\n")
    application = f"{{ kind = 'on-off', off = {{ distribution = 'trace', file = '{secret}' }} }}"
    cbr = "[[station]]\nflows = [{ direction = 'up', transport = 'udp', rate = '1 Mbps'"
    named = f"{cbr}, application = {application} }}]\n"
    for path in ("/api/run", "/api/air_trace"):
        body = {"toml": named, "seed": 1}
        more = {"from_s": 0, "accesses": 1} if path == "/api/air_trace" else {}
        answer = lab.ask("POST", path, {**body, **more})
        assert "reads no files" in answer.json["error"]["message"]
        assert b"not for" not in answer.body
    varied = f"station.0.flows.0.application={application}"
    for toml, vary in ((named, []), (f"{cbr} }}]\n", [varied])):
        number = lab.post("/api/campaigns", {"toml": toml, "vary": vary, "runs": 1})["ok"]["number"]
        (*_, end) = lab.lines(f"/api/campaigns/{number}")
        assert end["state"] == "failed"
        assert "reads no files" in end["message"]
        assert lab.ask("DELETE", f"/api/campaigns/{number}").status == 204


@pytest.mark.parametrize(
    "path",
    [
        "/secret.txt",
        "/../secret.txt",
        "/%2e%2e/secret.txt",
        "/..%2fsecret.txt",
        "/a%00b",
        "//etc/passwd",
        "/link.txt",
        "/linked/secret.txt",
        "/folder/",
    ],
)
def test_only_files_of_the_page_can_be_read(lab: LabServer, path: str) -> None:
    answer = lab.ask("GET", path, token=None)
    assert answer.status == 404
    assert b"not of the page" not in answer.body


# --- Who may use it -------------------------------------------------------------------------------

ROUTES = [
    ("GET", "/api/about"),
    ("POST", "/api/run"),
    ("POST", "/api/air_trace"),
    ("GET", "/api/live/0"),
    ("GET", "/api/campaigns"),
    ("POST", "/api/campaigns"),
    ("GET", "/api/campaigns/1"),
    ("DELETE", "/api/campaigns/1"),
    ("POST", "/api/campaigns/1/stop"),
    ("GET", "/api/campaigns/1/file"),
    ("GET", "/api/nothing"),
]


@pytest.mark.parametrize(("method", "path"), ROUTES)
def test_each_request_needs_the_token(lab: LabServer, method: str, path: str) -> None:
    near = lab.token[:-1] + ("A" if lab.token[-1] != "A" else "B")
    for headers in ({}, {"Authorization": f"Basic {lab.token}"}, {"Authorization": "Bearer \xe9"}):
        assert_refused(lab.ask(method, path, headers=headers, token=None))
    for token in (near, lab.token + "A", lab.token[:-1]):
        assert_refused(lab.ask(method, path, token=token))
    # The token of an address is for the page alone.
    assert_refused(lab.ask(method, f"{path}?token={lab.token}", token=None))


@pytest.mark.parametrize(
    "path", ["//api/about", "/%61pi/about", "/api%2fabout", "/x/../api/about", "/API/about", "/api"]
)
def test_no_other_spelling_of_a_path_does_without_it(lab: LabServer, path: str) -> None:
    answer = lab.ask("GET", path, token=None)
    assert answer.status in (403, 404)
    assert b"parallel" not in answer.body


@pytest.mark.parametrize(
    "origin",
    ["http://example.com", "null", "http://localhost", "http://127.0.0.1:1", "file://", ""],
)
def test_other_origins_are_refused(lab: LabServer, origin: str) -> None:
    for path in ("/api/about", "/main.js"):
        assert_refused(lab.ask("GET", path, headers={"Origin": origin}))


def test_its_own_origin_is_accepted(lab: LabServer) -> None:
    headers = {"Origin": f"http://127.0.0.1:{lab.port}"}
    assert lab.ask("GET", "/api/about", headers=headers).status == 200


@pytest.mark.parametrize("host", ["example.com", "127.0.0.1.example.com", "lab", ""])
def test_other_hosts_are_refused(lab: LabServer, host: str) -> None:
    """The name of another site may have been made to lead here (DNS rebinding)."""
    for path in ("/api/about", "/"):
        assert_refused(lab.ask("GET", path, headers={"Host": f"{host}:{lab.port}"}))


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]"])
def test_its_own_hosts_are_accepted(lab: LabServer, host: str) -> None:
    headers = {"Host": f"{host}:{lab.port}"}
    assert lab.ask("GET", "/api/about", headers=headers).status == 200


def assert_refused(answer: Any) -> None:
    assert answer.status == 403
    message = answer.json["error"]["message"]
    assert message
    assert "\n" not in message


def test_headers(lab: LabServer) -> None:
    page, about, refused = (
        lab.ask("GET", "/"),
        lab.ask("GET", "/api/about"),
        lab.ask("GET", "/api/about", token=None),
    )
    index = (ROOT / "lab" / "index.html").read_text()
    match = re.search(r'http-equiv="Content-Security-Policy"\s+content="([^"]*)"', index)
    assert match is not None
    for answer in (page, about, refused):
        policy = answer.headers["Content-Security-Policy"]
        assert policy == f"{match[1]}; frame-ancestors 'none'"
        assert "'unsafe-inline'" not in policy.partition("script-src")[2].partition(";")[0]
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Referrer-Policy"] == "no-referrer"
        assert "Access-Control-Allow-Origin" not in answer.headers
    for answer in (about, refused):
        assert answer.headers["Cache-Control"] == "no-store"


# --- Requests that are not valid ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("", "the body is not JSON"),
        ("[]", "the body: got []"),
        ("{", "the body is not JSON"),
        ("\xff", "the body is not JSON"),
        ("[" * 100_000, "the body is not JSON"),
        ('{"toml": "", "seed": 1, "call": "parts"}', "'call': no such key"),
        ('{"seed": 1}', "toml: got None"),
        ('{"toml": 1, "seed": 1}', "toml: got 1"),
        ('{"toml": ""}', "seed: got None"),
        ('{"toml": "", "seed": -1}', "seed: got -1"),
        ('{"toml": "", "seed": 1.5}', "seed: got 1.5"),
        ('{"toml": "", "seed": true}', "seed: got True"),
        ('{"toml": "", "seed": 18446744073709551616}', "seed: got 18446744073709551616"),
        ('{"toml": "", "seed": 1, "trace_s": 0}', "trace_s: got 0"),
        ('{"toml": "", "seed": 1, "trace_s": NaN}', "the body is not JSON: NaN is no number"),
        ('{"toml": "", "seed": 1, "trace_s": 1e999}', "trace_s: got inf"),
    ],
)
def test_requests_that_are_not_valid(lab: LabServer, body: str, message: str) -> None:
    answer = lab.ask("POST", "/api/run", body.encode("latin-1"))
    assert answer.status == 400
    said = answer.json["error"]["message"]
    assert said.startswith(message)
    assert "\n" not in said


def test_a_body_is_limited(lab: LabServer) -> None:
    body = {"toml": "#" * 1_000_000, "seed": 1}
    assert lab.ask("POST", "/api/run", body).status == 413
    # Without a length as well.
    connection = lab.connect()
    headers = {"Authorization": f"Bearer {lab.token}"}
    parts = (b"#" * 100_000 for _ in range(11))
    connection.request("POST", "/api/run", parts, headers, encode_chunked=True)
    assert connection.getresponse().status == 413
    connection.close()


def test_other_methods_and_paths(lab: LabServer) -> None:
    assert lab.ask("GET", "/api/run").status == 405
    assert lab.ask("POST", "/main.js", {}).status == 405
    assert lab.ask("GET", "/api/live/0").status == 404
    assert lab.ask("GET", "/api/campaigns/1").status == 404
    assert lab.ask("GET", "/api/campaigns/99999999999999999999999").status == 404


def nested(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(), nested, max_leaves=10
)
KEYS = st.sampled_from(["toml", "seed", "trace_s", "from_s", "accesses", "vary", "runs", "keep"])


@settings(
    max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    path=st.sampled_from(["/api/run", "/api/air_trace", "/api/campaigns"]),
    body=st.binary(max_size=200)
    | st.dictionaries(KEYS | st.text(), JSON, max_size=6).map(lambda d: json.dumps(d).encode()),
)
def test_any_body_has_an_answer_of_one_line(lab: LabServer, path: str, body: bytes) -> None:
    answer = lab.ask("POST", path, body)
    assert answer.status in (200, 400)
    message = answer.json["error"]["message"]
    assert "\n" not in message
    assert "internal error" not in message
    assert "panicked" not in message


@settings(max_examples=100, deadline=None)
@given(data=st.binary(max_size=300))
def test_any_bytes_leave_the_server_alive(lab: LabServer, data: bytes) -> None:
    with socket.create_connection((lab.host, lab.port), timeout=10) as client:
        client.sendall(data + b"\r\n\r\n")
        client.shutdown(socket.SHUT_WR)
        received = client.recv(1000)
    assert b" 500 " not in received
    assert lab.process.poll() is None


# --- Runs end -------------------------------------------------------------------------------------


def processor_s(server: LabServer) -> float:
    fields = Path(f"/proc/{server.process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def is_busy(server: LabServer, for_s: float = 0.3) -> bool:
    before = processor_s(server)
    time.sleep(for_s)
    return processor_s(server) - before > 0.02


def start_run(server: LabServer, toml: str) -> Any:
    return start(server, "/api/run", {"toml": toml, "seed": 1})


def start(server: LabServer, path: str, body: Any) -> Any:
    """Send a request, and do not wait for its answer."""
    connection = server.connect()
    connection.request("POST", path, json.dumps(body), {"Authorization": f"Bearer {server.token}"})
    return connection


def test_a_run_ends_when_nobody_waits_for_it(tmp_path: Path) -> None:
    server = LabServer(tmp_path)
    try:
        more = len(os.sched_getaffinity(0)) + 3
        connections = [start_run(server, ENDLESS) for _ in range(more)]
        late = {"toml": ENDLESS, "seed": 1, "from_s": 99_000, "accesses": 1}
        connections.append(start(server, "/api/air_trace", late))
        wait_until(lambda: is_busy(server))
        gone = time.monotonic()
        for connection in connections:
            connection.close()
        wait_until(lambda: not is_busy(server))
        assert time.monotonic() - gone < 5.0  # less than a second on an idle machine
        # The threads are free for others.
        assert "ok" in server.post("/api/run", {"toml": SHORT, "seed": 1})
    finally:
        server.stop()


@pytest.mark.long
@pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
def test_signals_end_it_and_leave_nothing(tmp_path: Path, number: int, status: int) -> None:
    server = LabServer(tmp_path)
    runs = [start_run(server, ENDLESS) for _ in range(3)]
    sweep = {"toml": ENDLESS, "vary": [], "runs": 2}
    assert server.post("/api/campaigns", sweep)["ok"]["state"] == "running"
    stream = server.lines("/api/campaigns/1")
    assert next(stream)["kind"] == "sweep"
    child = children(server.process.pid)
    assert len(child) == 1
    began = time.monotonic()
    ended, errors = server.stop(number)
    assert ended == status
    assert errors == "evenair: the lab has ended\n"
    assert time.monotonic() - began < 10.0
    assert not any(map(is_alive, child))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["page", "secret.txt"]
    with socket.socket() as free:  # the port is
        free.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        free.bind((server.host, server.port))
    for connection in runs:
        connection.close()
    stream.close()


def test_a_sweep_ends_with_a_server_that_is_killed(tmp_path: Path) -> None:
    server = LabServer(tmp_path)
    server.post("/api/campaigns", {"toml": ENDLESS, "vary": [], "runs": 2})
    stream = server.lines("/api/campaigns/1")
    assert next(stream)["kind"] == "sweep"
    child = children(server.process.pid)
    server.stop(signal.SIGKILL)
    stream.close()
    wait_until(lambda: not any(map(is_alive, child)))


def children(process: int) -> list[int]:
    return list(map(int, Path(f"/proc/{process}/task/{process}/children").read_text().split()))


def is_alive(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_it_starts_again_on_its_port_with_another_token(tmp_path: Path) -> None:
    first = LabServer(tmp_path)
    first.ask("GET", "/api/about")
    first.stop()
    second = LabServer(tmp_path, port=first.port)
    try:
        assert second.token != first.token
        assert second.ask("GET", "/api/about", token=first.token).status == 403
        assert second.ask("GET", "/api/about").status == 200
    finally:
        second.stop()


# --- The command ----------------------------------------------------------------------------------


def command(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "evenair", "lab", "--no-browser", *arguments],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=60,
    )


def assert_one_line(done: subprocess.CompletedProcess[str], *parts: str) -> None:
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("evenair: ")
    for part in parts:
        assert part in done.stderr


def test_a_second_one_on_the_same_port_is_refused(lab: LabServer, tmp_path: Path) -> None:
    page = str(write_page(tmp_path / "page"))
    done = command(tmp_path, f"--port={lab.port}", EVENAIR_LAB_PAGE=page)
    assert_one_line(done, "--port", str(lab.port), "in use")


def test_a_page_that_is_not_there(tmp_path: Path) -> None:
    done = command(tmp_path, "--port=0", EVENAIR_LAB_PAGE=str(tmp_path / "none"))
    assert_one_line(done, "make lab", "wheel")


def test_the_server_stack_is_an_extra(tmp_path: Path) -> None:
    (tmp_path / "starlette.py").write_text("raise ModuleNotFoundError(name='starlette')\n")
    done = command(tmp_path, PYTHONPATH=f"{tmp_path}:{os.environ.get('PYTHONPATH', '')}")
    assert_one_line(done, "starlette", "evenair[lab]", "make lab")


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["--port=x"], "--port"),
        (["--port=65536"], "--port"),
        (["--host=host.invalid"], "--host: host.invalid"),
        (["--host="], "--host"),
        (["--follow=x.csv"], "--follow"),
        (["--follow=127.0.0.1:99999"], "--follow"),
        (["nothing-of-this-name"], "no such file or built-in scenario"),
    ],
)
def test_arguments_that_are_not_valid(
    evenair_here: Evenair,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    part: str,
) -> None:
    monkeypatch.setenv("EVENAIR_LAB_PAGE", str(write_page(tmp_path / "page")))
    assert_one_line(evenair_here("lab", "--no-browser", "--port=0", *arguments), part)


def test_other_machines_are_a_warning(tmp_path: Path) -> None:
    server = LabServer(tmp_path, "--host=0.0.0.0")
    assert server.host == "127.0.0.1"
    assert server.ask("GET", "/api/about").status == 200
    _, errors = server.stop()
    assert errors.count("\n") == 2
    assert "--host: 0.0.0.0 can be reached by other machines" in errors
