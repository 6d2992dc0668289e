"""One run of a test-bed: namespaces, processes, the schedule of the flows, and clean-up."""

from __future__ import annotations

import json
import math
import subprocess
import time
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from evenair._core import RunError
from evenair.testbed import host, limiter, live
from evenair.testbed.engine import Engine
from evenair.testbed.errors import TestbedError
from evenair.testbed.layout import GATEWAY, NEGOTIATED, UDP_HEADER, nodes_with
from evenair.testbed.linux.namespaces import Namespaces, remove_abandoned
from evenair.testbed.linux.processes import Processes, last_line, python, uninterrupted
from evenair.testbed.linux.tcp_info import Connections
from evenair.testbed.sampler import PERIOD_S, Sampler
from evenair.testbed.traffic import application, iperf
from evenair.testbed.traffic.programs import Programs
from evenair.testbed.traffic.receivers import Receivers
from evenair.testbed.verdict import Driver

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from evenair.files.live import LiveFile
    from evenair.testbed.layout import Flow, Plan
    from evenair.testbed.traffic.programs import Ended, Stopped

_READY_S = 20.0
"""How long engine and servers may take to be ready; they take less than a second."""
_RESULT_S = 10.0
"""How long the engine may take after the end of the run to report."""
_OUTCOME_S = 60.0
"""How long a program may take then: it simulates what a slowdown is compared with."""
_LATENCY_S = 0.005
"""Events of the schedule are due at most this early."""


@dataclass(frozen=True)
class Options:
    """How a scenario is run."""

    seed: int = 1
    pcap: Path | None = None
    """The file of a capture with an interface for each device."""
    keep: bool = False
    """Leave namespaces and folder."""
    congestion: str | Mapping[str, str] | None = None
    """The kernel's congestion control of all TCP flows, or of those of each group that it names,
    instead of that of the scenario."""
    prepare: Callable[[Namespaces], None] | None = None
    """Called when the devices are up and before there is traffic: an experiment's own set-up."""
    max_lateness: float = 2e-3
    """Seconds: what the engine does later than this is late (docs/testbed.md#trust)."""


@dataclass(frozen=True)
class Measurements:
    """What a run has produced, before it is a result."""

    engine: dict[str, Any]
    sampler: Sampler
    reports: dict[int, dict[str, Any]]
    """What iperf3 reports, by the index of the flow."""
    outcomes: dict[int, dict[str, Any]]
    """What the programs of the other applications report (`traffic.application`), by the index of
    the flow. Of one that has ended early there is nothing."""
    records: list[dict[str, Any]]
    """Decisions of the gateway daemon."""
    driver: Driver
    ended: list[Ended]
    """Programs that have ended before their flows."""
    stopped: list[Stopped]
    max_lateness: float
    machine: dict[str, Any]
    kept: str | None
    """What was left, if it was to be kept."""


def run(
    plan: Plan, options: Options, progress: Callable[[float], None] | None = None
) -> Measurements:
    """Run a plan. Raises TestbedError, ScenarioError, RunError, OSError.

    Namespaces and processes are gone afterwards, whatever happens. `progress` is called with the
    seconds since the start of the run.
    """
    remove_abandoned()
    namespaces, processes = Namespaces(plan), Processes()
    try:
        namespaces.create()
        return _Session(plan, options, namespaces, processes).run(progress)
    finally:
        with uninterrupted():
            processes.stop()
            if not options.keep:
                namespaces.remove()


