"""Where a default of a model is not that of a scenario."""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from evenair._core import Phy
from evenair._core import Scenario as CoreScenario

if TYPE_CHECKING:
    from collections.abc import Container, Mapping

    from evenair.models.command.catalogue import Model

_CELL = (
    *("phy", "preamble", "data_rate", "control_rate", "mac_overhead"),
    *("bandwidth", "frame", "cyclic_prefix", "modulation", "bytes_per_symbol", "dl_ratio"),
    *("contention_slots", "maps", "crc"),
)
_FLOW = ("segment", "header", "delayed_ack", "window")


class Difference(NamedTuple):
    """A key that a model and a scenario share, with different defaults."""

    key: str
    model: Any
    scenario: Any


def differences(
    model: Model, inputs: Mapping[str, Any], given: Container[str] = ()
) -> list[Difference]:
    """Return the keys whose values are not a scenario's defaults, without those that were `given`.

    `inputs` are the values of all keys of the model. Values are in bit/s, seconds and bytes.
    """
    if model.is_wlan and "rts" not in inputs:
        inputs = {**inputs, "rts": True}  # see Cell
    scenario = _defaults(model.is_wlan, str(inputs.get("phy", "")))
    return [
        Difference(key, value, scenario[key])
        for key, value in inputs.items()
        if key in scenario and key not in given and value is not None and value != scenario[key]
    ]


@cache
def _defaults(is_wlan: bool, phy: str) -> dict[str, Any]:
    """Return a scenario's defaults by the keys of models."""
    cell = {"kind": "wlan", "phy": phy} if is_wlan else {"kind": "wimax"}
    document = {"cell": cell, "station": [{"flows": [{"direction": "down"}]}]}
    resolved = json.loads(CoreScenario(json.dumps(document), "model").resolved_json())
    cell, flow = resolved["cell"], resolved["station"][0]["flows"][0]
    values = {key: cell[key] for key in _CELL if key in cell} | {key: flow[key] for key in _FLOW}
    if is_wlan:
        values["attempts"] = cell["short_retry_limit"]
        values["rts"] = cell["rts_threshold"] != "off"
        values["rts_bits"] = Phy.RTS_BITS
        values["payload"] = flow["segment"] + flow["header"]
    return values
