"""What tests of components in Python share."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    import evenair as ea

CLASSES = Path(__file__).parent / "prototype_classes"


@pytest.fixture(scope="module", autouse=True)
def registered() -> None:
    """The classes that decide as built-in components do; a test module imports this."""
    _register()


@cache  # a process registers a name once
def _register() -> None:
    for name in ("codel", "newreno", "arf"):
        load(CLASSES / f"{name}.py")


def load(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location(f"prototype_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def output_of(script: Path, *arguments: str) -> str:
    """What a script prints; it can import what is in its folder."""
    command = [sys.executable, "-B", str(script), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


def fingerprint(result: ea.RunResult) -> str:
    return str(result.document["fingerprint"])


def measured(result: ea.RunResult) -> dict[str, Any]:
    """Everything that a result has, without the scenario and the time that the run took."""
    document = json.loads(result.json)
    return {key: document[key] for key in document if key not in ("scenario", "wall_s")}


class PlainFifo:
    """first in, first out"""

    def __init__(self, queue: Any) -> None:
        self.queue, self.packets = queue, []

    def enqueue(self, now: int, packet: Any) -> None:
        if self.queue.has_room_for(packet):
            self.packets.append(packet)
        else:
            self.queue.drop(packet)

    def dequeue(self, now: int) -> Any:
        return self.packets.pop(0) if self.packets else None
