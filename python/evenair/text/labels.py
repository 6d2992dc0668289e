"""Words and units of metrics and of a scenario's keys, as tables and figures show them."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class Label(NamedTuple):
    """How a quantity is shown."""

    text: str
    unit: str = ""
    scale: float = 1.0
    """The stored value times this is in `unit`."""
    decimals: int = 3
    """Decimals of a value in `unit` that has no interval."""

    @property
    def with_unit(self) -> str:
        """The words, and the unit in parentheses."""
        return f"{self.text} ({self.unit})" if self.unit else self.text


def _mbps(text: str) -> Label:
    return Label(text, "Mb/s", 1e-6, 3)


def _ms(text: str) -> Label:
    return Label(text, "ms", 1e3, 1)


def _percent(text: str, decimals: int = 1) -> Label:
    return Label(text, "%", 100.0, decimals)


def _packets(text: str) -> Label:
    """A mean number of packets."""
    return Label(text, "packets", 1.0, 1)


def _count(text: str, unit: str = "") -> Label:
    """What one run counts in whole numbers."""
    return Label(text, unit, 1.0, 0)


_METRICS = {
    "duration_s": Label("measured time", "s", 1.0, 1),
    "goodput_bps": _mbps("goodput"),
    "aggregate_goodput_bps": _mbps("aggregate goodput"),
    "mean_up_goodput_bps": _mbps("mean upload"),
    "mean_down_goodput_bps": _mbps("mean download"),
    "jain_index": Label("Jain's index"),
    "jain_airtime": Label("Jain's index of airtime"),
    "jain_occupancy": Label("Jain's index of occupancy"),
    "mean_rtt_s": _ms("mean RTT of flows"),
    "mean_session_s": Label("mean session", "s", 1.0, 4),
    "ap_queue_loss_ratio": _percent("{sender} queue loss", 2),
    "ap_queue_mean_packets": _packets("mean {sender} queue"),
    "ap_queue_mean_data": _packets("data in the {sender} queue"),
    "ap_queue_mean_acks": _packets("ACKs in the {sender} queue"),
    "ap_queue_mean_delay_s": _ms("mean {sender} queue delay"),
    "ap_queue_arrivals": _count("arrivals at the {sender} queue", "packets"),
    "ap_queue_drops": _count("drops of the {sender} queue", "packets"),
    "dl_utilization": _percent("use of the downlink's symbols"),
    "ul_utilization": _percent("use of the uplink's symbols"),
    "requests_sent": _count("bandwidth requests sent"),
    "requests_collided": _count("bandwidth requests collided"),
    "requests_retried": _count("bandwidth requests retried"),
    "requests_given_up": _count("bandwidth requests given up"),
    "limiter_mean_rate_bps": _mbps("mean rate of the limiter"),
    "limiter_packets_dropped": _count("dropped by the limiter", "packets"),
    "limiter_bytes_dropped": Label("dropped by the limiter", "KB", 1e-3, 1),
    "limiter_rounds": _count("rounds of the limiter"),
    "limiter_lossy_rounds": _count("rounds with losses"),
    "segments_sent": Label("segments sent", "segments", 1.0, 1),
    "retransmissions": Label("retransmissions", "segments", 1.0, 1),
    "timeouts": _count("timeouts"),
    "sessions": _count("sessions"),
    "airtime_share": _percent("airtime"),
    "occupancy_share": _percent("channel occupancy"),
}
_DELAYS = {
    "rtt": "RTT",
    "one_way_delay": "one-way delay",
    "ap_queue_delay": "{sender} queue delay",
    "queue_delay": "queue delay",
    "grant_delay": "grant delay",
}
_PARTS = {"mean": "mean", "max": "largest", "p50": "median"}
_DELAY = re.compile(rf"({'|'.join(_DELAYS)})_(mean|max|p\d+)_s")


def metric(name: str, sender: str = "AP") -> Label:
    """Return the label of a metric or of a column of flows.

    `sender` is what sends the downlink of the cell: "AP" or "BS".
    """
    label = _METRICS.get(name) or _delay(name) or _other(name)
    return label._replace(text=label.text.replace("{sender}", sender))


def _delay(name: str) -> Label | None:
    """Return the label of a member of a distribution: "RTT, 95th percentile"."""
    found = _DELAY.fullmatch(name)
    if found is None:
        return None
    part = _PARTS.get(found[2], f"{found[2][1:]}th percentile")
    return _ms(f"{_DELAYS[found[1]]}, {part}")


def _other(name: str) -> Label:
    """Return the label of any other name: its words, and the unit that it ends in."""
    for suffix, unit, scale in (
        ("_bps", "Mb/s", 1e-6),
        ("_s", "s", 1.0),
        ("_ratio", "%", 100.0),
        ("_share", "%", 100.0),
    ):
        if name.endswith(suffix):
            return Label(name.removesuffix(suffix).replace("_", " "), unit, scale)
    return Label(name.replace("_", " "))


_COLUMNS = {
    "id": "flow",
    "name": "flow",
    "group": "group of flows",
    "seed": "seed",
    "direction": "direction",
    "application": "application",
    "transport": "transport",
    "station": "station",
}
_KEYS = {
    "duration": Label("measured time", "s"),
    "warmup": Label("warm-up", "s"),
    "trace.interval": Label("interval of the trace", "s"),
    "wired.rate": _mbps("rate of the wired link"),
    "wired.delay": _ms("delay of the wired link"),
    "cell.kind": Label("kind of cell"),
    "cell.phy": Label("PHY"),
    "cell.queue": Label("queue discipline at the {sender}"),
    "cell.queue.kind": Label("queue discipline at the {sender}"),
    "cell.queue.limit": Label("limit of the {sender} queue", "packets"),
    "cell.queue.filtering": Label("filtering of ACKs"),
    "cell.rts_threshold": Label("RTS threshold", "bytes"),
    "cell.mac_overhead": Label("MAC overhead", "bytes"),
    "cell.basic_rates": Label("basic rates"),
    "cell.scheduler": Label("scheduler of the {sender}"),
    "cell.controller": Label("controller"),
    "cell.bandwidth": Label("channel bandwidth", "MHz", 1e-6),
    "cell.frame": _ms("duration of a frame"),
    "cell.dl_ratio": Label("downlink to uplink"),
    "cell.t16": _ms("T16"),
    "cell.beacon_interval": _ms("beacon interval"),
    "gateway.limiter": Label("rate limiter"),
    "gateway.limiter.kind": Label("rate limiter"),
    "gateway.limiter.interval": Label("interval of the limiter", "s"),
    "gateway.limiter.step": _mbps("step of the limiter"),
    "gateway.limiter.bucket": Label("bucket of the limiter", "KB", 1e-3),
    "gateway.limiter.max_rate": _mbps("maximum rate of the limiter"),
    "gateway.limiter.min_rate": _mbps("minimum rate of the limiter"),
    "gateway.limiter.rate": _mbps("rate of the limiter"),
}
_STATION_KEYS = {
    "count": Label("number of stations"),
    "name": Label("name"),
    "error": Label("loss model"),
    "error.rate": _percent("error rate"),
    "channel": Label("channel"),
    "channel.snr_db": Label("SNR", "dB"),
    "channel.metres": Label("distance", "m"),
    "queue": Label("queue discipline"),
    "queue.kind": Label("queue discipline"),
    "queue.limit": Label("queue limit", "packets"),
    "rate": _mbps("offered load"),
    "tcp": Label("preset of TCP"),
    "transport": Label("transport"),
    "application": Label("application"),
    "application.size.mean": Label("mean size of a file", "KB", 1e-3),
    "application.think.mean": Label("mean think time", "s"),
    "application.sessions": Label("sessions"),
    "window": Label("receive window", "segments"),
    "initial_window": Label("initial window", "segments"),
    "segment": Label("segment", "bytes"),
    "header": Label("header", "bytes"),
    "extra_header": Label("extra header", "bytes"),
    "delayed_ack": Label("segments per ACK"),
    "delayed_ack_timeout": _ms("delayed-ACK timer"),
    "min_rto": _ms("minimum RTO"),
    "initial_rto": Label("initial RTO", "s"),
    "start": Label("start", "s"),
    "stop": Label("stop", "s"),
}
_SHARED_KEYS = {
    "data_rate": _mbps("data rate"),
    "control_rate": _mbps("control rate"),
    "limit": Label("limit", "packets"),
}
"""Keys of the cell, of stations and of flows alike, by their last part."""
_FLOWS = re.compile(r"station\.(\d+)\.(?:flows\.\d+\.)?(.+)")


def key(name: str, scenario: Mapping[str, Any] | None = None) -> Label:
    """Return the label of a scenario's dotted key, or of a text column of flows.

    The unit is that of plain numbers: bit/s, seconds and bytes, scaled. With a `scenario` that has
    several groups of stations, a key of one group says which.
    """
    cell = (scenario or {}).get("cell")
    sender = "BS" if isinstance(cell, dict) and cell.get("kind") == "wimax" else "AP"
    if name in _COLUMNS:
        return Label(_COLUMNS[name])
    if found := _FLOWS.fullmatch(name):
        group, rest = int(found[1]), found[2]
        label = _STATION_KEYS.get(rest) or _key(rest)
        which = _group((scenario or {}).get("station") or (), group)
        return label._replace(text=f"{label.text}{which}")
    label = _KEYS.get(name) or _key(name)
    return label._replace(text=label.text.replace("{sender}", sender))


def value_text(value: object) -> str:
    """Return the value of a key as text: a table becomes "spm-af, filtering = head"."""
    if value is None:
        return "(none)"
    try:
        content = json.loads(value) if isinstance(value, str) else value
    except ValueError:
        content = value
    if not isinstance(content, dict):
        return str(value)
    kind = [str(content.pop("kind"))] if "kind" in content else []
    return ", ".join([*kind, *(f"{name} = {item}" for name, item in content.items())])


def value_in_unit(value: object, label: Label) -> str:
    """Return the value of a key as text: a number in the unit of its label, which is left out."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f"{value * label.scale:.10g}"
    return value_text(value)


def _key(name: str) -> Label:
    """Return the label of a key that has no words of its own: those of its last parts."""
    parts = name.split(".")
    shared = _SHARED_KEYS.get(parts[-1])
    if shared is not None:
        return shared
    return Label(" ".join(parts[-2:] if len(parts) > 2 else parts[-1:]).replace("_", " "))


def _group(stations: Sequence[Mapping[str, Any]], group: int) -> str:
    """Return which of several groups of stations it is: by its name, direction or number."""
    if not 0 <= group < len(stations) or len(stations) == 1:
        return ""
    if name := stations[group].get("name"):
        return f" of {name}"
    directions = [_direction(station) for station in stations]
    own = directions[group]
    if own and directions.count(own) == 1:
        return f" with {own}loads"
    return f" of group {group}"


def _direction(station: Mapping[str, Any]) -> str:
    """Return the direction of a station's flows; an empty text if they differ."""
    found = {str(flow.get("direction", "")) for flow in station.get("flows", ())}
    return found.pop() if len(found) == 1 else ""
