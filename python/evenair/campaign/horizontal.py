"""The horizontal axis of a campaign's figure. Importing this module imports matplotlib."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import pyarrow as pa
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter, NullLocator

from evenair._core import quantity
from evenair.plot.style import literal
from evenair.text.labels import value_in_unit, value_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes

    from evenair.text.labels import Label


@dataclass(frozen=True)
class Horizontal:
    """Where the values of a column are on the axis."""

    label: str
    places: Mapping[object, float]
    ticks: Mapping[float, str] | None
    """The texts at places; None for an axis of numbers."""
    in_classes: bool
    """Whether values have places side by side, and lines are beside each other there."""
    has_order: bool
    is_whole: bool
    is_log: bool

    def apply(self, axes: Axes) -> None:
        """Set scale, ticks and label of an axis on which all has been drawn."""
        if self.is_log:
            plain_log(axes, "x")
        if self.ticks is not None:
            axes.set_xticks(list(self.ticks), list(self.ticks.values()))
            if self.is_log:
                axes.xaxis.set_minor_locator(NullLocator())
            if sum(map(len, self.ticks.values())) > 60:
                axes.tick_params(axis="x", rotation=30)
        elif self.is_whole and not self.is_log:
            axes.xaxis.set_major_locator(MaxNLocator(integer=True, steps=(1, 2, 5, 10)))
        if self.in_classes:
            axes.set_xlim(-0.5, len(self.places) - 0.5)
        axes.set_xlabel(literal(self.label))


def horizontal(
    table: pa.Table, x: str, label: Label, *, in_classes: bool, is_log: bool
) -> Horizontal:
    """Return the axis of a column: by its numbers, or with its values side by side.

    Texts are side by side, as they are written, but for quantities on a logarithmic axis. Raises
    ValueError if there is no logarithmic axis.
    """
    values = table[x].unique().to_pylist()
    if not is_numeric(table, x):
        if is_log and not in_classes:
            return _of_quantities(x, label, values)
        texts = [literal(value_text(value)) for value in values]
        return _side_by_side(label.text, values, texts, is_log=is_log, has_order=False)
    values.sort()
    if in_classes:
        texts = [literal(value_in_unit(value, label)) for value in values]
        return _side_by_side(label.with_unit, values, texts, is_log=is_log, has_order=True)
    if is_log and values[0] <= 0:
        raise ValueError(f"log: x: {x} has values that are not above 0")
    places = {value: float(value) * label.scale for value in values}
    whole = all(place.is_integer() for place in places.values())
    return Horizontal(label.with_unit, places, None, False, True, whole, is_log)


def plain_log(axes: Axes, name: Literal["x", "y"]) -> None:
    """Make an axis logarithmic, with plain numbers at its ticks."""
    axes.set(**{f"{name}scale": "log"})
    axis = axes.xaxis if name == "x" else axes.yaxis
    low, high = sorted(axis.get_view_interval())
    # Within half a decade there might be a single one of 1, 2 and 5.
    axis.set_major_locator(LogLocator(subs=(1, 2, 5) if high > 5 * low else range(1, 10)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_formatter(NullFormatter())


def is_numeric(table: pa.Table, column: str) -> bool:
    """Return whether a column holds numbers."""
    kind = table.schema.field(column).type
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind))


def _side_by_side(
    label: str, values: Sequence[object], texts: Sequence[str], *, is_log: bool, has_order: bool
) -> Horizontal:
    if is_log:
        raise ValueError("log: x: there is no logarithmic axis of boxes, which are side by side")
    places = {value: float(k) for k, value in enumerate(values)}
    ticks = dict(zip(places.values(), texts, strict=True))
    return Horizontal(label, places, ticks, True, has_order, False, False)


def _of_quantities(x: str, label: Label, values: Sequence[object]) -> Horizontal:
    # A number without a unit may be of something else, such as packets.
    kinds = ("size", "time", "rate") if all(map(_has_unit, values)) else ()
    for kind in kinds:
        try:
            found = {value: quantity(kind, str(value)) for value in values}
        except ValueError:
            continue
        if min(found.values()) > 0:
            ticks = {
                found[value]: literal(str(value)) for value in sorted(found, key=found.__getitem__)
            }
            return Horizontal(label.text, found, ticks, False, True, False, True)
    raise ValueError(f"log: x: {x}: expected numbers, or quantities of one kind, above 0")


def _has_unit(value: object) -> bool:
    try:
        float(str(value))
    except ValueError:
        return True
    return False
