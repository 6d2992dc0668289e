"""The model of the performance anomaly against frame times computed by hand."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from evenair.models import Cell, ModelError, anomaly

if TYPE_CHECKING:
    from evenair_command import Evenair

OFDM = Cell(phy="802.11a", mac_overhead=36)


def ofdm_us(mbps: int) -> float:
    """DIFS 34, 7.5 slots of 9 us, 1536 bytes, SIFS 16, an ACK of 14 bytes (17.3.2.3, 17.4.4)."""

    def frame(size: int, rate: int) -> int:
        return 20 + 4 * -(-(16 + 8 * size + 6) // (4 * rate))

    ack = max(basic for basic in (6, 12, 24) if basic <= mbps)
    return 34 + 67.5 + frame(1536, mbps) + 16 + frame(14, ack)


@pytest.mark.parametrize("slow", [6, 9, 12, 18, 24, 36, 48, 54])
def test_two_stations_of_80211a(slow: int) -> None:
    fast_us, slow_us = ofdm_us(54), ofdm_us(slow)
    packets = anomaly(2, 1, slow * 1e6, cell=OFDM)
    assert packets.fast_bps == packets.slow_bps
    assert packets.fast_bps == pytest.approx(12_000 / (fast_us + slow_us) * 1e6)
    assert packets.slow_airtime == pytest.approx(slow_us / (fast_us + slow_us))
    time = anomaly(2, 1, slow * 1e6, "time", cell=OFDM)
    assert time.fast_bps == pytest.approx(12_000 / (2 * fast_us) * 1e6)
    assert time.slow_bps == pytest.approx(12_000 / (2 * slow_us) * 1e6)
    assert time.slow_airtime == pytest.approx(0.5)
    assert time.aggregate_bps == pytest.approx(time.fast_bps + time.slow_bps)


def test_80211b_with_rts() -> None:
    """11 and 1 Mb/s, long preambles of 192 us, control frames at 2 Mb/s, 34 bytes of MAC.

    DIFS 50, 15.5 slots of 20 us; RTS as printed in Table 1 (180 bits), CTS, ACK: 112 bits.
    """
    control = (192 + 180 / 2 + 10) + (192 + 112 / 2 + 10)
    each = {
        mbps: 50 + 310 + control + 192 + 8 * 1534 / mbps + 10 + 192 + 112 / 2 for mbps in (11, 1)
    }
    found = anomaly(10, 2, "1 Mbps", rts=True)
    # The airtime of the simulator is in whole nanoseconds.
    expected = 12_000 / (8 * each[11] + 2 * each[1]) * 1e6
    assert found.fast_bps == pytest.approx(expected, rel=1e-5)
    assert found.aggregate_bps == pytest.approx(10 * expected, rel=1e-5)


def test_stations_of_one_rate() -> None:
    all_slow = anomaly(3, 3, "6 Mbps", cell=OFDM)
    assert all_slow.slow_airtime == pytest.approx(1.0)
    assert all_slow.aggregate_bps == pytest.approx(12_000 / ofdm_us(6) * 1e6)
    assert all_slow.fast_bps != all_slow.fast_bps  # there is none


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((2, 3), "slow_stations: got 3; accepted: 0 to 2"),
        ((2, 1, "11 Mbps", "airtime"), "sharing: got 'airtime'; accepted: packets, time"),
        ((2, 1, "7 Mbps"), "slow_rate: got"),
    ],
)
def test_bad_arguments(arguments: tuple[int, ...], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        anomaly(*arguments)  # type: ignore[arg-type]


def test_check_against_the_simulator(evenair: Evenair) -> None:
    """Within 2%: one transmitter, whose backoff is drawn some 15,000 times."""
    keys = ("phy=802.11a", "mac_overhead=36", "slow_rate=6 Mbps")
    done = evenair("model", "anomaly", *keys, "--check", "--runs", "3", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    document = json.loads(done.stdout)
    for name, found in document["check"]["simulated"].items():
        assert found["mean"] == pytest.approx(document[name], rel=0.02), name
