"""Evaluates a query by the model and, for comparison, by simulation."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from evenair.engine import run_jobs
from evenair.statistics import Estimate, estimate

if TYPE_CHECKING:
    from collections.abc import Callable

    from evenair.models.command.query import Point, Query


@dataclass
class Answer:
    """The results of a model for each point of a query, and of simulations."""

    results: dict[str, list[Any]]
    """By name: a number per point; of state probabilities a list per point."""
    simulated: dict[str, list[Estimate]] = field(default_factory=dict)
    """Results that were also simulated: an estimate per point."""
    runs: int = 0
    seed: int = 0

    def document(self, query: Query) -> dict[str, Any]:
        """Return what `--json` prints: plain values, or lists where a key has several."""
        document = {"model": query.model.name, "inputs": inputs(query), **self.values(query)}
        varied = query.varied
        if self.simulated:
            means = {name: [_spread(e) for e in found] for name, found in self.simulated.items()}
            simulated = {name: found if varied else found[0] for name, found in means.items()}
            document["check"] = {"runs": self.runs, "seed": self.seed, "simulated": simulated}
        return document

    def values(self, query: Query) -> dict[str, Any]:
        """Return the results by name: plain values, or lists where a key has several."""
        return {
            name: values if query.varied else values[0] for name, values in self.results.items()
        }


def inputs(query: Query) -> dict[str, Any]:
    """Return every key with its value, in seconds, bytes and bit/s; a list if it has several."""
    points = [_inputs(query, point) for point in query.points]
    varied = query.varied.name if query.varied else None
    return {
        key: [point[key] for point in points] if key == varied else value
        for key, value in points[0].items()
    }


def evaluate(query: Query) -> Answer:
    """Evaluate the model. Raises ModelError."""
    model, varied = query.model, query.varied
    own = varied is not None and varied in model.keys and varied.kind not in ("choice", "boolean")
    if own and model.vectorised and varied is not None:
        first = query.points[0]
        inputs = first.inputs | {varied.name: np.array(query.values)}
        found = model.evaluate(inputs, first.cell, first.variant)
        count = len(query.values)
        results = {name: _rows(found[name], count) for name in _names(query)}
    else:
        each = [model.evaluate(point.inputs, point.cell, point.variant) for point in query.points]
        results = {name: [_plain(found[name]) for found in each] for name in _names(query)}
    if "state_probabilities" in results:
        stations = [point.inputs["stations"] for point in query.points]
        results["state_probabilities"] = [
            row[: n + 1] for row, n in zip(results["state_probabilities"], stations, strict=True)
        ]
    return Answer(results)


def simulate(
    query: Query,
    answer: Answer,
    runs: int,
    seed: int,
    progress: Callable[[int, int], None] | None,
) -> None:
    """Simulate each point `runs` times, and store the estimates in `answer`.

    Raises ScenarioError, RunError.
    """
    check = query.model.check
    if check is None:
        raise TypeError(f"{query.model.name}: there is no check")
    matches = [check(point.inputs, point.cell) for point in query.points]
    jobs = [(scenario, seed + k) for scenario, _ in matches for k in range(runs)]
    results = run_jobs(jobs, progress=progress)
    answer.runs, answer.seed = runs, seed
    for place, (_, measure) in enumerate(matches):
        some = results[place * runs : (place + 1) * runs]
        measured = [measure(result.document) for result in some]
        for name in measured[0]:
            sample = [one[name] for one in measured]
            answer.simulated.setdefault(name, []).append(estimate(sample))


def _names(query: Query) -> list[str]:
    return [result.name for result in query.model.results]


def _rows(values: Any, count: int) -> list[Any]:
    """Return a result of a vectorised model per point; some are the same for all points."""
    array = np.asarray(values)
    return [_plain(value) for value in (array if array.ndim else np.full(count, array))]


def _plain(value: Any) -> Any:
    """Convert NumPy values to Python's, and NaN to None, which JSON can express."""
    value = np.asarray(value).tolist()
    return None if isinstance(value, float) and math.isnan(value) else value


def _spread(found: Estimate) -> dict[str, float | None]:
    return {"mean": found.mean, "ci95": found.ci95}


def _inputs(query: Query, point: Point) -> dict[str, Any]:
    """Every key with its value: seconds, bytes, bit/s."""
    everything = dict(point.inputs)
    for name in query.model.all_keys:
        if name in everything:
            continue
        if name in query.model.choices:
            everything[name] = getattr(point.variant, name)
        elif name in ("preamble", "data_rate", "control_rate"):
            if name in point.cell.resolved:  # only 802.11b has a preamble to choose
                everything[name] = point.cell.resolved[name]
        else:
            everything[name] = getattr(point.cell, name)
    return everything
