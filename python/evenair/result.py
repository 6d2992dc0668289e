"""Results of runs."""

from __future__ import annotations

import json
import math
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, overload

from evenair import tables
from evenair.diagnosis import DelayExplanation, Diagnosis, delay_explanation, diagnoses
from evenair.statistics import Estimate, estimate
from evenair.text import markup
from evenair.text.cells import scaled, with_interval
from evenair.text.labels import metric
from evenair.text.messages import unknown_column

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pandas as pd
    import pyarrow as pa
    from matplotlib.figure import Figure

TABLES = ("flows", "sessions", "stations", "links", "delays", "series", "rounds")
"""The tables of a run."""
BLOCKS = ("ap_queue", "ap", "losses", "limiter", "air", "frame", "requests")
"""The members of a result document that are one record of a run."""

_FRAME_METRICS = ("dl_utilization", "ul_utilization")
_QUEUE_METRICS = ("loss_ratio", "mean_packets", "mean_data", "mean_acks", "mean_delay_s")


class RunResult:
    """One run: the result document, its tables as Arrow and its plot.

    Rates are in bit/s, times in seconds, queue lengths in packets.
    """

    def __init__(self, text: str) -> None:
        self.json = text
        """The result document as JSON text, exactly as `evenair run --json` prints it."""

    @cached_property
    def document(self) -> dict[str, Any]:
        """The result document: what `json` says, as dictionaries and lists."""
        document: dict[str, Any] = json.loads(self.json)
        return document

    @property
    def scenario(self) -> dict[str, Any]:
        """The scenario as it was run, every default filled in."""
        scenario: dict[str, Any] = self.document["scenario"]
        return scenario

    @property
    def seed(self) -> int:
        """The seed of the run's random streams."""
        return int(self.document["seed"])

    @property
    def duration_s(self) -> float:
        """Measured time, after warm-up, in simulated seconds."""
        return float(self.document["duration_s"])

    @property
    def wall_s(self) -> float:
        """Wall-clock time of the run in seconds: the only value that differs if it is repeated."""
        return float(self.document["wall_s"])

    @property
    def aggregate_goodput_bps(self) -> float:
        """Sum of all flows' goodput in bit/s of payload."""
        return float(self.document["aggregate_goodput_bps"])

    @property
    def jain_index(self) -> float:
        """Jain's fairness index of the bulk flows' goodput: 1/n (one has all) to 1 (all equal).

        Without bulk flows it is of all flows: see `document["jain_over"]`.
        """
        return float(self.document["jain_index"])

    @property
    def jain_airtime(self) -> float:
        """Jain's index of the airtime share of the stations that have these flows."""
        return float(self.document["jain_airtime"])

    @property
    def jain_occupancy(self) -> float | None:
        """Jain's index of the occupancy share of these stations; None without beacons."""
        value = self.document.get("jain_occupancy")
        return None if value is None else float(value)

    @property
    def metrics(self) -> dict[str, float]:
        """The scalar metrics of the run. Those that the run does not have are left out."""
        document = self.document
        queue = document.get("ap_queue", {})
        metrics = {
            "aggregate_goodput_bps": document["aggregate_goodput_bps"],
            "jain_index": document["jain_index"],
            "jain_airtime": document.get("jain_airtime"),
            "jain_occupancy": document.get("jain_occupancy"),
            "mean_up_goodput_bps": self._mean_goodput("up"),
            "mean_down_goodput_bps": self._mean_goodput("down"),
            **{f"ap_queue_{name}": queue.get(name) for name in _QUEUE_METRICS},
            "mean_session_s": self._mean_session(),
            "mean_mos": self._mean_of("mos"),
            "worst_mos": min(self._known("mos"), default=None),
            "mean_frame_delay_s": self._mean_frame_delay(),
            "mean_frozen_s": self._mean_of("frozen_s"),
            "mean_stalls_s": self._mean_of("stalls_s"),
            "mean_video_rate_bps": self._mean_of("mean_video_rate_bps"),
            "mean_page_load_s": self._mean_time("page_load_s"),
            "mean_completion_s": self._mean_time("completion_s"),
            **{name: document.get("frame", {}).get(name) for name in _FRAME_METRICS},
            **tables.flat({"requests": document.get("requests", {})}),
            **tables.flat({"limiter": document.get("limiter", {})}),
            **tables.flat({"rtt_s": document.get("rtt_s")}),
            **tables.flat({"one_way_delay_s": document.get("one_way_delay_s")}),
            **tables.flat({"ap_queue_delay_s": queue.get("delay_s") or {}}),
        }
        return {name: float(value) for name, value in metrics.items() if value is not None}

    def _mean_goodput(self, direction: str) -> float | None:
        flows = [flow for flow in self.document["flows"] if flow["direction"] == direction]
        return sum(flow["goodput_bps"] for flow in flows) / len(flows) if flows else None

    def _known(self, name: str) -> list[Any]:
        """Return a member of all flows that have it."""
        flows = self.document["flows"] + self.document.get("wired", {}).get("flows", [])
        return [flow[name] for flow in flows if flow.get(name) is not None]

    def _mean_of(self, name: str) -> float | None:
        known = self._known(name)
        return math.fsum(known) / len(known) if known else None

    def _mean_frame_delay(self) -> float | None:
        means = [delays["mean"] for delays in self._known("frame_delay_s")]
        return math.fsum(means) / len(means) if means else None

    def _mean_session(self) -> float | None:
        sessions = self.document.get("sessions") or []
        times = [session["end_s"] - session["start_s"] for session in sessions]
        return math.fsum(times) / len(times) if times else None

    def _mean_time(self, name: str) -> float | None:
        flows = [*self.document["flows"], *self.document.get("wired", {}).get("flows", [])]
        times = [flow[name] for flow in flows if flow.get(name)]
        count = sum(one["n"] for one in times)
        return math.fsum(one["n"] * one["mean"] for one in times) / count if count else None

    @cached_property
    def flows(self) -> pa.Table:
        """One row per flow: id, name, group, station, direction, transport, rtt_p95_s, ...

        The shares of time in which something held the flow back are `limited_by_cwnd`, ...
        """
        return tables.rows(self.document["flows"])

    @cached_property
    def stations(self) -> pa.Table:
        """One row per station: id, name, airtime_share, tx_airtime_share, frames_sent, ...

        In a WiMAX cell also grant_delay_mean_s, grant_delay_p95_s, ...
        """
        return tables.rows(self.document["stations"])

    @cached_property
    def links(self) -> pa.Table:
        """One row per direction of a wired link: from, to, utilization, drops, loss_ratio, ..."""
        return tables.rows(self.document["wired"]["links"])

    @cached_property
    def sessions(self) -> pa.Table:
        """One row per finite transfer: flow, start_s, end_s, bytes, last_byte_s, ...

        Times are seconds since the end of the warm-up. Empty where there are none.
        """
        return tables.rows(self.document.get("sessions", []))

    @cached_property
    def delays(self) -> pa.Table:
        """Cumulative distributions of delays: quantity, flow, le_s, count, share.

        `count` samples, a `share` of 0 to 1, are at most `le_s` seconds. The quantities are "rtt"
        and "one_way_delay" of each flow, and "ap_queue_delay" (without a flow).
        """
        return tables.curves(self.document.get("delays", []))

    @cached_property
    def series(self) -> pa.Table:
        """The traces, one row per time, one column per quantity. Empty without `[trace]`."""
        return tables.columns(tables.traces(self.document.get("series", {})))

    @cached_property
    def rounds(self) -> pa.Table:
        """One row per control round of a limiter: t_s, rate_bps, capacity_bps, up_bps, lost, ...

        Empty without `[trace]` and without rounds.
        """
        return tables.rows(self.document.get("series", {}).get("limiter", []))

    @property
    def ap_queue(self) -> dict[str, Any]:
        """The downlink queue of the access point: arrivals, drops, loss_ratio, mean_packets, ...

        Lengths are in packets, `mean_delay_s` and `delay_s` in seconds.
        """
        return self._block("ap_queue")

    @property
    def ap(self) -> dict[str, Any]:
        """The access point as a station: airtime_share, collision_probability, frames_sent, ..."""
        return self._block("ap")

    @property
    def losses(self) -> dict[str, Any]:
        """How many packets were lost, by cause: congestion, retry_limit, error, ..."""
        return self._block("losses")

    @property
    def limiter(self) -> dict[str, Any]:
        """The rate limiter: mean_rate_bps, packets_dropped, rounds, ...; empty without one."""
        return self._block("limiter")

    @property
    def air(self) -> dict[str, Any]:
        """Shares of the measured time: payload, overhead, collisions, ...; empty in WiMAX cells."""
        return self._block("air")

    @property
    def frame(self) -> dict[str, Any]:
        """The frame of a WiMAX cell: symbols, dl_capacity_bps, ...; empty in a WLAN cell."""
        return self._block("frame")

    @property
    def requests(self) -> dict[str, Any]:
        """The bandwidth requests of a WiMAX cell: sent, collided, ...; empty in a WLAN cell."""
        return self._block("requests")

    def _block(self, name: str) -> dict[str, Any]:
        block: dict[str, Any] = self.document.get(name) or {}
        return block

    def explain(self) -> list[Diagnosis]:
        """Return why flows starve or users are dissatisfied, a diagnosis of each such flow."""
        return diagnoses(self.json)

    def explain_delays(self) -> DelayExplanation | None:
        """Return where the one-way delay of each flow is, and of the longest one in words.

        None if that was not measured: see `delay_by_place` of `evenair.run`.
        """
        return delay_explanation(self.json)

    def to_pandas(self, table: str = "flows") -> pd.DataFrame:
        """Return a table ("flows", "sessions", "series", ...) as a pandas data frame.

        Raises ImportError if pandas is not installed, ValueError if there is no such table.
        """
        return tables.data_frame(_table(self, table))

    def plot(self, kind: Literal["flows", "cdf", "places"] = "flows") -> Figure:
        """Draw goodput per flow and, if the run was traced, cwnd, queue and more over time.

        With `kind="cdf"`, draw the cumulative distributions of RTT, one-way delay and waiting time,
        with "places" where the one-way delay of each flow is, if that was measured.
        """
        from evenair.plot.runs import plot

        return plot([self.document], kind)

    def __eq__(self, other: object) -> bool:
        """Return whether the documents are equal but for `wall_s`, the time that the run took."""
        if not isinstance(other, RunResult):
            return NotImplemented
        return self._identity == other._identity

    def __hash__(self) -> int:
        return hash((self.seed, self.duration_s, self.aggregate_goodput_bps))

    @property
    def _identity(self) -> dict[str, Any]:
        return {name: value for name, value in self.document.items() if name != "wall_s"}

    def __repr__(self) -> str:
        name, flows = self.scenario.get("name"), len(self.document["flows"])
        goodput = f"{self.aggregate_goodput_bps / 1e6:.3f} Mb/s"
        return (
            f"<RunResult {name!r} seed {self.seed}: {flows} flows, {goodput},"
            f" Jain {self.jain_index:.3f}>"
        )

    def _repr_html_(self) -> str:
        columns = ("flow", "direction", "transport", "goodput (Mb/s)", "mean RTT (ms)", "timeouts")
        rows = (
            (
                flow.get("name") or flow["id"],
                flow["direction"],
                str(flow["transport"]),
                flow["goodput_bps"] / 1e6,
                None if flow.get("mean_rtt_s") is None else flow["mean_rtt_s"] * 1e3,
                flow.get("timeouts"),
            )
            for flow in self.document["flows"]
        )
        return markup.heading(_headline(self)) + markup.table(columns, rows)


