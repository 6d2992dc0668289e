"""Phrases that messages share: suggestions for unknown names, reasons, and names of things."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


def suggest(
    name: str,
    names: Iterable[str],
    *,
    most: int = 1,
    cutoff: float = 0.6,
    otherwise: str = "there are",
) -> str:
    """Return "did you mean X?" for an unknown name; if no known name is similar, list them all.

    At most `most` names are suggested. `cutoff` is that of difflib.get_close_matches.
    """
    from difflib import get_close_matches  # only an error needs it

    names = list(names)
    near = get_close_matches(name, names, n=most, cutoff=cutoff)
    return f"did you mean {' or '.join(near)}?" if near else f"{otherwise} {', '.join(names)}"


def unknown(what: str, name: str, names: Iterable[str]) -> str:
    """Return the message for a name that is not among `names`, with a suggestion."""
    return f"{name[:80]}: no such {what}; {suggest(name, names)}"


def reason(error: Exception) -> str:
    """Return the reason of an error in a few words. Not every OSError has an error number."""
    text = error.strerror if isinstance(error, OSError) else None
    return text or str(error) or type(error).__name__


def downlink_sender(document: Mapping[str, Any]) -> str:
    """Return what sends the downlink of the cell of a result: "AP", or "BS" in a WiMAX cell."""
    return "BS" if document["scenario"].get("cell", {}).get("kind") == "wimax" else "AP"
