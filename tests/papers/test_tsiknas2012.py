"""Rebuilding Tsiknas and Stamatelos (2012), on few short runs: what both media share, and WLANs."""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING, Any

import pytest
from evenair.papers import describe
from evenair.papers.checks import select_values
from evenair.papers.tsiknas2012 import PAPER, _base, claims, rebuild
from evenair.papers.tsiknas2012.downloads import (
    FULL,
    QUICK,
    RATE_SETS,
    Download,
    Effort,
)
from evenair.papers.tsiknas2012.figures import FIGURES
from evenair.papers.tsiknas2012.quantities import QUANTITIES, read_term
from fake_downloads import simulate
from written import check_figure, rows

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def rebuilt(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("paper") / "out"
    assert rebuild(None, True, out, None, simulate=simulate) == 1
    return out


def test_every_figure_is_written(rebuilt: Path) -> None:
    for name in ("fig4", "fig5", "fig13", "fig14", "fig15", "fig16"):
        check_figure(rebuilt, name)
    found = rows(rebuilt / "data" / "fig14.csv")
    assert list(found[0]) == ["transport", "packet_error_rate", "goodput_mbps", "ci95"]
    assert len(found) == 5 * len(QUICK.rates)


def test_the_table_of_gains(rebuilt: Path) -> None:
    with (rebuilt / "gains.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [(row["level"], int(row["bad_state_ms"])) for row in rows] == [
        (level, bad_state) for level in ("mac", "ip") for bad_state in QUICK.bad_states_ms
    ]
    # New Reno has 4 - 20 PER and Westwood 0.3 Mb/s more: gains of 0.3/3.8, 0.3/3.4 and 0.3/2.
    gain = 100 * (0.3 / 3.8 + 0.3 / 3.4 + 0.3 / 2.0) / 3
    assert float(rows[0]["westwood_gain_percent"]) == pytest.approx(gain, rel=1e-3)
    assert "Errors before or after" in (rebuilt / "report.html").read_text(encoding="utf-8")


def test_the_table_of_the_congested_link(rebuilt: Path) -> None:
    with (rebuilt / "congestion.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [(int(row["link_mbps"]), int(row["queue_packets"])) for row in rows] == [
        (link, queue) for link in QUICK.links_mbps for queue in QUICK.link_queues
    ]
    for row in rows:
        assert float(row["bic_share"]) == pytest.approx(0.5)
        assert float(row["westwood_less_newreno"]) == pytest.approx(0.0, abs=1e-9)


def test_the_table_of_vegas(rebuilt: Path) -> None:
    with (rebuilt / "vegas.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [row["figure"] for row in rows] == ["14", "14", "15", "15", "16", "16", "16"]
    # From 0.01 on Vegas has 0.1 and Vegas of 1995 0.6 Mb/s more than New Reno's 4 - 20 PER.
    mean = (1 / 3.8 + 1 / 3.4 + 1 / 2.0) / 3
    assert float(rows[1]["vegas_gain_percent"]) == pytest.approx(10 * mean, rel=1e-3)
    assert float(rows[1]["vegas_1995_gain_percent"]) == pytest.approx(60 * mean, rel=1e-3)


def test_claims_are_measured(rebuilt: Path) -> None:
    verdicts = json.loads((rebuilt / "claims.json").read_text(encoding="utf-8"))
    assert [verdict["id"] for verdict in verdicts] == [claim.id for claim in claims()]
    by_id = {verdict["id"]: verdict for verdict in verdicts}
    assert by_id["fig15-newreno-degraded"]["measured"] == pytest.approx(0.5)
    assert by_id["fig14-alike-at-low-rates"]["measured"] == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("effort", [FULL, QUICK])
def test_claims_need_nothing_but_their_figures(effort: Effort) -> None:
    points = {spec.id: spec.points(effort) for spec in FIGURES}
    for claim in claims(effort):
        assert claim.points <= points[claim.figure], claim.id


def test_the_grid_of_the_paper() -> None:
    assert (min(FULL.rates), max(FULL.rates)) == (1e-5, 0.1)
    (figure_14,) = (spec for spec in FIGURES if spec.id == "14")
    assert len(figure_14.points(FULL)) == 5 * 12
    assert (len(FULL.seeds), FULL.duration_s) == (10, 300.0)
    for name in RATE_SETS:
        assert select_values("rates", name, RATE_SETS, FULL.rates)
        assert select_values("rates", name, RATE_SETS, QUICK.rates)


def test_downloads_as_scenarios() -> None:
    wire = Download("bic", 0.02, congested=True, queue=30)
    resolved = wire.scenario(_base(wire.base), QUICK).resolved
    assert resolved["wired"]["link"][0]["queue"]["limit"] == 30
    assert resolved["station"][0]["error"]["rate"] == 0.02
    # 20 Mb/s of IP packets, headers included.
    for flow in resolved["wired"]["flow"]:
        on_the_wire = flow["rate"] * (flow["segment"] + flow["header"]) / flow["segment"]
        assert on_the_wire == pytest.approx(20e6, rel=1e-5)
    slow = Download("bic", 0.001, congested=True, link_mbps=21)
    assert slow.scenario(_base(slow.base), QUICK).resolved["wired"]["link"][0]["rate"] == 21e6
    air = Download("westwood", 0.1, level="ip", bad_state_ms=5)
    error = air.scenario(_base(air.base), QUICK).resolved["station"][0]["error"]
    assert (error["level"], error["bad_state"]) == ("ip", 0.005)


def test_the_scenarios_share_all_but_the_wire() -> None:
    one, two = (_base(name).resolved for name in ("tsiknas2012", "tsiknas2012-congested"))
    assert one["cell"] == two["cell"]
    assert two["station"][0]["flows"][0].pop("host", "server") == "server"
    assert one["station"] == two["station"]
    # 45 ms from the server to the access point in both.
    links = {frozenset(link["between"]): link["delay"] for link in two["wired"]["link"]}
    way = [links[frozenset(pair)] for pair in (("server", "r0"), ("r0", "r1"), ("r1", "ap"))]
    assert sum(way) == pytest.approx(one["wired"]["delay"])


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"transport": "reno", "scenario": 1, "rates": "low"}, "expected one of newreno"),
        ({"transport": "bic", "scenario": 3, "rates": "low"}, "expected 1 or 2"),
        ({"transport": "bic", "scenario": 1, "ratios": "all"}, "expected 1 or 2, without ratios"),
        ({"transport": "bic", "scenario": 1, "rates": "some"}, "expected one of all"),
        ({"transport": "bic", "scenario": 1, "rates": 0.5}, "not among those simulated"),
        ({"transport": "bic", "scenario": 2, "queues": "some"}, "expected one of all"),
        ({"transport": "bic", "scenario": 2, "queues": 11}, "not among those simulated"),
        ({"transport": "bic", "scenario": 1}, "one of rates, queues, ratios"),
        ({"transport": "bic", "scenario": 1, "rates": "low", "size": 1}, "unknown size"),
    ],
)
def test_bad_terms(table: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read_term(FULL, {"quantity": "goodput_mbps", **table})


def test_goodput_is_the_mean_over_flows() -> None:
    flows = [{"goodput_bps": 1e6}, {"goodput_bps": 3e6}]
    assert QUANTITIES["goodput_mbps"]({"flows": flows}) == 2.0


def test_queues_without_congestion_are_one_run() -> None:
    term = read_term(
        FULL, {"quantity": "goodput_mbps", "transport": "bic", "scenario": 1, "queues": "small"}
    )
    assert term.points == (Download("bic", 1e-5),) * 3
    assert term.positions == (10.0, 20.0, 30.0)


def test_described() -> None:
    figures = "4, 5, 7, 8, 10, 11, 12, 13, 14, 15, 16"
    tables = "media, losses, timer, requests, sack, biad, biad-sack, gains, congestion, vegas"
    assert f"--figure: {figures}, {tables}" in describe("tsiknas2012")


@pytest.mark.long
def test_a_figure_by_simulation(tmp_path: Path) -> None:
    pytest.importorskip("evenair._core", reason="the engine has not been built")
    rebuild(["14", "16"], True, tmp_path / "out")
    verdicts = json.loads((tmp_path / "out" / "claims.json").read_text(encoding="utf-8"))
    by_id = {verdict["id"]: verdict for verdict in verdicts}
    # What two seeds and a minute cannot get wrong.
    assert by_id["fig14-differ-at-high-rates"]["measured"] > 0.1
    assert by_id["fig14-westwood-over-rest"]["measured"] > 0.0
    with (tmp_path / "out" / "data" / "fig16.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if row["transport"] == "newreno"]
    assert float(rows[0]["goodput_mbps"]) < float(rows[-1]["goodput_mbps"])
    assert PAPER.name == "tsiknas2012"
