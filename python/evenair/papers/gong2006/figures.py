"""Descriptions of the paper's figures: simulations, drawing functions and names."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from evenair.papers.curves import from_zero
from evenair.papers.figures import FigureSpec
from evenair.papers.gong2006 import drawing, quantities
from evenair.papers.gong2006.cells import (
    AXES,
    BUFFER,
    SCHEMES,
    SMALL_BUFFER,
    Axis,
    Cell,
    Effort,
    sweep,
)

if TYPE_CHECKING:
    from collections.abc import Iterable


def _curves(schemes: Iterable[str], axis: Axis, effort: Effort) -> set[Cell]:
    return {cell for scheme in schemes for _, cell in sweep(scheme, effort, axis)}


def _at_sixty(schemes: Iterable[str], effort: Effort) -> set[Cell]:
    return {Cell(scheme, BUFFER) for scheme in schemes}


def _all_variants(effort: Effort) -> set[Cell]:
    by_bytes = {cell for axis in AXES for _, cell in sweep("las", effort, axis, "bytes")}
    late = {Cell("las", BUFFER, case=case) for case in ("late", "catching-up")}
    marking = {
        Cell(scheme, SMALL_BUFFER, case=case)
        for scheme in ("spm-tail", "spm-head")
        for case in ("paper", "unmarked")
    }
    base = _curves(["droptail"], "buffer", effort)
    return base | by_bytes | late | marking | {cell for _, cell in drawing.VARIANTS}


_BUFFER_LABEL = "Buffer size (packets)"
_DOWN_LABEL = "Number of downstream flows"

FIGURES: tuple[FigureSpec[Cell, Effort], ...] = (
    FigureSpec(
        "2",
        "Throughput of upstream and downstream flows under DropTail",
        "Five upstream and five downstream flows. Lines: mean of a direction, with its 95% "
        "interval over the seeds. Small marks: each flow's own mean.",
        partial(_curves, ["droptail"], "buffer"),
        drawing.per_flow_throughput,
    ),
    FigureSpec(
        "3",
        "Congestion windows under DropTail, buffer of 60 packets",
        "One upstream and one downstream flow, sampled each second, first seed.",
        partial(_at_sixty, ["droptail"]),
        partial(drawing.windows, schemes=["droptail"]),
    ),
    FigureSpec(
        "4a",
        "Aggregate throughput of ten flows",
        "Five upstream and five downstream flows. Bars: 95% interval over the seeds.",
        partial(_curves, SCHEMES, "buffer"),
        partial(
            drawing.four_schemes,
            axis="buffer",
            quantity=quantities.aggregate_mbps,
            name="aggregate_mbps",
            x_label=_BUFFER_LABEL,
            y_label="Aggregate throughput (Mb/s)",
            limits=drawing.throughput_limits,
            printed=drawing.table_1_points(sum),
        ),
    ),
    FigureSpec(
        "4b",
        "Fairness index of ten flows",
        "Five upstream and five downstream flows. Bars: 95% interval over the seeds. LAS counts "
        "service in sequence numbers, which was chosen because it makes LAS fair; by bytes see "
        "the variants.",
        partial(_curves, SCHEMES, "buffer"),
        partial(
            drawing.four_schemes,
            axis="buffer",
            quantity=quantities.jain,
            name="jain_index",
            x_label=_BUFFER_LABEL,
            y_label="Jain's fairness index",
            limits=drawing.index_limits,
            printed=drawing.table_1_points(drawing.jain_index),
        ),
    ),
    FigureSpec(
        "5",
        "Packet loss ratio at the bottleneck buffer",
        "Discarded over arrived packets; ACKs that SPM-AF filters out count as discarded. Bars: "
        "95% interval over the seeds.",
        partial(_curves, SCHEMES, "buffer"),
        partial(
            drawing.four_schemes,
            axis="buffer",
            quantity=quantities.loss_ratio,
            name="loss_ratio",
            x_label=_BUFFER_LABEL,
            y_label="Packet loss ratio",
            limits=from_zero,
        ),
    ),
    FigureSpec(
        "6",
        "What the queue holds, buffer of 60 packets",
        "ACKs and data packets in the bottleneck queue, sampled each second, first seed.",
        partial(_at_sixty, SCHEMES),
        drawing.queue_contents,
    ),
    FigureSpec(
        "7",
        "Congestion windows under LAS and SPM-AF tail filtering, buffer of 60 packets",
        "One upstream and one downstream flow, sampled each second, first seed.",
        partial(_at_sixty, SCHEMES),  # claims compare all four
        partial(drawing.windows, schemes=["las", "spm-tail"]),
    ),
    FigureSpec(
        "8a",
        "Aggregate throughput of one upstream and N downstream flows",
        "Buffer of 60 packets. Bars: 95% interval over the seeds.",
        partial(_curves, SCHEMES, "down"),
        partial(
            drawing.four_schemes,
            axis="down",
            quantity=quantities.aggregate_mbps,
            name="aggregate_mbps",
            x_label=_DOWN_LABEL,
            y_label="Aggregate throughput (Mb/s)",
            limits=drawing.throughput_limits,
        ),
    ),
    FigureSpec(
        "8b",
        "Fairness index of one upstream and N downstream flows",
        "Buffer of 60 packets. Bars: 95% interval over the seeds.",
        partial(_curves, SCHEMES, "down"),
        partial(
            drawing.four_schemes,
            axis="down",
            quantity=quantities.jain,
            name="jain_index",
            x_label=_DOWN_LABEL,
            y_label="Jain's fairness index",
            limits=drawing.index_limits,
        ),
    ),
    FigureSpec(
        "table1",
        "Table I: throughput of each flow under SPM-AF, buffer of 60 packets",
        "Mb/s, with the 95% interval over the seeds, beside the published numbers.",
        partial(_at_sixty, ["spm-tail", "spm-head"]),
        drawing.flow_table,
    ),
    FigureSpec(
        "variants",
        "SPM-AF and LAS taken apart, buffer of 60 packets",
        "Not in the paper. Five upstream and five downstream flows, with the 95% interval over "
        "the seeds. Unmarked: senders mark no crucial packets. Per ACK: the window grows by ACKs, "
        "not by the segments that they acknowledge. By bytes: LAS counts the bytes that a flow "
        "has queued. The window is the mean in the first fifth of the run. The claims also use "
        "LAS by bytes at all buffer sizes, LAS with a download that starts late, and SPM-AF "
        "unmarked at 20 packets.",
        _all_variants,
        drawing.variant_table,
    ),
)
"""All figures and the table, in the order of the paper, and a table of our own."""
