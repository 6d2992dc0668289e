"""Build and run the tests of the crates: those that compute beside those that wait for real time.

The tests of emulator and daemon wait for packets and timers most of the time. Those of core and
simulator take the processor time that is left: they have the lowest priority, and their output
follows at the end. Run it as `.ci/test_crates.py CARGO-OPTIONS`, such as `--workspace --locked`.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

COMPUTING = {"evenair-core", "evenair-sim"}
"""The crates whose tests do not depend on the time of day."""

IDLE = ["chrt", "--idle", "0"] if shutil.which("chrt") else ["nice", "-n", "19"]
"""SCHED_IDLE of Linux gives way at once to every other program."""


class Program(NamedTuple):
    """A program of tests and the folder of its crate, in which cargo runs it."""

    path: str
    folder: Path

    def run(self, prefix: list[str], capture: bool) -> subprocess.CompletedProcess[str]:
        """Run all its tests."""
        return subprocess.run(
            [*prefix, self.path],
            cwd=self.folder,
            env={**os.environ, "CARGO_MANIFEST_DIR": str(self.folder)},
            stdout=subprocess.PIPE if capture else None,
            stderr=subprocess.STDOUT if capture else None,
            text=True,
        )


def build(options: list[str]) -> list[Program]:
    """Build the programs. cargo shows its progress and errors."""
    command = ["cargo", "test", *options, "--no-run", "--message-format=json-render-diagnostics"]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        raise SystemExit(done.returncode)
    artifacts = [json.loads(line) for line in done.stdout.splitlines()]
    return [
        Program(artifact["executable"], Path(artifact["manifest_path"]).parent)
        for artifact in artifacts
        if artifact["reason"] == "compiler-artifact"
        and artifact["profile"]["test"]
        and artifact["executable"]
    ]


def main(options: list[str]) -> int:
    """Return the exit status: 0 if all tests have passed."""
    programs = build(options)
    beside = [program for program in programs if program.folder.name in COMPUTING]
    passed = True
    with ThreadPoolExecutor(1) as pool:
        computing = [pool.submit(program.run, IDLE, True) for program in beside]
        for program in programs:
            if program not in beside:
                print(f"\n{program.path}", flush=True)
                passed &= program.run([], False).returncode == 0
        for program, future in zip(beside, computing, strict=True):
            done = future.result()
            print(f"\n{program.path}\n{done.stdout}", flush=True)
            passed &= done.returncode == 0
    passed &= subprocess.run(["cargo", "test", *options, "--doc"]).returncode == 0
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