def _headline(run: RunResult) -> str:
    return (
        f"{run.scenario.get('name')}: seed {run.seed}, {run.duration_s:g} s;"
        f" {run.aggregate_goodput_bps / 1e6:.3f} Mb/s, Jain's index {run.jain_index:.3f}"
    )


def _table(run: RunResult, name: str) -> pa.Table:
    """Return a table of a run, or one of its blocks as a table with one row. Raises ValueError."""
    if name not in (*TABLES, *BLOCKS):
        raise ValueError(f"table: {unknown_column('table', str(name), (*TABLES, *BLOCKS))}")
    content = getattr(run, name)
    return tables.rows([content] if content else []) if name in BLOCKS else content


class RunSet:
    """Several runs of one scenario with different seeds: a sequence of `RunResult`.

    The tables have the rows of all runs, with the run's seed as the first column.
    """

    def __init__(self, runs: Sequence[RunResult]) -> None:
        self.runs = tuple(runs)
        """The runs, in the order of their seeds. At least one."""
        if not self.runs:
            raise ValueError("runs: got none, expected at least one")

    @cached_property
    def summary(self) -> dict[str, Estimate]:
        """Mean and half-width of the 95% confidence interval (Student's t) of each metric.

        Runs that do not have a metric are left out of its estimate, see `counts`.
        """
        return {name: estimate(sample) for name, sample in self._samples.items()}

    @property
    def counts(self) -> dict[str, int]:
        """How many runs have each metric."""
        return {name: len(sample) for name, sample in self._samples.items()}

    @cached_property
    def _samples(self) -> dict[str, list[float]]:
        samples: dict[str, list[float]] = {}
        for run in self.runs:
            for name, value in run.metrics.items():
                samples.setdefault(name, []).append(value)
        return samples

    @property
    def json(self) -> str:
        """The document `{"runs": [...], "summary": {...}}` as JSON text."""
        summary = {
            name: {**mean._asdict(), "runs": self.counts[name]}
            for name, mean in self.summary.items()
        }
        runs = ",".join(run.json for run in self.runs)
        return f'{{"runs":[{runs}],"summary":{json.dumps(summary, separators=(",", ":"))}}}'

    def table(self, name: str) -> pa.Table:
        """Stack a table or a block of all runs: "flows", "series", "ap_queue", ...

        The first column is the run's seed. A block is one row per run. Raises ValueError if there
        is no such table.
        """
        return tables.stack([(run.seed, _table(run, name)) for run in self.runs])

    @cached_property
    def flows(self) -> pa.Table:
        """One row per run and flow: seed, id, name, group, station, direction, goodput_bps, ..."""
        return self.table("flows")

    @cached_property
    def sessions(self) -> pa.Table:
        """One row per run and finite transfer: seed, flow, start_s, end_s, bytes, ..."""
        return self.table("sessions")

    @cached_property
    def stations(self) -> pa.Table:
        """One row per run and station: seed, id, name, airtime_share, frames_sent, ..."""
        return self.table("stations")

    @cached_property
    def links(self) -> pa.Table:
        """One row per run and direction of a wired link: seed, from, to, utilization, ..."""
        return self.table("links")

    @cached_property
    def delays(self) -> pa.Table:
        """Cumulative distributions of delays of each run: seed, quantity, flow, le_s, count, ..."""
        return self.table("delays")

    @cached_property
    def series(self) -> pa.Table:
        """The traces, one row per run and time. Empty without `[trace]`."""
        return self.table("series")

    @cached_property
    def rounds(self) -> pa.Table:
        """One row per run and control round of a limiter; empty without `[trace]` and rounds."""
        return self.table("rounds")

    @cached_property
    def ap_queue(self) -> pa.Table:
        """The downlink queue of the access point, one row per run: seed, drops, loss_ratio, ..."""
        return self.table("ap_queue")

    @cached_property
    def ap(self) -> pa.Table:
        """The access point as a station, one row per run: seed, airtime_share, frames_sent, ..."""
        return self.table("ap")

    @cached_property
    def losses(self) -> pa.Table:
        """Packets lost, one row per run and a column per cause."""
        return self.table("losses")

    @cached_property
    def limiter(self) -> pa.Table:
        """The rate limiter, one row per run: seed, mean_rate_bps, ...; empty without one."""
        return self.table("limiter")

    @cached_property
    def air(self) -> pa.Table:
        """What the air is used for, one row per run: seed, payload, ...; empty in WiMAX cells."""
        return self.table("air")

    @cached_property
    def frame(self) -> pa.Table:
        """The frame of a WiMAX cell, one row per run; empty in a WLAN cell."""
        return self.table("frame")

    @cached_property
    def requests(self) -> pa.Table:
        """The bandwidth requests of a WiMAX cell, one row per run; empty in a WLAN cell."""
        return self.table("requests")

    def explain(self) -> list[Diagnosis]:
        """Return the same from the means over the runs; `faulty_runs` says how often."""
        return diagnoses(self.json)

    def explain_delays(self) -> DelayExplanation | None:
        """Return where the delay of each flow is, from the means over the runs."""
        return delay_explanation(self.json)

    def to_pandas(self, table: str = "flows") -> pd.DataFrame:
        """Return a table of all runs as a pandas data frame.

        Raises ImportError if pandas is not installed, ValueError if there is no such table.
        """
        return tables.data_frame(self.table(table))

    def plot(self, kind: Literal["flows", "cdf", "places"] = "flows") -> Figure:
        """Draw goodput per flow with 95% confidence intervals, and the first run's traces.

        With `kind="cdf"`, draw the distributions of the delays of all runs together, with "places"
        where the mean one-way delay of each flow is, if that was measured.
        """
        from evenair.plot.runs import plot

        return plot([run.document for run in self.runs], kind)

    def __len__(self) -> int:
        return len(self.runs)

    def __iter__(self) -> Iterator[RunResult]:
        return iter(self.runs)

    @overload
    def __getitem__(self, index: int) -> RunResult: ...

    @overload
    def __getitem__(self, index: slice) -> RunSet: ...

    def __getitem__(self, index: int | slice) -> RunResult | RunSet:
        """Return the run at a position, not of a seed; of a slice a RunSet, at least one run."""
        return RunSet(self.runs[index]) if isinstance(index, slice) else self.runs[index]

    def _repr_html_(self) -> str:
        first, last = self.runs[0], self.runs[-1]
        heading = (
            f"{first.scenario.get('name')}: {len(self)} runs, seeds {first.seed} to {last.seed};"
            " means and half-widths of their 95% confidence intervals"
        )
        rows = ((name, *self._cells(name), self.counts[name]) for name in self.summary)
        return markup.heading(heading) + markup.table(("metric", "mean", "unit", "runs"), rows)

    def _cells(self, name: str) -> tuple[str, str]:
        """Return a metric as `evenair run` prints it, and its unit."""
        label = metric(name)
        return with_interval(scaled(self.summary[name], label.scale), label.decimals), label.unit

    def __eq__(self, other: object) -> bool:
        """Return whether the runs are equal, in the same order."""
        return self.runs == other.runs if isinstance(other, RunSet) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.runs)

    def __repr__(self) -> str:
        seeds = f"{self.runs[0].seed} to {self.runs[-1].seed}"
        return f"<RunSet {self.runs[0].scenario.get('name')!r} seeds {seeds}>"
