#!/usr/bin/env python3
"""Time evenair, ns-2 and ns-3 on the same cells, one after the other; README.md tells more."""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
LIMIT_S = 600.0
"""A run that takes longer is given up, and its tool is left out of the scenario."""

# What evenair is told so that its cell is the other simulator's. The reasons are in README.md.
AS_NS2 = {"cell.mac_overhead": 34, "cell.immediate_access": "false"}
AS_NS3 = {"cell.control_rate": "11 Mbps"}
NS2_TCP = {
    "cell.preamble": "120 us",
    "station.0.extra_header": 20,
    "station.1.extra_header": 20,
    "station.0.flows.0.limited_transmit": "any",
    "station.1.flows.0.limited_transmit": "any",
}
TOLERANCE = {"ns-2": 0.03, "ns-3": 0.05}


@dataclass(frozen=True)
class Cell:
    """A scenario, and how long each tool simulates it, in seconds."""

    name: str
    title: str
    up: int
    down: int
    seconds: dict[str, float]
    warmup: float = 0.0
    once: tuple[str, ...] = ()
    """Tools that are run a single time, because a run takes minutes."""

    @property
    def tcp(self) -> bool:
        """Whether flows are of TCP."""
        return self.down > 0

    def simulated(self, tool: str) -> float:
        """Return the simulated time, warm-up included, in seconds."""
        return self.warmup + self.seconds[tool]


CELLS = (
    Cell(
        "baseline",
        "5 uploads, 5 downloads (TCP)",
        5,
        5,
        {"evenair": 300, "ns-2": 300, "ns-3": 60},
    ),
    Cell(
        "one-up",
        "1 upload, 25 downloads (TCP)",
        1,
        25,
        {"evenair": 300, "ns-2": 300, "ns-3": 30},
    ),
    Cell(
        "saturated-50",
        "50 saturated stations (UDP)",
        50,
        0,
        {"evenair": 300, "ns-2": 60, "ns-3": 15},
        warmup=5,
    ),
    Cell(
        "saturated-200",
        "200 saturated stations (UDP)",
        200,
        0,
        {"evenair": 300, "ns-2": 30, "ns-3": 5},
        warmup=5,
    ),
    Cell(
        "saturated-1000",
        "1000 saturated stations (UDP)",
        1000,
        0,
        {"evenair": 300, "ns-2": 10, "ns-3": 5},
        warmup=5,
        once=("ns-2", "ns-3"),
    ),
)
QUICK = (
    Cell("quick", "2 uploads, 2 downloads (TCP)", 2, 2, {"evenair": 5, "ns-2": 5, "ns-3": 2}),
    Cell(
        "quick-saturated",
        "5 saturated stations (UDP)",
        5,
        0,
        {"evenair": 5, "ns-2": 5, "ns-3": 2},
        warmup=1,
    ),
)
OWN = ("process", "campaign", "growth", "threads")
"""Measurements of evenair alone."""


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
"""Linux starts the peak memory of a process at what its parent held: this parent is small."""


def measure(
    command: list[str], limit_s: float = LIMIT_S, accepted: tuple[int, ...] = (0,)
) -> Measured:
    """Run a command; its wall time includes its start. Memory is the largest resident set."""
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
    """Return the line of `text` that is a JSON object; ns-2 writes others around it."""
    for line in text.splitlines():
        if line.startswith("{"):
            return json.loads(line)
    raise Failed("no result in the output")


# --- The three tools ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Run:
    """What one run of a tool gave."""

    wall_s: float
    memory_mb: float
    goodput_mbps: float
    events: int | None = None
    engine_s: float | None = None
    """Time inside the engine, without starting Python; evenair alone knows it."""


class Evenair:
    """`evenair run --json`, with the cell of one of the other simulators."""

    def __init__(self, command: Path, like: str) -> None:
        self.command, self.like = command, like
        self.name = f"evenair as {like}"
        self.base = "evenair"

    def arguments(self, cell: Cell, duration: float, seed: int) -> list[str]:
        """Return what follows the command."""
        keys: dict[str, object] = {"duration": f"{duration} s", "station.0.count": cell.up}
        if cell.tcp:
            keys["station.1.count"] = cell.down
        else:
            # 16 Mb/s of IP packets of 1500 bytes; a rate is of payload.
            keys["station.0.flows.0.rate"] = f"{16e6 * 1472 / 1500 / cell.up:.0f} bps"
            keys["warmup"] = f"{cell.warmup} s"
        keys |= AS_NS3 if self.like == "ns-3" else AS_NS2
        if self.like == "ns-2" and cell.tcp:
            keys |= NS2_TCP
        file = "baseline.toml" if cell.tcp else "saturated.toml"
        arguments = ["run", str(HERE / "scenarios" / file), "--json", "--seed", str(seed)]
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
            result["aggregate_goodput_bps"] / 1e6,
            result["events"],
            result["wall_s"],
        )


