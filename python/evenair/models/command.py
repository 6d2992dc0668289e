"""The command `evenair model`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evenair.terminal import DONE, print_json, progress

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable
    from pathlib import Path


def add_model(
    parser: argparse.ArgumentParser,
    override: Callable[[str], tuple[str, str]],
    figure: Callable[[str], Path],
    seed: Callable[[str], int],
    runs: Callable[[str], int],
) -> None:
    """Add the arguments of `evenair model`, whose types `evenair run` has, too."""
    parser.add_argument("name", metavar="NAME", nargs="?", help="the model; without it, list them")
    parser.add_argument(
        "keys",
        metavar="KEY=VALUE",
        nargs="*",
        type=override,
        help='a quantity with its unit, as in think="10 s"; one key may have several values:'
        " stations=1,2,5 or stations=1:50:1",
    )
    parser.add_argument("--json", action="store_true", help="print the result as one JSON document")
    parser.add_argument(
        "--plot", metavar="FILE", type=figure, help="draw it over a key (.png, .svg, .pdf)"
    )
    parser.add_argument(
        "--check", action="store_true", help="run the simulation that matches, and print both"
    )
    parser.add_argument(
        "--runs", metavar="N", type=runs, default=10, help="with --check, runs per value [10]"
    )
    parser.add_argument(
        "--seed", metavar="N", type=seed, default=1, help="with --check, seed of the first [1]"
    )


def model(arguments: argparse.Namespace) -> int:
    """Evaluate a model. Raises ModelError, ScenarioError, RunError, OSError."""
    from evenair.models.catalogue import MODELS
    from evenair.models.evaluate import evaluate, simulate
    from evenair.models.numbers import ModelError
    from evenair.models.read import known, read
    from evenair.outputs import Outputs
    from evenair.terminal import why

    if arguments.name is None:
        from evenair.models.show import show_models

        show_models(MODELS.values())
        return DONE
    chosen = MODELS[known("model", arguments.name, MODELS)]
    if arguments.check and chosen.check is None:
        raise ModelError(f"--check: there is no simulation that matches {chosen.name}")
    question = read(chosen, arguments.keys, plot=arguments.plot is not None)
    answer = evaluate(question)
    with Outputs() as outputs:
        if arguments.plot:
            try:
                staged = outputs.stage(arguments.plot)
            except (OSError, ValueError) as error:
                message = f"--plot: {arguments.plot}: cannot be written: {why(error)}"
                raise ModelError(message) from None
        if arguments.check:
            with progress("runs", quiet=False) as update:
                simulate(question, answer, arguments.runs, arguments.seed, update)
        if arguments.plot:
            from evenair.models.figure import draw
            from evenair.plot import save

            save(draw(question, answer), staged)
        outputs.commit()
    if arguments.json:
        print_json(answer.document(question))
    else:
        from evenair.models.show import show_answer

        show_answer(question, answer)
    return DONE
