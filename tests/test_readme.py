"""Each command that the README shows does what it should."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

from conftest import ROOT

if TYPE_CHECKING:
    from conftest import Evenair

BLOCKS = re.findall(
    r"^```(?:sh|shell|bash|console)\n(.*?)^```", (ROOT / "README.md").read_text(), re.S | re.M
)
LINES = [line.strip() for block in BLOCKS for line in block.replace("\\\n", " ").splitlines()]
COMMANDS = [line for line in LINES if line.startswith("evenair")]


def test_the_readme_shows_commands() -> None:
    assert COMMANDS


def test_commands(evenair: Evenair) -> None:
    """In the order of the README and in one folder, for some use what others have written."""
    for command in COMMANDS:
        arguments = shlex.split(command, comments=True)[1:]
        # A whole paper takes minutes, and has a test of its own.
        if arguments[0] == "paper" and "--quick" not in arguments:
            arguments.append("--quick")
        done = evenair(*arguments)
        # A published claim that honestly does not hold is status 1, and no failure of the command.
        accepted = (0, 1) if arguments[0] == "paper" else (0,)
        assert done.returncode in accepted, done.stderr
        assert done.stderr == ""
