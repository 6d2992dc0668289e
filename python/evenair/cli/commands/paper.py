"""The command `evenair paper`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from evenair.cli.arguments import BadInput, file_name
from evenair.cli.terminal import DONE, print_error, progress
from evenair.testbed.errors import TestbedError
from evenair.text.messages import unknown

if TYPE_CHECKING:
    import argparse
    from pathlib import Path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `evenair paper`."""
    parser.add_argument(
        "name", metavar="NAME", nargs="?", help="the paper; without it, list the papers"
    )
    parser.add_argument(
        "--figure", metavar="ID", action="append", help="only this figure (may be repeated)"
    )
    parser.add_argument("--quick", action="store_true", help="fewer, shorter runs for a first look")
    parser.add_argument(
        "--engine",
        metavar="NAME",
        default="sim",
        help="what makes the runs: sim, or testbed beside it (real time; Linux, root) [sim]",
    )
    parser.add_argument(
        "--out",
        metavar="DIR",
        type=file_name,
        help="folder of the report [report/NAME; figures, quick and testbed appended]",
    )
    parser.add_argument(
        "--force", action="store_true", help="replace a report of other figures or a full one"
    )


def paper(arguments: argparse.Namespace) -> int:
    """Rebuild a paper, or list the papers. Raises BadInput, RunError, Interrupted, OSError."""
    from evenair import papers  # a paper imports NumPy and matplotlib

    name = arguments.name
    if name is None:
        for known in papers.NAMES:
            print(f"{known}: {papers.describe(known)}")
        return DONE
    if name not in papers.NAMES:
        raise BadInput(unknown("paper", name, papers.NAMES))
    figures, quick, engine = arguments.figure, arguments.quick, arguments.engine
    with progress("runs" if engine == "sim" else "seconds", quiet=False) as update:
        try:
            out = arguments.out or papers.folder(name, figures, quick, engine)
            status: int = papers.rebuild(
                name,
                figures,
                quick,
                out,
                update,
                force=arguments.force,
                engine=engine,
                say=print_error,
            )
        except (ValueError, TestbedError) as error:
            raise BadInput(error) from None
    _print_verdicts(out)
    return status


def _print_verdicts(report: Path) -> None:
    """Print the claims of a report that do not hold, with reasons, and the headline."""
    from evenair.cli.printing.console import open_console
    from evenair.papers.claims import OUTCOMES

    claims = json.loads((report / "claims.json").read_text(encoding="utf-8"))
    console = open_console()
    for outcome in OUTCOMES:
        for claim in claims:
            if claim["outcome"] == outcome != "holds":
                name = f"{outcome} ({claim['evidence']}): {claim['id']}, {claim['where']}"
                console.print(f"{name}: {claim['statement']}")
                console.print(f"    {claim['reason']}")
    summary = json.loads((report / "report.json").read_text(encoding="utf-8"))["headline"]
    console.print(f"{summary}; see {report / 'report.html'}")
