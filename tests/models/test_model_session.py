"""(13) to (17): against a generator's null vector, exact arithmetic, and simulated queues."""

from __future__ import annotations

import heapq
import math
import time
from decimal import Decimal, localcontext

import numpy as np
import pytest
from evenair import models
from evenair.models import TABLE_1, Cell, ModelError, Variant
from hypothesis import given, settings
from hypothesis import strategies as st

DATA, ACK, FIRST = TABLE_1.tcp_data_s, TABLE_1.tcp_ack_s, 310e-6
SIZE, THINK = 30_000.0, 10.0
ROUND = DATA + ACK + 2 * FIRST


def services(stations: int, size: float, d: int = 1) -> np.ndarray:
    """mu_1, ..., mu_n."""
    return models.capacity(np.arange(1, stations + 1), d) / (8 * size)


# --- Set-up and one station -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("handshake", "microseconds"),
    [
        # By hand: DIFS, preamble, mean backoff, the packet, SIFS, preamble, ACK; twice.
        ("bare", 2 * (50 + 192 + 310 + 320 / 11 + 10 + 192 + 56)),
        ("mac-header", 2 * (50 + 192 + 310 + (320 + 272) / 11 + 10 + 192 + 56)),
        (
            "rts-cts",
            2 * (50 + 192 + 310 + (320 + 272) / 11 + 10 + 192 + 56 + 2 * (192 + 10) + 90 + 56),
        ),
    ],
)
def test_setup(handshake: str, microseconds: float) -> None:
    found = models.setup_time(variant=Variant(handshake=handshake))  # type: ignore[arg-type]
    assert found == pytest.approx(microseconds * 1e-6, abs=2e-9)


@settings(deadline=None, max_examples=50)
@given(st.floats(1, 1e6), st.integers(1, 5))
def test_14_literally(size: float, d: int) -> None:
    bits = 8 * size
    packets, whole = math.ceil(bits / 8000), math.floor(bits / 8000)
    saved = (packets - whole) * (8000 - bits % 8000) / 11e6
    expected = models.setup_time() + packets * (DATA + FIRST)
    expected += math.ceil(size / (1000 * d)) * (ACK + FIRST) - saved
    assert models.file_delay(size, d) == pytest.approx(expected, rel=1e-9)


def test_14_for_d_1_has_round_trips() -> None:
    assert models.file_delay(SIZE) == pytest.approx(models.setup_time() + 30 * ROUND, rel=1e-9)


def test_15() -> None:
    expected = models.setup_time() + SIZE / 1000 * ROUND
    assert models.mean_file_delay(SIZE) == pytest.approx(expected, rel=1e-9)
    # Half a packet of a constant size is nothing to lose.
    assert models.mean_file_delay(SIZE, "constant") == pytest.approx(expected, rel=1e-9)


def test_table_2() -> None:
    """0.1095 s is printed; within 2%, by (14) and by (15), as printed and without padding."""
    for distribution in ("any", "pareto"):
        assert models.mean_file_delay(SIZE, distribution) == pytest.approx(0.1095, rel=0.02)


@pytest.mark.parametrize("last_packet", ["partial", "padded"])
@pytest.mark.parametrize("d", [1, 3])
@pytest.mark.parametrize("mean", [700.0, 30_000.0])
def test_mean_of_14_over_exponential_sizes(mean: float, d: int, last_packet: str) -> None:
    """A million sizes at the middles of equal probabilities, through (14)."""
    variant = Variant(last_packet=last_packet)  # type: ignore[arg-type]
    u = (np.arange(1_000_000) + 0.5) / 1_000_000
    delays = models.file_delay(-mean * np.log1p(-u), d, variant=variant)
    found = models.mean_file_delay(mean, "exponential", delayed_ack=d, variant=variant)
    assert found == pytest.approx(delays.mean(), rel=1e-5)


