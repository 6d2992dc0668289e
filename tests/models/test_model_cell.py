"""The models' timing is the simulator's, and the paper's where the paper is about 802.11b."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import evenair as ea
import pytest
from evenair import _core, models
from evenair.models import TABLE_1, Cell, ModelError

if TYPE_CHECKING:
    from collections.abc import Callable


def phy(**cell: object) -> _core.Phy:
    document = {"cell": cell, "station": [{"flows": [{"direction": "down"}]}]}
    return _core.Scenario(json.dumps(document), "test").phy()


def test_table_1() -> None:
    timing = TABLE_1.phy_timing
    assert (timing.slot_s, timing.sifs_s, timing.difs_s) == (20e-6, 10e-6, 50e-6)
    assert (TABLE_1.cw_min, TABLE_1.cw_min << TABLE_1.doublings) == (32, 1024)
    assert (TABLE_1.doublings, TABLE_1.attempts, TABLE_1.rts_bits) == (5, 7, 180)
    assert (8 * TABLE_1.mac_overhead, 8 * TABLE_1.header, TABLE_1.segment_bits) == (272, 320, 8000)
    assert (TABLE_1.resolved["data_rate"], TABLE_1.resolved["control_rate"]) == (11e6, 2e6)
    assert TABLE_1.resolved["preamble"] == "long"


def test_raw_transmission_times() -> None:
    """The two formulas of section 2.3 in microseconds; airtimes are whole nanoseconds."""
    head = 144 + 48
    reserve = 50 + head + 180 / 2 + 10 + head + 112 / 2 + 10
    answer = 10 + head + 112 / 2
    data = reserve + head + (272 + 320 + 8000) / 11 + answer
    ack = reserve + head + (272 + 320) / 11 + answer
    assert pytest.approx(data * 1e-6, abs=1e-9) == TABLE_1.tcp_data_s
    assert pytest.approx(ack * 1e-6, abs=1e-9) == TABLE_1.tcp_ack_s


def test_the_standards_rts_saves_ten_microseconds() -> None:
    standard = Cell(rts_bits=_core.Phy.RTS_BITS)
    assert TABLE_1.tcp_data_s - standard.tcp_data_s == pytest.approx(10e-6)
    assert TABLE_1.tcp_ack_s - standard.tcp_ack_s == pytest.approx(10e-6)


@pytest.mark.parametrize(
    ("cell", "slot", "sifs", "difs", "window", "ack"),
    [
        # IEEE 802.11-2007: 18.3.3; 17.4.3; 19.8.4. The ACK's 14 bytes at 2 or 24 Mb/s, by hand:
        # preamble + 112 bits, or 20 us + ceil((22 + 112)/96) symbols of 4 us (+ 6 us with ERP).
        ({"phy": "802.11b", "preamble": "long"}, 20, 10, 50, 32, 192 + 56),
        ({"phy": "802.11b", "preamble": "short"}, 20, 10, 50, 32, 96 + 56),
        ({"phy": "802.11a"}, 9, 16, 34, 16, 28),
        ({"phy": "802.11g"}, 9, 10, 28, 16, 34),
    ],
)
def test_other_phys(
    cell: dict[str, str], slot: float, sifs: float, difs: float, window: int, ack: float
) -> None:
    found = Cell(**cell)  # type: ignore[arg-type]
    timing = found.phy_timing
    microseconds = [1e6 * t for t in (timing.slot_s, timing.sifs_s, timing.difs_s, found.ack_s)]
    assert microseconds == pytest.approx([slot, sifs, difs, ack])
    assert found.cw_min == window == timing.cw_min + 1
    assert found.cw_min << found.doublings == timing.cw_max + 1 == 1024


def test_rates_and_preamble_of_a_scenario() -> None:
    cell = Cell(preamble="120 us", data_rate="5.5 Mbps", control_rate=1e6)
    assert cell.resolved["data_rate"] == 5.5e6
    assert cell.control_s(112) == pytest.approx(120e-6 + 112e-6)
    assert cell.frame_s(11_000) == pytest.approx(120e-6 + 2e-3)
    assert cell.phy_timing.rates_bps == [1_000_000, 2_000_000, 5_500_000, 11_000_000]
    assert phy(phy="802.11a").rates_bps[-1] == 54_000_000


@pytest.mark.parametrize(
    ("cell", "mbps"),
    [
        # IEEE 802.11-2007 9.6: the highest basic (here mandatory) rate up to that of the data.
        ({"phy": "802.11a", "data_rate": "6 Mbps"}, 6),
        ({"phy": "802.11g", "data_rate": "18 Mbps"}, 12),
        ({"phy": "802.11a"}, 24),
        ({"control_rate": "basic"}, 11),
        ({"control_rate": "basic", "data_rate": "5.5 Mbps"}, 5.5),
        ({"phy": "802.11g", "control_rate": "9 Mbps"}, 9),
        ({}, 2),
    ],
)
def test_rate_of_control_frames(cell: dict[str, str], mbps: float) -> None:
    assert Cell(**cell).control_bps == mbps * 1e6  # type: ignore[arg-type]


def test_a_cell_is_that_of_a_scenario() -> None:
    """What a cell resolves to can be simulated as it is."""
    scenario = ea.Scenario(cell=TABLE_1.resolved, station=[{"flows": [{"direction": "up"}]}])
    assert scenario.resolved["cell"] == TABLE_1.resolved


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"phy": "802.11n", "mcs": 8}, "mcs: got MCS 8; accepted: with 802.11n"),
        ({"mcs": 7}, 'mcs: got it with phy "802.11b"; accepted: phy "802.11n"'),
        ({"data_rate": "10 Mbps"}, r"data_rate: got 10 Mbps; accepted: a rate of 802\.11b"),
        ({"phy": "802.11z"}, r"phy: got .802\.11z"),
        ({"phy": "802.11g", "preamble": "short"}, "preamble: got a preamble"),
        ({"attempts": 0}, "attempts: got 0; accepted: a whole number from 1 to 255"),
        ({"segment": -1}, "segment: got -1"),
        ({"header": 10}, "header: got 10"),
        ({"mac_overhead": 1.5}, r"mac_overhead: got 1\.5"),
        ({"rts_bits": 0}, "rts_bits: got 0; accepted: a whole number from 1 to 10000"),
        ({"data_rate": float("nan")}, "not JSON compliant"),
    ],
)
def test_bad_cells(keys: dict[str, object], message: str) -> None:
    with pytest.raises(ModelError, match=f"^.*{message}") as caught:
        Cell(**keys)  # type: ignore[arg-type]
    assert "\n" not in str(caught.value)


def test_frames_that_are_none() -> None:
    with pytest.raises(ValueError, match="expected a frame"):
        phy().airtime_s(1 << 50, 11_000_000)
    with pytest.raises(ValueError, match="expected a frame"):
        phy().airtime_s(100, 0)
    with pytest.raises(_core.ScenarioError, match="test: not JSON"):
        _core.Scenario("{", "test")


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        *[("time", "10 s", 10.0), ("time", "2 ms", 0.002), ("time", "0.1", 0.1)],
        *[("size", "30 KB", 30_000.0), ("size", "1 KiB", 1024.0), ("size", "7", 7.0)],
        *[("rate", "11 Mbps", 11e6), ("rate", "2e6", 2e6)],
    ],
)
def test_quantities_are_read_as_in_scenarios(kind: str, text: str, value: float) -> None:
    assert _core.quantity(kind, text) == value


@pytest.mark.parametrize("text", ["-1 s", "10 parsec", "inf", "nan", "", "s"])
def test_bad_quantities(text: str) -> None:
    with pytest.raises(ValueError, match="accepted: a time"):
        _core.quantity("time", text)


@pytest.mark.parametrize(
    "model",
    [
        lambda cell: models.contention(2, cell),
        lambda cell: models.aggregate_throughput(2, cell=cell),
        lambda cell: models.window_throughput(2, cell=cell),
        lambda cell: models.session_delay(2, 10.0, 3e4, cell=cell),
        lambda cell: models.anomaly(cell=cell),
    ],
)
def test_models_of_the_dcf_refuse_cells_with_edca(model: Callable[[Cell], object]) -> None:
    with pytest.raises(ModelError, match=r"phy: got '802.11ax'; accepted: 802.11b, .*edca have"):
        model(Cell(phy="802.11ax"))
