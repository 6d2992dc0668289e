"""Scenarios: what is simulated."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evenair import _core, _toml
from evenair.terminal import why

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_BUILT_IN = Path(__file__).parent / "scenarios"
_LARGEST = 10_000_000
"""Bytes of a file that is still read as a scenario: whoever names a disk image gets an answer."""


class Scenario:
    """A cell, its stations and their flows: everything a run depends on, but for the seed.

    Takes the keys of a scenario file as keyword arguments::

        Scenario(
            duration="60 s",
            cell={"queue": {"kind": "las", "limit": 60}},
            station=[{"count": 5, "flows": [{"direction": "up"}]}],
        )

    Quantities are strings with a unit ("11 Mbps", "2 ms", "30 KB") or plain numbers in bit/s,
    seconds and bytes. A scenario never changes; `with_` makes another one.

    Raises ScenarioError where a key is unknown or a value not acceptable.
    """

    def __init__(self, **keys: Any) -> None:
        self._init(_to_json(keys), "Scenario")

    @classmethod
    def _from_text(cls, text: str, source: str) -> Scenario:
        scenario = cls.__new__(cls)
        scenario._init(text, source)
        return scenario

    def _init(self, text: str, source: str) -> None:
        self._text = text
        self._source = source
        self._resolved_text = _core.resolve(text, source)

    def with_(self, **keys: Any) -> Scenario:
        """Return a copy with some keys changed; a double underscore stands for a dot.

        `with_(cell__queue="las", station__0__count=3)` is `--set cell.queue=las --set
        station.0.count=3` on the command line. All keys change at once. Raises ScenarioError.
        """
        overrides = [(key.replace("__", "."), _toml.value(value)) for key, value in keys.items()]
        return self._from_text(_core.apply(self._text, overrides, self._source), self._source)

    @property
    def name(self) -> str:
        """The scenario's name, or where it came from if it has none."""
        return self.resolved.get("name") or self._source

    @property
    def resolved(self) -> dict[str, Any]:
        """Every key with its value, defaults filled in: bit/s, seconds and bytes. A fresh copy."""
        return _loads(self._resolved_text)

    def to_toml(self, *, resolved: bool = False) -> str:
        """Return the scenario as TOML: as it was written, or with every default filled in."""
        return _toml.dumps(_loads(self._resolved_text if resolved else self._text))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Scenario):
            return NotImplemented
        return self._resolved_text == other._resolved_text

    def __hash__(self) -> int:
        return hash(self._resolved_text)

    def __repr__(self) -> str:
        return f"<Scenario {self.name!r}>"


def has_finite_transfers(resolved: Mapping[str, Any]) -> bool:
    """Return whether any flow of a resolved scenario is to leave sessions in a result."""
    flows = [flow for station in resolved["station"] for flow in station["flows"]]
    flows += resolved["wired"].get("flow", [])
    applications = [flow["application"] for flow in flows]
    # Those without parameters are written by their name.
    return any(isinstance(table, dict) and "size" in table for table in applications)


def load(
    name_or_path: str | os.PathLike[str], overrides: Iterable[tuple[str, str]] = ()
) -> Scenario:
    """Read a built-in scenario by its name, or a TOML file.

    `overrides` are pairs of a dotted key and a value as text, as given to `--set`; they apply
    before the scenario is checked. Raises ScenarioError.
    """
    data, source = read(name_or_path)
    text = _core.from_toml(data, source)
    overrides = list(overrides)
    if overrides:
        text = _core.apply(text, overrides, "--set")
    return Scenario._from_text(text, source)


def built_in() -> list[str]:
    """Return the names of the built-in scenarios."""
    return sorted(path.stem for path in _BUILT_IN.glob("*.toml"))


def read(name_or_path: str | os.PathLike[str]) -> tuple[bytes, str]:
    """Return the text of a scenario and the name that errors give it. Raises ScenarioError."""
    name = os.fspath(name_or_path)
    # A file's name may be bytes that are no text; messages show them as they can.
    source = os.fsencode(name).decode(errors="replace") or "''"
    if isinstance(name_or_path, str) and name in built_in():
        return (_BUILT_IN / f"{name}.toml").read_bytes(), name
    try:
        with Path(name).open("rb") as file:
            data = file.read(_LARGEST + 1)
    except FileNotFoundError:
        raise _core.ScenarioError(
            f"{source}: no such file or built-in scenario; {_suggestion(name)}"
        ) from None
    except (OSError, ValueError) as error:
        raise _core.ScenarioError(f"{source}: cannot be read: {why(error)}") from None
    if len(data) > _LARGEST:
        raise _core.ScenarioError(f"{source}: cannot be read: larger than 10 MB")
    return data, source


def _suggestion(name: str) -> str:
    from difflib import get_close_matches

    names = built_in()
    near = get_close_matches(name, names, n=1)
    return f"did you mean {near[0]}?" if near else f"built in are {', '.join(names)}"


def _to_json(keys: dict[str, Any]) -> str:
    try:
        return json.dumps(keys, allow_nan=False, default=_sequence)
    except (TypeError, ValueError, RecursionError) as error:
        raise _core.ScenarioError(f"Scenario: {error}") from None


def _sequence(value: object) -> list[object]:
    if isinstance(value, range):
        return list(value)
    raise TypeError(f"{value!r} ({type(value).__name__}) has no place in a scenario")


def _loads(text: str) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(text)
    return document
