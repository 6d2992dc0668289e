"""The simulation that matches a model: what `evenair model --check` runs.

The cell is the model's, with a perfect wire behind the access point. Two things differ on purpose,
because they are what a check is there to show: the simulator follows the standard, and its RTS has
160 bits (`rts_bits=160` makes the model's as long).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from evenair.models.numbers import ModelError
from evenair.scenario import Scenario

if TYPE_CHECKING:
    from evenair.models.cell import Cell

Inputs: TypeAlias = Mapping[str, Any]
Measure: TypeAlias = Callable[[Mapping[str, Any]], dict[str, float]]
"""Takes the document of a run's result and gives some of the model's results."""
Check: TypeAlias = Callable[[Inputs, "Cell"], tuple[Scenario, Measure]]

_WARMUP, _DURATION = 5.0, 30.0
_FOR_EVER = 255
"""Transmissions of a frame: as many as a scenario can say."""
_SESSIONS = 300
"""Of a station, as in section 4.2."""
_LONGEST = 1e6
"""Seconds that a scenario can last."""
_SIZES = {
    "queue": "exponential",
    "any": "exponential",
    "constant": "deterministic",
    "exponential": "exponential",
    "pareto": "pareto",
}
"""The scenario's name for what the model calls a distribution."""
_SHAPES = (1.01, 100.0)
"""Shapes of Pareto's distribution that a scenario takes."""
_LARGE = 10_000
"""Bytes of a threshold that no frame exceeds, and packets of a queue that never overflows."""


def check_contention(inputs: Inputs, cell: Cell) -> tuple[Scenario, Measure]:
    """Saturated stations with RTS/CTS that give a frame up after m attempts."""
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
    """Saturated stations that never give a frame up."""
    header = 28  # of IP and UDP
    payload = int(inputs["payload"])
    if payload <= header:
        raise ModelError(f"payload: got {payload}; accepted: with --check, above {header} bytes")
    settings = cell.resolved | {
        "rts_threshold": 0 if inputs["rts"] else "off",
        "short_retry_limit": _FOR_EVER,
    }
    scenario = _saturated(int(inputs["nodes"]), cell, payload - header, header, settings)

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

    Sizes are exponential where the model has them distributed anyhow: of the distributions with
    that mean it is the one whose sample means settle soon. The server opens the connection, so that
    two packets come before the first segment, as in (13). With d > 1 a receiver's timer is 40 ms,
    as in section 4.3; the model knows of none. The run ends with the last session.
    """
    stations, d = int(inputs["stations"]), int(inputs["delayed_ack"])
    distribution = inputs["size_distribution"]
    size: dict[str, Any] = {"mean": inputs["size"], "distribution": _SIZES[distribution]}
    if distribution == "pareto":
        if not _SHAPES[0] <= inputs["shape"] <= _SHAPES[1]:
            accepted = f"with --check, from {_SHAPES[0]:g} to {_SHAPES[1]:g}"
            raise ModelError(f"shape: got {inputs['shape']:g}; accepted: {accepted}")
        size["shape"] = inputs["shape"]
    # Ten times as long as all sessions one after the other at a hundredth of the data rate.
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
    # Together the stations offer more than the data rate, of which overheads take a good part: no
    # queue is ever empty once the warm-up is over.
    rate = max(1.2 * cell.resolved["data_rate"] / nodes, 1.0)
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
        "segment": cell.segment,
        "header": cell.header,
        "window": delayed_ack,
        # A first window below d would wait for the receiver's timer.
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
    """The mean over the stations, which are all alike."""
    stations = [station for station in document["stations"] if station["frames_sent"]]
    total: float = sum(station["collision_probability"] for station in stations)
    return total / len(stations)
