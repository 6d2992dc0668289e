"""The simulations of a paper. Each is run once and shared by all figures that need it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

from evenair.engine import map_runs
from evenair.statistics import Estimate, estimate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from evenair.result import RunResult
    from evenair.scenario import Scenario

Document: TypeAlias = dict[str, Any]
"""The result document of one run, as the interface reference describes it."""

P = TypeVar("P")
"""A point: a paper's identifier of one configuration. Hashable."""


@dataclass(frozen=True)
class Runs(Generic[P]):
    """The result documents of a set of points, each simulated with the same seeds."""

    seeds: tuple[int, ...]
    documents: Mapping[tuple[P, int], Document]

    @property
    def points(self) -> set[P]:
        """The points that were simulated."""
        return {point for point, _ in self.documents}

    def lookup(self, seed: int) -> Callable[[P], Document]:
        """Return the function that gives the document of a point for this seed."""
        return lambda point: self.documents[point, seed]

    def estimate(self, point: P, quantity: Callable[[Document], float]) -> Estimate:
        """Estimate a quantity's mean at a point, with its 95% interval over the seeds."""
        return estimate([quantity(self.documents[point, seed]) for seed in self.seeds])


def simulate(
    points: Iterable[P],
    seeds: Sequence[int],
    scenario_of: Callable[[P], Scenario],
    progress: Callable[[int, int], None] | None = None,
    condensed: Callable[[Document], Document] | None = None,
    drawn: Callable[[Scenario, P, int], Scenario] | None = None,
) -> Runs[P]:
    """Simulate every point with every seed on all processors.

    `progress(done, total)` is called after each run. `condensed` reduces a document to what is
    needed, to save memory. `drawn` changes the scenario of a point for a seed. Raises RunError,
    Interrupted.
    """

    def keep(result: RunResult) -> Document:
        return result.document if condensed is None else condensed(result.document)

    keys = [(point, seed) for point in points for seed in seeds]
    scenarios = {point: scenario_of(point) for point, _ in keys}
    jobs = [
        (drawn(scenarios[point], point, seed) if drawn else scenarios[point], seed)
        for point, seed in keys
    ]
    documents = map_runs(keep, jobs, progress=progress)
    return Runs(tuple(seeds), dict(zip(keys, documents, strict=True)))
