"""Throughput of persistent TCP downloads over the DCF: Miorandi et al., (7) to (12).

Receivers acknowledge every d-th segment and advertise a window of W* = d, so that no station has
more than one acknowledgement to send.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from evenair.models.cell import TABLE_1, Cell
from evenair.models.dcf import contention
from evenair.models.numbers import Numbers, integers, like_input
from evenair.models.variant import PRINTED, Variant

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

_STATES = 21
"""States of (11) that are summed. The probability of j backlogged stations is below 1/j! for any
n_c and d, so the neglected terms are below 1e-19, the resolution of a float."""


def one_station_throughput(
    delayed_ack: ArrayLike = 1, cell: Cell = TABLE_1, variant: Variant = PRINTED
) -> Numbers:
    """Return S_TCP(1, d) of (8), bit/s: one download with a window far above d. (7) is d = 1.

    The last term of (8) is printed without T_slot, which adds slots to seconds. With T_slot, (8)
    has (d + 1)/d backoffs per segment, like (12), and d = 1 gives (7). Raises ModelError.
    """
    d = integers("delayed_ack", delayed_ack)
    two = contention(2, cell, variant)
    contended = cell.tcp_ack_s + 2 * (two.total_backoff_s + two.wasted_time_s)
    uncontended = (d - 1) * cell.first_backoff_s
    return like_input(cell.segment_bits / (cell.tcp_data_s + (contended + uncontended) / d))


def backlog_distribution(stations: int, delayed_ack: int = 1) -> NDArray[np.float64]:
    """Return pi_k of (11), for d = 1 (9): k = 1, ..., n_c + 1 nodes are backlogged.

    The access point always is, each of n_c stations with probability 1/(d n_c), independently.
    Raises ModelError.
    """
    n, d = integers("stations", stations), integers("delayed_ack", delayed_ack)
    return _backlog(n, d, int(n) + 1)


def aggregate_throughput(
    stations: ArrayLike,
    delayed_ack: ArrayLike = 1,
    cell: Cell = TABLE_1,
    variant: Variant = PRINTED,
) -> Numbers:
    """Return n_c S_TCP(n_c, d), bit/s: the total of n_c downloads, (12), for d = 1 (10).

    The shapes of `stations` and `delayed_ack` are broadcast. Raises ModelError.
    """
    n = integers("stations", stations)
    d = integers("delayed_ack", delayed_ack)
    most = min(int(np.max(n, initial=1)) + 1, _STATES)
    pi = _backlog(n, d, most)
    acks = d[..., np.newaxis]
    times = (
        cell.tcp_data_s
        + cell.tcp_ack_s / acks
        + (acks + 1) / acks * _overheads(cell, variant, most)
    )
    if variant.average == "rates":
        total = cell.segment_bits * (pi / times).sum(axis=-1)
    else:
        total = cell.segment_bits / (pi * times).sum(axis=-1)
    if variant.lone_station != "mixture":
        total = np.where(n == 1, _lone(d, cell, variant), total)
    return like_input(np.asarray(total))


def connection_throughput(
    stations: ArrayLike,
    delayed_ack: ArrayLike = 1,
    cell: Cell = TABLE_1,
    variant: Variant = PRINTED,
) -> Numbers:
    """Return S_TCP(n_c, d), bit/s: one of n_c downloads, (12), for d = 1 (10). Raises ModelError.

    See `aggregate_throughput`.
    """
    n = integers("stations", stations)
    return like_input(np.asarray(aggregate_throughput(n, delayed_ack, cell, variant) / n))


def contention_free_round(delayed_ack: ArrayLike = 1, cell: Cell = TABLE_1) -> Numbers:
    """Return the duration of d segments and their acknowledgement without contention, seconds.

    For d = 1 this is the round-trip time of section 4.1. Raises ModelError.
    """
    d = integers("delayed_ack", delayed_ack)
    packets = d * cell.tcp_data_s + cell.tcp_ack_s
    return like_input(packets + (d + 1) * cell.first_backoff_s)


@cache
def _overheads(cell: Cell, variant: Variant, most: int) -> NDArray[np.float64]:
    """T_tbo(k) + T_W(k) for k = 1, ..., most backlogged nodes."""
    costs = contention(np.arange(1, most + 1), cell, variant)
    total: NDArray[np.float64] = costs.total_backoff_s + costs.wasted_time_s
    total.flags.writeable = False
    return total


def _lone(d: NDArray[np.float64], cell: Cell, variant: Variant) -> NDArray[np.float64]:
    if variant.lone_station == "contends":
        return np.asarray(one_station_throughput(d, cell, variant))
    return np.asarray(cell.segment_bits * d / contention_free_round(d, cell))


def _backlog(n: NDArray[np.float64], d: NDArray[np.float64], most: int) -> NDArray[np.float64]:
    """(11) for k = 1, ..., most on a new last axis: binomial, without large or small factors."""
    n, q = n[..., np.newaxis], 1 / (d * n)[..., np.newaxis]
    j = np.arange(most)
    # binomial(n, j) q^j is the product of (n - i) q/(i + 1), which is 0 from j = n + 1 on.
    ratios = np.maximum(n - j[:-1], 0) * q / (j[:-1] + 1)
    head = np.concatenate([np.ones_like(ratios[..., :1]), ratios], axis=-1).cumprod(axis=-1)
    # 0^0 is 1 here, for n_c = 1 and d = 1.
    return np.asarray(head * (1 - q) ** np.maximum(n - j, 0))
