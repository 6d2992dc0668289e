"""The training runs of a profile-guided build: short runs of all features.

`maturin build --release --pgo` (`make wheel`) runs this with an instrumented evenair, see
`[tool.maturin]` in pyproject.toml. The mix decides which paths the compiler considers hot, so the
baseline is the longest. There is no output.
"""

from __future__ import annotations

from pathlib import Path

import evenair

OF_BENCHMARKS = Path(__file__).resolve().parent / "scenarios"

RUNS = [
    ("gong2006", {}, 300),
    ("gong2006-ns2", {}, 300),
    ("gong2006-one-up", {}, 100),
    ("gong2006", {"cell__queue__kind": "spm-af"}, 50),
    ("gong2006", {"cell__queue__kind": "las"}, 50),
    ("tsiknas2012", {}, 100),
    ("tsiknas2012-congested", {"station__0__flows__0__sack": True}, 50),
    ("miorandi2006", {}, 500),
    ("miorandi2006-backlogged", {}, 20),
    ("tsiknas2012-wimax", {}, 100),
    ("tsiknas2012-wimax-asymmetric", {}, 30),
    (OF_BENCHMARKS / "saturated-ax.toml", {}, 20),
    (OF_BENCHMARKS / "tcp-ax.toml", {}, 20),
]


def main() -> None:
    """Run all of them with two seeds each."""
    for name, overrides, duration in RUNS:
        scenario = evenair.load(name).with_(duration=duration, **overrides)
        evenair.run(scenario, runs=2, seed=1)


if __name__ == "__main__":
    main()
