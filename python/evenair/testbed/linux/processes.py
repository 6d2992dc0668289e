"""Child processes that end with the test-bed, however it ends."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from evenair._core import RunError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

_PR_SET_PDEATHSIG = 1  # linux/prctl.h
GRACE_S = 1.0
"""How long a process may take to end after SIGTERM, before SIGKILL."""
_LONGEST_COMMAND_S = 20.0
"""A command of iproute2 takes milliseconds; one that hangs is an error."""


class Processes:
    """Children that get SIGKILL when the thread that started them ends, and SIGTERM from `stop`.

    Start them from the main thread: the kernel watches the thread (prctl(2)).
    """

    def __init__(self) -> None:
        self._children: list[subprocess.Popen[bytes]] = []

    def start(
        self, command: Sequence[str], namespace: str | None = None, **pipes: Any
    ) -> subprocess.Popen[bytes]:
        """Start a command, in a network namespace if one is named."""
        enter = ("ip", "netns", "exec", namespace) if namespace else ()
        parent = os.getpid()
        child = subprocess.Popen(
            (*enter, *command),
            # Ctrl-C in a terminal is for the test-bed alone, which ends the others in order.
            start_new_session=True,
            preexec_fn=lambda: _die_with(parent),
            **{"stdin": subprocess.DEVNULL, **pipes},
        )
        self._children.append(child)
        return child

    def stop(
        self, children: Sequence[subprocess.Popen[bytes]] | None = None, grace_s: float = GRACE_S
    ) -> None:
        """End these processes, or all: those that take longer than `grace_s` by SIGKILL."""
        ending = list(self._children if children is None else children)
        for child in ending:
            if child.poll() is None:
                child.terminate()
        deadline = time.monotonic() + grace_s
        for child in ending:
            try:
                child.wait(max(0.0, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()
            for pipe in (child.stdin, child.stdout, child.stderr):
                if pipe is not None:
                    pipe.close()
        self._children = [child for child in self._children if child not in ending]


def run(*command: str) -> None:
    """Run a command to its end. Raises RunError with what it says if it fails."""
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_LONGEST_COMMAND_S,
        )
    except FileNotFoundError:
        raise RunError(f"{command[0]}: not found; install it (PATH)") from None
    except subprocess.TimeoutExpired:
        raise RunError(f"{' '.join(command)}: takes too long") from None
    if done.returncode:
        said = (done.stderr or done.stdout).strip().split("\n")[0]
        raise RunError(f"{' '.join(command)}: {said or f'status {done.returncode}'}")


def python(module: str, *arguments: str) -> list[str]:
    """Return the command that runs a module of this package."""
    return [sys.executable, "-P", "-m", module, *arguments]


def last_line(path: Path) -> str:
    """Return the last line that is not blank of what a process has written."""
    lines = [line for line in path.read_text(errors="replace").split("\n") if line.strip()]
    return lines[-1].strip() if lines else ""


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Ignore signals that end the process, so that a second one does not stop the clean-up."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    ending = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    previous = {number: signal.signal(number, signal.SIG_IGN) for number in ending}
    try:
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)


def _die_with(parent: int) -> None:
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it has ended in between
        os._exit(1)
