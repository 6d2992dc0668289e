"""Run in this process, on all processors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evenair import _core
from evenair.campaign.record import Record

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evenair.campaign.runs import Report, Run


def execute(runs: Iterator[Run], report: Report, *, threads: int) -> None:
    """Run everything, `threads` runs at a time; `report` gets what has finished since it last did.

    The iterator is asked a little ahead only.
    """
    started: dict[int, Run] = {}

    def jobs() -> Iterator[tuple[str, int]]:
        for index, run in enumerate(runs):
            started[index] = run
            yield run.scenario, run.seed

    def on_results(results: list[tuple[int, str | None, str | None]]) -> None:
        report(
            [
                (started.pop(index), Record.of(text) if text is not None else str(reason))
                for index, text, reason in results
            ]
        )

    _core.run_stream(jobs(), threads, on_results)
