"""Delay of web sessions: Miorandi et al., (13) to (17).

A session is the transfer of a file of mean size E[X]; sessions are separated by think times. The
window is W* = d segments, one for d = 1. Sizes are in bytes, and KB is 1000 bytes: with 1024 no
reading reproduces table 2.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from evenair.models.cell import TABLE_1, Cell
from evenair.models.numbers import ModelError, Numbers, above, integers, like_input, positive
from evenair.models.tcp import aggregate_throughput
from evenair.models.variant import PRINTED, Variant

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

DISTRIBUTIONS = ("constant", "exponential", "pareto")
"""Distributions of file sizes. Pareto is of type I: its minimum is mean (shape - 1)/shape, as in
ns-2."""


_MAX_PROBABILITIES = 20_000_000
"""The largest number of values of (16) in one call: some hundreds of megabytes."""


class Session(NamedTuple):
    """Sessions in a cell; each a float, or an array of the arguments' shape."""

    mean_delay_s: Numbers
    """E[T_session], (17), for one station (14) or (15)."""
    setup_s: float
    """E[T_setup], (13), a part of the delay."""
    active_mean: Numbers
    """E[Y]: stations that are in a session."""
    state_probabilities: NDArray[np.float64]
    """pi_k, (16): k = 0, ..., n - 1 stations are in a session, along the last axis. If `stations`
    is an array, the axis is as long as the largest needs, and ends in zeros for the others."""


def setup_time(cell: Cell = TABLE_1, variant: Variant = PRINTED) -> float:
    """Return E[T_setup] of (13), seconds: two packets of the handshake; the third carries data.

    As printed, they have neither RTS/CTS nor the MAC's overhead; see `Variant.handshake`.
    """
    if variant.handshake == "rts-cts":
        return 2 * (cell.tcp_ack_s + cell.first_backoff_s)
    timing = cell.phy_timing
    overhead = 8 * cell.mac_overhead if variant.handshake == "mac-header" else 0
    frame = cell.frame_s(overhead + 8 * cell.header)
    return 2 * (timing.difs_s + cell.first_backoff_s + frame + timing.sifs_s + cell.ack_s)


# --- One station ----------------------------------------------------------------------------------


def file_delay(
    size: ArrayLike, delayed_ack: ArrayLike = 1, cell: Cell = TABLE_1, variant: Variant = PRINTED
) -> Numbers:
    """Return the delay of a file of `size` bytes with a single station, (14), seconds.

    d > 1: ceil(X/(d L_TCP)) acknowledgements, without the timer before the last. The bits that the
    last packet is shorter are subtracted at the data rate; the padding to whole OFDM symbols is
    neglected. Raises ModelError.
    """
    x, d = positive("size", size, "a size"), integers("delayed_ack", delayed_ack)
    packets, acks = np.ceil(x / cell.segment), np.ceil(x / (cell.segment * d))
    return like_input(np.asarray(_one_station_delay(x, packets, acks, cell, variant)))


def mean_file_delay(
    size: ArrayLike,
    distribution: str = "any",
    shape: ArrayLike = 1.5,
    delayed_ack: ArrayLike = 1,
    cell: Cell = TABLE_1,
    variant: Variant = PRINTED,
) -> Numbers:
    """Return the mean delay of files of mean `size` bytes with a single station, seconds.

    `distribution` is one of DISTRIBUTIONS, for the exact mean of (14), or "any" for (15), which
    counts E[X]/L_TCP packets for any distribution and so neglects half a packet. `shape` is
    Pareto's, above 1. Raises ModelError.
    """
    x, d = positive("size", size, "a size"), integers("delayed_ack", delayed_ack)
    if distribution == "any":
        packets = x / cell.segment
        total = setup_time(cell, variant) + _transfer(packets, packets / d, cell)
        return like_input(np.asarray(total))
    packets = _mean_ceil(x / cell.segment, distribution, shape)
    acks = _mean_ceil(x / (cell.segment * d), distribution, shape)
    return like_input(np.asarray(_one_station_delay(x, packets, acks, cell, variant)))


