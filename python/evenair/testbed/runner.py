"""Run scenarios with real TCP stacks over emulated air."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from evenair.result import RunResult
from evenair.testbed import host, session
from evenair.testbed.assembly import assemble
from evenair.testbed.layout import plan as lay_out
from evenair.testbed.session import Options

if TYPE_CHECKING:
    from collections.abc import Callable

    from evenair.scenario import Scenario
    from evenair.testbed.layout import Plan


def prepare(scenario: Scenario, options: Options) -> Plan:
    """Return the plan of a scenario that this machine can run. Raises TestbedError."""
    plan = lay_out(scenario.resolved)
    host.check(plan, options.congestion)
    return plan


def run(
    scenario: Scenario,
    options: Options | None = None,
    progress: Callable[[float], None] | None = None,
) -> RunResult:
    """Run a scenario in real time, in network namespaces of its own. Linux, root.

    `progress` is called with the seconds since the start of the run. A result whose
    `document["testbed"]["trusted"]` is false was disturbed; "untrusted" beside it says how.

    Raises TestbedError for what is missing or cannot be run here, ScenarioError, RunError, OSError.
    """
    options = options or Options()
    plan = prepare(scenario, options)
    began = time.monotonic()
    measurements = session.run(plan, options, progress)
    return RunResult(assemble(plan, options.seed, measurements, time.monotonic() - began))
