"""Where the paper's equations contradict the paper, or the standard: as printed, or otherwise.

Misprints are no choice, they are corrected (docs/models.md lists them). These here are decisions of
modelling that can be taken in another way; the printed one is the default.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Literal, get_args, get_type_hints

from evenair.models.numbers import ModelError


@dataclass(frozen=True)
class Variant:
    """How the equations are read. Raises ModelError for a value that is none of the listed."""

    fixed_point: Literal["printed", "normalised"] = "printed"
    """(1): the stages' probabilities add up to 1 - P^m, so there is a second root near P = 1, and
    from some 215 nodes on no root at all. Normalised: (1) divided by 1 - P^m, one root always."""

    collision_backoff: Literal["included", "excluded"] = "included"
    """(3): T_b is part of what a collision costs, though (5) has counted the backoffs of all
    attempts. Excluded: once."""

    collisions: Literal["per-node", "per-channel"] = "per-node"
    """(4): P/(1-P) collisions per packet, as one node sees them; but two or more nodes share each.
    Per channel: collisions per success on the channel, of which there are fewer than half."""

    after_collision: Literal["sifs", "timeout"] = "sifs"
    """(3): the next attempt comes SIFS after a lost RTS. Timeout: after the standard's CTS timeout
    (IEEE 802.11-2007 9.2.8)."""

    lone_station: Literal["mixture", "contends", "alone"] = "mixture"
    """One connection. Mixture: (10) and (12) as for any number, which for d = 1 has two nodes
    contend always. Contends: (8), for a window far above d. Alone: no contention at all, as W* = d
    implies, since access point and station take turns."""

    average: Literal["rates", "times"] = "rates"
    """(10), (12): the mean over the number of backlogged nodes is one of rates. Times: the rate
    that goes with the mean time per packet."""

    handshake: Literal["bare", "mac-header", "rts-cts"] = "bare"
    """(13): two packets of the handshake without RTS/CTS and without the MAC's overhead, although
    section 2.1 has RTS/CTS before any packet. Others: with the overhead; with both."""

    setup: Literal["added", "in-cycle"] = "added"
    """(17): T_setup is added to the delay of a queue that knows nothing of it. In cycle: the
    station also asks for its next file that much later. The channel is loaded in neither."""

    last_packet: Literal["partial", "padded"] = "partial"
    """(14): the last packet carries what is left. Padded: it is as long as all others, as in ns-2
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
"""All as printed, but for misprints."""
