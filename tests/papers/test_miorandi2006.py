"""Miorandi et al. (2006): quantities by hand, a rebuild of made-up runs, and by simulation."""

from __future__ import annotations

import csv
import json
import time
from typing import TYPE_CHECKING, Any

import pytest
from evenair import models, papers
from evenair.papers import miorandi2006
from evenair.papers.claims import RULES
from evenair.papers.figures import select_figures
from evenair.papers.miorandi2006 import quantities as q
from evenair.papers.miorandi2006.charts import delay_over_hosts
from evenair.papers.miorandi2006.figures import FIGURES
from evenair.papers.miorandi2006.points import (
    CURVES,
    FULL,
    QUICK,
    WITHOUT_FIGURE,
    Downloads,
    Shared,
    Web,
)
from evenair.papers.miorandi2006.quantities import read_term
from fake_sessions import simulate

if TYPE_CHECKING:
    from pathlib import Path

IDS = ["1", "2", "3", "4", "5", "6", "8", "9", "10", "11", "A2", "A3"]
IDS += ["table1", "table2", "table3", "text"]

# --- What is read off a run -----------------------------------------------------------------------

DOWNLOADS: dict[str, Any] = {
    "scenario": {"station": [{"flows": [{"direction": "down", "window": 2, "delayed_ack": 2}]}]},
    "aggregate_goodput_bps": 2.5e6,
    "jain_index": 0.98,
    "flows": [
        {"direction": "down", "timeouts": 2, "mean_rtt_s": 0.25},
        {"direction": "down", "timeouts": 3, "mean_rtt_s": 0.5},
    ],
    "ap_queue": {"mean_packets": 0.25},
    # 900 of 1000 attempts succeed, 400 of 500, 50 of 100; and a packet in 27 is given up.
    "ap": {"frames_sent": 900, "collision_probability": 0.1, "frames_dropped": 0},
    "stations": [
        {"frames_sent": 400, "collision_probability": 0.2, "frames_dropped": 50},
        {"frames_sent": 50, "collision_probability": 0.5, "frames_dropped": 0},
    ],
}


def _session(start: float, arrival: float, delay: float, size: int, lost: int) -> dict[str, Any]:
    """Return a session; `arrival` and `delay` are counted from its start."""
    times = {"start_s": start, "last_byte_s": start + arrival, "end_s": start + delay}
    return {**times, "bytes": size, "retransmissions": lost}


WEB: dict[str, Any] = {
    "scenario": {
        "station": [
            {
                "flows": [
                    {
                        "direction": "down",
                        "window": 1,
                        "delayed_ack": 1,
                        "application": {
                            "size": {"mean": 30_000.0, "shape": 1.5},
                            "think": {"mean": 10.0},
                        },
                    }
                ]
            }
        ]
    },
    "stations": [{}],
    "sessions": [
        _session(1.0, 0.092, 0.1, 10_000, 1),
        _session(2.0, 0.178, 0.2, 20_000, 0),
        _session(3.0, 0.84, 0.9, 90_000, 4),
    ],
}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("collision_probability", 1 - 1350 / 1600),
        ("collision_probability_of_ap", 0.1),
        ("collision_probability_of_stations", 1 - 450 / 600),
        ("drop_probability", 50 / 1400),
        ("drop_estimate", (250 / 1600) ** 7),
        # Two packets, of which 0.25 wait behind the one in the access point's MAC.
        ("mean_backlogged", 1.75),
        ("waiting_at_ap", 0.25),
        ("share_sent_by_ap", 900 / 1350),
        ("jain_index", 0.98),
        ("timeouts", 5),
        ("round_trip_ms", 250),
        # The packets, by hand, with an RTS of 180 bits, and 31 slots of 20 us.
        ("model_round_trip_ms", 2.1 + (8592 + 592) / 11e3 + 0.62),
        ("mbps", 2.5),
        # 8000 bits at 2.5 Mb/s are 3200 us. The packets, by hand: DIFS 50, four times 192, three
        # SIFS 30, RTS 80, CTS 56, ACK 56 and a frame of 8592 (or 592) bits at 11 Mb/s.
        ("phi_us", 3200 - (2 * (50 + 4 * 192 + 30 + 80 + 56 + 56) + (8592 + 592) / 11)),
        ("model_collision_probability", 0.060),
    ],
)
def test_quantities_of_downloads(name: str, expected: float) -> None:
    assert q.QUANTITIES[name](DOWNLOADS) == pytest.approx(expected, abs=3e-4)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("mean_delay_s", 0.4),
        ("mean_arrival_s", 0.37),
        ("median_delay_s", 0.2),
        ("sessions", 3.0),
        ("mean_file_kb", 40.0),
        ("shortest_delay_s", 0.1),
        ("share_of_late_ends", 2 / 3),
    ],
)
def test_quantities_of_sessions(name: str, expected: float) -> None:
    assert q.QUANTITIES[name](q.condensed(WEB)) == pytest.approx(expected)


