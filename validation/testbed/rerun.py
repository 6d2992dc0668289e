#!/usr/bin/env python3
"""Run the scenarios of this folder on simulator and test-bed; print a table of docs/validation.md.

    sudo .venv/bin/python validation/testbed/rerun.py [--runs N] [--out FILE] [NAME...]

Needs Linux, root, iperf3 and evenaird. Each run takes the time of its scenario. With --out the
comparisons are written as JSON, one document per scenario.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

from evenair import load, testbed
from evenair.comparison import Comparison, samples_of
from evenair.engine import run_jobs
from evenair.testbed import verdict

if TYPE_CHECKING:
    from evenair.result import RunResult

FOLDER = Path(__file__).parent
COLUMNS = (
    ("aggregate_goodput_bps", 1e-6, ".2f"),
    ("mean_up_goodput_bps", 1e-6, ".3f"),
    ("mean_down_goodput_bps", 1e-6, ".3f"),
    ("jain_index", 1.0, ".3f"),
    ("ap_queue_loss_ratio", 100.0, ".1f"),
)


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="scenarios, without .toml")
    parser.add_argument("--runs", type=int, default=2)
    parser.add_argument("--duration", type=float)
    parser.add_argument("--out", type=Path)
    arguments = parser.parse_args()
    names = arguments.names or sorted(path.stem for path in FOLDER.glob("*.toml"))
    seeds = range(1, arguments.runs + 1)
    documents = {}
    for name in names:
        change = [("duration", str(arguments.duration))] if arguments.duration else []
        scenario = load(str(FOLDER / f"{name}.toml"), change)
        simulated = run_jobs([(scenario, seed) for seed in seeds])
        real = [testbed.run(scenario, testbed.Options(seed=seed)) for seed in seeds]
        comparison = Comparison(
            scenario.resolved, {"sim": samples_of(simulated), "testbed": samples_of(real)}
        )
        documents[name] = comparison.document | {"testbed": notes(real)}
        print(row(name, comparison), flush=True)
        for line in documents[name]["testbed"]["warnings"]:
            print(f"    {line}", flush=True)
        if arguments.out:
            arguments.out.write_text(json.dumps(documents, indent=1) + "\n")


def row(name: str, comparison: Comparison) -> str:
    """Return a row of the table: simulator / test-bed (difference) in each column."""
    cells = [name]
    for metric, scale, form in COLUMNS:
        found = [comparison.estimate(engine, metric) for engine in ("sim", "testbed")]
        means = [each for each in found if each is not None]
        if len(means) < len(found):
            cells.append("-")
            continue
        change = comparison.difference("testbed", metric)
        share = "" if change is None or change.relative is None else f" ({change.relative:+.0%})"
        cells.append(" / ".join(f"{m.mean * scale:{form}}" for m in means) + share)
    return f"| {' | '.join(cells)} |"


def notes(runs: list[RunResult]) -> dict[str, object]:
    """Return what a reader has to know about the runs of the test-bed."""
    beds = [run.document["testbed"] for run in runs]
    return {
        "kernel": beds[0]["kernel"],
        "lateness_p99_s": [bed["lateness_s"]["p99"] for bed in beds],
        "steal_s": [bed["steal_s"] for bed in beds],
        "cpu_s": [bed["cpu_s"] for bed in beds],
        "warnings": [
            f"seed {run.seed}: {line}" for run in runs for line in verdict.complaints(run.document)
        ],
    }


if __name__ == "__main__":
    main()
