"""Tables of campaigns that commands read, and the files that they make of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evenair.cli.arguments import BadInput, file_name
from evenair.cli.arrow import import_pyarrow
from evenair.cli.files import stage
from evenair.cli.terminal import print_error
from evenair.files.atomic import AtomicOutput, naming
from evenair.text.messages import one_line

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable
    from pathlib import Path

    from evenair.files.parquet import Content


def add_table(parser: argparse.ArgumentParser) -> None:
    """Add the table."""
    parser.add_argument(
        "table", metavar="FILE.parquet", type=file_name, help="a table written by evenair sweep"
    )


def read_table(path: Path) -> Content:
    """Read a Parquet file. Raises BadInput."""
    import_pyarrow()
    import pyarrow as pa

    from evenair.files import parquet

    if path.is_dir():
        raise BadInput(f"{path}: is a directory, expected a file")
    try:
        return parquet.read(path)
    except FileNotFoundError:
        raise BadInput(f"{path}: no such file") from None
    except parquet.Damaged as error:
        raise BadInput(
            f"{error}; repeat the sweep with --force, which keeps finished runs"
        ) from None
    except (OSError, ValueError, pa.ArrowException) as error:
        raise BadInput(f"{path}: cannot be read as Parquet: {one_line(error)}") from None


def warn_unless_sealed(path: Path, content: Content) -> None:
    """Say, when the command has done its work, that damage of its table would not be noticed."""
    if not content.is_sealed:
        print_error(
            f"{path}: has no checksum, as another program or an older evenair has written it;"
            " damage would not be noticed"
        )


def write_file(out: Path, write: Callable[[Path], object]) -> None:
    """Have `write` make the file of --out. Raises BadInput, OSError."""
    with AtomicOutput() as output:
        path = stage(output, "--out", out)
        with naming(path):
            write(path)
        output.commit()
