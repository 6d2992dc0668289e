"""Quantities of a run and of the model, and their names in claims files.

A term's table holds `quantity` (a name of QUANTITIES), `curve` (a name of points.CURVES) and `at`:
"all", "first", "last", one abscissa or a list of them. Rates are in Mb/s, delays in seconds.

Model values are computed from the run's own scenario, by the equations as printed with misprints
corrected (docs/models.md).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from evenair import models
from evenair.papers.checks import one_of
from evenair.papers.measures import Term
from evenair.papers.miorandi2006.points import CURVES, Effort, Point

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from evenair.papers.runs import Document

STANDARD = models.Cell(rts_bits=160)
"""Table 1 with the RTS of the standard and of the simulator."""


# --- The MAC and persistent downloads -------------------------------------------------------------


def collision_probability(document: Document) -> float:
    """Share of all nodes' attempts that collided."""
    sent, attempts = 0.0, 0.0
    for node in (document["ap"], *document["stations"]):
        # With RTS/CTS, the data frames are the attempts that did not collide.
        sent += node["frames_sent"]
        attempts += node["frames_sent"] / (1 - node["collision_probability"])
    return 1 - sent / attempts


def collision_probability_of_stations(document: Document) -> float:
    """Share of the stations' attempts that collided, without those of the access point."""
    return collision_probability({**document, "ap": {**_NOTHING_SENT}})


def collision_probability_of_ap(document: Document) -> float:
    """Share of the access point's attempts that collided."""
    return float(document["ap"]["collision_probability"])


_NOTHING_SENT = {"frames_sent": 0, "collision_probability": 0.0}


def drop_probability(document: Document) -> float:
    """Share of the packets that the MAC dropped."""
    nodes = (document["ap"], *document["stations"])
    dropped = sum(node["frames_dropped"] for node in nodes)
    sent = sum(node["frames_sent"] for node in nodes)
    return float(dropped / (dropped + sent))


def drop_estimate(document: Document) -> float:
    """The paper's estimate of the drop probability from the simulated collisions: P_C^m."""
    return collision_probability(document) ** STANDARD.attempts


def mean_backlogged(document: Document) -> float:
    """Mean number of nodes with an undelivered packet over time, W* = 1 and always one at the AP.

    Each connection has one packet, at the station or at the access point. All but the one in its
    MAC wait there: n_c - waiting = stations with an ACK + 1.
    """
    return len(document["stations"]) - waiting_at_ap(document)


def waiting_at_ap(document: Document) -> float:
    """Mean number of packets that wait at the access point, without the one in its MAC."""
    return float(document["ap_queue"]["mean_packets"])


def share_waiting_at_ap(document: Document) -> float:
    """Share of the waiting packets of one connection that wait at the access point."""
    ap, (station,) = waiting_at_ap(document), document["stations"]
    return ap / (ap + float(station["queue_mean_packets"]))


def share_sent_by_ap(document: Document) -> float:
    """Share of the successful transmissions that are the access point's, P_0^S."""
    nodes = (document["ap"], *document["stations"])
    return float(document["ap"]["frames_sent"] / sum(node["frames_sent"] for node in nodes))


def jain_index(document: Document) -> float:
    """Jain's index of the flows' goodputs."""
    return float(document["jain_index"])


def timeouts(document: Document) -> float:
    """Expirations of the senders' retransmission timers."""
    return float(sum(flow["timeouts"] for flow in document["flows"]))


def round_trip_ms(document: Document) -> float:
    """Mean round-trip time of the first flow, ms."""
    return 1e3 * float(document["flows"][0]["mean_rtt_s"])


def model_round_trip_ms(document: Document) -> float:
    """The round-trip time of section 4.1, ms: both packets and two mean backoffs."""
    cell = models.TABLE_1
    backoffs = (cell.cw_min - 1) * cell.phy_timing.slot_s
    return 1e3 * (cell.tcp_data_s + cell.tcp_ack_s + backoffs)


def model_collision_probability(document: Document) -> float:
    """P_C by (1) and (2): of backlogged nodes; with downloads of two, E[n_b] of section 3.2."""
    saturated = document["flows"][0]["direction"] == "up"
    return float(models.collision_probability(len(document["stations"]) if saturated else 2))


def model_drop_probability(document: Document) -> float:
    """P_drop = P_C^m."""
    return float(models.contention(len(document["stations"])).drop_probability)


