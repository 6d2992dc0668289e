"""Build and run every test of both languages, several programs at the same time.

Tests that depend on the time of day wait most of the time: those of emulator and daemon, and the
Python tests that are marked `real_time`. They run one after the other. All others compute. Two
programs of them at a time take the processor time that is left, with the lowest priority; what
failed of them is printed at the end. Run it as `.ci/test.py CARGO-OPTIONS`, such as
`--workspace --locked`.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

REAL_TIME = {"evenair-emu", "evenaird"}
"""The crates whose tests depend on the time of day."""

IDLE = ["chrt", "--idle", "0"] if shutil.which("chrt") else ["nice", "-n", "19"]
"""SCHED_IDLE of Linux gives way at once to every other program."""

PYTEST = [sys.executable, "-m", "pytest"]

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
    """A program of tests."""

    command: list[str]
    folder: Path = Path()
    environment: dict[str, str] = {}  # noqa: RUF012 - nobody writes to it

    def start(self, prefix: list[str], output: int | None) -> subprocess.CompletedProcess[str]:
        """Run it to its end, below the command `prefix`."""
        return subprocess.run(
            [*prefix, *self.command],
            cwd=self.folder,
            env={**os.environ, **self.environment},
            stdout=output,
            stderr=subprocess.STDOUT if output else None,
            text=True,
        )


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


def jobs(options: list[str]) -> tuple[list[Job], list[Job]]:
    """Build the programs. Return the jobs that wait for real time, and those that compute."""
    programs = build(options)
    daemon = {"EVENAIRD": programs.evenaird} if programs.evenaird else {}
    waiting = []
    # The program that takes longest begins first.
    others = [f"--ignore={folder}" for folder in FOLDERS]
    computing = [Job([*PYTEST, "-m", "not real_time", *others], environment=daemon)]
    for program, folder in programs.tests:
        row = waiting if folder.name in REAL_TIME else computing
        row.append(Job([program], folder, {"CARGO_MANIFEST_DIR": str(folder)}))
    waiting.append(Job([programs.realtime_cell]))
    # The page's tests use every processor. The others leave time to the jobs that compute.
    waiting.append(Job([*PYTEST, "-m", "real_time", "--ignore=tests/lab"], environment=daemon))
    waiting.append(Job([*PYTEST, "-m", "real_time", "tests/lab"], environment=daemon))
    computing.append(Job(["cargo", "test", *options, "--doc"]))
    computing.append(Job([*PYTEST, "-m", "not real_time", *FOLDERS], environment=daemon))
    return waiting, computing


def compute(job: Job) -> tuple[Job, str] | None:
    """Run the job. Return it with its output if it has failed."""
    begin = time.monotonic()
    done = job.start(IDLE, subprocess.PIPE)
    outcome = "FAILED" if done.returncode else "passed"
    print(f"{outcome} in {time.monotonic() - begin:.0f} s: {' '.join(job.command)}", flush=True)
    return (job, done.stdout) if done.returncode else None


def main(options: list[str]) -> int:
    """Return the exit status: 0 if all tests have passed."""
    waiting, computing = jobs(options)
    with ThreadPoolExecutor(2) as pool:
        beside = pool.map(compute, computing)
        failed = []
        for job in waiting:
            print(f"\n{' '.join(job.command)}", flush=True)
            if job.start([], None).returncode:
                failed.append(job)
        outputs = [failure for failure in beside if failure]
    for job, output in outputs:
        print(f"\n{' '.join(job.command)}\n{output}")
    for job in [*failed, *(job for job, _ in outputs)]:
        print(f"FAILED: {' '.join(job.command)}")
    return 1 if failed or outputs else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
