"""Results of runs."""

from __future__ import annotations

import json
import math
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from evenair import tables
from evenair.statistics import Estimate, estimate

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa
    from matplotlib.figure import Figure

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
        """The result document, see the interface reference for its keys."""
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

    def _mean_session(self) -> float | None:
        sessions = self.document.get("sessions") or []
        times = [session["end_s"] - session["start_s"] for session in sessions]
        return math.fsum(times) / len(times) if times else None

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

    def plot(self, kind: Literal["flows", "cdf"] = "flows") -> Figure:
        """Draw goodput per flow and, if the run was traced, cwnd and queue over time.

        With `kind="cdf"`, draw the cumulative distributions of RTT, one-way delay and waiting time.
        """
        from evenair.plot import plot

        return plot([self.document], kind)

    def __repr__(self) -> str:
        name, flows = self.scenario.get("name"), len(self.document["flows"])
        goodput = f"{self.aggregate_goodput_bps / 1e6:.3f} Mb/s"
        return (
            f"<RunResult {name!r} seed {self.seed}: {flows} flows, {goodput},"
            f" Jain {self.jain_index:.3f}>"
        )


class RunSet:
    """Several runs of one scenario with different seeds."""

    def __init__(self, runs: Sequence[RunResult]) -> None:
        self.runs = tuple(runs)
        """The runs, in the order of their seeds. At least one."""

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
            name: {**metric._asdict(), "runs": self.counts[name]}
            for name, metric in self.summary.items()
        }
        runs = ",".join(run.json for run in self.runs)
        return f'{{"runs":[{runs}],"summary":{json.dumps(summary, separators=(",", ":"))}}}'

    def table(self, name: str) -> pa.Table:
        """Stack a table of all runs, one of those of `RunResult`: "flows", "series", ...

        The first column is the run's seed.
        """
        return tables.stack([(run.seed, getattr(run, name)) for run in self.runs])

    @cached_property
    def flows(self) -> pa.Table:
        """One row per run and flow; the first column is the seed."""
        return self.table("flows")

    @cached_property
    def stations(self) -> pa.Table:
        """One row per run and station; the first column is the seed."""
        return self.table("stations")

    def plot(self, kind: Literal["flows", "cdf"] = "flows") -> Figure:
        """Draw goodput per flow with 95% confidence intervals, and the first run's traces.

        With `kind="cdf"`, draw the distributions of the delays of all runs together.
        """
        from evenair.plot import plot

        return plot([run.document for run in self.runs], kind)

    def __len__(self) -> int:
        return len(self.runs)

    def __repr__(self) -> str:
        seeds = f"{self.runs[0].seed} to {self.runs[-1].seed}"
        return f"<RunSet {self.runs[0].scenario.get('name')!r} seeds {seeds}>"
