"""(7) to (12): against each other, and against sums written out with exact binomials."""

from __future__ import annotations

import math

import numpy as np
import pytest
from evenair import models
from evenair.models import TABLE_1, Cell, ModelError, Variant
from hypothesis import given, settings
from hypothesis import strategies as st

DATA, ACK, FIRST = TABLE_1.tcp_data_s, TABLE_1.tcp_ack_s, 310e-6


def overhead(nodes: int) -> float:
    found = models.contention(nodes)
    return found.total_backoff_s + found.wasted_time_s


def equation_7() -> float:
    return 8000 / (DATA + ACK + 2 * overhead(2))


def test_8_at_d_1_is_7() -> None:
    assert models.one_station_throughput(1) == pytest.approx(equation_7(), rel=1e-9)


def test_10_at_one_connection_is_7() -> None:
    assert models.aggregate_throughput(1) == pytest.approx(equation_7(), rel=1e-9)


def test_8_with_the_slot_that_is_missing_in_print() -> None:
    d = 4
    time = DATA + (ACK + 2 * overhead(2)) / d + (d - 1) / d * 31 / 2 * 20e-6
    assert models.one_station_throughput(d) == pytest.approx(8000 / time, rel=1e-9)
    # An independent computation of the corrected equation.
    assert models.one_station_throughput(2) == pytest.approx(2.901e6, abs=500)
    assert models.aggregate_throughput(1, 2) == pytest.approx(2.879e6, abs=500)


def test_numbers_of_an_independent_computation() -> None:
    assert models.aggregate_throughput(1) == pytest.approx(2.3707e6, abs=50)
    assert models.aggregate_throughput(1, cell=Cell(rts_bits=160)) == pytest.approx(
        2.3857e6, abs=50
    )


@settings(deadline=None, max_examples=50)
@given(st.integers(1, 300), st.integers(1, 20))
def test_backlog_distribution(stations: int, d: int) -> None:
    """Binomial, by whole numbers; adds up to 1; 1 + 1/d nodes on average."""
    pi = models.backlog_distribution(stations, d)
    assert len(pi) == stations + 1
    assert pi.sum() == pytest.approx(1, abs=1e-9)
    assert pi @ np.arange(1, stations + 2) == pytest.approx(1 + 1 / d, rel=1e-9)
    for j in {0, 1, stations // 2, stations}:
        exact = math.comb(stations, j) * (d * stations - 1) ** (stations - j)
        assert pi[j] == pytest.approx(exact / (d * stations) ** stations, rel=1e-9)


@pytest.mark.parametrize(("stations", "d"), [(1, 1), (1, 3), (2, 1), (10, 2), (30, 1), (60, 5)])
def test_12_written_out(stations: int, d: int) -> None:
    total = 0.0
    for k in range(1, stations + 2):
        pi = (
            math.comb(stations, k - 1)
            * (1 / (d * stations)) ** (k - 1)
            * (1 - 1 / (d * stations)) ** (stations - k + 1)
        )
        time = DATA + ACK / d + (d + 1) / d * overhead(k)
        total += 8000 * pi / (stations * time)
    assert models.connection_throughput(stations, d) == pytest.approx(total, rel=1e-9)
    assert models.aggregate_throughput(stations, d) == pytest.approx(stations * total, rel=1e-9)


def test_few_attempts() -> None:
    """With two, (1) and (2) have a root up to 13 nodes; a few stations never are as many."""
    cell = Cell(attempts=2)
    assert 13 < models.most_nodes(cell) < 14
    assert models.aggregate_throughput(12, cell=cell) > 0
    with pytest.raises(ModelError, match=r"accepted: up to 13, .* or fixed_point=normalised"):
        models.aggregate_throughput(13, cell=cell)
    assert models.aggregate_throughput(13, 1, cell, Variant(fixed_point="normalised")) > 0


def test_large_cells() -> None:
    """Poisson's limit: what a million stations get is what 1000 get, nearly."""
    many = models.aggregate_throughput([1_000, 1_000_000])
    assert np.all(np.isfinite(many))
    assert many[0] == pytest.approx(many[1], rel=1e-3)


@pytest.mark.parametrize("d", [1, 2, 5])
def test_a_lone_station(d: int) -> None:
    """Three readings of one connection."""
    alone = Variant(lone_station="alone")
    free = d * (DATA + FIRST) + ACK + FIRST
    assert models.aggregate_throughput(1, d, variant=alone) == pytest.approx(8000 * d / free)
    assert models.contention_free_round(d) == pytest.approx(free)
    contends = Variant(lone_station="contends")
    assert models.aggregate_throughput(1, d, variant=contends) == pytest.approx(
        models.one_station_throughput(d)
    )
    for variant in (alone, contends):
        both = models.aggregate_throughput([1, 2], d, variant=variant)
        assert both[1] == models.aggregate_throughput(2, d)


def test_means_of_rates_and_of_times() -> None:
    """0.06% at ten connections, and Jensen's way round."""
    rates = models.aggregate_throughput(10)
    times = models.aggregate_throughput(10, variant=Variant(average="times"))
    assert 0.0004 < rates / times - 1 < 0.0008


@settings(deadline=None, max_examples=50)
@given(st.integers(1, 100), st.integers(1, 10))
def test_scalars_are_entries_of_arrays(stations: int, d: int) -> None:
    one = models.aggregate_throughput(stations, d)
    assert isinstance(one, float)
    table = models.aggregate_throughput([[1], [stations]], [d, 7, 1])
    assert table.shape == (2, 3)
    assert table[1, 0] == pytest.approx(one, rel=1e-12)
    assert isinstance(models.connection_throughput(stations, d), float)
    assert isinstance(models.one_station_throughput(d), float)


@settings(deadline=None, max_examples=50)
@given(st.integers(1, 200), st.integers(1, 30))
def test_thinning_helps(stations: int, d: int) -> None:
    few, many = models.aggregate_throughput(stations, [d, d + 1])
    assert few < many < 11e6


@pytest.mark.parametrize(("stations", "d"), [(0, 1), (-3, 1), (2, 0), (2, -1), (2, 1.5)])
def test_bad_input(stations: float, d: float) -> None:
    for function in (models.aggregate_throughput, models.connection_throughput):
        with pytest.raises(ModelError, match=r"^(stations|delayed_ack): got "):
            function(stations, d)
