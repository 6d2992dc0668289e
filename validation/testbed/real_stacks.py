#!/usr/bin/env python3
"""Measure what docs/real-stacks.md shows; draw its figures and print its tables.

    sudo .venv/bin/python validation/testbed/real_stacks.py --measure [--jobs N] [CASE...]
    .venv/bin/python validation/testbed/real_stacks.py --simulate
    .venv/bin/python validation/testbed/real_stacks.py --draw
    .venv/bin/python validation/testbed/real_stacks.py --tables

Measuring needs Linux, root, iperf3, and for SPM-AF clang and the headers of libbpf. It takes half a
minute per run, and adds what
real_stacks.json does not have. CASE is the beginning of the name of a case, such as buffer/las.
"""

from __future__ import annotations

import argparse
import json
import platform
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor, as_completed
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

from evenair import testbed
from evenair.engine import run_jobs
from evenair.testbed import verdict
from evenair.testbed.linux.processes import run
from real_stacks_cases import SEEDS, SIMULATED_SEEDS, Runs, cases, row_of
from real_stacks_figures import draw
from real_stacks_tables import tables

if TYPE_CHECKING:
    from evenair.testbed.linux.namespaces import Namespaces

_PROGRAM = Path(__file__).with_name("spm_mark.bpf.c")
_ATTEMPTS = 3
"""How often a run is made that is late."""


def main() -> None:
    """Do what the options say."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", nargs="*", metavar="CASE")
    parser.add_argument("--measure", action="store_true")
    parser.add_argument("--simulate", action="store_true")
    parser.add_argument("--draw", action="store_true")
    parser.add_argument("--tables", action="store_true")
    parser.add_argument("--worker", metavar="PROGRAM", help=argparse.SUPPRESS)
    parser.add_argument("--jobs", type=int, default=2, help="test-beds at once [2]")
    arguments = parser.parse_args()
    names = [name for name in cases() if name.startswith(tuple(arguments.cases or [""]))]
    if arguments.worker is not None:
        _work(arguments.worker)
        return
    runs = Runs.load()
    if arguments.measure:
        _measure(runs, names, arguments.jobs)
    if arguments.simulate:
        _simulate(runs, names)
    if arguments.draw:
        draw(runs)
    if arguments.tables:
        print("\n\n".join("\n".join(table) for table in tables(runs).values()))


def _measure(runs: Runs, names: list[str], jobs: int) -> None:
    """Run the test-bed for what is not there, seed by seed, and save each run."""
    known = cases()
    todo = [(name, seed) for seed in SEEDS for name in names if not runs.has(name, "testbed", seed)]
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(jobs) as pool:
        program = _compiled(folder) if any(known[name].marking for name in names) else ""
        workers: SimpleQueue[_Worker] = SimpleQueue()
        for _ in range(jobs):
            workers.put(_Worker(program))
        made = {pool.submit(_run, workers, name, seed): (name, seed) for name, seed in todo}
        for done in as_completed(made):
            name, seed = made[done]
            found = done.result()
            runs.late += found["late"]
            runs.machine = found["machine"]
            if found["row"] is None:
                print(f"{name} {seed}: late {_ATTEMPTS} times, left out", flush=True)
                continue
            runs.rows.append(found["row"])
            runs.save()
            late_ms = found["row"]["late_p99_s"] * 1e3
            print(f"{name} {seed}: p99 {late_ms:.2f} ms", flush=True)


def _run(workers: SimpleQueue[_Worker], name: str, seed: int) -> dict[str, Any]:
    worker = workers.get()
    try:
        return worker.run(name, seed)
    finally:
        workers.put(worker)


class _Worker:
    """A process that runs cases: its id names the namespaces of its test-beds."""

    def __init__(self, program: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, __file__, "--worker", program],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def run(self, name: str, seed: int) -> dict[str, Any]:
        """Run a case. Raises ValueError if the process has failed."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(name, seed, file=self._process.stdin, flush=True)
        found: dict[str, Any] = json.loads(self._process.stdout.readline())
        return found


def _work(program: str) -> None:
    """Run what standard input says, until it ends; print a line of JSON for each run."""
    for line in sys.stdin:
        name, seed = line.split()
        print(json.dumps(_one(name, int(seed), program)), flush=True)


def _one(name: str, seed: int, program: str) -> dict[str, Any]:
    """Return a run that was in time, the machine, and how many were late before it."""
    case = cases()[name]
    prepare = partial(_mark, program) if case.marking else None
    options = testbed.Options(seed=seed, congestion=case.congestion, prepare=prepare)
    machine: dict[str, Any] = {}
    for late in range(_ATTEMPTS):
        document = testbed.run(case.build(), options).document
        bed = document["testbed"]
        machine = {key: bed[key] for key in ("processors", "iperf3", "sysctls")}
        machine["kernel"] = bed["kernel"].partition("-")[0]
        for line in verdict.complaints(document):
            print(f"{name} {seed}: {line}", file=sys.stderr, flush=True)
        if bed["trusted"]:
            return {"row": row_of(name, document), "machine": machine, "late": late}
    return {"row": None, "machine": machine, "late": _ATTEMPTS}


def _compiled(folder: str) -> str:
    """Compile the program that marks packets; return its file."""
    program = f"{folder}/mark.o"
    headers = f"-I/usr/include/{platform.machine()}-linux-gnu"
    command = ["clang", "-O2", "-g", "-target", "bpf", headers, "-c", str(_PROGRAM), "-o", program]
    subprocess.run(command, check=True)
    return program


def _mark(program: str, namespaces: Namespaces) -> None:
    """Have the senders of downloads mark their packets as those of SPM-AF."""
    tc = ("tc", "-n", namespaces.name("server"))
    run(*tc, "qdisc", "add", "dev", "eth0", "clsact")
    run(*tc, "filter", "add", "dev", "eth0", "egress", "bpf", "da", "obj", program, "sec", "tc")


def _simulate(runs: Runs, names: list[str]) -> None:
    """Simulate all cases again."""
    known = cases()
    jobs = [(name, seed) for name in names if known[name].simulated for seed in SIMULATED_SEEDS]
    results = run_jobs([(known[name].build(), seed) for name, seed in jobs])
    simulated = [
        row_of(name, result.document) for (name, _), result in zip(jobs, results, strict=True)
    ]
    runs.rows = [r for r in runs.rows if r["engine"] != "sim" or r["case"] not in names]
    runs.rows += simulated
    runs.save()


if __name__ == "__main__":
    main()
