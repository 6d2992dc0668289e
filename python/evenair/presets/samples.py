"""The series of a test, read from its result: names and units as in flent."""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from evenair.presets.mixes import DELAY, DOWNLOAD, HTTP, PING, UPLOAD, VOIP

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from evenair.presets.mixes import Preset

Values: TypeAlias = "list[float | None]"


@dataclass(frozen=True)
class Series:
    """A value for each interval; None where there is none."""

    name: str
    unit: str
    values: Values
    of: str | None
    """The id of the flow; None of what is computed from several flows."""


@dataclass(frozen=True)
class Samples:
    """The series of a run."""

    times: list[float]
    """The end of each interval, seconds since the beginning of the test."""
    load: tuple[float, float]
    """From when to when there is load."""
    series: list[Series]

    def under_load(self, series: Series) -> list[float]:
        """Return the values of the intervals that lie within the time of the load."""
        start, stop = self.load
        return [
            value
            for before, time, value in zip(
                (0.0, *self.times), self.times, series.values, strict=False
            )
            if value is not None and _is_within(before, time, start, stop)
        ]

    def idle(self, series: Series) -> list[float]:
        """Return the values of the intervals before the load."""
        start = self.load[0]
        pairs = zip(self.times, series.values, strict=True)
        return [value for time, value in pairs if value is not None and time <= start + _ROUNDING]


_ROUNDING = 1e-6
"""Times of samples are sums of floating-point numbers."""


def samples(document: Mapping[str, Any], preset: Preset) -> Samples:
    """Return the series of a result of a test: those of flows, then what is computed of them."""
    columns, times = document["series"]["flows"], document["series"]["time_s"]
    load = (DELAY, document["duration_s"] - DELAY)
    found: list[Series] = []
    for flow in document["flows"]:
        name, column = flow["group"] or "", columns[flow["id"]]
        if name.startswith((DOWNLOAD, UPLOAD)):
            values = _scaled(column["goodput_bps"], 1e-6)
            found.append(Series(name, "Mbits/s", _during(times, values, load), flow["id"]))
        elif name.startswith(PING):
            found.append(Series(name, "ms", _scaled(column["rtt_mean_s"], 1e3), flow["id"]))
        elif name.startswith(VOIP) and flow["direction"] == "up":
            delays = column["one_way_delay_p50_s"]
            found.append(Series(name, "ms", _scaled(delays, 1e3), flow["id"]))
        elif name.startswith(HTTP):
            found.append(Series(name, "ms", _page_loads(document, flow["id"]), flow["id"]))
    return Samples(times, load, [*found, *_computed(found, preset.clients > 1)])


def _page_loads(document: Mapping[str, Any], flow: str) -> Values:
    """Return the mean load time of the pages that were complete in each interval, in ms."""
    values: Values = []
    pages = [page for page in document["sessions"] if page["flow"] == flow]
    begin = 0.0
    for end in document["series"]["time_s"]:
        loads = [
            1e3 * (page["last_byte_s"] - page["start_s"])
            for page in pages
            if begin < page["last_byte_s"] <= end
        ]
        values.append(_mean(loads) if loads else None)
        begin = end
    return values


def _computed(found: Sequence[Series], has_fairness: bool) -> list[Series]:
    """Return the series that flent computes from others."""
    rates = {"avg": _mean, "sum": math.fsum} | ({"fairness": _jain_index} if has_fairness else {})
    wanted = [(f"{way} {name}", way, f) for way in (UPLOAD, DOWNLOAD) for name, f in rates.items()]
    if not has_fairness:
        wanted.append(("TCP totals", "TCP", math.fsum))
    wanted.append((f"{PING} avg", PING, _mean))
    computed = []
    for name, start, function in wanted:
        own = [series for series in found if series.name.startswith(start)]
        unit = "Idx" if function is _jain_index else own[0].unit
        values = _combined([series.values for series in own], function)
        computed.append(Series(name, unit, values, None))
    return computed


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def _jain_index(values: Sequence[float]) -> float | None:
    """Return Jain's fairness index; None where all are zero."""
    squares = math.fsum(value * value for value in values)
    return math.fsum(values) ** 2 / (len(values) * squares) if squares else None


def _combined(
    series: Sequence[Values], function: Callable[[Sequence[float]], float | None]
) -> Values:
    rows = ([value for value in row if value is not None] for row in zip(*series, strict=True))
    return [function(known) if known else None for known in rows]


def _scaled(values: Sequence[float | None], scale: float) -> Values:
    return [None if value is None else value * scale for value in values]


def _during(times: Sequence[float], values: Values, load: tuple[float, float]) -> Values:
    """Return the values of intervals within the time of the load, and None otherwise."""
    before = (0.0, *times)
    return [
        value if _is_within(begin, end, *load) else None
        for begin, end, value in zip(before, times, values, strict=False)
    ]


def _is_within(begin: float, end: float, start: float, stop: float) -> bool:
    return begin >= start - _ROUNDING and end <= stop + _ROUNDING


@dataclass(frozen=True)
class Summary:
    """What a table says of a series; None without a value."""

    mean: float | None
    median: float | None
    p99: float | None
    idle: float | None
    count: float
    """The number of values."""


def summary(run: Samples, series: Series) -> Summary:
    """Summarize a series under load; `idle` is the median of a ping before the load."""
    values = sorted(run.under_load(series))
    idle = run.idle(series) if series.name.startswith(PING) else []
    return Summary(
        _mean(values) if values else None,
        statistics.median(values) if values else None,
        # By nearest rank, as the percentiles of results.
        values[math.ceil(0.99 * len(values)) - 1] if values else None,
        statistics.median(idle) if idle else None,
        len(values),
    )
