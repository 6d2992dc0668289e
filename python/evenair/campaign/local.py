"""Run a campaign in this process, on all processors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evenair._core import run_jobs
from evenair.campaign.storage.record import Record

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evenair._core import Scenario as CoreScenario
    from evenair.campaign.jobs import Report, Run


def execute(runs: Iterator[Run], report: Report, *, threads: int) -> None:
    """Do all runs, `threads` at a time; `report` is called with those finished since its last call.

    The iterator is consumed a bounded number of runs ahead.
    """
    started: dict[int, Run] = {}

    def jobs() -> Iterator[tuple[CoreScenario, int]]:
        for index, run in enumerate(runs):
            started[index] = run
            yield run.scenario, run.seed

    def on_results(outcomes: list[tuple[int, str | None, str | None]]) -> None:
        report(
            [
                (started.pop(index), Record.of(text) if text is not None else str(reason))
                for index, text, reason in outcomes
            ]
        )

    run_jobs(jobs(), threads, on_results)
