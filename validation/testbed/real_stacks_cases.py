"""What is measured for docs/real-stacks.md, and how a run is stored.

A run is stored as one JSON object with what the page needs of its result. `result_of` gives it the
keys of a result again, so that the quantities of `evenair.papers.gong2006` apply.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evenair import Scenario
from evenair.papers.gong2006.cells import Cell, Effort

DATA = Path(__file__).with_name("real_stacks.json")

WARMUP_S, DURATION_S = 5, 20
BUFFERS = (10, 60, 100, 150)
"""Packets; from the paper's 10 to 150."""
SCHEMES = {
    "droptail": {"kind": "droptail"},
    "las": {"kind": "las"},
    "spm-tail": {"kind": "spm-af", "filtering": "tail"},
    "spm-head": {"kind": "spm-af", "filtering": "head"},
}
"""The paper's disciplines."""
BUFFER = 60
QUEUES = ("droptail", "fq-codel", "las")
CONTROLS = {"reno": "newreno", "cubic": "cubic", "bbr": None}
"""The kernel's congestion controls, and the simulator's names of those that it has."""
PAPER_WINDOW = 20
SEEDS = range(1, 4)
"""Seeds of the test-bed."""
SIMULATED_SEEDS = range(1, 6)

EFFORT = Effort(seeds=tuple(SEEDS), duration_s=DURATION_S, buffers=BUFFERS, downs=(), quick=False)
"""The paper's grid as far as it is measured."""


@dataclass(frozen=True)
class Case:
    """A scenario, and the kernel's congestion control of its flows."""

    name: str
    scenario: dict[str, Any]
    congestion: str | dict[str, str]
    simulated: bool = True
    """Whether the simulator has the congestion controls."""
    point: Cell | None = None
    """The configuration of the paper that it is."""
    marking: bool = False
    """Whether senders mark packets as SPM-AF has it."""

    def build(self) -> Scenario:
        """Return the scenario."""
        return Scenario(**self.scenario)


@dataclass
class Runs:
    """What was measured."""

    machine: dict[str, Any] = field(default_factory=dict)
    late: int = 0
    """Runs that were late, and repeated."""
    rows: list[dict[str, Any]] = field(default_factory=list)

    @classmethod
    def load(cls) -> Runs:
        """Read the file; nothing if there is none."""
        if not DATA.exists():
            return cls()
        document = json.loads(DATA.read_text())
        return cls(document["machine"], document["late"], document["runs"])

    def save(self) -> None:
        """Write the file, a line for each run."""
        order = {name: number for number, name in enumerate(cases())}
        self.rows.sort(key=lambda row: (order[row["case"]], row["engine"], row["seed"]))
        lines = ",\n".join(json.dumps(row, separators=(",", ":")) for row in self.rows)
        head = json.dumps({"machine": self.machine, "late": self.late}, indent=1)[:-2]
        DATA.write_text(f'{head},\n "runs": [\n{lines}\n]}}\n')

    def of(self, case: str, engine: str) -> list[dict[str, Any]]:
        """Return the runs of a case, as results."""
        return [
            result_of(row) for row in self.rows if (row["case"], row["engine"]) == (case, engine)
        ]

    def has(self, case: str, engine: str, seed: int) -> bool:
        """Return whether a run is there."""
        return any(
            (row["case"], row["engine"], row["seed"]) == (case, engine, seed) for row in self.rows
        )


def cases() -> dict[str, Case]:
    """Return all cases by name."""
    found = [
        *(
            Case(
                f"buffer/{scheme}/{limit}",
                cell(queue, limit, _paper(5, 5, queue["kind"] == "spm-af")),
                "reno",
                point=Cell(scheme, limit),
                marking=queue["kind"] == "spm-af",
            )
            for limit in BUFFERS
            for scheme, queue in SCHEMES.items()
        ),
        *(
            Case(
                f"unmarked/{scheme}/{BUFFER}",
                cell(SCHEMES[scheme], BUFFER, _paper(5, 5)),
                "reno",
                point=Cell(scheme, BUFFER, case="unmarked"),
            )
            for scheme in ("spm-tail", "spm-head")
        ),
        *(
            Case(
                f"controls/{control}/{queue}",
                cell({"kind": queue}, BUFFER, _stations(5, transport or "newreno")),
                control,
                simulated=transport is not None,
            )
            for queue in QUEUES
            for control, transport in CONTROLS.items()
        ),
        *(
            Case(
                f"mixed/{control}/{queue}",
                cell(
                    {"kind": queue},
                    BUFFER,
                    _stations(3, "newreno", "reno")
                    + _stations(3, CONTROLS[control] or "newreno", control),
                ),
                {"reno": "reno", control: control},
                simulated=CONTROLS[control] is not None,
            )
            for queue in QUEUES
            for control in ("cubic", "bbr")
        ),
    ]
    return {case.name: case for case in found}