class Ns2:
    """`ns ns2/cell.tcl`."""

    name = base = "ns-2"

    def __init__(self, command: str) -> None:
        self.command = command

    def run(self, cell: Cell, duration: float, seed: int, *, count: bool = False) -> Run:
        """Simulate the cell; `count` tells the number of events, for a little more time."""
        arguments = [f"duration={duration}", f"seed={seed}", f"warmup={cell.warmup}"]
        if cell.tcp:
            arguments += [f"up={cell.up}", f"down={cell.down}"]
        else:
            arguments += ["mode=udp", f"stations={cell.up}", "preamble_bits=144"]
        if count:
            arguments.append("count_events=1")
        done = measure([self.command, str(HERE / "ns2" / "cell.tcl"), *arguments])
        events = [int(uid) for uid in re.findall(r"uid: (\d+)", done.output)]
        goodput = sum(json_line(done.output)["goodput_mbps"])
        return Run(done.wall_s, done.memory_mb, goodput, max(events, default=None))


class Ns3:
    """The program of ns3/cell.cc."""

    name = base = "ns-3"

    def __init__(self, program: Path) -> None:
        self.program = program

    def run(self, cell: Cell, duration: float, seed: int) -> Run:
        """Simulate the cell for the duration after its warm-up, seconds."""
        arguments = [f"duration={duration}", f"seed={seed}", f"warmup={cell.warmup}"]
        if cell.tcp:
            arguments += [f"up={cell.up}", f"down={cell.down}"]
        else:
            arguments += ["mode=udp", f"stations={cell.up}"]
        done = measure([str(self.program), *arguments])
        result = json_line(done.output)
        return Run(done.wall_s, done.memory_mb, sum(result["goodput_mbps"]), result["events"])


def find_ns2() -> Ns2 | str:
    """Return the tool, or why it is left out."""
    command = shutil.which("ns")
    return (
        Ns2(command) if command else "ns-2 is not installed (Debian, Ubuntu: apt-get install ns2)"
    )


def find_ns3(python: str, build: Path) -> Ns3 | str:
    """Compile the program where it is older than its source; or say why ns-3 is left out."""
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


# --- Measuring ------------------------------------------------------------------------------------


def spread(values: list[float]) -> dict[str, float]:
    """Return median, minimum and maximum."""
    return {"median": statistics.median(values), "min": min(values), "max": max(values)}


def compare(cell: Cell, tools: list[Any], repeat: int) -> list[dict[str, Any]]:
    """Run the tools in alternation and return a row for each."""
    runs: dict[str, list[Run]] = {tool.name: [] for tool in tools}
    failed: dict[str, str] = {}
    for round_ in range(repeat):
        for tool in tools:
            if tool.name in failed or (round_ > 0 and tool.base in cell.once):
                continue
            say(f"{cell.name}: {tool.name}, {round_ + 1} of {repeat}")
            try:
                run = tool.run(cell, cell.seconds[tool.base], round_ + 1)
            except Failed as error:
                failed[tool.name] = str(error)
            else:
                runs[tool.name].append(run)

    rows = []
    for tool in tools:
        row: dict[str, Any] = {"scenario": cell.name, "title": cell.title, "tool": tool.name}
        rows.append(row)
        if tool.name in failed:
            row["failed"] = failed[tool.name]
            continue
        simulated = cell.simulated(tool.base)
        done = runs[tool.name]
        row |= {
            "runs": len(done),
            "simulated_s": simulated,
            "process_s": spread([run.wall_s for run in done]),
            "memory_mb": max(run.memory_mb for run in done),
            "goodput_mbps": statistics.fmean(run.goodput_mbps for run in done),
        }
        timed = [run.wall_s for run in done]
        if done[0].engine_s is not None:
            timed = [run.engine_s for run in done]
            row["engine_s"] = spread(timed)
        row["ms_per_simulated_s"] = {
            key: 1e3 * value / simulated for key, value in spread(timed).items()
        }
        events = done[0].events
        if events is None and isinstance(tool, Ns2):
            events = tool.run(cell, cell.seconds["ns-2"], 1, count=True).events
        if events:
            row["events"] = events
            row["events_per_s"] = events / timed[0]
    for row in rows:
        if "failed" not in row and row["tool"] in TOLERANCE:
            _judge(cell, row, rows, tools, runs)
    return rows


