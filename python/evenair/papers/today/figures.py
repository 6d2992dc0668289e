"""Descriptions of the figures: one for each question."""

from __future__ import annotations

from functools import partial
from itertools import product
from typing import TYPE_CHECKING

from evenair.papers.figures import FigureSpec
from evenair.papers.today import testbed
from evenair.papers.today.cells import PHYS, Cell, Effort
from evenair.papers.today.drawing import PICTURES, draw
from evenair.papers.today.questions import QUESTIONS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MARKING = ("fq-codel", "linux")
"""The schemes that mark packets: Prague is asked with these."""

STATIONS = (2, 10, 20)


def grid(question: str) -> set[Cell]:
    """Return the cells of a question."""
    if question == "window":
        return set(_window())
    if question == "losses":
        return set(_losses())
    first = ("tfrc",) if question == "airtime" else ()
    return set(_by_scheme(question, (*first, "cubic", "bbr", "prague")))


def _schemes(question: str, control: str) -> Iterable[str]:
    return MARKING if control == "prague" else QUESTIONS[question].schemes


def _by_scheme(question: str, controls: tuple[str, ...]) -> Iterator[Cell]:
    """All schemes with each control; the first control also with other numbers of stations."""
    for phy, control in product(PHYS, controls):
        for scheme in _schemes(question, control):
            counts = STATIONS if control == controls[0] else (10,)
            for stations in counts:
                yield Cell(question, phy, control, scheme, stations)


def _window() -> Iterator[Cell]:
    for phy, case in product(PHYS, ("one", "d1", "d2", "d4")):
        yield Cell("window", phy, case=case)
    for phy in PHYS:
        for scheme, stations in product(QUESTIONS["window"].schemes, STATIONS):
            yield Cell("window", phy, scheme=scheme, case="d2", stations=stations)
        for control in ("bbr", "prague"):
            for scheme in _schemes("window", control):
                yield Cell("window", phy, control, scheme, case="d2")
    for scheme, case in product(QUESTIONS["window"].schemes, ("pareto", "exponential")):
        yield Cell("window", "ax", scheme=scheme, case=case)


def _losses() -> Iterator[Cell]:
    controls = ("newreno", "westwood", "cubic", "bbr")
    for phy, control, case in product(PHYS, controls, QUESTIONS["losses"].cases):
        yield Cell("losses", phy, control, stations=2, case=case)
    for phy, control, scheme in product(PHYS, controls, MARKING):
        yield Cell("losses", phy, control, scheme, 2, "ip-0.001")
    for phy, scheme in product(PHYS, MARKING):
        yield Cell("losses", phy, "prague", scheme, 2, "ip-0.001")
    for control, case, stations in product(controls, ("ip-0.0001", "ip-0.001"), (10, 20)):
        yield Cell("losses", "ax", control, stations=stations, case=case)


def _points(question: str, effort: Effort) -> set[Cell]:
    return set(testbed.CELLS[question]) if effort.on_testbed else grid(question)


FIGURES: tuple[FigureSpec[Cell, Effort], ...] = tuple(
    FigureSpec(
        name,
        picture.title,
        picture.caption,
        partial(_points, name),
        partial(draw, name, grid),
        testbed.beside(name),
    )
    for name, picture in PICTURES.items()
)
"""The figures, by question."""
