"""Descriptions of a paper's figures: the simulations, the drawing function and the names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from evenair.papers.runs import P

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from matplotlib.figure import Figure

    from evenair.papers.runs import Runs


class Effort(Protocol):
    """The extent of the simulations. Papers add their parameter grids."""

    @property
    def seeds(self) -> tuple[int, ...]:
        """The seeds of each point's runs."""
        ...

    @property
    def duration_s(self) -> float:
        """Simulated time of a run, in seconds."""
        ...

    @property
    def quick(self) -> bool:
        """Whether this is too little to judge claims."""
        ...


E = TypeVar("E", bound=Effort)
"""A paper's own kind of effort."""


@dataclass(frozen=True)
class Table:
    """The numbers in a figure."""

    header: tuple[str, ...]
    rows: list[tuple[object, ...]]
    printed: tuple[Sequence[str], Sequence[Sequence[str]]] | None = None
    """Header and rows as the report prints them, if it does."""


@dataclass(frozen=True)
class Beside(Generic[P, E]):
    """A figure with the runs of the test-bed beside the simulator's."""

    caption: Callable[[E], str]
    draw: Callable[[Runs[P], Runs[P], E], tuple[Figure | None, Table]]
    """Takes the runs of the simulator, then those of the test-bed."""


@dataclass(frozen=True)
class FigureSpec(Generic[P, E]):
    """One figure or table of the paper."""

    id: str
    """The argument of `--figure` and the stem of file names: "4b", "A2", "table1", or a word."""
    title: str
    caption: str
    points: Callable[[E], set[P]]
    """The configurations that are simulated for it."""
    draw: Callable[[Runs[P], E], tuple[Figure | None, Table]]
    """Returns the figure (None for a table of the paper) and its data."""
    beside: Beside[P, E] | None = None
    """The same on the test-bed; None if it is not measured there."""

    @property
    def stem(self) -> str:
        """Name of its files, without suffix."""
        is_figure = any(c.isdigit() for c in self.id) and not self.id.startswith("table")
        return f"fig{self.id}" if is_figure else self.id


Spec = TypeVar("Spec", bound=FigureSpec[Any, Any])


def select_figures(figures: Sequence[Spec], ids: list[str] | None) -> list[Spec]:
    """Return the figures with these ids in the paper's order; None selects all.

    "4b", "fig4b" and "Table1" are all accepted. Raises ValueError for an unknown id.
    """
    if ids is None:
        return list(figures)
    known = {spec.id.lower(): spec.id for spec in figures}
    accepted = ", ".join(known.values())
    wanted = set()
    for name in ids:
        key = name.strip().lower().removeprefix("figure").removeprefix("fig").lstrip(" .-")
        if key not in known:
            raise ValueError(f"--figure: got {name!r}, expected one of {accepted}")
        wanted.add(known[key])
    if not wanted:
        raise ValueError(f"--figure: none given, expected one of {accepted}")
    return [spec for spec in figures if spec.id in wanted]
