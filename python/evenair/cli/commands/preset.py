"""`evenair run CELL --test NAME`: flent's tests under load in the cell of a scenario."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evenair.cli.arguments import BadInput
from evenair.cli.files import stage
from evenair.files.atomic import naming
from evenair.presets import flent_file
from evenair.presets.mixes import DELAY, LENGTH, PRESETS
from evenair.presets.prepared import PresetError, prepare
from evenair.result import RunSet

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Sequence

    from matplotlib.figure import Figure

    from evenair.files.atomic import AtomicOutput
    from evenair.result import RunResult
    from evenair.scenario import Scenario

PLOTS = ("all", "cdf", "box")
"""The kinds of plots of a test."""

_FORMATS = ("flent",)
_OWN_KEYS = ("warmup", "trace", "wired.flow")
"""Keys of a scenario that a test sets, beside those of flows."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add --test and --export."""
    tests = "; ".join(f"{name}: {preset.summary}" for name, preset in PRESETS.items())
    parser.add_argument(
        "--test",
        metavar="NAME",
        choices=PRESETS,
        help=f"run a test of flent's in the cell of SCENARIO, in place of its flows. {tests}",
    )
    parser.add_argument(
        "--export",
        metavar="FORMAT",
        choices=_FORMATS,
        help="of --test: write the file NAME.flent.gz to the folder of --out, for flent (flent)",
    )


def check(arguments: argparse.Namespace) -> None:
    """Check what belongs to a test. Raises BadInput."""
    if not arguments.test:
        if arguments.export:
            raise BadInput("--export: there is nothing to export without --test NAME")
        if arguments.plot_kind in ("all", "box"):
            raise BadInput(f"--plot-kind: {arguments.plot_kind} is a plot of --test NAME")
        return
    if arguments.plot_kind in ("flows", "places"):
        raise BadInput(f"--plot-kind: a test has {', '.join(PLOTS)}, not {arguments.plot_kind}")
    if arguments.export and not arguments.out:
        raise BadInput("--export: there is no folder for the file without --out DIR")
    if arguments.export and arguments.runs is not None:
        raise BadInput("--export: a file of flent is of one run; leave out --runs")
    for key, _ in arguments.set:
        if ".flows" in key or key.startswith(_OWN_KEYS):
            raise BadInput(f"--set {key}: the test {arguments.test} sets it")


def prepared(arguments: argparse.Namespace, scenario: Scenario) -> Scenario:
    """Return the scenario of the test. Raises BadInput."""
    is_set = any(key == "duration" for key, _ in arguments.set)
    duration = scenario.resolved["duration"] if is_set else LENGTH + 2 * DELAY
    try:
        return prepare(scenario, arguments.test, PRESETS[arguments.test], duration)
    except PresetError as error:
        raise BadInput(str(error)) from None


def print_test(arguments: argparse.Namespace, runs: Sequence[RunResult]) -> None:
    """Print the table of the test."""
    from evenair.cli.printing.preset import print_test  # imports rich

    print_test(runs, PRESETS[arguments.test])


def drawing(arguments: argparse.Namespace) -> Callable[[RunResult | RunSet], Figure]:
    """Return the function that draws the plot of the test."""

    def draw(result: RunResult | RunSet) -> Figure:
        from evenair.presets import figure  # imports matplotlib

        runs = result.runs if isinstance(result, RunSet) else (result,)
        documents = [run.document for run in runs]
        return figure.draw(documents, PRESETS[arguments.test], arguments.plot_kind or "all")

    return draw


def stage_export(
    arguments: argparse.Namespace, output: AtomicOutput
) -> Callable[[RunResult], None]:
    """Stage the file of --export, if it is given, and return the function that writes it."""
    if not arguments.export:
        return lambda _: None
    path = stage(output, "--export", arguments.out / f"{arguments.test}{flent_file.SUFFIX}")

    def write(run: RunResult) -> None:
        with naming(path):
            flent_file.write(run.document, PRESETS[arguments.test], path)

    return write
