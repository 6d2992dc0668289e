"""The settings of a search: their numbers, a coarse grid of them, and the neighbours of one."""

from __future__ import annotations

from itertools import count, product
from math import prod
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


class Lattice:
    """The points of a grid, numbered as `Grid` does: the last axis varies fastest.

    An axis is given as the positions of its values in ascending order, or as None with as many
    values, of which none is nearer to one than to another.
    """

    def __init__(self, sizes: Sequence[int], orders: Sequence[Sequence[int] | None]) -> None:
        self._sizes = tuple(sizes)
        self._orders = tuple(orders)

    def __len__(self) -> int:
        return prod(self._sizes)

    def coarse(self, most: int) -> list[int]:
        """Return the settings that a search begins with, at most `most`.

        The ends and the middle of each ordered axis with all values of the others; if these are
        more than `most`, that many points of the Halton sequence among them, which leaves no part
        of the grid out (J. H. Halton, Numerische Mathematik 2, 1960).
        """
        levels = [
            list(range(size))
            if order is None or size <= 3
            else [order[k] for k in (0, (size - 1) // 2, size - 1)]
            for size, order in zip(self._sizes, self._orders, strict=True)
        ]
        if prod(map(len, levels)) <= most:
            return sorted(self._number(where) for where in product(*levels))
        found: dict[int, None] = {}
        # Two neighbours of the sequence can be one point: it ends when it finds nothing new.
        for k in range(1, 20 * most):
            where = [
                values[int(_radical_inverse(k, prime) * len(values))]
                for values, prime in zip(levels, _primes(), strict=False)
            ]
            found[self._number(where)] = None
            if len(found) == most:
                break
        return sorted(found)

    def last_level(self) -> int:
        """Return the level at which neighbours on all ordered axes are next to each other."""
        level = 0
        while any(self._step(axis, level) > 1 for axis in range(len(self._sizes))):
            level += 1
        return level

    def neighbours(self, point: int, level: int) -> Iterator[int]:
        """Return the points that differ from one in one axis.

        On an ordered axis in both directions, at level 0 by half the distance of the coarse grid
        and with each level by half as much; on the others, which come last, in any value.
        """
        where = self._where(point)
        for axis, order in enumerate(self._orders):
            if order is not None:
                rank, step = order.index(where[axis]), self._step(axis, level)
                for moved in (max(rank - step, 0), min(rank + step, len(order) - 1)):
                    if moved != rank:
                        yield self._with(where, axis, order[moved])
        for axis, order in enumerate(self._orders):
            if order is None:
                for value in range(self._sizes[axis]):
                    if value != where[axis]:
                        yield self._with(where, axis, value)

    def _step(self, axis: int, level: int) -> int:
        return max(1, -(-(self._sizes[axis] - 1) // (4 << level)))

    def _with(self, where: Sequence[int], axis: int, value: int) -> int:
        return self._number([*where[:axis], value, *where[axis + 1 :]])

    def _number(self, where: Sequence[int]) -> int:
        point = 0
        for size, index in zip(self._sizes, where, strict=True):
            point = point * size + index
        return point

    def _where(self, point: int) -> list[int]:
        where = []
        for size in reversed(self._sizes):
            point, index = divmod(point, size)
            where.append(index)
        return where[::-1]


def _primes() -> Iterator[int]:
    found: list[int] = []
    for number in count(2):
        if all(number % prime for prime in found):
            found.append(number)
            yield number


def _radical_inverse(number: int, base: int) -> float:
    """Return the digits of a number in a base, mirrored at the point."""
    value, place = 0.0, 1.0
    while number:
        number, digit = divmod(number, base)
        place /= base
        value += digit * place
    return value
