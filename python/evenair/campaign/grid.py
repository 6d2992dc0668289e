"""The grid of a campaign: which keys take which values, and the scenarios that this makes."""

from __future__ import annotations

import json
import tomllib
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any

from evenair import _core, _toml
from evenair.campaign.errors import CampaignError
from evenair.scenario import Scenario

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

MAX_VALUES = 1_000_000
"""Of one key: a slip in a range should not fill the memory."""

_CLOSING = {"{": "}", "[": "]"}

Value = bool | int | float | str


@dataclass(frozen=True)
class Axis:
    """A key that is varied, and its values as text: what `--set KEY=` takes."""

    key: str
    texts: tuple[str, ...]

    @property
    def values(self) -> list[Value]:
        """The values as they stand in tables: numbers as numbers, the rest as text.

        Tables and lists become JSON text. If only some values are numbers, all are text.
        """
        values = [_value(text) for text in self.texts]
        kinds = {type(value) for value in values}
        if kinds <= {int, float}:
            return [float(value) for value in values] if float in kinds else values
        return values if len(kinds) == 1 else [_text(value) for value in values]


def parse_axis(text: str) -> Axis:
    """Read `KEY=V1,V2,...`; each value may also be a range START:STOP:STEP of numbers.

    A range includes STOP where it hits it exactly. Values are what `--set` takes; commas inside
    brackets, braces and quotes belong to a value. Raises CampaignError.
    """
    key, equals, values = text.partition("=")
    key = key.strip()
    if not equals or not key or not text.isprintable():
        raise CampaignError(
            f"vary: got {text[:80]!r}, expected KEY=V1,V2,... or KEY=START:STOP:STEP"
        )
    return _axis(key, [item for part in _split(key, values) for item in _expand(key, part)])


def make_axis(key: str, values: Iterable[Any] | str) -> Axis:
    """Make an axis of Python values: anything that a scenario takes, NumPy's numbers included.

    A string is read like the part of `--vary` after the equals sign. Raises CampaignError.
    """
    if isinstance(values, str):
        return parse_axis(f"{key}={values}")
    return _axis(key, [_toml_text(key, value) for value in values])


def _axis(key: str, texts: Sequence[str]) -> Axis:
    if not texts:
        raise CampaignError(f"vary: {key}: got no value, expected at least one")
    if len(texts) > MAX_VALUES:
        raise CampaignError(f"vary: {key}: got more than {MAX_VALUES} values")
    seen = set()
    for text in texts:
        value = _value(text)
        # In Python True == 1.
        if (isinstance(value, bool), value) in seen:
            raise CampaignError(f"vary: {key}: got {text} twice, expected each value once")
        seen.add((isinstance(value, bool), value))
    return Axis(key, tuple(texts))


def _split(key: str, text: str) -> list[str]:
    """Split at the commas that are outside brackets, braces and quotes."""
    parts = [""]
    closing: list[str] = []
    quote = ""
    escaped = False
    for char in text:
        if quote:
            if escaped:
                escaped = False
            elif char == "\\" and quote == '"':
                escaped = True
            elif char == quote:
                quote = ""
        elif char in "\"'":
            quote = char
        elif char in _CLOSING:
            closing.append(_CLOSING[char])
        elif char in _CLOSING.values():
            if not closing or closing.pop() != char:
                raise CampaignError(f"vary: {key}: got {text[:80]}, where a {char} closes nothing")
        elif char == "," and not closing:
            parts.append("")
            continue
        parts[-1] += char
    missing = quote or "".join(closing[-1:])
    if missing:
        raise CampaignError(f"vary: {key}: got {text[:80]}, where a closing {missing} is missing")
    parts = [part.strip() for part in parts]
    if "" in parts:
        raise CampaignError(f"vary: {key}: got {text[:80]!r}, where a value is empty")
    return parts


