"""PPDUs of 802.11n, ac and ax: durations by hand, and what the standard does not have."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from evenair import models
from evenair.models import ModelError, ppdu_duration

if TYPE_CHECKING:
    from tests.conftest import Evenair

MHZ, US = 1e6, 1e-6


# A QoS data frame of 1538 bytes, in VHT and HE behind a delimiter of 4. By hand: 16 + 8 L + 6 bits
# in symbols of N_DBPS bits, and the preamble. HT20 MCS 7: 12,326 / 260 = 47.4, 48 symbols of 4 us
# and 36 us.
@pytest.mark.parametrize(
    ("phy", "width", "mcs", "psdu", "us"),
    [
        ("802.11n", 20, 7, 1538, 228),
        ("802.11n", 40, 7, 1538, 128),
        ("802.11ac", 20, 8, 1542, 200),
        ("802.11ac", 40, 9, 1542, 112),
        ("802.11ac", 80, 9, 1542, 72),
        ("802.11ac", 160, 9, 1542, 56),
        ("802.11ax", 20, 11, 1542, 138.4),
        ("802.11ax", 40, 11, 1542, 97.6),
        ("802.11ax", 80, 11, 1542, 70.4),
        ("802.11ax", 160, 11, 1542, 56.8),
        # A-MPDUs of 28, 64 and 256 such frames: 1544 bytes each, the last without padding of 2.
        ("802.11n", 20, 7, 43_230, 5360),
        ("802.11ac", 80, 9, 98_814, 2068),
        ("802.11ax", 80, 11, 395_262, 5320),
    ],
)
def test_durations_by_hand(phy: str, width: int, mcs: int, psdu: int, us: float) -> None:
    ppdu = ppdu_duration(psdu, phy=phy, channel_width=width * MHZ, mcs=mcs)
    assert ppdu.duration_s == pytest.approx(us * US, rel=1e-12)
    assert ppdu == ppdu_duration(psdu, phy=phy, channel_width=width * MHZ)  # the highest MCS


# Tables 19-27 to 19-38, 21-30 to 21-61 and 27-55 to 27-110, Mb/s.
@pytest.mark.parametrize(
    ("phy", "width", "mcs", "streams", "guard_us", "mbps"),
    [
        ("802.11n", 20, 7, 1, 0.4, 72.2),
        ("802.11n", 40, 7, 4, 0.4, 600),
        ("802.11ac", 20, 9, 3, 0.8, 260),
        ("802.11ac", 80, 9, 1, 0.4, 433.3),
        ("802.11ac", 160, 9, 8, 0.4, 6933.3),
        ("802.11ax", 20, 0, 1, 3.2, 7.3),
        ("802.11ax", 80, 11, 1, 0.8, 600.5),
        ("802.11ax", 160, 11, 8, 0.8, 9607.8),
    ],
)
def test_rates_of_the_standard(
    phy: str, width: int, mcs: int, streams: int, guard_us: float, mbps: float
) -> None:
    ppdu = ppdu_duration(
        phy=phy, channel_width=width * MHZ, mcs=mcs, streams=streams, guard_interval=guard_us * US
    )
    assert ppdu.rate_bps / 1e6 == pytest.approx(mbps, abs=0.06)


def test_preambles_by_hand() -> None:
    """Legacy preamble and L-SIG 20 us, then the parts of each format (19.3.9, 21.3.8, 27.3.11)."""

    def us(**keys: Any) -> float:
        return round(ppdu_duration(mcs=0, **keys).preamble_s / US, 6)

    ht, vht = {"phy": "802.11n"}, {"phy": "802.11ac"}
    assert [us(streams=n, **ht) for n in (1, 2, 3, 4)] == [36, 40, 48, 48]
    assert [us(streams=n, **vht) for n in (1, 2, 5, 8)] == [40, 44, 60, 68]
    assert [us(guard_interval=gi * US) for gi in (0.8, 1.6, 3.2)] == [43.2, 44, 52]
    assert us(preamble=36 * US, **vht) == 36


def test_short_guard_intervals_and_2_4_ghz() -> None:
    """48 symbols of 3.6 us are 172.8 us, rounded up to 176 (19.4.3); a signal extension of 6 us."""
    short = ppdu_duration(1538, phy="802.11n", guard_interval=0.4 * US)
    assert short.duration_s == pytest.approx((36 + 176) * US)
    band = ppdu_duration(1538, phy="802.11n", guard_interval=0.4 * US, band="2.4 GHz")
    assert band.duration_s == pytest.approx((36 + 176 + 6) * US)


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ("phy=802.11g", "phy: got '802.11g'; accepted: 802.11ax, 802.11ac, 802.11n"),
        ("phy=802.11be", "phy: got '802.11be', which is not modelled: see"),
        (
            "phy=802.11n channel_width=80MHz",
            "channel_width: got 80 MHz; accepted with 802.11n: 20, 40",
        ),
        ("phy=802.11n streams=5", "streams: got 5; accepted with 802.11n: 1 to 4"),
        ("streams=0", "streams: got '0'; accepted: a whole number from 1 to 8"),
        ("phy=802.11ac guard_interval=1.6us", "guard_interval: got 1.6 us; accepted with 802.11ac"),
        ("mcs=12", "mcs: got '12'; accepted: a whole number from 0 to 11"),
        (
            "phy=802.11n mcs=8",
            "mcs: got 8; accepted with 802.11n, 20 MHz and 1 stream: 0, 1, 2, 3,",
        ),
        (
            "phy=802.11ac mcs=6 streams=3",
            "mcs: got 6; accepted with 802.11ac, 80 MHz and 3 streams",
        ),
        ("phy=802.11ac band=2.4GHz", "band: got '2.4GHz'; accepted: 5 GHz, 2.4 GHz"),
        ("bytes=6500632", "bytes: got '6500632'; accepted: a whole number from 1 to 6500631"),
    ],
)
def test_what_the_standard_does_not_have(evenair: Evenair, keys: str, message: str) -> None:
    done = evenair("model", "ppdu-duration", *keys.split())
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


def test_vht_is_not_in_the_2_4_ghz_band() -> None:
    with pytest.raises(ModelError, match=r"band: got 2.4 GHz; accepted with 802.11ac: 5 GHz"):
        ppdu_duration(phy="802.11ac", band="2.4 GHz")


def test_the_command(evenair: Evenair) -> None:
    keys = ["phy=802.11ax", "channel_width=80 MHz", "mcs=11", "streams=1", "guard_interval=0.8 us"]
    done = evenair("model", "ppdu-duration", *keys, "bytes=1542,395262", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["duration_s"] == pytest.approx([70.4e-6, 5320e-6])
    assert models.evaluate("ppdu-duration", mcs=0)["duration_s"] > 0
