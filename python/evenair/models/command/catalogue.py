"""The models of the command line: keys with units and defaults, and results."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from evenair.models.bianchi import saturation
from evenair.models.cell import Cell
from evenair.models.check import (
    Check,
    check_bianchi,
    check_contention,
    check_edca,
    check_session_delay,
    check_tcp_throughput,
    check_window_effect,
)
from evenair.models.dcf import contention
from evenair.models.design import MAX_STATIONS, stations_for_delay, think_for_delay
from evenair.models.edca import AGGREGATIONS, RULES, edca_saturation
from evenair.models.mixed_rates import SHARING, anomaly, check_anomaly
from evenair.models.numbers import ModelError
from evenair.models.ppdu import BANDS, MAX_PSDU, PHYS, ppdu_duration
from evenair.models.session import DISTRIBUTIONS, lone_session, session_delay
from evenair.models.tcp import aggregate_throughput
from evenair.models.variant import CHOICES, Variant
from evenair.models.wimax import BYTES_PER_SYMBOL, CYCLIC_PREFIXES, MAPS, wimax_frame
from evenair.models.wimax_check import check_wimax_frame
from evenair.models.window import contention_time, window_throughput

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


@dataclass(frozen=True)
class Key:
    """An argument of a model."""

    name: str
    kind: str
    """"integer", "number", "time", "size", "frequency", "ratio", "boolean", "choice", or "text",
    read by the scenario."""
    default: Any
    meaning: str
    unit: str = ""
    accepted: tuple[str, ...] = ()
    """The values of a choice, the default first."""
    most: int = 1_000_000
    """The largest value of an integer."""
    least: int = 1
    """The smallest."""


@dataclass(frozen=True)
class Result:
    """A result of a model."""

    name: str
    label: str
    unit: str = ""
    scale: float = 1.0
    """For printing: the value times this is in `unit`."""


_OF_EDCA = ("channel_width", "mcs", "streams", "guard_interval", "band")
"""The keys of a cell of 802.11n, ac or ax."""


@dataclass(frozen=True)
class Model:
    """A model. By default a plot shows its first result over its first key."""

    name: str
    summary: str
    source: str
    assumptions: tuple[str, ...]
    """What holds for the results to hold, a line each."""
    keys: tuple[Key, ...]
    results: tuple[Result, ...]
    evaluate: Callable[[Mapping[str, Any], Cell, Variant], dict[str, Any]]
    """Returns results by name; numeric keys may be arrays if `vectorised`."""
    vectorised: bool
    curve: str
    """Default values of the first key for a plot."""
    check: Check | None = None
    choices: tuple[str, ...] = ()
    """The choices of `Variant` that the model uses."""
    unused: tuple[str, ...] = _OF_EDCA
    """The keys of the cell that the model does not use."""
    is_wlan: bool = True
    """Whether it is of an 802.11 cell, else of an 802.16 cell."""

    @property
    def all_keys(self) -> dict[str, Key]:
        """The model's own keys, then those of the cell and the choices, by name."""
        cell = (key for key in CELL_KEYS if key.name not in self.unused)
        choices = (VARIANT_KEYS[name] for name in self.choices)
        return {key.name: key for key in (*self.keys, *cell, *choices)}


