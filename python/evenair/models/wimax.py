"""The frame of an IEEE 802.16 cell: symbols of each part, and the capacity of both directions.

OFDM with 256 subcarriers and TDD (IEEE 802.16-2004, 8.3), with one burst and one grant for each
station in each frame, as far as there is room. The overhead is that of the NIST add-on to ns-2.
Computed apart from the simulator, which `evenair model wimax-frame --check` compares.
"""

from __future__ import annotations

import math
import re
from fractions import Fraction
from typing import NamedTuple

from evenair.models.numbers import ModelError

BYTES_PER_SYMBOL: dict[str, int] = {
    "64qam-3/4": 107,
    "64qam-2/3": 95,
    "16qam-3/4": 71,
    "16qam-1/2": 47,
    "qpsk-3/4": 35,
    "qpsk-1/2": 23,
    "bpsk-1/2": 11,
}
"""Usable bytes per symbol: 192 subcarriers * bits * code rate / 8, less the tail byte (8.3.3)."""

CYCLIC_PREFIXES: tuple[str, ...] = ("1/16", "1/4", "1/8", "1/32")
"""The ratios of guard time and useful symbol time (8.3.2.4); the paper's first."""

MAPS: tuple[str, ...] = ("maximum", "actual")
"""Whether the maps have the size of ten entries each, as in the NIST add-on, or their own."""

FRAME_NS: tuple[int, ...] = (
    2_500_000,
    4_000_000,
    5_000_000,
    8_000_000,
    10_000_000,
    12_500_000,
    20_000_000,
)
"""The frame durations in nanoseconds (8.3.5.4)."""

_SAMPLING: tuple[tuple[int, Fraction], ...] = (
    (1_750_000, Fraction(8, 7)),
    (1_500_000, Fraction(86, 75)),
    (1_250_000, Fraction(144, 125)),
    (2_750_000, Fraction(316, 275)),
    (2_000_000, Fraction(57, 50)),
)
"""Bandwidths in Hz and the sampling factor of their multiples, in this order (8.3.2.4)."""
_OTHER_SAMPLING = Fraction(8, 7)
_RASTER_HZ, _LEAST_HZ, _MOST_HZ = 250_000, 1_750_000, 20_000_000

_TRANSITION_GAPS = 2 * 10
"""TTG and RTG, 10 physical slots each, the NIST add-on's default. A slot is 4/Fs."""
_PREAMBLE = 3
"""A long preamble of two symbols, and the FCH (8.3.5.1)."""
_MAXIMUM_MAPS, _MAXIMUM_MAPS_SYMBOL = 240, BYTES_PER_SYMBOL["16qam-1/2"]
"""Bytes of both maps with ten entries each, and per symbol, in the NIST add-on."""
_MAXIMUM_BURSTS, _MAXIMUM_GRANTS = 10, 8
"""Entries for bursts; of the UL-MAP's ten, two are the contention regions."""
_MAP_SYMBOL = BYTES_PER_SYMBOL["qpsk-1/2"]
"""Bytes per symbol of maps of their own size."""
_RANGING_SYMBOLS, _RANGING_BYTES = 2, 19
"""An opportunity for initial ranging: preamble, and RNG-REQ of 13 bytes with its header."""
_REQUEST_SYMBOLS, _REQUEST_BYTES = 1, 6
"""An opportunity for a bandwidth request: short preamble, and header (6.3.2.1.2)."""
_HEADER, _CRC = 6, 4
"""Bytes of the generic MAC header and of the CRC of a PDU (6.3.2.1.1, 6.3.2.2)."""
_MOST_RATIO = 1000
_LEAST_ROOM = 2
"""Symbols of the smallest burst: one before it, and one of data."""


