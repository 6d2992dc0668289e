#!/usr/bin/env python3
"""Compare what users of applications notice on simulator and test-bed; print a table.

    sudo .venv/bin/python validation/testbed/applications.py [--runs N] [--duration T] [NAME...]

The cells are those of the folder `applications`. Needs Linux, root and iperf3; each run takes the
time of its scenario. The median of the page load times and of the completion times of all runs has
to be within 10% of the simulator's; otherwise the exit status is 1.
"""

from __future__ import annotations

import argparse
import statistics
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evenair import load, testbed
from evenair.engine import run_jobs
from evenair.testbed import verdict

if TYPE_CHECKING:
    from evenair import Scenario
    from evenair.result import RunResult

FOLDER = Path(__file__).parent / "applications"
BOUND = 0.1
"""Of the medians of page load and completion times."""
TIMES = ("page_load_s", "completion_s")
NOTICED = (
    ("startup_s",),
    ("stalls_s",),
    ("mean_video_rate_bps",),
    ("mos",),
    ("mouth_to_ear_s",),
    ("jitter_s",),
    ("loss_ratio",),
    ("frame_delay_s", "p50"),
    ("frames_lost_ratio",),
    ("rtt_s", "p50"),
    ("one_way_delay_s", "p50"),
)
"""What else is printed of flows that have it."""


def main() -> int:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="cells, without .toml")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--duration", type=float)
    arguments = parser.parse_args()
    names = arguments.names or sorted(path.stem for path in FOLDER.glob("*.toml"))
    missed = False
    for name in names:
        scenario = cell(name, arguments.duration)
        simulated, real = runs(scenario, range(1, arguments.runs + 1))
        for line in lines(simulated, real):
            print(f"| {scenario.resolved['name']} | {' | '.join(line)} |", flush=True)
        for run in real:
            for complaint in verdict.complaints(run.document):
                print(f"    seed {run.seed}: {complaint}", flush=True)
        missed |= any(abs(each) > BOUND for each in differences(simulated, real).values())
    return int(missed)


def cell(name: str, duration: float | None = None) -> Scenario:
    """Return a cell of the folder."""
    change = [("duration", str(duration))] if duration else []
    return load(str(FOLDER / f"{name}.toml"), change)


def runs(scenario: Scenario, seeds: range) -> tuple[list[RunResult], list[RunResult]]:
    """Return the runs of simulator and test-bed."""
    simulated = run_jobs([(scenario, seed) for seed in seeds])
    return simulated, [testbed.run(scenario, testbed.Options(seed=seed)) for seed in seeds]


def times(runs: list[RunResult], flow: str) -> list[float]:
    """Return the page load or completion times of a flow, seconds."""
    sessions = [each for run in runs for each in run.document["sessions"] if each["flow"] == flow]
    return [each["last_byte_s"] - each["start_s"] for each in sessions]


def differences(simulated: list[RunResult], real: list[RunResult]) -> dict[str, float]:
    """Return by how much the medians of the test-bed differ, relative, by flow."""
    flows = [
        each["id"] for each in simulated[0].document["flows"] if any(key in each for key in TIMES)
    ]
    return {
        flow: statistics.median(times(real, flow)) / statistics.median(times(simulated, flow)) - 1
        for flow in flows
    }


def lines(simulated: list[RunResult], real: list[RunResult]) -> list[list[str]]:
    """Return rows: flow, metric, simulator / test-bed (difference)."""
    rows = []
    for index, flow in enumerate(simulated[0].document["flows"]):
        for key in TIMES:
            if key in flow:
                both = [times(each, flow["id"]) for each in (simulated, real)]
                counts = " / ".join(str(len(each)) for each in both)
                medians = [statistics.median(each) for each in both]
                rows.append([flow["id"], f"{key}, median of {counts}", compared(*medians)])
        of_call = flow["application"] in ("voip", "video-call", "ping")
        for path in NOTICED:
            if path[0] in flow and (of_call or path[0] not in ("rtt_s", "one_way_delay_s")):
                means = [mean(each, index, path) for each in (simulated, real)]
                known = [each for each in means if each is not None]
                if len(known) == len(means):
                    rows.append([flow["id"], " ".join(path), compared(*known)])
    return rows


def mean(runs: list[RunResult], index: int, path: tuple[str, ...]) -> float | None:
    """Return the mean of a flow's metric over the runs; None if one does not have it."""
    values: list[Any] = [run.document["flows"][index] for run in runs]
    for key in path:
        values = [None if value is None else value[key] for value in values]
    return None if None in values else statistics.fmean(values)


def compared(simulated: float, real: float) -> str:
    """Return both, and the difference of the second."""
    change = f" ({real / simulated - 1:+.1%})" if simulated else ""
    return f"{simulated:.4g} / {real:.4g}{change}"


if __name__ == "__main__":
    raise SystemExit(main())
