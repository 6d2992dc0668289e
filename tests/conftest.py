"""What all tests use: the command, run as users run it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from evenair.cli import main
from hypothesis import settings

if TYPE_CHECKING:
    from pathlib import Path

    from evenair_command import Evenair

# A shell that starts the tests in the background has them ignore Ctrl-C, nohup has them ignore
# SIGHUP, and so do the commands that they start, whose handling of both is tested.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)


# `make test` tries the same examples each time, and a busy machine is slow. `make fuzz` draws
# others by a seed. What it finds is added to the test as @example: the key of the database of
# hypothesis is the source of the test.
settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.register_profile("fuzz", derandomize=False, deadline=None, max_examples=1000)
settings.load_profile("repeatable")


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Say what a test of real time waits for, after its name (pytest -v)."""
    plugin = item.config.pluginmanager.get_plugin
    terminal, capture = plugin("terminalreporter"), plugin("capturemanager")
    marker = item.get_closest_marker("real_time")
    if marker is not None and terminal is not None and terminal.verbosity > 0:
        with capture.global_and_fixture_disabled():
            terminal.write(f"(waits for {marker.args[0]}) ", flush=True)


@pytest.fixture
def evenair(tmp_path: Path) -> Evenair:
    def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "evenair", *map(str, arguments)]
        environment = {
            **os.environ,
            "PYTHONWARNINGS": "error",
            "MPLCONFIGDIR": str(tmp_path.parent),
        }
        return subprocess.run(
            command,
            cwd=tmp_path,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
        )

    return run


@pytest.fixture
def evenair_here(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Evenair:
    """The same command in this process, for rows of tests of what it says: no Python is started."""

    def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
        command = [*map(str, arguments)]
        with monkeypatch.context() as here:
            here.chdir(tmp_path)
            capfd.readouterr()
            try:
                status = main(command)
            except SystemExit as end:  # --help and --version
                status = int(end.code or 0)
        return subprocess.CompletedProcess(command, status, *capfd.readouterr())

    return run
