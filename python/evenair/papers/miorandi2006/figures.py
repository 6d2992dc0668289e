"""The paper's figures and tables as data: what each shows, and what it is called."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from evenair import models
from evenair.papers.figures import FigureSpec
from evenair.papers.miorandi2006 import quantities as q
from evenair.papers.miorandi2006 import tables
from evenair.papers.miorandi2006.drawing import Axis, Chart, Modelled, Simulated
from evenair.papers.miorandi2006.points import FILE_BYTES, THINK_S, Effort, Point
from evenair.style import Line

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

# Colour, line and marker all differ: model lines have no markers, simulations have them.
_BLACK, _GREEN, _BLUE, _RED = "#000000", "#1b7837", "#2166ac", "#d6604d"


def _model(label: str = "Model", color: str = _BLACK, dashes: str = "-") -> Line:
    return Line(label, color, dashes, "")


def _dots(label: str, color: str, marker: str, filled: bool = True) -> Line:
    """Simulated points that lie on, or off, a model's line."""
    return Line(label, color, "none", marker, filled)


_DELAYED = (1, 2, 3, 4, 5)
_N_B = Axis("Number of backlogged nodes, n_b", "nodes")
_N_C = Axis("Number of TCP connections, n_c", "connections")
_D = Axis("Delayed-ACK parameter, d", "delayed_ack", ticks=_DELAYED)
_N = Axis("Number of stations, n (access point counted)", "n")
_P_C = Axis("Collision probability", "collision_probability", limits=(0.0, None))
_AGGREGATE = Axis("Aggregate throughput (Mb/s)", "aggregate_mbps", limits=(2.0, 3.2))
_THROUGHPUT = Axis("TCP throughput (Mb/s)", "throughput_mbps")
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


def _whole(low: int, last: Callable[[Effort], float]) -> Callable[[Effort], Sequence[float]]:
    return lambda effort: list(range(low, int(last(effort)) + 1))


def _drops(nodes: Sequence[float]) -> Sequence[float]:
    return list(np.asarray(models.contention(nodes).drop_probability))


_NODES = _whole(2, lambda effort: effort.nodes[-1])
_CONNECTIONS = _whole(1, lambda effort: effort.connections[-1])
_HOSTS = _whole(2, lambda effort: effort.hosts[-1])

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

FIGURE_3 = Chart(
    _D,
    _THROUGHPUT,
    (
        Simulated(
            "one-w1000",
            _dots("Simulation, W* = 1000", _BLUE, "o"),
            q.mbps,
            q.model_one_station_mbps,
        ),
        Simulated(
            "one-w-d",
            _dots("Simulation, W* = d", _RED, "s", filled=False),
            q.mbps,
            q.model_one_station_mbps,
        ),
    ),
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
    Axis("Aggregate throughput (Mb/s)", "aggregate_mbps"),
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
    Axis("Maximum window, W* (packets)", "window"),
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
    extra=_SESSIONS,
)

FIGURE_A2 = Chart(
    Axis("Maximum window, W* (packets)", "window", log=True, ticks=(1, 2, 5, 10, 20, 50, 100)),
    Axis("phi, contention per segment (us)", "phi_us", limits=(0.0, None)),
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
            _whole(1, lambda effort: effort.phi_windows[-1]),
            _contention,
        ),
    ),
)

FIGURE_A3 = Chart(
    _D,
    _THROUGHPUT,
    (
        Simulated(
            "one-w1000",
            _dots("Simulation, W* = 1000", _BLUE, "o"),
            q.mbps,
            q.model_window_mbps,
        ),
        Simulated(
            "one-w-d",
            _dots("Simulation, W* = d", _RED, "s", filled=False),
            q.mbps,
            q.model_window_mbps,
        ),
    ),
    (
        Modelled(_model("Model, W* far above d"), lambda _: _DELAYED, _one_station),
        Modelled(_model("Model, W* = d", dashes="--"), lambda _: _DELAYED, _own_window),
    ),
)


