"""The command `evenair model`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evenair.cli.arguments import (
    BadInput,
    add_json,
    figure_file,
    override,
    runs_in_memory,
    seed,
)
from evenair.cli.files import stage
from evenair.cli.terminal import DONE, print_json, progress
from evenair.files.atomic import AtomicOutput, naming

if TYPE_CHECKING:
    import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `evenair model`."""
    parser.add_argument(
        "-h", "--help", action="store_true", help="show this message, or all about the model NAME"
    )
    parser.set_defaults(print_help=parser.print_help)
    parser.add_argument(
        "name", metavar="NAME", nargs="?", help="the model; without it, list the models"
    )
    parser.add_argument(
        "keys",
        metavar="KEY=VALUE",
        nargs="*",
        type=override,
        help='a quantity with its unit, as in think="10 s"; one key may have several values:'
        " stations=1,2,5 or stations=1:50:1",
    )
    add_json(parser)
    parser.add_argument(
        "--plot",
        metavar="FILE",
        type=figure_file,
        help="plot the first result over a key (.png, .svg, .pdf)",
    )
    parser.add_argument(
        "--check", action="store_true", help="also run the corresponding simulation"
    )
    parser.add_argument(
        "--runs",
        metavar="N",
        type=runs_in_memory,
        default=10,
        help="with --check, runs per value [10]",
    )
    parser.add_argument(
        "--seed", metavar="N", type=seed, default=1, help="with --check, seed of the first run [1]"
    )


def model(arguments: argparse.Namespace) -> int:
    """Evaluate a model, or list the models. Raises BadInput, ScenarioError, RunError, OSError."""
    from evenair.models.numbers import ModelError  # imports NumPy

    try:
        return _model(arguments)
    except ModelError as error:
        raise BadInput(error) from None


def _model(arguments: argparse.Namespace) -> int:
    from evenair.models.command.answer import evaluate, simulate
    from evenair.models.command.catalogue import MODELS
    from evenair.models.command.query import check_known, read_query

    if arguments.name is None:
        if arguments.help:
            arguments.print_help()
        else:
            from evenair.cli.printing.models import print_models  # imports rich

            print_models(MODELS.values())
        return DONE
    check_known("model", arguments.name, MODELS)
    chosen = MODELS[arguments.name]
    if arguments.help:
        from evenair.cli.printing.models import print_description

        print_description(chosen)
        return DONE
    if arguments.check and chosen.check is None:
        raise BadInput(f"--check: {chosen.name} has no corresponding simulation")
    query = read_query(chosen, arguments.keys, plot=arguments.plot is not None)
    answer = evaluate(query)
    with AtomicOutput() as output:
        plot = stage(output, "--plot", arguments.plot) if arguments.plot else None
        if arguments.check:
            with progress("runs", quiet=False) as update:
                simulate(query, answer, arguments.runs, arguments.seed, update)
        if plot:
            from evenair.models.command.figure import draw  # imports matplotlib
            from evenair.plot.style import write_figure

            with naming(plot):
                write_figure(draw(query, answer), plot)
        output.commit()
    if arguments.json:
        print_json(answer.document(query))
    else:
        from evenair.cli.printing.models import print_answer

        print_answer(query, answer)
    return DONE
