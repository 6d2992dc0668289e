"""The commands `evenair scenarios` and `evenair parts`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from evenair._core import parts as components_json
from evenair.cli.arguments import BadInput
from evenair.cli.terminal import DONE, print_bytes
from evenair.messages import unknown
from evenair.scenario import built_in, load, read_text

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping, Sequence


def add_scenarios_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `evenair scenarios`."""
    parser.add_argument("name", metavar="NAME", nargs="?")


def scenarios(arguments: argparse.Namespace) -> int:
    """List the built-in scenarios, or print one as TOML. Raises BadInput."""
    if arguments.name is not None:
        if arguments.name not in built_in():
            raise BadInput(unknown("scenario", arguments.name, built_in()))
        print_bytes(read_text(arguments.name)[0])
        return DONE
    from evenair.cli.console import new_table, open_console  # imports rich

    table = new_table("scenario", "what it is")
    for name in built_in():
        table.add_row(name, load(name).name)
    open_console().print(table)
    return DONE


def add_parts_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `evenair parts`."""
    parser.add_argument("kind", metavar="KIND", nargs="?", help='such as "queue discipline"')


def parts(arguments: argparse.Namespace) -> int:
    """List the components of scenarios, all or of one kind. Raises BadInput."""
    components = json.loads(components_json())
    if arguments.kind is not None:
        kinds = _kinds(arguments.kind, list(dict.fromkeys(item["kind"] for item in components)))
        components = [item for item in components if item["kind"] in kinds]
    _print_components(components)
    return DONE


def _kinds(name: str, kinds: Sequence[str]) -> list[str]:
    """Return the kind of that name; or all kinds with that word in their name."""
    if name in kinds:
        return [name]
    matches = [kind for kind in kinds if name.lower() in kind.lower().split()]
    if not matches:
        raise BadInput(unknown("kind of part", name, kinds))
    return matches


def _print_components(components: Sequence[Mapping[str, Any]]) -> None:
    """Print components, grouped by their kind, with their parameters."""
    from evenair.cli.console import open_console  # imports rich

    console = open_console()
    for kind in dict.fromkeys(item["kind"] for item in components):
        console.print(kind.upper())
        for item in components:
            if item["kind"] == kind:
                console.print(f"  {item['name']}: {item['summary']} [{item['source']}]")
                for parameter in item["parameters"]:
                    console.print(f"      {_parameter(parameter)}")
        console.print()


def _parameter(parameter: Mapping[str, Any]) -> str:
    """Describe a parameter in one line."""
    name, default = parameter["name"], parameter["default"]
    # The default of a distribution is TOML text.
    is_table = isinstance(default, str) and default.startswith("{")
    shown = default if is_table else json.dumps(default)
    return f"{name} = {shown}: {parameter['meaning']} ({parameter['accepts']})"
