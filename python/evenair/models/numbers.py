"""Conversion between scalars and arrays, and checks of arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

Numbers: TypeAlias = Any
"""A float if all arguments are scalars, else an array of their broadcast shape."""


class ModelError(ValueError):
    """An argument of a model is not valid. The message names key, value and what is accepted."""


def like_input(values: NDArray[Any]) -> Numbers:
    """Return an array without dimensions as a Python number, any other array unchanged."""
    return values.item() if values.ndim == 0 else values


def integers(name: str, values: ArrayLike, most: int | None = None) -> NDArray[np.float64]:
    """Return integers from 1 to `most` as floats. Raises ModelError."""
    numbers = _numbers(name, values)
    top = np.inf if most is None else most
    right = np.isfinite(numbers) & (numbers >= 1) & (numbers <= top)
    wrong = ~(right & (numbers == np.floor(numbers)))
    bound = "on" if most is None else f"to {most}"
    return _checked(name, numbers, wrong, f"a whole number from 1 {bound}")


def positive(name: str, values: ArrayLike, unit: str) -> NDArray[np.float64]:
    """Return finite numbers above 0. Raises ModelError."""
    numbers = _numbers(name, values)
    return _checked(name, numbers, ~(np.isfinite(numbers) & (numbers > 0)), f"{unit} above 0")


def above(name: str, values: ArrayLike, bound: float, remark: str) -> NDArray[np.float64]:
    """Return finite numbers above `bound`. Raises ModelError."""
    numbers = _numbers(name, values)
    accepted = f"a number above {bound:g}{remark}"
    return _checked(name, numbers, ~(np.isfinite(numbers) & (numbers > bound)), accepted)


def bisect(low: NDArray[Any], high: NDArray[Any], is_below: Any) -> NDArray[np.float64]:
    """Return the x at which `is_below(x)` changes from true, at `low`, to false, at `high`.

    Elementwise. After 64 steps the interval is below the resolution of a float.
    """
    for _ in range(64):
        middle = (low + high) / 2
        below = is_below(middle)
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return np.asarray((low + high) / 2)


def _numbers(name: str, values: ArrayLike) -> NDArray[np.float64]:
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ModelError(f"{name}: got {values!r}; accepted: numbers") from None


def _checked(
    name: str, numbers: NDArray[np.float64], wrong: NDArray[np.bool_], accepted: str
) -> NDArray[np.float64]:
    if np.any(wrong):
        raise ModelError(f"{name}: got {numbers[wrong].flat[0]:g}; accepted: {accepted}")
    return numbers
