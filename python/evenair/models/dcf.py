"""The DCF with backlogged nodes: Miorandi et al., (1) to (5).

T_b is the mean backoff before an attempt, P_C the probability that the attempt collides, n_b the
number of backlogged nodes, the access point included.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from evenair.models.cell import TABLE_1, Cell
from evenair.models.numbers import ModelError, Numbers, bisect, integers, like_input
from evenair.models.variant import PRINTED, Variant

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


class Contention(NamedTuple):
    """Costs of contention; each a float, or an array of the shape of `nodes`."""

    collision_probability: Numbers
    """P_C, (1) with (2)."""
    mean_backoff_s: Numbers
    """T_b, (1)."""
    drop_probability: Numbers
    """P_drop = P_C^m."""
    collision_time_s: Numbers
    """T_coll, (3)."""
    wasted_time_s: Numbers
    """T_W, (4): time in collisions per successful packet."""
    total_backoff_s: Numbers
    """T_tbo, (5): time in backoff per successful packet."""


def contention(nodes: ArrayLike, cell: Cell = TABLE_1, variant: Variant = PRINTED) -> Contention:
    """Return the results of (1) to (5) for `nodes` backlogged nodes, at least 1.

    Raises ModelError, also if (1) and (2) as printed have no solution.
    """
    count = integers("nodes", nodes)
    p = _collision_probability(count, cell, variant)
    backoff = cell.phy_timing.slot_s * _mean_slots(p, cell, variant)
    collision = _collision_time(backoff, cell, variant)
    wasted = collision * _collisions_per_packet(p, count, cell, variant)
    # (5): n_b nodes count down in parallel, 1/(1 - P_C) backoffs per success.
    total = backoff / (count * (1 - p))
    values = (p, backoff, p**cell.attempts, collision, wasted, total)
    return Contention(*(like_input(value) for value in values))


def collision_probability(
    nodes: ArrayLike, cell: Cell = TABLE_1, variant: Variant = PRINTED
) -> Numbers:
    """Return P_C, the solution of (1) and (2); (6) is the case of two nodes. See `contention`."""
    return contention(nodes, cell, variant).collision_probability


def mean_backoff(
    collision_probability: ArrayLike, cell: Cell = TABLE_1, variant: Variant = PRINTED
) -> Numbers:
    """Return T_b of (1), seconds, for a collision probability from 0 to 1.

    The printed closed form is 0/0 at P = 1/2. This is the underlying sum over the stages k = 0 to
    m - 1: (1 - P) P^k (2^min(k, gamma) CW_min - 1)/2. (In the text k goes up to m. But (1) and
    P_drop = P_C^m have m attempts, and (1) is the sum of m stages.)
    """
    p = np.asarray(collision_probability, dtype=np.float64)
    if not np.all((p >= 0) & (p <= 1)):
        raise ModelError("collision_probability: accepted: numbers from 0 to 1")
    return like_input(cell.phy_timing.slot_s * _mean_slots(p, cell, variant))


def most_nodes(cell: Cell = TABLE_1, variant: Variant = PRINTED) -> float:
    """Return the largest number of nodes for which (1) and (2) have a solution.

    Infinity if the fixed point is normalised.
    """
    if variant.fixed_point == "normalised":
        return float("inf")
    return 1 + float(_other_nodes(np.array(_highest_root(cell)), cell, variant))


# --- (1) and (2) ----------------------------------------------------------------------------------


def _mean_slots(p: NDArray[np.float64], cell: Cell, variant: Variant) -> NDArray[np.float64]:
    """T_b / T_slot: the mean of the stages' mean backoffs, weighted with (1 - P) P^k."""
    cell.require_dcf()
    stages = [(2 ** min(k, cell.doublings) * cell.cw_min - 1) / 2 for k in range(cell.attempts)]
    total = np.polynomial.polynomial.polyval(p, stages)
    if variant.fixed_point == "normalised":
        return np.asarray(total / np.polynomial.polynomial.polyval(p, np.ones(cell.attempts)))
    return np.asarray((1 - p) * total)


def _other_nodes(p: NDArray[np.float64], cell: Cell, variant: Variant) -> NDArray[np.float64]:
    """n_b - 1 as a function of P_C: (2) solved for it, with T_b from (1)."""
    return np.asarray(np.log1p(-p) / np.log1p(-1 / _mean_slots(p, cell, variant)))


@cache
def _highest_root(cell: Cell) -> float:
    """The P_C at which the printed n_b has its maximum. Roots above it are spurious.

    n_b increases with P_C from 1 until T_b, whose weights do not add up to 1, decreases towards 0.
    """
    low, high = 0.0, 1.0
    for _ in range(12):
        p = np.linspace(low, high, 66)[1:-1]
        slots = _mean_slots(p, cell, PRINTED)
        # A node attempts at most once per slot.
        nodes = np.where(slots > 1, np.log1p(-p) / np.log1p(-1 / np.maximum(slots, 1.01)), 0.0)
        peak = int(np.argmax(nodes))
        step = p[1] - p[0]
        low, high = p[peak] - step, p[peak] + step
    return float(p[peak])


def _collision_probability(
    nodes: NDArray[np.float64], cell: Cell, variant: Variant
) -> NDArray[np.float64]:
    most = np.floor(most_nodes(cell, variant))
    if np.any(nodes > most):
        raise ModelError(
            f"nodes: got {np.max(nodes):g}; accepted: up to {most:.0f}, where"
            " (1) and (2) as printed have a solution, or fixed_point=normalised"
        )
    highest = np.nextafter(1.0, 0.0) if variant.fixed_point == "normalised" else _highest_root(cell)
    p = bisect(
        np.zeros_like(nodes),
        np.full_like(nodes, highest),
        lambda p: _other_nodes(p, cell, variant) < nodes - 1,
    )
    return np.where(nodes == 1, 0.0, p)


# --- (3) and (4) ----------------------------------------------------------------------------------


def _collision_time(
    backoff_s: NDArray[np.float64], cell: Cell, variant: Variant
) -> NDArray[np.float64]:
    timing = cell.phy_timing
    wait = timing.sifs_s if variant.after_collision == "sifs" else timing.response_timeout_s
    fixed = timing.difs_s + cell.rts_s + wait
    if variant.collision_backoff == "excluded":
        return np.full_like(backoff_s, fixed)
    return fixed + backoff_s


def _collisions_per_packet(
    p: NDArray[np.float64], nodes: NDArray[np.float64], cell: Cell, variant: Variant
) -> NDArray[np.float64]:
    if variant.collisions == "per-node":
        return np.asarray(p / (1 - p))
    # The probability that two or more of n nodes attempt in a slot, each with probability tau =
    # T_slot/T_b, over the probability that exactly one does:
    # ((1 - (1-tau)^n) / (n tau (1-tau)^(n-1))) - 1, where (1-tau)^(n-1) = 1 - P by (2).
    tau = 1 / _mean_slots(p, cell, variant)
    busy = 1 - (1 - tau) * (1 - p)
    return np.where(nodes == 1, 0.0, busy / (nodes * tau * (1 - p)) - 1)
