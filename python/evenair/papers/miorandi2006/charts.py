"""The charts of the paper's figures: simulated curves, curves of the model, and axes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from evenair import models
from evenair.papers.curves import Printed
from evenair.papers.miorandi2006 import quantities as q
from evenair.papers.miorandi2006.drawing import Axis, Chart, Modelled, Simulated
from evenair.papers.miorandi2006.points import FILE_BYTES, SCHEMES, THINK_S, Effort
from evenair.papers.miorandi2006.published import TABLE_2, TABLE_3
from evenair.plot.style import Line

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from evenair.papers.runs import Document

# Colour, line and marker all differ; lines of the model have no markers.
_BLACK, _GREEN, _BLUE, _RED = "#000000", "#1b7837", "#2166ac", "#d6604d"


def _model(label: str = "Model", color: str = _BLACK, dashes: str = "-") -> Line:
    return Line(label, color, dashes, "")


def _dots(label: str, color: str, marker: str, filled: bool = True) -> Line:
    """Return the style of simulated points without a line."""
    return Line(label, color, "none", marker, filled)


_DELAYED = (1, 2, 3, 4, 5)
_N_B = Axis("Number of backlogged nodes, n_b", "nodes")
_N_C = Axis("Number of TCP connections, n_c", "connections")
_D = Axis("Delayed-ACK parameter, d", "delayed_ack", ticks=_DELAYED)
_N = Axis("Number of stations, n (access point counted)", "n")
_P_C = Axis("Collision probability", "collision_probability", limits=(0.0, None))
_AGGREGATE = Axis("Aggregate throughput (Mb/s)", "aggregate_mbps", limits=(2.0, 3.2))
_THROUGHPUT = Axis("TCP throughput (Mb/s)", "throughput_mbps", limits=(2.0, None))
_DELAY = Axis("Mean session delay (s)", "mean_delay_s", limits=(0.0, None))
_SESSIONS = (
    ("median_delay_s", q.median_delay_s),
    ("sessions", q.sessions),
    ("mean_file_kb", q.mean_file_kb),
)


def _aggregate(delayed_ack: int) -> Callable[[Sequence[float]], Sequence[float]]:
    return lambda n: list(np.asarray(models.aggregate_throughput(n, delayed_ack)) / 1e6)


def _aggregate_over_d(stations: int) -> Callable[[Sequence[float]], Sequence[float]]:
    return lambda d: list(np.asarray(models.aggregate_throughput(stations, d)) / 1e6)


def _one_station(d: Sequence[float]) -> Sequence[float]:
    return list(np.asarray(models.one_station_throughput(d)) / 1e6)


def _own_window(d: Sequence[float]) -> Sequence[float]:
    return list(np.asarray(models.window_throughput(d, d)) / 1e6)


def _contention(d: Sequence[float]) -> Sequence[float]:
    return list(1e6 * np.asarray(models.contention_time(d)))


def delay_over_hosts(n: Sequence[float], delayed_ack: int = 1) -> Sequence[float]:
    """Return (17) in seconds; n counts the access point."""
    stations = np.asarray(n) - 1
    return list(
        np.asarray(models.session_delay(stations, THINK_S, FILE_BYTES, delayed_ack).mean_delay_s)
    )


def _delay_over_think(think: Sequence[float]) -> Sequence[float]:
    return list(np.asarray(models.session_delay(10, think, FILE_BYTES).mean_delay_s))


def _integers(low: int, last: Callable[[Effort], float]) -> Callable[[Effort], Sequence[float]]:
    return lambda effort: list(range(low, int(last(effort)) + 1))


def _drops(nodes: Sequence[float]) -> Sequence[float]:
    return list(np.asarray(models.contention(nodes).drop_probability))


_NODES = _integers(2, lambda effort: effort.nodes[-1])
_CONNECTIONS = _integers(1, lambda effort: effort.connections[-1])
_HOSTS = _integers(2, lambda effort: effort.hosts[-1])

FIGURE_1 = Chart(
    _N_B,
    _P_C,
    (
        Simulated(
            "backlogged",
            _dots("Simulation", _BLUE, "o", filled=False),
            q.collision_probability_of_stations,
            q.model_collision_probability,
        ),
    ),
    (Modelled(_model(), _NODES, lambda n: list(np.asarray(models.collision_probability(n)))),),
    printed=Printed("section 3.1", ((2, 0.060),)),
)

FIGURE_2 = Chart(
    _N_B,
    Axis("Packet drop probability", "drop_probability", log=True),
    (
        Simulated(
            "backlogged",
            _dots("Simulation", _BLUE, "o", filled=False),
            q.drop_probability,
            q.model_drop_probability,
        ),
    ),
    (Modelled(_model(), _NODES, _drops),),
)


def _single_station(model: Callable[[Document], float]) -> tuple[Simulated, Simulated]:
    """Return the throughput of one station for both windows, beside a model."""
    return (
        Simulated("one-w1000", _dots("Simulation, W* = 1000", _BLUE, "o"), q.mbps, model),
        Simulated("one-w-d", _dots("Simulation, W* = d", _RED, "s", filled=False), q.mbps, model),
    )


FIGURE_3 = Chart(
    _D,
    _THROUGHPUT,
    _single_station(q.model_one_station_mbps),
    (Modelled(_model("Model (8), W* far above d"), lambda _: _DELAYED, _one_station),),
)

FIGURE_4 = Chart(
    _N_C,
    _P_C,
    (
        Simulated(
            "w1",
            Line("Simulation, W* = 1", _RED, "--", "s", filled=False),
            q.collision_probability,
            q.model_collision_probability,
        ),
        Simulated(
            "w1000",
            Line("Simulation, W* = 1000", _BLUE, ":", "o"),
            q.collision_probability,
            q.model_collision_probability,
        ),
    ),
    (
        Modelled(
            _model("Model: two backlogged nodes"),
            _CONNECTIONS,
            lambda n: [float(models.collision_probability(2))] * len(n),
        ),
    ),
    extra=(
        ("of_access_point", q.collision_probability_of_ap),
        ("of_stations", q.collision_probability_of_stations),
    ),
)

FIGURE_5 = Chart(
    _N_C,
    _AGGREGATE,
    (
        Simulated("w1", _dots("Simulation, W* = d = 1", _RED, "s"), q.mbps, q.model_mbps),
        Simulated(
            "w2-d2",
            _dots("Simulation, W* = d = 2", _BLUE, "o", filled=False),
            q.mbps,
            q.model_mbps,
        ),
    ),
    (
        Modelled(_model("Model (10), d = 1"), _CONNECTIONS, _aggregate(1)),
        Modelled(_model("Model (12), d = 2", dashes="--"), _CONNECTIONS, _aggregate(2)),
    ),
    extra=(("model_rts_160_bits", q.model_mbps_standard),),
)

FIGURE_6 = Chart(
    _D,
    Axis("Aggregate throughput (Mb/s)", "aggregate_mbps", limits=(2.0, None)),
    (
        Simulated("ten-w1000", _dots("Simulation, W* = 1000", _BLUE, "o"), q.mbps, q.model_mbps),
        Simulated(
            "ten-w-d",
            _dots("Simulation, W* = d", _RED, "s", filled=False),
            q.mbps,
            q.model_mbps,
        ),
    ),
    (Modelled(_model("Model (12)"), lambda _: _DELAYED, _aggregate_over_d(10)),),
)

FIGURE_8 = Chart(
    _N,
    _DELAY,
    (
        Simulated(
            "pareto-w1",
            _dots("Pareto, W* = 1", _RED, "s"),
            q.mean_delay_s,
            q.model_delay_same_files_s,
        ),
        Simulated(
            "exponential-w1",
            _dots("Exponential, W* = 1", _BLUE, "o", filled=False),
            q.mean_delay_s,
            q.model_delay_same_files_s,
        ),
        Simulated(
            "pareto-w1000",
            Line("Pareto, W* = 1000", _RED, "--", "D"),
            q.mean_delay_s,
            q.model_delay_same_files_s,
        ),
        Simulated(
            "exponential-w1000",
            Line("Exponential, W* = 1000", _BLUE, ":", "^", filled=False),
            q.mean_delay_s,
            q.model_delay_same_files_s,
        ),
    ),
    (Modelled(_model("Model (17)"), _HOSTS, delay_over_hosts),),
    printed=Printed("Table 2", tuple((2, mean) for mean, _, _ in TABLE_2.values())),
    extra=_SESSIONS,
)

FIGURE_9 = Chart(
    Axis("Mean think time (s)", "think_s"),
    _DELAY,
    (
        Simulated(
            "think",
            _dots("Simulation, Pareto, W* = 1", _RED, "s", filled=False),
            q.mean_delay_s,
            q.model_delay_same_files_s,
        ),
    ),
    (
        Modelled(
            _model("Model (17)"),
            lambda effort: list(np.linspace(effort.thinks[0], effort.thinks[-1], 60)),
            _delay_over_think,
        ),
    ),
    extra=_SESSIONS,
)

FIGURE_10 = Chart(
    Axis("Maximum window, W* (packets)", "window", log=True, ticks=(5, 10, 20, 30, 60, 200)),
    _DELAY,
    (
        Simulated(
            "buffer",
            Line("Simulation, Pareto, B = 30", _BLUE, "-", "o"),
            q.mean_delay_s,
        ),
    ),
    extra=_SESSIONS,
)

FIGURE_11 = Chart(
    _N,
    _DELAY,
    tuple(
        Simulated(f"delack-{d}", line, q.mean_delay_s)
        for d, line in (
            (1, Line("d = 1", _BLACK, "-", "o")),
            (2, Line("d = 2", _BLUE, "--", "s", filled=False)),
            (3, Line("d = 3", _GREEN, "-.", "^")),
            ("dynamic", Line("dynamic d", _RED, ":", "D", filled=False)),
        )
    ),
    printed=Printed("Table 3", tuple((2, TABLE_3[str(d)][0]) for d in SCHEMES)),
    extra=_SESSIONS,
)

FIGURE_A2 = Chart(
    Axis("Maximum window, W* (packets)", "window", log=True, ticks=(1, 2, 5, 10, 20, 50, 100)),
    Axis("Contention per segment, φ (µs)", "phi_us", limits=(0.0, None)),
    (
        Simulated(
            "phi",
            _dots("Simulation, from the throughput", _BLUE, "o", filled=False),
            q.phi_us,
            q.model_phi_us,
        ),
    ),
    (
        Modelled(
            _model("Model (A.3)"),
            _integers(1, lambda effort: effort.phi_windows[-1]),
            _contention,
        ),
    ),
)

FIGURE_A3 = Chart(
    _D,
    _THROUGHPUT,
    _single_station(q.model_window_mbps),
    (
        Modelled(_model("Model, W* far above d"), lambda _: _DELAYED, _one_station),
        Modelled(_model("Model, W* = d", dashes="--"), lambda _: _DELAYED, _own_window),
    ),
)
