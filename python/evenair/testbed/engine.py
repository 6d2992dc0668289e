"""The emulated air in a process of its own.

    python -m evenair.testbed.engine DESCRIPTOR

reads the specification of a run from the file descriptor, writes events to standard output and
reads commands from standard input, one JSON object per line (see `evenair._core.emulate`).
"""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

from evenair._core import RunError, ScenarioError
from evenair.testbed.linux.processes import last_line, python

if TYPE_CHECKING:
    from pathlib import Path

    from evenair.testbed.linux.processes import Processes

_STOP = '{"command": "stop"}'
_READ_BYTES = 1 << 16


class Engine:
    """The process that owns the air, the wired links and the TUN devices."""

    def __init__(self, processes: Processes, spec: dict[str, Any], folder: Path) -> None:
        (folder / "spec.json").write_text(json.dumps(spec))
        self._errors = folder / "engine.err"
        with (folder / "spec.json").open("rb") as file, self._errors.open("wb") as errors:
            self._process = processes.start(
                python("evenair.testbed.engine", str(file.fileno())),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                pass_fds=(file.fileno(),),
            )
        self._buffer = b""
        self.result: dict[str, Any] | None = None
        """What the engine has measured, once its run is over."""
        self.is_ready = False

    def command(self, name: str) -> None:
        """Send a command. A process that has ended is noticed by `wait`."""
        if self._process.stdin is None:
            raise RunError("the engine has no standard input")
        try:
            self._process.stdin.write(json.dumps({"command": name}).encode() + b"\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            self.wait(time.monotonic())

    def wait(self, until: float) -> None:
        """Handle events until a time of the monotonic clock, or the first one but progress.

        Raises RunError if the engine has failed, ScenarioError if it refuses the scenario.
        """
        if self._process.stdout is None:
            raise RunError("the engine has no standard output")
        descriptor = self._process.stdout.fileno()
        while True:
            readable, _, _ = select.select([descriptor], [], [], max(0.0, until - time.monotonic()))
            if not readable:
                return
            data = os.read(descriptor, _READ_BYTES)
            if not data:
                if self.result is None:
                    self._fail()
                time.sleep(max(0.0, until - time.monotonic()))
                return
            *lines, self._buffer = (self._buffer + data).split(b"\n")
            events = [json.loads(line) for line in lines if line.strip()]
            for event in events:
                self._handle(event)
            if any(event["event"] != "progress" for event in events):
                return

    def _handle(self, event: dict[str, Any]) -> None:
        match event["event"]:
            case "ready":
                self.is_ready = True
            case "result":
                self.result = event["result"]
            case "error":
                kind = ScenarioError if event["kind"] == "scenario" else RunError
                raise kind(event["message"])

    def _fail(self) -> None:
        status = self._process.wait()
        said = last_line(self._errors)
        raise RunError(f"the engine of the test-bed ended: {said or f'status {status}'}")


def main(arguments: list[str]) -> int:
    """Run the emulation and write its events."""
    from evenair._core import emulate

    with os.fdopen(int(arguments[0])) as file:
        spec = file.read()
    stopped: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, frame: stopped.append(number))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    commands = Commands(sys.stdin.fileno())

    def report(event: str) -> str | None:
        print(event, flush=True)
        return _STOP if stopped else commands.next()

    try:
        result = emulate(spec, report)
    except (ScenarioError, RunError) as error:
        kind = "scenario" if isinstance(error, ScenarioError) else "run"
        print(json.dumps({"event": "error", "kind": kind, "message": str(error)}), flush=True)
        return 1
    print(f'{{"event": "result", "result": {result}}}', flush=True)
    return 0


class Commands:
    """The lines of a file descriptor, read without waiting for them."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._lines: list[str] = []
        self._buffer = b""

    def next(self) -> str | None:
        """Return the next line if it is there; at the end of the file the command to stop."""
        if not self._lines and select.select([self._descriptor], [], [], 0)[0]:
            data = os.read(self._descriptor, _READ_BYTES)
            if not data:
                return _STOP
            *lines, self._buffer = (self._buffer + data).split(b"\n")
            self._lines += [line.decode() for line in lines]
        return self._lines.pop(0) if self._lines else None


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
