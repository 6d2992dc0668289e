"""`.ci/prepare` without root: it says which part of Rust is missing, and what installs it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from evenair_command import ROOT

if TYPE_CHECKING:
    from pathlib import Path

OLD = "echo 'cargo 1.63.0'"
NO_TOOLCHAIN = "echo 'error: rustup could not choose a version of cargo to run' >&2; exit 1"


def prepare(folder: Path, **programs: str) -> subprocess.CompletedProcess[str]:
    """Run it by a user who has these programs, given as shell commands, and no others of Rust."""
    path = folder / "bin"
    path.mkdir()
    for name in ["bash", "cut", "dirname", "env", "head", "rm", "sed", "sort", "true"]:
        (path / name).symlink_to(shutil.which(name) or name)
    for name, command in {"id": "echo 1000", "cc": "true", **programs}.items():
        (path / name).write_text(f"#!/usr/bin/env bash\n{command}\n")
        (path / name).chmod(0o755)
    return subprocess.run(
        [ROOT / ".ci" / "prepare", sys.executable, folder / "venv"],
        env={**os.environ, "PATH": str(path)},
        capture_output=True,
        text=True,
        timeout=120,
    )


@pytest.mark.parametrize(
    ("programs", "problem", "remedy"),
    [
        ({}, "there is no rustup", "https://sh.rustup.rs"),
        ({"cargo": OLD}, "there is cargo 1.63.0 and no rustup", "https://sh.rustup.rs"),
        (
            {"cargo": NO_TOOLCHAIN, "rustup": "true"},
            "rustup has no toolchain",
            "rustup default stable",
        ),
        ({"cargo": OLD, "rustup": "true"}, "cargo is 1.63.0", "rustup update stable"),
    ],
    ids=["nothing", "old cargo of the distribution", "rustup alone", "old toolchain of rustup"],
)
def test_what_is_missing_of_rust(
    tmp_path: Path, programs: dict[str, str], problem: str, remedy: str
) -> None:
    done = prepare(tmp_path, **programs)
    assert done.returncode == 2
    assert done.stdout == ""
    [line] = done.stderr.splitlines()
    assert line.startswith("evenair: Rust 1.")
    assert problem in line
    assert remedy in line
    distributions = "Debian 13, Ubuntu 24.04"
    assert (distributions in line) == ("rustup" not in programs)
    assert not (tmp_path / "venv").exists()


@pytest.mark.long
def test_a_new_cargo_is_enough(tmp_path: Path) -> None:
    done = prepare(tmp_path, cargo="echo 'cargo 1.999.0'")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "venv" / "bin" / "python").exists()
