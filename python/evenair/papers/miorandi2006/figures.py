"""Descriptions of the paper's figures and tables: simulations, charts and names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evenair.papers.figures import FigureSpec
from evenair.papers.miorandi2006 import charts, tables

if TYPE_CHECKING:
    from evenair.papers.miorandi2006.drawing import Chart
    from evenair.papers.miorandi2006.points import Effort, Point


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
        charts.FIGURE_1,
    ),
    _figure(
        "2",
        "Packet drop probability of backlogged nodes",
        "Line: P_C to the power of m = 7. Points: packets that the MAC gave up after seven "
        f"attempts; none is drawn where that never happened. {_BARS}",
        charts.FIGURE_2,
    ),
    _figure(
        "3",
        "TCP throughput of a single station over d",
        f"One persistent download. {_BARS}",
        charts.FIGURE_3,
    ),
    _figure(
        "4",
        "Collision probability of persistent downloads",
        "Share of all attempts, the access point's included; its share and the stations' are in "
        f"the table. {_BARS}",
        charts.FIGURE_4,
    ),
    _figure(
        "5",
        "Aggregate throughput of persistent downloads",
        "The paper has d = 1; d = 2 is (12) for the same connections. Its third curve, the model "
        f"of its reference 19, is not given in it and left out. {_BARS}",
        charts.FIGURE_5,
    ),
    _figure(
        "6",
        "Aggregate throughput of ten persistent downloads over d",
        f"n_c = 10. {_BARS}",
        charts.FIGURE_6,
    ),
    _figure(
        "8",
        "Mean delay of web sessions over the number of stations",
        f"Files of 30 KB on average, think times of 10 s, 300 sessions per station. {_HEAVY}",
        charts.FIGURE_8,
    ),
    _figure(
        "9",
        "Mean delay of web sessions over the think time",
        f"n = 11, W* = 1, Pareto. {_HEAVY}",
        charts.FIGURE_9,
    ),
    _figure(
        "10",
        "Mean delay of web sessions over W*, with a buffer of 30 packets",
        f"n = 21, think times of 10 s, Pareto. The paper ends at W* = 35. {_BARS}",
        charts.FIGURE_10,
    ),
    _figure(
        "11",
        "Mean delay of web sessions with delayed ACKs",
        f"W* = 1000, think times of 10 s, Pareto, timer of 40 ms. {_BARS}",
        charts.FIGURE_11,
    ),
    _figure(
        "A2",
        "Contention per segment over W*",
        "One persistent download, d = 1. Simulated: L/S less the airtimes of a segment and an "
        f"acknowledgement. {_BARS}",
        charts.FIGURE_A2,
    ),
    _figure(
        "A3",
        "TCP throughput of a single station over d, for two values of W*",
        "One persistent download. The model for W* = d is (A.3) with one acknowledgement for d "
        f"segments. {_BARS}",
        charts.FIGURE_A3,
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
    FigureSpec(
        "text",
        "Statements without a figure",
        "Runs for what the text says beside its figures. Pareto sizes; the ACK timer is 40 ms and "
        "the initial window d where nothing else is said.",
        tables.points_without_figure,
        tables.without_figure,
    ),
)
"""All figures and tables with numbers. Figures 7 and A.1 are diagrams of Markov chains."""
