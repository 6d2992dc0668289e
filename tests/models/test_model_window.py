"""The appendix: against the chain as a matrix, and renewal-reward sums over it."""

from __future__ import annotations

import numpy as np
import pytest
from evenair import models
from evenair.models import TABLE_1, ModelError
from hypothesis import given, settings
from hypothesis import strategies as st

DATA, ACK, FIRST = TABLE_1.tcp_data_s, TABLE_1.tcp_ack_s, 310e-6


def contended() -> float:
    found = models.contention(2)
    return found.total_backoff_s + found.wasted_time_s


def chain(window: int, d: int) -> np.ndarray:
    """Transition probabilities of X_S, from who has something to send."""
    matrix = np.zeros((window + 1, window + 1))
    for waiting in range(window + 1):
        data, ack = waiting >= 1, window - waiting >= d
        for possible, to in ((data, waiting - 1), (ack, waiting + d)):
            if possible:
                matrix[waiting, to] += 1 / (data + ack)
    return matrix


def stationary(matrix: np.ndarray) -> np.ndarray:
    size = len(matrix)
    equations = np.vstack([matrix.T - np.eye(size), np.ones(size)])
    return np.linalg.lstsq(equations, np.eye(size + 1)[-1])[0]


windows = st.integers(1, 40).flatmap(lambda w: st.tuples(st.just(w), st.integers(1, w)))


@settings(deadline=None, max_examples=50)
@given(windows)
def test_queue_distribution_solves_the_chain(case: tuple[int, int]) -> None:
    window, d = case
    found = models.queue_distribution(window, d)
    assert found == pytest.approx(stationary(chain(window, d)), abs=1e-9)


@pytest.mark.parametrize("window", [1, 2, 4, 50])
def test_a_1(window: int) -> None:
    pi = models.queue_distribution(window)
    assert pi[1:-1] == pytest.approx(np.full(window - 1, 1 / window), rel=1e-9)
    assert pi[[0, -1]] == pytest.approx([1 / (2 * window)] * 2, rel=1e-9)


@settings(deadline=None, max_examples=50)
@given(windows)
def test_throughput_is_the_renewal_reward(case: tuple[int, int]) -> None:
    """(A.2), term by term over the chain; for d = 1 it is (A.2) as printed."""
    window, d = case
    pi = stationary(chain(window, d))
    segments = time = 0.0
    for waiting in range(window + 1):
        data, ack = waiting >= 1, window - waiting >= d
        if data and ack:
            segments += pi[waiting] / 2
            time += pi[waiting] * ((DATA + ACK) / 2 + contended())
        else:
            segments += pi[waiting] if data else 0
            time += pi[waiting] * ((DATA if data else ACK) + FIRST)
    assert models.window_throughput(window, d) == pytest.approx(8000 * segments / time, rel=1e-9)


@pytest.mark.parametrize("window", [1, 2, 3, 10, 1000])
def test_a_2_is_a_3(window: int) -> None:
    """Both as printed, with T_TCP_data, T_TCP_ack and L_TCP for T_P, T_A and L."""
    inner, outer = (window - 1) / window, 1 / (2 * window)
    per_packet = inner * ((DATA + ACK) / 2 + contended()) + outer * (ACK + DATA + 2 * FIRST)
    a_2 = 8000 * (inner / 2 + outer) / per_packet
    phi = (2 * (window - 1) * contended() + 20e-6 * 31) / window
    assert models.contention_time(window) == pytest.approx(phi, rel=1e-9)
    assert models.window_throughput(window) == pytest.approx(a_2, rel=1e-9)
    assert models.window_throughput(window) == pytest.approx(8000 / (DATA + ACK + phi), rel=1e-9)


def test_window_of_one_is_the_round_trip_of_section_4_1() -> None:
    assert models.contention_time(1) == pytest.approx(620e-6, rel=1e-9)
    round_trip = DATA + ACK + 31 * 20e-6
    assert models.window_throughput(1) == pytest.approx(8000 / round_trip, rel=1e-9)
    assert models.contention_free_round(1) == pytest.approx(round_trip, rel=1e-9)


def test_large_windows_tend_to_7_and_8() -> None:
    assert models.window_throughput(10**12) == pytest.approx(
        models.one_station_throughput(1), rel=1e-9
    )
    d = np.array([2, 3, 7])
    assert models.window_throughput(65_000, d) == pytest.approx(
        models.one_station_throughput(d), rel=1e-9
    )
    # An independent computation: 439.6 us.
    assert models.contention_time(10**12) * 1e6 == pytest.approx(439.6, abs=0.05)


@pytest.mark.parametrize("d", [1, 2, 5, 300])
def test_window_of_d_is_free_of_contention(d: int) -> None:
    assert models.contended_share(d, d) == 0
    assert models.window_throughput(d, d) == pytest.approx(
        8000 * d / models.contention_free_round(d), rel=1e-9
    )


@pytest.mark.parametrize("d", [2, 3, 50])
def test_no_step_where_the_chain_is_no_longer_solved(d: int) -> None:
    """Beyond d + 100 the share is taken as 1."""
    assert models.contended_share(d + 100, d) == pytest.approx(1, abs=1e-15)


@settings(deadline=None, max_examples=50)
@given(st.integers(1, 10**6))
def test_phi_falls(window: int) -> None:
    """The paper's derivative: 2 (T_tbo + T_W) is below T_slot (CW_min - 1)."""
    near, far = models.contention_time([window, window + 1])
    assert near > far


def test_arrays_and_scalars() -> None:
    table = models.window_throughput([[4], [9]], [1, 2, 3])
    assert table.shape == (2, 3)
    assert isinstance(models.window_throughput(9, 3), float)
    assert models.window_throughput(9, 3) == table[1, 2]


@pytest.mark.parametrize("function", [models.window_throughput, models.queue_distribution])
def test_delayed_ack_above_the_window(function: object) -> None:
    with pytest.raises(ModelError, match=r"^delayed_ack: got 5; accepted: at most the window, 4"):
        function(4, 5)  # type: ignore[operator]
    with pytest.raises(ModelError, match=r"^window: got 0"):
        function(0, 1)  # type: ignore[operator]
