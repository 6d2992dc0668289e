"""Which analytic model describes a scenario, and what it says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evenair.models.cell import Cell


class NoModel(Exception):
    """No model describes the scenario. The message is one line."""


def evaluate(resolved: Mapping[str, Any]) -> dict[str, float]:
    """Return the metrics of a resolved scenario that a model gives. Raises NoModel, ModelError.

    Bianchi's model is of stations that always have a datagram to send, that of Miorandi et al. of
    downloads over TCP with RTS/CTS. Both are of equal stations with one flow each.
    """
    cell, groups = resolved["cell"], resolved["station"]
    flows = [flow for group in groups for flow in group["flows"]]
    plain = (
        cell["kind"] == "wlan"
        and "data_rate" in cell  # not one of 802.11n, ac or ax
        and resolved["gateway"]["limiter"] == "none"
        and not resolved["wired"].get("flow")
        and all(not {"error", "rate_control", "channel", "phy"} & group.keys() for group in groups)
        and all(group.get("data_rate", cell["data_rate"]) == cell["data_rate"] for group in groups)
        and all(len(group["flows"]) == 1 for group in groups)
        and len({(flow["segment"], flow["header"]) for flow in flows}) == 1
    )
    stations = sum(group["count"] for group in groups)
    if plain and all(_is(flow, "up", "cbr") for flow in flows):
        return _bianchi(cell, flows[0], stations, groups)
    if plain and all(_is(flow, "down", "bulk") for flow in flows) and cell["rts_threshold"] == 0:
        return _tcp(cell, flows[0], stations)
    raise NoModel(
        "the models are of equal stations with one flow each: uploads over UDP at more than the"
        " capacity, or downloads over TCP with cell.rts_threshold = 0"
    )


def _bianchi(
    cell: Mapping[str, Any], flow: Mapping[str, Any], stations: int, groups: Any
) -> dict[str, float]:
    from evenair.models.bianchi import saturation

    packet = flow["segment"] + flow["header"]
    rts = cell["rts_threshold"] != "off" and packet + cell["mac_overhead"] > cell["rts_threshold"]
    total = saturation(stations, packet, rts=rts, cell=_cell(cell, flow)).throughput_bps
    goodput = float(total) * flow["segment"] / packet
    offered = sum(group["count"] * group["flows"][0]["rate"] for group in groups)
    if offered < goodput or any(g["flows"][0]["rate"] < goodput / stations for g in groups):
        raise NoModel(f"the stations offer {offered:g} bit/s, less than the model's {goodput:g}")
    return {
        "aggregate_goodput_bps": goodput,
        "mean_up_goodput_bps": goodput / stations,
        "jain_index": 1.0,
    }


def _tcp(cell: Mapping[str, Any], flow: Mapping[str, Any], stations: int) -> dict[str, float]:
    from evenair.models.tcp import aggregate_throughput

    if not isinstance(flow["delayed_ack"], int):
        raise NoModel("the model of TCP has a constant number of segments per ACK")
    total = float(aggregate_throughput(stations, flow["delayed_ack"], _cell(cell, flow)))
    return {
        "aggregate_goodput_bps": total,
        "mean_down_goodput_bps": total / stations,
        "jain_index": 1.0,
    }


def _cell(cell: Mapping[str, Any], flow: Mapping[str, Any]) -> Cell:
    from evenair.models.cell import Cell

    return Cell(
        cell["phy"],
        cell.get("preamble"),
        cell["data_rate"],
        cell["control_rate"],
        cell["mac_overhead"],
        flow["segment"],
        flow["header"],
        rts_bits=160,  # IEEE 802.11-2007 7.2.1.1, as the simulator
    )


def _is(flow: Mapping[str, Any], direction: str, application: str) -> bool:
    return bool(flow["direction"] == direction and flow["application"] == application)
