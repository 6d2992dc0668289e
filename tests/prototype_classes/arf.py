"""ARF as a Python class, from Kamerman and Monteban 1997 and docs/rate-control.md."""

from __future__ import annotations

from typing import TYPE_CHECKING

import evenair as ea

if TYPE_CHECKING:
    from evenair.prototypes import Link, NextFrame


class ArfInPython:
    """automatic rate fallback"""

    kind = "arf-py"

    def __init__(self, link: Link, successes: int = 10, failures: int = 2, timer: int = 15) -> None:
        self.limits = (successes, failures, timer)
        self.highest = len(link.rates) - 1
        self.start(link.first, probe=False)

    def start(self, rate: int, *, probe: bool) -> None:
        self.rate, self.probe = rate, probe
        self.won = self.lost = self.attempts = 0

    def choose(self, frame: NextFrame) -> int:
        return self.rate

    def present(self) -> int:
        return self.rate

    def report(self, now: int, sent_data: bool, outcome: str) -> None:
        if not sent_data:
            return
        successes, failures, timer = self.limits
        self.attempts += 1
        probe, self.probe = self.probe, False
        if outcome == "delivered":
            self.won, self.lost = self.won + 1, 0
            if self.rate < self.highest and (self.won >= successes or self.attempts >= timer):
                self.start(self.rate + 1, probe=True)
            return
        self.won, self.lost = 0, self.lost + 1
        if probe or self.lost >= failures:
            self.start(max(self.rate - 1, 0), probe=False)


ea.register(rate_control=ArfInPython)
