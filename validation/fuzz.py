"""Mutated scenarios and random cells through the command line, each with a time limit.

    .venv/bin/python validation/fuzz.py                      # 10,000 scenarios, 1,000 cells
    .venv/bin/python validation/fuzz.py --scenarios 500 --cells 50 --jobs 4 --seed 7

Prints what went wrong, with the scenario, and a line of counts. Exit status 0 if nothing did: no
case takes longer than the limit, none ends the process, and each gives a result, or one line on
standard error with status 1 or 2 that is no internal error. A result repeats exactly, has no number
that is not finite, and its shares and Jain's index are within their bounds.

Each worker is a process that calls the command's `main` for one case after the other.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import random
import re
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

ROOT = Path(__file__).parent.parent
CORPUS = sorted(
    [
        *ROOT.glob("python/evenair/scenarios/*.toml"),
        *ROOT.glob("crates/evenair-sim/tests/corpus/*.toml"),
    ]
)
LIMIT_S = 10.0
VALUES = [
    "0",
    "1",
    "-1",
    "2",
    "255",
    "256",
    "65535",
    "65536",
    "4294967296",
    "9223372036854775807",
    "1e308",
    "-0.0",
    "1e-300",
    "nan",
    "inf",
    "true",
    '""',
    '"unlimited"',
    '"0_s"',
    '"1_ns"',
    '"1000000_s"',
    '"1_Mbps"',
    '"1000_Gbps"',
    '"1_B"',
    '"1_TB"',
    '"las"',
    '"udp"',
    '"web"',
    '"x"',
    "[]",
    "{}",
    "[[]]",
    "[1,2]",
    "[{}]",
    '{kind="las"}',
    '{kind="web",sessions=1}',
    '{kind="page",pages=1}',
    '{kind="arrivals",concurrent=1}',
    '{kind="trace",sent_as="transfers",packets=[[0,1000]]}',
    '{kind="video-call",adaptation="gcc-loss"}',
    '{distribution="pareto"}',
    "1979-05-27",
    '"802.11g"',
    '"54_Mbps"',
    '{kind="gilbert-elliott"}',
    '"cubic"',
    '"up"',
    '"ap"',
    '"server"',
    "0.5",
    "0.999999",
]
KEYS = [
    "name",
    "duration",
    "cell",
    "cell.phy",
    "cell.data_rate",
    "cell.queue",
    "cell.queue.kind",
    "cell.queue.limit",
    "cell.rts_threshold",
    "cell.short_retry_limit",
    "wired",
    "wired.rate",
    "wired.delay",
    "wired.queue.limit",
    "station",
    "station.0.count",
    "station.0.error",
    "station.0.error.rate",
    "station.0.flows",
    "station.0.flows.0.window",
    "station.0.flows.0.segment",
    "station.0.flows.0.transport",
    "station.0.flows.0.application",
    "station.0.flows.0.sack",
    "station.0.flows.0.start",
    "station.0.flows.0.rate",
    "station.0.queue.kind",
]


@dataclass
class Case:
    """A scenario, the arguments of `evenair run`, and how often it is run."""

    text: bytes
    arguments: list[str]
    runs: int = 1


@dataclass
class Outcome:
    """What the command did; the status is None if an exception left it."""

    statuses: list[int | None] = field(default_factory=list)
    outputs: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


# --- Cases ----------------------------------------------------------------------------------------


def mutated(dice: random.Random) -> Case:
    """A scenario of the corpus with up to three changes, and up to two overrides."""
    text = bytearray(dice.choice(CORPUS).read_bytes())
    for _ in range(dice.randrange(4)):
        lines = bytes(text).splitlines(keepends=True) or [b""]
        at, line = dice.randrange(len(text) + 1), dice.randrange(len(lines))
        match dice.randrange(12):
            case 0:
                text[at : at + 1] = dice.randbytes(1)
            case 1:
                del text[at : at + dice.randrange(1, 30)]
            case 2:
                text[at:at] = dice.randbytes(dice.randrange(1, 8))
            case 3:
                lines.insert(dice.randrange(len(lines)), lines[line])
                text = bytearray(b"".join(lines))
            case 4:
                del lines[line]
                text = bytearray(b"".join(lines))
            case _:
                other = dice.choice(VALUES).replace("_", " ").encode()
                change = re.sub(rb'= *("[^"]*"|[^,}\]\n]*)', b"= " + other, lines[line], count=1)
                text = bytearray(b"".join([*lines[:line], change, *lines[line + 1 :]]))
    overrides = []
    for _ in range(dice.choice([0, 0, 1, 2])):
        value = dice.choice(VALUES).replace("_", " ")
        overrides += ["--set", f"{dice.choice(KEYS)}={value}"]
    # A second with a packet each nanosecond takes minutes.
    is_fast = b"1000 Gbps" in text or any("1000 Gbps" in override for override in overrides)
    duration = "10 ms" if is_fast else dice.choice(["10 ms", "1 s"])
    return Case(bytes(text), [*overrides, "--set", f"duration={duration}", "--set", "warmup=0 s"])


def cell(dice: random.Random) -> Case:
    """A valid cell of random parts."""
    phy = dice.choice(["802.11b", "802.11a", "802.11g"])
    rates = ["1 Mbps", "11 Mbps"] if phy == "802.11b" else ["6 Mbps", "24 Mbps", "54 Mbps"]

    def queue() -> dict[str, Any]:
        kind = dice.choice(["droptail", "spm-af", "las", "codel", "fq-codel", "pie", "dualpi2"])
        return {"kind": kind, "limit": dice.choice([1, 5, 60, 1000, "20 KB", "unlimited"])}

    def flow() -> dict[str, Any]:
        made: dict[str, Any] = {"direction": dice.choice(["up", "down"])}
        made |= {"segment": dice.choice([100, 536, 1460]), "start": dice.randrange(100) / 1000}
        if dice.random() < 0.3:
            kind = dice.choice(["cbr", "poisson", "on-off"])
            rate = dice.choice(["100 kbps", "10 Mbps"])
            return {**made, "transport": "udp", "rate": rate, "application": kind}
        sack = dice.random() < 0.5
        controls = ["newreno", "cubic", "vegas", "veno", "westwood", "westwood-plus", "bic", "biad"]
        controls.append("bbr1")
        controls.append("bbr")
        made |= {"transport": dice.choice(controls), "window": dice.choice([2, 20, 1000])}
        made |= {"sack": sack, "rack": sack and dice.random() < 0.5, "ecn": dice.random() < 0.3}
        made |= {"prr": sack and dice.random() < 0.5, "delayed_ack": dice.choice([1, 2, "dynamic"])}
        made["initial_window"] = 2
        if dice.random() < 0.3:
            size = dice.choice([1, 5000, {"distribution": "pareto", "mean": "30 KB"}])
            made["application"] = {"kind": "web", "size": size, "think": "20 ms"}
        return made

    def station() -> dict[str, Any]:
        flows = [flow() for _ in range(dice.randint(1, 3))]
        made = {"count": dice.choice([1, 1, 2, 5, 20]), "flows": flows, "queue": queue()}
        if dice.random() < 0.3:
            kind, level = (
                dice.choice(["independent", "gilbert-elliott"]),
                dice.choice(["ip", "mac"]),
            )
            made["error"] = {"kind": kind, "rate": dice.choice([0.001, 0.1, 0.6]), "level": level}
        return made

    scenario: dict[str, Any] = {
        "duration": dice.choice(["200 ms", "2 s"]),
        "warmup": dice.choice(["0 s", "300 ms"]),
        "cell": {
            "phy": phy,
            "data_rate": dice.choice(rates),
            "rts_threshold": dice.choice(["off", 0, 500]),
            "short_retry_limit": dice.choice([1, 7, 100]),
            "queue": queue(),
        },
        "wired": {
            "rate": dice.choice(["1 Mbps", "100 Mbps", "unlimited"]),
            "delay": dice.choice(["0 s", "2 ms", "100 ms"]),
            "queue": queue(),
        },
        "station": [station() for _ in range(dice.randint(1, 3))],
    }
    if dice.random() < 0.3:
        scenario["trace"] = {"interval": "50 ms"}
    from evenair.text import toml

    text = toml.dumps(scenario).encode()
    return Case(text, ["--seed", str(dice.randrange(2**64))], runs=2)


# --- Judgement ------------------------------------------------------------------------------------


def judge(outcome: Outcome) -> list[str]:
    """Return what is wrong with an outcome."""
    wrong = []
    for status, output, error in zip(
        outcome.statuses, outcome.outputs, outcome.errors, strict=True
    ):
        words = ("Traceback", "internal error", "please report", "this is a bug", "panicked")
        if status not in (0, 1, 2) or any(word in error + output for word in words):
            wrong.append(f"status {status}: {error[:2000]}")
        elif status == 0:
            wrong += _of_result(output)
        elif error.count("\n") != 1 or output:
            wrong.append(f"status {status} without one line of error: {error[:500]!r}")
    if len({re.sub(r'"wall_s": ?[^,}]*', "", output) for output in outcome.outputs}) > 1:
        wrong.append("a repetition gives another result")
    return wrong


def _of_result(output: str) -> list[str]:
    """Return what is wrong with a result, given as JSON text."""

    def refuse(name: str) -> None:
        raise ValueError(f"{name} in the result")

    try:
        result = json.loads(output, parse_constant=refuse)
    except ValueError as error:
        return [str(error)]
    wrong = []
    flows, jain = len(result["flows"]), result["jain_index"]
    if jain is not None and jain != 0 and not 1 / flows - 1e-9 <= jain <= 1 + 1e-9:
        wrong.append(f"Jain's index {jain} of {flows} flows")
    for node in [*result["stations"], result.get("ap", {})]:
        for key, value in node.items():
            share = key.endswith(("_share", "_probability"))
            if share and value is not None and not 0 <= value <= 1 + 1e-9:
                wrong.append(f"{key} {value} of {node['id']}")
    for flow in result["flows"]:
        if not flow["retransmissions"] <= flow["segments_sent"] or flow["goodput_bps"] < 0:
            wrong.append(f"counts of {flow['id']}")
    return wrong


# --- Workers --------------------------------------------------------------------------------------


def work(connection: Connection) -> None:
    """Run cases as the command would, in a folder of their own."""
    from evenair.cli import main

    os.chdir(tempfile.mkdtemp(prefix="evenair-fuzz-"))
    while True:
        case: Case = connection.recv()
        Path("case.toml").write_bytes(case.text)
        outcome = Outcome()
        for _ in range(case.runs):
            with Path("out").open("w+b") as out, Path("err").open("w+b") as err:
                os.dup2(out.fileno(), 1)
                os.dup2(err.fileno(), 2)
                status: int | None = None
                try:
                    status = main(["run", "case.toml", "--json", "--quiet", *case.arguments])
                except BaseException as error:
                    print(f"Traceback: {error!r}", file=sys.stderr)
                sys.stdout.flush()
                sys.stderr.flush()
                out.seek(0)
                err.seek(0)
                outcome.statuses.append(status)
                outcome.outputs.append(out.read().decode(errors="replace"))
                outcome.errors.append(err.read().decode(errors="replace"))
        connection.send(outcome)


class Worker:
    """A process that runs cases, and is replaced if one takes too long or ends it."""

    def __init__(self) -> None:
        self._start()

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._connection, other = context.Pipe()
        self._process = context.Process(target=work, args=(other,), daemon=True)
        self._process.start()
        other.close()
        self._fresh = True

    def run(self, case: Case) -> tuple[list[str], str]:
        """Return what is wrong with a case, and what became of it in a word."""
        # The first case waits for the imports.
        limit = case.runs * LIMIT_S + (60 if self._fresh else 0)
        self._fresh = False
        self._connection.send(case)
        try:
            if not self._connection.poll(limit):
                self.close()
                self._start()
                return [f"takes more than {LIMIT_S} s"], "hang"
            outcome: Outcome = self._connection.recv()
        except EOFError:
            self._process.join()
            code = self._process.exitcode
            self._start()
            return [f"the process ended with {code}"], "died"
        return judge(outcome), f"status {outcome.statuses[0]}"

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.join()


def main() -> int:
    """Run all cases and print the counts."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scenarios", type=int, default=10_000)
    parser.add_argument("--cells", type=int, default=1_000)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    kinds = [mutated] * arguments.scenarios + [cell] * arguments.cells
    failures, counts, start = 0, Counter[str](), time.monotonic()

    def share(job: int) -> list[tuple[int, Case, list[str], str]]:
        worker, found = Worker(), []
        for number in range(job, len(kinds), arguments.jobs):
            case = kinds[number](random.Random(f"{arguments.seed}/{number}"))
            found.append((number, case, *worker.run(case)))
            if found[-1][2]:
                print(f"case {number}: {found[-1][2]}", flush=True)
        worker.close()
        return found

    with ThreadPoolExecutor(arguments.jobs) as pool:
        for found in pool.map(share, range(arguments.jobs)):
            for number, case, wrong, word in found:
                counts[f"{kinds[number].__name__} {word}"] += 1
                if wrong:
                    failures += 1
                    print(f"\ncase {number}: {wrong}\n{case.arguments}\n{case.text!r}")
    took = time.monotonic() - start
    print(f"\n{len(kinds)} cases in {took:.0f} s: {dict(sorted(counts.items()))}; {failures} wrong")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
