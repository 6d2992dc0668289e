#!/usr/bin/env python3
"""Redo rows of the stored ns-2 results and show measured against stored.

    python3 rerun.py f1                       every row of the family, every stored seed
    python3 rerun.py f1 --rows 0,3 --seeds 1  the first and the fourth row, one seed
    python3 rerun.py f7 --list                the rows and their numbers

Needs `ns` (Debian package ns2) on the PATH, or --ns. Per quantity it prints the stored mean and
its 95% half-width, the measured mean, and the largest difference between two runs of the same seed:

    same     every run gives the stored number for its seed
    within   some run differs, but the mean lies where the stored spread lets 95% of such means fall
    OUTSIDE  neither

The exit status is 1 when anything is OUTSIDE.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import json
import math
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
FAMILIES = {
    "f1": ("f1_buffer_sweep.json", "cell_tcp.tcl"),
    "f2": ("f2_one_up_n_down_buffer60.json", "cell_tcp.tcl"),
    "f5": ("f5_tcp_variants_wireless_errors.json", "lossy_download.tcl"),
    "f5-20": ("f5_20seeds.json", "lossy_download.tcl"),
    "f7": ("f7_saturated_udp_uplink.json", "saturated_udp.tcl"),
    "f9-mac": ("f9_mac_level.json", "lossy_download.tcl"),
    "f8": ("f8_tcp_variants_errors_before_retransmission.json", "lossy_download.tcl"),
    "f9": ("f9_more_variants_wireless_errors.json", "lossy_download.tcl"),
    "f9-vegas": ("f9_vegas_loss_sweep.json", "lossy_download.tcl"),
    "f9-sweep": ("f9_loss_sweep.json", "lossy_download.tcl"),
}
# What rounding can make of two equal runs: mean queue lengths are stored to four places, goodputs
# per flow cut to whole bit/s, and up to 26 of these are added.
ROUNDING_QUEUE, ROUNDING = 1e-4, 3e-5


def jain(x: list[float]) -> float:
    """Jain's fairness index: (sum x)^2 / (n sum x^2), from 1/n to 1."""
    squares = sum(v * v for v in x)
    return sum(x) ** 2 / (len(x) * squares) if squares else 0.0


def mean(x: list[float]) -> float:
    """The arithmetic mean."""
    return sum(x) / len(x)


def options(script: str, row: dict[str, Any]) -> list[str]:
    """The key=value options that make `script` run a stored row."""
    if script == "cell_tcp.tcl":
        return [f"up={row['n_up']}", f"down={row['n_down']}", f"buffer={row['ap_buffer_packets']}"]
    if script == "lossy_download.tcl":
        bad_state = row["mean_bad_state_s"]
        return [
            f"agent={row['tcp_variant']}",
            f"loss={row['packet_error_rate']}",
            f"errors={row['error_model']}",
            f"level={row['error_level']}",
            *([] if bad_state is None else [f"bad_state={bad_state}"]),
        ]
    # A threshold of 0 bytes sends an RTS before every frame; 3000 is longer than any.
    return [f"stations={row['n_stations']}", f"rts_threshold={0 if row['rts_cts'] else 3000}"]


def cell_quantities(row: dict[str, Any], raw: dict[str, Any]) -> dict[str, float]:
    """One run of cell_tcp.tcl in the terms of the stored rows."""
    up, goodput = row["n_up"], raw["goodput_mbps"]
    data, acks = raw["ap_queue_data_arrivals"], raw["ap_queue_ack_arrivals"]
    drops = raw["ap_queue_data_drops"], raw["ap_queue_ack_drops"]
    out = {
        "aggregate_goodput_mbps": sum(goodput),
        "mean_goodput_per_up_flow_mbps": mean(goodput[:up]),
        "mean_goodput_per_down_flow_mbps": mean(goodput[up:]),
        "jain_index_of_flow_goodputs": jain(goodput),
        "aggregate_goodput_mbps_after20s": sum(raw["goodput_after_warmup_mbps"]),
        "ap_queue_loss_ratio_all_packets": sum(drops) / (data + acks),
        "ap_queue_loss_ratio_data_packets": drops[0] / data,
        "ap_queue_loss_ratio_tcp_ack_packets": drops[1] / acks,
        "ap_queue_mean_waiting_data_packets": raw["ap_queue_mean_waiting_data"],
        "ap_queue_mean_waiting_tcp_ack_packets": raw["ap_queue_mean_waiting_ack"],
        "sender_retransmitted_fraction_down_flows": sum(raw["retransmissions"][up:])
        / max(1, sum(raw["segments_sent"][up:])),
    }
    return {k: v for k, v in out.items() if k in row}


def lossy_quantities(row: dict[str, Any], raw: dict[str, Any]) -> dict[str, float]:
    """One run of lossy_download.tcl in the terms of the stored rows."""
    return {k: v for k, v in raw.items() if k in row}


