"""Figures as SVG elements inside an HTML page. Importing this module imports matplotlib."""

from __future__ import annotations

import re
from html import escape
from io import StringIO
from typing import TYPE_CHECKING, Any, cast

import matplotlib as mpl

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_SETTINGS: dict[str, Any] = {"svg.hashsalt": "evenair", "svg.fonttype": "none"}
_NO_METADATA = dict.fromkeys(("Creator", "Date", "Format", "Type"))
_IDS = re.compile(r'(\bid="|href="#|url\(#)')
_COLORS = (
    (re.compile(r"#000000\b"), "currentColor"),
    (re.compile(r"#ffffff\b"), "var(--paper, #fff)"),
    (re.compile(r"#d9d9d9\b"), "var(--rule, #ddd)"),
)
"""Black, white and the grid are in the colours of the page, light or dark."""

CSS = """
svg.plot { color: var(--ink); max-width: 100%; height: auto; }
svg.plot * { stroke-linejoin: round; stroke-linecap: butt; }
svg.plot text { fill: currentColor; }
"""
"""What the page needs; it defines --ink, --paper and --rule."""


def inline_svg(figure: Figure, name: str, title: str) -> str:
    """Return a figure as an svg element. `name` makes its ids unique in the page."""
    file = StringIO()
    with mpl.rc_context(cast("Any", _SETTINGS)):
        figure.savefig(file, format="svg", transparent=True, metadata=_NO_METADATA)
    text = file.getvalue()
    text = text[text.index("<svg") :]
    before, *styled = text.split('<style type="text/css">')
    text = before + "".join(part.partition("</style>")[2] for part in styled)
    text = _IDS.sub(rf"\g<1>{name}-", text)
    for color, of_the_page in _COLORS:
        text = color.sub(of_the_page, text)
    return text.replace("<svg", f'<svg class="plot" role="img" aria-label="{escape(title)}"', 1)
