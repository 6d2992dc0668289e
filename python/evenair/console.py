"""What people see: tables and progress bars. rich is imported with this module."""

from __future__ import annotations

import json
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rich import box
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
    TimeRemainingColumn,
)
from rich.table import Table
from rich.text import Text

from evenair.result import RunSet
from evenair.statistics import Estimate, estimate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from evenair.result import RunResult
    from evenair.scenario import Scenario


class _Rate(ProgressColumn):
    """How many are done per second."""

    def render(self, task: Task) -> Text:
        speed = task.finished_speed or task.speed
        return Text("" if speed is None else f"{speed:.1f}/s")


@contextmanager
def progress_bar(what: str) -> Iterator[Callable[[int, int], None]]:
    """Show a bar on standard error; yields the function that is told (done, total)."""
    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), _Rate(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(what, total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)


def show_result(result: RunResult | RunSet) -> None:
    """Print a table of the flows and, below it, what sums the runs up."""
    runs = result.runs if isinstance(result, RunSet) else (result,)
    summary = RunSet(runs).summary
    console = open_console()
    console.print(_flows(runs))
    console.print("  ".join(_totals(summary)))
    simulated = sum(run.duration_s for run in runs)
    wall = sum(run.wall_s for run in runs)
    spread = "; means over the runs ± 95% confidence intervals" if len(runs) > 1 else ""
    console.print(
        f"{_which(runs)}: {simulated:g} s simulated,"
        f" {simulated / wall:,.0f} times as fast as real time{spread}"
    )


def show_scenarios(scenarios: Iterable[tuple[str, Scenario]]) -> None:
    """Print the names of scenarios and what they are."""
    table = new_table("scenario", "what it is")
    for name, scenario in scenarios:
        table.add_row(name, scenario.name)
    open_console().print(table)


def show_parts(parts: Sequence[Mapping[str, Any]]) -> None:
    """Print parts, grouped by their kind, with their parameters."""
    console = open_console()
    for kind in dict.fromkeys(part["kind"] for part in parts):
        console.print(kind.upper())
        for part in parts:
            if part["kind"] == kind:
                console.print(f"  {part['name']}: {part['summary']} [{part['source']}]")
                for parameter in part["parameters"]:
                    console.print(f"      {_parameter(parameter)}")
        console.print()


def show_claims(report: Path) -> None:
    """Print which of the claims in a report's folder do not hold and why, and how many do."""
    from evenair.papers.report import summarise

    claims = json.loads((report / "claims.json").read_text(encoding="utf-8"))
    console = open_console()
    for claim in claims:
        if not claim["holds"]:
            console.print(f"{claim['id']} does not hold ({claim['where']}): {claim['statement']}")
            console.print(f"    {claim['reason']}")
    summary = summarise([claim["holds"] for claim in claims])
    console.print(f"{summary}; see {report / 'report.html'}")


def _parameter(parameter: Mapping[str, Any]) -> str:
    """Say what a parameter is, in a line."""
    name, default = parameter["name"], parameter["default"]
    # A distribution's default is TOML already.
    is_table = isinstance(default, str) and default.startswith("{")
    shown = default if is_table else json.dumps(default)
    return f"{name} = {shown}: {parameter['meaning']} ({parameter['accepts']})"


def _flows(runs: Sequence[RunResult]) -> Table:
    """Tabulate the means over the runs; only goodput has room for its interval at 80 columns."""
    table = new_table("flow", "station", "direction", "transport")
    for heading in ("goodput\n(Mb/s)", "RTT\n(ms)", "retrans-\nmissions", "timeouts"):
        table.add_column(heading, justify="right")
    counts = ".0f" if len(runs) == 1 else ".1f"
    for k, flow in enumerate(runs[0].document["flows"]):

        def of(key: str, scale: float = 1.0, *, k: int = k) -> Estimate | None:
            sample = [run.document["flows"][k].get(key) for run in runs]
            return None if None in sample else estimate([value * scale for value in sample])

        table.add_row(
            flow["id"],
            flow["station"],
            flow["direction"],
            flow["transport"],
            with_interval(of("goodput_bps", 1e-6), ".3f"),
            mean_alone(of("mean_rtt_s", 1e3), ".1f"),
            mean_alone(of("retransmissions"), counts),
            mean_alone(of("timeouts"), counts),
        )
    return table


def _totals(summary: Mapping[str, Estimate]) -> Iterator[str]:
    shown = (
        ("aggregate", "aggregate_goodput_bps", 1e-6, ".3f", " Mb/s"),
        ("Jain's index", "jain_index", 1.0, ".3f", ""),
        ("AP queue loss", "ap_queue_loss_ratio", 100.0, ".2f", "%"),
        ("mean AP queue", "ap_queue_mean_packets", 1.0, ".1f", " packets"),
        ("mean session", "mean_session_s", 1.0, ".4f", " s"),
    )
    for label, name, scale, form, unit in shown:
        if name in summary:
            mean, ci95 = summary[name]
            scaled = Estimate(mean * scale, None if ci95 is None else ci95 * scale)
            yield f"{label} {with_interval(scaled, form)}{unit}"


def with_interval(metric: Estimate | None, form: str) -> str:
    """Return a mean and its 95% interval's half-width, if it has one; "-" for None."""
    if metric is None:
        return "-"
    spread = "" if metric.ci95 is None else f" ± {metric.ci95:{form}}"
    return f"{metric.mean:{form}}{spread}"


def mean_alone(metric: Estimate | None, form: str) -> str:
    """Return a mean without its interval; "-" for None."""
    return "-" if metric is None else f"{metric.mean:{form}}"


def _which(runs: Sequence[RunResult]) -> str:
    first, last = runs[0].seed, runs[-1].seed
    return (
        f"1 run, seed {first}" if len(runs) == 1 else f"{len(runs)} runs, seeds {first} to {last}"
    )


def new_table(*columns: str) -> Table:
    """Return a table with these headings, which fits into 80 columns where it can."""
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    for column in columns:
        table.add_column(column)
    return table


def open_console() -> Console:
    """Return a console that prints names as they are and, on a pipe, lines as long as they are."""
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="replace")
    width = None if sys.stdout.isatty() else 10_000
    return Console(width=width, markup=False, highlight=False, emoji=False, soft_wrap=True)
