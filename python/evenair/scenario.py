"""Scenarios: the input of a simulation."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evenair import _toml
from evenair._core import Scenario as CoreScenario
from evenair._core import ScenarioError
from evenair.messages import reason, suggest

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_BUILT_IN = Path(__file__).parent / "scenarios"
_LARGEST = 10_000_000
"""Bytes of the largest file that is read: a disk image given by mistake is refused."""


class Scenario:
    """A cell, its stations and their flows: everything a run depends on except the seed.

    Takes the keys of a scenario file as keyword arguments::

        Scenario(
            duration="60 s",
            cell={"queue": {"kind": "las", "limit": 60}},
            station=[{"count": 5, "flows": [{"direction": "up"}]}],
        )

    Quantities are strings with a unit ("11 Mbps", "2 ms", "30 KB") or plain numbers in bit/s,
    seconds and bytes. A scenario is immutable; `with_` returns a changed copy.

    Raises ScenarioError if a key is unknown or a value is not valid.
    """

    _core: CoreScenario
    """The parsed and resolved scenario of the extension module."""

    def __init__(self, **keys: Any) -> None:
        self._hold(CoreScenario(_to_json(keys), "Scenario"))

    @classmethod
    def _from_core(cls, core: CoreScenario) -> Scenario:
        """Wrap a scenario of the extension module; resolves it. Raises ScenarioError."""
        scenario = cls.__new__(cls)
        scenario._hold(core)
        return scenario

    def _hold(self, core: CoreScenario) -> None:
        core.resolve()
        self._core = core

    def with_(self, **keys: Any) -> Scenario:
        """Return a copy with some keys changed; a double underscore stands for a dot.

        `with_(cell__queue="las", station__0__count=3)` is `--set cell.queue=las --set
        station.0.count=3` on the command line. All keys change at once. Raises ScenarioError.
        """
        try:
            overrides = [(_utf8(key).replace("__", "."), _toml.value(keys[key])) for key in keys]
        except (TypeError, ValueError, RecursionError) as error:
            raise ScenarioError(f"{self._core.source}: {error}") from None
        source = self._core.source
        return self._from_core(self._core.with_overrides(overrides, source, source))

    @property
    def name(self) -> str:
        """The scenario's name, or the name of its source if it has none."""
        return self.resolved.get("name") or self._core.source

    @property
    def resolved(self) -> dict[str, Any]:
        """Every key with its value, defaults filled in: bit/s, seconds and bytes. A fresh copy."""
        return _loads(self._core.resolved_json())

    def to_toml(self, *, resolved: bool = False) -> str:
        """Return the scenario as TOML: as it was written, or with every default filled in."""
        return _toml.dumps(self.resolved if resolved else _loads(self._core.document_json()))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Scenario):
            return NotImplemented
        return self._core.resolved_json() == other._core.resolved_json()

    def __hash__(self) -> int:
        return hash(self._core.resolved_json())

    def __repr__(self) -> str:
        return f"<Scenario {self.name!r}>"


def has_finite_transfers(resolved: Mapping[str, Any]) -> bool:
    """Return whether any flow of a resolved scenario makes finite transfers ("sessions")."""
    flows = [flow for station in resolved["station"] for flow in station["flows"]]
    flows += resolved["wired"].get("flow", [])
    applications = [flow["application"] for flow in flows]
    # An application without parameters is written as its name.
    return any(isinstance(table, dict) and "size" in table for table in applications)


def has_control_rounds(resolved: Mapping[str, Any]) -> bool:
    """Return whether a resolved scenario has a rate limiter that decides round by round."""
    limiter = resolved["gateway"]["limiter"]
    return bool((limiter if isinstance(limiter, str) else limiter["kind"]) == "adaptive")


def load(
    name_or_path: str | os.PathLike[str], overrides: Iterable[tuple[str, str]] = ()
) -> Scenario:
    """Read a built-in scenario by its name, or a TOML file.

    `overrides` are pairs of a dotted key and a value as text, as given to `--set`; they apply
    before the scenario is checked. Raises ScenarioError.
    """
    document = read_document(name_or_path)
    try:
        texts = [(_utf8(key), _utf8(value)) for key, value in overrides]
    except UnicodeEncodeError as error:
        raise ScenarioError(f"--set: {error}") from None
    return Scenario._from_core(document.with_overrides(texts, "--set", document.source))


def read_document(name_or_path: str | os.PathLike[str]) -> CoreScenario:
    """Read a scenario without resolving it. Raises ScenarioError if it cannot be read."""
    return CoreScenario.from_toml(*read_text(name_or_path))


def built_in() -> list[str]:
    """Return the names of the built-in scenarios."""
    return sorted(path.stem for path in _BUILT_IN.glob("*.toml"))


def read_text(name_or_path: str | os.PathLike[str]) -> tuple[bytes, str]:
    """Return the text of a scenario and the source that errors name. Raises ScenarioError."""
    name = os.fspath(name_or_path)
    # A file name need not be valid UTF-8.
    source = name.encode(errors="replace").decode() or "''"
    if isinstance(name_or_path, str) and name in built_in():
        return (_BUILT_IN / f"{name}.toml").read_bytes(), name
    try:
        with Path(name).open("rb") as file:
            data = file.read(_LARGEST + 1)
    except FileNotFoundError:
        hint = suggest(name, built_in(), otherwise="built in are")
        message = f"{source}: no such file or built-in scenario; {hint}"
        raise ScenarioError(message) from None
    except (OSError, ValueError) as error:
        raise ScenarioError(f"{source}: cannot be read: {reason(error)}") from None
    if len(data) > _LARGEST:
        raise ScenarioError(f"{source}: cannot be read: larger than 10 MB")
    return data, source


def _to_json(keys: dict[str, Any]) -> str:
    try:
        return json.dumps(keys, allow_nan=False, default=_sequence)
    except (TypeError, ValueError, RecursionError) as error:
        raise ScenarioError(f"Scenario: {error}") from None


def _utf8(text: str) -> str:
    """Return a text. Raises UnicodeEncodeError, a ValueError, if it has a lone surrogate."""
    text.encode()
    return text


def _sequence(value: object) -> list[object]:
    if isinstance(value, range):
        return list(value)
    raise TypeError(f"{value!r} ({type(value).__name__}) is not valid in a scenario")


def _loads(text: str) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(text)
    return document