class WimaxFrame(NamedTuple):
    """The frame. All but the last five are symbols per frame."""

    symbols: int
    dl_symbols: int
    preamble_symbols: int
    """Preamble and FCH."""
    map_symbols: int
    """DL-MAP and UL-MAP. DCD and UCD, every 5 s, are not counted."""
    dl_gap_symbols: int
    """One before each burst."""
    dl_data_symbols: int
    ul_symbols: int
    ranging_symbols: int
    request_symbols: int
    ul_gap_symbols: int
    """One between the two regions, and the short preamble of each grant."""
    ul_data_symbols: int
    dl_capacity_bps: float
    """Bit/s of PDUs, with their headers."""
    ul_capacity_bps: float
    tcp_bound_bps: float
    """Payload of TCP, bit/s, if all downlink symbols carry whole segments."""
    segments_per_frame: float
    """Segments in the downlink's data symbols."""
    acks_per_frame: int
    """Acknowledgements in the uplink's data symbols."""


def wimax_frame(
    dl_ratio: str | float = "1:1",
    stations: int = 1,
    *,
    bandwidth: float = 7e6,
    frame: float = 0.005,
    cyclic_prefix: str = "1/16",
    modulation: str = "64qam-3/4",
    bytes_per_symbol: int | None = None,
    contention_slots: int = 5,
    maps: str = "maximum",
    segment: float = 1024,
    header: float = 40,
    crc: bool = False,
) -> WimaxFrame:
    """Return the frame of a cell whose stations all have data in both directions.

    `dl_ratio` is "3:1", or r for r:1, or, below 1, the share of the downlink. Hz, seconds and
    bytes; `header` is also the size of a TCP acknowledgement. Raises ModelError, also if the ratio
    leaves either direction no room for data.
    """
    fs = _sampling_frequency(bandwidth)
    symbols = _symbols(fs, frame, _chosen("cyclic_prefix", cyclic_prefix, CYCLIC_PREFIXES))
    dl = downlink_symbols(symbols, dl_ratio)
    ul = symbols - dl
    per_symbol = _bytes_per_symbol(modulation, bytes_per_symbol)
    n = _whole("stations", stations)
    slots = _whole("contention_slots", contention_slots)
    maximum = _chosen("maps", maps, MAPS) == "maximum"

    ranging = math.ceil(slots * (_RANGING_SYMBOLS + Fraction(_RANGING_BYTES, per_symbol)))
    request = math.ceil(slots * (_REQUEST_SYMBOLS + Fraction(_REQUEST_BYTES, per_symbol)))
    ul_room = ul - ranging - 1 - request
    grants = min(n, ul_room // _LEAST_ROOM, _MAXIMUM_GRANTS if maximum else n)
    if grants < 1:
        raise _no_room(dl_ratio, "uplink", ul, symbols, ranging + 1 + request, "contention regions")
    bursts = min(n, _MAXIMUM_BURSTS) if maximum else n
    while bursts and dl - _PREAMBLE - _maps(maximum, bursts, grants) < bursts * _LEAST_ROOM:
        bursts -= 1
    if bursts < 1:
        overhead = _PREAMBLE + _maps(maximum, 1, grants)
        raise _no_room(dl_ratio, "downlink", dl, symbols, overhead, "preamble, FCH and maps")
    broadcast = _maps(maximum, bursts, grants)
    dl_data = dl - _PREAMBLE - broadcast - bursts
    ul_data = ul_room - grants

    overhead_bytes = _HEADER + (_CRC if crc else 0)
    payload, tcp_ip = _size("segment", segment), _size("header", header)
    pdu = payload + tcp_ip + overhead_bytes
    dl_capacity = dl_data * per_symbol * 8 / frame
    return WimaxFrame(
        symbols=symbols,
        dl_symbols=dl,
        preamble_symbols=_PREAMBLE,
        map_symbols=broadcast,
        dl_gap_symbols=bursts,
        dl_data_symbols=dl_data,
        ul_symbols=ul,
        ranging_symbols=ranging,
        request_symbols=request,
        ul_gap_symbols=1 + grants,
        ul_data_symbols=ul_data,
        dl_capacity_bps=dl_capacity,
        ul_capacity_bps=ul_data * per_symbol * 8 / frame,
        tcp_bound_bps=dl_capacity * payload / pdu,
        segments_per_frame=dl_data * per_symbol / pdu,
        acks_per_frame=ul_data * per_symbol // (tcp_ip + overhead_bytes),
    )


def downlink_symbols(symbols: int, dl_ratio: str | float) -> int:
    """Return the downlink's part of the symbols: of 146 it is 109 with "3:1", 3 or 0.75.

    Raises ModelError.
    """
    text = str(dl_ratio)
    ratio = re.fullmatch(r"(\d{1,4})(?::(\d{1,4}))?", text, re.ASCII)
    if ratio:
        down, up = int(ratio[1]), int(ratio[2] or 1)
        if 1 <= down <= _MOST_RATIO and 1 <= up <= _MOST_RATIO:
            return symbols * down // (down + up)
    try:
        share = float(text)
    except ValueError:
        share = math.nan
    if 0 < share < 1:
        return math.floor(symbols * share)
    raise ModelError(
        f'dl_ratio: got {text[:40]}; accepted: a ratio as "3:1", a whole number r for r:1, up to'
        f" {_MOST_RATIO}, or the downlink's share, between 0 and 1"
    )


def _sampling_frequency(bandwidth: float) -> int:
    """Fs in Hz (8.3.2.4)."""
    if not (_LEAST_HZ <= bandwidth <= _MOST_HZ and bandwidth % _RASTER_HZ == 0):
        raise ModelError(
            f"bandwidth: got {bandwidth / 1e6:g} MHz; accepted: {_LEAST_HZ / 1e6:g} to"
            f" {_MOST_HZ / 1e6:g} MHz in steps of {_RASTER_HZ // 1000} kHz"
        )
    hz = int(bandwidth)
    factors = (factor for base, factor in _SAMPLING if hz % base == 0)
    return math.floor(next(factors, _OTHER_SAMPLING) * hz / 8000) * 8000


def _symbols(fs: int, frame: float, cyclic_prefix: str) -> int:
    """Whole symbols in a frame less TTG and RTG. A symbol is 256 (1 + G)/Fs."""
    frame_ns = round(frame * 1e9) if 0 < frame < 1 else 0
    if frame_ns not in FRAME_NS:
        accepted = ", ".join(f"{ns / 1e6:g}" for ns in FRAME_NS)
        raise ModelError(f"frame: got {frame * 1e3:g} ms; accepted: {accepted} ms")
    slots_per_symbol = 64 * (1 + Fraction(cyclic_prefix))
    slots = math.floor(Fraction(frame_ns * fs, 4 * 10**9))
    return math.floor((slots - _TRANSITION_GAPS) / slots_per_symbol)


def _bytes_per_symbol(modulation: str, given: int | None) -> int:
    usable = BYTES_PER_SYMBOL[_chosen("modulation", modulation, BYTES_PER_SYMBOL)]
    return usable if given is None else _whole("bytes_per_symbol", given)


def _maps(maximum: bool, bursts: int, grants: int) -> int:
    """Symbols of both maps (6.3.2.3.2, 6.3.2.3.4: an entry has 4 and 6 bytes)."""
    if maximum:
        return math.ceil(_MAXIMUM_MAPS / _MAXIMUM_MAPS_SYMBOL)
    sizes = (8 + 4 * bursts, 7 + 6 * (grants + 2))
    return sum(math.ceil(size / _MAP_SYMBOL) for size in sizes)


def _chosen(key: str, value: str, accepted: dict[str, int] | tuple[str, ...]) -> str:
    if value not in accepted:
        raise ModelError(f"{key}: got {value!r}; accepted: {', '.join(accepted)}")
    return value


def _whole(key: str, value: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ModelError(f"{key}: got {value!r}; accepted: a whole number from 1 on")
    return value


def _size(key: str, value: float) -> int:
    if value < 1 or value != int(value):
        raise ModelError(f"{key}: got {value:g}; accepted: a whole number of bytes from 1 on")
    return int(value)


def _no_room(
    dl_ratio: str | float, direction: str, given: int, symbols: int, overhead: int, parts: str
) -> ModelError:
    return ModelError(
        f"dl_ratio: got {dl_ratio}, which gives the {direction} {given} of {symbols}"
        f" symbols; accepted: at least {overhead + _LEAST_ROOM}, {overhead} for {parts} and"
        f" {_LEAST_ROOM} for a burst"
    )
