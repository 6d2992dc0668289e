"""HTML that notebooks show in place of a repr."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

MAX_ROWS = 30
"""Rows of a table; a last one says how many more there are."""


def heading(text: str) -> str:
    """Return a line of text above a table."""
    return f"<p>{escape(text)}</p>"


def table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table; floats have four digits."""
    body = [list(row) for row in rows]
    head = "".join(f"<th>{escape(column)}</th>" for column in columns)
    lines = ["".join(map(_cell, row)) for row in body[:MAX_ROWS]]
    if len(body) > MAX_ROWS:
        more = f"... and {len(body) - MAX_ROWS} more"
        lines.append(f'<td colspan="{len(columns)}">{more}</td>')
    content = "".join(f"<tr>{line}</tr>" for line in lines)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{content}</tbody></table>"


def preformatted(text: str) -> str:
    """Return a text with its spaces and line breaks."""
    return f"<pre>{escape(text)}</pre>"


def _cell(value: object) -> str:
    text = f"{value:.4g}" if isinstance(value, float) else str(value)
    return f"<td>{'' if value is None else escape(text)}</td>"
