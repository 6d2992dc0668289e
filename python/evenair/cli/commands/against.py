"""`evenair run A --against B`: two scenarios with the same seeds."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from evenair.cli.arguments import BadInput, seeds
from evenair.cli.commands.compare_output import draw, show
from evenair.cli.files import stage, stage_results
from evenair.cli.limits import remark_on_limits
from evenair.cli.terminal import DONE, INTERRUPTED, print_error, progress
from evenair.comparison import default_names, interleaved, paired
from evenair.engine import Interrupted, run_jobs
from evenair.files.atomic import AtomicOutput, naming
from evenair.result import RunSet
from evenair.scenario import Scenario, load, read_document

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence
    from pathlib import Path

    from evenair.result import RunResult

_CHANGE = re.compile(r"[A-Za-z_][\w.-]*=")
"""A text that begins like this changes a key; a file of such a name is given as ./NAME."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add --against."""
    parser.add_argument(
        "--against",
        metavar="B",
        action="append",
        default=[],
        help="compare with B: a file, a built-in scenario, or KEY=VALUE, which changes SCENARIO;"
        " repeat it to change several keys; --set applies to both",
    )


def run(arguments: argparse.Namespace) -> int:
    """Compare two scenarios, run by run. Raises what `evenair run` raises."""
    for option in ("explain", "pcap", "plot_kind", "test"):
        if getattr(arguments, option):
            raise BadInput(f"--{option.replace('_', '-')}: not together with --against")
    numbers = seeds(arguments)
    names, both = _scenarios(arguments)
    with AtomicOutput() as output:
        figure = stage(output, "--plot", arguments.plot) if arguments.plot else None
        out: Path | None = arguments.out
        writes = [
            stage_results(output, scenario.resolved, out and out / folder, None)
            for scenario, folder in zip(both, "ab", strict=True)
        ]
        document = stage(output, "--out", out / "comparison.json") if out else None
        with progress("runs", quiet=arguments.quiet, total=2 * len(numbers)) as update:
            try:
                results = run_jobs(interleaved(both, numbers), progress=update)
            except Interrupted as error:
                results = error.finished[: len(error.finished) // 2 * 2]
                if not results:
                    raise KeyboardInterrupt from None
        comparison = paired(names, both, results)
        for k, write in enumerate(writes):
            write(_result(results[k::2], arguments.runs))
        if document:
            with naming(document):
                document.write_text(comparison.json + "\n", encoding="utf-8")
        draw(comparison, figure)
        output.commit()
    show(comparison, arguments)
    kept = len(results) // 2
    if kept < len(numbers):
        print_error(
            f"interrupted; kept the runs with seeds {numbers[0]} to {numbers[kept - 1]};"
            f" continue with --seed {numbers[kept]} --runs {len(numbers) - kept}"
        )
        return INTERRUPTED
    return DONE


def _result(runs: Sequence[RunResult], count: int | None) -> RunResult | RunSet:
    return runs[0] if count is None else RunSet(runs)


def _scenarios(arguments: argparse.Namespace) -> tuple[tuple[str, str], list[Scenario]]:
    """Return the names of the two columns, and the scenarios. Raises BadInput, ScenarioError."""
    changes = [text for text in arguments.against if _CHANGE.match(text)]
    others = [text for text in arguments.against if not _CHANGE.match(text)]
    if len(others) > 1:
        raise BadInput(f"--against: got {others[0]} and {others[1]}, expected one scenario")
    source = others[0] if others else arguments.scenario
    document = read_document(source)
    if arguments.set:
        document = document.with_overrides(arguments.set, "--set", source)
    pairs = [(key, value) for key, _, value in (text.partition("=") for text in changes)]
    if pairs:
        document = document.with_overrides(pairs, "--against", source)
    both = [load(arguments.scenario, arguments.set), Scenario._from_core(document)]
    remark_on_limits(arguments, document, [*arguments.set, *pairs])
    names = (arguments.scenario, ", ".join([*others, *changes]))
    return (names if names[0] != names[1] else default_names(*both)), both