def _judge(
    cell: Cell,
    row: dict[str, Any],
    rows: list[dict[str, Any]],
    tools: list[Any],
    runs: dict[str, list[Run]],
) -> None:
    """Add to another simulator's row whether evenair gets the same throughput, and the ratios."""
    own = f"evenair as {row['tool']}"
    ours = next(r for r in rows if r["tool"] == own)
    if "failed" in ours:
        return
    # The same simulated time, start included, with as many seeds as there are, or more.
    evenair = next(tool for tool in tools if tool.name == own)
    duration = cell.seconds[row["tool"]]
    if duration == cell.seconds["evenair"]:
        goodputs = [run.goodput_mbps for run in runs[own]]
    else:
        say(f"{cell.name}: {own}, {duration} s for the comparison of throughputs")
        goodputs = [evenair.run(cell, duration, seed).goodput_mbps for seed in range(1, 11)]
    mean = statistics.fmean(goodputs)
    difference = mean / row["goodput_mbps"] - 1
    row["agreement"] = {
        "evenair_mbps": mean,
        "difference": difference,
        "tolerance": TOLERANCE[row["tool"]],
        "agrees": abs(difference) <= TOLERANCE[row["tool"]],
    }
    per_second = row["ms_per_simulated_s"]["median"]
    row["ratio_engine"] = per_second / ours["ms_per_simulated_s"]["median"]
    process = 1e3 * ours["process_s"]["median"] / ours["simulated_s"]
    row["ratio_process"] = per_second / process


def growth(evenair: Path, repeat: int, quick: bool) -> list[dict[str, Any]]:
    """Engine time per frame on the air at 10 to 1000 stations that always have one."""
    cells: dict[int, list[dict[str, float]]] = {10: [], 50: [], 200: [], 1000: []}
    duration = 10 if quick else 300
    for round_ in range(repeat):
        for stations, measured in cells.items():
            say(f"growth: {stations} stations, {round_ + 1} of {repeat}")
            keys = {
                "duration": f"{duration} s",
                "warmup": "0 s",
                "station.0.count": stations,
                # A third more than ten stations get through.
                "station.0.flows.0.rate": f"{8e6 / stations:.0f} bps",
            }
            command = [str(evenair), "run", str(HERE / "scenarios" / "saturated.toml"), "--json"]
            command += ["--seed", str(round_ + 1)]
            command += [word for k, v in keys.items() for word in ("--set", f"{k}={v}")]
            result = json.loads(measure(command).output)
            frames = sum(station["frames_sent"] for station in result["stations"])
            delivered = sum(
                station["frames_sent"] * (1 - station["collision_probability"])
                for station in result["stations"]
            )
            measured.append(
                {
                    "ns_per_frame": 1e9 * result["wall_s"] / frames,
                    "ns_per_delivered": 1e9 * result["wall_s"] / delivered,
                    "collided": 1 - delivered / frames,
                }
            )
    rows = []
    for stations, measured in cells.items():
        row: dict[str, Any] = {
            key: spread([one[key] for one in measured])
            for key in ("ns_per_frame", "ns_per_delivered")
        }
        row |= {"stations": stations, "collided": measured[0]["collided"]}
        rows.append(row)
    for row in rows:
        row["ratio"] = row["ns_per_frame"]["median"] / rows[0]["ns_per_frame"]["median"]
    return rows


THREADS = """
import json, sys, time
import evenair
file, seconds, runs = sys.argv[1], sys.argv[2], int(sys.argv[3])
scenario = evenair.load(file, [("duration", seconds + " s")])
out = []
for threads in json.loads(sys.argv[4]):
    start = time.perf_counter()
    evenair.run(scenario, runs=runs, threads=threads)
    out.append(runs / (time.perf_counter() - start))
print(json.dumps(out))
"""


