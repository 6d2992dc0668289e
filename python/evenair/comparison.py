"""Results side by side: of two scenarios, or of several engines for one scenario."""

from __future__ import annotations

import json
import math
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from evenair.engine import run_jobs
from evenair.scenario import Scenario, load
from evenair.statistics import Estimate, estimate, estimate_known, t_quantile_975
from evenair.text import labels, markup
from evenair.text.cells import scaled, with_interval
from evenair.text.messages import downlink_sender, shown, whole_number

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Mapping, Sequence

    import pyarrow as pa
    from matplotlib.figure import Figure

    from evenair.result import RunResult

Samples: TypeAlias = "Mapping[str, Sequence[float | None]]"
"""By metric the value of each run, None for a run that does not have it."""


class Difference(NamedTuple):
    """By how much a mean differs from that of the reference."""

    value: float
    ci95: float | None
    """Half-width of the 95% interval; None unless there are several runs."""
    relative: float | None
    """The difference over the reference's mean; None where that is 0."""

    @property
    def clear(self) -> bool:
        """Whether the interval excludes 0."""
        return self.ci95 is not None and abs(self.value) > self.ci95


class Comparison:
    """The metrics of two or more columns, and how they differ from the first, the reference.

    The columns of `compare` are two scenarios; those of `evenair compare` are engines.
    """

    def __init__(
        self,
        scenario: Mapping[str, Any],
        samples: Mapping[str, Samples],
        *,
        paired: bool = False,
        others: Mapping[str, Mapping[str, Any]] | None = None,
        seeds: Sequence[int] = (),
    ) -> None:
        """`samples` has an entry for each column, in order; the first one is the reference.

        With `paired`, values at the same place are of the same seed, and intervals are those of
        the mean of their differences (Student's t); otherwise they are Welch's. `scenario` is the
        resolved scenario of the reference, `others` those of other columns, where they differ.
        """
        self.scenario = scenario
        self.samples = samples
        self.paired = paired
        self.others = dict(others or {})
        self.seeds = tuple(seeds)

    @property
    def columns(self) -> list[str]:
        """The names of what is compared, the reference first."""
        return list(self.samples)

    @property
    def title(self) -> str:
        """The name of the scenarios, if they have the same, and the number of runs."""
        names = {s.get("name") for s in (self.scenario, *self.others.values())}
        name = names.pop() if len(names) == 1 else None
        runs = max(len(values) for s in self.samples.values() for values in s.values())
        count = f"{runs} runs each, 95% intervals" if runs > 1 else "1 run each"
        return f"{name} ({count})" if name else count

    @property
    def main(self) -> list[str]:
        """The main metrics that any column has."""
        return [name for name in labels.MAIN if any(name in s for s in self.samples.values())]

    @property
    def metrics(self) -> list[str]:
        """The main metrics, then all others that several columns have."""
        counts = Counter(name for samples in self.samples.values() for name in samples)
        others = [name for name, count in counts.items() if count > 1 and name not in labels.MAIN]
        return [*self.main, *others]

    def estimate(self, column: str, metric: str) -> Estimate | None:
        """Return the mean of a column's runs; None if it does not have the metric."""
        found = estimate_known(self.samples[column].get(metric, ()))
        return found and found[0]

    def difference(self, column: str, metric: str) -> Difference | None:
        """Return by how much a column differs from the reference; None if one lacks the metric."""
        first = self.samples[self.columns[0]].get(metric, ())
        other = self.samples[column].get(metric, ())
        return (paired_difference if self.paired else difference)(first, other)

    @property
    def document(self) -> dict[str, Any]:
        """Everything as a JSON document."""
        first, *_ = self.columns
        columns: dict[str, Any] = {}
        for column, samples in self.samples.items():
            metrics: dict[str, Any] = {}
            for name in self.metrics:
                mean = self.estimate(column, name)
                if mean is None:
                    continue
                runs = sum(value is not None for value in samples[name])
                metrics[name] = mean._asdict() | {"runs": runs}
                change = self.difference(column, name)
                if change is not None and column != first:
                    metrics[name]["difference"] = change._asdict()
            columns[column] = metrics
        if not self.paired:
            return {"scenario": self.scenario, "reference": first, "engines": columns}
        scenarios = dict.fromkeys(self.columns, self.scenario) | self.others
        return {
            "reference": first,
            "paired": True,
            "seeds": list(self.seeds),
            "scenarios": scenarios,
            "metrics": columns,
        }

    @property
    def json(self) -> str:
        """The document as JSON text."""
        return json.dumps(self.document, separators=(",", ":"), allow_nan=False)

    @property
    def table(self) -> pa.Table:
        """One row per metric and column other than the reference.

        `metric`, `reference`, `column`, `reference_mean`, `reference_ci95`, `mean`, `ci95`,
        `difference`, `difference_ci95`, `relative`; bit/s, s, packets; null where one lacks it.
        """
        import pyarrow as pa

        names = ["metric", "reference", "column", "reference_mean", "reference_ci95"]
        names += ["mean", "ci95", "difference", "difference_ci95", "relative"]
        first, *others = self.columns
        missing = (None, None)
        rows = [
            (
                metric,
                first,
                other,
                *(self.estimate(first, metric) or missing),
                *(self.estimate(other, metric) or missing),
                *(self.difference(other, metric) or (None, None, None)),
            )
            for metric in self.metrics
            for other in others
        ]
        kinds = [pa.string()] * 3 + [pa.float64()] * 7
        return pa.table(
            {
                name: pa.array([row[k] for row in rows], kind)
                for k, (name, kind) in enumerate(zip(names, kinds, strict=True))
            }
        )

    def plot(self) -> Figure:
        """Draw goodputs, Jain's index and, of two columns, all differences, with intervals."""
        from evenair.plot.comparison import plot_comparison

        return plot_comparison(self)

    def _repr_html_(self) -> str:
        first, *others = self.columns
        rows = []
        for name in self.metrics:
            label = labels.metric(name, downlink_sender({"scenario": self.scenario}))
            found: list[Estimate | None] = [self.estimate(column, name) for column in self.columns]
            changes = [self.difference(other, name) for other in others]
            found += [change and Estimate(change.value, change.ci95) for change in changes]
            cells = [with_interval(x and scaled(x, label.scale), label.decimals) for x in found]
            rows.append((label.with_unit, *cells))
        columns = ("", *self.columns, *(f"{other} - {first}" for other in others))
        return markup.heading(self.title) + markup.table(columns, rows)

    def __repr__(self) -> str:
        return f"<Comparison {' | '.join(self.columns)}: {len(self.metrics)} metrics>"


