"""Rebuilds published papers: figures, tables, and a verdict on each claim.

Each paper is a package with the functions `rebuild`, `folder` and `describe` of its `Paper`; this
module is the registry. Shared modules: `paper` (the sequence of steps), `runs` (simulations),
`figures` and `curves` (figures), `measures` and `claims` (verdicts), `report`, `extent` and
`csv_file` (output).
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Protocol, cast

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

NAMES = ["blefari2007", "gong2006", "kashibuchi2009", "miorandi2006", "tsiknas2012"]
"""The papers that can be rebuilt."""


class _Paper(Protocol):
    def rebuild(
        self,
        figures: list[str] | None,
        quick: bool,
        out: Path,
        progress: Callable[[int, int], None] | None,
        *,
        force: bool,
    ) -> int: ...

    def folder(self, figures: list[str] | None, quick: bool) -> Path: ...

    def describe(self) -> str: ...


def rebuild(
    name: str,
    figures: list[str] | None,
    quick: bool,
    out: Path,
    progress: Callable[[int, int], None] | None = None,
    *,
    force: bool = False,
) -> int:
    """Rebuild a paper's figures and tables in the folder `out`, and judge its claims.

    `figures` are the ids to rebuild, None for all of them: only the simulations that they need are
    run, and only claims that can be measured with these are judged. `quick` takes fewer and shorter
    runs, for a first look: do not judge a paper by it. `progress(done, total)` is called after each
    run. `out` receives the figures as PNG and SVG, their data as CSV, `claims.json`, `report.json`
    and `report.html`, when everything is done. A report that is there is replaced only by one with
    all of its figures that is not a `quick` one in place of a full one, or with `force`.

    Returns 1 if a claim with the evidence `test` fails, else 0. Raises ValueError, in one line, if
    there is no such paper or figure or if `out` cannot be written.
    """
    return _paper(name).rebuild(figures, quick, out, progress, force=force)


def folder(name: str, figures: list[str] | None, quick: bool) -> Path:
    """Return the folder of a report by default: `report/NAME`, longer for a part of the paper.

    Raises ValueError if there is no such paper or figure.
    """
    return _paper(name).folder(figures, quick)


def describe(name: str) -> str:
    """Return title, authors and figure ids of a paper, in a few lines of plain text.

    Raises ValueError if there is no such paper.
    """
    return _paper(name).describe()


def _paper(name: str) -> _Paper:
    if name not in NAMES:
        raise ValueError(f"paper: got {name!r}, expected one of {', '.join(NAMES)}")
    return cast("_Paper", import_module(f"evenair.papers.{name}"))
