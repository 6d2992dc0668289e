"""What the lab refuses."""

from __future__ import annotations


class LabError(Exception):
    """The lab cannot be served. The message is one line."""