class _Session:
    def __init__(
        self, plan: Plan, options: Options, namespaces: Namespaces, processes: Processes
    ) -> None:
        self._plan = plan
        self._options = options
        self._namespaces = namespaces
        self._processes = processes
        self._folder = namespaces.folder
        self._controls = host.controls(plan, options.congestion)
        self._streams = [flow for flow in plan.flows if flow.is_of_iperf]
        # The largest window (bytes) of receivers whose buffers the kernel does not size, so that
        # flows have their windows.
        streams = [flow for flow in self._streams if flow.is_tcp]
        fixed = {flow.receiver for flow in streams if not iperf.has_default_window(flow)}
        self._fixed_windows = {
            node: max(iperf.window_bytes(flow) for flow in streams if flow.receiver == node)
            for node in fixed
        }
        self._clients: dict[int, subprocess.Popen[bytes]] = {}
        self._servers: dict[int, subprocess.Popen[bytes]] = {}
        self._programs = Programs(plan.warmup)
        self._receivers = Receivers({n.name: namespaces.path(n.name) for n in plan.nodes})
        self._samples_late_s = 0.0
        self._starts_late_s: dict[str, float] = {}
        self._applications: dict[int, subprocess.Popen[bytes]] = {}
        self._daemon: subprocess.Popen[bytes] | None = None

    def run(self, progress: Callable[[float], None] | None) -> Measurements:
        plan = self._plan
        engine = Engine(self._processes, self._spec(), self._folder)
        deadline = time.monotonic() + _READY_S
        while not engine.is_ready:
            if time.monotonic() > deadline:
                raise RunError("the engine of the test-bed is not ready in time")
            engine.wait(deadline)
        self._namespaces.configure(self._sysctls(), self._fixed_windows)
        if self._streams:
            self._namespaces.connect_controls()
        if self._options.prepare is not None:
            self._options.prepare(self._namespaces)
        machine = self._describe()
        self._start_servers()
        self._start_applications()
        paths = {node.name: self._namespaces.path(node.name) for node in plan.nodes}
        sampler = Sampler([flow for flow in self._streams if flow.is_tcp], paths)
        with (
            closing(sampler),
            closing(self._receivers),
            live.live_file(self._folder, plan, self._options.seed) as live_file,
        ):
            engine.command("start")
            began, began_wall = time.monotonic(), time.time()
            stolen, suspended = host.steal_s(), host.suspended_s()
            for program in self._applications.values():
                _tell(program, f"{began}\n")
            if plan.limiter is not None:
                machine["evenaird"] = self._start_limiter()
            self._follow(engine, sampler, live_file, began, progress)
            deadline = time.monotonic() + _RESULT_S
            while engine.result is None:
                if time.monotonic() > deadline:
                    raise RunError("the engine of the test-bed does not report its result")
                engine.wait(deadline)
            machine["steal_s"] = host.steal_s() - stolen
            suspended = max(0.0, host.suspended_s() - suspended)
        outcomes = self._outcomes()
        self._processes.stop()
        return Measurements(
            engine.result,
            sampler,
            {index: self._report(index) for index in self._clients},
            outcomes,
            limiter.read_records(self._folder, began_wall) if plan.limiter else [],
            Driver(
                self._samples_late_s,
                max(0.0, engine.result["began_s"] - began),
                self._starts_late_s,
                suspended,
            ),
            self._programs.ended,
            self._programs.stopped,
            self._options.max_lateness,
            {**machine, "congestion_controls": self._named_controls()},
            self._kept(),
        )

    # --- Before the run ---------------------------------------------------------------------------

    def _spec(self) -> dict[str, Any]:
        plan, options = self._plan, self._options
        flows: list[dict[str, Any]] = []
        for flow in plan.flows:
            entry: dict[str, Any] = {"index": flow.index}
            if flow.station is None:
                entry |= {"from": flow.sender, "to": flow.receiver}
            else:
                entry |= {"station": flow.station, "host": flow.host, "up": flow.up}
            flows.append({**entry, "protocol": "tcp" if flow.is_tcp else "udp", "port": flow.port})
        refresh = 0.0 if plan.limiter is None else limiter.refresh_s(plan.limiter)
        versions = 2 if plan.has_ipv6 else 1
        return {
            "scenario": json.dumps(plan.resolved),
            "seed": options.seed,
            "namespaces": {n.name: self._namespaces.path(n.name) for n in plan.nodes},
            "flows": flows,
            "addresses": {n.name: [n.ipv4, n.ipv6][:versions] for n in plan.nodes},
            "warmup_s": plan.warmup,
            "duration_s": plan.duration,
            "max_lateness_s": options.max_lateness,
            "realtime": True,
            "pcap": None if options.pcap is None else str(options.pcap.absolute()),
            "snmp": {
                "listen": f"{plan.node(GATEWAY).ipv4}:161",
                "community": limiter.COMMUNITY,
                "refresh_s": refresh,
            },
        }

    def _sysctls(self) -> dict[str, dict[str, str]]:
        """Return the sysctls of each node: what the flows ask for and the kernel has."""
        values: dict[str, dict[str, str]] = {}
        flows = [flow for flow in self._plan.flows if flow.is_tcp]
        timestamps, ecn = (nodes_with(flows, NEGOTIATED[key]) for key in ("header", "ecn"))
        for node in {node for flow in flows for node in (flow.sender, flow.receiver)}:
            values[node] = {
                "net.ipv4.tcp_no_metrics_save": "1",
                "net.ipv4.tcp_timestamps": str(int(node in timestamps)),
                "net.ipv4.tcp_ecn": str(int(node in ecn)),
            }
        for node in self._fixed_windows:
            values[node]["net.ipv4.tcp_moderate_rcvbuf"] = "0"
        return values

    def _receive_buffer(self, flow: Flow) -> int | None:
        """Return the size of a flow's receive buffer; None if the kernel is to size it."""
        if iperf.has_default_window(flow) and flow.receiver not in self._fixed_windows:
            return None
        return iperf.receive_buffer(flow)

    def _describe(self) -> dict[str, Any]:
        nodes = {flow.sender for flow in self._plan.flows}
        first = next(node for node in self._plan.nodes if node.name in nodes)
        inside = self._namespaces.inside
        return {
            **host.describe(),
            "sysctls": inside(first.name, host.sysctls),
            "offloads": inside(first.name, lambda: host.offloads(first.devices[0])),
        }

    def _start_servers(self) -> None:
        """Start a server of iperf3 for each flow, and wait until all listen."""
        least: dict[str, int] = {}
        later: dict[str, int] = {}
        for flow in self._streams:
            size = self._receive_buffer(flow) if flow.is_tcp else None
            if size is not None:
                # A socket has the receive buffer of the time when it is made, which those
                # inherit that it accepts.
                self._namespaces.set(flow.receiver, "net.ipv4.tcp_rmem", f"4096 {size} {size}")
                least[flow.receiver] = min(size, least.get(flow.receiver, size))
                if iperf.has_own_mss(flow, self._plan.mtu):
                    later[flow.receiver] = size
            command = iperf.server_command(flow)
            name = f"server-{flow.index}"
            server = self._start_logged(name, command, flow.receiver)
            self._watch("server (iperf3)", [flow.id], server, name, follows=True)
            self._servers[flow.index] = server
            self._wait_for_listener(flow)
        for node, size in least.items():
            # The kernel lets a buffer that overflows grow up to the maximum (tcp_clamp_window()).
            # A server of iperf3 makes another listener when it is told the MSS.
            rmem = f"4096 {later.get(node, size)} {size}"
            self._namespaces.set(node, "net.ipv4.tcp_rmem", rmem)

    def _wait_for_listener(self, flow: Flow) -> None:
        connections = Connections(self._namespaces.path(flow.receiver))
        deadline = time.monotonic() + _READY_S
        try:
            while not any(c.listens and c.local_port == flow.port for c in connections.list()):
                if time.monotonic() > deadline:
                    said = last_line(self._folder / f"server-{flow.index}.err")
                    raise RunError(f"flow {flow.id}: iperf3 does not listen: {said}")
                time.sleep(0.005)
        finally:
            connections.close()

    def _start_applications(self) -> None:
        """Start a program for each flow that iperf3 does not make; wait until all are ready."""
        flows = [flow for flow in self._plan.flows if not flow.is_of_iperf]
        if not flows:
            return
        (self._folder / "scenario.json").write_text(json.dumps(self._plan.resolved))
        for flow in flows:
            kind = "sessions" if flow.is_session else "datagrams"
            name = f"{kind}-{flow.index}"
            file = self._folder / f"{name}.json"
            file.write_text(json.dumps(self._table(flow)))
            command = python(f"evenair.testbed.traffic.{kind}", str(file))
            child = self._start_logged(name, command, None, stdin=subprocess.PIPE)
            self._applications[flow.index] = child
            self._watch(f"program ({flow.kind})", [flow.id], child, name)
        deadline = time.monotonic() + _READY_S
        for flow in flows:
            output = self._output(flow.index)
            while not output.stat().st_size:
                if self._applications[flow.index].poll() is not None or time.monotonic() > deadline:
                    said = last_line(output.with_suffix(".err"))
                    raise RunError(f"flow {flow.id}: its program does not start: {said}")
                time.sleep(0.005)

    def _output(self, index: int) -> Path:
        kind = "sessions" if self._plan.flows[index].is_session else "datagrams"
        return self._folder / f"{kind}-{index}.out"

    def _table(self, flow: Flow) -> dict[str, Any]:
        paths = {node: self._namespaces.path(node) for node in (flow.sender, flow.receiver)}
        table = application.table(flow, self._plan, paths, self._folder, self._options.seed)
        if flow.is_tcp:
            control, buffer = self._controls[flow.index], self._receive_buffer(flow)
            return {**table, "control": control, "receive_buffer": buffer}
        header = int(flow.spec["header"]) - UDP_HEADER
        return {**table, "source_port": iperf.client_port(flow), "header": header}

    def _watch(
        self,
        program: str,
        flows: list[str],
        child: subprocess.Popen[bytes],
        name: str,
        *,
        follows: bool = False,
    ) -> None:
        said = partial(last_line, self._folder / f"{name}.err")
        self._programs.add(program, flows, child, said, follows=follows)

    def _start_limiter(self) -> str:
        program = limiter.find()
        if self._plan.limiter is None:
            raise RunError("the scenario has no limiter")
        agent = self._plan.node(GATEWAY).ipv4
        path = limiter.write_configuration(self._plan.limiter, agent, self._folder)
        self._daemon = self._start_logged("evenaird", [program, "run", str(path)], GATEWAY)
        return program

    def _start_logged(
        self, name: str, command: list[str], node: str | None, stdin: int = subprocess.DEVNULL
    ) -> subprocess.Popen[bytes]:
        output, errors = self._folder / f"{name}.out", self._folder / f"{name}.err"
        with output.open("wb") as out, errors.open("wb") as err:
            namespace = None if node is None else self._namespaces.name(node)
            return self._processes.start(command, namespace, stdin=stdin, stdout=out, stderr=err)

    # --- During the run ---------------------------------------------------------------------------

    def _follow(
        self,
        engine: Engine,
        sampler: Sampler,
        live_file: LiveFile,
        began: float,
        progress: Callable[[float], None] | None,
    ) -> None:
        """Start the clients and sample their connections until the end of the run."""
        plan = self._plan
        end = plan.warmup + plan.duration
        starts = sorted(self._streams, key=lambda flow: (flow.start, flow.index))
        interval = float(plan.resolved.get("trace", {}).get("interval", math.inf))
        next_sample, next_trace, warm = PERIOD_S, plan.warmup + interval, False
        next_line = 0.0
        while True:
            now = time.monotonic() - began
            if now < end - _LATENCY_S:  # after the end the devices are gone
                self._programs.look(now)
                self._receivers.look()
            while starts and starts[0].start <= now + _LATENCY_S:
                self._starts_late_s[starts[0].id] = max(0.0, now - starts[0].start)
                self._start_client(starts.pop(0), end)
                now = time.monotonic() - began  # a process takes time to start
            if not warm and now >= plan.warmup - _LATENCY_S:
                sampler.sample(now, measured=False)
                sampler.end_warmup()
                self._samples_late_s = max(0.0, now - plan.warmup)
                warm = True
            if now >= min(next_trace, end) - _LATENCY_S:
                sampler.sample(now, measured=True)
                if now >= next_trace - _LATENCY_S:
                    sampler.trace(now - plan.warmup)
                    next_trace += interval
                if now >= end - _LATENCY_S:
                    self._samples_late_s = max(self._samples_late_s, now - end)
                    return
            if now >= next_sample:
                sampler.sample(now, measured=warm)
                next_sample += PERIOD_S * max(1, 1 + (now - next_sample) // PERIOD_S)
                if now >= next_line:
                    live_file.write(live.line(now, plan, sampler))
                    next_line = now + live.PERIOD_S - _LATENCY_S
                if progress is not None:
                    progress(now)
            due = min(next_sample, next_trace, end, *(flow.start for flow in starts[:1]))
            if not warm:
                due = min(due, plan.warmup)
            engine.wait(began + due)
            self._check_limiter()
            if engine.result is not None and time.monotonic() - began < end - 0.5:
                raise RunError("the engine of the test-bed has ended before the run")

    def _check_limiter(self) -> None:
        """Raise TestbedError if the daemon refuses its configuration, RunError if it has failed."""
        if self._daemon is None or (status := self._daemon.poll()) is None:
            return
        said = last_line(self._folder / "evenaird.err").removeprefix("evenaird: ")
        if status == limiter.BAD_INPUT:
            _, key, problem = said.partition("limiter.")
            raise TestbedError(f"gateway.{key}{problem}" if key else f"evenaird: {said}")
        raise RunError(f"evenaird has ended with status {status}: {said}")

    def _start_client(self, flow: Flow, end: float) -> None:
        address = self._plan.node(flow.receiver).ipv4
        control = self._controls.get(flow.index)
        command = iperf.client_command(flow, address, control, self._plan.mtu, end)
        name = f"client-{flow.index}"
        client = self._start_logged(name, command, flow.sender)
        self._clients[flow.index] = client
        if flow.is_tcp:
            self._receivers.add(flow, self._servers[flow.index])
        said = partial(self._said, flow.index)
        self._programs.add("client (iperf3)", [flow.id], client, said, flow.stop)

    # --- After the run ----------------------------------------------------------------------------

    def _report(self, index: int) -> dict[str, Any]:
        path = self._folder / f"client-{index}.out"
        report = iperf.parse(path.read_text(errors="replace"))
        # What one says that ran until the end is no error, and of others the verdict has it.
        report.pop("error", None)
        return report

    def _said(self, index: int) -> str:
        text = (self._folder / f"client-{index}.out").read_text(errors="replace")
        return str(iperf.parse(text).get("error", ""))

    def _outcomes(self) -> dict[int, dict[str, Any]]:
        """Return what the programs report that have come to their end."""
        deadline = time.monotonic() + _OUTCOME_S
        found = {}
        for index, program in self._applications.items():
            try:
                status = program.wait(max(0.0, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                id_ = self._plan.flows[index].id
                raise RunError(f"flow {id_}: its program does not report its outcome") from None
            if status == 0:
                found[index] = json.loads(last_line(self._output(index)))
        return found

    def _named_controls(self) -> dict[str, str]:
        return {self._plan.flows[index].id: name for index, name in self._controls.items()}

    def _kept(self) -> str | None:
        if not self._options.keep:
            return None
        names = ", ".join(self._namespaces.name(node.name) for node in self._plan.nodes)
        return f"{self._folder} and the network namespaces {names}"


def _tell(child: subprocess.Popen[bytes], text: str) -> None:
    if child.stdin is not None:
        child.stdin.write(text.encode())
        child.stdin.flush()
