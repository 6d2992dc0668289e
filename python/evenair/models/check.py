"""The simulation of a model's scenario, for `evenair model --check`.

The cell is that of the model, with an ideal wire behind the access point. Two differences are
intended, because a check is to show their effect: the simulator follows the standard, and its RTS
has 160 bits (`rts_bits=160` gives the model the same).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from evenair.models.numbers import ModelError
from evenair.models.ppdu import PHYS, ppdu_duration
from evenair.scenario import Scenario

if TYPE_CHECKING:
    from evenair.models.cell import Cell

Inputs: TypeAlias = Mapping[str, Any]
Measure: TypeAlias = Callable[[Mapping[str, Any]], dict[str, float]]
"""Computes some of the model's results from the result document of a run."""
Check: TypeAlias = Callable[[Inputs, "Cell"], tuple[Scenario, Measure]]

_WARMUP, _DURATION = 5.0, 30.0
_UNLIMITED = 255
"""Transmissions of a frame: the largest number that a scenario accepts."""
_SESSIONS = 300
"""Sessions per station, as in section 4.2."""
_LONGEST = 1e6
"""The longest duration that a scenario accepts, seconds."""
_SIZES = {
    "queue": "exponential",
    "any": "exponential",
    "constant": "deterministic",
    "exponential": "exponential",
    "pareto": "pareto",
}
"""The scenario's name of each of the model's distributions."""
_SHAPES = (1.01, 100.0)
"""The range of shapes of the Pareto distribution that a scenario accepts."""
_LARGE = 10_000
"""Bytes of a threshold that no frame exceeds, and packets of a queue that never overflows."""


def check_contention(inputs: Inputs, cell: Cell) -> tuple[Scenario, Measure]:
    """Saturated stations with RTS/CTS that drop a frame after m attempts."""
    scenario = _saturated(int(inputs["nodes"]), cell, cell.segment, cell.header, cell.resolved)

    def measure(document: Mapping[str, Any]) -> dict[str, float]:
        stations = document["stations"]
        dropped = sum(station["frames_dropped"] for station in stations)
        bits = document["aggregate_goodput_bps"] * document["duration_s"]
        packets = dropped + bits / (8 * cell.segment)
        return {
            "collision_probability": _collision_probability(document),
            "drop_probability": dropped / packets,
        }

    return scenario, measure


def check_bianchi(inputs: Inputs, cell: Cell) -> tuple[Scenario, Measure]:
    """Saturated stations that never drop a frame."""
    header = 28  # of IP and UDP
    payload = int(inputs["payload"])
    if payload <= header:
        raise ModelError(f"payload: got {payload}; accepted: with --check, above {header} bytes")
    settings = cell.resolved | {
        "rts_threshold": 0 if inputs["rts"] else "off",
        "short_retry_limit": _UNLIMITED,
    }
    if cell.phy in PHYS:
        # Nobody waits for EIFS with ns-3's rules.
        rules = "wmm" if inputs["eifs"] else "ns3"
        settings |= {"aggregation": "off", "edca": {"kind": rules, "be": {"txop": 0}}}
    scenario = _saturated(int(inputs["nodes"]), cell, payload - header, header, settings)

    def measure(document: Mapping[str, Any]) -> dict[str, float]:
        return {
            "throughput_bps": document["aggregate_goodput_bps"] * payload / (payload - header),
            "collision_probability": _collision_probability(document),
        }

    return scenario, measure


def check_edca(inputs: Inputs, cell: Cell) -> tuple[Scenario, Measure]:
    """Saturated uplinks of 802.11n, 802.11ac or 802.11ax."""
    header = 28  # of IP and UDP
    payload, stations = int(inputs["payload"]), int(inputs["stations"])
    if payload <= header:
        raise ModelError(f"payload: got {payload}; accepted: with --check, above {header} bytes")
    phy = ("phy", "channel_width", "mcs", "streams", "guard_interval", "preamble", "band")
    mode = {key: inputs[key] for key in phy if inputs[key] is not None}
    if mode["phy"] == "802.11n":
        mode.setdefault("channel_width", 20e6)
    access = {key: inputs[key] for key in ("aifsn", "cw_min", "cw_max")} | {"txop": 0}
    if inputs["aifsn"] < 2:
        raise ModelError(f"aifsn: got {inputs['aifsn']}; accepted: with --check, 2 to 15")
    aggregation = {"kind": inputs["aggregation"]}
    if inputs["window"] is not None and inputs["aggregation"] == "a-mpdu":
        aggregation["window"] = inputs["window"]
    settings = mode | {
        "edca": {"kind": "ns3" if inputs["rules"] == "ns3" else "wmm", "be": access},
        "aggregation": aggregation,
        "rts_threshold": 0 if inputs["rts"] else "off",
        "short_retry_limit": inputs["retry_limit"],
        "queue": {"kind": "droptail", "limit": _LARGE},
    }
    rate = ppdu_duration(payload, **{key: inputs[key] for key in phy}).rate_bps
    flow = {
        "direction": "up",
        "transport": "udp",
        "rate": max(1.2 * rate / stations, 1.0),
        "segment": payload - header,
        "header": header,
        "start": 0,
    }
    queue = {"kind": "droptail", "limit": _LARGE}
    scenario = Scenario(
        name="check of a model",
        warmup=_WARMUP,
        duration=_DURATION,
        cell=settings,
        wired={"rate": "unlimited", "delay": 0},
        station=[{"count": stations, "queue": queue, "flows": [flow]}],
    )

    def measure(document: Mapping[str, Any]) -> dict[str, float]:
        return {
            "throughput_bps": document["aggregate_goodput_bps"] * payload / (payload - header),
            "collision_probability": _collision_probability(document),
        }

    return scenario, measure


