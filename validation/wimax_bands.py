"""Print TCP over the 802.16 cell beside the figures of a prototype.

The prototype is a frame-driven model of the same cell that shares no code with evenair: independent
losses of data, an ACK per segment, a minimum RTO of 0.2 s, a window of 400 segments, queues of 50
packets, T16 of 50 ms, and a Westwood+ that filters as ns-3's. It shows what is plausible and is
not an oracle: docs/papers/tsiknas2012.md says which rule explains a difference.

Its figures for one download restart the retransmission timer at partial ACKs (RFC 6582, section
3.2); an earlier version did not. Those for six downloads are of that version, and give the order
of magnitude only.

    python validation/wimax_bands.py [--runs 5]

Below the table is a calculation in rounds for one download at a packet error rate of 0.001, without
frames: it shows how Westwood+ depends on how far the RTT varies above its minimum.
"""

from __future__ import annotations

import argparse
import random
from dataclasses import dataclass
from typing import Any

import evenair as ea
from evenair.statistics import estimate

NEWRENO, WESTWOOD = "newreno", "westwood-plus"
ONE, SIX = "tsiknas2012-wimax", "tsiknas2012-wimax-asymmetric"


@dataclass(frozen=True)
class Row:
    """A figure of the prototype: mean goodput of a flow, Mb/s."""

    scenario: str
    transport: str
    keys: dict[str, Any]
    mbps: float

    def run(self, seeds: int) -> list[float]:
        """Simulate; return the mean goodput of a flow for each seed, Mb/s."""
        keys = {**_loss(0.0 if self.scenario == ONE else 1e-5), **self.keys}
        scenario = ea.load(self.scenario).with_(
            station__0__error=keys.pop("error"),
            station__0__flows__0__transport=self.transport,
            duration=300 if self.scenario == ONE else 150,
            **keys,
        )
        runs = ea.run(scenario, seed=1, runs=seeds).runs
        return [sum(f["goodput_bps"] for f in r.document["flows"]) / 1e6 / len(r.document["flows"])
                for r in runs]  # fmt: skip


def _loss(rate: float) -> dict[str, Any]:
    # A scenario's rate is above 0; this one loses one packet in a thousand runs.
    rate = rate or 1e-9
    return {"error": {"kind": "independent", "rate": rate, "level": "ip", "direction": "down"}}


ROWS = [
    Row(ONE, NEWRENO, {}, 9.18),
    Row(ONE, WESTWOOD, {}, 10.01),
    Row(ONE, NEWRENO, _loss(1e-3), 3.07),
    Row(ONE, WESTWOOD, _loss(1e-3), 7.68),
    *(
        Row(SIX, name, {"cell__dl_ratio": f"{r}:1"}, mbps)
        for name, row in (
            (NEWRENO, (1.66, 2.18, 2.15, 2.04, 2.17, 2.41)),
            (WESTWOOD, (1.67, 2.28, 2.49, 2.52, 2.69, 2.17)),
        )
        for r, mbps in enumerate(row, start=1)
    ),
    Row(SIX, WESTWOOD, {"cell__t16": "100 ms"}, 1.50),
    Row(SIX, WESTWOOD, {"cell__t16": "3 s"}, 0.34),
]


_ROUND_S, _CAPACITY, _QUEUE = 0.1025, 1260.0, 50  # RTT without queue; segments/s at 1:1; packets


def by_rounds(transport: str, spread_s: float, seed: int, duration_s: float = 3000.0) -> float:
    """Return the goodput in Mb/s of a sender that goes from round to round.

    A round takes `_ROUND_S` and up to `spread_s` more, or what the link needs for the window. A
    window grows by one segment in a round. With a loss, of a segment on the air or of a queue that
    overflows, another round passes; New Reno then halves the window, Westwood+ sets it to BWE *
    RTTmin, BWE by two averages that keep 7/8.
    """
    draw = random.Random(seed)
    window, time, acknowledged = 60.0, 0.0, 0.0
    first = second = window / _ROUND_S
    while time < duration_s:
        rtt = max(_ROUND_S + spread_s * draw.random(), window / _CAPACITY)
        lost = draw.random() > (1 - 1e-3) ** int(window) or window > _ROUND_S * _CAPACITY + _QUEUE
        for _ in range(1 + lost):
            time += rtt
            acknowledged += window
            first = (7 * first + window / rtt) / 8
            second = (7 * second + first) / 8
        if not lost:
            window += 1
        else:
            window = window / 2 if transport == NEWRENO else min(window, second * _ROUND_S)
    return acknowledged * 1024 * 8 / time / 1e6


def main() -> None:
    """Run all rows and print them."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--runs", type=int, default=5, help="seeds per row [5]")
    seeds = parser.parse_args().runs
    print(f"{'scenario, keys':58} {'prototype':>9}  {'evenair':>13}  ratio")
    for row in ROWS:
        found = estimate(row.run(seeds))
        keys = " ".join(
            f"PER={value['rate']:g}" if key == "error" else f"{key.replace('__', '.')}={value}"
            for key, value in row.keys.items()
        )
        name = f"{'six' if row.scenario == SIX else 'one'} {row.transport} {keys}"
        measured = f"{found.mean:.3f} ± {found.ci95 or 0.0:.3f}"
        ratio = found.mean / row.mbps
        print(f"{name:58} {row.mbps:9.2f}  {measured:>13}  {ratio:5.2f}")
    print("by rounds, PER=0.001, Mb/s:")
    for spread_ms in (0, 5, 10, 15, 25):
        means = {
            name: estimate([by_rounds(name, spread_ms / 1e3, seed) for seed in range(seeds)]).mean
            for name in (NEWRENO, WESTWOOD)
        }
        texts = ", ".join(f"{name} {mean:.2f}" for name, mean in means.items())
        print(f"  RTT up to {spread_ms:2} ms above its minimum: {texts}")


if __name__ == "__main__":
    main()
