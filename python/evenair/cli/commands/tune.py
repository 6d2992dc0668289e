"""The command `evenair tune`."""

from __future__ import annotations

import argparse
import shlex
from typing import TYPE_CHECKING

from evenair.campaign.errors import CampaignInterrupted
from evenair.cli.arguments import (
    add_plugin,
    add_quiet,
    add_scenario,
    file_name,
    runs,
    seed,
)
from evenair.cli.arrow import import_pyarrow
from evenair.cli.grids import add_processors, errors_of, print_kept, read_grid, scenario_words
from evenair.cli.terminal import (
    BAD_INPUT,
    DONE,
    FAILED,
    INTERRUPTED,
    print_bytes,
    print_error,
    progress,
)

if TYPE_CHECKING:
    from evenair.tuning.result import Tuning

_OPTIONS = (
    "cluster",
    "confidence",
    "jobs",
    "maximise",
    "minimise",
    "out",
    "over",
    "runs",
    "seed",
    "seeds",
    "subject-to",
)
"""Options that the message of a CampaignError can begin with."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `evenair tune`."""
    add_scenario(parser, "change a key of the scenario in all runs")
    add_plugin(parser)
    parser.add_argument(
        "--over",
        metavar="KEY=VALUES",
        action="append",
        default=[],
        help="choose from V1,V2,... or the numbers START:STOP:STEP or START:STOP:xFACTOR; with"
        " several keys, from all combinations",
    )
    parser.add_argument(
        "--minimise",
        "--minimize",
        metavar="METRIC",
        help="of a sweep's table, or COLUMN[NAME=VALUE] of its flows, as in rtt_p95_s[group=calls]",
    )
    parser.add_argument("--maximise", "--maximize", metavar="METRIC", help="likewise")
    parser.add_argument(
        "--subject-to",
        metavar="LIMIT",
        action="append",
        default=[],
        help="METRIC >= NUMBER or METRIC <= NUMBER; after the number, best makes it a factor of the"
        " best value of all settings tried, as in 'aggregate_goodput_bps >= 0.95 best'",
    )
    parser.add_argument(
        "--seeds",
        metavar="N",
        type=runs,
        default=10,
        help="the most runs of a setting in the search, and as many of each finalist [10]",
    )
    parser.add_argument(
        "--runs",
        metavar="N",
        type=runs,
        help="the most runs in all [a tenth of a sweep with --runs SEEDS, but at least 10 x SEEDS]",
    )
    parser.add_argument(
        "--seed", metavar="N", type=seed, default=1, help="seed of the first run [1]"
    )
    parser.add_argument(
        "--confidence",
        metavar="P",
        type=confidence,
        default=0.95,
        help="of the intervals and the verdicts [0.95]",
    )
    parser.add_argument(
        "--out",
        metavar="FILE.parquet",
        type=file_name,
        help="the table of all runs; finished runs are stored in FILE.parquet.runs, to resume from",
    )
    parser.add_argument(
        "--force", action="store_true", help="replace an existing table of something else"
    )
    add_processors(parser)
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    add_quiet(parser)


def confidence(text: str) -> float:
    """Read a probability, also in percent."""
    try:
        value = float(text[:-1]) / 100 if text.endswith("%") else float(text)
    except ValueError:
        value = 0.0
    if not 0.5 < value < 1:
        expected = "expected more than 0.5 and less than 1, as 0.95"
        raise argparse.ArgumentTypeError(f"got {text[:40]!r}, {expected}")
    return value


def tune(arguments: argparse.Namespace) -> int:
    """Search for the best setting. Raises BadInput, ScenarioError, OSError."""
    with errors_of(_OPTIONS):
        return _tune(arguments)


def _tune(arguments: argparse.Namespace) -> int:
    import_pyarrow()
    from evenair.tuning.task import command_of, make_task
    from evenair.tuning.tune import run_search

    grid = read_grid(arguments, arguments.over, "over")
    task = make_task(
        grid,
        arguments.minimise,
        arguments.maximise,
        arguments.subject_to,
        seeds=arguments.seeds,
        runs=arguments.runs,
        seed=arguments.seed,
        confidence=arguments.confidence,
    )
    words = scenario_words(arguments)

    found: Tuning | None
    with progress("runs", quiet=arguments.quiet) as update:
        try:
            found = run_search(
                task,
                out=arguments.out,
                jobs=arguments.jobs,
                cluster=arguments.cluster,
                force=arguments.force,
                progress=update,
                base=shlex.join(["evenair", "run", *words]),
                command=command_of(["evenair", "tune", *words], task),
            )
        except CampaignInterrupted as interrupted:
            found, kept = None, interrupted.finished
            if interrupted.damaged:
                print_error(interrupted.damaged)
    if found is None:
        if arguments.out is None:
            print_error("interrupted; with --out, finished runs would have been kept")
        else:
            print_kept(arguments.out, kept)
        return INTERRUPTED
    if arguments.json:
        print_bytes(found.json.encode() + b"\n")
    elif not arguments.quiet:
        from evenair.cli.printing.tune import print_tuning  # imports rich

        print_tuning(found)
    return _report(found)


def _report(found: Tuning) -> int:
    """Print what went wrong on standard error; return the exit status."""
    if found.damaged:
        print_error(found.damaged)
    for failure in found.failures:
        where = " ".join(f"{key}={value}" for key, value in failure.values.items())
        print_error(f"{where}, seed {failure.seed} failed: {failure.reason}")
        print_error(f"to reproduce: {failure.command}")
    if found.chosen is None:
        print_error(found.statements()[0])
        return BAD_INPUT
    return FAILED if found.failures else DONE
