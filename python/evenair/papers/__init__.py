"""Published papers, rebuilt: figures, tables, and a verdict on each of their claims.

Each paper is a package of its own with two functions, `rebuild` and `describe`, those of its
`Paper`; this module is the registry. What papers share lies beside it: `paper` (the way from data
to results), `figures` and `curves` (what is shown), `measures` (how a claim is measured), `claims`
(how it is judged), `runs` (which simulations that takes), `style`, `report` and `output` (what is
written).
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Protocol, cast

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

NAMES = ["gong2006", "miorandi2006", "tsiknas2012"]
"""The papers that can be rebuilt."""


class _Paper(Protocol):
    def rebuild(
        self,
        figures: list[str] | None,
        quick: bool,
        out: Path,
        progress: Callable[[int, int], None] | None,
    ) -> int: ...

    def describe(self) -> str: ...


def rebuild(
    name: str,
    figures: list[str] | None,
    quick: bool,
    out: Path,
    progress: Callable[[int, int], None] | None = None,
) -> int:
    """Rebuild a paper's figures and tables in the folder `out`, and judge its claims.

    `figures` are the ids to rebuild, None for all of them: only what they need is simulated, and
    only claims that can be measured with it are judged. `quick` takes fewer and shorter runs, to
    see what the result looks like: nobody should be judged by it. `progress(done, total)` is called
    after each run. `out` gets the figures as PNG and SVG, the numbers in them as CSV, `claims.json`
    and `report.html`, all at once when everything is done.

    Returns 0 if every claim that was judged holds, else 1. Raises ValueError, with one line that
    says what is accepted, if there is no such paper or figure or if `out` cannot be written.
    """
    return _paper(name).rebuild(figures, quick, out, progress)


def describe(name: str) -> str:
    """Return what a paper is and which figures can be rebuilt, in a few lines of plain text.

    Raises ValueError if there is no such paper.
    """
    return _paper(name).describe()


def _paper(name: str) -> _Paper:
    if name not in NAMES:
        raise ValueError(f"paper: got {name!r}, expected one of {', '.join(NAMES)}")
    return cast("_Paper", import_module(f"evenair.papers.{name}"))
