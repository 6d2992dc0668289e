"""What is handed to those who run it, and what comes back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, TypeAlias

from evenair.campaign.record import Record


class Run(NamedTuple):
    """One run that has to be done."""

    id: bytes
    point: int
    seed: int
    scenario: str
    """Resolved, as JSON text; the same object for all seeds of a point."""


Outcome: TypeAlias = tuple[Run, Record | str]
"""A run and its record, or the line that says why it has none."""

Report: TypeAlias = Callable[[Sequence[Outcome]], None]
"""Is told what has finished; may be slow, and may raise to stop everything."""

Execute: TypeAlias = Callable[[Iterator[Run], Report], None]
"""Runs everything and reports each run once, in any order; asks the iterator only as far ahead as
keeps everybody busy. Ctrl-C stops it."""
