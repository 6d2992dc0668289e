"""The measurements: comparison of cells, growth, threads, whole processes, a campaign."""

from __future__ import annotations

import json
import os
import statistics
import tempfile
from typing import TYPE_CHECKING, Any

from cells import HERE, TOLERANCE, Cell
from process import Failed, Measured, measure
from report import log
from tools import Ns2, Run

if TYPE_CHECKING:
    from pathlib import Path


def spread(values: list[float]) -> dict[str, float]:
    """Return median, minimum and maximum."""
    return {"median": statistics.median(values), "min": min(values), "max": max(values)}


def compare(cell: Cell, tools: list[Any], repeat: int) -> list[dict[str, Any]]:
    """Run the tools in alternation and return a row for each."""
    tools = [tool for tool in tools if tool.like in cell.seconds]
    runs: dict[str, list[Run]] = {tool.name: [] for tool in tools}
    failed: dict[str, str] = {}
    for round_ in range(repeat):
        for tool in tools:
            if tool.name in failed or (round_ > 0 and tool.base in cell.once):
                continue
            log(f"{cell.name}: {tool.name}, {round_ + 1} of {repeat}")
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
            _judge(cell, row, rows, tools, 4 * repeat)
    return rows


def _judge(
    cell: Cell,
    row: dict[str, Any],
    rows: list[dict[str, Any]],
    tools: list[Any],
    seeds: int,
) -> None:
    """Add the ratios to another simulator's row, and whether evenair's throughput agrees."""
    own = f"evenair as {row['tool']}"
    ours = next(r for r in rows if r["tool"] == own)
    if "failed" in ours:
        return
    # The same simulated time, start included.
    evenair = next(tool for tool in tools if tool.name == own)
    duration = cell.seconds[row["tool"]]
    log(f"{cell.name}: {own}, {seeds} runs of {duration} s for the comparison of throughputs")
    goodputs = [evenair.run(cell, duration, seed + 1).goodput_mbps for seed in range(seeds)]
    mean = statistics.fmean(goodputs)
    difference = mean / row["goodput_mbps"] - 1
    row["agreement"] = {
        "evenair_mbps": mean,
        "difference": difference,
        "tolerance": cell.tolerance[row["tool"]],
        "agrees": abs(difference) <= cell.tolerance[row["tool"]],
    }
    per_second = row["ms_per_simulated_s"]["median"]
    row["ratio_engine"] = per_second / ours["ms_per_simulated_s"]["median"]
    process = 1e3 * ours["process_s"]["median"] / ours["simulated_s"]
    row["ratio_process"] = per_second / process


def growth(evenair: Path, repeat: int, quick: bool) -> list[dict[str, Any]]:
    """Measure engine time per frame on the air with 10 to 1000 saturated stations."""
    cells: dict[int, list[dict[str, float]]] = {10: [], 50: [], 200: [], 1000: []}
    duration = 10 if quick else 300
    for round_ in range(repeat):
        for stations, measured in cells.items():
            log(f"growth: {stations} stations, {round_ + 1} of {repeat}")
            keys = {
                "duration": f"{duration} s",
                "warmup": "0 s",
                "station.0.count": stations,
                # A third above the throughput of ten stations.
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
    """Measure runs per second with 1, 2, 4, ... threads, up to the number of processors."""
    cpus = len(os.sched_getaffinity(0))
    counts = [1, *(n for n in (2, 4, 8, 16, 32, 64) if n <= cpus)]
    rates: dict[int, list[float]] = {n: [] for n in counts}
    arguments = [str(HERE / "scenarios" / "baseline.toml"), "10" if quick else "300"]
    arguments += ["8" if quick else "40", json.dumps(counts)]
    for round_ in range(repeat):
        log(f"threads: {round_ + 1} of {repeat}")
        output = measure([python, "-c", THREADS, *arguments]).output
        for n, rate in zip(counts, json.loads(output), strict=True):
            rates[n].append(rate)
    rows: list[dict[str, Any]] = []
    for n, values in rates.items():
        # Ratios within a round: other load on the machine affects both numbers.
        speedups = [value / one for value, one in zip(values, rates[1], strict=True)]
        rows.append({"threads": n, "runs_per_s": spread(values), "speedup": spread(speedups)})
    return rows


def whole_process(evenair: Path, native: Path, repeat: int) -> list[dict[str, Any]]:
    """Measure time and memory of processes that simulate the baseline once."""
    file = str(HERE / "scenarios" / "baseline.toml")
    commands = {"`evenair run --json`": [str(evenair), "run", file, "--json"]}
    if os.access(native, os.X_OK):
        commands["example `run`, without Python"] = [str(native), file]
    runs: dict[str, list[Measured]] = {name: [] for name in commands}
    for round_ in range(repeat):
        log(f"process: {round_ + 1} of {repeat}")
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
    """Measure figure 4 of Gong et al. (2006): 600 runs, 4 schemes, 15 buffers, 10 seeds."""
    measured = []
    for round_ in range(repeat):
        log(f"campaign: {round_ + 1} of {repeat}")
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
