"""The runs of a campaign: what an executor is given and what it returns."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from evenair.campaign.storage.record import Record

if TYPE_CHECKING:
    from evenair._core import Scenario as CoreScenario


class Run(NamedTuple):
    """One run to be done."""

    id: bytes
    point: int
    seed: int
    scenario: CoreScenario
    """The same object for all seeds of a point."""


Outcome: TypeAlias = tuple[Run, Record | str]
"""A run and its record, or the one-line reason of its failure."""

Report: TypeAlias = Callable[[Sequence[Outcome]], None]
"""Called with finished runs. It may be slow, and it may raise to stop everything."""

Execute: TypeAlias = Callable[[Iterator[Run], Report], None]
"""Does all runs and reports each of them once, in any order. Consumes the iterator no further ahead
than is needed to keep all processors busy. Ctrl-C stops it."""
