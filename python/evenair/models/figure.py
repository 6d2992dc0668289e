"""Figures of models. Importing this module imports matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.ticker import MaxNLocator

from evenair.models.query import as_typed
from evenair.style import Line, new_figure, styled

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from evenair.models.evaluate import Answer
    from evenair.models.query import Query

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
        x = values if numeric else [str(value) for value in values]
        line = _MODEL.keywords() | ({} if numeric else {"linestyle": "", "marker": "s"})
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
        label = key.name if key.kind == "choice" else _brief(key.meaning)
        axes.set_xlabel(f"{label} ({key.unit})" if key.unit else label)
        axes.set_ylabel(f"{result.label} ({result.unit})" if result.unit else result.label)
        # Leave room for a marker at the top.
        axes.set_ylim(0, 1.05 * axes.dataLim.ymax if axes.dataLim.ymax > 0 else 1)
        if key.kind == "integer":
            axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.set_title(_title(query))
    return figure


def _brief(meaning: str) -> str:
    """Return a key's meaning without the remark on its default."""
    return meaning.partition(" [")[0].partition(";")[0]


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
        given.append(f"{name} = {as_typed(value)}")
    return ", ".join([query.model.name, *given])
