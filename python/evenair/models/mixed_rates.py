"""Stations with different rates behind one access point: equal packets, and equal time.

An access point that sends the packets of all stations in turn gives each the same throughput,
whatever its rate: the performance anomaly (M. Heusse et al., "Performance Anomaly of 802.11b",
INFOCOM 2003, who have stations that contend). If each has the same time instead, no station slows
down another.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from evenair.models.cell import TABLE_1, Cell
from evenair.models.numbers import ModelError
from evenair.scenario import Scenario

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evenair.models.check import Inputs, Measure

SHARING = ("packets", "time")
"""What all stations have the same amount of."""

_HEADER = 28
"""Bytes of the headers of IP and UDP."""
_OVERLOAD = 1.5
"""Offered load of the simulation over the throughput."""
_WARMUP, _DURATION = 5.0, 30.0


class Anomaly(NamedTuple):
    """Throughput in IP packets, and how the time is divided."""

    aggregate_bps: float
    """Of all stations, bit/s."""
    fast_bps: float
    """Of a station with the cell's rate, bit/s; NaN if there is none."""
    slow_bps: float
    """Of a station with the slow rate, bit/s; NaN if there is none."""
    slow_airtime: float
    """Share of the time that goes to all slow stations."""


def anomaly(
    stations: int = 2,
    slow_stations: int = 1,
    slow_rate: str | float = "1 Mbps",
    sharing: str = "packets",
    *,
    payload: int = 1500,
    rts: bool = False,
    cell: Cell = TABLE_1,
) -> Anomaly:
    """Return the throughput of downloads from a saturated access point.

    `slow_stations` of the `stations` have `slow_rate`, bit/s or text with a unit, the others the
    cell's data rate. Each gets as many packets of `payload` bytes as any other ("packets"), or as
    much time ("time"). Only the access point transmits, and nothing is lost: a packet takes DIFS,
    the mean first backoff, the frame, SIFS and ACK. Raises ModelError.
    """
    cell.require_dcf()
    if not 0 <= slow_stations <= stations:
        accepted = f"0 to {stations}, the number of stations"
        raise ModelError(f"slow_stations: got {slow_stations}; accepted: {accepted}")
    if sharing not in SHARING:
        raise ModelError(f"sharing: got {sharing!r}; accepted: {', '.join(SHARING)}")
    payload = int(payload)
    fast, slow = (_packet_s(each, payload, rts=rts) for each in (cell, _slowed(cell, slow_rate)))
    fast_stations = stations - slow_stations
    if sharing == "packets":
        rate = 8 * payload / (fast_stations * fast + slow_stations * slow)
        rates = rate, rate
    else:
        rates = 8 * payload / (stations * fast), 8 * payload / (stations * slow)
    return Anomaly(
        fast_stations * rates[0] + slow_stations * rates[1],
        rates[0] if fast_stations else float("nan"),
        rates[1] if slow_stations else float("nan"),
        slow_stations * rates[1] * slow / (8 * payload),
    )


def _slowed(cell: Cell, slow_rate: str | float) -> Cell:
    try:
        return replace(cell, data_rate=slow_rate)
    except ModelError as error:
        raise ModelError(str(error).replace("data_rate", "slow_rate")) from None


def _packet_s(cell: Cell, payload: int, *, rts: bool) -> float:
    """Return the time that a packet takes, backoff included."""
    timing = cell.phy_timing
    frame = cell.frame_s(8 * (cell.mac_overhead + payload))
    reservation = cell.reservation_s if rts else 0.0
    ack = timing.sifs_s + cell.ack_s
    return timing.difs_s + cell.first_backoff_s + reservation + frame + ack


def check_anomaly(inputs: Inputs, cell: Cell) -> tuple[Scenario, Measure]:
    """Poisson downloads at 1.5 times the throughput: from one queue, or with equal airtime."""
    stations, slow = int(inputs["stations"]), int(inputs["slow_stations"])
    payload = int(inputs["payload"])
    if payload <= _HEADER:
        raise ModelError(f"payload: got {payload}; accepted: with --check, above {_HEADER} bytes")
    found = anomaly(**inputs, cell=cell)
    settings = dict(cell.resolved)
    settings["rts_threshold"] = 0 if inputs["rts"] else "off"
    if inputs["sharing"] == "time":
        settings |= {"scheduler": "airtime-drr", "queue": {"kind": "droptail"}}

    def group(count: int, rate_bps: float, keys: dict[str, Any]) -> list[dict[str, Any]]:
        flow = {
            "direction": "down",
            "transport": "udp",
            "application": "poisson",
            "rate": _OVERLOAD * rate_bps * (payload - _HEADER) / payload,
            "segment": payload - _HEADER,
            "header": _HEADER,
            "start": 0,
        }
        return [{"count": count, "flows": [flow], **keys}] if count else []

    scenario = Scenario(
        name="check of a model",
        warmup=_WARMUP,
        duration=_DURATION,
        cell=settings,
        wired={"rate": "unlimited", "delay": 0},
        station=[
            *group(stations - slow, found.fast_bps, {}),
            *group(slow, found.slow_bps, {"data_rate": inputs["slow_rate"]}),
        ],
    )

    def measure(document: Mapping[str, Any]) -> dict[str, float]:
        rates = [flow["goodput_bps"] * payload / (payload - _HEADER) for flow in document["flows"]]
        shares = {"fast_bps": rates[: stations - slow], "slow_bps": rates[stations - slow :]}
        means = {name: sum(some) / len(some) for name, some in shares.items() if some}
        return {"aggregate_bps": sum(rates), **means}

    return scenario, measure
