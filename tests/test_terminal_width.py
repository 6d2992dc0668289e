"""What is printed on a terminal is as wide as the terminal; a pipe gets unbroken lines."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from evenair_command import Evenair

WIDTH = 60
COMMANDS = (("parts",), ("parts", "codel"), ("model",), ("model", "anomaly", "--help"))


def on_a_terminal(*arguments: str, width: int = WIDTH, stream: str = "stdout") -> list[str]:
    """Return the lines that a command prints on a terminal with `width` columns.

    The other of stdout and stderr is discarded.
    """
    user, program = pty.openpty()
    fcntl.ioctl(program, termios.TIOCSWINSZ, struct.pack("HHHH", 40, width, 0, 0))
    environment = {key: value for key, value in os.environ.items() if key != "COLUMNS"}
    command = [sys.executable, "-m", "evenair", *arguments]
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=program if stream == "stdout" else subprocess.DEVNULL,
        stderr=program if stream == "stderr" else subprocess.DEVNULL,
        env={**environment, "TERM": "xterm"},
    ) as process:
        os.close(program)
        printed = b""
        while True:
            try:
                part = os.read(user, 65536)
            except OSError:  # Linux: the other side is closed
                part = b""
            if not part:
                break
            printed += part
    os.close(user)
    assert process.returncode == 0
    return re.sub(r"\x1b\[[0-9;]*m", "", printed.decode()).splitlines()


@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_lines_wrap_between_words(evenair: Evenair, arguments: tuple[str, ...]) -> None:
    lines = on_a_terminal(*arguments)
    assert max(map(len, lines)) <= WIDTH
    piped = evenair(*arguments).stdout
    assert max(map(len, piped.splitlines())) > WIDTH
    # No word is broken.
    assert {*" ".join(lines).split()} - {*piped.split()} <= {word for word in lines if "─" in word}


def test_no_number_of_a_run_is_cut_at_80_columns(tmp_path: Path) -> None:
    """Of flows that have little in common, with long names."""
    (tmp_path / "cell.toml").write_text(
        """
        duration = "3 s"
        [[station]]
        name = "a television"
        flows = [{ direction = "down", transport = "westwood-plus" }]
        [[station]]
        name = "a telephone"
        flows = [
            { name = "a voice call", direction = "up", transport = "udp", rate = "80 kbps" },
            { name = "its file", direction = "up", application = "file" },
        ]
        """
    )
    lines = on_a_terminal("run", str(tmp_path / "cell.toml"), "--runs", "2", width=80)
    assert max(map(len, lines)) <= 80
    assert "…" not in "".join(lines)
    (row,) = (line for line in lines if " down " in line)
    assert re.search(r" \d+(\.\d+)? +(cwnd|recovery|receive window|timeouts) *$", row)


def test_further_lines_are_indented() -> None:
    lines = on_a_terminal("parts", "codel")
    parameter = next(index for index, line in enumerate(lines) if "interval = " in line)
    assert lines[parameter].startswith("      interval")
    assert lines[parameter + 1].startswith("        ")


@pytest.mark.parametrize("arguments", [*COMMANDS, ("run", "gong2006", "--set", "duration=1 s")])
def test_a_pipe_gets_no_escape_sequences(
    evenair: Evenair, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]
) -> None:
    """Kernels of notebooks set these variables for the programs that they start."""
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("CLICOLOR_FORCE", "1")
    done = evenair(*arguments)
    assert done.returncode == 0
    assert done.stdout
    assert "\x1b" not in done.stdout + done.stderr


def test_a_progress_bar_knows_the_number_of_runs_from_the_start() -> None:
    """And how long they have taken: a single run has nothing else to tell."""
    run = ("run", "gong2006", "--set", "duration=1")
    for options, count in (((), 1), (("--runs", "3"), 3)):
        lines = on_a_terminal(*run, *options, "--json", width=80, stream="stderr")
        text = "\n".join(lines)
        assert f" 0/{count} " in text
        assert "/?" not in text
        assert re.search(rf" {count}/{count} .*\d:\d\d:\d\d left ", text)