def _figure(name: str, title: str, caption: str, chart: Chart) -> FigureSpec[Point, Effort]:
    return FigureSpec(name, title, caption, chart.points, chart.draw)


_BARS = "Bars: 95% interval over the seeds."
_HEAVY = (
    "Bars: 95% interval over the seeds; with Pareto's sizes, whose variance is infinite, it is no "
    "more than an indication. The model's numbers beside each point are for the mean size of the "
    "files that were fetched; its line is for 30 KB."
)

FIGURES: tuple[FigureSpec[Point, Effort], ...] = (
    _figure(
        "1",
        "Collision probability of backlogged nodes",
        f"Line: (1) and (2). Points: stations that always have a packet. {_BARS}",
        FIGURE_1,
    ),
    _figure(
        "2",
        "Packet drop probability of backlogged nodes",
        "Line: P_C to the power of m = 7. Points: packets that the MAC gave up after seven "
        f"attempts; none is drawn where that never happened. {_BARS}",
        FIGURE_2,
    ),
    _figure(
        "3",
        "TCP throughput of a single station over d",
        f"One persistent download. {_BARS}",
        FIGURE_3,
    ),
    _figure(
        "4",
        "Collision probability of persistent downloads",
        "Share of all attempts, the access point's included; its share and the stations' are in "
        f"the table. {_BARS}",
        FIGURE_4,
    ),
    _figure(
        "5",
        "Aggregate throughput of persistent downloads",
        "The paper has d = 1; d = 2 is (12) for the same connections. Its third curve, the model "
        f"of its reference 19, is not given in it and left out. {_BARS}",
        FIGURE_5,
    ),
    _figure(
        "6",
        "Aggregate throughput of ten persistent downloads over d",
        f"n_c = 10. {_BARS}",
        FIGURE_6,
    ),
    _figure(
        "8",
        "Mean delay of web sessions over the number of stations",
        f"Files of 30 KB on average, think times of 10 s, 300 sessions per station. {_HEAVY}",
        FIGURE_8,
    ),
    _figure(
        "9",
        "Mean delay of web sessions over the think time",
        f"n = 11, W* = 1, Pareto. {_HEAVY}",
        FIGURE_9,
    ),
    _figure(
        "10",
        "Mean delay of web sessions over W*, with a buffer of 30 packets",
        f"n = 21, think times of 10 s, Pareto. {_BARS}",
        FIGURE_10,
    ),
    _figure(
        "11",
        "Mean delay of web sessions with delayed ACKs",
        f"W* = 1000, think times of 10 s, Pareto, timer of 40 ms. {_BARS}",
        FIGURE_11,
    ),
    _figure(
        "A2",
        "Contention per segment over W*",
        "One persistent download, d = 1. Simulated: L/S less the airtimes of a segment and an "
        f"acknowledgement. {_BARS}",
        FIGURE_A2,
    ),
    _figure(
        "A3",
        "TCP throughput of a single station over d, for two values of W*",
        "One persistent download. The model for W* = d is (A.3) with one acknowledgement for d "
        f"segments. {_BARS}",
        FIGURE_A3,
    ),
    FigureSpec(
        "table1",
        "Table 1 and section 2.3: parameters",
        "Ours: what the simulator and the model take from the standard. With the standard's RTS "
        "of 160 bits the model's throughput is 0.6% higher than as printed.",
        lambda _: set(),
        tables.parameters,
    ),
    FigureSpec(
        "table2",
        "Table 2: session delay of a single station",
        "Seconds. The interval is the one over the seeds; each run has 10,000 files, as the "
        "paper's one run has, and the lowest and highest mean of a run show what such a run is "
        "worth with Pareto's sizes.",
        tables.points_2,
        tables.table_2,
    ),
    FigureSpec(
        "table3",
        "Table 3: session delay of a single station with delayed ACKs",
        "Seconds; W* = 1000, timer of 40 ms. Runs with the same seed fetch the same files: the "
        "difference from d = 1 is taken run by run.",
        tables.points_3,
        tables.table_3,
    ),
)
"""All figures and tables that have numbers. Figures 7 and A.1 are diagrams of Markov chains."""
