"""Print the tables of docs/l4s-over-wifi.md: L4S and BBR behind an access point of Wi-Fi.

    python validation/l4s_over_wifi.py [--runs 3]

Cells of 802.11g, ac (80 MHz, MCS 9) and ax (80 MHz, MCS 11), 10 ms of wire to the servers, Linux's
TCP. Means over the runs: goodput in Mb/s, and what packets wait in the access point's queue in ms,
median and 95th percentile.
"""

from __future__ import annotations

import argparse
from typing import Any

import evenair as ea
from evenair.statistics import estimate

PHYS = ("802.11g", "802.11ac", "802.11ax")
FIFO = {"kind": "droptail", "limit": 1000}
FQ_CODEL = {"kind": "fq-codel", "limit": 10_000}


def dualpi2(step: str) -> dict[str, Any]:
    """Return DualPI2 with this step."""
    return {"kind": "dualpi2", "limit": 10_000, "step_thresh": step}


def scenario(
    phy: str, queue: dict[str, Any], flows: list[dict[str, Any]], stations: int = 1, **cell: Any
) -> ea.Scenario:
    """Return a cell in which each station has these flows."""
    options = {"tcp": "linux", "window": 20_000}
    return ea.Scenario(
        duration="20 s",
        warmup="5 s",
        cell={"phy": phy, "queue": queue, **cell},
        wired={"rate": "1 Gbps", "delay": "10 ms"},
        station=[{"count": stations, "flows": [{**options, **flow} for flow in flows]}],
    )


def down(transport: str) -> dict[str, Any]:
    """Return a download."""
    return {"direction": "down", "transport": transport}


def mean(values: list[float]) -> float:
    """Return the mean."""
    return estimate(values).mean


def row(name: str, of: ea.Scenario, runs: int) -> None:
    """Simulate, and print a row: goodput, waits, MPDUs in a PPDU, Jain's index."""
    results = [run.document for run in ea.run(of, runs=runs).runs]
    mbps = mean([result["aggregate_goodput_bps"] / 1e6 for result in results])
    waits = [
        mean([1e3 * result["ap_queue"]["delay_s"][percentile] for result in results])
        for percentile in ("p50", "p95")
    ]
    aggregates = [result["ap"].get("mpdus_per_ppdu") for result in results]
    mpdus = f"{mean(aggregates):.0f}" if all(aggregates) else "-"
    jain = mean([result["jain_index"] for result in results])
    print(f"| {name} | {mbps:.1f} | {waits[0]:.2f} | {waits[1]:.2f} | {mpdus} | {jain:.2f} |")


def head(title: str) -> None:
    """Print the head of a table."""
    print(f"\n{title}\n\n| | goodput | wait, median | wait, p95 | MPDUs | Jain |")
    print("|---|---|---|---|---|---|")


def one_download(runs: int) -> None:
    """Print what each control and queue gives one station."""
    for phy in PHYS:
        head(f"One download, {phy}")
        row("CUBIC, FIFO", scenario(phy, FIFO, [down("cubic")]), runs)
        row("CUBIC, FQ-CoDel", scenario(phy, FQ_CODEL, [down("cubic")]), runs)
        for step in ("1 ms", "2 ms", "5 ms", "10 ms"):
            name = f"Prague, DualPI2, step {step}"
            row(name, scenario(phy, dualpi2(step), [down("prague")]), runs)
        row("BBR v3, FIFO", scenario(phy, FIFO, [down("bbr")]), runs)
        row("BBR v1, FIFO", scenario(phy, FIFO, [down("bbr1")]), runs)


def many_stations(runs: int) -> None:
    """Print what Prague gets where several stations share the air."""
    for phy in PHYS[1:]:
        head(f"Prague behind DualPI2, {phy}")
        for stations in (1, 5, 20):
            for step in ("1 ms", "5 ms", "20 ms"):
                of = scenario(phy, dualpi2(step), [down("prague")], stations)
                row(f"{stations} stations, step {step}", of, runs)
            of = scenario(phy, FQ_CODEL, [down("cubic")], stations)
            row(f"{stations} stations, CUBIC, FQ-CoDel", of, runs)


def own_queues(runs: int) -> None:
    """Print what a queue for each station changes, and a limit of the airtime ahead (AQL)."""
    for phy in PHYS[1:]:
        head(f"Prague behind a DualPI2 for each of five stations, {phy}")
        for step in ("1 ms", "5 ms"):
            for aql in ("off", "1 ms", "5 ms"):
                scheduler = {"kind": "airtime-drr", "aql": aql}
                of = scenario(
                    phy, dualpi2(step), [down("prague")], 5, scheduler=scheduler, hardware_depth=2
                )
                row(f"step {step}, AQL {aql}", of, runs)


def without_aggregation(runs: int) -> None:
    """Print how much of it is the A-MPDU."""
    for phy in PHYS[1:]:
        head(f"Without aggregation, {phy}")
        for step in ("1 ms", "5 ms"):
            of = scenario(phy, dualpi2(step), [down("prague")], aggregation="off")
            row(f"Prague, step {step}", of, runs)
        row("CUBIC, FQ-CoDel", scenario(phy, FQ_CODEL, [down("cubic")], aggregation="off"), runs)


def shares(runs: int) -> None:
    """Print the shares of three flows, one of each control, down and up."""
    print("\nMb/s of one flow each\n\n| | Prague | CUBIC | BBR v3 |\n|---|---|---|---|")
    for phy in PHYS:
        for direction in ("down", "up"):
            flows = [
                {"direction": direction, "transport": transport}
                for transport in ("prague", "cubic", "bbr")
            ]
            of = scenario(phy, dualpi2("5 ms"), flows)
            results = [run.document for run in ea.run(of, runs=runs).runs]
            mbps = [
                mean([result["flows"][number]["goodput_bps"] / 1e6 for result in results])
                for number in range(3)
            ]
            print(f"| {phy} {direction} | " + " | ".join(f"{value:.1f}" for value in mbps) + " |")


def acks(runs: int) -> None:
    """Print what aggregated ACKs do to uploads of BBR."""
    print("\nOne upload\n\n| | goodput | RTT, median | RTT, p95 |\n|---|---|---|---|")
    for aggregation in ("a-mpdu", "off"):
        for transport in ("cubic", "bbr", "bbr1"):
            flow = {"direction": "up", "transport": transport}
            of = scenario("802.11ax", FIFO, [flow], aggregation=aggregation)
            results = [run.document for run in ea.run(of, runs=runs).runs]
            mbps = mean([result["aggregate_goodput_bps"] / 1e6 for result in results])
            rtts = [
                mean([1e3 * result["rtt_s"][percentile] for result in results])
                for percentile in ("p50", "p95")
            ]
            name = f"{transport}, aggregation {aggregation}"
            print(f"| {name} | {mbps:.1f} | {rtts[0]:.1f} | {rtts[1]:.1f} |")


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(description="L4S and BBR behind an access point of Wi-Fi")
    parser.add_argument("--runs", type=int, default=3, help="seeds (default: 3)")
    runs = parser.parse_args().runs
    for part in (one_download, many_stations, own_queues, without_aggregation, shares, acks):
        part(runs)


if __name__ == "__main__":
    main()
