"""Quantities of a run, and their names in claims files.

A term's table holds `quantity` (a name of QUANTITIES), `scheme` or a list of `schemes` (whose mean
is taken), and either `buffers` (five uploads, five downloads; a set of cells.BUFFER_SETS or one
size) or `downs` (one upload, figure 8; one number of downloads or "all"). `case` is one of
cells.CASES ["paper"]. Throughput is goodput: payload acknowledged. Rates are in Mb/s.
"""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any

from evenair.papers.checks import one_of, select_values
from evenair.papers.gong2006.cells import (
    BUFFER_SETS,
    CASES,
    DOWN_SETS,
    SCHEMES,
    Axis,
    Cell,
    Effort,
    sweep,
)
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


def lead_mbps(document: Document) -> float:
    """Mean goodput of an upstream flow less that of a downstream flow, Mb/s."""
    return direction_mbps("up", document) - direction_mbps("down", document)


def flow_retransmissions(name: str, document: Document) -> float:
    """Segments that one flow sent again."""
    (count,) = (flow["retransmissions"] for flow in document["flows"] if flow["id"] == name)
    return float(count)


def timeouts(direction: str, document: Document) -> float:
    """Retransmission timeouts of all flows in one direction."""
    return float(sum(flow["timeouts"] for flow in _flows(direction, document)))


def loss_ratio(document: Document) -> float:
    """Packets discarded by the AP's queue, filtered ACKs included, over arrivals."""
    return float(document["ap_queue"]["loss_ratio"])


def drops(document: Document) -> float:
    """Packets discarded by the AP's queue, filtered ACKs included."""
    return float(document["ap_queue"]["drops"])


def loss_ratio_of(kind: str, document: Document) -> float:
    """Discarded over arrived packets of one kind ("data" or "ack") at the AP's queue."""
    queue = document["ap_queue"]
    return float(queue[f"{kind}_drops"]) / float(queue[f"{kind}_arrivals"])


def filtered_share(document: Document) -> float:
    """ACKs that a later ACK replaced, over all packets discarded by the AP's queue."""
    return float(document["ap_queue"]["acks_filtered"]) / drops(document)


def reductions_per_loss(direction: str, document: Document) -> float:
    """Reductions of the flows' windows per packet of theirs that the AP's queue discards.

    These packets are the ACKs of the upstream flows ("up") or the data of the downstream flows.
    A reduction is a timeout or a fast retransmit.
    """
    flows = _flows(direction, document)
    reductions = sum(flow["timeouts"] + flow["fast_retransmits"] for flow in flows)
    return float(reductions) / float(
        document["ap_queue"]["ack_drops" if direction == "up" else "data_drops"]
    )


def acks_per_segment(document: Document) -> float:
    """ACKs that arrive at the AP for each data segment that the upstream flows send."""
    sent = sum(flow["segments_sent"] for flow in _flows("up", document))
    return float(document["ap_queue"]["ack_arrivals"]) / float(sent)


def data_share(document: Document) -> float:
    """Share of the AP in all data packets sent over the air, over an equal share, 1 / (N + 1).

    N is the number of uploading stations. The stations' own queues lose nothing.
    """
    queue, uploads = document["ap_queue"], _flows("up", document)
    relayed = queue["data_arrivals"] - queue["data_drops"]
    share = relayed / (relayed + sum(flow["segments_sent"] for flow in uploads))
    return float(share * (len(uploads) + 1))


def access_share(document: Document) -> float:
    """Share of the AP in the frames sent by it and the uploading stations, over 1 / (N + 1).

    Frames are those with a packet, data or ACK, retries included.
    """
    uploading = {flow["station"] for flow in _flows("up", document)}
    stations = [item["frames_sent"] for item in document["stations"] if item["id"] in uploading]
    own = document["ap"]["frames_sent"]
    return float(own / (own + sum(stations)) * (len(stations) + 1))


def upload_queue(document: Document) -> float:
    """Mean number of packets that wait at an uploading station, behind the one in its MAC."""
    uploading = {flow["station"] for flow in _flows("up", document)}
    return _mean(
        float(item["queue_mean_packets"])
        for item in document["stations"]
        if item["id"] in uploading
    )


def wire_utilization(document: Document) -> float:
    """Share of the time in which the wire sends, in its busier direction."""
    return max(float(link["utilization"]) for link in document["wired"]["links"])


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


def least_cwnd(part: tuple[float, float], document: Document) -> float:
    """Mean congestion window, in segments, of the flow for which it is smallest."""
    return min(
        mean_cwnd(flow["direction"], part, {**document, "flows": [flow]})
        for flow in document["flows"]
    )


