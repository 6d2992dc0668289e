"""The paper's model of airtime and throughput (section 2.2.1), as far as it is known.

A station i transmits aggregates of n packets of l bytes at the rate r. Its base rate is that which
it has alone:

    L(n, l)   = n (l + 4 + 34 + 4 + pad)    A-MPDU: delimiter, header, FCS, padding to 4 bytes
    T_data    = 32 us + 8 L / r             preamble and data
    T_oh      = DIFS + SIFS + T_backoff + T_ack
    R         = 8 n l / (T_data + T_oh)

A share of the airtime weighs it. With equal shares each of N stations has R / N; without airtime
fairness a station's share is the part that its transmissions have of the time in which each
transmits once. The paper takes the mean n that it measured, which has the order of a FIFO queue in
it; with full A-MPDUs that order is a case of its own: the same number of packets for each station.

The text of the paper was not at hand: DIFS 34 us, SIFS 16 us, a mean backoff of 68 us and T_ack =
SIFS + 8 x 58 / r are recalled. They give the four base rates that are recalled as well.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Sequence

PREAMBLE_US = 32.0
OVERHEAD_US = 34.0 + 16.0 + 68.0
"""DIFS, SIFS and mean backoff."""
SIFS_US = 16.0
BLOCK_ACK_BYTES = 58
MPDU_BYTES = 4 + 34 + 4
"""Delimiter, MAC header and FCS of a packet."""


def transmission_us(payload: float, rate_mbps: float) -> float:
    """Return T_data + T_oh of an A-MPDU of `payload` bytes, microseconds."""
    block_ack = SIFS_US + 8.0 * BLOCK_ACK_BYTES / rate_mbps
    return PREAMBLE_US + 8.0 * payload / rate_mbps + OVERHEAD_US + block_ack


def a_mpdu_bytes(packets: float, packet: int = 1500) -> float:
    """Return L: bytes of an A-MPDU of so many packets, which may be a mean, of `packet` bytes."""
    mpdu = packet + MPDU_BYTES
    return packets * (mpdu + (-mpdu) % 4)


def base_rate_mbps(packets: float, rate_mbps: float, packet: int = 1500) -> float:
    """Return R: the goodput at IP level of a station that is alone, Mb/s."""
    time = transmission_us(a_mpdu_bytes(packets, packet), rate_mbps)
    return 8.0 * packets * packet / time


Equal = Literal["airtime", "transmissions", "packets"]
"""What stations have the same of."""


def shares(packets: Sequence[float], rates_mbps: Sequence[float], equal: Equal) -> list[float]:
    """Return the stations' parts of the time."""
    if equal == "airtime":
        return [1.0 / len(packets)] * len(packets)
    times = [
        transmission_us(a_mpdu_bytes(n), rate) / (n if equal == "packets" else 1)
        for n, rate in zip(packets, rates_mbps, strict=True)
    ]
    return [time / sum(times) for time in times]


def throughputs_mbps(
    packets: Sequence[float], rates_mbps: Sequence[float], equal: Equal
) -> list[float]:
    """Return the goodput of each station at IP level, Mb/s."""
    parts = shares(packets, rates_mbps, equal)
    return [
        part * base_rate_mbps(n, rate)
        for part, n, rate in zip(parts, packets, rates_mbps, strict=True)
    ]
