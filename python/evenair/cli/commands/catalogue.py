"""The commands `evenair scenarios` and `evenair parts`."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from evenair._core import Scenario as CoreScenario
from evenair._core import ScenarioError
from evenair._core import parts as components_json
from evenair.cli.arguments import BadInput, add_plugin
from evenair.cli.terminal import DONE, print_bytes
from evenair.scenario import built_in, read_text
from evenair.scenario import scenarios as built_in_scenarios
from evenair.text.messages import meant, unknown

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping, Sequence
    from typing import TypeAlias

    Component: TypeAlias = Mapping[str, Any]


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
    from evenair.cli.printing.console import new_table, open_console  # imports rich

    table = new_table("scenario", "what it is")
    for name, title in built_in_scenarios().items():
        table.add_row(name, title)
    open_console().print(table)
    return DONE


def add_parts_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `evenair parts`."""
    parser.add_argument(
        "name",
        metavar="NAME|KIND",
        nargs="?",
        help='a component, such as codel, or a kind of them, such as "queue discipline";'
        " without it, list all",
    )
    add_plugin(parser)


def parts(arguments: argparse.Namespace) -> int:
    """List the components of scenarios, or describe one or those of a kind. Raises BadInput."""
    components = json.loads(components_json())
    if arguments.name is None:
        _list_components(components)
    else:
        _print_components(_select(arguments.name, components))
    return DONE


def _select(name: str, components: Sequence[Component]) -> list[Component]:
    """Return the components of a name, of all kinds; or of a kind, or of kinds with that word."""
    kinds = list(dict.fromkeys(item["kind"] for item in components))
    matches = [kind for kind in kinds if name.lower() in kind.lower().split()]
    chosen = [name] if name in kinds else matches
    named = [item for item in components if name in (item["name"], *item["aliases"])]
    found = named or [item for item in components if item["kind"] in chosen]
    if not found:
        if reason := _not_modelled(name):
            raise BadInput(f"{name}: no such part, {reason}")
        # "none" is the absence of a component, and no name that one would misspell.
        names = dict.fromkeys(item["name"] for item in components if item["name"] != "none")
        known = f"kinds are {', '.join(kinds)}; evenair parts lists all names"
        hint = meant(name, [*names, *kinds]) or known
        raise BadInput(f"{name[:80] or repr(name)}: no such part; {hint}")
    return found


def _not_modelled(name: str) -> str:
    """Return what a scenario says of a name that is known but not modelled; else an empty text."""
    if not re.fullmatch(r"[\w.-]{1,40}", name):
        return ""
    download = {"direction": "down"}
    for cell, flow in (
        ({"queue": name}, download),
        ({"phy": name}, download),
        ({}, {**download, "transport": name}),
    ):
        keys = {"cell": cell, "station": [{"flows": [flow]}]}
        try:
            CoreScenario(json.dumps(keys), "").resolve()
        except ScenarioError as error:
            if found := re.search("which is not modelled: [^;]*", str(error)):
                return found[0]
    return ""


def _list_components(components: Sequence[Component]) -> None:
    """Print the name of each component, by kind, with a line about it."""
    from evenair.cli.printing.console import new_table, open_console, print_lines  # imports rich

    console = open_console()
    for kind, items in _by_kind(components).items():
        table = new_table(kind, "")
        for item in items:
            table.add_row(_names(item), item["summary"])
        console.print(table)
        console.print()
    print_lines(console, ["evenair parts NAME: its parameters with their defaults, and its source"])


def _print_components(components: Sequence[Component]) -> None:
    """Print components, grouped by their kind, with their parameters."""
    from evenair.cli.printing.console import open_console, print_lines  # imports rich

    console = open_console()
    for kind, items in _by_kind(components).items():
        console.print(kind.upper())
        for item in items:
            source = "" if item["source"] in ("", "-") else f" [{item['source']}]"
            parameters = (f"      {_parameter(each)}" for each in item["parameters"])
            print_lines(console, [f"  {_names(item)}: {item['summary']}{source}", *parameters])
        console.print()


def _by_kind(components: Sequence[Component]) -> dict[str, list[Component]]:
    kinds: dict[str, list[Component]] = {}
    for item in components:
        kinds.setdefault(item["kind"], []).append(item)
    return kinds


def _names(item: Component) -> str:
    return ", ".join([item["name"], *item["aliases"]])


def _parameter(parameter: Mapping[str, Any]) -> str:
    """Describe a parameter in one line."""
    name, default = parameter["name"], parameter["default"]
    # The default of a distribution is TOML text.
    is_table = isinstance(default, str) and default.startswith("{")
    shown = default if is_table else json.dumps(default)
    return f"{name} = {shown}: {parameter['meaning']} ({parameter['accepts']})"