def _one_station_delay(
    size: NDArray[np.float64],
    packets: NDArray[np.float64],
    acks: NDArray[np.float64],
    cell: Cell,
    variant: Variant,
) -> NDArray[np.float64]:
    """(14), or its mean: it is linear in sizes and counts."""
    delay = setup_time(cell, variant) + _transfer(packets, acks, cell)
    if variant.last_packet == "partial":
        # (14)'s (ceil - floor)(L - X mod L) is ceil(X/L) L - X.
        delay = delay - 8 * (packets * cell.segment - size) / cell.resolved["data_rate"]
    return np.asarray(delay)


def _transfer(
    packets: NDArray[np.float64], acks: NDArray[np.float64], cell: Cell
) -> NDArray[np.float64]:
    data, ack = cell.tcp_data_s, cell.tcp_ack_s
    return packets * (data + cell.first_backoff_s) + acks * (ack + cell.first_backoff_s)


def _mean_ceil(
    mean: NDArray[np.float64], distribution: str, shape: ArrayLike
) -> NDArray[np.float64]:
    """E[ceil(X)], the sum of P(X > k) over k = 0, 1, ..., for X of that mean."""
    if distribution == "constant":
        return np.ceil(mean)
    if distribution == "exponential":
        return np.asarray(-1 / np.expm1(-1 / mean))
    if distribution == "pareto":
        beta = above("shape", shape, 1, ", where there is a mean")
        least = mean * (beta - 1) / beta
        first = np.ceil(least)
        return np.asarray(first + least**beta * _hurwitz_zeta(beta, first))
    accepted = ", ".join(("any", *DISTRIBUTIONS))
    raise ModelError(f"size_distribution: got {distribution!r}; accepted: {accepted}")


def _hurwitz_zeta(s: NDArray[np.float64], a: NDArray[np.float64]) -> NDArray[np.float64]:
    """The sum of (a + k)^-s over k = 0, 1, ...: 16 terms, then the Euler-Maclaurin formula.

    NIST Digital Library of Mathematical Functions, 25.11.5 and 2.10.1.
    """
    head = sum((a + k) ** -s for k in range(16))
    x = a + 16
    tail = x ** (1 - s) / (s - 1) + x**-s / 2
    term = s * x ** (-s - 1)
    for k, bernoulli in enumerate((1 / 12, -1 / 720, 1 / 30240, -1 / 1209600)):
        tail = tail + bernoulli * term
        term = term * (s + 2 * k + 1) * (s + 2 * k + 2) / x**2
    return np.asarray(head + tail)


# --- Several stations -----------------------------------------------------------------------------


def session_delay(
    stations: ArrayLike,
    think: ArrayLike,
    size: ArrayLike,
    delayed_ack: ArrayLike = 1,
    cell: Cell = TABLE_1,
    variant: Variant = PRINTED,
) -> Session:
    """Return the mean delay of sessions among `stations` stations, (16) and (17).

    `stations` is n - 1: the paper's n counts the access point. `think` is the mean think time,
    seconds, `size` the mean file size, bytes; only means matter, not distributions. Arguments are
    broadcast. Raises ModelError.

    k active sessions share the capacity C_k = k S_TCP(k, d). In (17) the rate of sessions is
    printed as lambda sum (k + 1) pi_k; here it is lambda sum (n - 1 - k) pi_k, the rate of the
    thinking stations. Flow balance, sum mu_k pi_k, and the limit of light load, E[X]/C_1, require
    this; both agree for a single station.
    """
    n, z, x, d = np.broadcast_arrays(
        integers("stations", stations),
        positive("think", think, "a time"),
        positive("size", size, "a size"),
        integers("delayed_ack", delayed_ack),
    )
    setup = setup_time(cell, variant)
    idle = z + setup if variant.setup == "in-cycle" else z
    states = np.arange(int(np.max(n, initial=1)) + 1)
    if n.size * len(states) > _MAX_PROBABILITIES:
        raise ModelError(
            f"stations: got {n.size} cells of up to {len(states) - 1}; accepted: fewer"
        )
    pi = _state_probabilities(n, idle, x, d, states, cell, variant)
    active = pi @ states
    # The mean number of thinking stations; n - 1 - E[Y] would suffer from cancellation.
    thinking = (pi * np.maximum(n[..., np.newaxis] - states, 0)).sum(axis=-1)
    delay = setup + active * idle / thinking
    return Session(like_input(np.asarray(delay)), setup, like_input(np.asarray(active)), pi)


