"""Draws the figures and makes the tables of their data."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from matplotlib.ticker import MaxNLocator

from evenair.papers.claims import number
from evenair.papers.curves import Printed, from_zero, published, with_bars
from evenair.papers.figures import Table
from evenair.papers.miorandi2006.points import CURVES, Effort, Point
from evenair.plot.style import Line, legend_above, new_figure, styled
from evenair.statistics import Estimate

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from matplotlib.figure import Figure

    from evenair.papers.runs import Document, Runs


@dataclass(frozen=True)
class Simulated:
    """A simulated curve."""

    curve: str
    """A name of points.CURVES."""
    line: Line
    quantity: Callable[[Document], float]
    model: Callable[[Document], float] | None = None
    """The model's value at the same points, for the table."""


@dataclass(frozen=True)
class Modelled:
    """A curve of the model on its own grid."""

    line: Line
    grid: Callable[[Effort], Sequence[float]]
    values: Callable[[Sequence[float]], Sequence[float]]


@dataclass(frozen=True)
class Axis:
    """An axis of a figure."""

    label: str
    column: str
    """The heading in the table."""
    log: bool = False
    limits: tuple[float | None, float | None] = (None, None)
    ticks: tuple[float, ...] = ()
    """Positions of the ticks; empty: automatic."""


@dataclass(frozen=True)
class Chart:
    """A figure: simulated curves, curves of the model, and the axes."""

    x: Axis
    y: Axis
    simulated: tuple[Simulated, ...]
    modelled: tuple[Modelled, ...] = ()
    printed: Printed | None = None
    """Points that the paper prints as numbers."""
    extra: tuple[tuple[str, Callable[[Document], float]], ...] = field(default=())
    """Further columns of the table: means over the seeds."""

    def points(self, effort: Effort) -> set[Point]:
        """Return the configurations to simulate."""
        return {point for drawn in self.simulated for _, point in CURVES[drawn.curve](effort)}

    def draw(self, runs: Runs[Point], effort: Effort) -> tuple[Figure, Table]:
        """Return the figure and the table of its data."""
        columns = ("curve", self.x.column, self.y.column, "ci95", "model")
        table = Table((*columns, *(name for name, _ in self.extra)), [])
        blank = (None,) * len(self.extra)
        with styled():
            figure, (axes,) = new_figure()
            for modelled in self.modelled:
                grid = modelled.grid(effort)
                values = [float(value) for value in modelled.values(grid)]
                axes.plot(grid, values, **modelled.line.keywords())
                for x, value in zip(grid, values, strict=True):
                    table.rows.append((modelled.line.label, x, None, None, value, *blank))
            for index, drawn in enumerate(self.simulated):
                keywords = drawn.line.layered(index, len(self.simulated))
                self._simulated(axes, table, runs, effort, drawn, keywords)
            if self.printed is not None:
                published(axes, self.printed)
            axes.xaxis.set_major_locator(MaxNLocator(integer=True, steps=[1, 2, 5, 10]))
            _set_axis(axes.set_xlabel, axes.set_xscale, axes.set_xlim, axes.set_xticks, self.x)
            _set_axis(axes.set_ylabel, axes.set_yscale, axes.set_ylim, axes.set_yticks, self.y)
            if self.y.limits == (0.0, None):
                from_zero(axes)
            legend_above(figure, axes, 2)
        return figure, replace(table, printed=self._printed(table))

    def _simulated(
        self,
        axes: Any,
        table: Table,
        runs: Runs[Point],
        effort: Effort,
        drawn: Simulated,
        keywords: dict[str, Any],
    ) -> None:
        shown = []
        for x, point in CURVES[drawn.curve](effort):
            value = runs.estimate(point, drawn.quantity)
            model = None if drawn.model is None else runs.estimate(point, drawn.model).mean
            extra = (runs.estimate(point, quantity).mean for _, quantity in self.extra)
            table.rows.append((drawn.line.label, x, *value, model, *extra))
            # A logarithmic axis cannot show 0.
            if not self.y.log or value.mean > 0:
                shown.append((x, value))
        x_values, estimates = zip(*shown, strict=True)
        with_bars(axes, x_values, estimates, len(runs.seeds), keywords)

    def _printed(self, table: Table) -> tuple[Sequence[str], Sequence[Sequence[str]]]:
        """Return the simulated points beside the model, as the report prints them."""
        with_model = any(row[2] is not None and row[4] is not None for row in table.rows)
        header = ["Curve", self.x.label, f"{self.y.label}, simulated"]
        header += ["Model", "Simulation over model"] if with_model else []
        header += [name.replace("_", " ") for name, _ in self.extra]
        rows: list[Sequence[str]] = []
        for row in table.rows:
            curve, x, mean, ci95, model, *extra = row
            if not isinstance(mean, float):
                continue
            cells = [str(curve), f"{x:g}", number(Estimate(mean, _number(ci95)))]
            if with_model:
                known = isinstance(model, float) and model > 0
                cells.append(short(_float(model)) if known else "")
                cells.append(f"{100 * (mean / _float(model) - 1):+.1f} %" if known else "")
            rows.append([*cells, *(short(_float(value)) for value in extra)])
        return header, rows


def short(value: float) -> str:
    """Format a number for a table: four digits, or all digits of a large number."""
    return f"{value:.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def _set_axis(label: Any, scale: Any, limits: Any, ticks: Any, axis: Axis) -> None:
    label(axis.label)
    if axis.log:
        scale("log")
    limits(*axis.limits)
    if axis.ticks:
        ticks(axis.ticks, [f"{tick:g}" for tick in axis.ticks])
        ticks([], minor=True)


def _float(value: object) -> float:
    assert isinstance(value, (int, float))
    return float(value)


def _number(value: object) -> float | None:
    return None if value is None else _float(value)
