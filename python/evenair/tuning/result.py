"""What a search for the best setting has found."""

from __future__ import annotations

import json
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from evenair import tables
from evenair.statistics import Estimate
from evenair.text import labels, markup
from evenair.text.cells import scaled, with_interval

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pandas as pd
    import pyarrow as pa

    from evenair.campaign.result import Failure
    from evenair.scenario import Scenario
    from evenair.text.axis import Value
    from evenair.tuning.measures import Limit, Metric
    from evenair.tuning.trials import Mean

CHOSEN, CLOSEST = "chosen", "closest"
ALIKE = "not distinguishable"
"""The verdict of a finalist that the chosen one is not clearly better than."""


class Measured(NamedTuple):
    """What is known of the metric of a limit."""

    mean: Mean | None
    verdict: str
    """"met", "met on average", "missed on average", "violated" or "no value"."""


class Setting(NamedTuple):
    """A setting that was tried."""

    values: Mapping[str, Value]
    """The keys and their values."""
    overrides: Sequence[tuple[str, str]]
    """The same as text, in the order in which they are set."""
    runs: int
    is_finalist: bool
    """Whether its means are of the comparison; those of others are of the search."""
    objective: Mean | None
    limits: Sequence[Measured]
    behind: Mean | None
    """By how much its objective is worse than that of the chosen one, at equal seeds."""
    verdict: str

    @property
    def name(self) -> str:
        """The keys and values in one line."""
        return " ".join(f"{key}={text}" for key, text in self.overrides)


