"""Figures: of runs, delays and comparisons, and their common style.

Its modules import matplotlib; this package does not.
"""

from typing import TYPE_CHECKING

from evenair.lazy import lazy_names

if TYPE_CHECKING:
    from evenair.plot.runs import plot

__all__ = ["plot"]

__getattr__, __dir__ = lazy_names(__name__, {"plot": "runs"})