def cell(queue: dict[str, Any], limit: int, stations: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the scenario gong2006 with the TCP of Linux, another queue and other stations."""
    return {
        "warmup": WARMUP_S,
        "duration": DURATION_S,
        "cell": {
            "phy": "802.11b",
            "data_rate": "11 Mbps",
            "control_rate": "2 Mbps",
            "preamble": "long",
            "queue": {**queue, "limit": limit},
        },
        "wired": {"rate": "100 Mbps", "delay": "2 ms"},
        "station": stations,
    }


def _paper(up: int, down: int, marking: bool = False) -> list[dict[str, Any]]:
    """Return stations with a flow each and the paper's window."""
    flow = {"transport": "newreno", "tcp": "linux", "window": PAPER_WINDOW, "spm_marking": marking}
    return [
        {"count": up, "flows": [{"direction": "up", **flow}]},
        {"count": down, "flows": [{"direction": "down", **flow}]},
    ]


def _stations(count: int, transport: str, group: str | None = None) -> list[dict[str, Any]]:
    """Return uploads and downloads of stations of their own, with Linux's window."""
    flow = {"transport": transport, "tcp": "linux"} | ({"group": group} if group else {})
    return [
        {"count": count, "flows": [{"direction": direction, **flow}]}
        for direction in ("up", "down")
    ]


def _limit(case: str) -> int:
    """Return the size of the access point's buffer in packets."""
    first, _, last = case.rpartition("/")
    return int(last) if first.startswith("buffer/") else BUFFER


_FLOW = (
    "id", "station", "direction", "group", "goodput_bps", "segments_sent", "retransmissions",
    "timeouts", "mean_rtt_s",
)  # fmt: skip
_QUEUE = (
    "arrivals", "drops", "data_arrivals", "data_drops", "ack_arrivals", "ack_drops",
    "acks_filtered", "loss_ratio", "mean_delay_s", "mean_packets", "mean_data", "mean_acks",
)  # fmt: skip


def row_of(case: str, document: dict[str, Any]) -> dict[str, Any]:
    """Return what is stored of a result, rates rounded to 0.1 kb/s and others to five digits."""

    def short(value: Any) -> Any:
        return float(f"{value:.5g}") if isinstance(value, float) else value

    flows = []
    for flow in document["flows"]:
        values = {**flow, "goodput_bps": round(flow["goodput_bps"], -2)}
        flows.append([short(values[name]) for name in _FLOW])
    bed = document.get("testbed")
    return {
        "case": case,
        "engine": document["engine"],
        "seed": document["seed"],
        "queue": [short(document["ap_queue"][name]) for name in _QUEUE],
        "ap_frames": document["ap"]["frames_sent"],
        "frames": [station["frames_sent"] for station in document["stations"]],
        "flows": flows,
        **({"late_p99_s": short(bed["lateness_s"]["p99"])} if bed else {}),
    }


def result_of(row: dict[str, Any]) -> dict[str, Any]:
    """Return a stored run with the keys of a result."""
    flows = [dict(zip(_FLOW, flow, strict=True)) for flow in row["flows"]]
    rates = [flow["goodput_bps"] for flow in flows]
    squares = sum(rate * rate for rate in rates)
    return {
        "seed": row["seed"],
        "aggregate_goodput_bps": sum(rates),
        "jain_index": sum(rates) ** 2 / (len(rates) * squares) if squares else 0.0,
        "flows": flows,
        "ap_queue": (queue := dict(zip(_QUEUE, row["queue"], strict=True))),
        # The paper's quantities of the queue are means over time: one sample is their mean.
        "series": {f"ap_queue_{kind}": [queue[f"mean_{kind}"]] for kind in ("data", "acks")},
        "scenario": {"cell": {"queue": {"limit": _limit(row["case"])}}},
        "ap": {"frames_sent": row["ap_frames"]},
        "stations": [
            {"id": f"sta-{number}", "frames_sent": count}
            for number, count in enumerate(row["frames"], 1)
        ],
        "late_p99_s": row.get("late_p99_s"),
    }