class Tuning:
    """The settings tried, the one chosen, and how sure that is."""

    def __init__(
        self,
        *,
        objective: Metric,
        sign: int,
        limits: Sequence[Limit],
        bounds: Sequence[float | None],
        settings: Sequence[Setting],
        scenario: Scenario | None,
        confidence: float,
        seeds: tuple[int, int],
        runs: int,
        new_runs: int,
        grid: tuple[int, int],
        failures: Sequence[Failure],
        contents: Mapping[str, pa.Table],
        damaged: str | None,
    ) -> None:
        self.objective, self.sign = objective, sign
        """The metric, and 1 if it is minimised, -1 if maximised."""
        self.limits, self.bounds = tuple(limits), tuple(bounds)
        """The limits as they were given, and in the unit of their metrics."""
        self.settings = tuple(settings)
        """Those tried, the best first: the finalists, and then the others as the search has
        ranked them."""
        self.scenario = scenario
        """The scenario with the chosen setting; None if no setting meets the limits."""
        self.confidence = confidence
        """Of the verdicts and intervals."""
        self.seeds = seeds
        """The first seed, and the number of them for a setting in the search; as many follow for
        the comparison."""
        self.runs = runs
        """Runs used, also those that were stored before."""
        self.new_runs = new_runs
        """Runs done now."""
        self.grid_settings, self.grid_runs = grid
        """All settings, and the runs of all with as many seeds as a finalist has."""
        self.failures = tuple(failures)
        """The runs that failed."""
        self._contents = contents
        self.damaged = damaged
        """See Campaign.damaged."""

    @property
    def chosen(self) -> Setting | None:
        """The best setting; None if none meets the limits."""
        first = self.settings[0]
        return first if first.verdict == CHOSEN else None

    @property
    def second(self) -> Setting | None:
        """The finalist that is next to the chosen one and meets the limits on average."""
        return next((s for s in self.settings[1:] if s.is_finalist and _may_be(s)), None)

    @property
    def alike(self) -> list[Setting]:
        """The settings that the chosen one is not better than with confidence."""
        return [setting for setting in self.settings if setting.verdict == ALIKE]

    @property
    def options(self) -> list[str]:
        """The `--set` options that apply the chosen setting."""
        return [] if self.chosen is None else [f"{k}={text}" for k, text in self.chosen.overrides]

    @property
    def document(self) -> dict[str, Any]:
        """Everything as a JSON document; bit/s, seconds, packets."""
        chosen, second = self.chosen, self.second
        return {
            "objective": self.objective.text,
            "goal": "minimise" if self.sign > 0 else "maximise",
            "confidence": self.confidence,
            "subject_to": [
                {"limit": limit.text, "bound": bound}
                for limit, bound in zip(self.limits, self.bounds, strict=True)
            ],
            "chosen": chosen and dict(chosen.values),
            "set": self.options,
            "second": chosen and second and dict(second.values),
            "better_by": None if not (chosen and second) else _pair(second.behind),
            "not_distinguishable": [dict(setting.values) for setting in self.alike],
            "seeds": {
                "search": [self.seeds[0], self.seeds[0] + self.seeds[1] - 1],
                "per_setting": self.seeds[1],
            },
            "runs": self.runs,
            "new_runs": self.new_runs,
            "grid": {"settings": self.grid_settings, "runs": self.grid_runs},
            "settings": [self._row(setting) for setting in self.settings],
            "failures": [
                {
                    "keys": dict(failure.values),
                    "seed": failure.seed,
                    "reason": failure.reason,
                    "command": failure.command,
                }
                for failure in self.failures
            ],
        }

    def _row(self, setting: Setting) -> dict[str, Any]:
        return {
            "keys": dict(setting.values),
            "runs": setting.runs,
            "finalist": setting.is_finalist,
            "objective": _pair(setting.objective),
            "limits": [
                {"value": _pair(found.mean), "verdict": found.verdict} for found in setting.limits
            ],
            "behind": _pair(setting.behind),
            "verdict": setting.verdict,
        }

    @property
    def runs_table(self) -> pa.Table:
        """One row per run, as `Campaign.table`: the keys, the seed and the metrics."""
        return self._contents["runs"]

    @property
    def json(self) -> str:
        """The document as JSON text."""
        return json.dumps(self.document, separators=(",", ":"), allow_nan=False)

    @cached_property
    def table(self) -> pa.Table:
        """One row per setting tried, in the order of `settings`.

        The keys, `runs`, `finalist`, the objective M as `M` and `M_half` (the half-width of its
        interval), the same of each limit's metric, `behind` and `behind_half`, `verdict`.
        """
        import pyarrow as pa

        columns: dict[str, Any] = {
            key: [setting.values[key] for setting in self.settings]
            for key in self.settings[0].values
        }
        columns["runs"] = [setting.runs for setting in self.settings]
        columns["finalist"] = [setting.is_finalist for setting in self.settings]
        found = {self.objective.text: [setting.objective for setting in self.settings]}
        for k, limit in enumerate(self.limits):
            found.setdefault(limit.metric.text, [s.limits[k].mean for s in self.settings])
        found["behind"] = [setting.behind for setting in self.settings]
        for name, means in found.items():
            columns[name] = pa.array([mean and mean.mean for mean in means], pa.float64())
            columns[f"{name}_half"] = pa.array([mean and mean.half for mean in means], pa.float64())
        columns["verdict"] = [setting.verdict for setting in self.settings]
        return pa.table(columns)

    def to_pandas(self) -> pd.DataFrame:
        """Return the table as a pandas data frame. Raises ImportError without pandas."""
        return tables.data_frame(self.table)

    def statements(self) -> list[str]:
        """Return what is known of the chosen setting, or that there is none, a line each."""
        percent = f"{100 * self.confidence:.6g}%"
        first, second = self.settings[0], self.second
        if self.chosen is None:
            limits = " and ".join(limit.text for limit in self.limits)
            return [f"no setting meets {limits}; the closest is {first.name}"]
        lines = [f"chosen: {first.name}"]
        alike = self.alike
        if alike:
            lines += [
                f"not distinguishable from {setting.name}:"
                f" better by {self._text(setting.behind)}, {percent}"
                for setting in alike
            ]
        elif second is not None:
            lines.append(
                f"better than the second, {second.name}, by {self._text(second.behind)}, {percent}"
            )
        elif len(self.settings) > 1:
            lines.append("no other setting that was compared meets the limits")
        for limit, found in zip(self.limits, first.limits, strict=True):
            sure = f"met, {percent}" if found.verdict == "met" else found.verdict
            lines.append(f"{limit.text}: {sure}")
        return lines

    def _text(self, mean: Mean | None) -> str:
        label = labels.metric(self.objective.name)
        text = cell(mean, label)
        return f"{text} {label.unit}" if label.unit else text

    def __repr__(self) -> str:
        chosen = self.chosen
        name = "no setting meets the limits" if chosen is None else chosen.name
        return f"<Tuning {name}: {len(self.settings)} settings, {self.runs} runs>"

    def _repr_html_(self) -> str:
        label = labels.metric(self.objective.name)
        heads = [labels.metric(limit.metric.name) for limit in self.limits]
        rows = (
            (
                *(str(value) for value in s.values.values()),
                s.runs,
                cell(s.objective, label),
                *(cell(found.mean, head) for found, head in zip(s.limits, heads, strict=True)),
                s.verdict,
            )
            for s in self.settings
        )
        keys = self.settings[0].values
        names = (label.with_unit, *(head.with_unit for head in heads))
        return markup.heading(self.statements()[0]) + markup.table(
            (*keys, "runs", *names, "verdict"), rows
        )


def cell(mean: Mean | None, label: labels.Label) -> str:
    """Return a mean ± the half-width of its interval, in the unit of its label."""
    return with_interval(mean and scaled(Estimate(*mean), label.scale), label.decimals)


def _may_be(setting: Setting) -> bool:
    return all(found.verdict in ("met", "met on average") for found in setting.limits)


def _pair(mean: Mean | None) -> dict[str, float | None] | None:
    return mean and mean._asdict()
