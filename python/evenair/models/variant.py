"""Alternative readings where the equations contradict the paper's text or the standard.

Misprints are corrected in any case. These are modelling decisions with
an alternative; the printed one is the default.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Literal, get_args, get_type_hints

from evenair.models.numbers import ModelError


@dataclass(frozen=True)
class Variant:
    """The reading of each equation. Raises ModelError for an unknown value."""

    fixed_point: Literal["printed", "normalised"] = "printed"
    """(1): the stages' probabilities add up to 1 - P^m, so there is a second root near P = 1, and
    no root from about 215 nodes on. Normalised: (1) divided by 1 - P^m, always one root."""

    collision_backoff: Literal["included", "excluded"] = "included"
    """(3): T_b is part of the cost of a collision, although (5) already counts the backoffs of all
    attempts. Excluded: it is counted once."""

    collisions: Literal["per-node", "per-channel"] = "per-node"
    """(4): P/(1-P) collisions per packet, as one node counts them, although each involves two or
    more nodes. Per channel: collisions per success on the channel, fewer than half as many."""

    after_collision: Literal["sifs", "timeout"] = "sifs"
    """(3): the next attempt starts SIFS after a lost RTS. Timeout: after the standard's CTS timeout
    (IEEE 802.11-2007 9.2.8)."""

    lone_station: Literal["mixture", "contends", "alone"] = "mixture"
    """One connection. Mixture: (10) and (12) as for any number; for d = 1 two nodes always contend.
    Contends: (8), for a window far above d. Alone: no contention, as W* = d implies, because access
    point and station alternate."""

    average: Literal["rates", "times"] = "rates"
    """(10), (12): the mean of the rates over the number of backlogged nodes. Times: the inverse of
    the mean time per packet."""

    handshake: Literal["bare", "mac-header", "rts-cts"] = "bare"
    """(13): two packets of the handshake without RTS/CTS and without the MAC's overhead, although
    section 2.1 has RTS/CTS before every packet. Others: with the overhead; with both."""

    setup: Literal["added", "in-cycle"] = "added"
    """(17): T_setup is added to the delay of the queueing model. In cycle: it also delays the
    station's next request. In both, the set-up does not load the channel."""

    last_packet: Literal["partial", "padded"] = "partial"
    """(14): the last packet carries the remaining bytes. Padded: it has full length, as in ns-2
    (footnote 1)."""

    def __post_init__(self) -> None:
        for key, accepted in CHOICES.items():
            if getattr(self, key) not in accepted:
                raise ModelError(
                    f"{key}: got {getattr(self, key)!r}; accepted: {', '.join(accepted)}"
                )


CHOICES: dict[str, tuple[str, ...]] = {
    field.name: get_args(get_type_hints(Variant)[field.name]) for field in fields(Variant)
}
"""The values of each choice, the printed one first."""

PRINTED = Variant()
"""All as printed, except for misprints."""
