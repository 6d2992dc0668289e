"""The programs that make the traffic: those that end before their flows or are stopped."""

from __future__ import annotations

import os
import signal
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable, Sequence

_EARLY_S = 1.0
"""A client that ends by itself up to this much before its flow's `stop` is in time: iperf3 runs for
whole seconds."""


@dataclass(frozen=True)
class Ended:
    """A program that has ended before its flows."""

    program: str
    flows: tuple[str, ...]
    """The ids of the flows that it was to serve."""
    status: int
    """Its exit status, or the number of the signal that killed it, negative."""
    time_s: float
    """When it was noticed, seconds since the start of the run."""
    said: str
    """What it has said about an error; may be empty."""

    @property
    def document(self) -> dict[str, Any]:
        """What a result says."""
        return asdict(self) | {"flows": list(self.flows)}

    @property
    def reason(self) -> str:
        """Return a line that says what has happened."""
        if self.status < 0:
            how = f"was killed by {_signal_name(-self.status)}"
        elif self.status:
            how = f"ended with status {self.status}"
        else:
            how = "ended early"
        said = f" ({self.said})" if self.said else ""
        return f"{_which(self.flows, self.program)} {how} at {self.time_s:.1f} s{said}"


@dataclass(frozen=True)
class Stopped:
    """A program that was stopped (SIGSTOP) in the measured time, and may have gone on."""

    program: str
    flows: tuple[str, ...]
    """The ids of the flows that it serves."""
    seconds: float
    """For how long, to the time between two looks."""

    @property
    def document(self) -> dict[str, Any]:
        """What a result says."""
        return asdict(self) | {"flows": list(self.flows)}

    @property
    def reason(self) -> str:
        """Return a line that says what has happened."""
        return f"{_which(self.flows, self.program)} was stopped for {self.seconds:.1f} s"


@dataclass
class _Program:
    name: str
    flows: tuple[str, ...]
    process: subprocess.Popen[bytes]
    said: Callable[[], str]
    stop: float | None
    follows: bool
    stopped_s: float = 0.0
    has_ended: bool = False


class Programs:
    """Watches the programs of a run."""

    def __init__(self, warmup: float) -> None:
        """`warmup` is the end of the warm-up, seconds since the start of the run."""
        self._programs: list[_Program] = []
        self._looked_s = warmup
        self.ended: list[Ended] = []
        """Those that have ended before their flows, in the order of time."""

    @property
    def stopped(self) -> list[Stopped]:
        """Those that were stopped in the measured time, in the order in which they were added."""
        found = [each for each in self._programs if each.stopped_s > 0]
        return [Stopped(each.name, each.flows, each.stopped_s) for each in found]

    def add(
        self,
        name: str,
        flows: Sequence[str],
        process: subprocess.Popen[bytes],
        said: Callable[[], str],
        stop: float | None = None,
        *,
        follows: bool = False,
    ) -> None:
        """Watch a program of these flows.

        It may end by itself at `stop`, seconds since the start of the run; None: not at all.
        `said` returns what it has said about an error. One that `follows` ends because another
        has ended, which says why.
        """
        self._programs.append(_Program(name, tuple(flows), process, said, stop, follows))

    def look(self, time_s: float) -> None:
        """Note what has ended or is stopped now, seconds since the start of the run."""
        for program in [each for each in self._programs if not each.has_ended]:
            status = program.process.poll()
            if status is None:
                if _is_stopped(program.process):
                    program.stopped_s += max(0.0, time_s - self._looked_s)
                continue
            program.has_ended = True
            in_time = program.stop is not None and time_s >= program.stop - _EARLY_S
            if not program.follows and (status or not in_time):
                said = "" if status < 0 else program.said()
                self.ended.append(Ended(program.name, program.flows, status, time_s, said))
        self._looked_s = max(self._looked_s, time_s)


def _which(flows: tuple[str, ...], program: str) -> str:
    flow, its = ("flow", "its") if len(flows) == 1 else ("flows", "their")
    return f"{flow} {', '.join(flows)}: {its} {program}"


def _is_stopped(process: subprocess.Popen[bytes]) -> bool:
    # The kernel forgets that a child was stopped when it goes on (waitid(2)).
    try:
        return os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WNOHANG | os.WNOWAIT) is not None
    except ChildProcessError:  # it has just ended
        return False


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:  # a real-time signal
        return f"signal {number}"