@pytest.mark.parametrize("d", [1, 3])
@pytest.mark.parametrize(("mean", "shape"), [(30_000.0, 1.5), (900.0, 2.5), (12_345.0, 3.5)])
def test_mean_of_14_over_pareto_sizes(mean: float, shape: float, d: int) -> None:
    """E[ceil(X/a)] as the sum of P(X > k a), with the tail between its two integrals."""
    least = mean * (shape - 1) / shape
    mean_ceil = []
    for unit in (1000.0, 1000.0 * d):
        k = np.arange(200_000)
        survival = np.minimum(1, (least / np.maximum(k * unit, 1e-9)) ** shape)
        tail = (least / unit) ** shape * (k[-1] + 0.5) ** (1 - shape) / (shape - 1)
        mean_ceil.append(survival.sum() + tail)
    packets, acks = mean_ceil
    expected = models.setup_time() + packets * (DATA + FIRST) + acks * (ACK + FIRST)
    expected -= 8 * (1000 * packets - mean) / 11e6
    found = models.mean_file_delay(mean, "pareto", shape, d)
    assert found == pytest.approx(expected, rel=1e-8)


def test_numbers_of_an_independent_computation() -> None:
    """Of (14) over Pareto sizes, (15), and two readings that meet table 2."""
    assert models.mean_file_delay(SIZE, "pareto") == pytest.approx(0.1098, abs=5e-5)
    padded = Variant(last_packet="padded")
    assert models.mean_file_delay(SIZE, "pareto", variant=padded) == pytest.approx(0.1101, abs=1e-4)
    assert models.mean_file_delay(SIZE) == pytest.approx(0.1083, abs=5e-5)
    full = Variant(handshake="rts-cts")
    assert models.mean_file_delay(SIZE, variant=full) == pytest.approx(0.10947, abs=5e-6)
    short = Cell(rts_bits=160)
    found = models.mean_file_delay(SIZE, "pareto", cell=short, variant=padded)
    assert found == pytest.approx(0.10954, abs=5e-6)


def test_a_lone_session_is_a_renewal_process() -> None:
    found = models.lone_session(THINK, SIZE, "any")
    busy = found.mean_delay_s - found.setup_s
    assert found.active_mean == pytest.approx(busy / (busy + THINK), rel=1e-9)
    assert found.state_probabilities.sum() == pytest.approx(1, rel=1e-12)


# --- The queue ------------------------------------------------------------------------------------

cells = st.tuples(st.integers(1, 30), st.floats(0.05, 1000), st.floats(100, 1e6), st.integers(1, 4))


@settings(deadline=None, max_examples=50)
@given(cells)
def test_16_is_the_null_vector_of_the_generator(case: tuple[int, float, float, int]) -> None:
    n, think, size, d = case
    mu = services(n, size, d)
    generator = np.zeros((n + 1, n + 1))
    for k in range(n):
        generator[k, k + 1] = (n - k) / think
        generator[k + 1, k] = mu[k]
    generator -= np.diag(generator.sum(axis=1))
    equations = np.vstack([generator.T / np.abs(generator).max(), np.ones(n + 1)])
    pi = np.linalg.lstsq(equations, np.eye(n + 2)[-1])[0]
    found = models.session_delay(n, think, size, d)
    assert found.state_probabilities == pytest.approx(pi, abs=1e-9)
    assert found.active_mean == pytest.approx(pi @ np.arange(n + 1), rel=1e-6, abs=1e-9)


@settings(deadline=None, max_examples=50)
@given(cells)
def test_flow_balance(case: tuple[int, float, float, int]) -> None:
    """Sessions begin, lambda sum (n - k) pi_k, as often as they end, sum mu_k pi_k."""
    n, think, size, d = case
    found = models.session_delay(n, think, size, d)
    pi = found.state_probabilities
    begin = ((n - np.arange(n + 1)) * pi).sum() / think
    end = (services(n, size, d) * pi[1:]).sum()
    assert begin == pytest.approx(end, rel=1e-9)
    rate = found.active_mean / (found.mean_delay_s - found.setup_s)
    assert rate == pytest.approx(end, rel=1e-9)


