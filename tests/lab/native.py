"""What the installed command says about a scenario: the page must say the same."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import evenair as ea

TIMES = ("wall_s",)  # of the machine, not of the scenario


def result(toml: str, seed: int = 1) -> dict[str, Any]:
    """Return the document of `evenair run --json` without the time it took."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "scenario.toml"
        path.write_bytes(toml.encode())
        run = ea.run(ea.load(path), seed=seed)
    return without_times(json.loads(run.json))


def without_times(document: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in document.items() if key not in TIMES}
