#!/usr/bin/env python3
"""Redo rows of the stored ns-2 results and show measured against stored.

    python3 rerun.py f1                       every row of the family, every stored seed
    python3 rerun.py f1 --rows 0,3 --seeds 1  the first and the fourth row, one seed
    python3 rerun.py f7 --list                the rows and their numbers
    python3 rerun.py f10 --write              store what is measured, row by row

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
    "f1-20": ("f1_buffer10_20seeds.json", "cell_tcp.tcl"),
    "f1-30m": ("f1_buffer_sweep_30m.json", "cell_tcp.tcl"),
    "f2": ("f2_one_up_n_down_buffer60.json", "cell_tcp.tcl"),
    "f2-30m": ("f2_one_up_n_down_buffer60_30m.json", "cell_tcp.tcl"),
    "f3": ("f3_persistent_downloads_w1000.json", "downloads.tcl"),
    "f3-30m": ("f3_persistent_downloads_w1000_30m.json", "downloads.tcl"),
    "f3-delayed": ("f3_delayed_ack_w1000.json", "downloads.tcl"),
    "f5": ("f5_tcp_variants_wireless_errors.json", "lossy_download.tcl"),
    "f5-20": ("f5_20seeds.json", "lossy_download.tcl"),
    "f7": ("f7_saturated_udp_uplink.json", "saturated_udp.tcl"),
    "f7-30m": ("f7_saturated_udp_uplink_30m.json", "saturated_udp.tcl"),
    "f8": ("f8_tcp_variants_errors_before_retransmission.json", "lossy_download.tcl"),
    "f8-10": ("f8_10seeds.json", "lossy_download.tcl"),
    "f9": ("f9_more_variants_wireless_errors.json", "lossy_download.tcl"),
    "f9-mac": ("f9_mac_level.json", "lossy_download.tcl"),
    "f9-sweep": ("f9_loss_sweep.json", "lossy_download.tcl"),
    "f9-timeouts": ("f9_timeouts.json", "lossy_download.tcl"),
    "f9-vegas": ("f9_vegas_loss_sweep.json", "lossy_download.tcl"),
    "f10": ("f10_downloads_w1_by_distance.json", "downloads.tcl"),
    "f11": ("f11_whole_segment_halving.json", "cell_tcp.tcl"),
    "f12": ("f12_congested_wire.json", "lossy_download.tcl"),
    "f13": ("f13_congestion_windows_buffer60.json", "cell_tcp.tcl"),
    "f14": ("f14_two_saturated_stations.json", "saturated_udp.tcl"),
    "f15": ("f15_lost_retransmission.json", "lossy_download.tcl"),
    "f16": ("f16_tfrc_lossy_path.json", "tfrc_path.tcl"),
    "f17": ("f17_two_rates_saturated.json", "saturated_udp.tcl"),
}
# What a row was run with: key of the row, and of the script.
OPTIONS = {
    "cell_tcp.tcl": {
        "n_up": "up",
        "n_down": "down",
        "ap_buffer_packets": "buffer",
        "station_distance_m": "distance",
        "precise_halving": "precise_halving",
        "cwnd_sampled_every_s": "cwnd_trace",
    },
    "downloads.tcl": {
        "n_connections": "connections",
        "tcp_window_packets": "window",
        "tcp_agent": "agent",
        "delack_d": "segments_per_ack",
        "delack_timer_s": "ack_timer",
        "station_distance_m": "distance",
    },
    "lossy_download.tcl": {
        "tcp_variant": "agent",
        "packet_error_rate": "loss",
        "error_model": "errors",
        "error_level": "level",
        "mean_bad_state_s": "bad_state",
        "lost_packets": "drops",
        "wired_delay": "wired_delay",
        "minimum_rto_s": "tcp.minrto_",
        "rto_sampled_every_s": "rto_sample",
        "bottleneck_rate": "bottleneck",
        "bottleneck_buffer_packets": "bottleneck_buffer",
    },
    "saturated_udp.tcl": {
        "n_stations": "stations",
        "ip_packet_bytes": "ip_bytes",
        "rts_cts": "rts_threshold",
        "station_distance_m": "distance",
        "station_rates": "rates",
        "basic_rate": "basic_rate",
        "plcp_rate": "plcp_rate",
        "preamble_bits": "preamble_bits",
        "plcp_header_bits": "plcp_bits",
        "slot_s": "slot",
        "sifs_s": "sifs",
        "cw_min": "cw_min",
    },
    "tfrc_path.tcl": {
        "loss_pattern": "pattern",
        "packet_loss_rate": "loss",
        "measured_s": "duration",
        "discount_threshold": "discount",
        "rtt_filter": "rtt_filter",
        "t_rto_s": "t_rto",
        "tcp_tick_s": "tick",
    },
}
# Student's t at 97.5% by degrees of freedom.
T = {1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776, 9: 2.262, 19: 2.093}
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


def percentile(x: list[float], p: float) -> float:
    """The smallest value that at least the share `p` of `x` does not exceed."""
    return sorted(x)[max(0, math.ceil(p * len(x)) - 1)]


def options(script: str, row: dict[str, Any]) -> list[str]:
    """The key=value options that make `script` run a row."""

    def value(key: str) -> Any:
        if key == "rts_cts":  # 0 bytes: an RTS before every frame; 3000 is longer than any
            return 0 if row[key] else 3000
        return "independent" if row[key] == "iid" else row[key]

    used = {key: option for key, option in OPTIONS[script].items() if row.get(key) is not None}
    return [f"{option}={value(key)}" for key, option in used.items()]


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
    for name, flows in (("up", slice(3, 3 + up)), ("down", slice(3 + up, None))):
        cwnd = [w for sample in raw.get("cwnd_trace", []) for w in sample[flows]]
        if cwnd:
            out[f"mean_cwnd_of_{name}_flows_segments"] = mean(cwnd)
            out[f"cwnd_percentile5_of_{name}_flows_segments"] = percentile(cwnd, 0.05)
            out[f"cwnd_percentile95_of_{name}_flows_segments"] = percentile(cwnd, 0.95)
    return out


def download_quantities(row: dict[str, Any], raw: dict[str, Any]) -> dict[str, float]:
    """One run of downloads.tcl in the terms of the stored rows.

    The access point sends the RTS for data, and stations answer with CTS; for TCP ACKs it is the
    other way round.
    """
    (rts_ap, rts_stations), (cts_ap, cts_stations) = (raw["frames_sent"][k] for k in ("rts", "cts"))
    return {
        "aggregate_throughput_mbps": sum(raw["throughput_mbps"]),
        "jain_index": jain(raw["throughput_mbps"]),
        "collision_probability_per_rts": 1 - (cts_ap + cts_stations) / (rts_ap + rts_stations),
        "collision_probability_per_rts_of_ap": 1 - cts_stations / rts_ap,
        "collision_probability_per_rts_of_stations": 1 - cts_ap / rts_stations,
        "tcp_acks_per_data_packet_on_air": raw["frames_sent"]["tcp_ack"][1]
        / raw["frames_sent"]["segment"][0],
        "tcp_retransmissions": sum(raw["retransmissions"]),
    }


def plain_quantities(row: dict[str, Any], raw: dict[str, Any]) -> dict[str, float]:
    """One run of a script that prints the quantities of the stored rows."""
    return raw


def udp_quantities(row: dict[str, Any], raw: dict[str, Any]) -> dict[str, float]:
    """One run of saturated_udp.tcl in the terms of the stored rows."""
    sent = {frame: sum(numbers) for frame, numbers in raw["frames_sent"].items()}
    answers, attempts = ("cts", "rts") if row["rts_cts"] else ("mac_ack", "datagram")
    stations = enumerate(raw["throughput_mbps"], 1) if "station_rates" in row else ()
    each = {f"throughput_of_station_{i}_mbps": rate for i, rate in stations}
    return each | {
        "aggregate_throughput_mbps": sum(raw["throughput_mbps"]),
        "jain_index": jain(raw["throughput_mbps"]),
        "collision_probability_per_attempt": max(0.0, 1 - sent[answers] / sent[attempts]),
    }


QUANTITIES = {
    "cell_tcp.tcl": cell_quantities,
    "downloads.tcl": download_quantities,
    "lossy_download.tcl": plain_quantities,
    "saturated_udp.tcl": udp_quantities,
    "tfrc_path.tcl": plain_quantities,
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
            result: dict[str, Any] = json.loads(line)
            return result
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
    names = [key for keys in OPTIONS.values() for key in keys if key in row]
    return " ".join(f"{k}={row[k]}" for k in dict.fromkeys(names))


def statistics(x: list[float]) -> dict[str, Any]:
    """A measured value as it is stored; one run has no interval."""
    out: dict[str, Any] = {"mean": round(mean(x), 6)}
    if len(x) > 1:
        variance = sum((v - mean(x)) ** 2 for v in x) / (len(x) - 1)
        out["ci95_half_width"] = round(T[len(x) - 1] * math.sqrt(variance / len(x)), 6)
    return out | {"per_seed": [round(v, 6) for v in x]}


def compare(row: dict[str, Any], seeds: list[int], runs: list[dict[str, float]]) -> bool:
    """Prints one row's quantities; True when none is outside."""
    print(f"  {'quantity':<42}{'stored':>12}{'± 95%':>11}{'measured':>12}{'largest diff':>14}")
    good = True
    for name in (n for n in runs[0] if n in row):
        stored, measured = row[name], [r[name] for r in runs]
        by_seed = dict(zip(row["seeds"], stored["per_seed"], strict=True))
        pairs = zip(seeds, measured, strict=True)
        differences = [abs(m - by_seed[s]) for s, m in pairs if s in by_seed]
        rounding = ROUNDING_QUEUE if name.startswith("ap_queue_mean") else ROUNDING
        # Where the mean of k new runs falls, 95 times of 100, next to the mean of n stored ones.
        half_width = stored.get("ci95_half_width", 0.0)
        interval = half_width * math.sqrt(1 + len(row["seeds"]) / len(seeds))
        if len(differences) == len(seeds) and max(differences) <= rounding:
            verdict = "same"
        elif abs(mean(measured) - stored["mean"]) <= interval + rounding:
            verdict = "within"
        else:
            verdict, good = "OUTSIDE", False
        largest = f"{max(differences):.6f}" if differences else "-"
        print(
            f"  {name:<42}{stored['mean']:>12.6f}{half_width:>11.6f}"
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
    parser.add_argument("--write", action="store_true", help="store what is measured")
    parser.add_argument("--ns", default="ns", help="the ns-2 program [ns]")
    parser.add_argument("--list", action="store_true", help="list the rows and stop")
    args = parser.parse_args()

    data, script = FAMILIES[args.family]
    document = json.loads((HERE / data).read_text())
    rows = document["rows"]
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
            runs = [quantities(rows[i], f.result()) for f in futures]
            if args.write:
                rows[i] |= {"seeds": seeds} | {k: statistics([r[k] for r in runs]) for k in runs[0]}
                (HERE / data).write_text(json.dumps(document, indent=1) + "\n")
            good &= compare(rows[i], seeds, runs)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
