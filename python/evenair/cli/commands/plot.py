"""The command `evenair plot`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evenair.cli.arguments import BadInput, figure_file
from evenair.cli.tables import add_table, read_table, warn_unless_sealed, write_file
from evenair.cli.terminal import DONE

if TYPE_CHECKING:
    import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `evenair plot`."""
    add_table(parser)
    parser.add_argument(
        "--x", metavar="KEY", help="key of the horizontal axis [the key that was varied]"
    )
    parser.add_argument("--y", metavar="METRIC", required=True, help="metric of the vertical axis")
    parser.add_argument(
        "--by",
        metavar="KEY",
        action="append",
        default=[],
        help="draw a line for each value of this column: a varied key, or of flows direction,"
        " group, name or id",
    )
    parser.add_argument(
        "--kind",
        choices=("line", "box"),
        default="line",
        help="means with 95%% confidence intervals (line), or box plots of the runs (box) [line]",
    )
    parser.add_argument(
        "--log",
        metavar="AXIS",
        choices=("x", "y"),
        action="append",
        default=[],
        help="make an axis logarithmic, x or y; repeat it for both",
    )
    parser.add_argument(
        "--out",
        metavar="FILE",
        type=figure_file,
        help="the figure (.png, .svg, .pdf) [FILE.png beside the table]",
    )


def plot(arguments: argparse.Namespace) -> int:
    """Draw the table of a campaign. Raises BadInput, OSError."""
    content = read_table(arguments.table)

    from evenair.campaign.figure import plot as draw  # imports matplotlib
    from evenair.plot.style import write_figure

    try:
        log = "".join(sorted({*arguments.log}))
        figure = draw(
            content.table,
            arguments.x,
            arguments.y,
            arguments.by,
            kind=arguments.kind,
            log=log,
        )
    except ValueError as error:
        # The message begins with the option, or names several of them.
        option = str(error).partition(":")[0]
        raise BadInput(f"--{error}" if option in ("x", "y", "by", "log") else error) from None
    out = arguments.out or arguments.table.with_suffix(".png")
    write_file(out, lambda path: write_figure(figure, path))
    warn_unless_sealed(arguments.table, content)
    return DONE
