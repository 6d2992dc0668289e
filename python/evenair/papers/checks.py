"""Checks of the values in claims files."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


def one_of(key: str, value: object, accepted: Iterable[str]) -> str:
    """Return a value if it is among those accepted. Raises ValueError."""
    for name in (names := list(accepted)):
        if value == name:
            return name
    raise ValueError(f"{key}: got {value!r}, expected one of {', '.join(names)}")


def select_values(
    key: str,
    name: str | float,
    ranges: Mapping[str, tuple[float, float]],
    simulated: Sequence[float],
) -> tuple[float, ...]:
    """Return the simulated values in the range of this name, or the single value given.

    Raises ValueError for an unknown name and for a value that is not simulated.
    """
    if isinstance(name, str):
        low, high = ranges[one_of(key, name, ranges)]
    else:
        low, high = name, name
    values = tuple(value for value in simulated if low <= value <= high)
    if not values:
        raise ValueError(f"{key}: {name!r} is not among those simulated")
    return values