def threads(python: str, repeat: int, quick: bool) -> list[dict[str, Any]]:
    """Runs per second with 1, 2, 4, ... threads, as many as there are processors."""
    cpus = len(os.sched_getaffinity(0))
    counts = [1, *(n for n in (2, 4, 8, 16, 32, 64) if n <= cpus)]
    rates: dict[int, list[float]] = {n: [] for n in counts}
    arguments = [str(HERE / "scenarios" / "baseline.toml"), "10" if quick else "300"]
    arguments += ["8" if quick else "40", json.dumps(counts)]
    for round_ in range(repeat):
        say(f"threads: {round_ + 1} of {repeat}")
        output = measure([python, "-c", THREADS, *arguments]).output
        for n, rate in zip(counts, json.loads(output), strict=True):
            rates[n].append(rate)
    rows: list[dict[str, Any]] = []
    for n, values in rates.items():
        # Ratios within a round: another process on the machine spoils both numbers alike.
        speedups = [value / one for value, one in zip(values, rates[1], strict=True)]
        rows.append({"threads": n, "runs_per_s": spread(values), "speedup": spread(speedups)})
    return rows


def whole_process(evenair: Path, native: Path, repeat: int) -> list[dict[str, Any]]:
    """Time and memory of whole processes that simulate the baseline once."""
    file = str(HERE / "scenarios" / "baseline.toml")
    commands = {"`evenair run --json`": [str(evenair), "run", file, "--json"]}
    if os.access(native, os.X_OK):
        commands["example `run`, without Python"] = [str(native), file]
    runs: dict[str, list[Measured]] = {name: [] for name in commands}
    for round_ in range(repeat):
        say(f"process: {round_ + 1} of {repeat}")
        for name, command in commands.items():
            runs[name].append(measure(command))
    return [
        {
            "command": name,
            "process_s": spread([run.wall_s for run in done]),
            "memory_mb": max(run.memory_mb for run in done),
        }
        for name, done in runs.items()
    ]


def campaign(evenair: Path, repeat: int, quick: bool) -> dict[str, Any]:
    """The 600 runs of figure 4 of Gong et al. (2006): 4 schemes, 15 buffers, 10 seeds, 300 s."""
    measured = []
    for round_ in range(repeat):
        say(f"campaign: {round_ + 1} of {repeat}")
        with tempfile.TemporaryDirectory() as out:
            command = [str(evenair), "paper", "gong2006", "--out", f"{out}/report"]
            command += ["--figure", "4a", "--figure", "4b", *(["--quick"] if quick else [])]
            try:
                # Status 1: a claim of the paper did not hold.
                measured.append(measure(command, accepted=(0, 1)))
            except Failed as error:
                return {"failed": str(error)}
    return {
        "runs": 40 if quick else 600,
        "threads": len(os.sched_getaffinity(0)),
        "process_s": spread([one.wall_s for one in measured]),
        "memory_mb": max(one.memory_mb for one in measured),
    }


# --- Tables ---------------------------------------------------------------------------------------


def say(text: str) -> None:
    """Tell what is going on."""
    print(f"{time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)


def number(value: float, digits: int = 3) -> str:
    """Write a number with so many significant digits, thousands set apart."""
    if value == 0 or abs(value) >= 10**digits:
        return f"{value:,.0f}"
    return f"{value:.{digits}g}" if abs(value) < 1 else f"{float(f'{value:.{digits}g}'):g}"


def range_(values: dict[str, float]) -> str:
    """Write median, minimum and maximum."""
    return " | ".join(number(values[key]) for key in ("median", "min", "max"))


def table(head: list[str], rows: list[list[str]]) -> str:
    """Return a Markdown table; all columns but the first two are numbers."""
    rule = ["---" if i < 2 else "--:" for i in range(len(head))]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in [head, rule, *rows])