def udp_quantities(row: dict[str, Any], raw: dict[str, Any]) -> dict[str, float]:
    """One run of saturated_udp.tcl in the terms of the stored rows."""
    sent = raw["frames_sent"]
    answers, attempts = ("cts", "rts") if row["rts_cts"] else ("ack", "data")
    return {
        "aggregate_throughput_mbps": sum(raw["throughput_mbps"]),
        "jain_index": jain(raw["throughput_mbps"]),
        "collision_probability_per_attempt": max(0.0, 1 - sent[answers] / sent[attempts]),
    }


QUANTITIES = {
    "cell_tcp.tcl": cell_quantities,
    "lossy_download.tcl": lossy_quantities,
    "saturated_udp.tcl": udp_quantities,
}


def run(ns: str, script: str, args: list[str]) -> dict[str, Any]:
    """One run of ns; its result is the one line of standard output that is a JSON object."""
    try:
        done = subprocess.run(
            [ns, script, *args], cwd=HERE, capture_output=True, text=True, check=False
        )
    except OSError as e:
        hint = "install the Debian package ns2 or give --ns"
        sys.exit(f"rerun.py: cannot start {ns!r}: {e.strerror}; {hint}")
    for line in done.stdout.splitlines():
        if line.startswith("{"):
            return json.loads(line)
    command = " ".join([ns, script, *args])
    sys.exit(f"rerun.py: {command} gave no result: {done.stderr.strip()[-300:]}")


def numbers(text: str) -> list[int]:
    """'0,3' -> [0, 3]."""
    try:
        return [int(x) for x in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a list of numbers such as 0,3") from None


def describe(row: dict[str, Any]) -> str:
    """What a stored row was run with."""
    names = ("n_up", "n_down", "ap_buffer_packets", "n_stations", "rts_cts")
    names += ("tcp_variant", "packet_error_rate")
    return " ".join(f"{k}={row[k]}" for k in names if k in row)


def compare(row: dict[str, Any], seeds: list[int], runs: list[dict[str, float]]) -> bool:
    """Prints one row's quantities; True when none is outside."""
    print(f"  {'quantity':<42}{'stored':>12}{'± 95%':>11}{'measured':>12}{'largest diff':>14}")
    good = True
    for name in runs[0]:
        stored, measured = row[name], [r[name] for r in runs]
        by_seed = dict(zip(row["seeds"], stored["per_seed"], strict=True))
        pairs = zip(seeds, measured, strict=True)
        differences = [abs(m - by_seed[s]) for s, m in pairs if s in by_seed]
        rounding = ROUNDING_QUEUE if name.startswith("ap_queue_mean") else ROUNDING
        # Where the mean of k new runs falls, 95 times of 100, next to the mean of n stored ones.
        interval = stored["ci95_half_width"] * math.sqrt(1 + len(row["seeds"]) / len(seeds))
        if len(differences) == len(seeds) and max(differences) <= rounding:
            verdict = "same"
        elif abs(mean(measured) - stored["mean"]) <= interval + rounding:
            verdict = "within"
        else:
            verdict, good = "OUTSIDE", False
        largest = f"{max(differences):.6f}" if differences else "-"
        print(
            f"  {name:<42}{stored['mean']:>12.6f}{stored['ci95_half_width']:>11.6f}"
            f"{mean(measured):>12.6f}{largest:>14}  {verdict}"
        )
    return good


def main() -> int:
    """Run the command line and return its exit status."""
    parser = argparse.ArgumentParser(
        description="Redo stored ns-2 rows and show measured against stored.",
        epilog="Exit status: 0 all same or within, 1 not, 2 wrong usage.",
    )
    parser.add_argument("family", choices=sorted(FAMILIES))
    parser.add_argument("--rows", type=numbers, metavar="I,J,...", help="row numbers from 0 [all]")
    parser.add_argument("--seeds", type=numbers, metavar="S,T,...", help="[the stored seeds]")
    cores = os.cpu_count() or 1
    parser.add_argument("--jobs", type=int, default=cores, help="runs at a time [all cores]")
    parser.add_argument("--ns", default="ns", help="the ns-2 program [ns]")
    parser.add_argument("--list", action="store_true", help="list the rows and stop")
    args = parser.parse_args()

    data, script = FAMILIES[args.family]
    rows = json.loads((HERE / data).read_text())["rows"]
    if args.list:
        for i, row in enumerate(rows):
            print(f"{i}: {describe(row)}")
        return 0
    chosen = range(len(rows)) if args.rows is None else args.rows
    for i in chosen:
        if not 0 <= i < len(rows):
            parser.error(f"--rows: {i} is not in 0..{len(rows) - 1}")

    quantities = QUANTITIES[script]
    good = True
    with concurrent.futures.ThreadPoolExecutor(max(1, args.jobs)) as pool:
        waiting = []
        for i in chosen:
            seeds = args.seeds or rows[i]["seeds"]
            base = options(script, rows[i])
            futures = [pool.submit(run, args.ns, script, [*base, f"seed={s}"]) for s in seeds]
            waiting.append((i, seeds, futures))
        for i, seeds, futures in waiting:
            print(f"{args.family} row {i}: {describe(rows[i])}, seeds {', '.join(map(str, seeds))}")
            good &= compare(rows[i], seeds, [quantities(rows[i], f.result()) for f in futures])
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
