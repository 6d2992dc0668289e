"""Draw docs/images/{bbr,bbr1,cubic,dctcp,prague}.svg, with their data beside them.

Each is one download over a wire, from its start on. Run it as
`.venv/bin/python docs/images/congestion_controls.py [FOLDER]`; `make pictures` does.
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import evenair as ea
import matplotlib as mpl
from evenair.plot.style import Line, legend_over, new_figure, styled, write_figure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

Row = dict[str, Any]

SEGMENT, PACKET = 1460, 1500
"""Bytes of a full segment, and of its packet."""

LONG = {
    "rate": "10 Mbps",
    "delay": "50 ms",
    "queue": {"kind": "droptail", "limit": 83},
}
"""A path of a bandwidth-delay product of 83 packets, with a queue of one product."""

SHORT = {"rate": "40 Mbps", "delay": "10 ms"}
"""One of 67 packets."""

STEP = "3 ms"
"""Marks of DCTCP's queue: a seventh of the round-trip time (Alizadeh et al. 2010, section 3.4)."""

CASES: dict[str, dict[str, Any]] = {
    "cubic": {"wired": LONG, "duration": "30 s", "trace": {"interval": "100 ms"}},
    "bbr": {"wired": LONG, "duration": "12 s", "trace": {"interval": "50 ms"}},
    "bbr1": {"wired": LONG, "duration": "14 s", "trace": {"interval": "50 ms"}},
    "dctcp": {
        "wired": SHORT | {"queue": {"kind": "codel", "limit": 1000, "ce_threshold": STEP}},
        "duration": "3 s",
        "trace": {"interval": "10 ms"},
    },
    "prague": {
        "wired": SHORT | {"queue": {"kind": "dualpi2", "limit": 1000}},
        "duration": "3 s",
        "trace": {"interval": "10 ms"},
    },
}
"""What the scenario of each congestion control has besides its flow."""

FIRST = Line("", "#000000", "-", "")
SECOND = Line("", "#D55E00", "--", "")


def scenario(control: str) -> ea.Scenario:
    """Return the scenario of a figure."""
    flow = {
        "direction": "down",
        "transport": control,
        "window": 2000,
        "tcp": "linux",
        **({"ecn": "accecn"} if control in ("dctcp", "prague") else {}),
    }
    cell = {"phy": "802.11ac"}
    return ea.Scenario(cell=cell, station=[{"flows": [flow]}], **CASES[control])


def data(control: str) -> list[Row]:
    """Return what the scenario's series has of cwnd and of the control itself."""
    series = ea.run(scenario(control)).document["series"]
    flow = series["flows"]["down-1"]
    names = [
        name
        for name in ("cwnd", "state", "bandwidth_bps", "min_rtt_s", "pacing_gain", "alpha")
        if name in flow
    ]
    columns = [series["time_s"], *(flow[name] for name in names)]
    return [dict(zip(("time_s", *names), row, strict=True)) for row in zip(*columns, strict=True)]


def write(rows: Sequence[Row], path: Path) -> None:
    """Write data as CSV, with six digits."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(rows[0])
        for row in rows:
            writer.writerow(
                f"{cell:.6g}" if isinstance(cell, float) else cell for cell in row.values()
            )


def read(path: Path) -> list[Row]:
    """Read what `write` has written."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return [
        {
            name: cell if name == "state" else float(cell) if cell else None
            for name, cell in row.items()
        }
        for row in rows
    ]


def column(rows: Sequence[Row], name: str) -> list[Any]:
    """Return a column of the data."""
    return [row[name] for row in rows]


def spans(rows: Sequence[Row]) -> list[tuple[str, float, float]]:
    """Return the states in their order, each with its first and last time."""
    found: list[tuple[str, float, float]] = []
    before = 0.0
    for state, time in zip(column(rows, "state"), column(rows, "time_s"), strict=True):
        if found and found[-1][0] == state:
            found[-1] = (state, found[-1][1], time)
        else:
            found.append((state, before, time))
        before = time
    return found


def draw_rate(axes: Axes, rows: Sequence[Row]) -> None:
    """Draw the pacing rate and the estimate of the bandwidth."""
    times = column(rows, "time_s")
    known = [row["bandwidth_bps"] or float("nan") for row in rows]
    paced = [row["pacing_gain"] * bps / 1e6 for row, bps in zip(rows, known, strict=True)]
    axes.plot(times, paced, **FIRST.keywords() | {"label": "pacing gain × bandwidth"})
    estimate = [bps / 1e6 for bps in known]
    axes.plot(times, estimate, **SECOND.keywords() | {"label": "bandwidth, estimated"})
    capacity = 10 * SEGMENT / PACKET
    axes.axhline(capacity, color="#777777", ls=":", label="capacity of the path")
    axes.set_ylabel("rate (Mb/s)")
    for state, begin, end in spans(rows):
        if state in ("Startup", "ProbeRTT"):
            axes.axvspan(begin, end, facecolor="#dddddd", edgecolor="none", zorder=0)
            is_short = end - begin < 0.5
            axes.text(
                (begin + end) / 2 if is_short else begin + 0.05,
                0.97,
                state,
                rotation=90,
                ha="center" if is_short else "left",
                va="top",
                transform=axes.get_xaxis_transform(),
            )


def draw_cwnd(axes: Axes, rows: Sequence[Row]) -> None:
    """Draw the window."""
    axes.plot(column(rows, "time_s"), column(rows, "cwnd"), **FIRST.keywords() | {"label": "cwnd"})
    axes.set_ylabel("cwnd (segments)")


def draw_alpha(axes: Axes, rows: Sequence[Row]) -> None:
    """Draw the smoothed share of marked segments."""
    axes.plot(
        column(rows, "time_s"), column(rows, "alpha"), **SECOND.keywords() | {"linestyle": "-"}
    )
    axes.set_ylabel("α")


def product(control: str) -> float:
    """Return the bandwidth-delay product of the path of a figure, packets."""
    wired = CASES[control]["wired"]
    rate, delay = (float(wired[key].split()[0]) for key in ("rate", "delay"))
    return rate * 1e6 * 2 * delay * 1e-3 / (8 * PACKET)


def draw(control: str, rows: Sequence[Row], path: Path) -> None:
    """Draw the data of a congestion control."""
    panels = [draw_cwnd]
    if "state" in rows[0]:
        panels.insert(0, draw_rate)
    if "alpha" in rows[0]:
        panels.append(draw_alpha)
    with styled(), mpl.rc_context({"path.simplify": False}):  # each sample is in the picture
        figure, axes = new_figure(1, len(panels), panel=(6.4, 1.9 if len(panels) > 1 else 2.4))
        for panel, draw_panel in zip(axes, panels, strict=True):
            draw_panel(panel, rows)
            if draw_panel is draw_cwnd:
                label = "bandwidth-delay product"
                panel.axhline(product(control), color="#777777", ls=":", label=label)
            panel.set_ylim(bottom=0)
            panel.set_xlim(0, rows[-1]["time_s"])
            legend_over(panel)
        axes[-1].set_xlabel("time (s)")
        write_figure(figure, path)


def main(folder: Path) -> None:
    """Write the figures and their data to `folder`."""
    for control in CASES:
        rows = data(control)
        write(rows, folder / f"{control}.csv")
        draw(control, read(folder / f"{control}.csv"), folder / f"{control}.svg")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
