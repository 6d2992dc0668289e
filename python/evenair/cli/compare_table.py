"""The table that `evenair compare` prints. Importing this module imports rich."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evenair.cli.console import new_table, open_console, scaled, with_interval

if TYPE_CHECKING:
    from evenair.compare import Comparison, Difference

_ROWS = {
    "aggregate_goodput_bps": ("total goodput (Mb/s)", 1e-6, ".3f"),
    "mean_up_goodput_bps": ("mean upload (Mb/s)", 1e-6, ".3f"),
    "mean_down_goodput_bps": ("mean download (Mb/s)", 1e-6, ".3f"),
    "jain_index": ("Jain's index", 1.0, ".3f"),
    "jain_airtime": ("Jain's index of airtime", 1.0, ".3f"),
    "mean_rtt_s": ("mean RTT (ms)", 1e3, ".1f"),
    "mean_session_s": ("mean session (s)", 1.0, ".3f"),
    "ap_queue_loss_ratio": ("AP queue loss (%)", 100.0, ".2f"),
    "ap_queue_mean_packets": ("mean AP queue (packets)", 1.0, ".1f"),
    "ap_queue_mean_delay_s": ("mean AP queue delay (ms)", 1e3, ".1f"),
    "limiter_mean_rate_bps": ("mean rate of the limiter (Mb/s)", 1e-6, ".3f"),
    "limiter_lossy_rounds": ("rounds with losses", 1.0, ".1f"),
}


def print_comparison(comparison: Comparison) -> None:
    """Print a row for each metric, a column for each engine and for each difference."""
    first, *others = comparison.engines
    table = new_table("")
    for engine in comparison.engines:
        table.add_column(engine, justify="right")
    for engine in others:
        table.add_column(f"{engine} - {first}", justify="right")
    for metric in comparison.metrics:
        label, scale, form = _ROWS[metric]
        means = [comparison.estimate(engine, metric) for engine in comparison.engines]
        changes = [comparison.difference(engine, metric) for engine in others]
        table.add_row(
            label,
            *(with_interval(mean and scaled(mean, scale), form) for mean in means),
            *(_change(change, scale, form) for change in changes),
        )
    console = open_console()
    console.print(table)
    console.print("Intervals are 95%; without one there was a single run.")


def _change(change: Difference | None, scale: float, form: str) -> str:
    if change is None:
        return "-"
    spread = "" if change.ci95 is None else f" ± {change.ci95 * scale:{form}}"
    share = "" if change.relative is None else f" ({change.relative:+.1%})"
    return f"{change.value * scale:+{form}}{spread}{share}"