def _expand(key: str, text: str) -> list[str]:
    """Return the values of a range, or the text itself if it is none."""
    parts = text.split(":")
    numbers = [_decimal(part) for part in parts]
    if len(parts) == 1 or not all(number is not None for number in numbers):
        return [text]
    if len(parts) != 3:
        raise CampaignError(f"vary: {key}: got {text}, expected a range as START:STOP:STEP")
    start, stop, step = (number for number in numbers if number is not None)
    if step == 0 or (stop - start) / step < 0:
        raise CampaignError(f"vary: {key}: got {text}, where STEP does not lead from START to STOP")
    if (stop - start) / step >= MAX_VALUES:
        raise CampaignError(f"vary: {key}: got {text}, expected at most {MAX_VALUES} values")
    count = int((stop - start) / step) + 1
    whole = all(
        number == number.to_integral_value() and "." not in part.lower()
        for number, part in zip(numbers, parts, strict=True)
        if number is not None
    )
    values = [start + k * step for k in range(count)]
    return [str(int(value)) if whole else repr(float(value)) for value in values]


def _decimal(text: str) -> Decimal | None:
    try:
        number = Decimal(text.strip())
    except InvalidOperation:
        return None
    # Beyond this nobody means a range, and arithmetic would become slow.
    return number if number.is_finite() and abs(number.adjusted()) < 25 else None


def _value(text: str) -> Value:
    """Return what a table shows for a value that is given as text."""
    try:
        content = tomllib.loads(f"_ = {text}")["_"]
    except (tomllib.TOMLDecodeError, RecursionError):
        return text
    if isinstance(content, float) or (isinstance(content, int) and -(2**63) <= content < 2**63):
        return content
    if isinstance(content, str):
        return content
    if isinstance(content, dict | list):
        return json.dumps(content, ensure_ascii=False, default=str)
    return text


def _text(value: Value) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _toml_text(key: str, value: Any) -> str:
    item = getattr(value, "item", None)
    try:
        return _toml.value(item() if callable(item) else value)
    except (TypeError, ValueError) as error:
        raise CampaignError(f"vary: {key}: {error}") from None


class Grid:
    """A scenario and the axes along which it is varied; its points are numbered from 0.

    The last axis varies fastest. Only the axes are kept: scenarios are made when they are asked
    for, so that a grid of a million points needs no memory.
    """

    def __init__(self, scenario: Scenario | str, axes: Sequence[Axis], source: str = "") -> None:
        """Take a scenario, or its document as JSON text, not resolved, and where it is from."""
        if isinstance(scenario, Scenario):
            self._text, self.source = scenario._text, scenario._source
        else:
            self._text, self.source = scenario, source
        self.axes = tuple(axes)
        self._values = [axis.values for axis in axes]
        keys = [axis.key for axis in axes]
        for key in keys:
            if keys.count(key) > 1:
                raise CampaignError(f"vary: {key}: varied twice")
        # A table must come before what is in it, and a queue's kind before its parameters, which a
        # new kind resets.
        self._order = sorted(
            range(len(axes)),
            key=lambda k: (keys[k].count("."), keys[k].rpartition(".")[2] != "kind"),
        )

    def __len__(self) -> int:
        return prod(len(axis.texts) for axis in self.axes)

    def overrides(self, point: int) -> list[tuple[str, str]]:
        """Return the keys of a point with their values as text, in the order to set them in."""
        where = self._where(point)
        return [(self.axes[k].key, self.axes[k].texts[where[k]]) for k in self._order]

    def values(self, point: int) -> dict[str, Value]:
        """Return the keys of a point with their values, as tables show them."""
        return {
            axis.key: values[index]
            for axis, values, index in zip(self.axes, self._values, self._where(point), strict=True)
        }

    def resolve(self, point: int) -> str:
        """Return the scenario of a point as JSON text, every default filled in.

        Raises ScenarioError, which names the key and the value.
        """
        overrides = self.overrides(point)
        if not overrides:
            return _core.resolve(self._text, self.source)
        what = f"--vary {' '.join(f'{key}={value[:80]}' for key, value in overrides)}"
        return _core.resolve(_core.apply(self._text, overrides, what), what)

    def check(self) -> Iterator[tuple[int, str]]:
        """Resolve every point. Raises ScenarioError for the first that is not valid."""
        for point in range(len(self)):
            yield point, self.resolve(point)

    def points(self) -> Iterator[Mapping[str, Value]]:
        """Return the values of every point, in order."""
        keys = [axis.key for axis in self.axes]
        for combination in product(*self._values):
            yield dict(zip(keys, combination, strict=True))

    def _where(self, point: int) -> list[int]:
        """Return the position of a point on each axis."""
        where = []
        for axis in reversed(self.axes):
            point, index = divmod(point, len(axis.texts))
            where.append(index)
        return where[::-1]