def compare(
    a: Scenario | str | os.PathLike[str],
    b: Scenario | str | os.PathLike[str],
    *,
    runs: int = 10,
    seed: int = 1,
    names: tuple[str, str] | None = None,
    threads: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Comparison:
    """Simulate two scenarios with the same seeds and compare them, `a` the reference.

    `names` are those of the two columns, by default the scenarios' names or, if these are equal,
    what `b` changes. Raises ScenarioError, RunError, ValueError; Interrupted after Ctrl-C.
    """
    runs = whole_number("runs", runs, 1)
    seed = whole_number("seed", seed, 0)
    if names is not None and not (
        isinstance(names, tuple | list)
        and len(names) == 2
        and all(isinstance(name, str) for name in names)
    ):
        raise ValueError(f"names: got {shown(names)}, expected two texts")
    if progress is not None and not callable(progress):
        raise ValueError(f"progress: got {shown(progress)}, expected a function")
    both = [each if isinstance(each, Scenario) else load(each) for each in (a, b)]
    first, second = both
    seeds = [seed + k for k in range(runs)]
    results = run_jobs(interleaved(both, seeds), threads=threads, progress=progress)
    return paired(names or default_names(first, second), both, results)


def interleaved(both: Sequence[Scenario], seeds: Sequence[int]) -> list[tuple[Scenario, int]]:
    """Return the jobs of a comparison: for each seed a run of each scenario."""
    return [(scenario, seed) for seed in seeds for scenario in both]


def paired(
    names: tuple[str, str], both: Sequence[Scenario], results: Sequence[RunResult]
) -> Comparison:
    """Return the comparison of the results of the `interleaved` jobs. Raises ValueError."""
    if names[0] == names[1]:
        raise ValueError(f"names: got {names[0]!r} twice, expected different ones")
    pairs = len(results) // 2
    halves = (results[: 2 * pairs : 2], results[1 : 2 * pairs : 2])
    return Comparison(
        both[0].resolved,
        dict(zip(names, map(samples_of, halves), strict=True)),
        paired=True,
        others={names[1]: both[1].resolved},
        seeds=[result.seed for result in halves[0]],
    )


def default_names(a: Scenario, b: Scenario) -> tuple[str, str]:
    """Return the names of two scenarios or, if these are equal, the keys that differ."""
    if a.name != b.name:
        return a.name, b.name
    old, new = dict(_leaves(a.resolved, "")), dict(_leaves(b.resolved, ""))
    # A new kind of a part also has other parameters, which say nothing more.
    keys = [key for key in old if key in new and old[key] != new[key]]
    if 0 < len(keys) <= _MOST_KEYS:
        first, second = (", ".join(f"{key}={of[key]}" for key in keys) for of in (old, new))
        return first, second
    return f"{a.name} (a)", f"{b.name} (b)"


_MOST_KEYS = 2
"""More differences make no name."""


def _leaves(document: Any, path: str) -> list[tuple[str, Any]]:
    """Return the values of a resolved scenario by their dotted keys."""
    if isinstance(document, dict | list):
        items = document.items() if isinstance(document, dict) else enumerate(document)
        return [leaf for key, item in items for leaf in _leaves(item, f"{path}.{key}")]
    return [(path[1:], document)]


def samples_of(runs: Sequence[RunResult]) -> dict[str, list[float | None]]:
    """Return the values of each metric of some runs; None for a run that does not have it."""
    metrics = []
    for run in runs:
        rtts = [flow["mean_rtt_s"] for flow in run.document["flows"] if flow["mean_rtt_s"]]
        mean_rtt = {"mean_rtt_s": math.fsum(rtts) / len(rtts)} if rtts else {}
        metrics.append(run.metrics | mean_rtt)
    names = dict.fromkeys(name for found in metrics for name in found)
    return {name: [found.get(name) for found in metrics] for name in names}


def paired_difference(
    first: Sequence[float | None], other: Sequence[float | None]
) -> Difference | None:
    """Return the mean of the differences of pairs, with Student's interval, n - 1 degrees.

    Pairs of which one value is missing are left out; None without any.
    """
    pairs = [(a, b) for a, b in zip(first, other, strict=False) if a is not None and b is not None]
    if not pairs:
        return None
    mean, ci95 = estimate([b - a for a, b in pairs])
    reference = math.fsum(a for a, _ in pairs) / len(pairs)
    return Difference(mean, ci95, mean / reference if reference else None)


def difference(first: Sequence[float | None], other: Sequence[float | None]) -> Difference | None:
    """Return the difference of two means, with Welch's interval; None if one has no value.

    B. L. Welch, "The generalization of Student's problem when several different population
    variances are involved", Biometrika 34, 1947; degrees of freedom are rounded down.
    """
    samples = [[value for value in sample if value is not None] for sample in (first, other)]
    if not all(samples):
        return None
    means = [math.fsum(sample) / len(sample) for sample in samples]
    value = means[1] - means[0]
    relative = value / means[0] if means[0] else None
    if min(map(len, samples)) < 2:
        return Difference(value, None, relative)
    parts = [
        math.fsum((x - mean) ** 2 for x in sample) / (len(sample) - 1) / len(sample)
        for sample, mean in zip(samples, means, strict=True)
    ]
    total = math.fsum(parts)
    if total == 0:
        return Difference(value, 0.0, relative)
    freedom = total**2 / sum(
        part**2 / (len(sample) - 1) for part, sample in zip(parts, samples, strict=True)
    )
    return Difference(value, t_quantile_975(max(1, math.floor(freedom))) * total**0.5, relative)
