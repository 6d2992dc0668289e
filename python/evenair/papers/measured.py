"""The runs of a paper on the test-bed: kept one by one, so that the same command continues."""

from __future__ import annotations

import json
import platform
from hashlib import sha256
from typing import TYPE_CHECKING

from evenair._core import RESULT_VERSION
from evenair.engine import Interrupted
from evenair.files.atomic import AtomicOutput
from evenair.papers.runs import P, Runs
from evenair.testbed import pool
from evenair.testbed.runner import prepare
from evenair.testbed.session import Options

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from evenair.papers.runs import Document
    from evenair.result import RunResult
    from evenair.scenario import Scenario

FOLDER = "runs"
"""The folder of the runs in that of the report."""

_CHECKSUM = ',"sha256":"{}"}}'
"""The end of the file of a run: of the result document, of which it is the last member."""


def measure(
    points: Sequence[P],
    seeds: Sequence[int],
    scenario_of: Callable[[P], Scenario],
    name_of: Callable[[P], str],
    out: Path,
    progress: Callable[[int, int], None] | None = None,
    say: Callable[[str], None] | None = None,
    condensed: Callable[[Document], Document] | None = None,
    most: int | None = None,
) -> Runs[P]:
    """Run every point with every seed on the test-bed, in this order, `most` at a time.

    Each result is written to `out/runs/NAME-SEED.json` as soon as it is there. A trusted one of
    the same scenario, kernel and version is used again, unless its file is damaged. `progress` is
    called with seconds of real time, `say` with what a user should know before. Raises
    TestbedError, RunError, Interrupted, OSError.
    """
    keys = [(point, seed) for point in points for seed in seeds]
    scenarios = {point: scenario_of(point) for point in points}
    files = {key: out / FOLDER / f"{name_of(key[0])}-{key[1]}.json" for key in keys}
    documents = {}
    for key in keys:
        document = _kept(files[key], scenarios[key[0]], key[1])
        if document is not None:
            documents[key] = condensed(document) if condensed else document
    missing = [key for key in keys if key not in documents]
    for point in {point for point, _ in missing}:
        prepare(scenarios[point], Options())

    def keep(index: int, result: RunResult) -> None:
        key = missing[index]
        with AtomicOutput() as output:
            output.stage(files[key]).write_text(_sealed(result.json), encoding="utf-8")
            output.commit()
        documents[key] = condensed(result.document) if condensed else result.document

    expected = pool.expected_s([scenarios[point] for point, _ in missing], most)
    if say is not None and documents:
        say(f"test-bed: {len(documents)} of {len(keys)} runs are in {out / FOLDER}")
    if say is not None and missing:
        time = f"{expected:.0f} s" if expected < 300 else f"{expected / 60:.0f} min"
        together = most or pool.at_once()
        say(f"test-bed: {len(missing)} runs, {together} at once: about {time} of real time")
    total = round(expected)

    def update(now: float) -> None:
        if progress is not None:
            progress(min(round(now), total), total)

    try:
        pool.run_all([(scenarios[point], seed) for point, seed in missing], keep, update, most)
    except KeyboardInterrupt:
        raise Interrupted(
            list(documents.values()),
            f"interrupted; {len(documents)} of {len(keys)} runs are in {out / FOLDER};"
            " the same command continues",
        ) from None
    return Runs(tuple(seeds), {key: documents[key] for key in keys})


def _kept(path: Path, scenario: Scenario, seed: int) -> Document | None:
    """Return the document of a run that need not be repeated; None if there is none."""
    try:
        document: Document = json.loads(_unsealed(path.read_text(encoding="utf-8")))
        same = (
            document["engine"] == "testbed"
            and document["scenario"] == scenario.resolved
            and document["seed"] == seed
            and document["result_version"] == RESULT_VERSION
            and document["testbed"]["kernel"] == platform.release()
            and document["testbed"]["untrusted"] == []
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return document if same else None


def _sealed(text: str) -> str:
    """Return a JSON object with its SHA-256 as the last member."""
    return text.removesuffix("}") + _CHECKSUM.format(sha256(text.encode()).hexdigest())


def _unsealed(text: str) -> str:
    """Return what was sealed. Raises ValueError if it is not that any more."""
    found = text[: -len(_CHECKSUM.format("0" * 64))] + "}"
    if _sealed(found) != text:
        raise ValueError("damaged")
    return found
