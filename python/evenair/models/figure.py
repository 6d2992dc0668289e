"""Figures of models. matplotlib is imported with this module, so this module only for a plot."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.ticker import MaxNLocator

from evenair.models.show import as_typed
from evenair.papers.style import Line, new_figure, styled

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from evenair.models.evaluate import Answer
    from evenair.models.read import Question

# Okabe and Ito's blue and vermilion; line against markers says the same without colour.
_MODEL = Line("model", "#0072B2", "-", "")
_SIMULATED = Line("simulated, 95% confidence interval", "#D55E00", "", "o", filled=False)


def draw(question: Question, answer: Answer) -> Figure:
    """Draw the model's first result over the key that is varied, and what was simulated."""
    key, result = question.varied, question.model.results[0]
    if key is None:
        raise TypeError("no key is varied")
    values = question.values
    heights = [
        float("nan") if value is None else value * result.scale
        for value in answer.results[result.name]
    ]
    with styled():
        figure, (axes,) = new_figure()
        numeric = key.kind not in ("choice", "truth") and not any(
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
        # Room for a marker at the top: the data may lie far above 0 and close together.
        axes.set_ylim(0, 1.05 * axes.dataLim.ymax if axes.dataLim.ymax > 0 else 1)
        if key.kind == "whole":
            axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.set_title(_title(question))
    return figure


def _brief(meaning: str) -> str:
    """Return a meaning without what is said of the default."""
    return meaning.partition(" [")[0].partition(";")[0]


def _title(question: Question) -> str:
    """The model, and what was given with a single value."""
    varied = question.varied.name if question.varied else None
    point = question.points[0]
    given = []
    for name in question.given:
        if name == varied:
            continue
        if name in point.inputs:
            value = point.inputs[name]
        else:
            value = getattr(point.variant if name in question.model.choices else point.cell, name)
        given.append(f"{name} = {as_typed(value)}")
    return ", ".join([question.model.name, *given])
