#!/usr/bin/env python3
"""Compare bbr1 with the kernel's BBR: the table of docs/congestion/bbr1.md.

    sudo .venv/bin/python validation/testbed/bbr.py [--seeds N] [--out FILE]

A download over 802.11ac and a slower wire, alone, with a second one, and beside CUBIC, behind
queues of 0.5 to 8 bandwidth-delay products. Needs Linux, root and iperf3, and the time of all
runs: with three seeds a quarter of an hour.
"""

from __future__ import annotations

import argparse
import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evenair import load, testbed
from evenair.engine import run_jobs
from evenair.statistics import estimate

if TYPE_CHECKING:
    from evenair.scenario import Scenario

FOLDER = Path(__file__).parent
BDP_PACKETS = 20e6 * 0.040 / 8 / 1500
"""Of 20 Mb/s and twice 20 ms, in packets of 1500 bytes: 66.7."""
BUFFERS = (0.5, 1.0, 2.0, 8.0)
"""Bandwidth-delay products."""
CASES = {
    "alone": ("25-ac-bbr1", ["a"]),
    "two": ("26-ac-bbr1-cubic", ["a", "b"]),
    "cubic": ("26-ac-bbr1-cubic", ["a", "b"]),
}
"""Scenario and flows."""


def scenario(case: str, buffer: float) -> Scenario:
    """Return the scenario of a case."""
    name, _ = CASES[case]
    limit = math.ceil(buffer * BDP_PACKETS)
    changes = [("wired.queue", f"{{ kind = 'droptail', limit = {limit} }}")]
    if case == "two":
        changes.append(("station.0.flows.1.transport", "bbr1"))
    return load(str(FOLDER / f"{name}.toml"), changes)


def measured(document: dict[str, Any]) -> dict[str, float]:
    """Return what the table shows of a run."""
    goodput = [flow["goodput_bps"] / 1e6 for flow in document["flows"]]
    down = next(link for link in document["wired"]["links"] if link["to"] == "ap")
    return {
        "total": math.fsum(goodput),
        "share": goodput[0] / math.fsum(goodput),
        "queue": down["mean_packets"],
        "drops": 100.0 * down["loss_ratio"],
    }


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--out", type=Path)
    arguments = parser.parse_args()
    seeds = range(1, arguments.seeds + 1)
    rows = []
    for case in CASES:
        for buffer in BUFFERS:
            chosen = scenario(case, buffer)
            runs = {
                "sim": run_jobs([(chosen, seed) for seed in seeds]),
                "testbed": [testbed.run(chosen, testbed.Options(seed=seed)) for seed in seeds],
            }
            found = {
                engine: [measured(run.document) for run in each] for engine, each in runs.items()
            }
            late = [run.document["testbed"]["untrusted"] for run in runs["testbed"]]
            rows.append({"case": case, "buffer": buffer, "runs": found, "untrusted": late})
            print(row(case, buffer, found), *(line for each in late for line in each), flush=True)
            if arguments.out:
                arguments.out.write_text(json.dumps(rows, indent=1) + "\n")


def row(case: str, buffer: float, found: dict[str, list[dict[str, float]]]) -> str:
    """Return a row of the table: simulator / test-bed with 95% intervals over the seeds."""
    cells = [case, f"{buffer:g}"]
    for key, form in (("total", ".2f"), ("share", ".3f"), ("queue", ".1f"), ("drops", ".2f")):
        both = [estimate([run[key] for run in found[engine]]) for engine in ("sim", "testbed")]
        cells.append(" / ".join(f"{e.mean:{form}} ± {e.ci95 or 0.0:{form}}" for e in both))
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    main()
