"""Quantities of a run, and their names in claims files.

A term's table holds `quantity` (a name of QUANTITIES), `scheme` or a list of `schemes` (whose mean
is taken), and either `buffers` (five uploads, five downloads; a set of cells.BUFFER_SETS or one
size) or `downs = "all"` (one upload, all numbers of downloads, figure 8). Throughput is goodput:
payload acknowledged. Rates are in Mb/s.
"""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any

from evenair.papers.checks import one_of, select_values
from evenair.papers.gong2006.cells import BUFFER_SETS, SCHEMES, Cell, Effort, sweep
from evenair.papers.measures import Term

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from evenair.papers.runs import Document


def aggregate_mbps(document: Document) -> float:
    """Total goodput of all flows, Mb/s."""
    return float(document["aggregate_goodput_bps"]) / 1e6


def jain(document: Document) -> float:
    """Jain's fairness index over the flows' goodput."""
    return float(document["jain_index"])


def direction_mbps(direction: str, document: Document) -> float:
    """Mean goodput of a flow in one direction ("up" or "down"), Mb/s."""
    return _mean(flow["goodput_bps"] for flow in _flows(direction, document)) / 1e6


def flow_mbps(name: str, document: Document) -> float:
    """Goodput of one flow, Mb/s. The paper's flows 1 to 5 are up-1, ..., 6 to 10 are down-1, ..."""
    (rate,) = (flow["goodput_bps"] for flow in document["flows"] if flow["id"] == name)
    return float(rate) / 1e6


def timeouts(direction: str, document: Document) -> float:
    """Retransmission timeouts of all flows in one direction."""
    return float(sum(flow["timeouts"] for flow in _flows(direction, document)))


def loss_ratio(document: Document) -> float:
    """Packets discarded by the AP's queue, filtered ACKs included, over arrivals."""
    return float(document["ap_queue"]["loss_ratio"])


def drops(document: Document) -> float:
    """Packets discarded by the AP's queue, filtered ACKs included."""
    return float(document["ap_queue"]["drops"])


def mean_delay_s(document: Document) -> float:
    """Mean time that a packet spends at the AP, in seconds."""
    return float(document["ap_queue"]["mean_delay_s"])


def queue_samples(kind: str, document: Document) -> list[float]:
    """Packets of one kind ("acks" or "data") in the AP's queue, each second."""
    return [float(count) for count in document["series"][f"ap_queue_{kind}"]]


def mean_queue(kind: str, document: Document) -> float:
    """Mean of the samples of one kind of packet in the AP's queue."""
    return _mean(queue_samples(kind, document))


def peak_queue(kind: str, document: Document) -> float:
    """Largest of the samples of one kind of packet in the AP's queue."""
    return max(queue_samples(kind, document))


def queue_ack_share(document: Document) -> float:
    """Mean number of ACKs in the AP's queue, over the buffer's size in packets."""
    return mean_queue("acks", document) / float(document["scenario"]["cell"]["queue"]["limit"])


def cwnd_samples(name: str, document: Document) -> list[float]:
    """Congestion window of one flow each second, in segments; NaN while it has not started."""
    samples = document["series"]["flows"][name]["cwnd"]
    return [math.nan if sample is None else float(sample) for sample in samples]


def mean_cwnd(direction: str, part: tuple[float, float], document: Document) -> float:
    """Mean congestion window over the flows in one direction and a part of the run, in segments.

    `part` is the start and the end as fractions of the run.
    """
    means = []
    for flow in _flows(direction, document):
        samples = cwnd_samples(flow["id"], document)
        first, last = (round(fraction * len(samples)) for fraction in part)
        means.append(_mean(value for value in samples[first:last] if not math.isnan(value)))
    return _mean(means)


def peak_cwnd(direction: str, document: Document) -> float:
    """Largest congestion window sampled, averaged over the flows in one direction, in segments."""
    return _mean(
        max(value for value in cwnd_samples(flow["id"], document) if not math.isnan(value))
        for flow in _flows(direction, document)
    )


def _flows(direction: str, document: Document) -> list[dict[str, Any]]:
    return [flow for flow in document["flows"] if flow["direction"] == direction]


def _mean(values: Iterable[float]) -> float:
    listed = list(values)
    return math.fsum(listed) / len(listed)


QUANTITIES: dict[str, Callable[[Document], float]] = {
    "aggregate_mbps": aggregate_mbps,
    "jain": jain,
    "up_mbps": partial(direction_mbps, "up"),
    "down_mbps": partial(direction_mbps, "down"),
    "down_timeouts": partial(timeouts, "down"),
    "loss_ratio": loss_ratio,
    "drops": drops,
    "mean_delay_s": mean_delay_s,
    "queue_acks": partial(mean_queue, "acks"),
    "queue_data": partial(mean_queue, "data"),
    "peak_queue_acks": partial(peak_queue, "acks"),
    "peak_queue_data": partial(peak_queue, "data"),
    "queue_ack_share": queue_ack_share,
    "down_cwnd": partial(mean_cwnd, "down", (0.0, 1.0)),
    "up_cwnd_early": partial(mean_cwnd, "up", (0.0, 0.2)),
    "up_cwnd_late": partial(mean_cwnd, "up", (0.8, 1.0)),
    "up_cwnd_peak": partial(peak_cwnd, "up"),
}
"""The quantities of claims files by name. There is also "flow_mbps", with the flow in `flow`."""

_KEYS = {"quantity", "flow", "scheme", "schemes", "buffers", "downs"}


def read_term(effort: Effort, table: Mapping[str, Any]) -> Term[Cell]:
    """Read a term of a claims file, see the module's docstring. Raises KeyError, ValueError."""
    if unknown := set(table) - _KEYS:
        raise ValueError(f"term: unknown {', '.join(sorted(unknown))}")
    if ("scheme" in table) == ("schemes" in table) or ("buffers" in table) == ("downs" in table):
        raise ValueError("term: one of scheme and schemes, and one of buffers and downs, is needed")
    schemes = table["schemes"] if "schemes" in table else [table["scheme"]]
    for scheme in schemes:
        one_of("scheme", scheme, SCHEMES)
    if "downs" in table:
        if table["downs"] != "all":
            raise ValueError(f"downs: got {table['downs']!r}, expected 'all'")
        curves = [sweep(scheme, effort, "down") for scheme in schemes]
    else:
        sizes = select_values("buffers", table["buffers"], BUFFER_SETS, effort.buffers)
        curves = [[(int(size), Cell(scheme, int(size))) for size in sizes] for scheme in schemes]
    pairs = [pair for curve in curves for pair in curve]
    points = tuple(cell for _, cell in pairs)
    return Term(_quantity(table), points, tuple(float(position) for position, _ in pairs))


def _quantity(table: Mapping[str, Any]) -> Callable[[Document], float]:
    name = table["quantity"]
    if (name == "flow_mbps") != ("flow" in table):
        raise ValueError("flow: needed with the quantity flow_mbps, and only there")
    if name == "flow_mbps":
        return partial(flow_mbps, table["flow"])
    return QUANTITIES[one_of("quantity", name, QUANTITIES)]
