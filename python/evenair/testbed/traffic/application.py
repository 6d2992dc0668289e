"""What the programs of `sessions` and `datagrams` have in common.

    python -m evenair.testbed.traffic.sessions|datagrams TABLE

TABLE is a file of JSON with the keys of `table`. The program prints "ready" once its sockets are
there. Then it reads a line: the time of the monotonic clock at which the run has begun. At the end
of the run it prints its outcome as JSON: `flow` has members of the flow's result, and `errors` what
went wrong.

One program has both ends of a flow, so it knows what has happened at both. It joins the namespace
of one end, and has a socket in that of the other.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evenair._core import Scenario

if TYPE_CHECKING:
    from collections.abc import Callable

    from evenair.testbed.layout import Flow, Plan

NANOSECONDS = 1_000_000_000
_PRIORITY = 1
"""Real-time priority, below that of the engine. What a program waits for a processor would be a
part of what it measures; the hosts of the scenario have processors of their own."""


def table(
    flow: Flow, plan: Plan, namespaces: dict[str, str], folder: Path, seed: int
) -> dict[str, Any]:
    """Return what a program needs to know of a flow; `namespaces` has the path of each node's.

    `folder` has the resolved scenario as `scenario.json`.
    """
    ends = {"sender": flow.sender, "receiver": flow.receiver}
    return {
        "scenario": str(folder / "scenario.json"),
        "seed": seed,
        "flow": flow.index,
        "port": flow.port,
        "addresses": {end: plan.node(node).ipv4 for end, node in ends.items()},
        "namespaces": {end: namespaces[node] for end, node in ends.items()},
        "traffic_class": flow.traffic_class,
        "warmup": round(plan.warmup * NANOSECONDS),
        "end": round((plan.warmup + plan.duration) * NANOSECONDS),
    }


def scenario(table: dict[str, Any]) -> Scenario:
    """Return the scenario of a table."""
    return Scenario(Path(table["scenario"]).read_text(), "test-bed")


def relax() -> None:
    """Wait for processors like other programs from now on: nothing is measured any more."""
    _schedule(os.SCHED_OTHER, 0)


def _schedule(policy: int, priority: int) -> None:
    with contextlib.suppress(OSError):  # where that is not allowed it waits longer for a processor
        os.sched_setscheduler(0, policy, os.sched_param(priority))


def main(
    arguments: list[str], prepare: Callable[[dict[str, Any]], Callable[[int], dict[str, Any]]]
) -> int:
    """Run a program. What `prepare` returns is called with the start of the run, nanoseconds."""
    if len(arguments) != 2:
        print(f"usage: python -m {arguments[0]} TABLE", file=sys.stderr)
        return 2
    _schedule(os.SCHED_RR, _PRIORITY)
    run = prepare(json.loads(Path(arguments[1]).read_text()))
    print("ready", flush=True)
    line = sys.stdin.readline()
    if line:  # else the test-bed has ended
        print(json.dumps(run(round(float(line) * NANOSECONDS))), flush=True)
    return 0
