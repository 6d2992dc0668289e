"""The report: tables in Markdown, and a plot."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path


def log(text: str) -> None:
    """Print a progress message on standard error."""
    print(f"{time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)


def number(value: float, digits: int = 3) -> str:
    """Format a number with significant digits and a thousands separator."""
    if value == 0 or abs(value) >= 10**digits:
        return f"{value:,.0f}"
    return f"{value:.{digits}g}" if abs(value) < 1 else f"{float(f'{value:.{digits}g}'):g}"


def range_(values: dict[str, float]) -> str:
    """Format median, minimum and maximum."""
    return " | ".join(number(values[key]) for key in ("median", "min", "max"))


def table(head: list[str], rows: list[list[str]]) -> str:
    """Return a Markdown table; all columns but the first two are numbers."""
    rule = ["---" if i < 2 else "--:" for i in range(len(head))]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in [head, rule, *rows])


def markdown(report: dict[str, Any]) -> str:
    """Return the whole report as text."""
    parts = [f"# Benchmark of {report['date']}", "", machine_text(report["machine"]), ""]
    if report["quick"]:
        parts += ["**Quick run: it only tests the harness; ignore its numbers.**", ""]
    parts += [f"Left out: {reason}.\n" for reason in report["left_out"]]
    if report["cells"]:
        parts += [
            "## The same cell in each simulator",
            "",
            "Time is in ms per simulated second: of the engine alone for evenair, of the whole",
            "process for the others (their start is a small part of it). Ratios are the speed of",
            "evenair over that of the tool in the row, by engine and by whole process.",
            "",
            cell_table(report["cells"]),
            "",
            "## Do they agree?",
            "",
            "Throughput over the same simulated time: TCP's goodput, UDP's payload, and for web",
            "users that of a transfer, from SYN to last ACK.",
            "",
            agreement_table(report["cells"]),
            "",
        ]
    if rows := report.get("process"):
        parts += [
            "## Whole processes",
            "",
            "The baseline, 300 s, long preamble. The bars are 0.35 s and 90 MB, and 20 MB without",
            "Python. Memory is the peak resident set, libraries included; it cannot resolve values",
            "below 10 MB.",
            "",
            table(
                ["command", "of", "s", "min", "max", "MB"],
                [
                    [row["command"], "baseline", range_(row["process_s"]), number(row["memory_mb"])]
                    for row in rows
                ],
            ),
            "",
        ]
    if single := report.get("campaign"):
        parts += ["## Campaign", "", campaign_text(single), ""]
    if rows := report.get("growth"):
        parts += [
            "## Growth",
            "",
            "Engine time per frame on the air, collided frames included, with saturated stations.",
            "The bar is a ratio of 2 at 1000 stations.",
            "",
            table(
                ["stations", "collided", "ns per frame", "min", "max", "ratio", "ns per delivered"],
                [
                    [
                        str(row["stations"]),
                        f"{row['collided']:.0%}",
                        range_(row["ns_per_frame"]),
                        number(row["ratio"]),
                        number(row["ns_per_delivered"]["median"]),
                    ]
                    for row in rows
                ],
            ),
            "",
        ]
    if rows := report.get("threads"):
        parts += [
            "## Threads",
            "",
            "Runs of the baseline, 300 s each, in one process. The bar is 1.8 with two threads.",
            "",
            table(
                ["threads", "runs per second", "min", "max", "speed-up"],
                [
                    [
                        str(row["threads"]),
                        range_(row["runs_per_s"]),
                        number(row["speedup"]["median"]),
                    ]
                    for row in rows
                ],
            ),
            "",
        ]
    return "\n".join(parts)


def machine_text(machine: dict[str, Any]) -> str:
    """Describe the machine in one paragraph."""
    versions = ", ".join(f"{name} {version}" for name, version in machine["versions"].items())
    return (
        f"{machine['cpu']}, {machine['cpus']} processors, {machine['system']}; {versions}. "
        f"Load average before and after: {machine['load_before']:.2f}, {machine['load_after']:.2f}."
    )


def cell_table(rows: list[dict[str, Any]]) -> str:
    """Return the table of timings."""
    head = ["scenario", "tool", "simulated s", "runs", "ms/s", "min", "max", "process s"]
    head += ["events/s", "MB", "ratio, engine", "ratio, process"]
    out = []
    for row in rows:
        if "failed" in row:
            out.append([row["title"], row["tool"], *[""] * 9, row["failed"]])
            continue
        # Do not report the speed of a wrong result.
        wrong = "agreement" in row and not row["agreement"]["agrees"]
        ratios = [
            (f"({number(row[key])}: do not agree)" if wrong else number(row[key]))
            if key in row
            else ""
            for key in ("ratio_engine", "ratio_process")
        ]
        out.append(
            [
                row["title"],
                row["tool"],
                number(row["simulated_s"]),
                str(row["runs"]),
                range_(row["ms_per_simulated_s"]),
                number(row["process_s"]["median"]),
                number(row["events_per_s"]) if "events_per_s" in row else "",
                number(row["memory_mb"]),
                *ratios,
            ]
        )
    return table(head, out)


def agreement_table(rows: list[dict[str, Any]]) -> str:
    """Return the table of throughputs."""
    head = ["scenario", "with", "its Mb/s", "evenair's Mb/s", "difference", "allowed", "agrees"]
    out = []
    for row in rows:
        if "agreement" in row:
            it = row["agreement"]
            out.append(
                [
                    row["title"],
                    row["tool"],
                    f"{row['goodput_mbps']:.4f}",
                    f"{it['evenair_mbps']:.4f}",
                    f"{it['difference']:+.2%}",
                    f"{it['tolerance']:.0%}",
                    "yes" if it["agrees"] else "**no**",
                ]
            )
    return table(head, out)


def campaign_text(single: dict[str, Any]) -> str:
    """Describe the duration of the campaign."""
    if "failed" in single:
        return f"Not measured: {single['failed']}."
    text = (
        f"`evenair paper gong2006 --figure 4a --figure 4b`, {single['runs']} runs and the report, "
        f"{single['threads']} threads: {number(single['process_s']['median'])} s "
        f"({number(single['process_s']['min'])} to {number(single['process_s']['max'])}), "
        f"{number(single['memory_mb'])} MB."
    )
    for tool, seconds in single.get("extrapolated_s", {}).items():
        text += (
            f" {tool} would take {number(seconds / 60)} minutes for as many runs of the baseline, "
            "with a process on each processor: extrapolated from its row above, not run."
        )
    return text


def plot(report: dict[str, Any], path: Path) -> None:
    """Draw time per simulated second of each tool and scenario, on a logarithmic axis."""
    import matplotlib as mpl

    mpl.use("agg")
    import matplotlib.pyplot as plt

    rows = [row for row in report["cells"] if "failed" not in row]
    titles = list(dict.fromkeys(row["title"] for row in report["cells"]))
    styles = {
        "ns-3": ("0.85", "//", "ns-3"),
        "ns-2": ("0.6", "", "ns-2"),
        "evenair as ns-3": ("0.35", "//", "evenair (engine), ns-3's cell"),
        "evenair as ns-2": ("0.1", "", "evenair (engine), ns-2's cell"),
    }
    present = [tool for tool in styles if any(row["tool"] == tool for row in rows)]
    figure, axes = plt.subplots(figsize=(8, 1.2 + 1.1 * len(titles)), layout="constrained")
    height = 0.8 / len(present)
    for row in rows:
        colour, hatch, label = styles[row["tool"]]
        at = titles.index(row["title"]) - 0.4 + height * (present.index(row["tool"]) + 0.5)
        time_ms = row["ms_per_simulated_s"]
        middle = time_ms["median"]
        error = [[middle - time_ms["min"]], [time_ms["max"] - middle]]
        axes.barh(
            at, middle, height, xerr=error, color=colour, hatch=hatch, edgecolor="black",
            linewidth=0.6, error_kw={"linewidth": 0.8, "capsize": 2, "ecolor": "0.4"}, label=label,
        )  # fmt: skip
        text = f"{number(middle)} ms"
        if "ratio_engine" in row:
            agrees = row["agreement"]["agrees"]
            text += f" ({number(row['ratio_engine'])}×)" if agrees else " (does not agree)"
        axes.annotate(
            text, (time_ms["max"], at), (5, 0), textcoords="offset points", va="center", fontsize=8
        )
    axes.set_xscale("log")
    low, high = axes.get_xlim()
    axes.set_xlim(low, high * 25)
    axes.set_yticks(range(len(titles)), titles)
    axes.invert_yaxis()
    axes.set_xlabel("Wall time per simulated second (ms), median, minimum and maximum")
    handles, labels = axes.get_legend_handles_labels()
    first = {label: handle for handle, label in zip(handles, labels, strict=True)}
    order = [styles[tool][2] for tool in present if styles[tool][2] in first]
    figure.legend(
        [first[label] for label in order], order, loc="outside upper center", ncols=2, fontsize=9
    )
    axes.grid(axis="x", linewidth=0.4, color="0.8")
    axes.set_axisbelow(True)
    figure.savefig(path, dpi=150)