def test_mice_and_elephants_are_told_apart_by_size() -> None:
    # 100 files, the largest first: file k of 0..99 has 100 - k KB and takes k s.
    listed = [_session(0.0, k / 2, float(k), 1000 * (100 - k), k) for k in range(100)]
    document = q.condensed({**WEB, "sessions": listed})
    assert q.elephants_delay_s(document) == 0.0
    assert q.elephants_retransmissions(document) == 0.0
    assert q.mice_delay_s(document) == pytest.approx((50 + 99) / 2)
    assert q.mice_arrival_s(document) == pytest.approx((50 + 99) / 4)
    assert q.mice_retransmissions(document) == pytest.approx((50 + 99) / 2)


def test_waiting_packets_of_one_connection() -> None:
    station = {**DOWNLOADS["stations"][0], "queue_mean_packets": 0.75}
    assert q.share_waiting_at_ap({**DOWNLOADS, "stations": [station]}) == pytest.approx(0.25)


def test_the_affine_model_by_hand() -> None:
    # (13): two packets of DIFS, 310 us of backoff, two preambles, SIFS, 320 bits at 11 Mb/s and
    # 112 bits at 2 Mb/s. Then 30 round trips as in section 4.1.
    setup = 2e-6 * (50 + 310 + 2 * 192 + 10 + 320 / 11 + 112 / 2)
    expected = setup + 30 * q.model_round_trip_ms(DOWNLOADS) / 1e3
    assert q.model_affine_delay_s(q.condensed(WEB)) == pytest.approx(expected, abs=1e-5)


def test_the_model_takes_the_runs_own_files() -> None:
    document = q.condensed(WEB)
    by_size = [float(models.file_delay(size)) for size in (10_000, 20_000, 90_000)]
    assert q.model_lone_delay_s(document) == pytest.approx(sum(by_size) / 3)
    expected = models.session_delay(1, 10.0, 40_000.0).mean_delay_s
    assert q.model_delay_same_files_s(document) == pytest.approx(float(expected))
    assert q.model_delay_s(document) < q.model_delay_same_files_s(document)


def test_a_document_without_sessions_is_kept() -> None:
    assert q.condensed(DOWNLOADS) is DOWNLOADS


