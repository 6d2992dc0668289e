#!/usr/bin/env python3
"""Time evenair, ns-2 and ns-3 on the same cells in alternation; see README.md."""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import sys
import time
from pathlib import Path
from typing import Any

from cells import CELLS, HERE, OWN, QUICK, TOLERANCE
from measuring import campaign, compare, growth, threads, whole_process
from process import Failed, measure
from report import log, markdown, plot
from tools import Evenair, find_ns2, find_ns3


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
    parser.add_argument(
        "--quick", action="store_true", help="a tiny run that only tests the harness"
    )
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
            log(f"left out: {found}")
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
    log(f"written to {chosen.out}")
    disagree = [
        row for row in report["cells"] if "agreement" in row and not row["agreement"]["agrees"]
    ]
    return 1 if disagree and not chosen.quick else 0


def version_of(tool: Any, python: str) -> str:
    """Return a simulator's version if it can be found."""
    if tool.name == "ns-2":
        look = ["dpkg-query", "-W", "-f", "${Version}", "ns2"]
    else:
        look = [python, "-c", "import importlib.metadata as m; print(m.version('ns3'))"]
    try:
        return measure(look).output.strip()
    except (Failed, OSError):
        return "of unknown version"


def extrapolate(report: dict[str, Any]) -> None:
    """Add the estimated duration of the campaign with other simulators, from their baseline."""
    single = report["campaign"]
    for row in report["cells"]:
        if row["scenario"] == "baseline" and row["tool"] in TOLERANCE and "process_s" in row:
            per_run = row["process_s"]["median"] * 300 / row["simulated_s"]
            seconds = per_run * 600 / report["machine"]["cpus"]
            single.setdefault("extrapolated_s", {})[row["tool"]] = seconds


if __name__ == "__main__":
    sys.exit(main())
