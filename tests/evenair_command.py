"""The command as tests run it, and where the sources are."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import subprocess

ROOT = Path(__file__).parent.parent


class Evenair(Protocol):
    """Runs `evenair ARGUMENTS...` in the test's own directory."""

    def __call__(self, *arguments: str | Path) -> subprocess.CompletedProcess[str]: ...
