"""Phrases that messages share: suggestions for unknown names, wrong values, reasons, names."""

from __future__ import annotations

import operator
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


def suggest(name: str, names: Iterable[str], *, otherwise: str = "there are") -> str:
    """Return "did you mean X?" for an unknown name; if no known name is near, list them all."""
    names = list(names)
    return meant(name, names) or f"{otherwise} {', '.join(names)}"


def unknown(what: str, name: str, names: Iterable[str]) -> str:
    """Return the message for a name that is not among `names`, with a suggestion."""
    return f"{name[:80]}: no such {what}; {suggest(name, names)}"


_LISTED = 12
"""Columns that a message lists, where there are more: a few lines of a terminal."""


def unknown_column(
    what: str, name: str, names: Iterable[str], *, first: Iterable[str] = (), page: str = ""
) -> str:
    """Return the message for a column or metric that is not known.

    It lists those that are known: of many the ones that share a word with `name`, then those of
    `first` and the main metrics. `page` is that of the documentation with all of them.
    """
    from evenair.text.labels import MAIN  # only an error needs it

    names = list(names)
    near = meant(name, names)
    hint = f"{near} there are" if near else "there are"
    listed = names
    if len(names) > 2 * _LISTED:
        alike = [known for known in names if _share_word(known, name)]
        order = dict.fromkeys((*alike[: _LISTED - 4], *first, *MAIN, *names))
        listed = [known for known in order if known in names][:_LISTED]
    others = len(names) - len(listed)
    more = f" and {others} more{page and f': see {page}'}" if others else ""
    return f"{name[:80]}: no such {what}; {hint} {', '.join(listed)}{more}"


def _share_word(known: str, name: str) -> bool:
    """Return whether a word of one name begins with a word of the other."""
    given = _words(name)
    return any(a.startswith(b) or b.startswith(a) for a in _words(known) for b in given)


def _words(name: str) -> set[str]:
    """Return the words of a name that say what it is, not a unit or a statistic."""
    words = {word for word in re.split(r"[\W_]+", name[:80].lower()) if len(word) > 2}
    return words - {"bps", "max", "mean"}


def meant(name: str, names: list[str]) -> str:
    """Return "did you mean X?" for an unknown name if a known name is near, else an empty text."""
    from evenair._core import nearest  # only an error needs it

    near = nearest(name.encode(errors="replace").decode(), names)
    return f"did you mean {near}?" if near else ""


def shown(value: object) -> str:
    """Return a value as an error message shows it, with its type unless that is obvious."""
    text = " ".join(repr(value).split())
    text = text if len(text) <= 60 else f"{text[:60]}..."
    plain = value is None or isinstance(value, str | int | float)
    return text if plain else f"{text} ({type(value).__name__})"


def one_line(error: BaseException) -> str:
    """Return what an error of a library says in at most 200 printable characters."""
    text = " ".join(str(error).split())[:200]
    return "".join(
        letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text
    )


def whole_number(name: str, value: Any, least: int, most: int | None = None, hint: str = "") -> int:
    """Return a value as a Python integer. Raises ValueError unless it is one within the bounds."""
    try:
        number = operator.index(value)
    except TypeError:
        number = None
    if (
        number is None
        or isinstance(value, bool)
        or number < least
        or (most is not None and number > most)
    ):
        bounds = f"at least {least}" if most is None else f"{least} to {most}"
        raise ValueError(f"{name}: got {shown(value)}, expected a whole number, {bounds}{hint}")
    return number


def reason(error: Exception) -> str:
    """Return the reason of an error in a few words. Not every OSError has an error number."""
    text = error.strerror if isinstance(error, OSError) else None
    return text or str(error) or type(error).__name__


def downlink_sender(document: Mapping[str, Any]) -> str:
    """Return what sends the downlink of the cell of a result: "AP", or "BS" in a WiMAX cell."""
    return "BS" if document["scenario"].get("cell", {}).get("kind") == "wimax" else "AP"


def flow_names(document: Mapping[str, Any]) -> list[str]:
    """Return a name for each flow of a result: its own, its station's, or its id."""
    stations = {each["id"]: each.get("name") for each in document["stations"]}
    owners = [flow["station"] for flow in document["flows"]]
    names = []
    for flow, owner in zip(document["flows"], owners, strict=True):
        station = stations.get(owner)
        alone = owners.count(owner) == 1
        other = station if alone else station and f"{station} {flow['id']}"
        names.append(flow.get("name") or other or flow["id"])
    return names
