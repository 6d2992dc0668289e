"""What the commands have in common that run the settings of a grid: sweep and tune."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from evenair.campaign.errors import CampaignError
from evenair.cli.arguments import BadInput, runs
from evenair.cli.limits import remark_on_grid
from evenair.cli.terminal import print_error
from evenair.scenario import read_document

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

    from evenair.campaign.grid import Grid


def add_processors(parser: argparse.ArgumentParser) -> None:
    """Add the options that say where the runs are made."""
    parser.add_argument(
        "--jobs", metavar="N", type=runs, help="parallel runs [and at most: one per processor]"
    )
    parser.add_argument(
        "--cluster", metavar="ADDRESS", help="run on a Dask scheduler; local starts one"
    )


def read_grid(arguments: argparse.Namespace, texts: Sequence[str], option: str) -> Grid:
    """Return the scenario of a command with the axes in `texts`, the values of `--option`."""
    from evenair.campaign.grid import Grid
    from evenair.text.axis import AxisError, parse_axis

    try:
        axes = [parse_axis(text) for text in texts]
    except AxisError as error:
        raise BadInput(f"--{option}: {error}") from None
    for axis in axes:
        if axis.key in dict(arguments.set):
            raise BadInput(f"--{option}: {axis.key}: is also given by --set; omit one of them")
    scenario = read_document(arguments.scenario)
    if arguments.set:
        scenario = scenario.with_overrides(arguments.set, "--set", "--set")
    grid = Grid(scenario, axes, option)
    remark_on_grid(arguments, scenario, grid)
    return grid


def scenario_words(arguments: argparse.Namespace) -> list[str]:
    """Return the words of the command line that give the scenario."""
    words = [arguments.scenario]
    for file in arguments.plugin:
        words += ["--plugin", str(file)]
    for key, value in arguments.set:
        words += ["--set", f"{key}={value}"]
    return words


@contextmanager
def errors_of(options: Sequence[str]) -> Iterator[None]:
    """Turn a CampaignError into BadInput, which names the option as the user writes it."""
    try:
        yield
    except CampaignError as error:
        option = str(error).partition(":")[0]
        raise BadInput(f"--{error}" if option in options else error) from None


def print_kept(out: str, kept: int | None) -> None:
    """Say what an interrupted command has kept in the store beside `out`; None: it is not known."""
    count = "the" if kept is None else kept
    print_error(
        f"interrupted; {out}.runs has {count} finished runs; repeat the command to continue"
    )