_DEFAULTS = Cell()
CELL_KEYS = (
    Key("phy", "text", _DEFAULTS.phy, "802.11b, 802.11a or 802.11g; of bianchi 802.11n, ac and ax"),
    Key("preamble", "text", None, "of 802.11b: long, short or a duration [long]"),
    Key("channel_width", "text", None, "of 802.11n, ac and ax [as of a scenario]", "Hz"),
    Key("mcs", "integer", None, "of 802.11n, ac and ax [the highest]", most=11, least=0),
    Key("streams", "integer", None, "of 802.11n, ac and ax [1]", most=8),
    Key("guard_interval", "text", None, "of 802.11n, ac and ax [0.8 us]", "s"),
    Key("band", "text", None, "of 802.11n and ax [5 GHz]"),
    Key("data_rate", "text", None, "of data frames [the PHY's fastest]", "bit/s"),
    Key("control_rate", "text", None, "of RTS, CTS and ACK, or basic [802.11b: 2 Mbps]", "bit/s"),
    Key("mac_overhead", "text", _DEFAULTS.mac_overhead, "MAC header and FCS", "bytes"),
    Key("segment", "text", _DEFAULTS.segment, "payload of a TCP segment", "bytes"),
    Key("header", "text", _DEFAULTS.header, "TCP/IP header", "bytes"),
    Key("rts_bits", "integer", _DEFAULTS.rts_bits, "of an RTS; the standard's has 160", "bits"),
    Key("attempts", "text", _DEFAULTS.attempts, "transmissions before a frame is dropped"),
)
_READINGS = {
    "fixed_point": "the stages' probabilities in (1)",
    "collision_backoff": "whether (3) has T_b",
    "collisions": "how (4) counts them",
    "after_collision": "what a collider waits for, (3)",
    "lone_station": "what one connection meets",
    "average": "what (10) and (12) are means of",
    "handshake": "what the packets of (13) have",
    "setup": "where it counts in (17)",
    "last_packet": "how long it is in (14)",
}
VARIANT_KEYS = {
    name: Key(name, "choice", accepted[0], _READINGS[name], accepted=accepted)
    for name, accepted in CHOICES.items()
}

_STATIONS = Key(
    "stations", "integer", 10, "stations, the access point not counted", most=MAX_STATIONS
)
_DELAYED_ACK = Key("delayed_ack", "integer", 1, "segments per acknowledgement, d", most=65_535)
_THINK = Key("think", "time", 10.0, "mean time between two sessions", "s")
_SIZE = Key("size", "size", 30_000.0, "mean size of a file", "bytes")
_DELAY = Key("delay", "time", 1.0, "bound of the mean session delay", "s")
_DCF = ("fixed_point", "collision_backoff", "collisions", "after_collision")
_TCP = (*_DCF, "lone_station", "average")
_US, _MS, _MBPS = 1e6, 1e3, 1e-6
_PHY_KEYS = (
    Key("phy", "choice", PHYS[0], "the PHY", accepted=PHYS),
    Key("channel_width", "frequency", None, "[80 MHz; 802.11n: 20 MHz]", "Hz"),
    Key("mcs", "integer", None, "of each stream [the highest]", most=11, least=0),
    Key("streams", "integer", 1, "spatial streams", most=8),
    Key("guard_interval", "time", 0.8e-6, "of its symbols", "s"),
    Key("preamble", "time", None, "and headers [those of the standard]", "s"),
    Key("band", "choice", BANDS[0], "2.4 GHz has a signal extension", accepted=BANDS),
)


_HEARD = "every node hears every other; a frame is lost only in a collision"
_SAME_P = "each attempt of a frame collides with the same probability, whatever came before"
_RETRY = "a frame is dropped after `attempts` transmissions"
_NO_LOSS = "TCP loses no packet: cwnd does not matter, the window is d segments (W* = d)"
_NEAR = "the server is at the access point: the wire has neither rate nor delay"
_FETCH = (
    "each station fetches one file at a time over a new connection, and thinks before the next,"
    " for an exponential time"
)
_SHARED = "k transfers at a time share what k downloads that never end would have, equally"


def _contention(inputs: Mapping[str, Any], cell: Cell, variant: Variant) -> dict[str, Any]:
    return contention(inputs["nodes"], cell, variant)._asdict()


def _bianchi(inputs: Mapping[str, Any], cell: Cell, variant: Variant) -> dict[str, Any]:
    payload, rts, eifs = inputs["payload"], inputs["rts"], inputs["eifs"]
    return saturation(inputs["nodes"], payload, rts=rts, eifs=eifs, cell=cell)._asdict()


def _edca(inputs: Mapping[str, Any], cell: Cell, variant: Variant) -> dict[str, Any]:
    return edca_saturation(**inputs)._asdict()


