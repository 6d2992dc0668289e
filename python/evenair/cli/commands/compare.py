"""The command `evenair compare`."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from evenair.cli.arguments import (
    BadInput,
    add_duration,
    add_json,
    add_max_lateness,
    add_quiet,
    add_runs,
    add_scenario,
    figure_file,
    overrides,
    seeds,
)
from evenair.cli.commands import testbed
from evenair.cli.commands.compare_output import draw, show
from evenair.cli.files import stage
from evenair.cli.terminal import DONE, FAILED, print_error, progress
from evenair.comparison import Comparison, samples_of
from evenair.engine import run_jobs
from evenair.files.atomic import AtomicOutput
from evenair.scenario import load
from evenair.testbed.errors import TestbedError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evenair.result import RunResult
    from evenair.scenario import Scenario

ENGINES = ("sim", "testbed", "model")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `evenair compare`."""
    add_scenario(parser, "change a key of the scenario, as in cell.queue.kind=las")
    parser.add_argument(
        "--engines",
        metavar="NAMES",
        type=engines,
        default=("sim", "testbed"),
        help="which ones, the first is the reference: sim,testbed,model [sim,testbed]",
    )
    add_runs(parser)
    add_duration(parser)
    add_json(parser)
    add_max_lateness(parser)
    parser.add_argument(
        "--plot", metavar="FILE", type=figure_file, help="write a plot (.png, .svg, .pdf)"
    )
    add_quiet(parser)


def engines(text: str) -> tuple[str, ...]:
    """Read names of engines, separated by commas."""
    names = tuple(text.split(","))
    if not names or len({*names}) < len(names) or not {*names} <= {*ENGINES}:
        accepted = f"different names of {', '.join(ENGINES)}, separated by commas"
        raise argparse.ArgumentTypeError(f"got {text!r}, expected {accepted}")
    return names


def compare(arguments: argparse.Namespace) -> int:
    """Run a scenario on each engine. Raises BadInput, ScenarioError, RunError, OSError."""
    numbers = seeds(arguments)
    scenario = load(arguments.scenario, overrides(arguments))
    warnings: list[str] = []
    trusted = True
    with AtomicOutput() as output:
        figure = stage(output, "--plot", arguments.plot) if arguments.plot else None
        samples = {}
        for engine in _cheapest_first(arguments.engines):
            if engine == "model":
                samples[engine] = _model(scenario)
                continue
            runs = _runs(engine, scenario, numbers, arguments)
            samples[engine] = samples_of(runs)
            if engine == "testbed":
                warnings = testbed.complaints(runs)
                trusted = all(run.document["testbed"]["trusted"] for run in runs)
        ordered = {engine: samples[engine] for engine in arguments.engines}
        comparison = Comparison(scenario.resolved, ordered)
        draw(comparison, figure)
        output.commit()
    show(comparison, arguments)
    for line in warnings:
        print_error(line)
    return DONE if trusted else FAILED


def _cheapest_first(names: Sequence[str]) -> list[str]:
    """What cannot be run is to be known before the test-bed has taken its time."""
    return sorted(names, key=("model", "sim", "testbed").index)


def _runs(
    engine: str, scenario: Scenario, numbers: Sequence[int], arguments: argparse.Namespace
) -> list[RunResult]:
    if engine == "sim":
        with progress("runs", quiet=arguments.quiet, total=len(numbers)) as update:
            return run_jobs([(scenario, number) for number in numbers], progress=update)
    from evenair.testbed.session import Options

    late = arguments.max_lateness
    options = [Options(seed=number, max_lateness=late) for number in numbers]
    try:
        results, complete = testbed.run_all(scenario, options, quiet=arguments.quiet)
    except TestbedError as error:
        raise BadInput(error) from None
    if not complete:
        raise KeyboardInterrupt
    return results


def _model(scenario: Scenario) -> dict[str, list[float | None]]:
    from evenair.models.applicable import NoModel, evaluate
    from evenair.models.numbers import ModelError

    try:
        metrics = evaluate(scenario.resolved)
    except (NoModel, ModelError) as error:
        raise BadInput(f"--engines: got 'model', but {error}") from None
    return {name: [value] for name, value in metrics.items()}
