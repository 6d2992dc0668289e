"""Which tables a campaign may replace: those of its own runs."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

import pyarrow as pa

from evenair._core import RESULT_VERSION, __version__
from evenair.campaign.errors import CampaignError
from evenair.campaign.storage.identity import Identity
from evenair.campaign.storage.tables import METADATA
from evenair.files import parquet

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    import pyarrow.parquet as pq

    from evenair.campaign.grid import Grid


def fingerprint(grid: Grid, points: Iterable[int]) -> str:
    """Return the SHA-256 of the scenarios of some points, in this order, as hexadecimal digits."""
    digest = hashlib.sha256()
    for point in points:
        digest.update(Identity(grid.scenario(point).resolved_json()).of(0))
    return digest.hexdigest()


def check_replaceable(path: Path, grid: Grid, seed: int, runs: int) -> None:
    """Raise CampaignError unless a campaign includes all runs of the table at `path`, if any.

    The campaign has `runs` seeds from `seed` at each point. The same scenarios, engine and varied
    keys are required; the grid and the number of runs may be larger than those of the table.
    """
    if not path.exists():
        return
    difference = _difference(path, grid, range(seed, seed + runs))
    if difference is not None:
        raise CampaignError(
            f"out: {path}: {difference}; give another file, or --force to replace it (force=True)"
        )


def _difference(path: Path, grid: Grid, seeds: range) -> str | None:
    """Return what of the table at `path` a campaign does not include; None if it includes all."""
    try:
        with parquet.opened(path) as (file, _):
            about = json.loads(file.schema_arrow.metadata[METADATA])
            keys, version, result_version, scenarios = (
                about[name] for name in ("keys", "version", "result_version", "scenarios")
            )
            rows = _distinct(file, [*keys, "seed"])
    except parquet.Damaged as error:
        return str(error).removeprefix(f"{path}: ")
    except (OSError, pa.ArrowException, KeyError, TypeError, ValueError):
        return "is not a table of a campaign"
    if (version, result_version) != (__version__, RESULT_VERSION):
        return f"has runs of evenair {version} (results {result_version})"
    accepted = [axis.key for axis in grid.axes]
    if set(keys) != set(accepted):
        return f"has another grid: varied {', '.join(keys) or 'nothing'}"
    points: dict[int, None] = {}
    for *values, seed in rows:
        where = dict(zip(keys, values, strict=True))
        point = grid.find(where)
        if point is None or seed not in seeds:
            run = " ".join(f"{key}={value}" for key, value in (*where.items(), ("seed", seed)))
            return f"has another grid: the run {run[:200]} would be lost"
        points[point] = None
    if fingerprint(grid, points) != scenarios:
        return "has runs of another scenario"
    return None


def _distinct(file: pq.ParquetFile, columns: Sequence[str]) -> list[tuple[object, ...]]:
    """Return the distinct rows of some columns, in the order of the file."""
    found: dict[tuple[object, ...], None] = {}
    for batch in file.iter_batches(columns=list(columns)):
        rows = pa.Table.from_batches([batch]).group_by(list(columns), use_threads=False)
        unique = rows.aggregate([])
        content = (unique[name].to_pylist() for name in columns)
        found.update(dict.fromkeys(zip(*content, strict=True)))
    return list(found)
