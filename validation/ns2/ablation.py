#!/usr/bin/env python3
"""What parts of loss recovery contribute to the ratios to ns-2's Linux modules.

    python ablation.py              loss rate of 0.1, all variants
    python ablation.py --loss 0.03
    python ablation.py --variant vegas
    python ablation.py --min-rto 0.6   a minimum timeout that is longer than either's own

The cell is that of the rows f5 and f9: one download, Gilbert-Elliott errors that the MAC cannot
repair. Prints a line per variant and change: goodput over ns-2's with half of its 95% interval (of
both simulators' seeds), and timeouts in a run. Needs evenair.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
from pathlib import Path
from typing import Any

from evenair import load
from evenair.engine import map_runs

HERE = Path(__file__).resolve().parent
CELL = HERE.parents[1] / "crates/evenair-sim/tests/ns2_wireless_errors.toml"
# From the fewest seeds to the most: the last that has a row counts.
STORED = (
    "f5_tcp_variants_wireless_errors.json",
    "f9_more_variants_wireless_errors.json",
    "f9_vegas_loss_sweep.json",
    "f9_loss_sweep.json",
    "f5_20seeds.json",
)
# With a minimum timeout as in the rows.
LONGER = "f9_timeouts.json"
# ns-2's module, and ours.
VARIANTS = {
    "reno": "newreno",
    "westwood": "westwood-plus",
    "bic": "bic",
    "veno": "veno",
    "vegas": "vegas",
}
OLD = {"arithmetic": "linux-2.6.22"}
CHANGES: dict[str, dict[str, Any]] = {
    "SACK (RFC 6675)": {},
    "RACK-TLP": {"rack": True},
    "no SACK": {"sack": False},
    "PRR": {"prr": True},
    "no limited transmit": {"limited_transmit": "off"},
    "cwnd validation": {"cwnd_validation": True},
    "Linux's RTO": {"rto": "linux"},
    "RTO at least 0.34 s": {"min_rto": 0.34},
    "arithmetic of 2.6.22": {"transport": OLD},
    "arithmetic of 2.6.22, RTO at least 0.34 s": {"transport": OLD, "min_rto": 0.34},
}
# Which have the arithmetic of Linux 2.6.22 as an option.
WITH_ARITHMETIC = ("bic", "veno")
SEEDS = range(1, 21)
# Student's t at 97.5% with 19 degrees of freedom.
T = 2.093


def stored(module: str, loss: float, min_rto: float | None) -> dict[str, Any]:
    """ns-2's row of a module."""
    found: dict[str, Any] | None = None
    wanted = (f"linux:{module}", loss, "ip", min_rto)
    for name in STORED if min_rto is None else (LONGER,):
        for row in json.loads((HERE / name).read_text())["rows"]:
            which = (row["tcp_variant"], row["packet_error_rate"], row.get("error_level", "ip"))
            if (*which, row.get("minimum_rto_s")) == wanted:
                found = row
    if found is None:
        raise SystemExit(f"ablation.py: no row of linux:{module} with these options")
    return found


def measured(
    row: dict[str, Any], module: str, loss: float, change: dict[str, Any]
) -> tuple[float, float, float]:
    """Goodput over that of ns-2's row, half of its 95% interval, and timeouts in a run."""
    transport: Any = VARIANTS[module]
    if extra := change.get("transport"):
        transport = {"kind": transport, **extra}
    # Agent/TCP/Linux has SACK, and timestamps of 10 bytes.
    flow = {"header": 50, "sack": True, **change, "transport": transport}
    keys = {f"station__0__flows__0__{key}": value for key, value in flow.items()}
    scenario = load(CELL).with_(station__0__error__rate=loss, **keys)
    runs = map_runs(lambda result: result.document, [(scenario, seed) for seed in SEEDS])
    goodput = [run["aggregate_goodput_bps"] / 1e6 for run in runs]
    timeouts = statistics.mean(run["flows"][0]["timeouts"] for run in runs)
    mean = statistics.mean(goodput)
    half = T * statistics.stdev(goodput) / math.sqrt(len(goodput))
    ns2 = row["goodput_mbps"]
    ratio = mean / ns2["mean"]
    return ratio, ratio * math.hypot(half / mean, ns2["ci95_half_width"] / ns2["mean"]), timeouts


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description="What contributes to the ratios to ns-2's Linux.")
    parser.add_argument("--loss", type=float, default=0.1, help="loss rate of stored rows [0.1]")
    parser.add_argument("--variant", choices=VARIANTS, help="[all]")
    parser.add_argument("--min-rto", type=float, help="minimum timeout in both, s [0.2]")
    args = parser.parse_args()
    both = {} if args.min_rto is None else {"min_rto": args.min_rto}
    for module in [args.variant] if args.variant else VARIANTS:
        row = stored(module, args.loss, args.min_rto)
        timeouts = row["timeouts"]["mean"]
        print(f"linux:{module}, loss rate {args.loss:g}, ns-2 has {timeouts:.1f} timeouts in a run")
        for name, change in CHANGES.items():
            if "transport" in change and module not in WITH_ARITHMETIC:
                continue
            if "min_rto" in change and both:
                continue
            ratio, half, timeouts = measured(row, module, args.loss, both | change)
            print(f"  {name:<42}{ratio:.3f} ± {half:.3f}  timeouts {timeouts:.1f}", flush=True)


if __name__ == "__main__":
    main()
