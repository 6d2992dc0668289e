"""The commands `evenair sweep` and `evenair plot`."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evenair.campaign.errors import CampaignError, CampaignInterrupted
from evenair.terminal import DONE, FAILED, INTERRUPTED, print_json, progress, say, why

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Mapping

    from evenair.campaign.result import Campaign, Group

_OPTIONS = ("by", "cluster", "jobs", "max-runs", "out", "runs", "seed", "series", "until", "vary")


def as_typed(error: CampaignError) -> str:
    """Return an error's message with the option that it names as users type it."""
    option = str(error).partition(":")[0]
    return f"--{error}" if option in (*_OPTIONS, "x", "y") else str(error)


def add_sweep(
    parser: argparse.ArgumentParser,
    override: Callable[[str], tuple[str, str]],
    seed: Callable[[str], int],
    runs: Callable[[str], int],
) -> None:
    """Add the arguments of `evenair sweep`, some of whose types `evenair run` has, too."""
    parser.add_argument("scenario", metavar="SCENARIO", help="a TOML file, or a built-in scenario")
    parser.add_argument(
        "--set",
        metavar="KEY=VALUE",
        action="append",
        default=[],
        type=override,
        help="change a key of the scenario in all runs",
    )
    parser.add_argument(
        "--vary",
        metavar="KEY=VALUES",
        action="append",
        default=[],
        help="try each of V1,V2,... or of the numbers START:STOP:STEP; several keys make a grid",
    )
    parser.add_argument(
        "--runs", metavar="N", type=runs, help="runs, each with another seed, per point of the grid"
    )
    parser.add_argument("--seed", metavar="N", type=seed, default=1, help="seed of the first [1]")
    parser.add_argument(
        "--until",
        metavar="METRIC:PERCENT%",
        help="more runs per point until the 95%% interval's half-width is that part of the mean",
    )
    parser.add_argument(
        "--max-runs", metavar="N", type=runs, help="with --until, at most so many per point [1000]"
    )
    parser.add_argument(
        "--out",
        metavar="FILE.parquet",
        type=Path,
        required=True,
        help="the table; finished runs are kept in FILE.parquet.runs, to go on from there",
    )
    parser.add_argument(
        "--flows", action="store_true", help="write FILE-flows.parquet, a row per flow, too"
    )
    parser.add_argument(
        "--series", action="store_true", help="write FILE-series.parquet, the traces, too"
    )
    parser.add_argument("--jobs", metavar="N", type=runs, help="runs at a time [one per processor]")
    parser.add_argument(
        "--cluster", metavar="ADDRESS", help="run on a Dask scheduler; local: start one"
    )
    parser.add_argument("--json", action="store_true", help="print the summary as JSON")
    parser.add_argument("--quiet", action="store_true", help="neither progress bar nor table")


def add_plot(parser: argparse.ArgumentParser, figure: Callable[[str], Path]) -> None:
    """Add the arguments of `evenair plot`."""
    parser.add_argument(
        "table", metavar="FILE.parquet", type=Path, help="a table written by evenair sweep"
    )
    parser.add_argument("--x", metavar="KEY", required=True, help="the horizontal axis")
    parser.add_argument("--y", metavar="METRIC", required=True, help="the vertical axis")
    parser.add_argument(
        "--by", metavar="KEY", action="append", default=[], help="a line for each of its values"
    )
    parser.add_argument(
        "--out",
        metavar="FILE",
        type=figure,
        help="the figure (.png, .svg, .pdf) [FILE.png beside the table]",
    )


# --- sweep ----------------------------------------------------------------------------------------


def sweep(arguments: argparse.Namespace) -> int:
    """Run a campaign. Raises CampaignError, ScenarioError, OSError."""
    from evenair import _core
    from evenair.campaign.grid import Grid, parse_axis
    from evenair.campaign.sweep import conduct
    from evenair.scenario import read

    axes = [parse_axis(text) for text in arguments.vary]
    for axis in axes:
        if axis.key in dict(arguments.set):
            raise CampaignError(f"vary: {axis.key}: is also given by --set; leave one out")
    data, source = read(arguments.scenario)
    document = _core.from_toml(data, source)
    if arguments.set:
        document = _core.apply(document, arguments.set, "--set")
    base = ["evenair", "run", arguments.scenario]
    for key, value in arguments.set:
        base += ["--set", f"{key}={value}"]

    campaign: Campaign | None
    with progress("runs", quiet=arguments.quiet) as update:
        try:
            campaign = conduct(
                Grid(document, axes, "--set" if arguments.set else source),
                arguments.runs,
                seed=arguments.seed,
                out=arguments.out,
                jobs=arguments.jobs,
                cluster=arguments.cluster,
                until=arguments.until,
                max_runs=arguments.max_runs,
                tables=[
                    "runs",
                    *(["flows"] if arguments.flows else []),
                    *(["series"] if arguments.series else []),
                ],
                progress=update,
                base=shlex.join(base),
            )
        except CampaignInterrupted as interrupted:
            campaign, kept = None, interrupted.finished
    if campaign is None:
        say(
            f"interrupted; {arguments.out}.runs keeps {kept} finished runs;"
            " the same command goes on from there"
        )
        return INTERRUPTED
    if arguments.json:
        print_json(_document(campaign, arguments.out))
    elif not arguments.quiet:
        from evenair.campaign.show import show

        show(campaign, arguments.out)
    return _tell(campaign)


def _tell(campaign: Campaign) -> int:
    """Say on standard error what a user must know; return the exit status."""
    if campaign.foreign:
        say(f"{campaign.foreign} runs of other versions of evenair in the store were not used")
    for point in campaign.unsettled:
        say(f"{_where(point)}: not as precise as asked for after all runs allowed")
    for failure in campaign.failures:
        say(f"{_where(failure.values)}, seed {failure.seed} failed: {failure.reason}")
        say(f"to see it again: {failure.command}")
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
    summary = {name: metric._asdict() for name, metric in group.metrics.items()}
    return {"keys": group.values, "runs": group.runs, "summary": summary}


# --- plot -----------------------------------------------------------------------------------------


def plot(arguments: argparse.Namespace) -> int:
    """Draw a campaign's table. Raises CampaignError, OSError."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    from evenair.outputs import Outputs

    table, out = arguments.table, arguments.out or arguments.table.with_suffix(".png")
    try:
        content = pq.read_table(table)
    except FileNotFoundError:
        raise CampaignError(f"{table}: no such file") from None
    except (OSError, pa.ArrowException) as error:
        reason = " ".join(str(error).split())[:200]
        raise CampaignError(f"{table}: cannot be read as Parquet: {reason}") from None

    from evenair.campaign.figure import plot as draw
    from evenair.plot import save

    try:
        figure = draw(content, arguments.x, arguments.y, arguments.by)
    except ValueError as error:
        raise CampaignError(str(error)) from None
    with Outputs() as outputs:
        try:
            staged = outputs.stage(out)
        except (OSError, ValueError) as error:
            raise CampaignError(f"out: {out}: cannot be written: {why(error)}") from None
        save(figure, staged)
        outputs.commit()
    return DONE
