"""Errors of a campaign as a whole."""

from __future__ import annotations


class CampaignError(ValueError):
    """A campaign cannot be run. One line: the option, the value it got, what is accepted."""


class CampaignInterrupted(KeyboardInterrupt):
    """Ctrl-C came before all runs were done."""

    def __init__(self, finished: int | None, damaged: str | None) -> None:
        count = "the" if finished is None else finished
        super().__init__(f"interrupted; {count} finished runs are kept")
        self.finished = finished
        """Runs of this campaign that are in the store and will not be repeated; None if it came
        while the store was opened or closed."""
        self.damaged = damaged
        """See Campaign.damaged."""
