"""Figures of models. Importing this module imports matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.ticker import MaxNLocator

from evenair.models.command.query import as_typed
from evenair.plot.style import Line, new_figure, styled

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from evenair.models.command.answer import Answer
    from evenair.models.command.catalogue import Key
    from evenair.models.command.query import Query

# Okabe and Ito's blue and vermilion; line and markers also differ without colour.
_MODEL = Line("model", "#0072B2", "-", "")
_SIMULATED = Line("simulated, 95% confidence interval", "#D55E00", "", "o", filled=False)


def draw(query: Query, answer: Answer) -> Figure:
    """Draw the model's first result over the varied key, and the simulated values."""
    key, result = query.varied, query.model.results[0]
    if key is None:
        raise TypeError("no key is varied")
    values = query.values
    heights = [
        float("nan") if value is None else value * result.scale
        for value in answer.results[result.name]
    ]
    with styled():
        figure, (axes,) = new_figure()
        numeric = key.kind not in ("choice", "boolean") and not any(
            isinstance(v, str) for v in values
        )
        unit, scale = _UNITS.get(key.unit, (key.unit, 1.0)) if numeric else ("", 1.0)
        x = [value * scale for value in values] if numeric else [str(value) for value in values]
        line = _MODEL.keywords() | ({"marker": "."} if len(x) < _FEW else {})
        if not numeric:
            line |= {"linestyle": "", "marker": "s"}
            axes.set_xlim(-0.5, len(x) - 0.5)
        axes.plot(x, heights, **line)
        found = answer.simulated.get(result.name)
        if found:
            axes.errorbar(
                x,
                [estimate.mean * result.scale for estimate in found],
                yerr=[(estimate.ci95 or 0.0) * result.scale for estimate in found],
                capsize=3,
                **_SIMULATED.keywords(),
            )
            axes.legend()
        axes.set_xlabel(f"{_words(key)} ({unit})" if unit else _words(key))
        axes.set_ylabel(f"{result.label} ({result.unit})" if result.unit else result.label)
        # Leave room for a marker at the top.
        axes.set_ylim(0, 1.05 * axes.dataLim.ymax if axes.dataLim.ymax > 0 else 1)
        if key.kind == "integer":
            axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.set_title(_title(query))
    return figure


_FEW = 12
"""Fewer values than this are marked on the line."""
_UNITS = {"bit/s": ("Mb/s", 1e-6), "Hz": ("MHz", 1e-6)}
"""The units of an axis, and the factor from those of a key."""


def _words(key: Key) -> str:
    """Return what a key is: "mean size of a file", "bandwidth of the channel"."""
    name = "PHY" if key.name == "phy" else key.name.replace("_", " ")
    # Without the remark on its default.
    meaning = key.meaning.partition("[")[0].partition(";")[0].strip()
    if key.kind in ("choice", "text") or not meaning:
        return name
    return f"{name} {meaning}" if meaning.startswith("of ") else meaning


def _title(query: Query) -> str:
    """The model and the keys that were given a single value."""
    varied = query.varied.name if query.varied else None
    point = query.points[0]
    given = []
    for name in query.given:
        if name == varied:
            continue
        if name in point.inputs:
            value = point.inputs[name]
        else:
            value = getattr(point.variant if name in query.model.choices else point.cell, name)
        key = query.model.all_keys[name]
        unit = key.unit if isinstance(value, int | float) else ""
        given.append(f"{_words(key)}: {as_typed(value)} {unit}".rstrip())
    return "\n".join(filter(None, (f"model {query.model.name}", ", ".join(given))))
