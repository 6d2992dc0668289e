"""Bianchi's model of saturated stations, an alternative to the fixed point of Miorandi et al.

G. Bianchi, "Performance analysis of the IEEE 802.11 distributed coordination function", IEEE
Journal on Selected Areas in Communications 18(3), 2000. In this model a busy period counts as a
slot, and the number of retries is unlimited.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from evenair.models.cell import TABLE_1, Cell
from evenair.models.numbers import Numbers, bisect, integers, like_input

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


class Saturation(NamedTuple):
    """Results for saturated stations; each a float, or an array of the arguments' shape."""

    throughput_bps: Numbers
    """S, Bianchi's (13): total payload throughput of all stations, bit/s."""
    collision_probability: Numbers
    """p, (9)."""
    tau: Numbers
    """The probability that a station transmits in a slot, (7)."""


def saturation(
    nodes: ArrayLike,
    payload: ArrayLike | None = None,
    *,
    rts: bool = True,
    eifs: bool = False,
    cell: Cell = TABLE_1,
) -> Saturation:
    """Return throughput and collision probability of `nodes` saturated stations, at least 1.

    `payload` is E[P], the size of an IP packet with its headers in bytes; the default is a segment
    with its header. `rts`: with RTS/CTS, (17), or without, (14). After a collision the
    channel is free again after DIFS, as in (14) and (17), or with `eifs` after the standard's EIFS
    (IEEE 802.11-2007 9.2.3.4). With 802.11n, ac and ax a frame is a PPDU with one MPDU, and AIFS of
    best effort takes the place of DIFS. Raises ModelError.
    """
    count = integers("nodes", nodes)
    size = integers("payload", cell.segment + cell.header if payload is None else payload, 65_535)
    count, size = np.broadcast_arrays(count, size)
    p = bisect(
        np.zeros(count.shape),
        np.ones(count.shape),
        lambda p: 1 - (1 - _tau(p, cell)) ** (count - 1) > p,
    )
    p = np.where(count == 1, 0.0, p)
    tau = _tau(p, cell)

    timing = cell.phy_timing
    frame = np.vectorize(lambda n: cell.frame_s(8 * (cell.mac_overhead + int(n))), [float])(size)
    success = cell.ifs_s + frame + timing.sifs_s + cell.ack_s
    if rts:
        success = success + cell.reservation_s
    # EIFS - DIFS is what a frame that nobody decoded adds.
    undecoded = timing.eifs_s - timing.difs_s if eifs else 0.0
    collision = (cell.rts_s if rts else frame) + cell.ifs_s + undecoded
    idle = (1 - tau) ** count
    one = count * tau * (1 - tau) ** (count - 1)
    mean_slot = idle * timing.slot_s + one * success + (1 - idle - one) * collision
    values = (one * 8 * size / mean_slot, p, tau)
    return Saturation(*(like_input(np.asarray(value)) for value in values))


def _tau(p: NDArray[np.float64], cell: Cell) -> NDArray[np.float64]:
    """(7), with its geometric sum written out: the closed form is 0/0 at p = 1/2."""
    growth = np.polynomial.polynomial.polyval(2 * p, np.ones(cell.doublings))
    return np.asarray(2 / (1 + cell.cw_min * (1 + p * growth)))