@settings(deadline=None, max_examples=50)
@given(st.integers(1, 200), st.floats(100, 1e6))
def test_light_load_is_one_station_alone(n: int, size: float) -> None:
    """E[X]/C_1; the sum that is printed in (17) would give n times as little here."""
    found = models.session_delay(n, 1e15, size)
    alone = models.setup_time() + 8 * size / models.capacity(1)
    assert found.mean_delay_s == pytest.approx(alone, rel=1e-9)
    assert models.light_load_delay(size) == pytest.approx(alone, rel=1e-12)


@settings(deadline=None, max_examples=50)
@given(st.integers(1, 200), st.floats(100, 1e6))
def test_heavy_load_has_all_stations_active(n: int, size: float) -> None:
    found = models.session_delay(n, 1e-15, size)
    shared = models.setup_time() + n * 8 * size / models.capacity(n)
    assert found.mean_delay_s == pytest.approx(shared, rel=1e-9)
    assert models.saturated_delay(n, size) == pytest.approx(shared, rel=1e-12)


def test_delays_of_an_independent_computation() -> None:
    found = models.session_delay([1, 10, 39], THINK, SIZE).mean_delay_s
    assert found == pytest.approx([0.1029, 0.1131, 0.1654], abs=5e-5)


@pytest.mark.parametrize("think", [0.01, 10.0, 5_000.0])
def test_thousand_nodes_against_exact_arithmetic(think: float) -> None:
    """n = 1000: products from 1e-1300 to 1e1300 in 60 digits."""
    n = 999
    found = models.session_delay(n, think, SIZE)
    mu = services(n, SIZE)
    with localcontext() as context:
        context.prec = 60
        weights = [Decimal(1)]
        for k in range(1, n + 1):
            rate = Decimal(n - k + 1) / Decimal(think)
            weights.append(weights[-1] * rate / Decimal(float(mu[k - 1])))
        total = sum(weights)
        pi = [weight / total for weight in weights]
        active = sum(k * p for k, p in enumerate(pi))
        thinking = sum((n - k) * p for k, p in enumerate(pi))
        delay = float(active * Decimal(think) / thinking)
    assert found.mean_delay_s == pytest.approx(models.setup_time() + delay, rel=1e-9)
    assert found.active_mean == pytest.approx(float(active), rel=1e-9)
    assert found.state_probabilities == pytest.approx([float(p) for p in pi], abs=1e-12)
    assert found.state_probabilities.sum() == pytest.approx(1, rel=1e-12)


def simulate(n: int, think: float, draw: object, sessions: int) -> float:
    """Return the mean time in a processor-sharing queue whose capacity is C_k, by its events."""
    rng = np.random.default_rng(7)
    capacity = [0.0, *models.capacity(np.arange(1, n + 1))]
    # Each active session has got `served` since the beginning: a common clock of work per session.
    now = served = total = 0.0
    thinking = [rng.exponential(think) for _ in range(n)]
    heapq.heapify(thinking)
    active: list[tuple[float, float]] = []  # (served at its end, begin)
    done = 0
    while done < sessions:
        rate = capacity[len(active)] / len(active) if active else 0.0
        next_end = now + (active[0][0] - served) / rate if active else math.inf
        next_begin = thinking[0] if thinking else math.inf
        event = min(next_end, next_begin)
        served += (event - now) * rate
        now = event
        if next_end <= next_begin:
            _, begin = heapq.heappop(active)
            total += now - begin
            done += 1
            heapq.heappush(thinking, now + rng.exponential(think))
        else:
            heapq.heappop(thinking)
            heapq.heappush(active, (served + 8 * draw(rng), now))  # type: ignore[operator]
    return total / done


@pytest.mark.parametrize(
    "draw",
    [lambda rng: rng.exponential(SIZE), lambda _: SIZE],
    ids=["exponential sizes", "constant sizes"],
)
@pytest.mark.parametrize("think", [1.0, 10.0])
def test_insensitive_delay_by_simulating_the_queue(think: float, draw: object) -> None:
    """n = 11. 150,000 sessions: standard errors are 0.3 to 0.5%."""
    found = models.session_delay(10, think, SIZE)
    assert simulate(10, think, draw, 150_000) == pytest.approx(
        found.mean_delay_s - found.setup_s, rel=0.015
    )


