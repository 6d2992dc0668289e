"""Questions a designer asks: how many stations, which think time. Roots of (17)."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from evenair.models.cell import TABLE_1, Cell
from evenair.models.numbers import ModelError, positive, whole
from evenair.models.session import light_load_delay, saturated_delay, session_delay
from evenair.models.variant import PRINTED, Variant

MOST_STATIONS = 100_000
"""Nobody asks for more in one cell, and the state probabilities have to fit into memory."""


class StationsForDelay(NamedTuple):
    """The most stations that a bound of the mean delay allows."""

    stations: int
    """0 if not even one keeps the bound."""
    mean_delay_s: float
    """Of so many stations; nan for 0."""
    next_delay_s: float
    """Of one more, which is beyond the bound."""


class ThinkForDelay(NamedTuple):
    """The shortest mean think time that a bound of the mean delay allows."""

    think_s: float
    """0 if even stations that never think keep the bound."""
    mean_delay_s: float
    """With it."""


def stations_for_delay(
    delay: float,
    think: float,
    size: float,
    delayed_ack: int = 1,
    cell: Cell = TABLE_1,
    variant: Variant = PRINTED,
) -> StationsForDelay:
    """Return how many stations can be in a cell before the mean session delay passes `delay`.

    Seconds and bytes; see `session_delay`. Found by doubling and halving: the delay rises with each
    station, because C_k/k falls. Raises ModelError.
    """
    bound = float(positive("delay", delay, "a time"))

    def delay_of(stations: int) -> float:
        mean: float = session_delay(stations, think, size, delayed_ack, cell, variant).mean_delay_s
        return mean

    high = 1
    while delay_of(high) <= bound:
        if high == MOST_STATIONS:
            raise ModelError(
                f"delay: got {bound:g} s; accepted: what {MOST_STATIONS} stations do not keep"
            )
        high = min(2 * high, MOST_STATIONS)
    low = high // 2  # kept, or 0
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
    """Return the shortest mean think time with which `stations` stations keep `delay` on average.

    Seconds and bytes; see `session_delay`. To 12 digits, by bisection of the logarithm: the delay
    falls from that of stations that never think to that of a single one. Raises ModelError, also
    where no think time is long enough.
    """
    bound = float(positive("delay", delay, "a time"))
    n = int(whole("stations", stations))
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
