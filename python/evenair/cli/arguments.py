"""Argument types and arguments that several commands share."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from evenair._core import quantity
from evenair.engine import MAX_SEED
from evenair.text.messages import meant

if TYPE_CHECKING:
    from collections.abc import Sequence

MAX_RUNS_IN_MEMORY = 10_000
"""Runs whose results are in memory at the same time; larger numbers need `evenair sweep`."""


class BadInput(Exception):
    """The input is not valid. The message is one line."""


class Parser(argparse.ArgumentParser):
    """A parser that accepts options between arguments and raises BadInput for errors."""

    _intermixed = False

    def parse_known_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        """Accept options between arguments, unless the parser has commands."""
        if self._intermixed or self._subparsers is not None:
            return super().parse_known_args(args, namespace)
        self._intermixed = True
        try:
            known, others = self.parse_known_intermixed_args(args, namespace)
        finally:
            self._intermixed = False
        if others:
            # The parser of all commands would report them without what this one knows.
            near = meant(others[0].partition("=")[0], list(self._option_string_actions))
            self.error(f"unrecognized arguments: {' '.join(others)}{near and f'; {near}'}")
        return known, others

    def error(self, message: str) -> NoReturn:
        """Raise BadInput instead of printing the usage."""
        raise BadInput(f"{message} (see {self.prog} --help)")


# --- Types ----------------------------------------------------------------------------------------


def override(text: str) -> tuple[str, str]:
    """Read KEY=VALUE."""
    key, equals, value = text.partition("=")
    if not equals or not key or not text.isprintable():
        raise argparse.ArgumentTypeError(f"got {text!r}, expected KEY=VALUE")
    return key, value


def seed(text: str) -> int:
    """Read a seed, an integer of 64 bits."""
    return _integer(text, 0, 2**64 - 1, "a whole number from 0 to 18446744073709551615")


def runs(text: str) -> int:
    """Read a number of runs."""
    return _integer(text, 1, 1_000_000, "a whole number from 1 to 1000000")


def runs_in_memory(text: str) -> int:
    """Read a number of runs whose results are all in memory."""
    accepted = f"a whole number from 1 to {MAX_RUNS_IN_MEMORY}; use evenair sweep for more"
    return _integer(text, 1, MAX_RUNS_IN_MEMORY, accepted)


def lateness(text: str) -> float:
    """Read a time in seconds, above 0."""
    try:
        value = quantity("time", text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    if value <= 0:
        raise argparse.ArgumentTypeError(f"got {text!r}, expected a time above 0")
    return value


def file_name(text: str) -> Path:
    """Read the name of a file or folder."""
    if not text:
        raise argparse.ArgumentTypeError("got '', expected a name")
    return Path(text)


def figure_file(text: str) -> Path:
    """Read the name of a figure's file."""
    return _file(text, ("png", "svg", "pdf"))


def page_file(text: str) -> Path:
    """Read the name of an HTML file."""
    return _file(text, ("html", "htm"))


def capture_file(text: str) -> Path:
    """Read the name of a capture file."""
    return _file(text, ("pcapng",))


def plugin_file(text: str) -> Path:
    """Read the name of a Python file that is there."""
    path = _file(text, ("py",))
    if not path.is_file():
        raise argparse.ArgumentTypeError(f"got {text!r}, but there is no such file")
    return path


def _integer(text: str, low: int, high: int, accepted: str) -> int:
    # Only digits: int() also takes "1_000" and " 7 ", and is slow for a very long text.
    number = int(text) if text.isascii() and text.isdigit() and len(text) <= 20 else -1
    if not low <= number <= high:
        raise argparse.ArgumentTypeError(f"got {text[:40]!r}, expected {accepted}")
    return number


def _file(text: str, suffixes: Sequence[str]) -> Path:
    path = Path(text)
    if path.suffix.lower().removeprefix(".") not in suffixes:
        names = " or ".join(f".{suffix}" for suffix in suffixes)
        raise argparse.ArgumentTypeError(f"got {text!r}, expected a file name that ends in {names}")
    return path


# --- Shared arguments -----------------------------------------------------------------------------


def add_scenario(parser: argparse.ArgumentParser, set_help: str) -> None:
    """Add SCENARIO and --set."""
    parser.add_argument(
        "scenario", metavar="SCENARIO", help="a TOML file or the name of a built-in scenario"
    )
    parser.add_argument(
        "--set", metavar="KEY=VALUE", action="append", default=[], type=override, help=set_help
    )


def add_plugin(parser: argparse.ArgumentParser) -> None:
    """Add --plugin, see `load_plugins`."""
    parser.add_argument(
        "--plugin",
        metavar="FILE.py",
        action="append",
        default=[],
        type=plugin_file,
        help="a Python file that registers components of its own (evenair.register)",
    )


def load_plugins(arguments: argparse.Namespace) -> None:
    """Execute the files of --plugin, of commands that have it. Raises BadInput."""
    if files := getattr(arguments, "plugin", []):
        from evenair.prototypes import PluginError, load_plugin

        for file in files:
            try:
                load_plugin(file)
            except PluginError as error:
                raise BadInput(f"--plugin: {error}") from None


def add_runs(parser: argparse.ArgumentParser) -> None:
    """Add --seed and --runs, see `seeds`."""
    parser.add_argument(
        "--seed", metavar="N", type=seed, default=1, help="seed of the (first) run [1]"
    )
    parser.add_argument(
        "--runs",
        metavar="N",
        type=runs_in_memory,
        help="runs with the seeds N, N + 1, ..., and a summary",
    )


def seeds(arguments: argparse.Namespace) -> list[int]:
    """Return the seeds of the runs: one if --runs is not given. Raises BadInput."""
    first, runs = arguments.seed, arguments.runs
    if runs is not None and first + runs - 1 > MAX_SEED:
        raise BadInput(f"--runs: got {runs}, but seeds from {first} end at {MAX_SEED}")
    return [first + k for k in range(runs or 1)]


def add_duration(parser: argparse.ArgumentParser) -> None:
    """Add --duration, which is the key of the scenario."""
    parser.add_argument(
        "--duration",
        metavar="T",
        type=lambda text: override(f"duration={text}"),
        help="measured time, such as '60 s' [the scenario's]",
    )


def add_max_lateness(parser: argparse.ArgumentParser) -> None:
    """Add --max-lateness of the test-bed."""
    parser.add_argument(
        "--max-lateness",
        metavar="T",
        type=lateness,
        default=2e-3,
        help="what the engine does later than this is late; a run with more than 1%% of its packets"
        " or its time late fails [2 ms]",
    )


def overrides(arguments: argparse.Namespace) -> list[tuple[str, str]]:
    """Return the changes of --set and --duration."""
    return [*arguments.set, *([arguments.duration] if arguments.duration else [])]


def add_results(parser: argparse.ArgumentParser) -> None:
    """Add --out and --plot."""
    parser.add_argument(
        "--out",
        metavar="DIR",
        type=file_name,
        help="write result, tables (Parquet) and scenario there",
    )
    parser.add_argument(
        "--plot", metavar="FILE", type=figure_file, help="write a plot (.png, .svg, .pdf)"
    )


def add_quiet(parser: argparse.ArgumentParser) -> None:
    """Add --quiet."""
    parser.add_argument("--quiet", action="store_true", help="print neither progress bar nor table")


def add_json(parser: argparse.ArgumentParser) -> None:
    """Add --json."""
    parser.add_argument("--json", action="store_true", help="print the result as one JSON document")
