"""Whether a run of the test-bed is to be trusted: what is noticed, and what is said."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest
from evenair import Scenario
from evenair.cli.commands import testbed as command
from evenair.result import RunResult
from evenair.testbed import host, layout
from evenair.testbed.traffic.programs import Ended, Programs, Stopped, _is_stopped
from evenair.testbed.verdict import Driver, complaints, reasons

if TYPE_CHECKING:
    from collections.abc import Iterator

ON_TIME = Driver(
    samples_late_s=0.004, engine_late_s=0.05, starts_late_s={"up-1": 0.2}, suspended_s=1e-6
)
BOUND_S = 2e-3


@pytest.fixture
def plan() -> layout.Plan:
    """Two flows of a station: at 0 s, and at 25 s of a run of 30 s with a warm-up of 10 s."""
    flows: list[dict[str, object]] = [
        {"direction": "up", "start": 0},
        {"direction": "down", "start": 25},
    ]
    return plan_of(flows, duration=20, warmup=10)


def plan_of(flows: list[dict[str, object]], **keys: float) -> layout.Plan:
    return layout.plan(Scenario(station=[{"flows": flows}], **keys).resolved)


def judge(plan: layout.Plan, driver: Driver = ON_TIME, bound: float = BOUND_S) -> list[str]:
    return reasons(plan, [], driver, [], [], [], bound)


def test_an_undisturbed_run_is_trusted(plan: layout.Plan) -> None:
    assert judge(plan) == []


def test_the_reasons_of_the_engine_come_first(plan: layout.Plan) -> None:
    found = reasons(plan, ["the engine stood still"], ON_TIME, [], [], ["up-1"], BOUND_S)
    assert found == ["the engine stood still", "flow up-1: no data connection came about"]


def test_late_samples_count_from_one_percent_of_the_time(plan: layout.Plan) -> None:
    """1% of 20 s; of a short run the period of the samples; or what the user allows."""
    late = Driver(0.21, 0.0, {}, 0.0)
    said = "an end of the measured time was sampled 0.21 s late, above 0.20 s"
    assert judge(plan, late) == [said]
    assert judge(plan, Driver(0.19, 0.0, {}, 0.0)) == []
    assert judge(plan, late, bound=0.3) == []
    short = plan_of([{"direction": "up"}], duration=1)
    assert judge(short, Driver(0.09, 0.0, {}, 0.0)) == []
    assert len(judge(short, Driver(0.11, 0.0, {}, 0.0))) == 1


def test_an_engine_that_begins_late(plan: layout.Plan) -> None:
    assert judge(plan, Driver(0.0, 3.0, {}, 0.0)) == [
        "the engine began 3.00 s after it was told to"
    ]


def test_a_client_that_is_started_late_counts_in_the_measured_time(plan: layout.Plan) -> None:
    # The warm-up of 10 s is over with the second, and not with the first.
    late = Driver(0.0, 0.0, {"up-1": 3.0, "down-1": 3.0}, 0.0)
    assert judge(plan, late) == ["flow down-1: its client was started 3.0 s late"]
    assert judge(plan, Driver(0.0, 0.0, {"down-1": 0.9}, 0.0)) == []


def test_a_suspended_machine(plan: layout.Plan) -> None:
    assert judge(plan, Driver(0.0, 0.0, {}, 12.0)) == ["the machine was suspended for 12.0 s"]
    # The clocks grow alike while it is not.
    before = host.suspended_s()
    time.sleep(0.05)
    assert host.suspended_s() - before < 1e-3


def test_what_a_flow_lacks_is_said_once(plan: layout.Plan) -> None:
    dead = Ended("client (iperf3)", ("up-1",), -9, 3.21, "")
    found = reasons(plan, [], ON_TIME, [dead], [], ["up-1", "down-1"], BOUND_S)
    assert found == [
        "flow up-1: its client (iperf3) was killed by SIGKILL at 3.2 s",
        "flow down-1: no data connection came about",
    ]


def test_a_flow_of_the_last_second_may_have_no_connection(plan: layout.Plan) -> None:
    late = plan_of([{"direction": "up", "start": 19.5}], duration=20)
    assert reasons(late, [], ON_TIME, [], [], ["up-1"], BOUND_S) == []


@pytest.mark.parametrize(
    ("ended", "reason"),
    [
        (
            Ended("program", ("down-1", "up-1"), -15, 2.0, ""),
            "flows down-1, up-1: their program was killed by SIGTERM at 2.0 s",
        ),
        (Ended("sender", ("up-1",), -40, 2.0, ""), "was killed by signal 40 at"),
        (
            Ended("client (iperf3)", ("up-1",), 1, 2.0, "unable to connect"),
            "its client (iperf3) ended with status 1 at 2.0 s (unable to connect)",
        ),
        (Ended("client (iperf3)", ("up-1",), 0, 2.0, ""), "ended early at 2.0 s"),
    ],
)
def test_how_a_program_has_ended(ended: Ended, reason: str) -> None:
    assert reason in ended.reason


@pytest.fixture
def children() -> Iterator[list[subprocess.Popen[bytes]]]:
    started: list[subprocess.Popen[bytes]] = []
    yield started
    for child in started:
        child.kill()
        child.communicate()


def test_programs_that_end_are_noticed(children: list[subprocess.Popen[bytes]]) -> None:
    programs = Programs(warmup=0)
    ends = {"killed": "input()", "failed": "exit(3)", "early": "", "in-time": "", "on": "input()"}
    for name, code in ends.items():
        child = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE)
        children.append(child)
        stop = 9.5 if name == "in-time" else 11.0
        programs.add("client", [name], child, lambda: "it said so", stop)
    killed, *ending, on = children
    killed.send_signal(signal.SIGKILL)
    for child in (killed, *ending):
        child.wait(20)
    programs.look(9.0)
    programs.look(9.1)
    found = {each.flows[0]: (each.status, each.said, each.time_s) for each in programs.ended}
    assert found == {
        "killed": (-9, "", 9.0),
        "failed": (3, "it said so", 9.0),
        # It was to run until 11 s; the other until 9.5 s.
        "early": (0, "it said so", 9.0),
    }
    on.kill()
    on.wait()
    programs.look(10.5)  # within a second of its end, but killed
    assert programs.ended[-1].document == {
        "program": "client",
        "flows": ["on"],
        "status": -9,
        "time_s": 10.5,
        "said": "",
    }


def test_programs_that_are_stopped_are_noticed(children: list[subprocess.Popen[bytes]]) -> None:
    programs = Programs(warmup=5)
    for flow in ("stopped", "other"):
        child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
        children.append(child)
        programs.add("server", [flow], child, lambda: "", follows=True)
    stopped, other = children
    programs.look(4.0)
    stopped.send_signal(signal.SIGSTOP)
    os.waitid(os.P_PID, stopped.pid, os.WSTOPPED | os.WNOWAIT)
    for time_s in (4.5, 5.5, 6.5):  # of the measured time the last 1.5 s
        programs.look(time_s)
    stopped.send_signal(signal.SIGCONT)
    os.waitid(os.P_PID, stopped.pid, os.WCONTINUED)
    programs.look(9.0)
    expected = {"program": "server", "flows": ["stopped"], "seconds": 1.5}
    assert [each.document for each in programs.stopped] == [expected]
    # That a server ends is because of its client.
    other.kill()
    os.waitid(os.P_PID, other.pid, os.WEXITED | os.WNOWAIT)
    assert not _is_stopped(other)
    programs.look(9.5)
    assert programs.ended == []


def test_a_stop_counts_from_one_percent_of_the_time(plan: layout.Plan) -> None:
    def found(seconds: float, bound: float = BOUND_S) -> list[str]:
        stopped = Stopped("client (iperf3)", ("up-1",), seconds)
        return reasons(plan, [], ON_TIME, [], [stopped], [], bound)

    assert found(3.0) == ["flow up-1: its client (iperf3) was stopped for 3.0 s"]
    assert found(0.19) == found(3.0, bound=4.0) == []


def test_a_run_has_a_line_with_all_reasons_and_one_for_each_warning() -> None:
    bed = {"untrusted": ["it stood still", "flow up-1: dead"], "warnings": ["SCHED_FIFO"]}
    lines = ["not to be trusted: it stood still; flow up-1: dead", "SCHED_FIFO"]
    assert complaints({"testbed": bed}) == lines
    bed["untrusted"] = []
    assert complaints({"testbed": bed}) == ["SCHED_FIFO"]
    result = RunResult('{"seed": 4, "testbed": {"untrusted": ["it stood still"], "warnings": []}}')
    assert command.complaints([result]) == ["seed 4: not to be trusted: it stood still"]