def mbps(document: Document) -> float:
    """Total goodput of all flows, Mb/s."""
    return float(document["aggregate_goodput_bps"]) / 1e6


def model_mbps(document: Document) -> float:
    """n_c S_TCP by (10) or (12) in Mb/s, as printed."""
    return _model_mbps(document, models.TABLE_1)


def model_mbps_standard(document: Document) -> float:
    """n_c S_TCP by (10) or (12) in Mb/s, with the standard's RTS of 160 bits."""
    return _model_mbps(document, STANDARD)


def _model_mbps(document: Document, cell: models.Cell) -> float:
    stations, d = len(document["stations"]), _flow(document)["delayed_ack"]
    return float(models.aggregate_throughput(stations, d, cell)) / 1e6


def model_one_station_mbps(document: Document) -> float:
    """S_TCP(1, d) by (8) in Mb/s."""
    return float(models.one_station_throughput(_flow(document)["delayed_ack"])) / 1e6


def model_window_mbps(document: Document) -> float:
    """S by (A.3), extended to d > 1 (docs/models.md), in Mb/s."""
    flow = _flow(document)
    return float(models.window_throughput(flow["window"], flow["delayed_ack"])) / 1e6


def phi_us(document: Document) -> float:
    """Backoff and contention per segment, us: phi of (A.3), computed from the throughput."""
    packets = STANDARD.tcp_data_s + STANDARD.tcp_ack_s
    return 1e6 * (STANDARD.segment_bits / float(document["aggregate_goodput_bps"]) - packets)


def model_phi_us(document: Document) -> float:
    """Phi of (A.3), us."""
    return 1e6 * float(models.contention_time(_flow(document)["window"]))


# --- Web sessions ---------------------------------------------------------------------------------


def condensed(document: Document) -> Document:
    """Return a run's document with its sessions as NumPy columns, to save memory."""
    if "sessions" not in document:
        return document
    listed = document["sessions"]
    columns = {
        "delay_s": np.array([session["end_s"] - session["start_s"] for session in listed]),
        "arrival_s": np.array([session["last_byte_s"] - session["start_s"] for session in listed]),
        "bytes": np.array([session["bytes"] for session in listed], dtype=float),
        "retransmissions": np.array([session["retransmissions"] for session in listed]),
    }
    return {**document, "sessions": columns}


def mean_delay_s(document: Document) -> float:
    """Mean session delay, seconds: until the last acknowledgement, as in (14)."""
    return float(np.mean(document["sessions"]["delay_s"]))


def mean_arrival_s(document: Document) -> float:
    """Mean time until the last byte of a session has arrived, seconds."""
    return float(np.mean(document["sessions"]["arrival_s"]))


def median_delay_s(document: Document) -> float:
    """Median session delay, seconds."""
    return float(np.median(document["sessions"]["delay_s"]))


def shortest_delay_s(document: Document) -> float:
    """The shortest session delay, seconds."""
    return float(np.min(document["sessions"]["delay_s"]))


def share_of_late_ends(document: Document) -> float:
    """Share of the sessions that end 10 ms or more after their last byte has arrived."""
    columns = document["sessions"]
    return float(np.mean(columns["delay_s"] - columns["arrival_s"] >= 0.01))


def mice_delay_s(document: Document) -> float:
    """Mean delay of the smaller half of the files, seconds."""
    return _mean_of(document, "delay_s", 0.0, 0.5)


def mice_arrival_s(document: Document) -> float:
    """Mean time until the last byte of a file in the smaller half has arrived, seconds."""
    return _mean_of(document, "arrival_s", 0.0, 0.5)


def elephants_delay_s(document: Document) -> float:
    """Mean delay of the largest 1% of the files, seconds."""
    return _mean_of(document, "delay_s", 0.99, 1.0)


def mice_retransmissions(document: Document) -> float:
    """Mean number of retransmissions per session, smaller half of the files."""
    return _mean_of(document, "retransmissions", 0.0, 0.5)


def elephants_retransmissions(document: Document) -> float:
    """Mean number of retransmissions per session, largest 1% of the files."""
    return _mean_of(document, "retransmissions", 0.99, 1.0)


