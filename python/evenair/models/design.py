"""Dimensioning: the number of stations, or the think time, for a bound of the delay, by (17)."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from evenair.models.cell import TABLE_1, Cell
from evenair.models.numbers import ModelError, integers, positive
from evenair.models.session import light_load_delay, saturated_delay, session_delay
from evenair.models.variant import PRINTED, Variant

MAX_STATIONS = 100_000
"""The largest number of stations; the state probabilities must fit into memory."""


class StationsForDelay(NamedTuple):
    """The most stations that a bound of the mean delay allows."""

    stations: int
    """0 if even a single station exceeds the bound."""
    mean_delay_s: float
    """The delay of that many stations; NaN for 0."""
    next_delay_s: float
    """The delay of one station more, which exceeds the bound."""


class ThinkForDelay(NamedTuple):
    """The shortest mean think time that a bound of the mean delay allows."""

    think_s: float
    """0 if the bound is met without any think time."""
    mean_delay_s: float
    """The delay with this think time."""


def stations_for_delay(
    delay: float,
    think: float,
    size: float,
    delayed_ack: int = 1,
    cell: Cell = TABLE_1,
    variant: Variant = PRINTED,
) -> StationsForDelay:
    """Return the largest number of stations with a mean session delay of at most `delay`.

    Seconds and bytes; see `session_delay`. By exponential and binary search: the delay increases
    with the number of stations, because C_k/k decreases. Raises ModelError.
    """
    bound = float(positive("delay", delay, "a time"))

    def delay_of(stations: int) -> float:
        mean: float = session_delay(stations, think, size, delayed_ack, cell, variant).mean_delay_s
        return mean

    high = 1
    while delay_of(high) <= bound:
        if high == MAX_STATIONS:
            raise ModelError(
                f"delay: got {bound:g} s; accepted: what {MAX_STATIONS} stations do not keep"
            )
        high = min(2 * high, MAX_STATIONS)
    low = high // 2  # meets the bound, or is 0
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if delay_of(middle) <= bound else (low, middle)
    return StationsForDelay(low, delay_of(low) if low else math.nan, delay_of(high))


def think_for_delay(
    delay: float,
    stations: int,
    size: float,
    delayed_ack: int = 1,
    cell: Cell = TABLE_1,
    variant: Variant = PRINTED,
) -> ThinkForDelay:
    """Return the shortest mean think time with a mean session delay of at most `delay`.

    Seconds and bytes; see `session_delay`. To 12 digits, by bisection of the logarithm: the delay
    decreases from that without think time to that of a single station. Raises ModelError, also if
    no think time is long enough.
    """
    bound = float(positive("delay", delay, "a time"))
    n = int(integers("stations", stations))
    least = light_load_delay(size, delayed_ack, cell, variant)
    worst = saturated_delay(n, size, delayed_ack, cell, variant)
    if bound >= worst:
        return ThinkForDelay(0.0, worst)
    if bound <= least:
        raise ModelError(
            f"delay: got {bound:g} s; accepted: above {least:.6g} s, what a session takes alone"
        )

    def delay_of(log_think: float) -> float:
        think = math.exp(log_think)
        mean: float = session_delay(n, think, size, delayed_ack, cell, variant).mean_delay_s
        return mean

    low, high = math.log(least * 1e-9), math.log(worst)
    while delay_of(high) > bound:
        high += 1
        if high > 700:
            raise ModelError(
                f"delay: got {bound:g} s, too near to {least:.6g} s for any think time"
            )
    while high - low > 1e-12 * max(abs(high), 1.0):
        middle = (low + high) / 2
        low, high = (middle, high) if delay_of(middle) > bound else (low, middle)
    return ThinkForDelay(float(np.exp(high)), delay_of(high))
