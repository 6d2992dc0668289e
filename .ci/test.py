"""Build and run every test of both languages, several programs at the same time.

Tests that depend on the time of day wait most of the time: those of emulator and daemon, and the
Python tests that are marked `real_time`. They run one after the other. All else computes: the other
tests, and the build of the package, which Python tests wait for. Two programs of it at a time take
the processor time that is left, with the lowest priority; the output of what failed of them is
printed at the end. `make test` has the command.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

REAL_TIME = {"evenair-emu", "evenaird"}
"""The crates whose tests depend on the time of day."""

IDLE = ["chrt", "--idle", "0"] if shutil.which("chrt") else ["nice", "-n", "19"]
"""SCHED_IDLE of Linux gives way at once to every other program."""

PYTEST = [sys.executable, "-m", "pytest"]

LIMIT_S = 1800
"""A job that takes longer is killed: no test ends it. Python tests have limits of their own."""

FOLDERS = ["tests/lab", "tests/models", "tests/papers"]
"""Their Python tests that compute are a program of their own, so that two can run at a time."""


class Programs(NamedTuple):
    """What the tests of the crates need, as cargo has built it."""

    tests: list[tuple[str, Path]]
    """Each program of tests, and the folder of its crate, in which cargo runs it."""
    evenaird: str | None
    """The gateway daemon, where it can be built."""
    realtime_cell: str
    """The example that runs a cell by the wall clock."""


class Job(NamedTuple):
    """A program that tests, or builds."""

    command: list[str]
    folder: Path = Path()
    environment: dict[str, str] = {}  # noqa: RUF012 - nobody writes to it
    needs_package: bool = False

    def run(self, *, beside: bool) -> Outcome:
        """Run it to its end, beside others with its output kept, or alone."""
        tell(f"{'started' if beside else 'running'}: {self}")
        begin = time.monotonic()
        process = subprocess.Popen(
            [*IDLE, *self.command] if beside else self.command,
            cwd=self.folder,
            env={**os.environ, **self.environment},
            stdout=subprocess.PIPE if beside else None,
            stderr=subprocess.STDOUT if beside else None,
            text=True,
        )
        limit = threading.Timer(LIMIT_S, process.kill)
        limit.daemon = True
        limit.start()
        output = process.stdout.read() if process.stdout else ""
        _, status, usage = os.wait4(process.pid, 0)
        limit.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        outcome = Outcome(self, process.returncode == 0, output)
        processor = usage.ru_utime + usage.ru_stime
        seconds = f"{time.monotonic() - begin:.0f} s, {processor:.0f} s of processor time"
        tell(f"{'passed' if outcome.passed else 'FAILED'} in {seconds}: {self}")
        return outcome

    def __str__(self) -> str:
        return " ".join(self.command)


class Outcome(NamedTuple):
    """How a job has ended."""

    job: Job
    passed: bool
    output: str = ""


def tell(line: str) -> None:
    """Print a line in one piece: jobs beside each other do."""
    print(f"{line}\n", end="", flush=True)


def build(options: list[str]) -> Programs:
    """Build the programs. cargo shows its progress and errors."""
    command = ["cargo", "test", *options, "--no-run", "--message-format=json-render-diagnostics"]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        raise SystemExit(done.returncode)
    messages = [json.loads(line) for line in done.stdout.splitlines()]
    built = [message for message in messages if message.get("executable")]
    named = {
        artifact["target"]["name"]: artifact["executable"]
        for artifact in built
        if not artifact["profile"]["test"]
    }
    return Programs(
        tests=[
            (artifact["executable"], Path(artifact["manifest_path"]).parent)
            for artifact in built
            if artifact["profile"]["test"]
        ],
        evenaird=named.get("evenaird"),
        realtime_cell=named["realtime_cell"],
    )


def rust_jobs(programs: Programs, options: list[str]) -> tuple[list[Job], list[Job]]:
    """Return the jobs that wait for real time, and those that compute."""
    waiting, computing = [], []
    for program, folder in programs.tests:
        row = waiting if folder.name in REAL_TIME else computing
        row.append(Job([program], folder, {"CARGO_MANIFEST_DIR": str(folder)}))
    waiting.append(Job([programs.realtime_cell]))
    computing.append(Job(["cargo", "test", *options, "--doc"]))
    return waiting, computing


def python_jobs(programs: Programs) -> tuple[list[Job], list[Job]]:
    """Return the jobs that wait for real time, and those that compute, the longest one first."""
    environment = {"EVENAIRD": programs.evenaird} if programs.evenaird else {}

    def job(*arguments: str) -> Job:
        return Job([*PYTEST, *arguments], environment=environment, needs_package=True)

    # The page's tests use every processor. The others leave time to the jobs that compute.
    waiting = [
        job("-m", "real_time", "--ignore=tests/lab"),
        job("-m", "real_time", "tests/lab"),
    ]
    others = [f"--ignore={folder}" for folder in FOLDERS]
    return waiting, [job("-m", "not real_time", *others), job("-m", "not real_time", *FOLDERS)]


def main(package: list[str], beside: list[str], options: list[str]) -> int:
    """Return the exit status: 0 if all tests have passed."""
    with ThreadPoolExecutor(2) as pool:
        try:
            outcomes = run_all(pool, package, beside, options)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    failed = [outcome for outcome in outcomes if not outcome.passed]
    for outcome in failed:
        if outcome.output:
            print(f"\n{outcome.job}\n{outcome.output}")
    for outcome in failed:
        print(f"FAILED: {outcome.job}")
    return 1 if failed else 0


def run_all(
    pool: ThreadPoolExecutor, package: list[str], beside: list[str], options: list[str]
) -> list[Outcome]:
    """Run every job: what waits for real time here, all else in the pool."""
    built = pool.submit(Job(["make", *package]).run, beside=True)

    def run(job: Job, *, beside: bool) -> Outcome:
        if job.needs_package and not built.result().passed:
            return Outcome(job, passed=False)
        return job.run(beside=beside)

    programs = build(options)
    rust_waiting, rust_computing = rust_jobs(programs, options)
    python_waiting, python_computing = python_jobs(programs)
    computing = [
        # The program that takes longest begins as soon as the package is there.
        *(rust_computing[:1] + python_computing[:1]),
        *(rust_computing[1:] + python_computing[1:]),
        *(Job(["make", target], needs_package=True) for target in beside),
    ]
    kept = [built, *(pool.submit(run, job, beside=True) for job in computing)]
    outcomes = [run(job, beside=False) for job in rust_waiting + python_waiting]
    return outcomes + [future.result() for future in kept]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument(
        "--package", metavar="TARGETS", default="", help="what make builds for Python tests"
    )
    parser.add_argument("--beside", metavar="TARGETS", default="", help="what make also runs")
    known, cargo_options = parser.parse_known_args()
    sys.exit(main(known.package.split(), known.beside.split(), cargo_options))
