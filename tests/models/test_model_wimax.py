"""The frame of an 802.16 cell, against published accounts and symbols counted by hand."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from evenair import models
from evenair.cli import main
from evenair.models.wimax import BYTES_PER_SYMBOL, downlink_symbols

if TYPE_CHECKING:
    from evenair_command import Evenair

# One station, 7 MHz, 5 ms, 1/16, 64QAM 3/4, maps of 240 bytes: downlink and uplink symbols, data
# symbols of both, capacities in Mb/s, TCP's bound in Mb/s, ACKs and segments per frame.
FRAMES = {
    "1:1": (73, 73, 63, 54, 10.79, 9.24, 10.32, 125, 6.30),
    "2:1": (97, 49, 87, 30, 14.89, 5.14, 14.25, 69, 8.70),
    "3:1": (109, 37, 99, 18, 16.95, 3.08, 16.22, 41, 9.90),
    "4:1": (116, 30, 106, 11, 18.15, 1.88, 17.37, 25, 10.60),
    "5:1": (121, 25, 111, 6, 19.00, 1.03, 18.19, 13, 11.10),
    "6:1": (125, 21, 115, 2, 19.69, 0.34, 18.84, 4, 11.50),
}


@pytest.mark.parametrize("ratio", FRAMES)
def test_the_ratios_of_the_paper(ratio: str) -> None:
    frame = models.wimax_frame(ratio)
    dl, ul, dl_data, ul_data, dl_mbps, ul_mbps, bound, acks, segments = FRAMES[ratio]
    assert frame.symbols == 146
    assert (frame.dl_symbols, frame.ul_symbols) == (dl, ul)
    assert (frame.dl_data_symbols, frame.ul_data_symbols) == (dl_data, ul_data)
    assert frame.dl_capacity_bps == pytest.approx(dl_mbps * 1e6, abs=5e3)
    assert frame.ul_capacity_bps == pytest.approx(ul_mbps * 1e6, abs=5e3)
    assert frame.tcp_bound_bps == pytest.approx(bound * 1e6, abs=5e3)
    assert frame.acks_per_frame == acks
    assert frame.segments_per_frame == pytest.approx(segments)


@pytest.mark.parametrize("stations", [1, 2, 6, 12])
@pytest.mark.parametrize("maps", ["maximum", "actual"])
@pytest.mark.parametrize("modulation", BYTES_PER_SYMBOL)
def test_the_parts_make_the_frame(stations: int, maps: str, modulation: str) -> None:
    frame = models.wimax_frame(2, stations, maps=maps, modulation=modulation)
    downlink = (frame.preamble_symbols, frame.map_symbols, frame.dl_gap_symbols)
    uplink = (frame.ranging_symbols, frame.request_symbols, frame.ul_gap_symbols)
    assert sum(downlink) + frame.dl_data_symbols == frame.dl_symbols
    assert sum(uplink) + frame.ul_data_symbols == frame.ul_symbols
    assert frame.dl_symbols + frame.ul_symbols == frame.symbols


def test_stations_share_the_frame() -> None:
    """3:1 leaves 100 symbols for bursts and 19 for grants; each takes one besides its data."""
    frame = models.wimax_frame("3:1", 6)
    assert (frame.dl_data_symbols, frame.ul_data_symbols) == (94, 13)
    # The maximum maps have ten entries, of the UL-MAP two for the contention regions.
    assert models.wimax_frame("1:1", 20).dl_gap_symbols == 10
    assert models.wimax_frame("1:1", 20).ul_gap_symbols == 1 + 8
    # At 5:1 seven symbols are left, room for three grants of two or more; at 6:1 three.
    assert models.wimax_frame("5:1", 6).ul_gap_symbols == 1 + 3
    assert models.wimax_frame("6:1", 6).ul_gap_symbols == 1 + 1


@pytest.mark.parametrize(("stations", "symbols"), [(1, 3), (6, 5)])
def test_maps_of_their_own_size(stations: int, symbols: int) -> None:
    """8 + 4 k and 7 + 6 (k + 2) bytes, 23 per symbol: 1 + 2 symbols for k = 1, 2 + 3 for k = 6."""
    assert models.wimax_frame("1:1", stations, maps="actual").map_symbols == symbols


# By hand: Fs = n * bandwidth, to whole 8 kHz; slots = frame * Fs/4; symbols = (slots - 20) /
# (64 (1 + G)), to whole numbers.
@pytest.mark.parametrize(
    ("bandwidth", "frame", "prefix", "symbols"),
    [
        (3.5e6, 0.005, "1/4", 62),  # n = 8/7, Fs = 4 MHz, 5000 slots, 80 per symbol
        (10e6, 0.010, "1/8", 399),  # 144/125, 11.52 MHz, 28800, 72
        (5.5e6, 0.020, "1/32", 478),  # 316/275, 6.32 MHz, 31600, 66
        (3e6, 0.004, "1/16", 50),  # 86/75, 3.44 MHz, 3440, 68
        (4e6, 0.008, "1/4", 113),  # 57/50, 4.56 MHz, 9120, 80
        (2.25e6, 0.0125, "1/4", 100),  # 8/7, 2.571 to 2.568 MHz, 8025, 80
        (7e6, 0.0025, "1/16", 73),  # 8/7, 8 MHz, 5000, 68
    ],
)
def test_symbols_per_frame(bandwidth: float, frame: float, prefix: str, symbols: int) -> None:
    found = models.wimax_frame(
        bandwidth=bandwidth, frame=frame, cyclic_prefix=prefix, contention_slots=1, dl_ratio=0.6
    )
    assert found.symbols == symbols


def test_sizes() -> None:
    """64QAM 3/4 carries 864 bits with the tail byte; a CRC makes a PDU of 1024 + 40 + 10 bytes."""
    plain, full = models.wimax_frame(), models.wimax_frame(bytes_per_symbol=108)
    assert full.dl_capacity_bps / plain.dl_capacity_bps == pytest.approx(108 / 107)
    crc = models.wimax_frame(crc=True)
    assert crc.tcp_bound_bps == pytest.approx(plain.dl_capacity_bps * 1024 / 1074)
    assert crc.acks_per_frame == 54 * 107 // 50


def test_ratios() -> None:
    for ratio in ("3:1", 3, "3", 0.75, "0.75", "6:2"):
        assert downlink_symbols(146, ratio) == 109  # 109.5
    assert downlink_symbols(1001, "1000:1") == 1000
    assert downlink_symbols(100, 0.29) == 28  # of 28.999999999999996, as 0.29 is no binary fraction


def test_ratios_on_the_command_line(capfd: pytest.CaptureFixture[str]) -> None:
    def ask(*keys: str) -> dict[str, Any]:
        assert main(["model", "wimax-frame", *keys, "--json"]) == 0
        document: dict[str, Any] = json.loads(capfd.readouterr().out)
        return document

    assert ask("dl_ratio=3:1")["dl_data_symbols"] == 99
    several = ask("dl_ratio=1:1,3:1,0.75,6")
    assert several["inputs"]["dl_ratio"] == ["1:1", "3:1", 0.75, 6]
    assert several["dl_data_symbols"] == [63, 99, 99, 115]
    assert ask("dl_ratio=1:6:1")["ul_data_symbols"] == [54, 30, 18, 11, 6, 2]
    same = ask("bandwidth=7e6", "frame=0.005", "modulation=64qam-3/4")
    assert same == ask("bandwidth=7 MHz", "frame=5 ms") == ask()


def test_the_table_has_a_row_for_each_of_many_results(evenair: Evenair) -> None:
    done = evenair("model", "wimax-frame", "dl_ratio=1:1,6:1")
    assert (done.returncode, done.stderr) == (0, "")
    rows = {line[:32].strip(): line[32:].split() for line in done.stdout.splitlines()}
    assert rows["dl_ratio"] == ["1:1", "6:1"]
    assert rows["uplink data"] == ["54", "2"]


@pytest.mark.parametrize("keys", [("dl_ratio=1:1,6:1",), ("dl_ratio=3:1", "stations=6")])
def test_the_simulator_agrees(evenair: Evenair, keys: tuple[str, ...]) -> None:
    """The same symbols; capacities within 1%, as DCD, UCD and fragments cost what is not counted.

    DCD and UCD take 5 symbols every 1000 frames. A burst ends in a fragment, which costs 2 bytes,
    and the next begins with the rest, which costs 8: 10 of 6741 bytes at 1:1.
    """
    done = evenair("model", "wimax-frame", *keys, "--check", "--runs", "2", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    document = json.loads(done.stdout)
    simulated = document["check"]["simulated"]
    several = isinstance(document["symbols"], list)
    for name, found in simulated.items():
        for place, one in enumerate(found if several else [found]):
            model = document[name][place] if several else document[name]
            if name.endswith("symbols"):
                assert one == {"mean": model, "ci95": 0}
            elif name != "ul_capacity_bps":  # the uplink's depends on requests
                assert one["mean"] == pytest.approx(model, rel=0.01)
