"""The command `evenair report`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evenair.cli.arguments import BadInput, page_file
from evenair.cli.tables import add_table, read_table, warn_unless_sealed, write_file
from evenair.cli.terminal import DONE

if TYPE_CHECKING:
    import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `evenair report`."""
    add_table(parser)
    parser.add_argument(
        "--out",
        metavar="FILE.html",
        type=page_file,
        help="the report, one self-contained file [FILE.html beside the table]",
    )


def report(arguments: argparse.Namespace) -> int:
    """Write the report of a campaign. Raises BadInput, OSError."""
    content = read_table(arguments.table)
    from evenair.campaign.report import report as html  # imports matplotlib

    try:
        text = html(content.table, arguments.table.name)
    except ValueError as error:
        raise BadInput(f"{arguments.table}: {error}") from None
    out = arguments.out or arguments.table.with_suffix(".html")
    write_file(out, lambda path: path.write_text(text, encoding="utf-8"))
    warn_unless_sealed(arguments.table, content)
    return DONE
