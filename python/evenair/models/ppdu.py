"""How long a PPDU of 802.11n, 802.11ac or 802.11ax with one receiver lasts.

IEEE 802.11-2020 clauses 19 (HT-mixed format) and 21 (VHT), IEEE 802.11ax-2021 clause 27 (HE SU).
HT and VHT have convolutional codes. HE has the tail bits of one encoder here: LDPC, which has none,
may need another symbol. No packet extension. Computed apart from the simulator.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

from evenair.models.numbers import ModelError

PHYS: tuple[str, ...] = ("802.11ax", "802.11ac", "802.11n")
_NOT_MODELLED = ("802.11be",)
BANDS: tuple[str, ...] = ("5 GHz", "2.4 GHz")

_SUBCARRIERS: dict[str, dict[int, int]] = {
    "802.11n": {20: 52, 40: 108},
    "802.11ac": {20: 52, 40: 108, 80: 234, 160: 468},
    "802.11ax": {20: 234, 40: 468, 80: 980, 160: 1960},
}
"""Data subcarriers by width in MHz (tables 19-6, 21-5; RUs of tables 27-13)."""
_CODED_BITS = (1, 2, 2, 4, 4, 6, 6, 6, 8, 8, 10, 10)
"""Of a subcarrier, by MCS (19.5, 21.5, 27.5)."""
_CODE_RATES = (
    *(Fraction(1, 2), Fraction(1, 2), Fraction(3, 4), Fraction(1, 2)),
    *(Fraction(3, 4), Fraction(2, 3), Fraction(3, 4), Fraction(5, 6)),
    *(Fraction(3, 4), Fraction(5, 6), Fraction(3, 4), Fraction(5, 6)),
)
_HIGHEST_MCS = {"802.11n": 7, "802.11ac": 9, "802.11ax": 11}
_MOST_STREAMS = {"802.11n": 4, "802.11ac": 8, "802.11ax": 8}
_GUARD_NS = {"802.11n": (800, 400), "802.11ac": (800, 400), "802.11ax": (800, 1600, 3200)}
_USEFUL_NS = {"802.11n": 3200, "802.11ac": 3200, "802.11ax": 12_800}
_NOT_IN_VHT = {20: {9: {1, 2, 4, 5, 7, 8}}, 80: {6: {3, 7}, 9: {6}}, 160: {9: {3}}}
"""MCS by width that these numbers of streams do not have (tables 21-30 to 21-61)."""
_ENCODER_BITS = {"802.11n": 1080, "802.11ac": 2160}
"""Data bits of a symbol per encoder: 300 and 600 Mb/s with symbols of 3.6 us (19.3.11.3,
21.3.10.5.2)."""
_FIXED_NS = {"802.11n": 32_000, "802.11ac": 36_000, "802.11ax": 36_000}
"""Preamble without LTFs: 20 us of legacy preamble and L-SIG, then of HT 8 + 4, of VHT 8 + 4 + 4 and
of HE 4 + 8 + 4 us (19.3.9, 21.3.8, 27.3.11)."""
_TRAINING = (0, 1, 2, 4, 4, 6, 6, 8, 8)
"""LTFs by number of streams (table 19-13, 21-13)."""
_SIGNAL_EXTENSION_NS = 6000
"""Silence behind each PPDU at 2.4 GHz (19.4.3, 27.4.3)."""
_SERVICE, _TAIL = 16, 6
MAX_PSDU = 6_500_631
"""The largest PSDU of HE, bytes (table 27-54)."""


class Ppdu(NamedTuple):
    """A PPDU."""

    duration_s: float
    """From the start of its preamble, at 2.4 GHz with the signal extension."""
    preamble_s: float
    """Preamble and headers."""
    symbols: int
    """Data symbols."""
    bits_per_symbol: int
    """Data bits of a symbol, N_DBPS."""
    rate_bps: float
    """The data rate of its mode."""


def shown_phy(phy: str) -> str:
    """Return a PHY that is not accepted, for messages, with the page if it is not modelled."""
    page = ', which is not modelled: see "What is not modelled", docs/not-modelled.md'
    return f"{phy!r}{page}" if phy in _NOT_MODELLED else repr(phy)


def ppdu_duration(
    psdu: int = 1542,
    *,
    phy: str = "802.11ax",
    channel_width: float | None = None,
    mcs: int | None = None,
    streams: int = 1,
    guard_interval: float = 0.8e-6,
    preamble: float | None = None,
    band: str = "5 GHz",
) -> Ppdu:
    """Return the PPDU that carries `psdu` bytes.

    `channel_width` in Hz, 80 MHz by default and 20 MHz of 802.11n; `mcs` per stream, by default the
    highest that there is; `guard_interval` and `preamble` in seconds, the latter instead of the
    standard's. Raises ModelError.
    """
    if phy not in PHYS:
        raise ModelError(f"phy: got {shown_phy(phy)}; accepted: {', '.join(PHYS)}")
    if band not in BANDS or (band == "2.4 GHz" and phy == "802.11ac"):
        accepted = BANDS[0] if phy == "802.11ac" else ", ".join(BANDS)
        raise ModelError(f"band: got {band}; accepted with {phy}: {accepted}")
    widths = _SUBCARRIERS[phy]
    width = (20 if phy == "802.11n" else 80) if channel_width is None else channel_width / 1e6
    if width not in widths:
        accepted = ", ".join(map(str, widths))
        raise ModelError(f"channel_width: got {width:g} MHz; accepted with {phy}: {accepted} MHz")
    if not 1 <= streams <= _MOST_STREAMS[phy]:
        most = _MOST_STREAMS[phy]
        raise ModelError(f"streams: got {streams}; accepted with {phy}: 1 to {most}")
    guard_ns = round(guard_interval * 1e9)
    if guard_ns not in _GUARD_NS[phy]:
        accepted = ", ".join(f"{ns / 1e3:g}" for ns in _GUARD_NS[phy])
        got = f"{guard_interval * 1e6:g} us"
        raise ModelError(f"guard_interval: got {got}; accepted with {phy}: {accepted} us")
    index = _mcs(phy, int(width), streams, mcs)
    if not 1 <= psdu <= MAX_PSDU:
        raise ModelError(f"bytes: got {psdu}; accepted: 1 to {MAX_PSDU}")

    coded = widths[int(width)] * _CODED_BITS[index] * streams
    data = math.floor(coded * _CODE_RATES[index])
    encoders = _encoders(phy, coded, data, _CODE_RATES[index])
    symbols = math.ceil(Fraction(_SERVICE + 8 * psdu + _TAIL * encoders, data))
    symbol_ns = _USEFUL_NS[phy] + guard_ns
    data_ns = symbols * symbol_ns
    if phy != "802.11ax":  # a short guard interval ends at a multiple of 4 us (19.4.3, 21.4.3)
        data_ns = 4000 * math.ceil(Fraction(data_ns, 4000))
    standard_ns = _FIXED_NS[phy] + _TRAINING[streams] * _training_ns(phy, guard_ns)
    preamble_ns = standard_ns if preamble is None else round(preamble * 1e9)
    extension_ns = _SIGNAL_EXTENSION_NS if band == "2.4 GHz" else 0
    return Ppdu(
        duration_s=(preamble_ns + data_ns + extension_ns) / 1e9,
        preamble_s=preamble_ns / 1e9,
        symbols=symbols,
        bits_per_symbol=data,
        rate_bps=data * 1e9 / symbol_ns,
    )


def _mcs(phy: str, width: int, streams: int, mcs: int | None) -> int:
    missing = _NOT_IN_VHT.get(width, {}) if phy == "802.11ac" else {}
    indices = range(_HIGHEST_MCS[phy] + 1)
    allowed = [index for index in indices if streams not in missing.get(index, ())]
    if mcs is None:
        return allowed[-1]
    if mcs not in allowed:
        accepted = ", ".join(map(str, allowed))
        with_streams = f"{streams} stream{'' if streams == 1 else 's'}"
        where = f"{phy}, {width} MHz and {with_streams}"
        raise ModelError(f"mcs: got {mcs}; accepted with {where}: {accepted}")
    return mcs


def _training_ns(phy: str, guard_ns: int) -> int:
    """An LTF; of HE twice compressed, but not with a guard interval of 3.2 us (27.3.11.10)."""
    if phy != "802.11ax":
        return 4000
    return _USEFUL_NS[phy] // (1 if guard_ns == 3200 else 2) + guard_ns


def _encoders(phy: str, coded: int, data: int, code: Fraction) -> int:
    """N_ES: as few as the standard allows, so that each has the same number of whole code words."""
    if phy == "802.11ax":
        return 1
    encoders = math.ceil(Fraction(data, _ENCODER_BITS[phy]))
    while coded % (encoders * code.denominator):
        encoders += 1
    return encoders
