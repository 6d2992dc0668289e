"""Rebuilds published papers: figures, tables, and a verdict on each claim.

`evenair.papers()`, a call of the package itself, returns the papers with their titles.

Each paper is a package with the functions `rebuild`, `folder` and `describe` of its `Paper`; this
module is the registry. Shared modules: `paper` (the sequence of steps), `runs` (simulations),
`figures` and `curves` (figures), `measures`, `claims`, `sentences` and `alternative` (verdicts),
`beside` and `measured` (the
test-bed), `report`, `extent` and `csv_file` (output).
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Protocol, cast

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

NAMES = [
    "blefari2007",
    "gong2006",
    "hoiland2017",
    "kashibuchi2009",
    "miorandi2006",
    "today",
    "tsiknas2012",
]
"""The papers that can be rebuilt."""


class Papers(ModuleType):
    """The type of this module, which can be called."""

    def __call__(self) -> dict[str, str]:
        """Return the papers: the title of each, by the name that `rebuild` takes."""
        return {name: describe(name).partition("\n")[0] for name in NAMES}


# The package has the name of the function that lists its content.
sys.modules[__name__].__class__ = Papers


class _Paper(Protocol):
    def rebuild(
        self,
        figures: list[str] | None,
        quick: bool,
        out: Path,
        progress: Callable[[int, int], None] | None,
        *,
        force: bool,
        engine: str,
        say: Callable[[str], None] | None,
    ) -> int: ...

    def folder(self, figures: list[str] | None, quick: bool, engine: str) -> Path: ...

    def describe(self) -> str: ...


def rebuild(
    name: str,
    figures: list[str] | None,
    quick: bool,
    out: Path,
    progress: Callable[[int, int], None] | None = None,
    *,
    force: bool = False,
    engine: str = "sim",
    say: Callable[[str], None] | None = None,
) -> int:
    """Rebuild a paper's figures and tables in the folder `out`, and judge its claims.

    `figures` are the ids to rebuild, None for all of them: only the simulations that they need are
    run, and only claims that can be measured with these are judged. `quick` takes fewer and shorter
    runs, for a first look: do not judge a paper by it. `progress(done, total)` is called after each
    run. `out` receives the figures as PNG and SVG, their data as CSV, `claims.json`, `report.json`
    and `report.html`, when everything is done. A report that is there is replaced only by one with
    all of its figures that is not a `quick` one in place of a full one, or with `force`.

    With the engine "testbed" (`evenair.testbed`: Linux, root) the runs are made by the simulator
    and by the test-bed: figures have both, claims are judged by the test-bed. Each of its runs is
    kept in `out/runs` when it is over, and used again if it is trusted; `progress` then counts
    seconds of real time. `say` is called with lines that a user should read: the expected time,
    what is not measured, and runs that are not to be trusted.

    Returns 1 if a claim with the evidence `test` fails, or if a run is not to be trusted, else 0.
    Raises ValueError, in one line, if there is no such paper, figure or engine or if `out` cannot
    be written; TestbedError if the test-bed cannot run here.
    """
    return _paper(name).rebuild(figures, quick, out, progress, force=force, engine=engine, say=say)


def folder(name: str, figures: list[str] | None, quick: bool, engine: str = "sim") -> Path:
    """Return the folder of a report by default: `report/NAME`, longer for a part of the paper.

    Raises ValueError if there is no such paper, figure or engine.
    """
    return _paper(name).folder(figures, quick, engine)


def describe(name: str) -> str:
    """Return title, authors and figure ids of a paper, in a few lines of plain text.

    Raises ValueError if there is no such paper.
    """
    return _paper(name).describe()


def _paper(name: str) -> _Paper:
    if name not in NAMES:
        raise ValueError(f"paper: got {name!r}, expected one of {', '.join(NAMES)}")
    return cast("_Paper", import_module(f"evenair.papers.{name}"))
