"""What `evenair compare` and `evenair run --against` show of a comparison."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evenair.cli.terminal import print_bytes
from evenair.files.atomic import naming

if TYPE_CHECKING:
    import argparse
    from pathlib import Path

    from evenair.comparison import Comparison


def draw(comparison: Comparison, figure: Path | None) -> None:
    """Write its plot, if there is a file for it. Raises OSError."""
    if figure:
        from evenair.plot.style import write_figure  # imports matplotlib

        with naming(figure):
            write_figure(comparison.plot(), figure)


def show(comparison: Comparison, arguments: argparse.Namespace) -> None:
    """Print it as --json and --quiet say."""
    if arguments.json:
        print_bytes(comparison.json.encode() + b"\n")
    elif not arguments.quiet:
        from evenair.cli.printing.comparison import print_comparison  # imports rich

        print_comparison(comparison)
