"""(1) to (5): against closed forms, other solvers and a Monte-Carlo of the assumptions."""

from __future__ import annotations

import math

import numpy as np
import pytest
from evenair import models
from evenair.models import TABLE_1, Cell, ModelError, Variant
from hypothesis import given, settings
from hypothesis import strategies as st

NORMALISED = Variant(fixed_point="normalised")
SLOT = 20e-6


def closed_form(p: float, window: int = 32, gamma: int = 5, m: int = 7) -> float:
    """T_b/T_slot as (1) is printed."""
    return (
        (1 - p) * window / 2 * (1 - (2 * p) ** gamma) / (1 - 2 * p)
        - (1 - p**gamma) / 2
        + (2**gamma * window - 1) / 2 * (p**gamma - p**m)
    )


def test_collision_probability_of_two_nodes_is_the_papers() -> None:
    """The text below (6): 0.060."""
    assert f"{models.collision_probability(2):.3f}" == "0.060"


def test_two_nodes_solve_6() -> None:
    """(6) times P_C is a polynomial, whose roots are known to linear algebra."""
    p = np.polynomial.Polynomial([0, 1])
    stages = sum((1 - p) * p**k * (2 ** min(k, 5) * 32 - 1) / 2 for k in range(7))
    roots = (p * stages - 1).roots()
    real = roots[np.abs(roots.imag) < 1e-12].real
    smallest = min(root for root in real if 0 < root < 1)
    assert models.collision_probability(2) == pytest.approx(smallest, rel=1e-9)


@settings(deadline=None, max_examples=50)
@given(st.floats(0, 1).filter(lambda p: abs(p - 0.5) > 1e-3))
def test_mean_backoff_is_the_closed_form(p: float) -> None:
    assert models.mean_backoff(p) == pytest.approx(SLOT * closed_form(p), rel=1e-9, abs=1e-15)


def test_mean_backoff_at_one_half() -> None:
    """0/0 in the closed form: its limit is the mean of its neighbours."""
    near = (closed_form(0.5 - 1e-5) + closed_form(0.5 + 1e-5)) / 2
    assert models.mean_backoff(0.5) == pytest.approx(SLOT * near, rel=1e-6)
    assert models.mean_backoff(0) == pytest.approx(TABLE_1.first_backoff_s)
    assert models.mean_backoff(1) == 0
    assert models.mean_backoff(1, variant=NORMALISED) == pytest.approx(
        SLOT * sum((2 ** min(k, 5) * 32 - 1) / 2 for k in range(7)) / 7
    )


@pytest.mark.parametrize("nodes", [2, 3, 10, 50, 150, 214])
def test_the_smallest_root_is_taken(nodes: int) -> None:
    """Of all sign changes on a fine grid, which for 10 nodes end at the spurious one at 0.9987."""
    p = (np.arange(1, 1_000_000) / 1_000_000)[np.abs(np.arange(1, 1_000_000) - 500_000) > 0]
    slots = np.array(closed_form(p))
    right = 1 - np.clip(1 - 1 / slots, 0, 1) ** (nodes - 1)
    changes = np.flatnonzero(np.diff(np.sign(right - p)))
    assert models.collision_probability(nodes) == pytest.approx(p[changes[0]], abs=1.1e-6)
    if nodes == 10:
        assert p[changes[-1]] == pytest.approx(0.9987, abs=1e-4)


def test_no_root_from_215_nodes_on() -> None:
    assert 214 < models.most_nodes() < 215
    models.collision_probability(214)
    with pytest.raises(ModelError, match=r"nodes: got 215; accepted: up to 214, .*normalised"):
        models.collision_probability([2, 215])
    assert math.isinf(models.most_nodes(variant=NORMALISED))


def test_normalised_has_one_root_for_any_number() -> None:
    """Also that the switch changes little where both have one (an independent computation)."""
    p = models.collision_probability([10, 50], variant=NORMALISED)
    assert p == pytest.approx([0.29588, 0.5487], abs=5e-5)
    many = models.contention([300, 5_000], variant=NORMALISED)
    slots = many.mean_backoff_s / SLOT
    right = 1 - (1 - 1 / slots) ** (np.array([300, 5_000]) - 1)
    assert right == pytest.approx(many.collision_probability, rel=1e-9)


