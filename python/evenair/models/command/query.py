"""Queries: the arguments of a model, read from `KEY=VALUE` of the command line."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from evenair._core import Scenario as CoreScenario
from evenair._core import quantity
from evenair.models.cell import Cell
from evenair.models.numbers import ModelError
from evenair.models.ppdu import shown_phy
from evenair.models.variant import Variant
from evenair.models.wimax import downlink_symbols
from evenair.text import toml
from evenair.text.axis import AxisError, parse_axis
from evenair.text.messages import shown, unknown

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evenair.models.command.catalogue import Key, Model

_MAX_POINTS = 10_000
_BOOLEANS = {"true": True, "false": False}


@dataclass(frozen=True)
class Point:
    """One set of arguments."""

    inputs: dict[str, Any]
    """The model's own keys."""
    cell: Cell
    variant: Variant


@dataclass(frozen=True)
class Query:
    """A model and its arguments."""

    model: Model
    given: tuple[str, ...]
    """The keys that were given."""
    varied: Key | None
    """The key that has several values, if one has."""
    values: list[Any]
    """These values; a single None if no key has several values."""
    points: list[Point]
    """The arguments for each of them."""


def read_query(model: Model, keys: Sequence[tuple[str, str]], *, plot: bool) -> Query:
    """Read the keys that were given. Raises ModelError.

    A plot needs a key with several values; by default it is the model's first key.
    """
    texts: dict[str, tuple[str, ...]] = {}
    for name, text in keys:
        check_known("key", name, model.all_keys)
        if name in texts:
            raise ModelError(f"{name}: given twice")
        texts[name] = _texts(model.all_keys[name], text)
    return _query(model, texts, plot=plot)


def make_query(model: Model, keys: Mapping[str, Any]) -> Query:
    """Return the query with these values: numbers, texts as on the command line, or lists of them.

    Raises ModelError.
    """
    texts = {}
    for name, value in keys.items():
        check_known("key", name, model.all_keys)
        if isinstance(value, str):
            texts[name] = _texts(model.all_keys[name], value)
            continue
        several = isinstance(value, Iterable) and getattr(value, "ndim", 1) > 0
        texts[name] = tuple(_text(name, each) for each in (value if several else [value]))
        _check_count(name, texts[name])
    return _query(model, texts, plot=False)


def _query(model: Model, texts: dict[str, tuple[str, ...]], *, plot: bool) -> Query:
    if plot and all(len(values) == 1 for values in texts.values()):
        axis = model.keys[0]
        if axis.name in texts:
            raise ModelError(
                f"--plot: no key has several values; try {axis.name}={model.curve},"
                f" or leave out {axis.name}"
            )
        texts[axis.name] = _texts(axis, model.curve)
    several = [name for name, values in texts.items() if len(values) > 1]
    if len(several) > 1:
        raise ModelError(
            f"{several[1]}: got several values, as {several[0]} has; accepted: one such key"
        )
    varied = model.all_keys[several[0]] if several else None
    read = {name: [_value(model.all_keys[name], text) for text in texts[name]] for name in texts}
    defaults = {key.name: key.default for key in model.all_keys.values()}
    values = read[varied.name] if varied else [None]
    points = []
    for value in values:
        now = defaults | {name: content[0] for name, content in read.items()}
        points.append(_point(model, now | {varied.name: value} if varied else now))
    return Query(model, tuple(texts), varied, values, points)


def check_known(what: str, name: str, names: Iterable[str]) -> None:
    """Raise ModelError, with a suggestion, unless `name` is among `names`."""
    names = list(names)
    if name not in names:
        raise ModelError(unknown(what, name, names))


def _point(model: Model, values: dict[str, Any]) -> Point:
    own = {key.name: values.pop(key.name) for key in model.keys}
    choices = {name: values.pop(name) for name in model.choices}
    return Point(own, Cell(**values), Variant(**choices))


def _texts(key: Key, text: str) -> tuple[str, ...]:
    """Split a list or a range; the default step of a range is 1. "3:1" of a ratio is one value."""
    if key.kind != "ratio" and re.fullmatch(r"\d+:\d+", text):
        text += ":1"
    try:
        texts = parse_axis(f"{key.name}={text}").texts
    except AxisError as error:
        raise ModelError(str(error)) from None
    _check_count(key.name, texts)
    return texts


def _check_count(name: str, texts: Sequence[str]) -> None:
    if not 1 <= len(texts) <= _MAX_POINTS:
        raise ModelError(f"{name}: got {len(texts)} values; accepted: up to {_MAX_POINTS}")


def _text(name: str, value: Any) -> str:
    """Return a Python value, NumPy's scalars included, as on the command line."""
    if isinstance(value, str):
        return value
    try:
        return toml.value(value)
    except (TypeError, ValueError):
        raise ModelError(f"{name}: got {shown(value)}; accepted: a number or a text") from None


def _value(key: Key, text: str) -> Any:
    if key.kind == "text":  # the scenario checks it
        overrides = [(f"cell.{key.name}", text)]
        document = CoreScenario("{}", "model").with_overrides(overrides, "model", "model")
        return json.loads(document.document_json())["cell"][key.name]
    if key.kind == "choice":
        if text not in key.accepted:
            raise _wrong(key, text, ", ".join(key.accepted))
        return text
    if key.kind == "boolean":
        if text not in _BOOLEANS:
            raise _wrong(key, text, "true, false")
        return _BOOLEANS[text]
    if key.kind == "ratio":
        return _ratio(text)
    if key.kind in ("time", "size", "frequency"):
        try:
            return quantity(key.kind, text)
        except ValueError as error:
            raise ModelError(f"{key.name}: {error}") from None
    try:
        number = float(text)
    except ValueError:
        number = float("nan")
    if key.kind == "number":
        if number != number:
            raise _wrong(key, text, "a number")
        return number
    if not (number.is_integer() and key.least <= number <= key.most):
        raise _wrong(key, text, f"a whole number from {key.least} to {key.most}")
    return int(number)


def _ratio(text: str) -> str | float:
    """Return "3:1" as text and any other ratio as a number. Raises ModelError."""
    downlink_symbols(0, text)
    if ":" in text:
        return text
    return int(text) if text.isdecimal() else float(text)


def _wrong(key: Key, text: str, accepted: str) -> ModelError:
    shown = shown_phy(text[:80]) if key.name == "phy" else repr(text[:80])
    return ModelError(f"{key.name}: got {shown}; accepted: {accepted}")


def as_typed(value: object) -> str:
    """Return a value in the syntax of the command line."""
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:.10g}" if isinstance(value, float) else str(value)
