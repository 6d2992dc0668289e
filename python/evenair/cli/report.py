"""The command `evenair report`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evenair.atomic import AtomicOutput, naming
from evenair.cli.arguments import BadInput, file_name, page_file
from evenair.cli.files import stage
from evenair.cli.tables import read_table
from evenair.cli.terminal import DONE

if TYPE_CHECKING:
    import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `evenair report`."""
    parser.add_argument(
        "table", metavar="FILE.parquet", type=file_name, help="a table written by evenair sweep"
    )
    parser.add_argument(
        "--out",
        metavar="FILE.html",
        type=page_file,
        help="the report, one self-contained file [FILE.html beside the table]",
    )


def report(arguments: argparse.Namespace) -> int:
    """Write the report of a campaign. Raises BadInput, OSError."""
    table = read_table(arguments.table)
    from evenair.campaign.report import report as html  # imports matplotlib

    try:
        text = html(table, arguments.table.name)
    except ValueError as error:
        raise BadInput(f"{arguments.table}: {error}") from None
    with AtomicOutput() as output:
        path = stage(output, "--out", arguments.out or arguments.table.with_suffix(".html"))
        with naming(path):
            path.write_text(text, encoding="utf-8")
        output.commit()
    return DONE
