"""The README and the page of the command line: each example does what it should."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from conftest import ROOT

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Evenair

README = ROOT / "README.md"
PAGES = [README, ROOT / "docs" / "command-line.md"]


def blocks(page: Path, *languages: str) -> list[str]:
    """The fenced code blocks of a page in one of these languages."""
    fence = rf"^```(?:{'|'.join(languages)})\n(.*?)^```"
    return re.findall(fence, page.read_text(), re.S | re.M)


def commands(page: Path) -> list[str]:
    shell = "".join(blocks(page, "sh", "shell", "bash", "console"))
    lines = [line.strip() for line in shell.replace("\\\n", " ").splitlines()]
    return [line for line in lines if line.startswith(("evenair", "sudo evenair"))]


def words(command: str) -> list[str]:
    """What follows `evenair` in a command."""
    return shlex.split(command.removeprefix("sudo "), comments=True)[1:]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands(evenair: Evenair, tmp_path: Path, page: Path) -> None:
    """In the order of the page and in one folder, since some read what others have written."""
    assert commands(page)
    for scenario in blocks(page, "toml"):
        (tmp_path / "cell.toml").write_text(scenario)
    for command in commands(page):
        arguments = words(command)
        if command.startswith("sudo") and (os.geteuid() != 0 or not shutil.which("iperf3")):
            continue
        # A whole paper takes minutes, and has a test of its own.
        if arguments[0] == "paper" and "--quick" not in arguments:
            arguments.append("--quick")
        done = evenair(*arguments)
        # A tested claim that fails is status 1, and no failure of the command; so is a test-bed on
        # a machine that is too busy, which says so.
        accepted = (0,) if command.startswith("evenair") and arguments[0] != "paper" else (0, 1)
        assert done.returncode in accepted, done.stderr
        assert done.stderr == "" or "not to be trusted" in done.stderr


def test_every_command_is_shown(evenair: Evenair) -> None:
    listed = re.search(r"^commands:\n(.*?)^$", evenair("--help").stdout, re.S | re.M)
    assert listed
    names = set(re.findall(r"^    ([a-z]+)\b", listed[1], re.M))
    assert names == {words(command)[0] for page in PAGES for command in commands(page)}


def test_output(evenair: Evenair) -> None:
    """The README shows the output of `evenair run gong2006`, but for the speed in the last line."""
    [shown] = blocks(README, "text")
    printed = [line.rstrip() for line in evenair("run", "gong2006").stdout.splitlines()]
    assert "evenair run gong2006" in commands(README)
    assert [*printed[:-1], printed[-1][: printed[-1].index(", ", 12)] + ", ..."] == (
        shown.splitlines()
    )


def test_python(tmp_path: Path) -> None:
    """The Python example runs, and its expressions have the values of the comments beside them."""
    [code] = blocks(README, "python")
    checks = [
        f"assert repr({expression}).startswith({prefix!r}), {expression}"
        for expression, prefix in re.findall(
            r"^(\S.*?) +# ([\d.]+|Estimate\(mean=[\d.]+)\.\.\.", code, re.M
        )
    ]
    assert len(checks) == 2
    done = subprocess.run(
        [sys.executable, "-c", "\n".join([code, *checks])],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