def capacity(
    sessions: ArrayLike,
    delayed_ack: ArrayLike = 1,
    cell: Cell = TABLE_1,
    variant: Variant = PRINTED,
) -> Numbers:
    """Return C_k, bit/s: the total throughput of k active sessions. Raises ModelError."""
    return aggregate_throughput(sessions, delayed_ack, cell, variant)


def _state_probabilities(
    n: NDArray[np.float64],
    think: NDArray[np.float64],
    size: NDArray[np.float64],
    d: NDArray[np.float64],
    states: NDArray[np.int64],
    cell: Cell,
    variant: Variant,
) -> NDArray[np.float64]:
    """(16) in logarithms: for n = 1000 its products overflow a float."""
    k = states[1:]
    # C_k is the most expensive part: compute it once for each d.
    if d.size and np.all(d == d.flat[0]):
        shared: NDArray[np.float64] = np.asarray(capacity(k, d.flat[0], cell, variant))
    else:
        shared = np.asarray(capacity(k, d[..., np.newaxis], cell, variant))
    service = np.log(shared) - np.log(8 * size)[..., np.newaxis]  # log mu_k
    idle = n[..., np.newaxis] - k + 1
    # State k is reached from k - 1 by one of n - k + 1 stations; states above n do not exist.
    with np.errstate(divide="ignore"):
        arrival = np.log(np.maximum(idle, 0)) - np.log(think)[..., np.newaxis]
    weights = np.concatenate(
        [np.zeros((*n.shape, 1)), np.cumsum(arrival - service, axis=-1)], axis=-1
    )
    weights = np.exp(weights - weights.max(axis=-1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=-1, keepdims=True))


def lone_session(
    think: ArrayLike,
    size: ArrayLike,
    distribution: str,
    shape: ArrayLike = 1.5,
    delayed_ack: ArrayLike = 1,
    cell: Cell = TABLE_1,
    variant: Variant = PRINTED,
) -> Session:
    """Return the result of `session_delay` for one station by the affine model, (14) or (15).

    `distribution` as in `mean_file_delay`. As in (17), the set-up is not part of the active time.
    Raises ModelError.
    """
    delay = np.asarray(mean_file_delay(size, distribution, shape, delayed_ack, cell, variant))
    setup = setup_time(cell, variant)
    idle = positive("think", think, "a time") + (setup if variant.setup == "in-cycle" else 0)
    active = (delay - setup) / (delay - setup + idle)
    states = np.stack([1 - active, active], axis=-1)
    return Session(like_input(delay), setup, like_input(np.asarray(active)), states)


def light_load_delay(
    size: float, delayed_ack: int = 1, cell: Cell = TABLE_1, variant: Variant = PRINTED
) -> float:
    """Return the limit of (17) for long think times, seconds: the set-up and E[X]/C_1."""
    x = float(positive("size", size, "a size"))
    alone: float = capacity(1, delayed_ack, cell, variant)
    return setup_time(cell, variant) + 8 * x / alone


def saturated_delay(
    stations: int,
    size: float,
    delayed_ack: int = 1,
    cell: Cell = TABLE_1,
    variant: Variant = PRINTED,
) -> float:
    """Return the limit of (17) for short think times, seconds: the set-up and n E[X]/C_n."""
    n, x = float(integers("stations", stations)), float(positive("size", size, "a size"))
    shared: float = capacity(n, delayed_ack, cell, variant)
    return setup_time(cell, variant) + 8 * x * n / shared