def _mean_of(document: Document, column: str, low: float, high: float) -> float:
    """Return the mean over the files between two quantiles of the size."""
    columns = document["sessions"]
    by_size = np.argsort(columns["bytes"], kind="stable")
    first, last = (round(quantile * len(by_size)) for quantile in (low, high))
    return float(np.mean(columns[column][by_size[first:last]]))


def sessions(document: Document) -> float:
    """Number of finished sessions."""
    return float(len(document["sessions"]["delay_s"]))


def mean_file_kb(document: Document) -> float:
    """Mean size of the transferred files, KB."""
    return float(np.mean(document["sessions"]["bytes"])) / 1e3


def model_delay_s(document: Document) -> float:
    """Mean session delay by (17) for the mean file size, seconds."""
    return _model_delay_s(document, _application(document)["size"]["mean"])


def model_delay_same_files_s(document: Document) -> float:
    """Mean session delay by (17) for the mean size of the transferred files, seconds."""
    return _model_delay_s(document, 1e3 * mean_file_kb(document))


def _model_delay_s(document: Document, size: float) -> float:
    flow = _flow(document)
    think = _application(document)["think"]["mean"]
    stations = len(document["stations"])
    return float(models.session_delay(stations, think, size, flow["delayed_ack"]).mean_delay_s)


def model_lone_delay_s(document: Document) -> float:
    """Mean of (14) over the transferred files, seconds: one station, W* = 1."""
    return float(np.mean(models.file_delay(document["sessions"]["bytes"])))


def model_mean_lone_delay_s(document: Document) -> float:
    """Mean of (14) over the Pareto distribution, seconds."""
    size = _application(document)["size"]
    return float(models.mean_file_delay(size["mean"], "pareto", size["shape"]))


def model_affine_delay_s(document: Document) -> float:
    """(15) for the mean file size, seconds."""
    size = _application(document)["size"]
    cell = models.TABLE_1
    return float(
        models.setup_time() + size["mean"] / cell.segment * model_round_trip_ms(document) / 1e3
    )


# --- Terms ----------------------------------------------------------------------------------------


def _flow(document: Document) -> dict[str, Any]:
    flow: dict[str, Any] = document["scenario"]["station"][0]["flows"][0]
    return flow


def _application(document: Document) -> dict[str, Any]:
    application: dict[str, Any] = _flow(document)["application"]
    return application


QUANTITIES: dict[str, Callable[[Document], float]] = {
    function.__name__: function
    for function in (
        collision_probability,
        collision_probability_of_stations,
        collision_probability_of_ap,
        drop_probability,
        drop_estimate,
        mean_backlogged,
        waiting_at_ap,
        share_waiting_at_ap,
        share_sent_by_ap,
        jain_index,
        timeouts,
        round_trip_ms,
        model_round_trip_ms,
        model_collision_probability,
        model_drop_probability,
        mbps,
        model_mbps,
        model_mbps_standard,
        model_one_station_mbps,
        model_window_mbps,
        phi_us,
        model_phi_us,
        mean_delay_s,
        mean_arrival_s,
        median_delay_s,
        shortest_delay_s,
        share_of_late_ends,
        mice_delay_s,
        mice_arrival_s,
        elephants_delay_s,
        mice_retransmissions,
        elephants_retransmissions,
        sessions,
        mean_file_kb,
        model_delay_s,
        model_delay_same_files_s,
        model_lone_delay_s,
        model_mean_lone_delay_s,
        model_affine_delay_s,
    )
}
"""The quantities of claims files by name."""


def read_term(effort: Effort, table: Mapping[str, Any]) -> Term[Point]:
    """Read a term of a claims file, see the module's docstring. Raises KeyError, ValueError."""
    if unknown := set(table) - {"quantity", "curve", "at"}:
        raise ValueError(f"term: unknown {', '.join(sorted(unknown))}")
    for key, known in (("quantity", QUANTITIES), ("curve", CURVES)):
        one_of(key, table[key], known)
    curve = CURVES[table["curve"]](effort)
    at = table["at"]
    if at == "last":
        curve = curve[-1:]
    elif at == "first":
        curve = curve[:1]
    elif at != "all":
        wanted = at if isinstance(at, list) else [at]
        curve = [(x, point) for x, point in curve if x in wanted]
        if len(curve) != len(wanted):
            raise ValueError(f"at: {at} is not all among those simulated")
    points = tuple(point for _, point in curve)
    return Term(QUANTITIES[table["quantity"]], points, tuple(float(x) for x, _ in curve))
