"""Runs a command and measures its time and memory."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

LIMIT_S = 600.0
"""Timeout of a run; a tool that exceeds it is left out of the scenario."""


class Failed(Exception):
    """A command failed or took too long; the message is one line."""


@dataclass
class Measured:
    """One run of a command."""

    wall_s: float
    memory_mb: float
    output: str


LAUNCHER = """
import json, os, sys, time
start = time.perf_counter()
pid = os.posix_spawnp(sys.argv[2], sys.argv[2:], os.environ)
_, status, usage = os.wait4(pid, 0)
wall = time.perf_counter() - start
with open(sys.argv[1], "w") as file:
    json.dump([wall, usage.ru_maxrss / 1024, os.waitstatus_to_exitcode(status)], file)
"""
"""On Linux, the peak memory of a process starts at that of its parent: this parent is small."""


def measure(
    command: list[str], limit_s: float = LIMIT_S, accepted: tuple[int, ...] = (0,)
) -> Measured:
    """Run a command. The wall time includes its start; memory is the peak resident set."""
    with tempfile.TemporaryDirectory() as folder:
        usage, out, err = (Path(folder) / name for name in ("usage", "out", "err"))
        launch = [sys.executable, "-I", "-S", "-c", LAUNCHER, str(usage), *command]
        with out.open("wb") as stdout, err.open("wb") as stderr:
            child = subprocess.Popen(launch, stdout=stdout, stderr=stderr, start_new_session=True)
            try:
                child.wait(limit_s)
            except subprocess.TimeoutExpired:
                raise Failed(f"not finished after {limit_s:.0f} s") from None
            finally:
                if child.poll() is None:
                    os.killpg(child.pid, signal.SIGKILL)
                    child.wait()
        if not usage.exists():
            raise Failed(f"{command[0]}: cannot be run")
        wall, memory, status = json.loads(usage.read_text(encoding="utf-8"))
        if status not in accepted:
            errors = err.read_text(encoding="utf-8", errors="replace").strip().splitlines()
            last = (errors or ["nothing on standard error"])[-1]
            raise Failed(f"{Path(command[0]).name}: status {status}: {last}")
        return Measured(wall, memory, out.read_text(encoding="utf-8", errors="replace"))


def json_line(text: str) -> dict[str, Any]:
    """Return the line of `text` that is a JSON object; ns-2 also prints other lines."""
    for line in text.splitlines():
        if line.startswith("{"):
            return json.loads(line)
    raise Failed("no result in the output")
