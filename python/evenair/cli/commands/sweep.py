"""The command `evenair sweep`."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

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
from evenair.cli.terminal import DONE, FAILED, INTERRUPTED, print_error, print_json, progress

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping
    from pathlib import Path

    from evenair.campaign.result import Campaign
    from evenair.campaign.summary import Group

_OPTIONS = ("cluster", "jobs", "max-runs", "out", "runs", "seed", "series", "until", "vary")
"""Options that the message of a CampaignError can begin with."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `evenair sweep`."""
    add_scenario(parser, "change a key of the scenario in all runs")
    add_plugin(parser)
    parser.add_argument(
        "--vary",
        metavar="KEY=VALUES",
        action="append",
        default=[],
        help="simulate each of V1,V2,... or the numbers START:STOP:STEP or START:STOP:xFACTOR;"
        " several keys form a grid",
    )
    parser.add_argument(
        "--runs", metavar="N", type=runs, help="runs per point of the grid, each with its own seed"
    )
    parser.add_argument(
        "--seed", metavar="N", type=seed, default=1, help="seed of the first run [1]"
    )
    parser.add_argument(
        "--until",
        metavar="METRIC:PERCENT",
        help="add runs to a point until the half-width of the 95%% interval is at most this part of"
        " the mean, as in jain_index:1%%",
    )
    parser.add_argument(
        "--max-runs",
        metavar="N",
        type=runs,
        help="with --until, the maximum number of runs per point [1000]",
    )
    parser.add_argument(
        "--out",
        metavar="FILE.parquet",
        type=file_name,
        required=True,
        help="the table; finished runs are stored in FILE.parquet.runs, to resume from",
    )
    parser.add_argument(
        "--force",
        action="store_true",
        help="replace existing tables that have other runs or are of another scenario",
    )
    parser.add_argument(
        "--flows", action="store_true", help="also write FILE-flows.parquet, one row per flow"
    )
    parser.add_argument(
        "--series", action="store_true", help="also write FILE-series.parquet, the traces"
    )
    add_processors(parser)
    parser.add_argument("--json", action="store_true", help="print the summary as JSON")
    add_quiet(parser)


def sweep(arguments: argparse.Namespace) -> int:
    """Run a campaign. Raises BadInput, ScenarioError, OSError."""
    with errors_of(_OPTIONS):
        return _sweep(arguments)


def _sweep(arguments: argparse.Namespace) -> int:
    import_pyarrow()
    from evenair.campaign.sweep import run_campaign

    grid = read_grid(arguments, arguments.vary, "vary")
    base = ["evenair", "run", *scenario_words(arguments)]

    campaign: Campaign | None
    with progress("runs", quiet=arguments.quiet) as update:
        try:
            campaign = run_campaign(
                grid,
                arguments.runs,
                seed=arguments.seed,
                out=arguments.out,
                jobs=arguments.jobs,
                cluster=arguments.cluster,
                until=arguments.until,
                max_runs=arguments.max_runs,
                table_names=[
                    "runs",
                    *(["flows"] if arguments.flows else []),
                    *(["series"] if arguments.series else []),
                ],
                force=arguments.force,
                progress=update,
                base=shlex.join(base),
                command=shlex.join(_command(arguments)),
            )
        except CampaignInterrupted as interrupted:
            campaign, kept = None, interrupted.finished
            if interrupted.damaged:
                print_error(interrupted.damaged)
    if campaign is None:
        print_kept(arguments.out, kept)
        return INTERRUPTED
    if arguments.json:
        print_json(_document(campaign, arguments.out))
    elif not arguments.quiet:
        from evenair.cli.printing.sweep import print_campaign  # imports rich

        print_campaign(campaign, arguments.out)
    return _report(campaign)


def _command(arguments: argparse.Namespace) -> list[str]:
    """Return the command with all that its table depends on, but without --out."""
    words = ["evenair", "sweep", arguments.scenario]
    words += [f"--plugin={file}" for file in arguments.plugin]
    words += [f"--set={key}={value}" for key, value in arguments.set]
    words += [f"--vary={text}" for text in arguments.vary]
    for name in ("runs", "seed", "until", "max_runs"):
        value = getattr(arguments, name)
        if value is not None:
            words += [f"--{name.replace('_', '-')}", str(value)]
    return words


def _report(campaign: Campaign) -> int:
    """Print warnings and failures on standard error; return the exit status."""
    if campaign.damaged:
        print_error(campaign.damaged)
    if campaign.foreign:
        print_error(
            f"{campaign.foreign} runs of other versions of evenair in the store were not used"
        )
    for point in campaign.unsettled:
        print_error(
            f"{_where(point)}: not as precise as requested after the maximum number of runs"
        )
    for failure in campaign.failures:
        print_error(f"{_where(failure.values)}, seed {failure.seed} failed: {failure.reason}")
        print_error(f"to reproduce: {failure.command}")
    return FAILED if campaign.failures else DONE


def _where(values: Mapping[str, Any]) -> str:
    return " ".join(f"{key}={value}" for key, value in values.items()) or "the scenario"


def _document(campaign: Campaign, out: Path) -> dict[str, Any]:
    return {
        "out": str(out),
        "runs": campaign.table.num_rows,
        "new_runs": campaign.new_runs,
        "points": [_point(group) for group in campaign.groups],
        "unsettled": list(campaign.unsettled),
        "failures": [
            {
                "keys": failure.values,
                "seed": failure.seed,
                "reason": failure.reason,
                "command": failure.command,
            }
            for failure in campaign.failures
        ],
    }


def _point(group: Group) -> dict[str, Any]:
    summary = {
        name: {**metric._asdict(), "runs": group.counts[name]}
        for name, metric in group.metrics.items()
    }
    return {"keys": group.values, "runs": group.runs, "summary": summary}
