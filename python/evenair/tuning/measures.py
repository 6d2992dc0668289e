"""What is optimised and what limits it: metrics of a run, and limits of them."""

from __future__ import annotations

import json
import math
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from evenair._core import quantity
from evenair.campaign.errors import CampaignError
from evenair.campaign.storage.record import FLOWS_PAGE, METRICS, METRICS_PAGE, Record, unpack
from evenair.tables import flat
from evenair.text.messages import shown, suggest, unknown_column

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_OPERATOR = re.compile(r"(<=|>=)")
_KINDS = {"_s": "time", "_bps": "rate"}
"""The kinds of quantities by the ending of a metric's name."""
_TEXTS = ("direction", "group", "name", "application")
"""Columns by which flows are told apart."""


class Metric(NamedTuple):
    """A metric of campaigns, or the mean over some flows of a column of the table of flows."""

    name: str
    where: tuple[tuple[str, str], ...] | None
    """Columns of flows and their values as text; None for a metric of the run."""

    @property
    def text(self) -> str:
        """The metric as it is written."""
        if self.where is None:
            return self.name
        return f"{self.name}[{','.join(f'{column}={value}' for column, value in self.where)}]"

    def value(self, record: Record) -> float | None:
        """Return the value of a run, whose flows have been read; None if it does not have it."""
        if self.where is None:
            found: float | None = json.loads(record.metrics).get(self.name)
            return found
        known = [flow[self.name] for flow in self._flows(record) if _is_number(flow, self.name)]
        return math.fsum(known) / len(known) if known else None

    def check(self, record: Record) -> None:
        """Raise CampaignError, in one line, if the flows of a run have no such columns or values.

        A flow that has no value now may have one in another run.
        """
        if self.where is None:
            return
        flows = [flat(flow) for flow in unpack(record.flows)]
        columns = list(dict.fromkeys(name for flow in flows for name in flow))
        for column, value in self.where:
            if column not in columns:
                known = unknown_column("column", column, columns, first=_TEXTS, page=FLOWS_PAGE)
                raise CampaignError(f"{self.text}: {known}")
            values = sorted({str(flow[column]) for flow in flows if flow.get(column) is not None})
            if value not in values:
                near = suggest(value, values[:20]) if values else f"no flow has a {column}"
                raise CampaignError(f"{self.text}: no flow has {column}={value[:80]}; {near}")
        if not self._flows(record):
            raise CampaignError(f"{self.text}: no flow has all of these values")
        numbers = [name for name in columns if any(_is_number(flow, name) for flow in flows)]
        if self.name not in columns or any(_is_text(flow.get(self.name)) for flow in flows):
            known = unknown_column("metric", self.name, numbers, page=FLOWS_PAGE)
            raise CampaignError(f"{self.text}: {known}")

    def _flows(self, record: Record) -> list[dict[str, Any]]:
        flows = (flat(flow) for flow in unpack(record.flows))
        where = self.where or ()
        return [f for f in flows if all(str(f.get(column)) == value for column, value in where)]


class Limit(NamedTuple):
    """A limit of a metric: `METRIC >= NUMBER` or, with `best`, a part of the best value."""

    metric: Metric
    sign: int
    """1 for >=, -1 for <=."""
    number: float
    """In the unit of the metric or, with `best`, the factor."""
    best: bool
    text: str
    """As it was written."""


def parse_metric(text: str, option: str) -> Metric:
    """Read `METRIC` or `COLUMN[NAME=VALUE,...]`, a column of the flows that have these values.

    Raises CampaignError, which begins with the name of the option.
    """
    if not isinstance(text, str):
        raise CampaignError(f"{option}: got {shown(text)}, expected the name of a metric")
    name, bracket, condition = (part.strip() for part in text.partition("["))
    is_closed = condition.endswith("]") if bracket else True
    if not (name.isidentifier() and name.isascii() and is_closed and text.isprintable()):
        expected = "expected METRIC, or COLUMN[NAME=VALUE] of flows, as in goodput_bps[group=web]"
        raise CampaignError(f"{option}: got {text[:80]!r}, {expected}")
    if not bracket:
        if name not in METRICS:
            known = unknown_column("metric", name, METRICS, page=METRICS_PAGE)
            raise CampaignError(f"{option}: {known}")
        return Metric(name, None)
    where = []
    for part in condition.removesuffix("]").split(","):
        column, equals, value = (piece.strip() for piece in part.partition("="))
        if not (column and equals and value):
            raise CampaignError(
                f"{option}: got {text[:80]!r}, expected NAME=VALUE in the brackets, as in"
                " [group=web]"
            )
        where.append((column, value))
    return Metric(name, tuple(where))


def parse_limit(text: str) -> Limit:
    """Read `METRIC >= NUMBER`, `METRIC <= NUMBER`, each also with `best` after the number.

    Raises CampaignError.
    """
    expected = "expected METRIC >= NUMBER or METRIC <= NUMBER, with best for a part of the best"
    if not isinstance(text, str):
        raise CampaignError(f"subject-to: got {shown(text)}, {expected}")
    parts = _OPERATOR.split(text)
    if len(parts) != 3 or not text.isprintable():
        raise CampaignError(f"subject-to: got {text[:80]!r}, {expected}")
    metric = parse_metric(parts[0], "subject-to")
    sign = 1 if parts[1] == ">=" else -1
    right = parts[2].strip()
    is_best = right.endswith("best")
    factor = right.removesuffix("best").rstrip().removesuffix("*")
    number = _number(factor or "1", "") if is_best else _number(right, metric.name)
    if number is None:
        raise CampaignError(f"subject-to: got {text[:80]!r}, {expected}")
    if is_best and not (0 < number <= 1 if sign > 0 else number >= 1):
        bound = "above 0 and up to 1" if sign > 0 else "of at least 1"
        raise CampaignError(
            f"subject-to: got {text[:80]!r}, expected a factor {bound} of the best with {parts[1]}"
        )
    return Limit(metric, sign, number, is_best, " ".join(text.split()))


def _number(text: str, metric: str) -> float | None:
    """Read a number, a percentage, or a quantity of a metric whose name ends in its unit."""
    text = text.strip()
    kind = next((kind for ending, kind in _KINDS.items() if metric.endswith(ending)), None)
    try:
        if text.endswith("%"):
            number = float(text[:-1]) / 100
        else:
            number = float(text) if kind is None or _is_plain(text) else quantity(kind, text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _is_plain(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _is_number(flow: Mapping[str, Any], name: str) -> bool:
    value = flow.get(name)
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_text(value: object) -> bool:
    return value is not None and (isinstance(value, bool) or not isinstance(value, int | float))


def values(metrics: Sequence[Metric], record: Record) -> tuple[float | None, ...]:
    """Return what a run has of some metrics."""
    return tuple(metric.value(record) for metric in metrics)