def _tcp_throughput(inputs: Mapping[str, Any], cell: Cell, variant: Variant) -> dict[str, Any]:
    total = aggregate_throughput(inputs["stations"], inputs["delayed_ack"], cell, variant)
    return {"aggregate_bps": total, "per_connection_bps": total / np.asarray(inputs["stations"])}


def _window_effect(inputs: Mapping[str, Any], cell: Cell, variant: Variant) -> dict[str, Any]:
    arguments = (inputs["window"], inputs["delayed_ack"], cell, variant)
    return {
        "throughput_bps": window_throughput(*arguments),
        "phi_s": contention_time(*arguments),
    }


def _session_delay(inputs: Mapping[str, Any], cell: Cell, variant: Variant) -> dict[str, Any]:
    n, distribution = inputs["stations"], inputs["size_distribution"]
    load = (inputs["think"], inputs["size"])
    if np.ndim(inputs["shape"]) and distribution != "pareto":
        raise ModelError("shape: got several values; accepted with size_distribution=pareto")
    if distribution == "queue":
        answer = session_delay(n, *load, inputs["delayed_ack"], cell, variant)
    else:
        if np.any(np.asarray(n) != 1):
            many = np.asarray(n)[np.asarray(n) != 1].flat[0]
            raise ModelError(
                f"stations: got {many:g}; accepted: 1 with size_distribution={distribution},"
                " for more stations the distribution does not matter: size_distribution=queue"
            )
        answer = lone_session(
            *load, distribution, inputs["shape"], inputs["delayed_ack"], cell, variant
        )
    return answer._asdict()


def _stations_for_delay(inputs: Mapping[str, Any], cell: Cell, variant: Variant) -> dict[str, Any]:
    load = (inputs["delay"], inputs["think"], inputs["size"], inputs["delayed_ack"])
    return stations_for_delay(*load, cell, variant)._asdict()


def _think_for_delay(inputs: Mapping[str, Any], cell: Cell, variant: Variant) -> dict[str, Any]:
    load = (inputs["delay"], inputs["stations"], inputs["size"], inputs["delayed_ack"])
    return think_for_delay(*load, cell, variant)._asdict()


def _anomaly(inputs: Mapping[str, Any], cell: Cell, variant: Variant) -> dict[str, Any]:
    return anomaly(**inputs, cell=cell)._asdict()


def _ppdu_duration(inputs: Mapping[str, Any], cell: Cell, variant: Variant) -> dict[str, Any]:
    others = {name: value for name, value in inputs.items() if name != "bytes"}
    return ppdu_duration(inputs["bytes"], **others)._asdict()


def _wimax_frame(inputs: Mapping[str, Any], cell: Cell, variant: Variant) -> dict[str, Any]:
    return wimax_frame(**inputs)._asdict()


