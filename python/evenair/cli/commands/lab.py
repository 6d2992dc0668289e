"""The command `evenair lab`."""

from __future__ import annotations

import argparse
import threading
from typing import TYPE_CHECKING

from evenair.cli.arguments import BadInput
from evenair.cli.terminal import print_error
from evenair.engine import Interrupted

if TYPE_CHECKING:
    from collections.abc import Callable

PORT = 8470


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `evenair lab`."""
    parser.add_argument(
        "scenario",
        metavar="SCENARIO",
        nargs="?",
        help="what the page begins with: a TOML file or the name of a built-in scenario",
    )
    parser.add_argument(
        "--port",
        metavar="N",
        type=_port,
        default=PORT,
        help=f"TCP port; 0 for any that is free [{PORT}]",
    )
    parser.add_argument(
        "--host",
        metavar="H",
        default="127.0.0.1",
        help="name or address to listen on [127.0.0.1, for this machine alone]",
    )
    parser.add_argument(
        "--follow",
        metavar="SOURCE",
        action="append",
        default=[],
        help="show what runs: testbed, FILE.parquet of a sweep, or HOST:PORT or unix:PATH of a"
        " gateway daemon's metrics; may be repeated",
    )
    parser.add_argument(
        "--no-browser", action="store_true", help="print the address, and open no browser"
    )


def lab(arguments: argparse.Namespace) -> int:
    """Serve the lab until a signal. Raises BadInput, ScenarioError, KeyboardInterrupt."""
    scenario = _text(arguments.scenario)
    try:
        from evenair.lab.serve import is_loopback, serve
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] == "evenair":
            raise
        raise BadInput(
            f"lab: the Python package {error.name} is missing; pip install 'evenair[lab]', or in"
            " the sources of evenair make lab"
        ) from None
    from evenair.lab.errors import LabError

    if not arguments.host:
        raise BadInput("--host: got '', expected a name or an address")
    is_open = not is_loopback(arguments.host)
    try:
        serve(
            host=arguments.host,
            port=arguments.port,
            scenario=scenario,
            follow=arguments.follow,
            ready=_announce(arguments, is_open=is_open),
        )
    except LabError as error:
        raise BadInput(error) from None
    except KeyboardInterrupt:
        raise Interrupted([], "the lab has ended") from None
    return 0


def _announce(arguments: argparse.Namespace, *, is_open: bool) -> Callable[[str], None]:
    def ready(address: str) -> None:
        if is_open:
            print_error(
                f"--host: {arguments.host} can be reached by other machines: whoever sees the"
                " token, which is not encrypted, can use this machine's processors"
            )
        print(f"the lab is at {address}", flush=True)
        if not arguments.no_browser:
            import webbrowser

            # A browser of the terminal would return when it is closed.
            threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()

    return ready


def _text(name: str | None) -> str | None:
    """Return the text of a scenario, which need not be valid: the page shows its errors."""
    if name is None:
        return None
    from evenair.scenario import read_text

    data, source = read_text(name)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise BadInput(f"{source}: not UTF-8") from None


def _port(text: str) -> int:
    number = int(text) if text.isascii() and text.isdigit() and len(text) <= 5 else -1
    if not 0 <= number <= 65535:
        expected = "a whole number from 0 to 65535"
        raise argparse.ArgumentTypeError(f"got {text[:40]!r}, expected {expected}")
    return number