def markdown(report: dict[str, Any]) -> str:
    """Return the whole report as text."""
    parts = [f"# Benchmark of {report['date']}", "", machine_text(report["machine"]), ""]
    if report["quick"]:
        parts += ["**Quick run: it shows that the harness works, its numbers mean nothing.**", ""]
    parts += [f"Left out: {reason}.\n" for reason in report["left_out"]]
    if report["cells"]:
        parts += [
            "## The same cell in each simulator",
            "",
            "Time is in ms per simulated second: of the engine alone for evenair, of the whole",
            "process for the others (starting them is a small part of it). Ratios say how many",
            "times faster evenair is than the tool of that row, by engine and by whole process.",
            "",
            cell_table(report["cells"]),
            "",
            "## Do they agree?",
            "",
            "Throughput (TCP: goodput; UDP: payload) over the same simulated time.",
            "",
            agreement_table(report["cells"]),
            "",
        ]
    if rows := report.get("process"):
        parts += [
            "## Whole processes",
            "",
            "The baseline, 300 s, long preamble. The bars are 0.35 s and 90 MB, and 20 MB without",
            "Python. Memory is the peak of the resident set, libraries included; what is below",
            "10 MB cannot be told apart.",
            "",
            table(
                ["command", "of", "s", "min", "max", "MB"],
                [
                    [row["command"], "baseline", range_(row["process_s"]), number(row["memory_mb"])]
                    for row in rows
                ],
            ),
            "",
        ]
    if single := report.get("campaign"):
        parts += ["## Campaign", "", campaign_text(single), ""]
    if rows := report.get("growth"):
        parts += [
            "## Growth",
            "",
            "Engine time per frame on the air, collided ones included, of stations that always",
            "have a frame to send. The bar is a ratio of 2 at 1000 stations.",
            "",
            table(
                ["stations", "collided", "ns per frame", "min", "max", "ratio", "ns per delivered"],
                [
                    [
                        str(row["stations"]),
                        f"{row['collided']:.0%}",
                        range_(row["ns_per_frame"]),
                        number(row["ratio"]),
                        number(row["ns_per_delivered"]["median"]),
                    ]
                    for row in rows
                ],
            ),
            "",
        ]
    if rows := report.get("threads"):
        parts += [
            "## Threads",
            "",
            "Runs of the baseline, 300 s each, in one process. The bar is 1.8 with two threads.",
            "",
            table(
                ["threads", "runs per second", "min", "max", "speed-up"],
                [
                    [
                        str(row["threads"]),
                        range_(row["runs_per_s"]),
                        number(row["speedup"]["median"]),
                    ]
                    for row in rows
                ],
            ),
            "",
        ]
    return "\n".join(parts)


def machine_text(machine: dict[str, Any]) -> str:
    """Say where it was measured."""
    versions = ", ".join(f"{name} {version}" for name, version in machine["versions"].items())
    return (
        f"{machine['cpu']}, {machine['cpus']} processors, {machine['system']}; {versions}. "
        f"Load average before and after: {machine['load_before']:.2f}, {machine['load_after']:.2f}."
    )


def cell_table(rows: list[dict[str, Any]]) -> str:
    """Return the table of timings."""
    head = ["scenario", "tool", "simulated s", "runs", "ms/s", "min", "max", "process s"]
    head += ["events/s", "MB", "ratio, engine", "ratio, process"]
    out = []
    for row in rows:
        if "failed" in row:
            out.append([row["title"], row["tool"], *[""] * 9, row["failed"]])
            continue
        # A fast wrong answer does not count.
        wrong = "agreement" in row and not row["agreement"]["agrees"]
        ratios = [
            (f"({number(row[key])}: do not agree)" if wrong else number(row[key]))
            if key in row
            else ""
            for key in ("ratio_engine", "ratio_process")
        ]
        out.append(
            [
                row["title"],
                row["tool"],
                number(row["simulated_s"]),
                str(row["runs"]),
                range_(row["ms_per_simulated_s"]),
                number(row["process_s"]["median"]),
                number(row["events_per_s"]) if "events_per_s" in row else "",
                number(row["memory_mb"]),
                *ratios,
            ]
        )
    return table(head, out)


def agreement_table(rows: list[dict[str, Any]]) -> str:
    """Return the table of throughputs."""
    head = ["scenario", "with", "its Mb/s", "evenair's Mb/s", "difference", "allowed", "agrees"]
    out = []
    for row in rows:
        if "agreement" in row:
            it = row["agreement"]
            out.append(
                [
                    row["title"],
                    row["tool"],
                    f"{row['goodput_mbps']:.4f}",
                    f"{it['evenair_mbps']:.4f}",
                    f"{it['difference']:+.2%}",
                    f"{it['tolerance']:.0%}",
                    "yes" if it["agrees"] else "**no**",
                ]
            )
    return table(head, out)