def test_setup_in_the_cycle() -> None:
    """As if the station thought that much longer."""
    found = models.session_delay(20, 1.0, SIZE, variant=Variant(setup="in-cycle"))
    longer = models.session_delay(20, 1.0 + models.setup_time(), SIZE)
    assert found.mean_delay_s == pytest.approx(longer.mean_delay_s, rel=1e-12)


def test_delayed_ack_shortens_sessions() -> None:
    found = models.session_delay(30, 5.0, SIZE, [1, 2, 3]).mean_delay_s
    assert found[0] > found[1] > found[2]


@settings(deadline=None, max_examples=50)
@given(cells)
def test_scalars_are_entries_of_arrays(case: tuple[int, float, float, int]) -> None:
    n, think, size, d = case
    one = models.session_delay(n, think, size, d)
    assert isinstance(one.mean_delay_s, float)
    assert isinstance(one.active_mean, float)
    assert one.state_probabilities.shape == (n + 1,)
    many = models.session_delay([[n], [2 * n]], [think, 2 * think, 7.0], size, d)
    assert many.mean_delay_s.shape == (2, 3)
    assert many.state_probabilities.shape == (2, 3, 2 * n + 1)
    assert many.mean_delay_s[0, 0] == pytest.approx(one.mean_delay_s, rel=1e-9)
    assert many.state_probabilities[0, 0, : n + 1] == pytest.approx(
        one.state_probabilities, rel=1e-9, abs=1e-300
    )
    assert not many.state_probabilities[0, :, n + 1 :].any()
    each = models.session_delay(n, think, size, [d, d + 1])
    assert each.mean_delay_s[0] == pytest.approx(one.mean_delay_s, rel=1e-9)


@settings(deadline=None, max_examples=50)
@given(st.integers(1, 60), st.floats(0.1, 100))
def test_delay_rises_with_stations_and_falls_with_think_time(n: int, think: float) -> None:
    less, more = models.session_delay([n, n + 1], think, SIZE).mean_delay_s
    assert less < more
    assert models.session_delay(n, 1.1 * think, SIZE).mean_delay_s <= less * (1 + 1e-12)


@pytest.mark.parametrize(
    ("arguments", "key"),
    [
        ((0, 1, 1), "stations"),
        ((1.5, 1, 1), "stations"),
        ((2, 0, 1), "think"),
        ((2, -1, 1), "think"),
        ((2, math.inf, 1), "think"),
        ((2, 1, 0), "size"),
        ((2, 1, math.nan), "size"),
        ((2, 1, 1, 0), "delayed_ack"),
        ((range(1, 10_000), 1, 1), "stations"),
    ],
)
def test_bad_input(arguments: tuple[float, ...], key: str) -> None:
    with pytest.raises(ModelError, match=f"^{key}: got .*; accepted: "):
        models.session_delay(*arguments)


def test_bad_distributions() -> None:
    with pytest.raises(ModelError, match="shape: got 1; accepted: a number above 1"):
        models.mean_file_delay(SIZE, "pareto", 1.0)
    with pytest.raises(ModelError, match="size_distribution: got 'normal'; accepted: any, "):
        models.mean_file_delay(SIZE, "normal")


def best_of_five(function: object) -> float:
    times = []
    for _ in range(5):
        start = time.perf_counter()
        function()  # type: ignore[operator]
        times.append(time.perf_counter() - start)
    return min(times)


@pytest.mark.real_time("a bound of 50 ms")
def test_figure_8_takes_less_than_50_ms() -> None:
    stations = np.arange(1, 51)
    assert best_of_five(lambda: models.session_delay(stations, THINK, SIZE)) < 0.05


def test_thousand_nodes_take_less_than_100_ms() -> None:
    """In a cell never asked about: contention is solved anew each time."""
    cells = iter(range(900, 1000))
    assert (
        best_of_five(lambda: models.session_delay(999, 5.0, SIZE, cell=Cell(segment=next(cells))))
        < 0.1
    )
