"""The tables of the paper beside the simulated values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evenair import models
from evenair.papers.claims import number
from evenair.papers.figures import Table
from evenair.papers.miorandi2006 import quantities as q
from evenair.papers.miorandi2006.drawing import short
from evenair.papers.miorandi2006.points import (
    CURVES,
    WITHOUT_FIGURE,
    Downloads,
    Effort,
    Point,
    Shared,
    UpDown,
    Web,
)
from evenair.papers.miorandi2006.published import (
    SECTION_2_3,
    TABLE_1,
    TABLE_2,
    TABLE_2_ANALYTICAL,
    TABLE_3,
    Interval,
)
from evenair.statistics import Estimate, estimate

if TYPE_CHECKING:
    from collections.abc import Callable

    from evenair.papers.runs import Document, Runs


def _table(header: tuple[str, ...], rows: list[tuple[object, ...]]) -> tuple[None, Table]:
    text = [["" if cell is None else _text(cell) for cell in row] for row in rows]
    return None, Table(header, rows, ([name.replace("_", " ") for name in header], text))


def _text(cell: object) -> str:
    return short(cell) if isinstance(cell, float) else str(cell)


def parameters(runs: Runs[Point], effort: Effort) -> tuple[None, Table]:
    """Make Table 1, with the parameters in the text beside it."""
    cell = models.TABLE_1
    timing = cell.phy_timing
    ours = {
        "T_slot (us)": 1e6 * timing.slot_s,
        "T_SIFS (us)": 1e6 * timing.sifs_s,
        "T_DIFS (us)": 1e6 * timing.difs_s,
        "T_P + T_PHY (us)": 1e6 * cell.frame_s(0),
        "CW_min": cell.cw_min,
        "CW_max": timing.cw_max + 1,
        "m": cell.attempts,
        "gamma": cell.doublings,
        "R_data (Mb/s)": cell.resolved["data_rate"] / 1e6,
        "R_control (Mb/s)": cell.control_bps / 1e6,
        "L_TCP (bits)": cell.segment_bits,
        "L_IPH (bits)": 8 * cell.header,
        "L_MAC (bits)": 8 * cell.mac_overhead,
        "L_RTS (bits)": timing.RTS_BITS,
        "L_CTS (bits)": timing.CTS_BITS,
        "L_ACK (bits)": timing.ACK_BITS,
    }
    published = {**TABLE_1, **SECTION_2_3}
    rows: list[tuple[object, ...]] = [
        (name, f"{published[name]:g}", f"{value:g}") for name, value in ours.items()
    ]
    return _table(("parameter", "published", "ours"), rows)


_HEADER = (
    "case",
    "published",
    "published_low",
    "published_high",
    "mean_delay_s",
    "ci95",
    "lowest_run",
    "highest_run",
    "median_delay_s",
    "sessions",
)


def points_2(effort: Effort) -> set[Point]:
    """Return the configurations of Table 2."""
    return {point for _, point in CURVES["table2"](effort)}


def table_2(runs: Runs[Point], effort: Effort) -> tuple[None, Table]:
    """Make Table 2: W* = 1, W* far above 1, and (14)."""
    rows: list[tuple[object, ...]] = []
    for (window, published), (_, point) in zip(
        TABLE_2.items(), CURVES["table2"](effort), strict=True
    ):
        rows.append((f"W* = {window}", *_row(runs, point, published)))
    (_, point), *_ = CURVES["table2"](effort)
    exact = runs.estimate(point, q.model_mean_lone_delay_s).mean
    drawn = runs.estimate(point, q.model_lone_delay_s)
    none = (None,) * 4
    rows.append(("(14), mean over Pareto", TABLE_2_ANALYTICAL, None, None, exact, None, *none))
    rows.append(("(14), mean over our files", None, None, None, *drawn, *none))
    return _table(_HEADER, rows)


def points_3(effort: Effort) -> set[Point]:
    """Return the configurations of Table 3."""
    return {point for _, point in _table_3(effort)}


def _table_3(effort: Effort) -> list[tuple[str, Point]]:
    fixed = [(f"{d:g}", point) for d, point in CURVES["table3"](effort)]
    return [*fixed, *(("dynamic", point) for _, point in CURVES["table3-dynamic"](effort))]


def table_3(runs: Runs[Point], effort: Effort) -> tuple[None, Table]:
    """Make Table 3, and the dynamic scheme of the text below it."""
    rows: list[tuple[object, ...]] = []
    curve = _table_3(effort)
    base = curve[0][1]
    for name, point in curve:
        change = estimate(_paired(runs, point, base, q.mean_delay_s))
        text = "" if point == base else number(Estimate(*(1e3 * (v or 0) for v in change)), "ms")
        rows.append((f"d = {name}", *_row(runs, point, TABLE_3[name]), text))
    return _table((*_HEADER, "difference_from_d_1"), rows)


def _paired(
    runs: Runs[Point], point: Point, base: Point, quantity: Callable[[Document], float]
) -> list[float]:
    return [
        quantity(runs.documents[point, seed]) - quantity(runs.documents[base, seed])
        for seed in runs.seeds
    ]


def _row(runs: Runs[Point], point: Point, published: Interval) -> tuple[object, ...]:
    means = [q.mean_delay_s(runs.documents[point, seed]) for seed in runs.seeds]
    return (
        *published,
        *estimate(means),
        min(means),
        max(means),
        runs.estimate(point, q.median_delay_s).mean,
        runs.estimate(point, q.sessions).mean,
    )


def points_without_figure(effort: Effort) -> set[Point]:
    """Return the configurations of statements without a figure."""
    return {point for name in WITHOUT_FIGURE for _, point in CURVES[name](effort)}


def without_figure(runs: Runs[Point], effort: Effort) -> tuple[None, Table]:
    """Make the table of the statements without a figure."""
    rows: list[tuple[object, ...]] = []
    for name, (case, symbol) in WITHOUT_FIGURE.items():
        for x, point in CURVES[name](effort):
            persistent = not isinstance(point, Web)
            web = isinstance(point, (Web, Shared))
            tcp = isinstance(point, (Downloads, UpDown))
            goodput = runs.estimate(point, q.mbps) if persistent else (None, None)
            delay = runs.estimate(point, q.mean_delay_s) if web else (None, None)
            jain = runs.estimate(point, q.jain_index).mean if tcp else None
            at = f"{symbol} = {x:g}" if symbol else ""
            rows.append((case, at, *goodput, jain, *delay))
    header = ("case", "at", "goodput_mbps", "ci95", "jain_index", "mean_delay_s", "delay_ci95")
    return _table(header, rows)
