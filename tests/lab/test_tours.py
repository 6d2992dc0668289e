"""The guided tours of the lab say what a run says: each number, and which answer is right."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest
import tours
from evenair import engine

if TYPE_CHECKING:
    from collections.abc import Mapping

SEEDS = range(1, 11)
TOURS = {name: tours.load(name) for name in tours.NAMES}
STEPS = [(name, k) for name, tour in TOURS.items() for k in range(len(tour.steps))]
PICTURES = {
    "airtime",
    "call-delay-p95-ms",
    "cwnd",
    "fairness",
    "goodput",
    "limiter",
    "losses",
    "medium",
    "mos",
    "queue",
    "rtt",
}


@cache
def results(name: str, overrides: tuple[tuple[str, str], ...]) -> list[Mapping[str, Any]]:
    """The results of a tour's cell, one per seed."""
    scenario = TOURS[name].scenario(overrides)
    return [run.document for run in engine.run(scenario, runs=len(SEEDS))]


def check(name: str, step: tours.Step) -> None:
    runs = results(name, tuple(step.overrides))
    for fact in step.facts:
        values = [tours.measure(run, fact.measure) for run in runs]
        mean = sum(values) / len(values)
        said = f"{fact.says}: measured {mean:.6g}"
        assert mean == pytest.approx(fact.value, rel=fact.within), said


def test_there_are_eleven_tours() -> None:
    assert sorted(TOURS) == sorted(path.stem for path in tours.FOLDER.glob("*.toml"))
    assert len(TOURS) == 11
    assert all(4 <= len(tour.steps) <= 6 for tour in TOURS.values())


@pytest.mark.parametrize(("name", "step"), STEPS)
def test_numbers_of_a_step(name: str, step: int) -> None:
    check(name, TOURS[name].steps[step])


@pytest.mark.parametrize("name", TOURS)
def test_numbers_of_the_right_answer(name: str) -> None:
    check(name, TOURS[name].question.experiment)


@pytest.mark.parametrize(("name", "step"), STEPS)
def test_a_text_has_a_source_and_a_picture(name: str, step: int) -> None:
    found = TOURS[name].steps[step]
    assert found.sources
    assert set(found.pictures) <= PICTURES
    assert found.text


UNITS = "Mb/s|kb/s|ms|s|times|timeouts|packets|ACKs|places"
NUMBER = re.compile(rf"\d[\d.,]*(?:%| (?:{UNITS})\b)|(?<=is )\d\.\d+|(?<=to )\d\.\d+")
"""A number in a text that is a quantity."""


@pytest.mark.parametrize("name", TOURS)
def test_each_number_is_measured_or_given(name: str) -> None:
    tour = TOURS[name]
    experiment = tour.question.experiment
    steps = [*tour.steps, experiment]
    known = [*tour.given, *(fact.says for step in steps for fact in step.facts)]
    texts = [step.text for step in steps] + [answer.because for answer in tour.question.answers]
    found = [match[0] for text in texts for match in NUMBER.finditer(" ".join(text.split()))]
    assert len(found) > 8
    assert not [number for number in found if not any(number in each for each in known)]
    assert not [each for each in tour.given if each not in " ".join(" ".join(texts).split())]


@pytest.mark.parametrize("name", TOURS)
def test_a_fact_is_in_its_text(name: str) -> None:
    question = TOURS[name].question
    for step in TOURS[name].steps:
        assert not [f.says for f in step.facts if f.says not in " ".join(step.text.split())]
    said = " ".join(" ".join(answer.because for answer in question.answers).split())
    assert not [f.says for f in question.experiment.facts if f.says not in said]


@pytest.mark.parametrize("name", TOURS)
def test_one_answer_is_right(name: str) -> None:
    question = TOURS[name].question
    runs = results(name, tuple(question.experiment.overrides))
    values = [tours.measure(run, question.decides) for run in runs]
    # On the page the first seed alone decides, then the mean of those that are there.
    means = [sum(values[:n]) / n for n in range(1, len(values) + 1)]
    right = {tuple(question.right(value)) for value in means}
    assert len(right) == 1
    assert len(right.pop()) == 1
    assert set(question.experiment.pictures) <= PICTURES
    assert all(answer.because for answer in question.answers)