def mbps_in(direction: str, part: tuple[float, float], document: Document) -> float:
    """Mean goodput of a flow in one direction in a part of the run, Mb/s."""
    means = []
    for flow in _flows(direction, document):
        samples = document["series"]["flows"][flow["id"]]["goodput_bps"]
        first, last = (round(fraction * len(samples)) for fraction in part)
        means.append(_mean(float(value) for value in samples[first:last]))
    return _mean(means) / 1e6


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


EARLY = (0.0, 0.2)
"""The first fifth of a run."""

LATE = (0.8, 1.0)
"""The last fifth of a run."""

QUANTITIES: dict[str, Callable[[Document], float]] = {
    "aggregate_mbps": aggregate_mbps,
    "jain": jain,
    "up_mbps": partial(direction_mbps, "up"),
    "down_mbps": partial(direction_mbps, "down"),
    "lead_mbps": lead_mbps,
    "down_timeouts": partial(timeouts, "down"),
    "up_reductions_per_loss": partial(reductions_per_loss, "up"),
    "down_reductions_per_loss": partial(reductions_per_loss, "down"),
    "acks_per_segment": acks_per_segment,
    "data_share": data_share,
    "access_share": access_share,
    "upload_queue": upload_queue,
    "wire_utilization": wire_utilization,
    "data_loss_ratio": partial(loss_ratio_of, "data"),
    "ack_loss_ratio": partial(loss_ratio_of, "ack"),
    "filtered_share": filtered_share,
    "loss_ratio": loss_ratio,
    "drops": drops,
    "mean_delay_s": mean_delay_s,
    "queue_acks": partial(mean_queue, "acks"),
    "queue_data": partial(mean_queue, "data"),
    "peak_queue_acks": partial(peak_queue, "acks"),
    "peak_queue_data": partial(peak_queue, "data"),
    "queue_ack_share": queue_ack_share,
    "down_cwnd": partial(mean_cwnd, "down", (0.0, 1.0)),
    "down_cwnd_early": partial(mean_cwnd, "down", EARLY),
    "least_cwnd_late": partial(least_cwnd, LATE),
    "down_mbps_early": partial(mbps_in, "down", EARLY),
    "down_mbps_late": partial(mbps_in, "down", LATE),
    "up_cwnd_early": partial(mean_cwnd, "up", EARLY),
    "up_cwnd_late": partial(mean_cwnd, "up", LATE),
    "up_cwnd_peak": partial(peak_cwnd, "up"),
}
"""The quantities of claims files by name."""

FLOW_QUANTITIES: dict[str, Callable[[str, Document], float]] = {
    "flow_mbps": flow_mbps,
    "flow_retransmissions": flow_retransmissions,
}
"""The quantities of one flow, which a term names in `flow`."""

_KEYS = {"quantity", "flow", "scheme", "schemes", "buffers", "downs", "case"}


def read_term(effort: Effort, table: Mapping[str, Any]) -> Term[Cell]:
    """Read a term of a claims file, see the module's docstring. Raises KeyError, ValueError."""
    if unknown := set(table) - _KEYS:
        raise ValueError(f"term: unknown {', '.join(sorted(unknown))}")
    if ("scheme" in table) == ("schemes" in table) or ("buffers" in table) == ("downs" in table):
        raise ValueError("term: one of scheme and schemes, and one of buffers and downs, is needed")
    schemes = table["schemes"] if "schemes" in table else [table["scheme"]]
    for scheme in schemes:
        one_of("scheme", scheme, SCHEMES)
    case = one_of("case", table.get("case", "paper"), CASES)
    axis: Axis = "buffer" if "buffers" in table else "down"
    if axis == "buffer":
        wanted = select_values("buffers", table["buffers"], BUFFER_SETS, effort.buffers)
    else:
        wanted = select_values("downs", table["downs"], DOWN_SETS, effort.downs)
    pairs = [
        pair
        for scheme in schemes
        for pair in sweep(scheme, effort, axis, case)
        if pair[0] in wanted
    ]
    points = tuple(cell for _, cell in pairs)
    return Term(_quantity(table), points, tuple(float(position) for position, _ in pairs))


def _quantity(table: Mapping[str, Any]) -> Callable[[Document], float]:
    name = table["quantity"]
    if (name in FLOW_QUANTITIES) != ("flow" in table):
        raise ValueError(f"flow: needed with {', '.join(FLOW_QUANTITIES)}, and only there")
    if name in FLOW_QUANTITIES:
        return partial(FLOW_QUANTITIES[name], table["flow"])
    return QUANTITIES[one_of("quantity", name, QUANTITIES)]
