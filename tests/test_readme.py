"""Each command that the README shows does what it should."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

import pytest
from conftest import ROOT

if TYPE_CHECKING:
    from conftest import Evenair

BLOCKS = re.findall(
    r"^```(?:sh|shell|bash|console)\n(.*?)^```", (ROOT / "README.md").read_text(), re.S | re.M
)
LINES = [line.removeprefix("$ ").strip() for block in BLOCKS for line in block.splitlines()]
COMMANDS = [line for line in LINES if line.startswith("evenair")]


def test_the_readme_shows_commands() -> None:
    assert COMMANDS


@pytest.mark.parametrize("command", COMMANDS)
def test_command(evenair: Evenair, command: str) -> None:
    arguments = shlex.split(command, comments=True)[1:]
    # A whole paper takes minutes, and has a test of its own.
    if arguments[0] == "paper" and "--quick" not in arguments:
        arguments.append("--quick")
    done = evenair(*arguments)
    # A published claim that honestly does not hold is status 1, and no failure of the command.
    accepted = (0, 1) if arguments[0] == "paper" else (0,)
    assert done.returncode in accepted, done.stderr
    assert done.stderr == ""
