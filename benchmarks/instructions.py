"""Count the instructions of a run of each kind (valgrind's callgrind), to compare two builds.

    cargo build --profile local -p evenair-sim --example run
    python benchmarks/instructions.py target/local/examples/run [OTHER]

Counts do not depend on what else the machine does. With a second program, the last column is its
count divided by that of the first.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILT_IN = ROOT / "python/evenair/scenarios"

RUNS = {
    "baseline": ["benchmarks/scenarios/baseline.toml", "duration=30"],
    "web": [BUILT_IN / "miorandi2006.toml", "duration=30"],
    "lossy": [BUILT_IN / "tsiknas2012.toml", "duration=30"],
    "congested": [BUILT_IN / "tsiknas2012-congested.toml", "duration=10"],
    "50 stations": [
        "benchmarks/scenarios/saturated.toml",
        "duration=3",
        "station.0.count=50",
        "station.0.flows.0.rate=320 kbps",
    ],
    "1000 stations": [
        "benchmarks/scenarios/saturated.toml",
        "duration=1",
        "station.0.count=1000",
        "station.0.flows.0.rate=16 kbps",
    ],
    "802.11ax": ["benchmarks/scenarios/saturated-ax.toml", "duration=9"],
    "home": [BUILT_IN / "home.toml", "duration=3", "warmup=1"],
    "WiMAX": [BUILT_IN / "tsiknas2012-wimax.toml", "duration=30"],
}


def instructions(program: str, scenario: str | Path, *settings: str) -> int:
    """Return the instructions that the run of a scenario needs."""
    callgrind = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
    command = [*callgrind, program, str(scenario), "1", *settings]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if run.returncode != 0:
        sys.exit(run.stderr)
    collected = re.search(r"Collected : (\d+)", run.stderr)
    assert collected is not None
    return int(collected[1])


def main(programs: list[str]) -> None:
    """Print a line for each kind of run."""
    programs = [str(Path(program).resolve()) for program in programs]
    for name, (scenario, *settings) in RUNS.items():
        counts = [instructions(program, scenario, *map(str, settings)) for program in programs]
        ratio = f"  {counts[-1] / counts[0]:.4f}" if len(counts) > 1 else ""
        print(f"{name:14}", *(f"{count / 1e6:10.1f} M" for count in counts), ratio, flush=True)


if __name__ == "__main__":
    if not 1 <= len(sys.argv[1:]) <= 2 or not all(Path(name).is_file() for name in sys.argv[1:]):
        print("usage: instructions.py PROGRAM [OTHER]: files that are built", file=sys.stderr)
        sys.exit(2)
    main(sys.argv[1:])
