"""Campaigns on a Dask scheduler: the same bytes, also if workers are lost."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
from evenair import RunError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from evenair_command import Evenair

pytest.importorskip("distributed")

# About ten seconds of work on one processor, in some hundred runs.
COMMAND = ("sweep", "gong2006", "--set", "duration=100", "--vary", "cell.queue.limit=11:20:1")
COMMAND = (*COMMAND, "--runs", "40")


@contextmanager
def process(module: str, *arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    """Run a Dask process until the end of the block."""
    command = [sys.executable, "-m", f"distributed.cli.{module}", *arguments]
    quiet = subprocess.DEVNULL
    started = subprocess.Popen(command, stdin=quiet, stdout=quiet, stderr=quiet)
    try:
        yield started
    finally:
        started.kill()
        started.wait()


@contextmanager
def scheduler() -> Iterator[str]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    where = ("--host", "127.0.0.1", "--port", str(port))
    with process("dask_scheduler", *where, "--no-dashboard", "--no-show"):
        wait_for_port(port)
        yield f"tcp://127.0.0.1:{port}"


def wait_for_port(port: int) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise AssertionError("the scheduler does not answer")


def worker(address: str) -> tuple[str, ...]:
    # Without a nanny, which would restart it.
    options = ("--nthreads", "1", "--no-nanny", "--no-dashboard", "--death-timeout", "60")
    return ("dask_worker", address, *options)


@pytest.mark.long
def test_a_worker_is_lost_half_way(evenair: Evenair, tmp_path: Path) -> None:
    whole = evenair(*COMMAND, "--out", "whole.parquet", "--flows", "--quiet")
    assert (whole.returncode, whole.stderr) == (0, "")

    with scheduler() as address, process(*worker(address)), process(*worker(address)) as second:
        command = [sys.executable, "-m", "evenair", *COMMAND, "--out", "x.parquet", "--flows"]
        with subprocess.Popen(
            [*command, "--cluster", address, "--json"],
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as campaign:
            wait_until_work_has_come_back(tmp_path / "x.parquet.runs-wal")
            assert campaign.poll() is None
            os.kill(second.pid, signal.SIGKILL)
            stdout, stderr = campaign.communicate(timeout=120)
        assert (campaign.returncode, stderr) == (0, "")
        document = json.loads(stdout)
        assert document["failures"] == []
        # Each run was reported once, those of the lost worker included.
        assert document["new_runs"] == document["runs"] == 400

        again = evenair(*COMMAND, "--out", "x.parquet", "--cluster", address, "--json")
        assert json.loads(again.stdout)["new_runs"] == 0

    for name in ("{}.parquet", "{}-flows.parquet"):
        found, expected = ((tmp_path / name.format(which)).read_bytes() for which in ("x", "whole"))
        assert found == expected


def wait_until_work_has_come_back(log: Path) -> None:
    deadline = time.monotonic() + 60
    while not (log.exists() and log.stat().st_size > 20_000):
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_local_cluster(evenair: Evenair, tmp_path: Path) -> None:
    short = ("sweep", "gong2006", "--set", "duration=2", "--vary", "cell.queue.limit=10,20")
    short = (*short, "--runs", "5", "--quiet", "--out")
    done = evenair(*short, "x.parquet", "--cluster", "local", "--jobs", "2")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert evenair(*short, "y.parquet").returncode == 0
    assert (tmp_path / "x.parquet").read_bytes() == (tmp_path / "y.parquet").read_bytes()


@pytest.mark.parametrize("scheme", [pytest.param("tcp", marks=pytest.mark.long), "tls", "foo"])
def test_no_scheduler_answers(evenair_here: Evenair, tmp_path: Path, scheme: str) -> None:
    with socket.socket() as deaf:
        deaf.bind(("127.0.0.1", 0))
        address = f"{scheme}://127.0.0.1:{deaf.getsockname()[1]}"
        done = evenair_here(*COMMAND, "--out", "x.parquet", "--cluster", address)
    assert done.returncode == 2
    assert done.stderr.startswith(f"evenair: --cluster: got '{address}'")
    assert done.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.long
@pytest.mark.real_time("workers that are killed")
def test_all_local_workers_are_killed(tmp_path: Path) -> None:
    arguments = (*COMMAND, "--out", "x.parquet", "--cluster", "local", "--jobs", "2")
    with subprocess.Popen(
        [sys.executable, "-m", "evenair", *arguments],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as campaign:
        wait_until_work_has_come_back(tmp_path / "x.parquet.runs-wal")
        sessions = local_workers(campaign.pid)
        assert sessions
        for session in sessions:
            os.killpg(session, signal.SIGKILL)
        stdout, stderr = campaign.communicate(timeout=120)
    assert (campaign.returncode, stdout) == (1, "")
    first, *more = stderr.splitlines()
    assert first.startswith("evenair: cluster: all ")
    assert more == []
    assert [path.name for path in tmp_path.iterdir()] == ["x.parquet.runs"]


class LostResult:
    """The future of a finished task whose result is not there at the first attempt."""

    def __init__(self, result: object) -> None:
        self.attempts, self.found = 0, result

    def result(self, timeout: float) -> object:
        assert timeout > 0
        self.attempts += 1
        if self.attempts == 1:
            raise TimeoutError
        return self.found


def test_the_result_of_a_finished_task_is_lost_with_all_workers() -> None:
    cluster = pytest.importorskip("evenair.campaign.cluster")
    batch = [object()]
    done = cluster.TaskResult(cluster.ENGINE, ["a record"], 1.0)

    def handle(worker: subprocess.Popen[bytes]) -> list[object]:
        reported: list[object] = []
        dispatcher = cluster._Dispatcher(None, iter(()), reported.extend, [worker])
        assert dispatcher._handle(LostResult(done), batch) == []
        return reported

    with subprocess.Popen(["sleep", "60"]) as worker:
        assert handle(worker) == [(batch[0], "a record")]
        worker.kill()
        worker.wait()
        with pytest.raises(RunError, match="all 1 local worker processes have ended"):
            handle(worker)


def local_workers(client: int) -> list[int]:
    """Return the children of a process that lead a session: its workers."""
    listed = subprocess.run(
        ["ps", "-o", "pid=,sid=", "--ppid", str(client)], capture_output=True, text=True, check=True
    )
    pairs = (map(int, line.split()) for line in listed.stdout.splitlines())
    return [pid for pid, session in pairs if pid == session]


def test_a_worker_of_another_version_is_refused() -> None:
    from evenair._core import Scenario
    from evenair.campaign.cluster import run_batch
    from evenair.campaign.storage.identity import ENGINE

    jobs = [(Scenario("{}", "test"), 1)]
    assert run_batch(jobs, "0.0.1/0") == (ENGINE, [], 0.0)
    engine, outcomes, seconds = run_batch(jobs, ENGINE)
    assert (engine, seconds) == (ENGINE, 0.0)
    assert str(outcomes[0]).startswith("test: station: ")
