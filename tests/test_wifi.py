"""Cells of 802.11n, 802.11ac and 802.11ax, from keys to results."""

from __future__ import annotations

from typing import TYPE_CHECKING

import evenair as ea
import pytest
from evenair.engine import captures_air

if TYPE_CHECKING:
    from pathlib import Path


def document(phy: str, **cell: object) -> dict[str, object]:
    """A cell with three stations, each with an upload of voice and a download of best effort."""
    flows = [{"direction": "up", "access_category": "vo"}, {"direction": "down"}]
    station = [{"count": 3, "flows": flows}]
    return {"duration": "1 s", "cell": {"phy": phy, **cell}, "station": station}


@pytest.mark.parametrize("phy", ["802.11n", "802.11ac", "802.11ax"])
def test_results_have_the_categories(phy: str) -> None:
    result = ea.run(ea.Scenario(**document(phy)))
    air = result.document["air"]
    assert sum(air.values()) == pytest.approx(1, abs=1e-9)
    assert air["preambles"] > 0
    assert air["block_acks"] > 0
    for station in result.document["stations"]:
        # Its data in voice, and the acknowledgements of the download in best effort.
        assert list(station["categories"]) == ["be", "vo"]
        shares = [of["airtime_share"] for of in station["categories"].values()]
        assert sum(shares) == pytest.approx(station["tx_airtime_share"], abs=0.01)
        assert station["mpdus_per_ppdu"] >= 1
        assert 0 <= station["retried_mpdus"] < 1


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ({"phy": "802.11n"}, 59.75),
        ({"phy": "802.11ac", "preamble": "36 us"}, 339.1),
        ({"phy": "802.11ax", "preamble": "44 us"}, 549.4),
    ],
)
def test_one_station_by_arithmetic(cell: dict[str, object], expected: float) -> None:
    """Datagrams of 1,472 bytes in the longest A-MPDUs, with ns-3's preambles.

    SIFS, AIFSN 3, on average 7.5 slots, the PPDU, SIFS and a Block Ack; 0.5 % for the mean of the
    backoffs, of which a run of 10 s has 1,800 and more (standard error 0.02 % of a cycle).
    """
    flow = {"direction": "up", "transport": "udp", "segment": 1472, "header": 28}
    flow["rate"] = f"{1.3 * expected} Mbps"
    scenario = ea.Scenario(
        duration="10 s",
        warmup="1 s",
        cell=cell,
        wired={"rate": "unlimited", "delay": "0 s"},
        station=[{"flows": [flow]}],
    )
    goodput = ea.run(scenario).aggregate_goodput_bps / 1e6
    assert goodput == pytest.approx(expected, rel=0.005)


def test_beacons_take_their_time() -> None:
    """In 1.65 s, 16 beacons of 102.4 ms; the first of them comes before the measurement.

    66 bytes as in 802.11a, 26 of HT Capabilities, 22 of HT Operation, 18 of EDCA parameters with 2
    more each, at 6 Mb/s: 47 symbols of 24 bits, 208 us, after a PIFS of 25 us.
    """
    cell = document("802.11n", beacon_interval="102.4 ms")
    result = ea.run(ea.Scenario(**{**cell, "duration": "1.5 s", "warmup": "0.15 s"}))
    beacons = result.document["ap"]["beacons"]
    assert beacons["sent"] == 15
    assert beacons["lost"] <= 1
    assert beacons["occupancy_share"] == pytest.approx(15 * 233e-6 / 1.5)
    # Stations occupy the medium by their attempts and by those for them: at least their airtime.
    stations = result.document["stations"]
    assert all(0 < s["airtime_share"] < s["occupancy_share"] for s in stations)
    shares = [s["occupancy_share"] for s in stations]
    jain = sum(shares) ** 2 / len(shares) / sum(share**2 for share in shares)
    assert result.document["jain_occupancy"] == pytest.approx(jain)


def test_a_resolved_scenario_gives_the_same_result() -> None:
    scenario = ea.Scenario(**document("802.11ac", edca={"vo": {"txop": "0 us"}}, streams=2))
    cell = scenario.resolved["cell"]
    assert (cell["mcs"], cell["channel_width"], cell["mac_overhead"]) == (9, 80_000_000, 38)
    assert "data_rate" not in cell
    again = ea.Scenario(**scenario.resolved)
    assert ea.run(again).document["fingerprint"] == ea.run(scenario).document["fingerprint"]


def test_captures_are_of_the_air_and_of_the_wire(tmp_path: Path) -> None:
    scenario = ea.Scenario(**document("802.11ax"))
    assert captures_air(scenario)
    ea.run(scenario, pcap=tmp_path / "x.pcapng")
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == ["x-wire.pcapng", "x.pcapng"]


def test_a_discipline_with_an_order_of_its_own_runs_with_aggregation() -> None:
    for kind in ["las", "spm-af", "codel", "fq-codel", "pie", "dualpi2"]:
        queue = {"kind": kind, "limit": 100}
        result = ea.run(ea.Scenario(**document("802.11ax", queue=queue)))
        assert result.aggregate_goodput_bps > 30e6, kind
        assert result.document["ap"]["mpdus_per_ppdu"] > 1, kind