def campaign_text(single: dict[str, Any]) -> str:
    """Say how long the campaign takes."""
    if "failed" in single:
        return f"Not measured: {single['failed']}."
    text = (
        f"`evenair paper gong2006 --figure 4a --figure 4b`, {single['runs']} runs and the report, "
        f"{single['threads']} threads: {number(single['process_s']['median'])} s "
        f"({number(single['process_s']['min'])} to {number(single['process_s']['max'])}), "
        f"{number(single['memory_mb'])} MB."
    )
    for tool, seconds in single.get("extrapolated_s", {}).items():
        text += (
            f" {tool} would take {number(seconds / 60)} minutes for as many runs of the baseline, "
            "with a process on each processor: extrapolated from its row above, not run."
        )
    return text


def plot(report: dict[str, Any], path: Path) -> None:
    """Draw time per simulated second of each tool and scenario, on a logarithmic axis."""
    import matplotlib as mpl

    mpl.use("agg")
    import matplotlib.pyplot as plt

    rows = [row for row in report["cells"] if "failed" not in row]
    titles = list(dict.fromkeys(row["title"] for row in report["cells"]))
    styles = {
        "ns-3": ("0.85", "//", "ns-3"),
        "ns-2": ("0.6", "", "ns-2"),
        "evenair as ns-3": ("0.35", "//", "evenair (engine), ns-3's cell"),
        "evenair as ns-2": ("0.1", "", "evenair (engine), ns-2's cell"),
    }
    present = [tool for tool in styles if any(row["tool"] == tool for row in rows)]
    figure, axes = plt.subplots(figsize=(8, 1.2 + 1.1 * len(titles)), layout="constrained")
    height = 0.8 / len(present)
    for row in rows:
        colour, hatch, label = styles[row["tool"]]
        at = titles.index(row["title"]) - 0.4 + height * (present.index(row["tool"]) + 0.5)
        time_ms = row["ms_per_simulated_s"]
        middle = time_ms["median"]
        error = [[middle - time_ms["min"]], [time_ms["max"] - middle]]
        axes.barh(
            at, middle, height, xerr=error, color=colour, hatch=hatch, edgecolor="black",
            linewidth=0.6, error_kw={"linewidth": 0.8, "capsize": 2, "ecolor": "0.4"}, label=label,
        )  # fmt: skip
        text = f"{number(middle)} ms"
        if "ratio_engine" in row:
            agrees = row["agreement"]["agrees"]
            text += f" ({number(row['ratio_engine'])}×)" if agrees else " (does not agree)"
        axes.annotate(
            text, (time_ms["max"], at), (5, 0), textcoords="offset points", va="center", fontsize=8
        )
    axes.set_xscale("log")
    low, high = axes.get_xlim()
    axes.set_xlim(low, high * 25)
    axes.set_yticks(range(len(titles)), titles)
    axes.invert_yaxis()
    axes.set_xlabel("Wall time per simulated second (ms), median, minimum and maximum")
    handles, labels = axes.get_legend_handles_labels()
    first = {label: handle for handle, label in zip(handles, labels, strict=True)}
    order = [styles[tool][2] for tool in present if styles[tool][2] in first]
    figure.legend(
        [first[label] for label in order], order, loc="outside upper center", ncols=2, fontsize=9
    )
    axes.grid(axis="x", linewidth=0.4, color="0.8")
    axes.set_axisbelow(True)
    figure.savefig(path, dpi=150)


# --- The command ----------------------------------------------------------------------------------


def machine(versions: dict[str, str]) -> dict[str, Any]:
    """Describe the machine."""
    cpu = platform.processor() or platform.machine()
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
        cpu = re.search(r"model name\s*: (.*)", text).group(1)  # type: ignore[union-attr]
    except (OSError, AttributeError):
        pass
    return {
        "cpu": cpu,
        "cpus": len(os.sched_getaffinity(0)),
        "system": f"{platform.system()} {platform.release()}",
        "versions": versions,
        "load_before": os.getloadavg()[0],
    }


