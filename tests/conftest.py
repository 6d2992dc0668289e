"""What all tests use: the command, run as users run it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from evenair_command import Evenair

# A shell that starts the tests in the background has them ignore Ctrl-C, nohup has them ignore
# SIGHUP, and so do the commands that they start, whose handling of both is tested.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)


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
