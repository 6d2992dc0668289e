"""The command `evenair testbed`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evenair.cli.arguments import (
    BadInput,
    add_duration,
    add_json,
    add_max_lateness,
    add_quiet,
    add_results,
    add_runs,
    add_scenario,
    capture_file,
    overrides,
    seeds,
)
from evenair.cli.files import stage, stage_results
from evenair.cli.terminal import DONE, FAILED, INTERRUPTED, print_bytes, print_error, progress
from evenair.files.atomic import AtomicOutput
from evenair.result import RunSet
from evenair.scenario import load
from evenair.testbed.errors import TestbedError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Sequence

    from evenair.result import RunResult
    from evenair.scenario import Scenario
    from evenair.testbed.session import Options


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `evenair testbed`."""
    add_scenario(parser, "change a key of the scenario, as in cell.queue.kind=las")
    add_runs(parser)
    add_duration(parser)
    add_json(parser)
    add_results(parser)
    parser.add_argument(
        "--pcap",
        metavar="FILE",
        type=capture_file,
        help="write a capture of one run, with an interface for each device (.pcapng)",
    )
    parser.add_argument(
        "--keep",
        action="store_true",
        help="leave network namespaces and logs until the next start of a test-bed",
    )
    parser.add_argument(
        "--congestion",
        metavar="[GROUP=]NAME",
        action="append",
        help="a congestion control of the kernel, such as bbr, for all TCP flows, or for those of"
        " a group; may be repeated for other groups [the scenario's]",
    )
    add_max_lateness(parser)
    add_quiet(parser)


def testbed(arguments: argparse.Namespace) -> int:
    """Run a scenario in real time. Raises BadInput, ScenarioError, RunError, OSError."""
    for option in ("pcap", "keep"):
        if getattr(arguments, option) and arguments.runs is not None:
            raise BadInput(f"--{option}: it is of one run; leave out --runs")
    numbers = seeds(arguments)
    scenario = load(arguments.scenario, overrides(arguments))
    try:
        return _run(arguments, scenario, numbers)
    except TestbedError as error:
        raise BadInput(error) from None


def run_all(
    scenario: Scenario, options: Sequence[Options], *, quiet: bool
) -> tuple[list[RunResult], bool]:
    """Run a scenario once with each of the options; return the results and if all were run.

    Ctrl-C ends the series after a result at least; without one it raises KeyboardInterrupt.
    """
    from evenair.testbed.runner import prepare, run

    plan = prepare(scenario, options[0])
    each = plan.warmup + plan.duration
    results: list[RunResult] = []
    with progress("seconds", quiet=quiet) as update:
        for option in options:
            try:
                results.append(run(scenario, option, _shift(update, len(results), each, options)))
            except KeyboardInterrupt:
                if not results:
                    raise
                return results, False
    return results, True


def complaints(results: Sequence[RunResult]) -> list[str]:
    """Return a line for each run that is not to be trusted, with the reasons, and each warning."""
    from evenair.testbed import verdict

    return [
        f"seed {result.seed}: {line}"
        for result in results
        for line in verdict.complaints(result.document)
    ]


def _run(arguments: argparse.Namespace, scenario: Scenario, numbers: list[int]) -> int:
    from evenair.testbed.session import Options

    with AtomicOutput() as output:
        write = stage_results(output, scenario.resolved, arguments.out, arguments.plot)
        pcap = stage(output, "--pcap", arguments.pcap) if arguments.pcap else None
        options = [
            Options(
                seed=number,
                pcap=pcap,
                keep=arguments.keep,
                congestion=_congestion(arguments.congestion),
                max_lateness=arguments.max_lateness,
            )
            for number in numbers
        ]
        results, complete = run_all(scenario, options, quiet=arguments.quiet)
        result = results[0] if arguments.runs is None else RunSet(results)
        write(result)
        output.commit()
    if arguments.json:
        print_bytes(result.json.encode() + b"\n")
    elif not arguments.quiet:
        from evenair.cli.printing.run import print_result  # imports rich

        print_result(result)
    for line in complaints(results):
        print_error(line)
    if arguments.keep:
        print_error(f"kept {results[0].document['testbed']['kept']}")
    if not complete:
        kept, last = len(results), results[-1].seed
        print_error(
            f"interrupted; kept the runs with seeds {numbers[0]} to {last};"
            f" continue with --seed {last + 1} --runs {len(numbers) - kept}"
        )
        return INTERRUPTED
    return DONE if all(run.document["testbed"]["trusted"] for run in results) else FAILED


def _congestion(values: list[str] | None) -> str | dict[str, str] | None:
    """Return what `--congestion` says. Raises BadInput if it says two things of one flow."""
    if values is None:
        return None
    pairs = [value.rpartition("=") for value in values]
    groups = [group for group, _, _ in pairs]
    if len({*groups}) < len(groups) or ("" in groups and len(groups) > 1):
        got = " and ".join(repr(value) for value in values)
        raise BadInput(f"--congestion: got {got}; accepted: one NAME, or one GROUP=NAME per group")
    return {group: name for group, _, name in pairs} if groups[0] else values[0]


def _shift(
    update: Callable[[int, int], None] | None,
    done: int,
    each: float,
    options: Sequence[Options],
) -> Callable[[float], None] | None:
    """Return the function that shows the progress of a run after `done` others."""
    if update is None:
        return None
    total = round(each * len(options))
    return lambda now: update(min(total, round(done * each + now)), total)