def options() -> argparse.Namespace:
    """Read the command line."""
    names = [cell.name for cell in CELLS] + list(OWN)
    beside = Path(sys.executable).parent
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("--quick", action="store_true", help="tiny: see that all of it works")
    parser.add_argument(
        "--scenario", action="append", choices=names, help="only this one (may be repeated)"
    )
    parser.add_argument("--repeat", type=int, metavar="N", help="runs of each tool [5; quick: 2]")
    parser.add_argument(
        "--out", type=Path, metavar="DIR", default=HERE / "results", help="[benchmarks/results]"
    )
    parser.add_argument(
        "--evenair", type=Path, metavar="FILE", default=beside / "evenair",
        help="the command to time [the one beside this Python]",
    )  # fmt: skip
    parser.add_argument(
        "--native", type=Path, metavar="FILE",
        default=HERE.parent / "target" / "release" / "examples" / "run",
        help="the engine's example program, for its memory [target/release/examples/run]",
    )  # fmt: skip
    parser.add_argument(
        "--ns3-python", metavar="FILE",
        default=os.environ.get("EVENAIR_NS3_PYTHON", sys.executable),
        help="a Python that has the package ns3 [EVENAIR_NS3_PYTHON, or this one]",
    )  # fmt: skip
    parser.add_argument(
        "--build", type=Path, metavar="DIR", default=HERE.parent / "target" / "bench-ns3",
        help="where ns-3's program is compiled [target/bench-ns3]",
    )  # fmt: skip
    chosen = parser.parse_args()
    if chosen.repeat is not None and chosen.repeat < 1:
        parser.error(f"--repeat: got {chosen.repeat}, expected a whole number from 1 on")
    if not os.access(chosen.evenair, os.X_OK):
        parser.error(f"--evenair: {chosen.evenair} is not there: pip install . or make bench")
    return chosen


def main() -> int:
    """Measure, write the tables and the plot, and return the exit status."""
    chosen = options()
    repeat = chosen.repeat or (2 if chosen.quick else 5)
    wanted = chosen.scenario or [*(cell.name for cell in CELLS), *OWN]
    cells = [cell for cell in CELLS if cell.name in wanted]
    if chosen.quick and cells:
        cells = list(QUICK)

    tools: list[Any] = []
    left_out = []
    versions = {"evenair": measure([str(chosen.evenair), "--version"]).output.split()[-1]}
    for found in (find_ns2(), find_ns3(chosen.ns3_python, chosen.build)) if cells else ():
        if isinstance(found, str):
            say(f"left out: {found}")
            left_out.append(found)
        else:
            tools += [Evenair(chosen.evenair, found.name), found]
            versions[found.name] = version_of(found, chosen.ns3_python)
    if cells and not tools:
        tools = [Evenair(chosen.evenair, "ns-2")]

    report: dict[str, Any] = {
        "date": time.strftime("%Y-%m-%d"),
        "quick": chosen.quick,
        "repeat": repeat,
        "machine": machine(versions),
        "left_out": left_out,
        "cells": [row for cell in cells for row in compare(cell, tools, repeat)],
    }
    if "process" in wanted:
        report["process"] = whole_process(chosen.evenair, chosen.native, repeat)
    if "campaign" in wanted:
        report["campaign"] = campaign(chosen.evenair, 1 if chosen.quick else repeat, chosen.quick)
        extrapolate(report)
    if "growth" in wanted:
        report["growth"] = growth(chosen.evenair, repeat, chosen.quick)
    if "threads" in wanted:
        python = chosen.evenair.parent / "python"
        report["threads"] = threads(str(python), repeat, chosen.quick)
    report["machine"]["load_after"] = os.getloadavg()[0]

    chosen.out.mkdir(parents=True, exist_ok=True)
    (chosen.out / "bench.json").write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    text = markdown(report)
    (chosen.out / "bench.md").write_text(text + "\n", encoding="utf-8")
    if report["cells"]:
        plot(report, chosen.out / "bench.png")
    print(text)
    say(f"written to {chosen.out}")
    disagree = [
        row for row in report["cells"] if "agreement" in row and not row["agreement"]["agrees"]
    ]
    return 1 if disagree and not chosen.quick else 0


def version_of(tool: Any, python: str) -> str:
    """Return a simulator's version, as far as it tells."""
    if tool.name == "ns-2":
        look = ["dpkg-query", "-W", "-f", "${Version}", "ns2"]
    else:
        look = [python, "-c", "import importlib.metadata as m; print(m.version('ns3'))"]
    try:
        return measure(look).output.strip()
    except (Failed, OSError):
        return "of unknown version"


def extrapolate(report: dict[str, Any]) -> None:
    """Add what the campaign would take with the other simulators, from their baseline."""
    single = report["campaign"]
    for row in report["cells"]:
        if row["scenario"] == "baseline" and row["tool"] in TOLERANCE and "process_s" in row:
            per_run = row["process_s"]["median"] * 300 / row["simulated_s"]
            seconds = per_run * 600 / report["machine"]["cpus"]
            single.setdefault("extrapolated_s", {})[row["tool"]] = seconds


if __name__ == "__main__":
    sys.exit(main())
