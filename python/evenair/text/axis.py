"""A key with several values, as `--vary` and `evenair model` read it: lists and ranges."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any

from evenair.text import toml
from evenair.text.messages import shown

if TYPE_CHECKING:
    from collections.abc import Sequence

MAX_VALUES = 1_000_000
"""Of one key: a mistyped range must not fill the memory."""

_CLOSING = {"{": "}", "[": "]"}

Value = bool | int | float | str


class AxisError(ValueError):
    """The values of a key cannot be read. The message begins with the key."""


@dataclass(frozen=True)
class Axis:
    """A key that is varied, and its values as text in the syntax of `--set KEY=VALUE`."""

    key: str
    texts: tuple[str, ...]

    @property
    def values(self) -> list[Value]:
        """The values as columns of a table hold them: numbers as numbers, all others as text.

        Tables and lists become JSON text. If only some values are numbers, all become text.
        """
        values = [_value(text) for text in self.texts]
        kinds = {type(value) for value in values}
        if kinds <= {int, float}:
            return [float(value) for value in values] if float in kinds else values
        return values if len(kinds) == 1 else [_text(value) for value in values]


def parse_axis(text: str) -> Axis:
    """Read `KEY=V1,V2,...`; each value may also be a range START:STOP:STEP of numbers.

    A range includes STOP if a step ends there exactly. With START:STOP:xFACTOR each number is the
    one before times FACTOR, rounded to a whole number where START and STOP are whole.

    Values have the syntax of `--set`; commas inside brackets, braces and quotes belong to a value.
    Raises AxisError.
    """
    key, equals, values = text.partition("=")
    key = key.strip()
    if not equals or not key or not text.isprintable():
        raise AxisError(f"got {text[:80]!r}, expected KEY=V1,V2,... or KEY=START:STOP:STEP")
    return _axis(key, [item for part in _split(key, values) for item in _expand(key, part)])


def make_axis(key: str, values: Iterable[Any] | str) -> Axis:
    """Return an axis of Python values: anything that a scenario takes, NumPy scalars included.

    A string is read like the part of `--vary` after the equals sign. Raises AxisError.
    """
    if not isinstance(key, str):
        raise AxisError(f"{shown(key)}: is no key of a scenario, expected a text")
    try:
        key.encode()
    except UnicodeEncodeError as error:  # a lone surrogate
        raise AxisError(f"{key!a}: {error}") from None
    if isinstance(values, str):
        return parse_axis(f"{key}={values}")
    if not isinstance(values, Iterable):
        raise AxisError(f"{key}: got {shown(values)}, expected a list of values")
    return _axis(key, [_toml_text(key, value) for value in values])


def _axis(key: str, texts: Sequence[str]) -> Axis:
    if not texts:
        raise AxisError(f"{key}: got no value, expected at least one")
    if len(texts) > MAX_VALUES:
        raise AxisError(f"{key}: got more than {MAX_VALUES} values")
    seen = set()
    for text in texts:
        value = _value(text)
        # In Python True == 1.
        if (isinstance(value, bool), value) in seen:
            raise AxisError(f"{key}: got {text} twice, expected each value once")
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
                raise AxisError(f"{key}: got {text[:80]}, which has an unmatched {char}")
        elif char == "," and not closing:
            parts.append("")
            continue
        parts[-1] += char
    missing = quote or "".join(closing[-1:])
    if missing:
        raise AxisError(f"{key}: got {text[:80]}, which lacks a closing {missing}")
    parts = [part.strip() for part in parts]
    if "" in parts:
        raise AxisError(f"{key}: got {text[:80]!r}, which has an empty value")
    return parts


def _expand(key: str, text: str) -> list[str]:
    """Return the values of a range, or the text itself if it is none, as the ratio `3:1`."""
    parts = text.split(":")
    if len(parts) == 3 and parts[2].strip().startswith("x"):
        return _expand_factor(key, text, parts)
    numbers = [_decimal(part) for part in parts]
    if len(parts) <= 2 or not all(number is not None for number in numbers):
        return [text]
    if len(parts) != 3:
        raise AxisError(f"{key}: got {text}, expected a range as START:STOP:STEP")
    start, stop, step = (number for number in numbers if number is not None)
    if step == 0 or (stop - start) / step < 0:
        raise AxisError(f"{key}: got {text}, where STEP does not lead from START to STOP")
    if (stop - start) / step >= MAX_VALUES:
        raise AxisError(f"{key}: got {text}, expected at most {MAX_VALUES} values")
    count = int((stop - start) / step) + 1
    whole = all(map(_is_whole, parts))
    values = [start + k * step for k in range(count)]
    return [str(int(value)) if whole else repr(float(value)) for value in values]


def _expand_factor(key: str, text: str, parts: Sequence[str]) -> list[str]:
    """Return the values of a range START:STOP:xFACTOR, or the text itself if it is none."""
    start, stop = _decimal(parts[0]), _decimal(parts[1])
    factor = _decimal(parts[2].strip().removeprefix("x"))
    if start is None or stop is None or factor is None:
        return [text]
    if not (factor > 1 and 0 < start <= stop):
        raise AxisError(f"{key}: got {text}, where xFACTOR does not lead from START to STOP")
    values = []
    while start <= stop:
        values.append(start)
        if len(values) > MAX_VALUES:
            raise AxisError(f"{key}: got {text}, expected at most {MAX_VALUES} values")
        start *= factor
    if all(map(_is_whole, parts[:2])):
        return list(dict.fromkeys(str(int(value.to_integral_value())) for value in values))
    return [repr(float(value)) for value in values]


def _is_whole(text: str) -> bool:
    number = _decimal(text)
    return number is not None and number == number.to_integral_value() and "." not in text


def _decimal(text: str) -> Decimal | None:
    try:
        number = Decimal(text.strip())
    except InvalidOperation:
        return None
    # Larger numbers are no range, and their arithmetic is slow.
    return number if number.is_finite() and abs(number.adjusted()) < 25 else None


def _value(text: str) -> Value:
    """Return the value that a table holds for a value given as text."""
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
    try:
        return toml.value(value)
    except (TypeError, ValueError) as error:
        raise AxisError(f"{key}: {error}") from None
