"""What a model is and assumes, as lines of text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evenair.models.command.defaults import differences
from evenair.models.command.query import as_typed

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from evenair.models.command.catalogue import Key, Model


def title(model: Model) -> str:
    """Return name, summary and source."""
    return f"{model.name}: {model.summary} [{model.source}]"


def assumptions(
    model: Model, inputs: Mapping[str, Any], given: Collection[str] = (), varied: str | None = None
) -> Iterator[str]:
    """Return what the model assumes, the values of its keys, and where they differ from a scenario.

    `given` are the keys that the user has set, and `varied` the one that has several values.
    """
    yield "assumes"
    for assumption in model.assumptions:
        yield f"  - {assumption}"
    values = (
        _value(model, key, value)
        for key, value in inputs.items()
        if key != varied and value is not None
    )
    yield f"with {', '.join(values)}"
    other = differences(model, inputs, {*given, *([varied] if varied else [])})
    if other:
        texts = (_value(model, key, scenario) for key, _, scenario in other)
        yield f"a scenario has other defaults: {', '.join(texts)}"


def description(model: Model, inputs: Mapping[str, Any]) -> Iterator[str]:
    """Return everything about a model; `inputs` are the defaults of its keys."""
    yield title(model)
    yield ""
    yield from ["assumes", *(f"  - {assumption}" for assumption in model.assumptions)]
    yield ""
    yield "keys"
    scenario = {key: value for key, _, value in differences(model, inputs)}
    for key in model.all_keys.values():
        yield f"  {_key(model, key, scenario.get(key.name))}"
    if "rts" in scenario and "rts" not in model.all_keys:
        yield "  always with RTS/CTS [a scenario: without]"
    yield ""
    yield "results"
    for result in model.results:
        yield f"  {result.name}: {result.label.strip()}"


def _key(model: Model, key: Key, scenario: Any) -> str:
    default = "" if key.default is None else f" = {_shown(key.default, '')}"
    accepted = f" ({', '.join(key.accepted)})" if key.accepted else ""
    unit = f", {key.unit}" if key.unit else ""
    other = "" if scenario is None else f" [a scenario: {_shown(scenario, '')}]"
    return f"{key.name}{default}: {key.meaning}{unit}{accepted}{other}"


def _value(model: Model, name: str, value: Any) -> str:
    key = model.all_keys.get(name)
    return f"{name} = {_shown(value, key.unit if key else '')}"


def _shown(value: Any, unit: str) -> str:
    """Return a value with its unit; a rate in Mb/s."""
    if isinstance(value, str):
        return value
    if unit == "bit/s":
        return f"{value / 1e6:g} Mb/s"
    return f"{as_typed(value)} {unit}".rstrip()
