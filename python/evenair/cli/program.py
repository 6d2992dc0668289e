"""The command `evenair`: parser and exit status."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from evenair._core import RunError, ScenarioError, __version__
from evenair.cli.arguments import BadInput, Parser, load_plugins
from evenair.cli.commands import (
    catalogue,
    compare,
    lab,
    model,
    paper,
    plot,
    report,
    run,
    sweep,
    testbed,
    tune,
)
from evenair.cli.terminal import (
    BAD_INPUT,
    BROKEN_PIPE,
    FAILED,
    INTERRUPTED,
    print_error,
)
from evenair.engine import Interrupted
from evenair.files.parquet import Damaged
from evenair.text.messages import reason

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Sequence

TRACEBACK = "EVENAIR_TRACEBACK"
"""The environment variable that makes unexpected errors print a traceback."""


def run_command(argv: Sequence[str] | None, received: Sequence[int]) -> int:
    """Run the command line and return its exit status: see `evenair.cli.main`.

    `received` are the signals so far that have raised KeyboardInterrupt.
    """
    status = _run(argv, received)
    return 128 + received[0] if status == INTERRUPTED and received else status


def _run(argv: Sequence[str] | None, received: Sequence[int]) -> int:
    if sys.stderr is None:  # closed
        sys.stderr = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
    try:
        if sys.stdout is None:
            # The next file that is opened would take its place and receive what is printed.
            raise BadInput("standard output: is closed; to discard it, use >/dev/null")
        arguments = parser().parse_args(argv)
        load_plugins(arguments)
        status: int = arguments.command(arguments)
        sys.stdout.flush()
        return status
    except (BadInput, ScenarioError, Damaged) as error:
        return _fail(BAD_INPUT, error)
    except RunError as error:
        return _fail(FAILED, error)
    except Interrupted as error:
        return _fail(INTERRUPTED, error)
    except KeyboardInterrupt:
        return _fail(INTERRUPTED, "interrupted; nothing was written")
    except BrokenPipeError:
        # Python flushes standard output once more at exit; discard that output.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE
    except OSError as error:
        # Errors of files have names, see `evenair.files.atomic.naming`.
        where = error.filename or ("standard output" if error.strerror else "")
        return _fail(FAILED, f"{where}: {reason(error)}" if where else reason(error))
    except Exception as error:
        if TRACEBACK in os.environ:
            raise
        if received:  # libraries turn an interruption into errors of theirs
            return _fail(INTERRUPTED, "interrupted; nothing was written")
        what = f"{type(error).__name__}: {error}"
        return _fail(
            FAILED, f"internal error: {what}; please report it (set {TRACEBACK}=1 for a traceback)"
        )


def _fail(status: int, error: object) -> int:
    print_error(error)
    return status


def parser() -> Parser:
    """Return the parser of the command line, from which its reference is made."""
    parser = Parser(
        prog="evenair",
        description="Simulate TCP flows that share a wireless cell; rebuild published results.",
        epilog="Exit status: 0 done; 1 a run or a tested claim failed; 2 bad input;"
        " 129 terminal closed; 130 interrupted; 143 terminated.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"evenair {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)

    def add(
        name: str,
        text: str,
        add_arguments: Callable[[argparse.ArgumentParser], None],
        command: Callable[[argparse.Namespace], int],
        *,
        own_help: bool = False,
    ) -> None:
        added = commands.add_parser(
            name, help=text, description=text, allow_abbrev=False, add_help=not own_help
        )
        add_arguments(added)
        added.set_defaults(command=command)

    add("run", "Simulate a scenario.", run.add_arguments, run.run)
    text = "Serve the lab: a page with controls and pictures, this machine's processors behind it."
    add("lab", text, lab.add_arguments, lab.lab)
    text = "Run a scenario with real TCP stacks over emulated air (Linux, root)."
    add("testbed", text, testbed.add_arguments, testbed.testbed)
    text = "Compare the results of simulator, test-bed and model."
    add("compare", text, compare.add_arguments, compare.compare)
    text = "Simulate a grid of scenarios; resume after an interruption."
    add("sweep", text, sweep.add_arguments, sweep.sweep)
    text = "Search for the best setting of a scenario with few runs."
    add("tune", text, tune.add_arguments, tune.tune)
    add("plot", "Draw a metric of a sweep over a key.", plot.add_arguments, plot.plot)
    text = "Write what a sweep has found as one HTML file."
    add("report", text, report.add_arguments, report.report)
    text = "Evaluate an analytic model; without a name, list the models."
    add("model", text, model.add_arguments, model.model, own_help=True)
    text = "Rebuild a paper's figures and tables, with a verdict per claim."
    add("paper", text, paper.add_arguments, paper.paper)
    text = "List built-in scenarios, or print one as TOML."
    add("scenarios", text, catalogue.add_scenarios_arguments, catalogue.scenarios)
    text = "List the parts of scenarios with a line each, or describe some of them."
    add("parts", text, catalogue.add_parts_arguments, catalogue.parts)
    return parser
