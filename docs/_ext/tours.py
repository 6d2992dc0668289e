"""The guided tours of the lab: lab/src/tours/*.toml, which the page, the site and the tests read.

`Tour.scenario` is the cell of a step, and `measure` what a fact of its text says. The page has the
same in lab/src/tours/tour.ts and measure.ts.
"""

from __future__ import annotations

import math
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evenair._core import Scenario as CoreScenario
from evenair.scenario import Scenario, read_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

FOLDER = Path(__file__).parents[2] / "lab" / "src" / "tours"

NAMES = (
    "uploads-win",
    "queue-disciplines",
    "slow-station",
    "random-loss",
    "rate-limiter",
    "tune-access-point",
    "uploads-today",
    "limiter-today",
    "airtime-today",
    "window-today",
    "losses-today",
)
"""In the order in which they are read."""

SCALES = {"Mb/s": 1e6, "%": 0.01, "ms": 1e-3, "s": 1.0}
"""Units in a text, in those of a result. A number with another word behind it is a plain number."""


@dataclass(frozen=True)
class Fact:
    """A number of a text, and what it is in a result."""

    says: str
    """As it is in the text: a number, and what follows."""
    measure: str
    within: float
    """Accepted difference, relative to the number in the text."""

    @property
    def value(self) -> float:
        """The number, in the unit of results."""
        found = re.match(r"([\d.,]+)\s*(\S*)", self.says)
        if not found:
            raise ValueError(f"{self.says}: expected a number")
        return float(found[1].replace(",", "")) * SCALES.get(found[2], 1.0)


@dataclass(frozen=True)
class Step:
    """A cell to look at, with a text."""

    title: str
    pictures: Sequence[str]
    overrides: Sequence[tuple[str, str]]
    text: str
    facts: Sequence[Fact]
    sources: Sequence[str]
    """Papers, RFCs and standards."""


@dataclass(frozen=True)
class Answer:
    """An answer of a question: right if the measured value lies in its range."""

    text: str
    low: float
    high: float
    because: str


@dataclass(frozen=True)
class Question:
    """A question that a run decides."""

    experiment: Step
    decides: str
    """The measure that decides."""
    answers: Sequence[Answer]

    def right(self, value: float) -> list[int]:
        """Return the numbers of the answers that a value makes right."""
        return [k for k, each in enumerate(self.answers) if each.low <= value <= each.high]


@dataclass(frozen=True)
class Tour:
    """A sequence of steps that ends with a question."""

    name: str
    title: str
    summary: str
    base: str | None
    """The built-in scenario that it varies; None if it has a text of its own."""
    toml: str
    """The scenario that it varies."""
    given: Sequence[str]
    """Numbers of its texts that no run measures: what is set, and what is calculated."""
    vary: Sequence[str]
    """Keys that the figures of the documentation have a control for, as `evenair sweep --vary`."""
    steps: Sequence[Step]
    question: Question

    def scenario(self, overrides: Sequence[tuple[str, str]]) -> Scenario:
        """Return the tour's scenario with keys set. Raises ValueError."""
        core = CoreScenario.from_toml(self.toml.encode(), self.name)
        core = core.with_overrides(overrides, self.name, self.name)
        core.resolve()
        return Scenario._from_core(core)


def load(name: str) -> Tour:
    """Read a tour."""
    document = tomllib.loads((FOLDER / f"{name}.toml").read_text())
    base = document.get("scenario")
    question = document["question"]
    return Tour(
        name,
        document["title"],
        document["summary"],
        base,
        document["toml"] if base is None else read_text(base)[0].decode(),
        document["given"],
        document["vary"],
        [_step(step) for step in document["step"]],
        Question(
            _step({"title": "", "sources": [], **question}),
            question["decides"],
            [
                Answer(each["text"], each["from"], each["to"], each["because"].strip())
                for each in question["answer"]
            ],
        ),
    )


def _step(document: Mapping[str, Any]) -> Step:
    facts = document.get("facts", [])
    return Step(
        document["title"],
        document["pictures"],
        [
            (key, value)
            for key, _, value in (text.partition("=") for text in document.get("set", []))
        ],
        document["text"].strip(),
        [Fact(fact["says"], fact["is"], fact.get("within", 0.03)) for fact in facts],
        document["sources"],
    )


def measure(result: Mapping[str, Any], expression: str) -> float:
    """Return what an expression is in a result: a path, or a quotient of two."""
    numerator, slash, denominator = expression.partition(" / ")
    value = _look_up(result, numerator.split("."))
    return value / _look_up(result, denominator.split(".")) if slash else value


def _look_up(value: Any, path: Sequence[str]) -> float:
    """Follow a path; lists have entries by id or name, and `up` and `down` are means of flows."""
    if not path:
        return float(value)
    name, rest = path[0], path[1:]
    if not isinstance(value, list):
        return _look_up(value[name], rest)
    for entry in value:
        if name in (entry["id"], entry["name"]):
            return _look_up(entry, rest)
    values = [_look_up(entry, rest) for entry in value if entry.get("direction") == name]
    if not values:
        raise KeyError(name)
    return math.fsum(values) / len(values)
