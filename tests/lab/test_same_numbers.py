"""The page shows what `evenair run --json` says for the same text and seed, to the digit."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import evenair
import pytest

if TYPE_CHECKING:
    from collections.abc import Sequence

LAB = Path(__file__).parents[2] / "lab"
SEED = 3


def wasm() -> Path:
    """The engine of the installed page, or of EVENAIR_WASM."""
    given = os.environ.get("EVENAIR_WASM")
    return Path(given) if given else Path(evenair.__file__).parent / "lab/page/evenair.wasm"


def answers(requests: Sequence[dict[str, Any]]) -> list[str]:
    """Ask the engine in WebAssembly, under Node."""
    needed = {"the page (make site)": wasm().exists(), "Node": shutil.which("node"),
              "lab/node_modules": (LAB / "node_modules").exists()}  # fmt: skip
    missing = [what for what, is_there in needed.items() if not is_there]
    if missing:
        message = f"without {', '.join(missing)}"
        if os.environ.get("CI") == "true":
            pytest.fail(message)
        pytest.skip(message)
    done = subprocess.run(
        ["node", LAB / "test/engine/ask.mjs"],
        input="".join(f"{json.dumps(request)}\n" for request in requests),
        env={**os.environ, "EVENAIR_WASM": str(wasm())},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.splitlines()


def digits(text: str) -> Any:
    """JSON with numbers as they are written, and with the order of keys."""
    return json.loads(text, parse_float=str, parse_int=str, object_pairs_hook=list)


def run_request(path: Path) -> dict[str, Any]:
    """What the page asks for: a run with a series of a hundred samples."""
    toml = path.read_text()
    duration_s = evenair.load(path).resolved["duration"]
    return {"call": "run", "toml": toml, "seed": SEED, "trace_s": duration_s / 100}


@pytest.mark.long
def test_every_built_in_scenario_has_the_same_numbers() -> None:
    built_in = sorted((Path(evenair.__file__).parent / "scenarios").glob("*.toml"))
    assert len(built_in) == len(evenair.scenarios())
    shown = answers([run_request(path) for path in built_in])
    for path, answer in zip(built_in, shown, strict=True):
        options = ["--seed", str(SEED), "--json", "--quiet"]
        command = [sys.executable, "-m", "evenair", "run", path, *options]
        said = digits(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
        result = dict(dict(digits(answer))["ok"])["result"]
        has_trace = "series" in dict(said)
        assert [(key, value) for key, value in result if has_trace or key != "series"] == [
            (key, value) for key, value in said if key != "wall_s"
        ], path.name
