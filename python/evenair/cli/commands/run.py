"""The command `evenair run`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evenair._core import explain, explain_delays
from evenair.cli.arguments import (
    BadInput,
    add_json,
    add_plugin,
    add_quiet,
    add_results,
    add_runs,
    add_scenario,
    capture_file,
    seeds,
)
from evenair.cli.commands import against, preset
from evenair.cli.files import stage, stage_results
from evenair.cli.limits import remark_on_limits
from evenair.cli.terminal import DONE, INTERRUPTED, print_bytes, print_error, progress
from evenair.engine import Interrupted, captures_air, run_jobs
from evenair.files.atomic import AtomicOutput, sibling
from evenair.result import RunSet
from evenair.scenario import load

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable
    from pathlib import Path

    from matplotlib.figure import Figure

    from evenair.result import RunResult
    from evenair.scenario import Scenario


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `evenair run`."""
    add_scenario(
        parser, "change a key of the scenario, as in cell.queue.kind=las or station.0.count=3"
    )
    add_plugin(parser)
    add_runs(parser)
    add_json(parser)
    parser.add_argument(
        "--explain",
        action="store_true",
        help="say why flows have less than half of their fair share, which station takes the"
        " airtime, and where the delay is; with --json in the keys why_delayed and why",
    )
    add_results(parser)
    parser.add_argument(
        "--plot-kind",
        metavar="KIND",
        choices=("flows", "cdf", "places", "all", "box"),
        help="of --plot: goodput and traces (flows), the distributions of delays (cdf), where the"
        " delay is (places) [flows; with --explain places]; of a --test: over time (all),"
        " distributions of delays (cdf), box plots (box) [all]",
    )
    against.add_arguments(parser)
    preset.add_arguments(parser)
    parser.add_argument(
        "--pcap",
        metavar="FILE",
        type=capture_file,
        help="write captures of one run: X.pcapng of the air (WLAN), X-wire.pcapng of the wire",
    )
    add_quiet(parser)


def run(arguments: argparse.Namespace) -> int:
    """Simulate a scenario. Raises BadInput, ScenarioError, RunError, Interrupted, OSError."""
    preset.check(arguments)
    if arguments.against:
        return against.run(arguments)
    runs, first_seed = arguments.runs, arguments.seed
    numbers = seeds(arguments)
    if arguments.pcap and runs is not None:
        raise BadInput("--pcap: a capture is of one run; leave out --runs")
    if arguments.plot_kind and not arguments.plot:
        raise BadInput("--plot-kind: there is no plot without --plot FILE")
    scenario = load(arguments.scenario, arguments.set)
    remark_on_limits(arguments, scenario._core, arguments.set)
    if arguments.test:
        scenario = preset.prepared(arguments, scenario)
    jobs = [(scenario, number) for number in numbers]

    with AtomicOutput() as output:
        write = stage_results(
            output, scenario.resolved, arguments.out, arguments.plot, _drawing(arguments)
        )
        export = preset.stage_export(arguments, output)
        pcap = _stage_captures(arguments.pcap, scenario, output)
        with progress("runs", quiet=arguments.quiet, total=len(jobs)) as update:
            try:
                results = run_jobs(
                    jobs, progress=update, pcap=pcap, delay_by_place=_measures_places(arguments)
                )
            except Interrupted as error:
                if not error.finished:
                    raise KeyboardInterrupt from None
                results = error.finished
        result = results[0] if runs is None else RunSet(results)
        write(result)
        export(results[0])
        output.commit()

    if arguments.json:
        text = _with_diagnoses(result) if arguments.explain else result.json
        print_bytes(text.encode() + b"\n")
    elif not arguments.quiet:
        from evenair.cli.printing.run import print_diagnoses, print_result  # imports rich

        if arguments.test:
            preset.print_test(arguments, results)
        else:
            print_result(result)
        if arguments.explain:
            print_diagnoses(result)
    # An interruption after the last run has no effect.
    if len(results) < len(jobs):
        kept, next_seed = len(results), first_seed + len(results)
        print_error(
            f"interrupted; kept the runs with seeds {first_seed} to {next_seed - 1};"
            f" continue with --seed {next_seed} --runs {runs - kept}"
        )
        return INTERRUPTED
    return DONE


def _drawing(arguments: argparse.Namespace) -> Callable[[RunResult | RunSet], Figure]:
    """Return the function that draws the plot of --plot."""
    if arguments.test:
        return preset.drawing(arguments)
    kind: Any = arguments.plot_kind or ("places" if arguments.explain else "flows")
    return lambda result: result.plot(kind)


def _measures_places(arguments: argparse.Namespace) -> bool:
    """Return whether the runs are to measure where the delay is."""
    return bool(arguments.explain or arguments.plot_kind == "places")


def _with_diagnoses(result: RunResult | RunSet) -> str:
    """Return the document of a result with the keys `why_delayed` and `why` at its end."""
    why = f'"why_delayed":{explain_delays(result.json)},"why":{explain(result.json)}'
    return f"{result.json.removesuffix('}')},{why}}}"


def _stage_captures(
    destination: Path | None, scenario: Scenario, output: AtomicOutput
) -> tuple[Path | None, Path] | None:
    """Stage the captures of the air, where there is one, and of the wire."""
    if destination is None:
        return None
    wire = stage(output, "--pcap", sibling(destination, "wire"))
    if captures_air(scenario):
        return stage(output, "--pcap", destination), wire
    print_error(
        "--pcap: frames on the air of a WiMAX cell are not captured;"
        f" writing only {sibling(destination, 'wire')}, of the wire"
    )
    return None, wire
