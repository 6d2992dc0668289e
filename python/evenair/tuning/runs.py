"""The runs of a search: those that are stored are used, the others are simulated and stored."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evenair.campaign.jobs import Run
from evenair.campaign.live import progress_line, run_line
from evenair.campaign.result import Failure
from evenair.campaign.storage import tables
from evenair.campaign.storage.identity import Identity
from evenair.scenario import Scenario
from evenair.tuning.measures import values

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from evenair._core import Scenario as CoreScenario
    from evenair.campaign.grid import Grid
    from evenair.campaign.jobs import Execute, Outcome
    from evenair.campaign.storage.record import Record
    from evenair.campaign.storage.store import Store
    from evenair.files.live import Live
    from evenair.tuning.measures import Metric
    from evenair.tuning.trials import Measured


class Runs:
    """Runs settings of a grid; `measure` is a `trials.Measure`."""

    def __init__(
        self,
        grid: Grid,
        seed: int,
        metrics: Sequence[Metric],
        execute: Execute,
        store: Store,
        live: Live,
        progress: Callable[[int, int], None] | None,
        most: int,
        base: str | None,
    ) -> None:
        """Take the first seed, the metrics to be measured, and the most runs there may be."""
        self._grid, self._seed, self._metrics = grid, seed, metrics
        self._execute, self._store, self._live = execute, store, live
        self._progress, self._most, self._base = progress, most, base
        self._scenarios: dict[int, tuple[CoreScenario, Identity]] = {}
        self._measured: dict[tuple[int, int], Measured] = {}
        self._is_checked = False
        self.new = 0
        """Runs that were not stored before."""
        self.failures: dict[tuple[int, int], Failure] = {}
        """The runs that failed, by setting and k."""

    def measure(self, wanted: Sequence[tuple[int, int]]) -> list[Measured]:
        """Return what runs have measured, each of a setting with the k-th seed."""
        if not self._measured and wanted:
            self._do(wanted[:1])  # a mistake in the columns of flows is found before all others
        self._do(wanted)
        return [self._measured[one] for one in wanted]

    def kept(self) -> int:
        """Return how many runs of this search are stored."""
        return sum(measured is not None for measured in self._measured.values())

    def rows(self) -> Iterator[tables.Row]:
        """Return all runs that have succeeded, in the order of the grid."""
        for (point, k), measured in sorted(self._measured.items()):
            record = None if measured is None else self._store.get(self._id(point, k))
            if record is not None:
                yield tables.Row(self._grid.values(point), self._seed + k, record)

    def points(self) -> list[int]:
        """Return the settings of these rows, in order."""
        return sorted({point for (point, _), m in self._measured.items() if m is not None})

    def _do(self, wanted: Sequence[tuple[int, int]]) -> None:
        missing = []
        for point, k in dict.fromkeys(wanted):
            if (point, k) in self._measured:
                continue
            record = self._store.get(self._id(point, k), flows=True)
            if record is None:
                missing.append(Run(self._id(point, k), point, self._seed + k, self._of(point)[0]))
            else:
                self._take(Run(b"", point, self._seed + k, self._of(point)[0]), record)
        self._say()
        if missing:
            self._execute(iter(missing), self._report)

    def _report(self, outcomes: Sequence[Outcome]) -> None:
        self._store.add((run.id, record) for run, record in outcomes if not isinstance(record, str))
        for run, record in outcomes:
            if isinstance(record, str):
                self._fail(run, record)
            else:
                self.new += 1
                self._take(run, record)
        self._say()

    def _take(self, run: Run, record: Record) -> None:
        if not self._is_checked:
            self._is_checked = True
            for metric in self._metrics:
                metric.check(record)
        self._measured[run.point, run.seed - self._seed] = values(self._metrics, record)
        if self._live.is_open:
            self._live.write(run_line(self._grid, run, record))

    def _fail(self, run: Run, reason: str) -> None:
        k = run.seed - self._seed
        self._measured[run.point, k] = None
        self.failures[run.point, k] = Failure(
            values=self._grid.values(run.point),
            overrides=self._grid.overrides(run.point),
            seed=run.seed,
            reason=reason,
            scenario=Scenario._from_core(run.scenario),
            base=self._base,
        )

    def _say(self) -> None:
        self._live.write(progress_line(len(self._measured), self._most))
        if self._progress is not None:
            self._progress(len(self._measured), self._most)

    def _id(self, point: int, k: int) -> bytes:
        return self._of(point)[1].of(self._seed + k)

    def _of(self, point: int) -> tuple[CoreScenario, Identity]:
        if point not in self._scenarios:
            scenario = self._grid.scenario(point)
            self._scenarios[point] = (scenario, Identity(scenario.resolved_json()))
        return self._scenarios[point]
