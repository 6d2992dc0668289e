"""One download with a window of W* segments: Miorandi et al., appendix, (A.1) to (A.3).

X_S segments of the window wait at the access point, all others are at the station. In the appendix
T_P, T_A and L stand for T_TCP_data, T_TCP_ack and L_TCP (elsewhere T_P is the preamble): with these
(A.3) tends to (7) as the window grows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from evenair.models.cell import TABLE_1, Cell
from evenair.models.dcf import contention
from evenair.models.numbers import ModelError, Numbers, integers, like_input
from evenair.models.variant import PRINTED, Variant

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


def queue_distribution(window: int, delayed_ack: int = 1) -> NDArray[np.float64]:
    """Return the probabilities of X_S = 0, ..., W* when the channel becomes free, (A.1).

    The Markov chain: if both ends have packets, each is the next to send with probability 1/2. A
    segment decreases X_S by 1, an acknowledgement increases it by d; the station has one
    acknowledgement for each d segments. (A.1) is d = 1; the extension to d > 1 follows the paper's
    remark. Raises ModelError.
    """
    w, d = integers("window", window), integers("delayed_ack", delayed_ack)
    _check_fits(w, d)
    return np.array(_stationary(int(w), int(d)))


def contended_share(window: ArrayLike, delayed_ack: ArrayLike = 1) -> Numbers:
    """Return the share of acknowledgements that are sent while the access point contends.

    1 - 1/W* for d = 1, 0 for W* = d; tends to 1 as the window grows. Raises ModelError.
    """
    w, d = np.broadcast_arrays(integers("window", window), integers("delayed_ack", delayed_ack))
    _check_fits(w, d)
    share = np.vectorize(lambda w, d: _contended_share(int(w), int(d)), [float])
    return like_input(np.asarray(share(w, d)))


def contention_time(
    window: ArrayLike,
    delayed_ack: ArrayLike = 1,
    cell: Cell = TABLE_1,
    variant: Variant = PRINTED,
) -> Numbers:
    """Return phi(W*) below (A.3), seconds: backoffs and collisions per segment.

    Of d segments and their acknowledgement, 2 c are sent in contention, where c is the contended
    share: segments and acknowledgements win equally often. The other d + 1 - 2 c take the mean of a
    first backoff. Raises ModelError.
    """
    w, d = integers("window", window), integers("delayed_ack", delayed_ack)
    share = np.asarray(contended_share(w, d))
    two = contention(2, cell, variant)
    contended = 2 * share * (two.total_backoff_s + two.wasted_time_s)
    return like_input(np.asarray((contended + (d + 1 - 2 * share) * cell.first_backoff_s) / d))


def window_throughput(
    window: ArrayLike,
    delayed_ack: ArrayLike = 1,
    cell: Cell = TABLE_1,
    variant: Variant = PRINTED,
) -> Numbers:
    """Return S of (A.3), bit/s. Raises ModelError.

    For d > 1 it ranges from d segments per contention-free round, at W* = d, to (8) for a large
    window.
    """
    d = integers("delayed_ack", delayed_ack)
    phi = np.asarray(contention_time(window, d, cell, variant))
    return like_input(cell.segment_bits / (cell.tcp_data_s + cell.tcp_ack_s / d + phi))


def _check_fits(window: NDArray[np.float64], delayed_ack: NDArray[np.float64]) -> None:
    wrong = np.broadcast_arrays(delayed_ack, window)
    over = wrong[0] > wrong[1]
    if np.any(over):
        raise ModelError(
            f"delayed_ack: got {wrong[0][over].flat[0]:g}; accepted: at most the window,"
            f" {wrong[1][over].flat[0]:g}, or the receiver waits for its timer"
        )


def _contended_share(window: int, delayed_ack: int) -> float:
    if delayed_ack == 1:
        return 1 - 1 / window
    # With d > 1 the access point's queue grows: the probability of each X_S up to W* - d is the sum
    # of the d (two or more) before it, so that of 0 is below 1e-20 here.
    if window - delayed_ack > 100:
        return 1.0
    chain = _stationary(window, delayed_ack)
    # An acknowledgement is sent at X_S = 0, or with probability 1/2 while the station has one.
    alone = chain[0]
    contending = sum(chain[1 : window - delayed_ack + 1]) / 2
    return contending / (alone + contending)


def _stationary(window: int, d: int) -> list[float]:
    """Solve the chain by balance across the cut below each X_S; no subtraction is needed.

    Steps down are by 1, steps up by d: the flow from s to s - 1 equals that from the d states below
    s.
    """
    up = [1.0, *[0.5 if s <= window - d else 0.0 for s in range(1, window + 1)]]
    chain = [1.0]
    flow = [1.0]  # chain[s] * up[s]
    for s in range(1, window + 1):
        chain.append(sum(flow[max(0, s - d) : min(s, window - d + 1)]) / (1 - up[s]))
        flow.append(chain[s] * up[s])
        if chain[s] > 1e200:  # grows like a power of s if d > 1
            chain, flow = [p * 1e-200 for p in chain], [p * 1e-200 for p in flow]
    total = sum(chain)
    return [p / total for p in chain]
