"""Words and units of metrics and of a scenario's keys, as tables and figures show them."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from evenair._core import LABELS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class Label(NamedTuple):
    """How a quantity is shown."""

    text: str
    unit: str = ""
    scale: float = 1.0
    """The stored value times this is in `unit`."""
    decimals: int = 3
    """Decimals of a value in `unit` that has no interval."""

    @property
    def with_unit(self) -> str:
        """The words, and the unit in parentheses."""
        return f"{self.text} ({self.unit})" if self.unit else self.text


def _label(text: str, unit: str = "", decimals: int = 3) -> Label:
    return Label(text, unit, _TABLE["units"].get(unit, 1.0), decimals)


_TABLE = json.loads(LABELS)
_METRICS = {name: _label(*row) for name, row in _TABLE["metrics"].items()} | {
    f"{delay}_{part}_s": _label(f"{text}, {words}", "ms", 1)
    for delay, text in _TABLE["delays"].items()
    for part, words in _TABLE["parts"].items()
}
_KEYS, _STATION_KEYS, _LAST_PARTS = (
    {name: _label(*row) for name, row in _TABLE[table].items()}
    for table in ("keys", "station_keys", "last_parts")
)
_FLOWS = re.compile(r"station\.(\d+)\.(?:flows\.\d+\.)?(.+)")

MAIN: tuple[str, ...] = tuple(_TABLE["main"])
"""The metrics that come first: of `RunResult.metrics`, and the mean of the flows' `mean_rtt_s`."""


def metric(name: str, sender: str = "AP") -> Label:
    """Return the label of a metric or of a column of flows.

    `sender` is what sends the downlink of the cell: "AP" or "BS".
    """
    label = _METRICS.get(name) or _other(name)
    return label._replace(text=label.text.replace("{sender}", sender))


def _other(name: str) -> Label:
    """Return the label of any other name: its words, and the unit that it ends in."""
    for ending, unit in _TABLE["endings"].items():
        if name.endswith(ending):
            return _label(name.removesuffix(ending).replace("_", " "), unit)
    return Label(name.replace("_", " "))


def key(name: str, scenario: Mapping[str, Any] | None = None) -> Label:
    """Return the label of a scenario's dotted key, or of a text column of flows.

    The unit is that of plain numbers: bit/s, seconds and bytes, scaled. With a `scenario` that has
    several groups of stations, a key of one group says which.
    """
    cell = (scenario or {}).get("cell")
    sender = "BS" if isinstance(cell, dict) and cell.get("kind") == "wimax" else "AP"
    if found := _FLOWS.fullmatch(name):
        group, rest = int(found[1]), found[2]
        label = _STATION_KEYS.get(rest) or _key(rest)
        which = _group((scenario or {}).get("station") or (), group)
        return label._replace(text=f"{label.text}{which}")
    label = _KEYS.get(name) or _key(name)
    return label._replace(text=label.text.replace("{sender}", sender))


def value_text(value: object) -> str:
    """Return the value of a key as text: a table becomes "spm-af, filtering = head"."""
    if value is None:
        return "(none)"
    try:
        content = json.loads(value) if isinstance(value, str) else value
    except ValueError:
        content = value
    if not isinstance(content, dict):
        return str(value)
    kind = [str(content.pop("kind"))] if "kind" in content else []
    return ", ".join([*kind, *(f"{name} = {item}" for name, item in content.items())])


def value_in_unit(value: object, label: Label) -> str:
    """Return the value of a key as text: a number in the unit of its label, which is left out."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f"{value * label.scale:.10g}"
    return value_text(value)


def _key(name: str) -> Label:
    """Return the label of a key that has no words of its own: those of its last parts."""
    parts = name.split(".")
    if parts[-1] in _LAST_PARTS:
        return _LAST_PARTS[parts[-1]]
    return Label(" ".join(parts[-2:] if len(parts) > 2 else parts[-1:]).replace("_", " "))


def _group(stations: Sequence[Mapping[str, Any]], group: int) -> str:
    """Return which of several groups of stations it is: by its name, direction or number."""
    if not 0 <= group < len(stations) or len(stations) == 1:
        return ""
    if name := stations[group].get("name"):
        return f" of {name}"
    directions = [_direction(station) for station in stations]
    own = directions[group]
    if own and directions.count(own) == 1:
        return f" with {own}loads"
    return f" of group {group}"


def _direction(station: Mapping[str, Any]) -> str:
    """Return the direction of a station's flows; an empty text if there are two."""
    found = {str(flow.get("direction", "")) for flow in station.get("flows", ())}
    return found.pop() if len(found) == 1 and found != {"both"} else ""
