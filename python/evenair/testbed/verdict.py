"""Whether a run of the test-bed is to be trusted, and why not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from evenair.testbed.sampler import PERIOD_S

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from evenair.testbed.layout import Plan
    from evenair.testbed.traffic.programs import Ended, Stopped

START_TOLERANCE_S = 1.0
"""What may go by before a flow's data connection is there, seconds: the initial retransmission
timeout of its SYN (RFC 6298, section 2)."""
_LARGEST_SHARE = 0.01
"""Ends of the measured time may be sampled this share of it late. The goodput, which is per time
between samples, is wrong by no more. Chosen, as the engine's largest share of late time is."""
_COMMAND_S = 0.05
"""Time between two looks of the engine for a command (`evenair._core.emulate`)."""
_SUSPENDED_S = 1e-3
"""Clocks are read one after the other, which takes microseconds."""


@dataclass(frozen=True)
class Driver:
    """How late the process was that starts the clients and samples their connections, seconds."""

    samples_late_s: float
    """The samples at the ends of the measured time: the later one."""
    engine_late_s: float
    """From when the engine was told to start the scenario to when it did."""
    starts_late_s: Mapping[str, float]
    """Clients, by flow."""
    suspended_s: float
    """How long the machine was suspended during the run."""

    @property
    def document(self) -> dict[str, Any]:
        """What a result says."""
        return {
            "samples_late_s": self.samples_late_s,
            "engine_late_s": self.engine_late_s,
            "starts_late_s": max(self.starts_late_s.values(), default=0.0),
            "suspended_s": self.suspended_s,
        }


def reasons(
    plan: Plan,
    engine: Sequence[str],
    driver: Driver,
    ended: Sequence[Ended],
    stopped: Sequence[Stopped],
    unconnected: Iterable[str],
    max_lateness: float,
) -> list[str]:
    """Return why a run is not to be trusted, each a line; nothing if it is.

    `engine` has the reasons of the engine, `ended` the programs that have ended before their
    flows, `stopped` those that were stopped, `unconnected` the ids of flows over TCP that never
    had a data connection.
    """
    found = list(engine)
    # Connections are sampled each PERIOD_S.
    allowed = max(PERIOD_S, _LARGEST_SHARE * plan.duration, max_lateness)
    if driver.engine_late_s > allowed + _COMMAND_S:
        found.append(f"the engine began {driver.engine_late_s:.2f} s after it was told to")
    if driver.samples_late_s > allowed:
        found.append(
            f"an end of the measured time was sampled {driver.samples_late_s:.2f} s late,"
            f" above {allowed:.2f} s"
        )
    for flow in plan.flows:
        late = driver.starts_late_s.get(flow.id, 0.0)
        if late > START_TOLERANCE_S and flow.start + late > plan.warmup:
            found.append(f"flow {flow.id}: its client was started {late:.1f} s late")
    if driver.suspended_s > _SUSPENDED_S:
        found.append(f"the machine was suspended for {driver.suspended_s:.1f} s")
    found += [each.reason for each in ended]
    # Programs are looked at when connections are sampled: of less the length is not known.
    found += [each.reason for each in stopped if each.seconds > max(allowed, 2 * PERIOD_S)]
    dead = {flow for each in ended for flow in each.flows}
    end = plan.warmup + plan.duration
    starts = {flow.id: flow.start for flow in plan.flows}
    found += [
        f"flow {flow}: no data connection came about"
        for flow in unconnected
        if flow not in dead and starts[flow] + START_TOLERANCE_S < end
    ]
    return found


def complaints(document: Mapping[str, Any]) -> list[str]:
    """Return what a reader of a run's result has to know first, each a line."""
    bed = document["testbed"]
    lines: list[str] = list(bed["warnings"])
    if bed["untrusted"]:
        lines.insert(0, f"not to be trusted: {'; '.join(bed['untrusted'])}")
    return lines
