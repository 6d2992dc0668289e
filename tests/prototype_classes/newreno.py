"""NewReno as a Python class, from RFC 5681 section 3 and docs/congestion/newreno.md."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING

import evenair as ea

if TYPE_CHECKING:
    from evenair.prototypes import AckEvent, Window


class NewRenoInPython:
    """slow start, congestion avoidance, half the window at a loss"""

    kind = "newreno-py"

    def on_ack(self, window: Window, event: AckEvent) -> None:
        credit = event.credit
        if window.cwnd < window.ssthresh:
            used = min(credit, float(ceil(window.ssthresh - window.cwnd)))
            window.cwnd += used
            credit -= used
        window.cwnd += credit / window.cwnd

    def on_loss(self, window: Window, event: AckEvent) -> None:
        window.ssthresh = window.cwnd = max(event.flight / 2, 2.0)

    def on_timeout(self, window: Window, event: AckEvent, first: bool) -> None:
        if first:
            window.ssthresh = max(min(window.cwnd, event.flight) / 2, 2.0)
        window.cwnd = 1.0


ea.register(congestion_control=NewRenoInPython)
