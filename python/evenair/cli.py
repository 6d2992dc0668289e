"""The command `evenair`.

What a command needs is imported when it runs: `evenair run --json` must start fast, so neither
rich nor pyarrow nor matplotlib is imported before something is to be shown with it.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import threading
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from evenair.terminal import (
    BAD_INPUT,
    BROKEN_PIPE,
    DONE,
    FAILED,
    INTERRUPTED,
    TERMINATED,
    print_bytes,
    progress,
    say,
    why,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from types import FrameType

    from evenair.outputs import Outputs
    from evenair.result import RunResult, RunSet

TRACEBACK = "EVENAIR_TRACEBACK"
MOST_RUNS = 10_000
"""Of `evenair run`, which has all results in memory."""


class BadInput(Exception):
    """What the user gave cannot be accepted; the message is one line that says why."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status.

    0: done; 1: a run failed, or a published claim did not hold; 2: bad input, with one line on
    standard error; 130: interrupted; 141: nobody read the output any more; 143: terminated.
    """
    with _sigterm_interrupts() as terminated:
        status = _main(argv)
    return TERMINATED if status == INTERRUPTED and terminated() else status


@contextmanager
def _sigterm_interrupts() -> Iterator[Callable[[], bool]]:
    """Clean up after SIGTERM as after Ctrl-C; yields the function that says whether it came."""
    came = False

    def interrupt(number: int, frame: FrameType | None) -> None:
        nonlocal came
        came = True
        signal.signal(signal.SIGTERM, signal.SIG_IGN)  # once is enough: nothing stops the clean-up
        raise KeyboardInterrupt

    # What a program that calls `main` has set up, or whoever started this one, stays as it is.
    free = signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    if not free or threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return
    signal.signal(signal.SIGTERM, interrupt)
    try:
        yield lambda: came
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _main(argv: Sequence[str] | None) -> int:
    from evenair import _core
    from evenair.engine import Interrupted

    try:
        arguments = _parser().parse_args(argv)
        status: int = arguments.command(arguments)
        sys.stdout.flush()
        return status
    except (BadInput, _core.ScenarioError) as error:
        return _complain(BAD_INPUT, error)
    except _core.RunError as error:
        return _complain(FAILED, error)
    except Interrupted as error:
        return _complain(INTERRUPTED, error)
    except KeyboardInterrupt:
        return _complain(INTERRUPTED, "interrupted; nothing was written")
    except BrokenPipeError:
        # Python flushes standard output once more when it exits: let that go nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE
    except OSError as error:
        where = error.filename or ("standard output" if error.strerror else "")
        return _complain(FAILED, f"{where}: {why(error)}" if where else why(error))
    except Exception as error:
        if TRACEBACK in os.environ:
            raise
        what = f"{type(error).__name__}: {error}"
        return _complain(FAILED, f"this is a bug: {what} (set {TRACEBACK}=1 to see where)")


def _complain(status: int, error: object) -> int:
    say(error)
    return status


# --- Arguments ------------------------------------------------------------------------------------


class _Parser(argparse.ArgumentParser):
    """A parser whose errors are one line, and whose arguments may come in any order."""

    _inside = False

    def parse_known_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        """Let options stand between arguments, unless what follows is a command."""
        if self._inside or self._subparsers is not None:
            return super().parse_known_args(args, namespace)
        self._inside = True
        try:
            return self.parse_known_intermixed_args(args, namespace)
        finally:
            self._inside = False

    def error(self, message: str) -> NoReturn:
        raise BadInput(f"{message} (see {self.prog} --help)")


def _parser() -> argparse.ArgumentParser:
    from evenair import _core

    parser = _Parser(
        prog="evenair",
        description="Simulate TCP flows that share a wireless cell; rebuild published results.",
        epilog="Exit status: 0 done; 1 a run or a published claim failed; 2 bad input;"
        " 130 interrupted; 143 terminated.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"evenair {_core.__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)

    def command(name: str, run: Callable[[argparse.Namespace], int], text: str) -> _Parser:
        added = commands.add_parser(name, help=text, description=text, allow_abbrev=False)
        added.set_defaults(command=run)
        return added

    run = command("run", _run, "Simulate a scenario.")
    run.add_argument("scenario", metavar="SCENARIO", help="a TOML file, or a built-in scenario")
    run.add_argument(
        "--set",
        metavar="KEY=VALUE",
        action="append",
        default=[],
        type=_override,
        help="change a key of the scenario, as in cell.queue.kind=las or station.0.count=3",
    )
    run.add_argument(
        "--seed", metavar="N", type=_seed, default=1, help="seed of the (first) run [1]"
    )
    run.add_argument(
        "--runs",
        metavar="N",
        type=_few_runs,
        help="runs with the seeds N, N + 1, ..., and a summary",
    )
    run.add_argument("--json", action="store_true", help="print the result as one JSON document")
    run.add_argument(
        "--out", metavar="DIR", type=Path, help="write result, tables (Parquet) and scenario there"
    )
    run.add_argument("--plot", metavar="FILE", type=_figure, help="write a plot (.png, .svg, .pdf)")
    run.add_argument(
        "--pcap",
        metavar="FILE",
        type=_capture,
        help="write captures of one run: X.pcapng of the air, X-wire.pcapng of the wire",
    )
    run.add_argument("--quiet", action="store_true", help="neither progress bar nor table")

    from evenair.campaign.command import add_plot, add_sweep

    sweep = command("sweep", _sweep, "Simulate a grid of scenarios; go on after an interruption.")
    add_sweep(sweep, _override, _seed, _runs)
    add_plot(command("plot", _plot, "Draw a metric of a sweep over a key."), _figure)

    from evenair.models.command import add_model

    model = command("model", _model, "Ask an analytic model; without a name, list them.")
    add_model(model, _override, _figure, _seed, _few_runs)

    paper = command(
        "paper", _paper, "Rebuild a paper's figures and tables, with a verdict per claim."
    )
    paper.add_argument("name", metavar="NAME", nargs="?", help="the paper; without it, list them")
    paper.add_argument(
        "--figure", metavar="ID", action="append", help="only this figure (may be repeated)"
    )
    paper.add_argument("--quick", action="store_true", help="fewer, shorter runs for a first look")
    paper.add_argument("--out", metavar="DIR", type=Path, help="folder of the report [report/NAME]")

    scenarios = command("scenarios", _scenarios, "List built-in scenarios, or print one as TOML.")
    scenarios.add_argument("name", metavar="NAME", nargs="?")

    parts = command("parts", _parts, "List what scenarios are made of, with all parameters.")
    parts.add_argument("kind", metavar="KIND", nargs="?", help='such as "queue discipline"')
    return parser


def _override(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not equals or not key or not text.isprintable():
        raise argparse.ArgumentTypeError(f"got {text!r}, expected KEY=VALUE")
    return key, value


def _whole(text: str, low: int, high: int, accepted: str) -> int:
    # Digits alone: int() would also take "1_000" and " 7 ", and a huge text would keep it busy.
    number = int(text) if text.isascii() and text.isdigit() and len(text) <= 20 else -1
    if not low <= number <= high:
        raise argparse.ArgumentTypeError(f"got {text[:40]!r}, expected {accepted}")
    return number


def _seed(text: str) -> int:
    return _whole(text, 0, 2**64 - 1, "a whole number from 0 to 18446744073709551615")


def _runs(text: str) -> int:
    return _whole(text, 1, 1_000_000, "a whole number from 1 to 1000000")


def _few_runs(text: str) -> int:
    accepted = f"a whole number from 1 to {MOST_RUNS}; for more there is evenair sweep"
    return _whole(text, 1, MOST_RUNS, accepted)


def _figure(text: str) -> Path:
    return _with_suffix(text, ("png", "svg", "pdf"))


def _capture(text: str) -> Path:
    return _with_suffix(text, ("pcapng",))


def _with_suffix(text: str, suffixes: Sequence[str]) -> Path:
    path = Path(text)
    if path.suffix.lower().removeprefix(".") not in suffixes:
        names = " or ".join(f".{suffix}" for suffix in suffixes)
        raise argparse.ArgumentTypeError(f"got {text!r}, expected a file name that ends in {names}")
    return path


# --- run ------------------------------------------------------------------------------------------


def _run(arguments: argparse.Namespace) -> int:
    from evenair.engine import Interrupted, run_jobs
    from evenair.outputs import Outputs
    from evenair.result import RunSet
    from evenair.scenario import load

    runs, seed = arguments.runs, arguments.seed
    if arguments.pcap and runs is not None:
        raise BadInput("--pcap: a capture is of one run; leave out --runs")
    if runs is not None and seed + runs - 1 >= 2**64:
        raise BadInput(f"--runs: got {runs}, but the seeds from {seed} on end at {2**64 - 1}")
    scenario = load(arguments.scenario, arguments.set)
    jobs = [(scenario, seed + k) for k in range(runs or 1)]

    with Outputs() as outputs:
        write = _stage(arguments, outputs, scenario.resolved)
        pcap = _stage_capture(arguments.pcap, outputs)
        with progress("runs", quiet=arguments.quiet) as update:
            try:
                results = run_jobs(jobs, progress=update, pcap=pcap)
            except Interrupted as error:
                if not error.finished:
                    raise KeyboardInterrupt from None
                results = error.finished
        result = results[0] if runs is None else RunSet(results)
        write(result)
        outputs.commit()

    if arguments.json:
        print_bytes(result.json.encode() + b"\n")
    elif not arguments.quiet:
        from evenair.console import show_result

        show_result(result)
    # An interruption that comes when all is done interrupts nothing.
    if len(results) < len(jobs):
        kept, next_seed = len(results), seed + len(results)
        return _complain(
            INTERRUPTED,
            f"interrupted; kept the runs with seeds {seed} to {next_seed - 1};"
            f" go on with --seed {next_seed} --runs {runs - kept}",
        )
    return DONE


def _stage(
    arguments: argparse.Namespace, outputs: Outputs, scenario: Mapping[str, Any]
) -> Callable[[RunResult | RunSet], None]:
    """Check that --out and --plot can be written, and return what will write them."""
    plot = _staged(outputs, "--plot", arguments.plot) if arguments.plot else None
    folder = {}
    if arguments.out:
        from evenair.scenario import has_finite_transfers

        tables = ("flows", "stations", "links")
        names = ["result.json", "scenario.toml", *(f"{table}.parquet" for table in tables)]
        if has_finite_transfers(scenario):
            names.append("sessions.parquet")
        if "trace" in scenario:
            names.append("series.parquet")
        folder = {name: _staged(outputs, "--out", arguments.out / name) for name in names}

    def write(result: RunResult | RunSet) -> None:
        if folder:
            from evenair.save import save

            save(result, folder)
        if plot:
            from evenair.plot import save as save_plot

            save_plot(result.plot(), plot)

    return write


def _stage_capture(destination: Path | None, outputs: Outputs) -> Path | None:
    if destination is None:
        return None
    from evenair.outputs import beside

    _staged(outputs, "--pcap", beside(destination, "wire"))
    return _staged(outputs, "--pcap", destination)


def _staged(outputs: Outputs, option: str, destination: Path) -> Path:
    try:
        return outputs.stage(destination)
    except (OSError, ValueError) as error:
        raise BadInput(f"{option}: {destination}: cannot be written: {why(error)}") from None


# --- sweep, plot ----------------------------------------------------------------------------------


def _sweep(arguments: argparse.Namespace) -> int:
    from evenair.campaign import command
    from evenair.campaign.errors import CampaignError

    try:
        return command.sweep(arguments)
    except CampaignError as error:
        raise BadInput(command.as_typed(error)) from None


def _plot(arguments: argparse.Namespace) -> int:
    from evenair.campaign import command
    from evenair.campaign.errors import CampaignError

    try:
        return command.plot(arguments)
    except CampaignError as error:
        raise BadInput(command.as_typed(error)) from None


# --- model ----------------------------------------------------------------------------------------


def _model(arguments: argparse.Namespace) -> int:
    from evenair.models import command
    from evenair.models.numbers import ModelError

    try:
        return command.model(arguments)
    except ModelError as error:
        raise BadInput(error) from None


# --- paper, scenarios, parts ----------------------------------------------------------------------


def _paper(arguments: argparse.Namespace) -> int:
    from evenair import papers

    if arguments.name is None:
        for name in papers.NAMES:
            print(f"{name}: {papers.describe(name)}")
        return DONE
    name = _known("paper", arguments.name, papers.NAMES)
    out = arguments.out or Path("report") / name
    with progress("runs", quiet=False) as update:
        try:
            status = papers.rebuild(name, arguments.figure, arguments.quick, out, update)
        except ValueError as error:
            raise BadInput(error) from None
    from evenair.console import show_claims

    show_claims(out)
    return status


def _scenarios(arguments: argparse.Namespace) -> int:
    from evenair.scenario import built_in, load, read

    if arguments.name is not None:
        name = _known("scenario", arguments.name, built_in())
        print_bytes(read(name)[0])
        return DONE
    from evenair.console import show_scenarios

    show_scenarios([(name, load(name)) for name in built_in()])
    return DONE


def _parts(arguments: argparse.Namespace) -> int:
    import json

    from evenair import _core
    from evenair.console import show_parts

    parts = json.loads(_core.parts())
    if arguments.kind is not None:
        kinds = list(dict.fromkeys(part["kind"] for part in parts))
        # One word of its name is enough: `evenair parts queue`.
        words = [kind for kind in kinds if arguments.kind.lower() in kind.lower().split()]
        kind = words[0] if words else _known("kind of part", arguments.kind, kinds)
        parts = [part for part in parts if part["kind"] == kind]
    show_parts(parts)
    return DONE


def _known(what: str, name: str, names: Sequence[str]) -> str:
    if name in names:
        return name
    from difflib import get_close_matches

    near = get_close_matches(name, names, n=1)
    hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(names)}"
    raise BadInput(f"{name}: no such {what}; {hint}")
