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
from evenair.papers.miorandi2006.points import CURVES, FULL, QUICK, Downloads, Web
from evenair.papers.miorandi2006.quantities import read_term
from fake_sessions import simulate

if TYPE_CHECKING:
    from pathlib import Path

IDS = ["1", "2", "3", "4", "5", "6", "8", "9", "10", "11", "A2", "A3"]
IDS += ["table1", "table2", "table3"]

# --- What is read off a run -----------------------------------------------------------------------

DOWNLOADS: dict[str, Any] = {
    "scenario": {"station": [{"flows": [{"direction": "down", "window": 2, "delayed_ack": 2}]}]},
    "aggregate_goodput_bps": 2.5e6,
    "flows": [{"direction": "down"}] * 2,
    # 900 of 1000 attempts succeed, 400 of 500, 50 of 100; and a packet in 27 is given up.
    "ap": {"frames_sent": 900, "collision_probability": 0.1, "frames_dropped": 0},
    "stations": [
        {"frames_sent": 400, "collision_probability": 0.2, "frames_dropped": 50},
        {"frames_sent": 50, "collision_probability": 0.5, "frames_dropped": 0},
    ],
}

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
        {"start_s": 1.0, "last_byte_s": 1.09, "end_s": 1.1, "bytes": 10_000},
        {"start_s": 2.0, "last_byte_s": 2.18, "end_s": 2.2, "bytes": 20_000},
        {"start_s": 3.0, "last_byte_s": 3.84, "end_s": 3.9, "bytes": 90_000},
    ],
}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("collision_probability", 1 - 1350 / 1600),
        ("collision_probability_of_ap", 0.1),
        ("collision_probability_of_stations", 1 - 450 / 600),
        ("drop_probability", 50 / 1400),
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
    ],
)
def test_quantities_of_sessions(name: str, expected: float) -> None:
    assert q.QUANTITIES[name](q.condensed(WEB)) == pytest.approx(expected)


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
        assert each.measure.points <= points, each.id
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


# --- Rebuilding -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def rebuilt(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("paper") / "out"
    assert miorandi2006.rebuild(None, True, out, None, simulate=simulate) in (0, 1)
    return out


def test_everything_is_written(rebuilt: Path) -> None:
    for spec in FIGURES:
        if spec.id.startswith("table"):
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


def test_figure_8s_model_curve_is_fast() -> None:
    delay_over_hosts([2])
    best = []
    for _ in range(5):
        start = time.perf_counter()
        delay_over_hosts(range(2, FULL.hosts[-1] + 1))
        best.append(time.perf_counter() - start)
    assert min(best) < 0.05


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
