"""Inverse questions: by trying every answer, and by asking back."""

from __future__ import annotations

import math

import numpy as np
import pytest
from evenair import models
from evenair.models import ModelError
from hypothesis import given, settings
from hypothesis import strategies as st

SIZE = 30_000.0


@pytest.mark.parametrize(("delay", "think"), [(1.0, 10.0), (0.11, 10.0), (0.5, 1.0), (5.0, 0.5)])
def test_most_stations_by_trying_all(delay: float, think: float) -> None:
    delays = models.session_delay(np.arange(1, 301), think, SIZE).mean_delay_s
    beyond = int(np.flatnonzero(delays > delay)[0]) + 1
    found = models.stations_for_delay(delay, think, SIZE)
    assert found.stations == beyond - 1
    assert found.next_delay_s == pytest.approx(delays[beyond - 1], rel=1e-9)
    assert found.mean_delay_s == pytest.approx(delays[beyond - 2], rel=1e-9)


def test_not_even_one_station() -> None:
    found = models.stations_for_delay(0.05, 10.0, SIZE)
    assert found.stations == 0
    assert math.isnan(found.mean_delay_s)
    assert found.next_delay_s > 0.05


def test_exactly_at_the_bound_is_kept() -> None:
    bound = models.session_delay(40, 10.0, SIZE).mean_delay_s
    assert models.stations_for_delay(bound, 10.0, SIZE).stations == 40
    assert models.stations_for_delay(bound * (1 - 1e-9), 10.0, SIZE).stations == 39


@settings(deadline=None, max_examples=50)
@given(st.integers(2, 300), st.floats(0.12, 20), st.integers(1, 3))
def test_think_time_gives_the_delay(stations: int, delay: float, d: int) -> None:
    found = models.think_for_delay(delay, stations, SIZE, d)
    if found.think_s == 0:
        assert found.mean_delay_s == models.saturated_delay(stations, SIZE, d) <= delay
        return
    back = models.session_delay(stations, found.think_s, SIZE, d).mean_delay_s
    assert back == pytest.approx(delay, rel=1e-9)


def test_the_two_questions_agree() -> None:
    think = models.think_for_delay(1.0, 100, SIZE).think_s
    assert models.stations_for_delay(1.0, think * (1 + 1e-9), SIZE).stations == 100
    assert models.stations_for_delay(1.0, think * (1 - 1e-6), SIZE).stations == 99


def test_no_answer() -> None:
    alone = models.light_load_delay(SIZE)
    with pytest.raises(ModelError, match=r"^delay: got .*; accepted: above 0\.102914 s"):
        models.think_for_delay(alone, 5, SIZE)
    with pytest.raises(ModelError, match=r"^delay: got 1e\+09 s; accepted: "):
        models.stations_for_delay(1e9, 10.0, SIZE)
    with pytest.raises(ModelError, match=r"^delay: got -1; accepted: a time above 0"):
        models.stations_for_delay(-1, 10.0, SIZE)
    with pytest.raises(ModelError, match=r"^stations: got 0"):
        models.think_for_delay(1, 0, SIZE)
