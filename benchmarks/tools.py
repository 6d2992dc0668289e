"""The tools evenair, ns-2 and ns-3: how each of them runs a cell."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cells import HERE, Cell
from process import json_line, measure

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True)
class Run:
    """The result of one run of a tool."""

    wall_s: float
    memory_mb: float
    goodput_mbps: float
    events: int | None = None
    engine_s: float | None = None
    """Time inside the engine, without the start of Python; only of evenair."""


class Evenair:
    """`evenair run --json`, with the cell of one of the other simulators."""

    def __init__(self, command: Path, like: str) -> None:
        self.command, self.like = command, like
        self.name = f"evenair as {like}"
        self.base = "evenair"

    def arguments(self, cell: Cell, duration: float, seed: int) -> list[str]:
        """Return the arguments of the command."""
        keys: dict[str, object] = {"duration": f"{duration} s", "warmup": f"{cell.warmup} s"}
        keys |= cell.settings | cell.like[self.like]
        arguments = ["run", cell.scenario, "--json", "--seed", str(seed)]
        for key, value in keys.items():
            arguments += ["--set", f"{key}={value}"]
        return arguments

    def run(self, cell: Cell, duration: float, seed: int) -> Run:
        """Simulate the cell for the duration after its warm-up, seconds."""
        done = measure([str(self.command), *self.arguments(cell, duration, seed)])
        result = json.loads(done.output)
        return Run(
            done.wall_s,
            done.memory_mb,
            throughput(result),
            result["events"],
            result["wall_s"],
        )


def throughput(result: dict[str, Any]) -> float:
    """Return that of all flows, or of a transfer from start to end if they transfer files, Mb/s."""
    if sessions := result.get("sessions"):
        seconds = sum(session["end_s"] - session["start_s"] for session in sessions)
        return float(8e-6 * sum(session["bytes"] for session in sessions) / seconds)
    return float(result["aggregate_goodput_bps"] / 1e6)


class Ns2:
    """`ns` with one of the scripts in ns2."""

    name = base = like = "ns-2"

    def __init__(self, command: str) -> None:
        self.command = command

    def run(self, cell: Cell, duration: float, seed: int, *, count: bool = False) -> Run:
        """Simulate the cell; `count` also counts events, which takes a little time."""
        script, *arguments = cell.arguments[self.name]
        arguments += [f"duration={duration}", f"seed={seed}", f"warmup={cell.warmup}"]
        if count:
            arguments.append("count_events=1")
        done = measure([self.command, str(HERE / "ns2" / script), *arguments])
        events = [int(uid) for uid in re.findall(r"uid: (\d+)", done.output)]
        goodput = sum(json_line(done.output)["goodput_mbps"])
        return Run(done.wall_s, done.memory_mb, goodput, max(events, default=None))


class Ns3:
    """The program of ns3/cell.cc."""

    name = base = like = "ns-3"

    def __init__(self, program: Path) -> None:
        self.program = program

    def run(self, cell: Cell, duration: float, seed: int) -> Run:
        """Simulate the cell for the duration after its warm-up, seconds."""
        arguments = [f"duration={duration}", f"seed={seed}", f"warmup={cell.warmup}"]
        arguments += cell.arguments[self.name]
        done = measure([str(self.program), *arguments])
        result = json_line(done.output)
        return Run(done.wall_s, done.memory_mb, sum(result["goodput_mbps"]), result["events"])


def find_ns2() -> Ns2 | str:
    """Return the tool, or the reason why it is left out."""
    command = shutil.which("ns")
    return (
        Ns2(command) if command else "ns-2 is not installed (Debian, Ubuntu: apt-get install ns2)"
    )


def find_ns3(python: str, build: Path) -> Ns3 | str:
    """Return the tool, compiled if necessary, or the reason why it is left out."""
    try:
        look = "import importlib.util as u; print(u.find_spec('ns3') is not None)"
        has = subprocess.run([python, "-c", look], capture_output=True, text=True, check=False)
    except OSError as error:
        return f"ns-3 is not found: {python}: {error.strerror}"
    if has.stdout.strip() != "True":
        return (
            f"ns-3 is not installed for {python} (PYTHON -m pip install ns3 in a virtual "
            "environment, then --ns3-python PYTHON or EVENAIR_NS3_PYTHON=PYTHON)"
        )
    program, script = build / "cell", HERE / "ns3" / "build.sh"
    sources = [script, HERE / "ns3" / "cell.cc"]
    if not program.exists() or any(
        source.stat().st_mtime > program.stat().st_mtime for source in sources
    ):
        if not shutil.which("g++"):
            return "ns-3 needs g++ (Debian, Ubuntu: apt-get install g++)"
        print(f"compiling {sources[1].name} against ns-3 ...", file=sys.stderr)
        made = subprocess.run([script, python, build], capture_output=True, text=True, check=False)
        if made.returncode != 0:
            return f"ns-3: {sources[1].name} does not compile: {made.stderr.strip()[-300:]}"
    return Ns3(program)