def check_tcp_throughput(inputs: Inputs, cell: Cell) -> tuple[Scenario, Measure]:
    """Downloads with a window of d segments, whose receivers acknowledge every d-th."""
    stations, d = int(inputs["stations"]), int(inputs["delayed_ack"])
    scenario = _downloads(stations, d, cell, {"application": "bulk"}, _DURATION)

    def measure(document: Mapping[str, Any]) -> dict[str, float]:
        total = document["aggregate_goodput_bps"]
        return {"aggregate_bps": total, "per_connection_bps": total / stations}

    return scenario, measure


def check_window_effect(inputs: Inputs, cell: Cell) -> tuple[Scenario, Measure]:
    """One download with a window of W* segments, whose receiver acknowledges every d-th."""
    window = {"application": "bulk", "window": int(inputs["window"])}
    scenario = _downloads(1, int(inputs["delayed_ack"]), cell, window, _DURATION)

    def measure(document: Mapping[str, Any]) -> dict[str, float]:
        return {"throughput_bps": document["aggregate_goodput_bps"]}

    return scenario, measure


def check_session_delay(inputs: Inputs, cell: Cell) -> tuple[Scenario, Measure]:
    """Web sessions, 300 for each station, with a window of d segments.

    Where the model holds for any distribution, sizes are exponential, because their sample means
    converge fast. The server opens the connection, so that two packets precede the first segment,
    as in (13). With d > 1 the delayed acknowledgement timer is 40 ms, as in section 4.3; the model
    has no such timer. The run ends with the last session.
    """
    stations, d = int(inputs["stations"]), int(inputs["delayed_ack"])
    distribution = inputs["size_distribution"]
    size: dict[str, Any] = {"mean": inputs["size"], "distribution": _SIZES[distribution]}
    if distribution == "pareto":
        if not _SHAPES[0] <= inputs["shape"] <= _SHAPES[1]:
            accepted = f"with --check, from {_SHAPES[0]:g} to {_SHAPES[1]:g}"
            raise ModelError(f"shape: got {inputs['shape']:g}; accepted: {accepted}")
        size["shape"] = inputs["shape"]
    # Ten times the duration of all sessions in sequence at a hundredth of the data rate.
    cycle = 10 * (inputs["think"] + stations * inputs["size"] * 800 / cell.resolved["data_rate"])
    if cycle > _LONGEST:
        raise ModelError(
            f"think: got {inputs['think']:g} with size={inputs['size']:g}; accepted: with --check,"
            " shorter times and smaller files: a simulation cannot be that long"
        )
    sessions = min(_SESSIONS, int(_LONGEST / cycle))
    application = {
        "kind": "web",
        "size": size,
        "think": {"distribution": "exponential", "mean": inputs["think"]},
        "sessions": sessions,
        "opened_by": "sender",
    }
    flow = {"application": application, "delayed_ack_timeout": 0.04}
    scenario = _downloads(stations, d, cell, flow, max(sessions * cycle, 1.0), warmup=0.0)

    def measure(document: Mapping[str, Any]) -> dict[str, float]:
        delays = [session["end_s"] - session["start_s"] for session in document["sessions"]]
        return {"mean_delay_s": sum(delays) / len(delays)}

    return scenario, measure


def _saturated(
    nodes: int, cell: Cell, segment: int, header: int, settings: Mapping[str, Any]
) -> Scenario:
    # The offered load exceeds the data rate, so no queue is empty after the warm-up.
    rate = max(1.2 * cell.data_bps / nodes, 1.0)
    flow = {
        "direction": "up",
        "transport": "udp",
        "application": "cbr",
        "rate": rate,
        "segment": segment,
        "header": header,
        "start": 0,
    }
    station = [{"count": nodes, "flows": [flow]}]
    return _scenario(settings, station, _WARMUP, _DURATION)


def _downloads(
    stations: int,
    delayed_ack: int,
    cell: Cell,
    application: Mapping[str, Any],
    duration: float,
    warmup: float = _WARMUP,
) -> Scenario:
    flow = {
        "direction": "down",
        "tcp": "ns2",
        "segment": cell.segment,
        "header": cell.header,
        "window": delayed_ack,
        # With an initial window below d, the sender waits for the delayed acknowledgement timer.
        "initial_window": delayed_ack,
        "delayed_ack": delayed_ack,
        "start": 0,
        **application,
    }
    station = [{"count": stations, "flows": [flow]}]
    return _scenario(cell.resolved, station, warmup, duration)


def _scenario(
    settings: Mapping[str, Any], station: list[dict[str, Any]], warmup: float, duration: float
) -> Scenario:
    cell = dict(settings)
    if "mcs" not in cell:  # EDCA has one limit
        cell["long_retry_limit"] = cell["short_retry_limit"]
    cell["queue"] = {"kind": "droptail", "limit": _LARGE}
    return Scenario(
        name="check of a model",
        warmup=warmup,
        duration=duration,
        cell=cell,
        wired={"rate": "unlimited", "delay": 0},
        station=station,
    )


def _collision_probability(document: Mapping[str, Any]) -> float:
    """The mean over the stations, which are identical."""
    stations = [station for station in document["stations"] if station["frames_sent"]]
    total: float = sum(station["collision_probability"] for station in stations)
    return total / len(stations)
