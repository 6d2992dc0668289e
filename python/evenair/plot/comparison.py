"""The plot of a comparison. Importing this module imports matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from matplotlib.ticker import FuncFormatter

from evenair.plot.style import Line, legend_above, literal, new_figure, styled
from evenair.text.labels import metric as label_of
from evenair.text.messages import downlink_sender

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from evenair.statistics import Estimate

_COLUMNS = (
    Line("", "#0072B2", "-", "o"),
    Line("", "#D55E00", "--", "s", filled=False),
    Line("", "#777777", ":", "^"),
)
"""The bars and markers of the columns, which also differ in grey."""
_RATES = ("aggregate_goodput_bps", "mean_up_goodput_bps", "mean_down_goodput_bps")
_WIDTH = 0.26


class Compared(Protocol):
    """What is drawn of a Comparison."""

    scenario: Mapping[str, Any]

    @property
    def title(self) -> str:
        """What is compared."""

    @property
    def columns(self) -> list[str]:
        """The names of what is compared, the reference first."""

    @property
    def main(self) -> list[str]:
        """The metrics whose differences are drawn."""

    def estimate(self, column: str, metric: str) -> Estimate | None:
        """Return the mean of a column's runs."""

    def difference(self, column: str, metric: str) -> Any:
        """Return the Difference from the reference."""


def plot_comparison(comparison: Compared) -> Figure:
    """Draw goodputs and Jain's index of each column and, if there are two, their differences."""
    with styled():
        two = len(comparison.columns) == 2
        widths = (3, 1, 3.2) if two else (3, 1)
        figure, panels = new_figure(len(widths), panel=(3.1, 3.4), widths=widths)
        rates = [name for name in _RATES if name in comparison.main]
        _draw_bars(panels[0], comparison, rates)
        panels[0].set_ylabel("goodput (Mb/s)")
        panels[0].set_ylim(bottom=0)
        _draw_bars(panels[1], comparison, ["jain_index"])
        panels[1].set_ylim(0, 1.05)
        if two:
            _draw_differences(panels[2], comparison)
        legend_above(figure, panels[0], len(comparison.columns), literal(comparison.title))
    return figure


def _draw_bars(axes: Axes, comparison: Compared, metrics: Sequence[str]) -> None:
    columns = comparison.columns
    for k, column in enumerate(columns):
        known = [
            (x, mean)
            for x, name in enumerate(metrics)
            if (mean := comparison.estimate(column, name)) is not None
        ]
        scales = [label_of(metrics[x]).scale for x, _ in known]
        half = [(mean.ci95 or 0.0) * scale for (_, mean), scale in zip(known, scales, strict=True)]
        axes.bar(
            [x + (k - (len(columns) - 1) / 2) * _WIDTH for x, _ in known],
            [mean.mean * scale for (_, mean), scale in zip(known, scales, strict=True)],
            _WIDTH,
            yerr=half if any(half) else None,
            **_COLUMNS[k % len(_COLUMNS)].bars() | {"label": literal(column)},
        )
    axes.set_xticks(
        range(len(metrics)), [label_of(name).text.replace(" ", "\n", 1) for name in metrics]
    )
    axes.set_xlim(-0.6, len(metrics) - 0.4)
    axes.grid(visible=False, axis="x")
    axes.tick_params(axis="x", length=0)


def _draw_differences(axes: Axes, comparison: Compared) -> None:
    """Draw each difference with its interval, in percent of the reference's mean."""
    reference, column = comparison.columns
    found = ((name, comparison.difference(column, name)) for name in comparison.main)
    changes = [(name, change) for name, change in found if change and change.relative is not None]
    sender = downlink_sender({"scenario": comparison.scenario})
    if changes and max(abs(change.relative) for _, change in changes) > 10:
        # Before anything is drawn: the margins are those of the scale.
        axes.set_xscale("symlog", linthresh=100)
        axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))
    axes.axvline(0, color="black", linewidth=0.8)
    for y, (_, change) in enumerate(changes):
        percent = 100 * change.relative
        half = 0.0 if not change.value else abs((change.ci95 or 0.0) / change.value * percent)
        axes.errorbar(
            percent,
            y,
            xerr=half or None,
            color="black",
            marker="o",
            markerfacecolor="black" if change.clear else "white",
            capsize=2.5,
            linestyle="none",
        )
    axes.set_yticks(range(len(changes)), [label_of(name, sender).text for name, _ in changes])
    axes.set_ylim(len(changes) - 0.5, -0.5)
    axes.set_xlabel(literal(f"difference, % of {reference}"))