MODELS = {
    model.name: model
    for model in (
        Model(
            name="contention",
            summary="nodes that always have a packet: collisions and backoff",
            source="Miorandi et al., (1) to (5)",
            assumptions=(
                "each node always has a packet to send",
                _HEARD,
                _SAME_P,
                _RETRY,
            ),
            keys=(Key("nodes", "integer", 2, "backlogged nodes, the access point included"),),
            results=(
                Result("collision_probability", "collision probability"),
                Result("mean_backoff_s", "mean backoff", "ms", _MS),
                Result("drop_probability", "drop probability"),
                Result("collision_time_s", "time lost in a collision", "ms", _MS),
                Result("wasted_time_s", "in collisions, per packet", "ms", _MS),
                Result("total_backoff_s", "in backoff, per packet", "ms", _MS),
            ),
            evaluate=_contention,
            vectorised=True,
            curve="1:50:1",
            check=check_contention,
            choices=_DCF,
        ),
        Model(
            name="bianchi",
            summary="saturated stations: throughput",
            source="Bianchi 2000, (7), (9), (13)",
            assumptions=(
                "each station always has a packet to send",
                _HEARD,
                _SAME_P,
                "a frame is repeated without limit, and its window doubles up to CWmax",
            ),
            keys=(
                Key("nodes", "integer", 2, "saturated stations"),
                Key("payload", "size", 1040.0, "what the MAC carries: an IP packet", "bytes"),
                Key("rts", "boolean", True, "with RTS/CTS"),
                Key("eifs", "boolean", False, "EIFS instead of DIFS after a collision"),
            ),
            results=(
                Result("throughput_bps", "throughput of all", "Mb/s", _MBPS),
                Result("collision_probability", "collision probability"),
                Result("tau", "probability to transmit in a slot"),
            ),
            evaluate=_bianchi,
            vectorised=True,
            curve="1:50:1",
            check=check_bianchi,
            unused=("segment", "header", "attempts"),
        ),
        Model(
            name="edca",
            summary="saturated stations of 802.11n, 802.11ac or 802.11ax: throughput",
            source="Bianchi 2000, with the rules of IEEE 802.11-2020, 10.23.2",
            assumptions=(
                "each station always has packets to send, all of one access category",
                _HEARD,
                _SAME_P,
                "an access has one PPDU, and what collides is sent again without limit",
                "of several that collide again before the others count, there are two",
            ),
            keys=(
                Key("stations", "integer", 10, "saturated stations", most=1000),
                Key("payload", "size", 1500.0, "of an IP packet", "bytes"),
                *_PHY_KEYS,
                Key("aggregation", "choice", AGGREGATIONS[0], "of MPDUs", accepted=AGGREGATIONS),
                Key("window", "integer", None, "of Block Ack, MPDUs [64; 802.11ax: 256]", most=256),
                Key("rules", "choice", RULES[0], "after collisions", accepted=RULES),
                Key("rts", "boolean", False, "with RTS/CTS"),
                Key("aifsn", "integer", 3, "AIFS is SIFS and so many slots", most=15),
                Key("cw_min", "integer", 15, "CWmin", "slots", most=1023),
                Key("cw_max", "integer", 1023, "CWmax", "slots", most=1023),
                Key("retry_limit", "integer", 7, "failures before CW starts anew", most=255),
            ),
            results=(
                Result("throughput_bps", "throughput of all", "Mb/s", _MBPS),
                Result("collision_probability", "collision probability"),
                Result("tau", "probability to transmit in a slot"),
                Result("mpdus", "MPDUs in a PPDU"),
                Result("ppdu_s", "duration of a PPDU", "us", _US),
            ),
            evaluate=_edca,
            vectorised=False,
            curve="1:50:1",
            check=check_edca,
            unused=tuple(key.name for key in CELL_KEYS),
            is_wlan=False,
        ),
        Model(
            name="tcp-throughput",
            summary="persistent downloads with a window of d segments: throughput",
            source="Miorandi et al., (9) to (12)",
            assumptions=(
                "each station has one download that never ends",
                _NEAR,
                _NO_LOSS,
                "the access point always has a segment, a station an ACK with probability 1/(d n)",
                _HEARD,
                _RETRY,
            ),
            keys=(_STATIONS, _DELAYED_ACK),
            results=(
                Result("aggregate_bps", "throughput of all", "Mb/s", _MBPS),
                Result("per_connection_bps", "throughput of one", "Mb/s", _MBPS),
            ),
            evaluate=_tcp_throughput,
            vectorised=True,
            curve="1:50:1",
            check=check_tcp_throughput,
            choices=_TCP,
        ),
        Model(
            name="session-delay",
            summary="web sessions: mean delay and number of concurrent sessions",
            source="Miorandi et al., (13) to (17)",
            assumptions=(
                _FETCH,
                _SHARED,
                _NEAR,
                _NO_LOSS,
                "a receiver does not wait for its delayed ACK timer",
            ),
            keys=(
                _STATIONS,
                _THINK,
                _SIZE,
                _DELAYED_ACK,
                Key(
                    "size_distribution",
                    "choice",
                    "queue",
                    "with queue (17); one station alone: with any (15), else (14)",
                    accepted=("queue", "any", *DISTRIBUTIONS),
                ),
                Key("shape", "number", 1.5, "of the Pareto distribution"),
            ),
            results=(
                Result("mean_delay_s", "mean session delay", "s"),
                Result("setup_s", "of it connection set-up", "ms", _MS),
                Result("active_mean", "sessions at a time"),
                Result("state_probabilities", "probabilities of so many sessions"),
            ),
            evaluate=_session_delay,
            vectorised=True,
            curve="1:50:1",
            check=check_session_delay,
            choices=(*_TCP, "handshake", "setup", "last_packet"),
        ),
        Model(
            name="window-effect",
            summary="one download against its window",
            source="Miorandi et al., (A.1) to (A.3)",
            assumptions=(
                "one station with one download that never ends",
                _NEAR,
                "TCP loses no packet: W* segments are always under way",
                "access point and station are equally likely to send next while both have packets",
            ),
            keys=(
                Key("window", "integer", 1, "the window, W*", "segments", most=65_535),
                _DELAYED_ACK,
            ),
            results=(
                Result("throughput_bps", "throughput", "Mb/s", _MBPS),
                Result("phi_s", "contention per segment, φ(W*)", "ms", _MS),
            ),
            evaluate=_window_effect,
            vectorised=True,
            curve="1:20:1",
            check=check_window_effect,
            choices=_DCF,
        ),
        Model(
            name="stations-for-delay",
            summary="how many stations keep the mean session delay below a bound",
            source="(17), solved for n - 1",
            assumptions=(
                _FETCH,
                _SHARED,
                _NEAR,
                _NO_LOSS,
            ),
            keys=(_DELAY, _THINK, _SIZE, _DELAYED_ACK),
            results=(
                Result("stations", "stations"),
                Result("mean_delay_s", "mean session delay", "s"),
                Result("next_delay_s", "with one station more", "s"),
            ),
            evaluate=_stations_for_delay,
            vectorised=False,
            curve="0.2:3:0.1",
            choices=(*_TCP, "handshake", "setup"),
        ),
        Model(
            name="think-for-delay",
            summary="which think time keeps the mean session delay below a bound",
            source="(17), solved for 1/lambda",
            assumptions=(
                _FETCH,
                _SHARED,
                _NEAR,
                _NO_LOSS,
            ),
            keys=(_STATIONS, _DELAY, _SIZE, _DELAYED_ACK),
            results=(
                Result("think_s", "mean think time", "s"),
                Result("mean_delay_s", "mean session delay", "s"),
            ),
            evaluate=_think_for_delay,
            vectorised=False,
            curve="1:50:1",
            choices=(*_TCP, "handshake", "setup"),
        ),
        Model(
            name="anomaly",
            summary="downloads of stations with two rates: equal packets or equal time",
            source="the frame times of IEEE 802.11; Heusse et al. 2003",
            assumptions=(
                "the access point always has packets for all stations, and nobody else transmits",
                "no frame is lost; each waits the mean of a first backoff",
            ),
            keys=(
                Key("stations", "integer", 2, "stations, the access point not counted"),
                Key("slow_stations", "integer", 1, "stations with the slow rate"),
                Key("slow_rate", "text", "1 Mbps", "of data frames of these stations", "bit/s"),
                Key("sharing", "choice", SHARING[0], "what is equal", accepted=SHARING),
                Key("payload", "size", 1500.0, "what the MAC carries: an IP packet", "bytes"),
                Key("rts", "boolean", False, "with RTS/CTS"),
            ),
            results=(
                Result("aggregate_bps", "throughput of all", "Mb/s", _MBPS),
                Result("fast_bps", "of a fast station", "Mb/s", _MBPS),
                Result("slow_bps", "of a slow station", "Mb/s", _MBPS),
                Result("slow_airtime", "time for slow stations"),
            ),
            evaluate=_anomaly,
            vectorised=False,
            curve="2:20:1",
            check=check_anomaly,
            unused=("segment", "header", "attempts", *_OF_EDCA),
        ),
        Model(
            name="ppdu-duration",
            summary="how long a PPDU of 802.11n, 802.11ac or 802.11ax lasts",
            source="IEEE 802.11-2020, 19.4.3 and 21.4.3; IEEE 802.11ax-2021, 27.4.3",
            assumptions=(
                "one receiver: HT-mixed format, VHT, or HE SU without packet extension",
                "HE has the tail bits of a convolutional encoder: LDPC may need a symbol more",
            ),
            keys=(
                Key(
                    "bytes",
                    "integer",
                    1542,
                    "of the PSDU, an A-MPDU or MPDU",
                    "bytes",
                    most=MAX_PSDU,
                ),
                *_PHY_KEYS,
            ),
            results=(
                Result("duration_s", "duration", "us", _US),
                Result("preamble_s", "  preamble and headers", "us", _US),
                Result("symbols", "data symbols"),
                Result("bits_per_symbol", "data bits per symbol"),
                Result("rate_bps", "data rate", "Mb/s", _MBPS),
            ),
            evaluate=_ppdu_duration,
            vectorised=False,
            curve="100:12000:100",
            unused=tuple(key.name for key in CELL_KEYS),
            is_wlan=False,
        ),
        Model(
            name="wimax-frame",
            summary="an IEEE 802.16 cell: symbols of each part of a frame, and capacity",
            source="IEEE 802.16-2004, 8.3; the NIST add-on to ns-2",
            assumptions=(
                "every station has data in both directions in every frame",
                "nothing is lost",
                "not counted: DCD and UCD, fragmentation, symbols that bursts leave empty",
            ),
            keys=(
                Key("dl_ratio", "ratio", "1:1", "downlink to uplink, or the downlink's share"),
                Key("stations", "integer", 1, "stations with data in both directions"),
                Key("bandwidth", "frequency", 7e6, "of the channel", "Hz"),
                Key("frame", "time", 0.005, "duration of a frame", "s"),
                Key(
                    "cyclic_prefix",
                    "choice",
                    CYCLIC_PREFIXES[0],
                    "guard time over useful time",
                    accepted=CYCLIC_PREFIXES,
                ),
                Key(
                    "modulation",
                    "choice",
                    next(iter(BYTES_PER_SYMBOL)),
                    "of all bursts but the maps",
                    accepted=tuple(BYTES_PER_SYMBOL),
                ),
                Key("bytes_per_symbol", "integer", None, "[the modulation's]", "bytes", most=144),
                Key(
                    "contention_slots",
                    "integer",
                    5,
                    "opportunities in each contention region",
                    most=1000,
                ),
                Key("maps", "choice", MAPS[0], "size of DL-MAP and UL-MAP", accepted=MAPS),
                Key("segment", "size", 1024.0, "payload of a TCP segment", "bytes"),
                Key("header", "size", 40.0, "TCP/IP header, and size of an ACK", "bytes"),
                Key("crc", "boolean", False, "with a CRC of 4 bytes in each PDU"),
            ),
            results=(
                Result("tcp_bound_bps", "bound of TCP's goodput", "Mb/s", _MBPS),
                Result("dl_capacity_bps", "capacity of the downlink", "Mb/s", _MBPS),
                Result("ul_capacity_bps", "capacity of the uplink", "Mb/s", _MBPS),
                Result("segments_per_frame", "segments per frame"),
                Result("acks_per_frame", "ACKs per frame"),
                Result("symbols", "symbols per frame"),
                Result("dl_symbols", "downlink symbols"),
                Result("preamble_symbols", "  preamble and FCH"),
                Result("map_symbols", "  DL-MAP and UL-MAP"),
                Result("dl_gap_symbols", "  before bursts"),
                Result("dl_data_symbols", "  downlink data"),
                Result("ul_symbols", "uplink symbols"),
                Result("ranging_symbols", "  ranging region"),
                Result("request_symbols", "  request region"),
                Result("ul_gap_symbols", "  between regions, before grants"),
                Result("ul_data_symbols", "  uplink data"),
            ),
            evaluate=_wimax_frame,
            vectorised=False,
            curve="1:6:1",
            check=check_wimax_frame,
            unused=tuple(key.name for key in CELL_KEYS),
            is_wlan=False,
        ),
    )
}
