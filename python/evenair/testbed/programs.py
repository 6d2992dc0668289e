"""The programs that make the traffic, and those that have ended before their flows."""

from __future__ import annotations

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
        flow, its = ("flow", "its") if len(self.flows) == 1 else ("flows", "their")
        if self.status < 0:
            how = f"was killed by {_signal_name(-self.status)}"
        elif self.status:
            how = f"ended with status {self.status}"
        else:
            how = "ended early"
        said = f" ({self.said})" if self.said else ""
        which = f"{flow} {', '.join(self.flows)}: {its} {self.program}"
        return f"{which} {how} at {self.time_s:.1f} s{said}"


@dataclass(frozen=True)
class _Program:
    name: str
    flows: tuple[str, ...]
    process: subprocess.Popen[bytes]
    stop: float | None
    said: Callable[[], str]


class Programs:
    """Watches the programs of a run."""

    def __init__(self) -> None:
        self._running: list[_Program] = []
        self.ended: list[Ended] = []
        """Those that have ended before their flows, in the order of time."""

    def add(
        self,
        name: str,
        flows: Sequence[str],
        process: subprocess.Popen[bytes],
        said: Callable[[], str],
        stop: float | None = None,
    ) -> None:
        """Watch a program of these flows.

        It may end by itself at `stop`, seconds since the start of the run; None: not at all.
        `said` returns what it has said about an error.
        """
        self._running.append(_Program(name, tuple(flows), process, stop, said))

    def look(self, time_s: float) -> None:
        """Note which programs have ended until now, seconds since the start of the run."""
        for program in [each for each in self._running if each.process.poll() is not None]:
            self._running.remove(program)
            status = program.process.returncode
            in_time = program.stop is not None and time_s >= program.stop - _EARLY_S
            if status or not in_time:
                said = "" if status < 0 else program.said()
                self.ended.append(Ended(program.name, program.flows, status, time_s, said))

    def is_running(self, process: subprocess.Popen[bytes]) -> bool:
        """Return whether a program was running at the last look."""
        return any(program.process is process for program in self._running)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:  # a real-time signal
        return f"signal {number}"
