"""Output files of commands."""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING, Any

from evenair.cli.arguments import BadInput
from evenair.cli.arrow import import_pyarrow
from evenair.files import parquet
from evenair.files.atomic import is_disk_full, naming
from evenair.result import RunResult, RunSet
from evenair.scenario import has_control_rounds, has_finite_transfers
from evenair.text import toml
from evenair.text.messages import reason

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from matplotlib.figure import Figure

    from evenair.files.atomic import AtomicOutput


def stage(output: AtomicOutput, option: str, destination: Path) -> Path:
    """Stage the file of an option. Raises BadInput if it cannot be written."""
    try:
        return output.stage(destination)
    except (OSError, ValueError) as error:
        if is_disk_full(error):
            raise OSError(errno.ENOSPC, reason(error), str(destination)) from None
        raise BadInput(f"{option}: {destination}: cannot be written: {reason(error)}") from None


def stage_results(
    output: AtomicOutput,
    scenario: Mapping[str, Any],
    out: Path | None,
    plot: Path | None,
    draw: Callable[[RunResult | RunSet], Figure] = lambda result: result.plot(),
) -> Callable[[RunResult | RunSet], None]:
    """Stage the files of --out and --plot, and return the function that writes them.

    `draw` imports matplotlib.
    """
    figure = stage(output, "--plot", plot) if plot else None
    folder: dict[str, Path] = {}
    if out:
        names = result_file_names(scenario)
        folder = {name: stage(output, "--out", out / name) for name in names}

    def write(result: RunResult | RunSet) -> None:
        if folder:
            write_result(result, folder)
        if figure:
            from evenair.plot.style import write_figure  # imports matplotlib

            with naming(figure):
                write_figure(draw(result), figure)

    return write


def result_file_names(scenario: Mapping[str, Any]) -> list[str]:
    """Return the names of the files that `write_result` writes for a resolved scenario."""
    names = ["flows", "stations", "links", "delays"]
    if has_finite_transfers(scenario):
        names.append("sessions")
    if "trace" in scenario:
        names.append("series")
        if has_control_rounds(scenario):
            names.append("rounds")
    return ["result.json", "scenario.toml", *(f"{name}.parquet" for name in names)]


def write_result(result: RunResult | RunSet, paths: Mapping[str, Path]) -> None:
    """Write the result document, the resolved scenario and the tables.

    `paths` maps the names of files to their paths. The tables of a RunSet have the seed as their
    first column.
    """
    runs = RunSet([result]) if isinstance(result, RunResult) else result
    for name, path in paths.items():
        with naming(path):
            _write(result, runs, name, path)


def _write(result: RunResult | RunSet, runs: RunSet, name: str, path: Path) -> None:
    if name == "result.json":
        path.write_text(result.json + "\n", encoding="utf-8")
    elif name == "scenario.toml":
        path.write_text(toml.dumps(runs.runs[0].scenario), encoding="utf-8")
    else:
        import_pyarrow()
        table = name.removesuffix(".parquet")
        parquet.write(
            getattr(result, table) if isinstance(result, RunResult) else runs.table(table), path
        )
