"""The scenario of a test: a cell with the flows of a preset instead of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evenair.presets.mixes import DELAY, PING, STEP, Preset
from evenair.scenario import Scenario

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_EDCA = ("802.11n", "802.11ac", "802.11ax")
"""The PHYs whose stations have access categories."""


class PresetError(ValueError):
    """The cell does not have what the test needs. The message is one line."""


def prepare(scenario: Scenario, name: str, preset: Preset, duration: float) -> Scenario:
    """Return the cell of a scenario with the flows of a test of `duration` seconds.

    Queues, channel, links, gateway and the stations that are clients stay; the flows of the cell
    and those between hosts do not, because they would load it as well, nor do stations that have
    no flow in the test. Each `[[station]]` with a count becomes as many tables, with the same
    names. Raises PresetError.
    """
    document = scenario.resolved
    stations = list(_each_station(document))
    if len(stations) < preset.clients:
        message = f"got a cell with {_count(len(stations))}, expected at least {preset.clients}"
        raise PresetError(f"--test {name}: {message}")
    if duration < 2 * DELAY + 1:
        least = f"at least {2 * DELAY + 1:g} s, the first and the last {DELAY:g} s without load"
        raise PresetError(f"--test {name}: got the duration {duration:g} s, expected {least}")
    clients = stations[: preset.clients]
    for number, station in enumerate(clients, 1):
        label = f" {station.get('name') or f'sta-{number}'}" if preset.clients > 1 else ""
        phy = station.get("phy") or document["cell"].get("phy")
        station["flows"] = list(_flows(preset, label, phy in _EDCA, duration))
    document["station"] = clients
    document["wired"].pop("flow", None)
    document |= {"duration": duration, "warmup": 0, "trace": {"interval": STEP}}
    document["name"] = f"{name}: {scenario.name}"
    return Scenario(**document)


def _each_station(document: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for group in document["station"]:
        count, name = group["count"], group.get("name")
        for number in range(1, count + 1):
            numbered = {"name": f"{name}-{number}"} if name and count > 1 else {}
            yield {**group, "count": 1, **numbered}


def _flows(
    preset: Preset, label: str, has_categories: bool, duration: float
) -> Iterator[dict[str, Any]]:
    pings = [part for part in preset.parts if part.series.startswith(PING)]
    for part in preset.parts:
        flow: dict[str, Any] = {**part.keys, "group": part.series + label}
        if flow["direction"] != "both":
            flow["name"] = flow["group"]
        if not has_categories:
            flow.pop("access_category", None)
        if part.is_load:
            flow |= {"start": DELAY, "stop": duration - DELAY}
        elif part in pings:
            flow["start"] = STEP * (pings.index(part) + 0.5) / len(pings)
        yield flow


def _count(stations: int) -> str:
    return f"{stations} station{'s'[: stations != 1]}"