def test_terms_name_points_of_curves() -> None:
    term = read_term(FULL, {"quantity": "mbps", "curve": "one-w-d", "at": [2, 5]})
    assert term.points == (Downloads(1, 2, 2), Downloads(1, 5, 5))
    assert term.positions == (2.0, 5.0)
    term = read_term(QUICK, {"quantity": "mean_delay_s", "curve": "pareto-w1", "at": 11})
    assert term.points == (Web(10, 1),)
    term = read_term(FULL, {"quantity": "mean_delay_s", "curve": "think", "at": "first"})
    assert term.points == (Web(10, 1, think_s=0.5),)
    term = read_term(FULL, {"quantity": "mean_delay_s", "curve": "delack-dynamic", "at": "last"})
    assert term.points == (Web(40, 1000, "dynamic"),)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"quantity": "joy", "curve": "w1", "at": 1}, "quantity: got 'joy'"),
        ({"quantity": "mbps", "curve": "w7", "at": 1}, "curve: got 'w7', expected one of backlog"),
        ({"quantity": "mbps", "curve": "w1", "at": 4}, "not all among those simulated"),
        ({"quantity": "mbps", "curve": "w1", "at": [1, 4]}, "not all among those simulated"),
        ({"quantity": "mbps", "curve": "w1", "at": 1, "of": 2}, "unknown of"),
    ],
)
def test_bad_terms(table: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read_term(FULL, table)


# --- The paper as data ----------------------------------------------------------------------------


def test_every_figure_with_numbers_is_there() -> None:
    assert [spec.id for spec in FIGURES] == IDS
    assert select_figures(FIGURES, ["Figure a2", "fig10"])[0].id == "10"


@pytest.mark.parametrize("effort", [FULL, QUICK])
def test_the_claims_can_all_be_measured_with_the_figures(effort: Any) -> None:
    points = set().union(*(spec.points(effort) for spec in FIGURES))
    for each in miorandi2006.claims(effort):
        assert each.points <= points, each.id
        assert each.also is None or each.also[1].points <= points, each.id
        assert each.figure in IDS, each.id
        assert each.rule in RULES
        assert each.statement.endswith("."), each.id


def test_the_papers_own_grid() -> None:
    assert [d for d, _ in CURVES["one-w1000"](FULL)] == [1, 2, 3, 4, 5]
    assert CURVES["pareto-w1"](FULL)[2] == (11, Web(10, 1))
    assert {point.buffer for _, point in CURVES["buffer"](FULL) if isinstance(point, Web)} == {30}
    assert FULL.sessions == 300
    assert FULL.files == 10_000


@pytest.mark.parametrize("name", WITHOUT_FIGURE)
def test_runs_without_a_figure_are_valid_scenarios(name: str) -> None:
    for _, point in CURVES[name](FULL):
        scenario = miorandi2006.PAPER.scenario(point, FULL)
        assert scenario.resolved["station"], point


def test_stations_share_the_cell_with_a_persistent_download() -> None:
    scenario = miorandi2006.PAPER.scenario(Shared(7, "random", loss=0.01), FULL).resolved
    web, persistent = scenario["station"]
    assert (web["count"], persistent["count"]) == (10, 1)
    assert {group["flows"][0]["window"] for group in (web, persistent)} == {7}
    assert {group["error"]["rate"] for group in (web, persistent)} == {0.01}
    assert scenario["cell"]["queue"]["kind"] == "pie"


def test_every_claim_of_a_curve_without_figure_is_beside_its_table() -> None:
    shown = {each.figure for each in miorandi2006.claims()}
    assert shown <= set(IDS)
    assert "text" in shown


# --- Rebuilding -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def rebuilt(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("paper") / "out"
    assert miorandi2006.rebuild(None, True, out, None, simulate=simulate) in (0, 1)
    return out


def test_everything_is_written(rebuilt: Path) -> None:
    for spec in FIGURES:
        if spec.id.startswith("t"):
            assert (rebuilt / f"{spec.id}.csv").is_file()
        else:
            assert (rebuilt / f"fig{spec.id}.png").read_bytes().startswith(b"\x89PNG")
            assert b"<svg" in (rebuilt / f"fig{spec.id}.svg").read_bytes()
            assert (rebuilt / "data" / f"fig{spec.id}.csv").is_file()
    verdicts = json.loads((rebuilt / "claims.json").read_text(encoding="utf-8"))
    assert len(verdicts) == len(miorandi2006.claims())
    report = (rebuilt / "report.html").read_text(encoding="utf-8")
    assert report.count("<section>") == len(FIGURES)


def test_a_figures_table_has_medians_and_counts(rebuilt: Path) -> None:
    with (rebuilt / "data" / "fig8.csv").open() as file:
        rows = list(csv.DictReader(file))
    simulated = [row for row in rows if row["mean_delay_s"]]
    assert len(simulated) == 4 * len(QUICK.hosts)
    assert all(float(row["median_delay_s"]) < float(row["mean_delay_s"]) for row in simulated)
    assert all(float(row["sessions"]) > 100 for row in simulated)


def test_table_1_needs_no_simulation(tmp_path: Path) -> None:
    assert miorandi2006.rebuild(["table1"], False, tmp_path / "out") == 0
    with (tmp_path / "out" / "table1.csv").open() as file:
        differing = [row for row in csv.DictReader(file) if row["published"] != row["ours"]]
    assert [row["parameter"] for row in differing] == ["L_RTS (bits)"]


@pytest.mark.real_time("a bound on the time of a curve")
def test_figure_8s_model_curve_is_fast() -> None:
    delay_over_hosts([2])
    best = []
    for _ in range(5):
        start = time.perf_counter()
        delay_over_hosts(range(2, FULL.hosts[-1] + 1))
        best.append(time.perf_counter() - start)
    assert min(best) < 0.05


@pytest.mark.long
def test_figures_by_simulation(tmp_path: Path) -> None:
    out = tmp_path / "out"
    seen: list[tuple[int, int]] = []
    figures = ["5", "6", "8", "A3"]
    papers.rebuild("miorandi2006", figures, True, out, lambda *step: seen.append(step))
    total = len(seen)
    assert seen == [(done, total) for done in range(1, total + 1)]
    verdicts = json.loads((out / "claims.json").read_text(encoding="utf-8"))
    by_id = {verdict["id"]: verdict for verdict in verdicts}
    # The bars between model and simulation: 5 % for throughput, 10 % for delays.
    names = ["fig5-model-d1", "fig5-model-d2", "fig6-rises-with-d-w-d", "figA3-model-w-d"]
    for sizes in ("pareto", "exponential"):
        names += [f"fig8-model-{sizes}-{n}" for n in (6, 11, 21)]
    claims = {claim.id: claim for claim in miorandi2006.claims()}
    for name in names:  # the mean: two seeds may not decide the claim
        assert claims[name].side(by_id[name]["measured"]) == 0, name
