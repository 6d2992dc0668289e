"""The results of several engines for one scenario, side by side."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any, NamedTuple

from evenair.statistics import Estimate, estimate, t_quantile_975

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.figure import Figure

    from evenair.result import RunResult

ENGINES = ("sim", "testbed", "model")
"""The engines, in the order of their columns."""

METRICS = (
    "aggregate_goodput_bps",
    "mean_up_goodput_bps",
    "mean_down_goodput_bps",
    "jain_index",
    "jain_airtime",
    "mean_rtt_s",
    "mean_session_s",
    "ap_queue_loss_ratio",
    "ap_queue_mean_packets",
    "ap_queue_mean_delay_s",
    "limiter_mean_rate_bps",
    "limiter_lossy_rounds",
)
"""What is compared, as far as engines have it: `RunResult.metrics`, and the mean of the flows'
`mean_rtt_s`."""


class Difference(NamedTuple):
    """By how much an engine's mean differs from that of the first one."""

    value: float
    ci95: float | None
    """Half-width of the 95% interval (Welch's); None unless both engines have several runs."""
    relative: float | None
    """The difference over the first engine's mean; None where that is 0."""


class Comparison:
    """The samples of each engine, by metric: one value for each run."""

    def __init__(
        self, scenario: Mapping[str, Any], samples: Mapping[str, Mapping[str, Sequence[float]]]
    ) -> None:
        """`samples` has an entry for each engine, in order; the first one is the reference."""
        self.scenario = scenario
        self.samples = samples

    @property
    def engines(self) -> list[str]:
        """The engines, the reference first."""
        return list(self.samples)

    @property
    def metrics(self) -> list[str]:
        """The metrics that any engine has."""
        return [name for name in METRICS if any(name in s for s in self.samples.values())]

    def estimate(self, engine: str, metric: str) -> Estimate | None:
        """Return the mean of an engine's runs; None if it does not have the metric."""
        sample = self.samples[engine].get(metric)
        return estimate(sample) if sample else None

    def difference(self, engine: str, metric: str) -> Difference | None:
        """Return by how much an engine differs from the reference; None if one lacks the metric."""
        first = self.samples[self.engines[0]].get(metric)
        other = self.samples[engine].get(metric)
        return difference(first, other) if first and other else None

    @property
    def document(self) -> dict[str, Any]:
        """Everything as a JSON document."""
        engines: dict[str, Any] = {}
        for engine, samples in self.samples.items():
            metrics: dict[str, Any] = {}
            for name in self.metrics:
                mean = self.estimate(engine, name)
                if mean is None:
                    continue
                change = self.difference(engine, name)
                metrics[name] = mean._asdict() | {"runs": len(samples[name])}
                if change is not None and engine != self.engines[0]:
                    metrics[name]["difference"] = change._asdict()
            engines[engine] = metrics
        return {"scenario": self.scenario, "reference": self.engines[0], "engines": engines}

    @property
    def json(self) -> str:
        """The document as JSON text."""
        return json.dumps(self.document, separators=(",", ":"), allow_nan=False)

    def plot(self) -> Figure:
        """Draw the goodputs and Jain's index of each engine with their 95% intervals."""
        from matplotlib.figure import Figure

        from evenair.style import literal

        rates = [name for name in self.metrics if name.endswith("goodput_bps")]
        figure = Figure(figsize=(7.5, 3.6), layout="constrained")
        left, right = figure.subplots(1, 2, width_ratios=(3, 1))
        for axes, names, scale in ((left, rates, 1e-6), (right, ["jain_index"], 1.0)):
            for k, engine in enumerate(self.engines):
                drawn = [(x, self.estimate(engine, name)) for x, name in enumerate(names)]
                known = [(x, mean) for x, mean in drawn if mean is not None]
                axes.bar(
                    [x + (k - (len(self.engines) - 1) / 2) * _WIDTH for x, _ in known],
                    [mean.mean * scale for _, mean in known],
                    _WIDTH,
                    yerr=[(mean.ci95 or 0.0) * scale for _, mean in known],
                    capsize=3,
                    facecolor=_COLORS[engine],
                    hatch=_HATCHES[engine],
                    edgecolor="black",
                    linewidth=0.6,
                    label=engine,
                )
            axes.set_xticks(range(len(names)), [_LABELS[name] for name in names])
        left.set_ylabel("goodput (Mb/s)")
        right.set_ylim(0, 1.05)
        left.set_title(literal(str(self.scenario.get("name", ""))), fontsize="medium")
        left.legend()
        return figure


_WIDTH = 0.26
_COLORS = {"sim": "#56B4E9", "testbed": "#E69F00", "model": "#999999"}
_HATCHES = {"sim": "", "testbed": "//", "model": ".."}
_LABELS = {
    "aggregate_goodput_bps": "total",
    "mean_up_goodput_bps": "mean upload",
    "mean_down_goodput_bps": "mean download",
    "jain_index": "Jain's index",
}


def samples_of(runs: Sequence[RunResult]) -> dict[str, list[float]]:
    """Return the values of each metric of an engine's runs."""
    samples: dict[str, list[float]] = {}
    for run in runs:
        metrics = dict(run.metrics)
        rtts = [flow["mean_rtt_s"] for flow in run.document["flows"] if flow["mean_rtt_s"]]
        if rtts:
            metrics["mean_rtt_s"] = math.fsum(rtts) / len(rtts)
        for name in METRICS:
            if name in metrics:
                samples.setdefault(name, []).append(metrics[name])
    return samples


def difference(first: Sequence[float], other: Sequence[float]) -> Difference:
    """Return the difference of two means, with Welch's interval.

    B. L. Welch, "The generalization of Student's problem when several different population
    variances are involved", Biometrika 34, 1947; degrees of freedom are rounded down.
    """
    means = [math.fsum(sample) / len(sample) for sample in (first, other)]
    value = means[1] - means[0]
    relative = value / means[0] if means[0] else None
    if min(len(first), len(other)) < 2:
        return Difference(value, None, relative)
    parts = [
        math.fsum((x - mean) ** 2 for x in sample) / (len(sample) - 1) / len(sample)
        for sample, mean in zip((first, other), means, strict=True)
    ]
    total = math.fsum(parts)
    if total == 0:
        return Difference(value, 0.0, relative)
    counts = (len(first), len(other))
    freedom = total**2 / sum(p**2 / (n - 1) for p, n in zip(parts, counts, strict=True))
    return Difference(value, t_quantile_975(max(1, math.floor(freedom))) * total**0.5, relative)
