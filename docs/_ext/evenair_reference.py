"""Sphinx extension: the reference of commands, scenario keys and components, from evenair itself.

    ```{evenair-reference} commands
    ```

puts a section for each command of `evenair` there; `keys` those of the scenario's JSON Schema,
`components` those of the registry, `models` those of the catalogue of analytic models. Each option,
key and component is an object of the search.
"""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any

from evenair import _core
from evenair.cli import program
from evenair.models.command.catalogue import MODELS
from sphinx.util.docutils import SphinxDirective

if TYPE_CHECKING:
    from collections.abc import Iterator

    from docutils.nodes import Node
    from sphinx.application import Sphinx

SCHEMA = json.loads(_core.schema())

TABLES = [
    ("The run", "Scenario", "{}"),
    ("An 802.11 cell", "WlanCell", "cell.{} (WLAN)"),
    ("EDCA", "Edca", "cell.edca.{}"),
    ("An access category of EDCA", "AccessKeys", "cell.edca.be.{}"),
    ("An 802.16 cell", "WimaxCell", "cell.{} (WiMAX)"),
    ("The wired network", "Wired", "wired.{}"),
    ("Wired links", "WiredLink", "wired.link.{}"),
    ("The gateway", "Gateway", "gateway.{}"),
    ("Stations", "Station", "station.{}"),
    ("Flows", "Flow", "station.flows.{}"),
    ("Traces", "Trace", "trace.{}"),
]
"""The tables of a scenario: title, name in the schema, and how their keys are shown."""

COMPONENTS = {
    "AccessPointScheduler": "access-point scheduler",
    "Aggregation": "aggregation",
    "AirErrors": "error",
    "Application": "application",
    "BaseStationScheduler": "base-station scheduler",
    "Channel": "channel",
    "Controller": "controller",
    "Limiter": "limiter",
    "Queue": "queue discipline",
    "RateControl": "rate control",
    "Transport": "congestion control",
}
"""Kind of component that a type of the schema names."""


def commands() -> Iterator[str]:
    """Yield a section for each command, with its arguments."""
    for action in program.parser()._actions:
        if not isinstance(action, argparse._SubParsersAction):
            continue
        for name, parser in action.choices.items():
            yield f"## evenair {name}"
            yield parser.description or ""
            yield from _object("program", f"evenair {name}", "")
            for argument in parser._actions:
                if not isinstance(argument, argparse._HelpAction):
                    text = parser._get_formatter()._expand_help(argument) if argument.help else ""
                    yield from _object("option", _signature(argument), text)


def _signature(argument: argparse.Action) -> str:
    """Return an argument as a user types it."""
    metavar = argument.metavar or argument.dest.upper()
    value = " ".join(metavar) if isinstance(metavar, tuple) else metavar
    if not argument.option_strings:
        return value
    if argument.nargs == 0:
        return ", ".join(argument.option_strings)
    return ", ".join(f"{option} {value}" for option in argument.option_strings)


def keys() -> Iterator[str]:
    """Yield a section for each table of a scenario, with its keys."""
    for title, name, shown in TABLES:
        table = SCHEMA if name == "Scenario" else SCHEMA["$defs"][name]
        yield f"## {title}"
        yield table["description"]
        for key, value in table["properties"].items():
            required = "Required. " if key in table.get("required", ()) else ""
            text = f"{value.get('description', '')}\n\n{required}Accepts {_accepts(value)}."
            yield from _object("key", shown.format(key), text)


def _accepts(value: dict[str, Any]) -> str:
    """Say in words what a JSON Schema accepts."""
    match value:
        case {"$ref": reference}:
            name = reference.rpartition("/")[2]
            if name in COMPONENTS:
                kind = COMPONENTS[name]
                article = "an" if kind[0] in "aeiou" else "a"
                return f"{article} [{kind}](#{_anchor(kind)}): its name, or a table"
            inner = SCHEMA["$defs"][name]
            if "properties" in inner or name == "Cell":
                return "a table"
            return inner.get("description") or _accepts(inner)
        case {"const": constant}:
            return f"`{json.dumps(constant)}`"
        case {"enum": names}:
            return ", ".join(f"`{json.dumps(name)}`" for name in names)
        case {"anyOf": choices}:
            return " or ".join(_accepts(each) for each in choices if each != {"type": "null"})
        case {"type": "array", "items": items}:
            return f"a list, each entry {_accepts(items)}"
        case {"type": ["integer" | "number", *_] | "integer" | "number"}:
            number = "a whole number" if "integer" in value["type"] else "a number"
            if "maximum" in value:
                return f"{number} from {value['minimum']} to {value['maximum']}"
            return number
        case {"type": ["string", *_] | "string"}:
            return "text"
        case {"type": "boolean" | ["boolean", *_]}:
            return "`true` or `false`"
    raise ValueError(f"no words for {value}")


def components() -> Iterator[str]:
    """Yield a section for each kind of component, with the parameters of each."""
    registry = json.loads(_core.parts())
    for kind in sorted({item["kind"] for item in registry}, key=str.lower):
        yield f"({_anchor(kind)})=\n## {kind[0].upper()}{kind[1:]}"
        for item in registry:
            if item["kind"] == kind:
                also = f" Also `{'`, `'.join(item['aliases'])}`." if item["aliases"] else ""
                text = [f"{item['summary']}. Source: {item['source']}.{also}", ""]
                for each in item["parameters"]:
                    default = json.dumps(each["default"]).strip('"').replace('\\"', '"')
                    text.append(
                        f"- `{each['name']}` [`{default}`]: {each['meaning']} ({each['accepts']})"
                    )
                yield from _object("component", f"{item['name']} ({kind})", "\n".join(text))


def models() -> Iterator[str]:
    """Yield a section for each analytic model, with its keys and results."""
    for name, model in MODELS.items():
        yield f"## {name}\n\n{model.summary}. Source: {model.source}."
        yield "\n".join(f"- Assumes: {each}" for each in model.assumptions)
        for key in model.all_keys.values():
            unit = f", {key.unit}" if key.unit else ""
            accepted = f" ({', '.join(key.accepted)})" if key.accepted else ""
            default = "" if key.default is None else f" [`{key.default}`]"
            yield from _object(
                "modelkey", f"{name} {key.name}", f"{key.meaning}{unit}{default}{accepted}"
            )
        results = (f"- `{each.name}`: {each.label}" for each in model.results)
        yield "Results:\n\n" + "\n".join(results)


def _anchor(kind: str) -> str:
    return f"component-{kind.replace(' ', '-').lower()}"


def _object(kind: str, signature: str, text: str) -> Iterator[str]:
    """Yield a directive that describes an object."""
    yield f"::::{{{kind}}} {signature}\n{text}\n::::"


PAGES = {"commands": commands, "keys": keys, "components": components, "models": models}


class Reference(SphinxDirective):
    """`evenair-reference`: the sections of one of `PAGES`."""

    required_arguments = 1

    def run(self) -> list[Node]:
        """Return the sections."""
        text = "\n\n".join(PAGES[self.arguments[0]]())
        return self.parse_text_to_nodes(text, allow_section_headings=True)


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directive and the kinds of objects."""
    app.add_directive("evenair-reference", Reference)
    app.add_object_type("key", "key", objname="scenario key")
    app.add_object_type("modelkey", "modelkey", objname="key of a model")
    app.add_object_type("component", "component", objname="component")
    return {"parallel_read_safe": True}
