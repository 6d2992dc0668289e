"""The simulation that corresponds to the model `wimax-frame`, for `evenair model --check`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evenair.models.wimax import wimax_frame
from evenair.scenario import Scenario

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evenair.models.cell import Cell
    from evenair.models.check import Inputs, Measure

_WARMUP, _DURATION = 5.0, 30.0
_OVERLOAD = 1.2
"""The offered load over the capacity, in both directions."""
_QUEUE = 1000
"""Packets: the largest frame holds fewer of a usual size."""
_ACCOUNTED = ("symbols", "dl_symbols", "ul_symbols", "dl_data_symbols", "ul_data_symbols")


def check_wimax_frame(inputs: Inputs, cell: Cell) -> tuple[Scenario, Measure]:
    """Datagrams at 1.2 times the capacity in both directions, of a segment's size with its header.

    The scheduler is deficit round robin, which serves all stations in each frame. The symbols are
    the simulator's own account. The capacities are measured: they include what fragments, DCD and
    UCD cost.
    """
    frame = wimax_frame(**inputs)
    stations, segment, header = (int(inputs[key]) for key in ("stations", "segment", "header"))
    packet = segment + header
    pdu = packet + (10 if inputs["crc"] else 6)

    def flow(direction: str, capacity_bps: float) -> dict[str, Any]:
        return {
            "direction": direction,
            "transport": "udp",
            "application": "cbr",
            "rate": _OVERLOAD * capacity_bps * segment / pdu / stations,
            "segment": segment,
            "header": header,
            "start": 0,
        }

    queue = {"kind": "droptail", "limit": _QUEUE}
    keys = ("bandwidth", "frame", "cyclic_prefix", "modulation", "dl_ratio", "contention_slots")
    settings = {key: inputs[key] for key in (*keys, "maps", "crc")}
    if inputs["bytes_per_symbol"] is not None:
        settings["bytes_per_symbol"] = inputs["bytes_per_symbol"]
    scenario = Scenario(
        name="check of a model",
        warmup=_WARMUP,
        duration=_DURATION,
        cell={"kind": "wimax", "scheduler": "drr", "queue": queue, **settings},
        wired={"rate": "unlimited", "delay": 0},
        station=[
            {
                "count": stations,
                "queue": queue,
                "flows": [flow("down", frame.dl_capacity_bps), flow("up", frame.ul_capacity_bps)],
            }
        ],
    )

    def measure(document: Mapping[str, Any]) -> dict[str, float]:
        goodput = {"down": 0.0, "up": 0.0}
        for one in document["flows"]:
            goodput[one["direction"]] += one["goodput_bps"]
        return {
            "tcp_bound_bps": goodput["down"],
            "dl_capacity_bps": goodput["down"] * pdu / segment,
            "ul_capacity_bps": goodput["up"] * pdu / segment,
            **{name: float(document["frame"][name]) for name in _ACCOUNTED},
        }

    return scenario, measure
