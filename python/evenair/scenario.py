"""Scenarios: the input of a simulation."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evenair._core import Scenario as CoreScenario
from evenair._core import ScenarioError
from evenair.text import markup, toml
from evenair.text.messages import reason, shown, suggest

if TYPE_CHECKING:
    from collections.abc import Iterable

_BUILT_IN = Path(__file__).parent / "scenarios"
_SHOWN_CHANGES = 5
"""Changes that a repr shows."""
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
    _changes: Mapping[str, str]
    """The keys that overrides have set, with their values as text, in that order."""

    def __init__(self, **keys: Any) -> None:
        self._hold(CoreScenario(_to_json(keys), "Scenario"), {})

    @classmethod
    def _from_core(cls, core: CoreScenario, changes: Mapping[str, str] | None = None) -> Scenario:
        """Wrap a scenario of the extension module; resolves it. Raises ScenarioError."""
        scenario = cls.__new__(cls)
        scenario._hold(core, changes or {})
        return scenario

    def _hold(self, core: CoreScenario, changes: Mapping[str, str]) -> None:
        core.resolve()
        self._core = core
        self._changes = changes

    def with_(self, **keys: Any) -> Scenario:
        """Return a copy with some keys changed; a double underscore stands for a dot.

        `with_(cell__queue="las", station__0__count=3)` is `--set cell.queue=las --set
        station.0.count=3` on the command line. All keys change at once. Raises ScenarioError.
        """
        source = self._core.source
        texts = _texts({key.replace("__", "."): value for key, value in keys.items()}, source)
        core = self._core.with_overrides(texts, source, source)
        return self._from_core(core, _changed(self._changes, texts))

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
        return toml.dumps(self.resolved if resolved else _loads(self._core.document_json()))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Scenario):
            return NotImplemented
        return self._core.resolved_json() == other._core.resolved_json()

    def __hash__(self) -> int:
        return hash(self._core.resolved_json())

    def __repr__(self) -> str:
        return f"<Scenario {self.name!r}{self._changes_text()}>"

    def _changes_text(self) -> str:
        """Return what overrides have changed: " with cell.queue = "las", duration = 5"."""
        texts = [f"{key} = {_clipped(text)}" for key, text in self._changes.items()]
        if len(texts) > _SHOWN_CHANGES:
            texts[_SHOWN_CHANGES:] = [f"{len(texts) - _SHOWN_CHANGES} more changes"]
        return f" with {', '.join(texts)}" if texts else ""

    def _repr_html_(self) -> str:
        return markup.heading(self.name + self._changes_text()) + markup.preformatted(
            self.to_toml()
        )


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
    name_or_path: str | os.PathLike[str],
    overrides: Mapping[str, Any] | Iterable[tuple[str, str]] = (),
) -> Scenario:
    """Read a built-in scenario by its name, or a TOML file.

    `overrides` maps dotted keys to values, as in `{"cell.queue.kind": "las"}`; or they are pairs of
    a key and a value as text, as given to `--set`. They apply before the scenario is checked.
    Raises ScenarioError.
    """
    document = read_document(name_or_path)
    source = document.source if isinstance(overrides, Mapping) else "--set"
    texts = _texts(overrides, source) if isinstance(overrides, Mapping) else _pairs(overrides)
    core = document.with_overrides(texts, source, document.source)
    return Scenario._from_core(core, _changed({}, texts))


def scenarios() -> dict[str, str]:
    """Return the built-in scenarios: what each is, by the name that `load` takes."""
    return {name: load(name).name for name in built_in()}


def read_document(name_or_path: str | os.PathLike[str]) -> CoreScenario:
    """Read a scenario without resolving it. Raises ScenarioError if it cannot be read."""
    return CoreScenario.from_toml(*read_text(name_or_path))


def built_in() -> list[str]:
    """Return the names of the built-in scenarios."""
    return sorted(path.stem for path in _BUILT_IN.glob("*.toml"))


def _texts(overrides: Mapping[str, Any], source: str) -> list[tuple[str, str]]:
    """Return the overrides with their values as text. Raises ScenarioError."""
    where, texts = source, []
    try:
        for key, value in overrides.items():
            where = source
            name = _key(key)
            where = f"{source}: {name}"
            texts.append((name, toml.value(value)))
    except (TypeError, ValueError, RecursionError) as error:
        raise ScenarioError(f"{where}: {error}") from None
    return texts


def _pairs(overrides: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Check overrides that are given as text. Raises ScenarioError."""
    expected = "expected a mapping of keys to values, or pairs of texts"
    if isinstance(overrides, str):
        raise ScenarioError(f"--set: got {shown(overrides)}, {expected}")
    try:
        texts = []
        for pair in overrides:
            key, value = pair
            texts.append((_key(key), _key(value)))
    except UnicodeEncodeError as error:
        raise ScenarioError(f"--set: {error}") from None
    except (TypeError, ValueError):
        raise ScenarioError(f"--set: got {shown(overrides)}, {expected}") from None
    return texts


def _changed(changes: Mapping[str, str], overrides: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return changes with further ones, each key where it was set last."""
    changed = dict(changes)
    for key, text in overrides:
        changed.pop(key, None)
        changed[key] = text
    return changed


def _clipped(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:40]}..."


def read_text(name_or_path: str | os.PathLike[str]) -> tuple[bytes, str]:
    """Return the text of a scenario and the source that errors name. Raises ScenarioError."""
    if not isinstance(name_or_path, str | os.PathLike):
        expected = "expected the name of a built-in scenario or of a TOML file"
        raise ScenarioError(f"scenario: got {shown(name_or_path)}, {expected}")
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
        return json.dumps(keys, allow_nan=False, default=_plain)
    except (TypeError, ValueError, RecursionError) as error:
        raise ScenarioError(f"Scenario: {error}") from None


def _key(text: object) -> str:
    """Return a text. Raises TypeError if it is none, ValueError if it has a lone surrogate."""
    if not isinstance(text, str):
        raise TypeError(f"got the key {shown(text)}, expected a text")
    text.encode()
    return text


def _plain(value: object) -> object:
    """Return a range, or a scalar or array of NumPy, as JSON knows it. Raises TypeError."""
    if isinstance(value, range):
        return list(value)
    if callable(tolist := getattr(value, "tolist", None)):
        plain: object = tolist()
        return plain
    raise TypeError(f"{value!r} ({type(value).__name__}) is not valid in a scenario")


def _loads(text: str) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(text)
    return document
