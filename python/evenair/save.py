"""Results as files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evenair import _toml, tables
from evenair.result import RunResult, RunSet

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


def save(result: RunResult | RunSet, paths: Mapping[str, Path]) -> None:
    """Write the result document, the scenario as resolved, and the tables asked for.

    `paths` says where result.json, scenario.toml and NAME.parquet go; NAME is one of "flows",
    "stations", "links", "sessions", "series". Of a RunSet the tables have the seed as their first
    column.
    """
    runs = RunSet([result]) if isinstance(result, RunResult) else result
    for name, path in paths.items():
        if name == "result.json":
            path.write_text(result.json + "\n", encoding="utf-8")
        elif name == "scenario.toml":
            path.write_text(_toml.dumps(runs.runs[0].scenario), encoding="utf-8")
        else:
            table = name.removesuffix(".parquet")
            tables.write_parquet(
                getattr(result, table) if isinstance(result, RunResult) else runs.table(table), path
            )
