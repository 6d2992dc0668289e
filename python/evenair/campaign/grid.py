"""The grid of a campaign: the keys that are varied, their values, and the resulting scenarios."""

from __future__ import annotations

import json
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any

from evenair.campaign.errors import CampaignError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from evenair._core import Scenario as CoreScenario
    from evenair.text.axis import Axis, Value


class Grid:
    """A scenario and the axes along which it is varied; its points are numbered from 0.

    The last axis varies fastest. Only the axes are stored: the scenario of a point is made on
    demand, so a grid of a million points needs no memory.
    """

    def __init__(self, scenario: CoreScenario, axes: Sequence[Axis], option: str = "vary") -> None:
        """Take a scenario, which need not be valid by itself, and the axes.

        Errors name the option that gives the axes.
        """
        self._option = option
        self._scenario = scenario
        self.axes = tuple(axes)
        self._values = [axis.values for axis in axes]
        self._positions = [{value: k for k, value in enumerate(a.values)} for a in axes]
        keys = [axis.key for axis in axes]
        for key in keys:
            if keys.count(key) > 1:
                raise CampaignError(f"{option}: {key}: varied twice")
        # Set a table before its members, and a queue's kind before its parameters: a new kind
        # resets them.
        self._order = sorted(
            range(len(axes)),
            key=lambda k: (keys[k].count("."), keys[k].rpartition(".")[2] != "kind"),
        )

    def __len__(self) -> int:
        return prod(len(axis.texts) for axis in self.axes)

    @property
    def document(self) -> dict[str, Any]:
        """The scenario as it was written, before any axis."""
        document: dict[str, Any] = json.loads(self._scenario.document_json())
        return document

    def overrides(self, point: int) -> list[tuple[str, str]]:
        """Return the keys of a point and their values as text, in the order of setting them."""
        where = self._where(point)
        return [(self.axes[k].key, self.axes[k].texts[where[k]]) for k in self._order]

    def values(self, point: int) -> dict[str, Value]:
        """Return the keys of a point and their values as tables hold them."""
        return {
            axis.key: values[index]
            for axis, values, index in zip(self.axes, self._values, self._where(point), strict=True)
        }

    def scenario(self, point: int) -> CoreScenario:
        """Return the resolved scenario of a point.

        Raises ScenarioError, which names the key and the value.
        """
        scenario, overrides = self._scenario, self.overrides(point)
        if overrides:
            source = (
                f"--{self._option} {' '.join(f'{key}={value[:80]}' for key, value in overrides)}"
            )
            scenario = scenario.with_overrides(overrides, source, source)
        scenario.resolve()
        return scenario

    def scenarios(self) -> Iterator[tuple[int, CoreScenario]]:
        """Return every point with its scenario. Raises ScenarioError for the first invalid one."""
        for point in range(len(self)):
            yield point, self.scenario(point)

    def points(self) -> Iterator[Mapping[str, Value]]:
        """Return the values of every point, in order."""
        keys = [axis.key for axis in self.axes]
        for combination in product(*self._values):
            yield dict(zip(keys, combination, strict=True))

    def find(self, values: Mapping[str, Value]) -> int | None:
        """Return the point with these values, as `values` returns them; None if there is none."""
        point = 0
        for axis, positions in zip(self.axes, self._positions, strict=True):
            index = positions.get(values[axis.key])
            if index is None:
                return None
            point = point * len(positions) + index
        return point

    def _where(self, point: int) -> list[int]:
        """Return the position of a point on each axis."""
        where = []
        for axis in reversed(self.axes):
            point, index = divmod(point, len(axis.texts))
            where.append(index)
        return where[::-1]