@settings(deadline=None, max_examples=50)
@given(st.integers(1, 214), st.sampled_from(["802.11b", "802.11a", "802.11g"]))
def test_2_holds(nodes: int, phy: str) -> None:
    cell = Cell(phy=phy)
    if nodes > models.most_nodes(cell):
        return
    found = models.contention(nodes, cell)
    slots = found.mean_backoff_s / cell.phy_timing.slot_s
    assert 1 - (1 - 1 / slots) ** (nodes - 1) == pytest.approx(
        found.collision_probability, rel=1e-9, abs=1e-15
    )
    assert models.mean_backoff(found.collision_probability, cell) == found.mean_backoff_s


def test_one_node_never_collides() -> None:
    found = models.contention(1)
    assert (found.collision_probability, found.wasted_time_s, found.drop_probability) == (0, 0, 0)
    assert found.total_backoff_s == found.mean_backoff_s == TABLE_1.first_backoff_s
    alone = models.contention(1, variant=Variant(collisions="per-channel"))
    assert alone.wasted_time_s == 0


def test_times_as_printed() -> None:
    """(3) to (5) in microseconds from P_C alone; the sums of (4) and (5) term by term."""
    nodes = np.array([2, 5, 10, 20])
    found = models.contention(nodes)
    p = found.collision_probability
    backoff = 20 * np.array([closed_form(x) for x in p])
    collision = 50 + backoff + 192 + 180 / 2 + 10
    assert found.collision_time_s * 1e6 == pytest.approx(collision, rel=1e-9)
    k = np.arange(2_000)[:, np.newaxis]
    collisions = (k * (1 - p) * p**k).sum(axis=0)
    assert found.wasted_time_s * 1e6 == pytest.approx(collision * collisions, rel=1e-9)
    attempts = ((k + 1) * (1 - p) * p**k).sum(axis=0)
    assert found.total_backoff_s * 1e6 == pytest.approx(backoff * attempts / nodes, rel=1e-9)
    assert found.drop_probability == pytest.approx(p**7)


def test_backoff_once() -> None:
    """43.2 us against 21.9 us (an independent computation)."""
    once = Variant(collision_backoff="excluded")
    assert models.contention(2).wasted_time_s * 1e6 == pytest.approx(43.2, abs=0.05)
    assert models.contention(2, variant=once).wasted_time_s * 1e6 == pytest.approx(21.9, abs=0.05)


def test_after_collision() -> None:
    """IEEE 802.11-2007 9.2.8: SIFS + slot + aPHY-RX-START-Delay, 10 + 20 + 192 us."""
    timeout = models.contention(2, variant=Variant(after_collision="timeout"))
    difference = timeout.collision_time_s - models.contention(2).collision_time_s
    assert difference == pytest.approx((222 - 10) * 1e-6)


@pytest.mark.parametrize("nodes", [2, 5, 20])
def test_collisions_per_channel_by_monte_carlo(nodes: int) -> None:
    """Nodes that attempt independently with T_slot/T_b in each slot; 5 standard errors."""
    variant = Variant(collisions="per-channel", collision_backoff="excluded")
    found = models.contention(nodes, variant=variant)
    rng = np.random.default_rng(1)
    slots = 1_000_000
    attempts = rng.binomial(nodes, SLOT / found.mean_backoff_s, slots)
    successes, collisions = np.sum(attempts == 1), np.sum(attempts > 1)
    expected = found.wasted_time_s / found.collision_time_s
    error = collisions / successes * math.sqrt(1 / collisions + 1 / successes)
    assert collisions / successes == pytest.approx(expected, abs=5 * error)


def test_arrays_and_scalars() -> None:
    found = models.contention([[1, 2], [3, 4]])
    assert all(value.shape == (2, 2) for value in found)
    for nodes, p in ((1, found[0][0, 0]), (4, found[0][1, 1])):
        assert isinstance(models.collision_probability(nodes), float)
        assert models.collision_probability(nodes) == p
    assert models.contention([]).mean_backoff_s.shape == (0,)


@pytest.mark.parametrize("nodes", [0, -1, 1.5, math.nan, math.inf, "two", [2, 0]])
def test_bad_nodes(nodes: object) -> None:
    with pytest.raises(ModelError, match=r"^nodes: got .*accepted: "):
        models.contention(nodes)  # type: ignore[arg-type]


def test_bad_probability() -> None:
    with pytest.raises(ModelError, match="accepted: numbers from 0 to 1"):
        models.mean_backoff([0.5, 1.1])


@pytest.mark.parametrize("key", ["fixed_point", "collisions", "handshake"])
def test_bad_variants(key: str) -> None:
    with pytest.raises(ModelError, match=f"^{key}: got 'other'; accepted: "):
        Variant(**{key: "other"})
