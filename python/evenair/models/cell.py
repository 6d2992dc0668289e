"""The parameters of the cell: Miorandi et al., section 2.3 and Table 1.

Timing and airtimes are those of the simulator.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from evenair._core import Phy
from evenair._core import Scenario as CoreScenario
from evenair.models.numbers import ModelError
from evenair.models.ppdu import PHYS, Ppdu, ppdu_duration

_FLOW = ("segment", "header")
_DELIMITER = 4
"""Bytes before the MPDU of an S-MPDU (IEEE 802.11-2020 9.7.1)."""
_BEST_EFFORT = 3
"""AIFSN (802.11-2020 table 9-155)."""
_MODE = ("channel_width", "mcs", "streams", "guard_interval", "preamble", "band")


@dataclass(frozen=True)
class Cell:
    """A cell that uses RTS/CTS for each frame, and the sizes of the frames.

    `phy`, `preamble`, `data_rate`, `control_rate` are those of a scenario, with the
    same units and errors. The defaults are the paper's: 802.11b with the long preamble at 11 Mb/s,
    control frames at 2 Mb/s. Those of the other PHYs are the scenario's. Raises ModelError.
    """

    phy: str = "802.11b"
    preamble: str | float | None = None
    """802.11b: "long" (the default), "short", or the duration of preamble and PLCP header."""
    data_rate: str | float | None = None
    """Bit/s, or text with a unit."""
    control_rate: str | float | None = None
    """The rate of RTS, CTS and ACK: bit/s, text with a unit, or "basic".

    None is 2 Mb/s with 802.11b, and "basic" with the other PHYs.
    """
    mac_overhead: int = 34
    """Bytes that the MAC adds, L_MAC: 272 bits. (The simulator's default, with LLC/SNAP, is 36.)"""
    segment: int = 1000
    """Bytes of payload in a TCP segment, L_TCP: 8000 bits, without the header."""
    header: int = 40
    """Bytes of the TCP/IP header, L_IPH: 320 bits; also the size of a TCP acknowledgement."""
    rts_bits: int = 180
    """L_RTS as printed. In the standard and in the simulator it is 160 (7.2.1.1)."""
    attempts: int = 7
    """Transmissions of a frame before it is dropped, m."""
    channel_width: float | str | None = None
    """This and the following: 802.11n, ac and ax, as of a scenario, for Bianchi's model alone."""
    mcs: int | None = None
    streams: int | None = None
    guard_interval: float | str | None = None
    band: str | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.rts_bits, int) or not 1 <= self.rts_bits <= 10_000:
            accepted = "a whole number from 1 to 10000"
            raise ModelError(f"rts_bits: got {self.rts_bits!r}; accepted: {accepted}")
        _ = self.resolved  # raises if the simulator would not accept it

    @cached_property
    def resolved(self) -> dict[str, Any]:
        """The `cell` of the corresponding scenario, resolved: bit/s, seconds, bytes."""
        cell: dict[str, Any] = json.loads(self._scenario.resolved_json())["cell"]
        return cell

    @cached_property
    def _scenario(self) -> CoreScenario:
        named = {
            "phy": self.phy,
            "preamble": self.preamble,
            "data_rate": self.data_rate,
            "control_rate": self.control_rate,
            "mac_overhead": self.mac_overhead,
            "rts_threshold": 0,
            "short_retry_limit": self.attempts,
            "channel_width": self.channel_width,
            "mcs": self.mcs,
            "streams": self.streams,
            "guard_interval": self.guard_interval,
            "band": self.band,
        }
        if self.control_rate is None and self.phy == "802.11b":
            named["control_rate"] = "2 Mbps"
        flow = {"direction": "down", "segment": self.segment, "header": self.header}
        cell = {key: value for key, value in named.items() if value is not None}
        try:
            document = json.dumps({"cell": cell, "station": [{"flows": [flow]}]}, allow_nan=False)
            scenario = CoreScenario(document, "model")
            scenario.resolve()
        except (TypeError, ValueError) as error:
            raise ModelError(_with_own_keys(str(error))) from None
        return scenario

    @cached_property
    def phy_timing(self) -> Phy:
        """The simulator's timing of this cell's PHY."""
        return self._scenario.phy()

    def require_dcf(self) -> None:
        """Raise ModelError if the cell has EDCA, for models of the DCF."""
        if self.phy in PHYS:
            accepted = "802.11b, 802.11a, 802.11g; bianchi and edca have 802.11n, ac and ax"
            raise ModelError(f"phy: got {self.phy!r}; accepted: {accepted}")

    # --- Contention window: in the paper a backoff is uniform on 0..CW-1 ------------------------

    @cached_property
    def cw_min(self) -> int:
        """CW_min, the number of values of a first backoff: 32 in Table 1."""
        return self.phy_timing.cw_min + 1

    @cached_property
    def doublings(self) -> int:
        """gamma, the number of doublings of the window: 5 in Table 1."""
        return ((self.phy_timing.cw_max + 1) // self.cw_min).bit_length() - 1

    @cached_property
    def first_backoff_s(self) -> float:
        """T_slot (CW_min - 1)/2, the mean backoff before the first attempt."""
        self.require_dcf()
        return self.phy_timing.slot_s * (self.cw_min - 1) / 2

    # --- Airtimes, seconds --------------------------------------------------------------------

    def frame_s(self, bits: int) -> float:
        """Airtime of preamble, PLCP header and `bits` at the data rate; of a PPDU with an MPDU."""
        if self.phy in PHYS:
            delimiter = 0 if self.phy == "802.11n" else _DELIMITER
            return self._ppdu(bits // 8 + delimiter).duration_s
        return self.phy_timing.airtime_s(bits, self.resolved["data_rate"])

    def _ppdu(self, psdu: int) -> Ppdu:
        mode = {key: self.resolved[key] for key in _MODE if key in self.resolved}
        return ppdu_duration(psdu, phy=self.phy, **mode)

    @cached_property
    def data_bps(self) -> float:
        """The rate of data frames, bit/s."""
        if self.phy in PHYS:
            return float(self._ppdu(1).rate_bps)
        return float(self.resolved["data_rate"])

    @cached_property
    def control_bps(self) -> int:
        """The rate of control frames, which is that of all exchanges: bit/s."""
        if self.phy in PHYS:
            fixed, mcs = self.resolved["control_rate"], self.resolved["mcs"]
            # The highest basic rate up to the non-HT reference rate of the MCS (10.6.6.5.2).
            return int((6e6, 12e6, 12e6, 24e6)[min(mcs, 3)] if fixed == "basic" else fixed)
        return self.phy_timing.control_rate_bps(self.resolved["data_rate"])

    @cached_property
    def ifs_s(self) -> float:
        """DIFS, or AIFS of best effort with 802.11n, ac and ax: before a backoff."""
        timing = self.phy_timing
        if self.phy in PHYS:
            return timing.sifs_s + _BEST_EFFORT * timing.slot_s
        return timing.difs_s

    def control_s(self, bits: int) -> float:
        """Airtime of preamble, PLCP header and `bits` at the control rate."""
        return self.phy_timing.airtime_s(bits, self.control_bps)

    @cached_property
    def rts_s(self) -> float:
        """Airtime of an RTS."""
        return self.control_s(self.rts_bits)

    @cached_property
    def ack_s(self) -> float:
        """Airtime of a MAC ACK."""
        return self.control_s(Phy.ACK_BITS)

    @cached_property
    def reservation_s(self) -> float:
        """RTS, SIFS, CTS and SIFS, which precede a frame."""
        sifs = self.phy_timing.sifs_s
        return self.rts_s + sifs + self.control_s(Phy.CTS_BITS) + sifs

    def exchange_s(self, payload_bits: int) -> float:
        """DIFS, RTS, CTS, a frame with `payload_bits` and the MAC's overhead, and its ACK."""
        self.require_dcf()
        timing = self.phy_timing
        frame = self.frame_s(8 * self.mac_overhead + payload_bits)
        return timing.difs_s + self.reservation_s + frame + timing.sifs_s + self.ack_s

    @cached_property
    def tcp_data_s(self) -> float:
        """T_TCP_data (section 2.3), without backoff."""
        return self.exchange_s(8 * (self.header + self.segment))

    @cached_property
    def tcp_ack_s(self) -> float:
        """T_TCP_ack (section 2.3), without backoff."""
        return self.exchange_s(8 * self.header)

    @cached_property
    def segment_bits(self) -> int:
        """L_TCP, bits of payload in a segment."""
        return 8 * self.segment


TABLE_1 = Cell()
"""Table 1 and section 2.3 as printed."""


def _with_own_keys(message: str) -> str:
    """Replace the keys of a scenario in an error message by those of a cell."""
    message = message.removeprefix("model: ").replace("short_retry_limit", "attempts")
    return message.replace("station.0.flows.0.", "").replace("cell.", "")
