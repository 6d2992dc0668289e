"""The curves of the figures."""

from __future__ import annotations

from evenair.papers.tsiknas2012.downloads import VARIANTS
from evenair.plot.style import Line

LINES: dict[str, Line] = {
    "newreno": Line(VARIANTS["newreno"], "#000000", "-", "o"),
    "vegas": Line(VARIANTS["vegas"], "#b8860b", ":", "v", filled=False),
    "veno": Line(VARIANTS["veno"], "#1b7837", "--", "s", filled=False),
    "westwood": Line(VARIANTS["westwood"], "#2166ac", "-", "^"),
    "bic": Line(VARIANTS["bic"], "#d6604d", "-.", "D"),
}
"""The paper's five variants."""

GOODPUT = "Average goodput (Mb/s)"
"""The label of its axis."""
