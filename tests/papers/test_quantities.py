"""What is read off a run, on a document made by hand."""

from __future__ import annotations

from typing import Any

import pytest
from evenair.papers.gong2006.cells import FULL, QUICK, Cell
from evenair.papers.gong2006.quantities import (
    QUANTITIES,
    flow_mbps,
    flow_retransmissions,
    read_term,
)


def flow(name: str, rate: float, timeouts: int) -> dict[str, Any]:
    direction = name.partition("-")[0]
    return {
        "id": name,
        "station": f"sta-{name}",
        "direction": direction,
        "goodput_bps": rate,
        "timeouts": timeouts,
        "fast_retransmits": 1,
        "retransmissions": 2 * timeouts,
        "segments_sent": 300,
    }


DOCUMENT: dict[str, Any] = {
    "scenario": {"cell": {"queue": {"limit": 20}}},
    "aggregate_goodput_bps": 6.0e6,
    "jain_index": 0.75,
    "flows": [
        flow("up-1", 3.0e6, 1),
        flow("up-2", 1.0e6, 2),
        flow("down-1", 1.5e6, 4),
        flow("down-2", 0.5e6, 8),
    ],
    "ap_queue": {
        "drops": 40,
        "loss_ratio": 0.1,
        "mean_delay_s": 0.2,
        "data_arrivals": 210,
        "data_drops": 10,
        "ack_arrivals": 300,
        "ack_drops": 30,
        "acks_filtered": 20,
    },
    "ap": {"frames_sent": 500},
    "stations": [
        {"id": "sta-up-1", "frames_sent": 400},
        {"id": "sta-up-2", "frames_sent": 350},
        {"id": "sta-down-1", "frames_sent": 1000},
        {"id": "sta-down-2", "frames_sent": 1000},
    ],
    "wired": {"links": [{"utilization": 0.02}, {"utilization": 0.04}]},
    "series": {
        "time_s": [1.0, 2.0, 3.0, 4.0, 5.0],
        "ap_queue_acks": [2, 4, 6, 4, 4],
        "ap_queue_data": [10, 12, 14, 16, 8],
        "flows": {
            "up-1": {"cwnd": [None, 10.0, 20.0, 30.0, 40.0]},
            "up-2": {"cwnd": [4.0, 5.0, 6.0, 8.0, 7.0]},
            "down-1": {"cwnd": [1.0, 2.0, 3.0, 2.0, 2.0], "goodput_bps": [1e6, 0, 0, 0, 2e6]},
            "down-2": {"cwnd": [1.0, 1.0, 1.0, 1.0, 1.0], "goodput_bps": [3e6, 0, 0, 0, 1e6]},
        },
    },
}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("aggregate_mbps", 6.0),
        ("jain", 0.75),
        ("up_mbps", 2.0),
        ("down_mbps", 1.0),
        ("down_timeouts", 12.0),
        ("loss_ratio", 0.1),
        ("drops", 40.0),
        ("lead_mbps", 1.0),
        ("up_reductions_per_loss", 5 / 30),  # 3 timeouts and 2 fast retransmits, 30 ACKs
        ("down_reductions_per_loss", 1.4),  # 12 timeouts and 2 fast retransmits, 10 segments
        ("acks_per_segment", 0.5),  # 300 for 600
        ("data_share", 0.75),  # 200 of 800, times 3
        ("access_share", 1.2),  # 500 of 1250, times 3
        ("wire_utilization", 0.04),
        ("data_loss_ratio", 10 / 210),
        ("ack_loss_ratio", 0.1),
        ("filtered_share", 0.5),
        ("least_cwnd_late", 1.0),  # down-2
        ("down_cwnd_early", 1.0),
        ("down_mbps_early", 2.0),
        ("down_mbps_late", 1.5),
        ("mean_delay_s", 0.2),
        ("queue_acks", 4.0),
        ("queue_data", 12.0),
        ("peak_queue_acks", 6.0),
        ("peak_queue_data", 16.0),
        ("queue_ack_share", 0.2),  # 4 of 20
        ("down_cwnd", 1.5),  # mean of 2 and 1
        ("up_cwnd_late", 23.5),  # last fifth: 40 and 7
        ("up_cwnd_peak", 24.0),  # 40 and 8
    ],
)
def test_quantities(name: str, expected: float) -> None:
    assert QUANTITIES[name](DOCUMENT) == pytest.approx(expected)


def test_a_window_before_the_flow_starts_does_not_count() -> None:
    document = {**DOCUMENT, "flows": [flow("up-1", 1.0, 0)]}
    assert QUANTITIES["up_cwnd_late"](document) == 40.0
    document["series"] = {"flows": {"up-1": {"cwnd": [None, 3.0] * 5}}}
    assert QUANTITIES["up_cwnd_early"](document) == 3.0


def test_flow_by_name() -> None:
    assert flow_mbps("down-1", DOCUMENT) == 1.5
    assert flow_retransmissions("down-1", DOCUMENT) == 8.0


def test_terms_name_cells() -> None:
    one = read_term(FULL, {"quantity": "jain", "scheme": "las", "buffers": 60})
    assert one.points == (Cell("las", 60),)
    below = read_term(FULL, {"quantity": "jain", "scheme": "las", "buffers": "below-80"})
    assert below.positions == (10, 20, 30, 40, 50, 60, 70)
    downs = read_term(QUICK, {"quantity": "jain", "scheme": "las", "downs": "all"})
    assert downs.points == tuple(Cell("las", 60, up=1, down=n) for n in (5, 10, 15, 25))
    one = read_term(FULL, {"quantity": "jain", "scheme": "las", "downs": 10, "case": "bytes"})
    assert one.points == (Cell("las", 60, up=1, down=10, case="bytes"),)
    both = {"quantity": "jain", "schemes": ["spm-tail", "spm-head"], "buffers": 60}
    assert read_term(FULL, both).points == (Cell("spm-tail", 60), Cell("spm-head", 60))


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"quantity": "jain", "scheme": "red", "buffers": 60}, "expected one of droptail"),
        ({"quantity": "joy", "scheme": "las", "buffers": 60}, "expected one of aggregate_mbps"),
        ({"quantity": "jain", "scheme": "las", "buffers": "many"}, "expected one of all"),
        ({"quantity": "jain", "scheme": "las", "buffers": 65}, "not among those simulated"),
        ({"quantity": "jain", "scheme": "las"}, "one of buffers and downs"),
        ({"quantity": "jain", "scheme": "las", "downs": 6}, "not among those simulated"),
        ({"quantity": "jain", "scheme": "las", "downs": "few"}, "expected one of all"),
        (
            {"quantity": "jain", "scheme": "las", "buffers": 60, "case": "x"},
            "expected one of paper",
        ),
        ({"quantity": "flow_mbps", "scheme": "las", "buffers": 60}, "flow: needed"),
        ({"quantity": "jain", "scheme": "las", "buffers": 60, "size": 1}, "unknown size"),
    ],
)
def test_bad_terms(table: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read_term(FULL, table)
