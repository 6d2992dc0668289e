"""Rebuilding Kashibuchi et al. (2009): on made-up runs in full, and one figure by simulation."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from evenair import load, run
from evenair.papers.checks import select_values
from evenair.papers.kashibuchi2009 import claims, describe, rebuild
from evenair.papers.kashibuchi2009.cells import (
    FULL,
    QUICK,
    RATE_SETS,
    RATES,
    SCHEMES,
    STATION_SETS,
    Cell,
    Effort,
    random_rates,
)
from evenair.papers.kashibuchi2009.figures import FIGURES
from evenair.papers.kashibuchi2009.quantities import QUANTITIES, read_term
from fake_occupancy import document, simulate
from written import check_figure_and_data, rows

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def rebuilt(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("paper") / "out"
    assert rebuild(None, True, out, None, simulate=simulate) in (0, 1)
    return out


def test_every_figure_is_written(rebuilt: Path) -> None:
    for spec in FIGURES:
        check_figure_and_data(rebuilt, spec.stem)


def test_data_behind_figure_3(rebuilt: Path) -> None:
    found = rows(rebuilt / "data" / "fig3.csv")
    assert len(found) == 2 * 2 * len(QUICK.rates)
    # 2.2 ms at 6 Mb/s, 0.2 + 12/54 ms at 54: equal packets, then equal time.
    fast = 0.2e-3 + 12e-3 / 54
    plain = 1448 * 8 / (2.2e-3 + fast) / 1e6
    (slowest,) = (row for row in found if cut(row) == ("tfrc", "STA1", "6"))
    assert float(slowest["throughput_mbps"]) == pytest.approx(plain, rel=1e-4)
    assert float(slowest["occupancy"]) == pytest.approx(fast / (2.2e-3 + fast), rel=1e-4)
    for row in found:
        if cut(row)[:2] == ("cot", "STA1"):
            mbps = 1448 * 8 / (2 * fast) / 1e6
            assert float(row["throughput_mbps"]) == pytest.approx(mbps, rel=1e-4)
            assert float(row["occupancy"]) == 0.5


def cut(row: dict[str, str]) -> tuple[str, str, str]:
    return row["scheme"], row["station"], row["rate_mbps"]


def test_data_behind_all_schemes(rebuilt: Path) -> None:
    two = rows(rebuilt / "data" / "schedulers.csv")
    found = Counter(row["scheme"] for row in two)
    assert set(found) == set(SCHEMES) - {"cot-sliding"}
    assert (found["cot"], found["las"]) == (len(QUICK.rates), len(QUICK.other_rates))
    many = rows(rebuilt / "data" / "schedulers-many.csv")
    assert {row["drop_ratio"] for row in many if row["scheme"] == "cot"} == {"0.001"}
    assert {row["drop_ratio"] for row in many if row["scheme"] == "las"} == {"0.002"}


def test_claims_are_measured(rebuilt: Path) -> None:
    verdicts = json.loads((rebuilt / "claims.json").read_text(encoding="utf-8"))
    assert [verdict["id"] for verdict in verdicts] == [claim.id for claim in claims()]
    by_id = {verdict["id"]: verdict for verdict in verdicts}
    assert by_id["fig3-cot-share-6"]["measured"] == pytest.approx(0.5)
    assert by_id["fig3-tfrc-equal"]["measured"] == pytest.approx(1.0)
    assert by_id["fig3-equal-rates-fewer-drops"]["measured"] == pytest.approx(0.001)
    assert by_id["fig4b-fair-everywhere"]["measured"] == pytest.approx(1.0)
    for name in ("fig3-aggregate-higher", "fig4a-aggregate-higher", "fig4b-fairer"):
        assert by_id[name]["outcome"] == "holds", name
    # In these runs nothing is gained at equal rates.
    assert by_id["fig3-equal-rates-more"]["outcome"] == "fails"


@pytest.mark.parametrize("effort", [FULL, QUICK])
def test_claims_need_nothing_but_their_figures(effort: Effort) -> None:
    points = {spec.id: spec.points(effort) for spec in FIGURES}
    for claim in claims(effort):
        assert claim.points <= points[claim.figure], claim.id


def airtime_us(mpdu_bytes: int, mbps: float) -> int:
    """OFDM: preamble and SIGNAL of 20 us, symbols of 4 us for SERVICE, PSDU and tail (17.3.2.3)."""
    symbols = -(-(16 + 8 * mpdu_bytes + 6) // int(4 * mbps))
    return 20 + 4 * symbols


def cycle_us(mbps: float) -> float:
    ack = max(basic for basic in (6, 12, 24) if basic <= mbps)
    return 34 + 7.5 * 9 + airtime_us(1500 + 36, mbps) + 16 + airtime_us(14, ack)


def test_the_claims_on_frame_times_are_those_of_the_standard() -> None:
    found = {claim.id: claim for claim in claims() if claim.id.startswith("oracle-")}
    assert len(found) == 2 * 2 * len(RATES)
    fast = cycle_us(54)
    for rate in RATES:
        slow = cycle_us(rate)
        expected = {
            f"oracle-tfrc-first-{rate:g}": 12_000 / (fast + slow),
            f"oracle-tfrc-second-{rate:g}": 12_000 / (fast + slow),
            f"oracle-cot-first-{rate:g}": 12_000 / (2 * fast),
            f"oracle-cot-second-{rate:g}": 12_000 / (2 * slow),
        }
        for name, mbps in expected.items():
            assert found[name].published == pytest.approx(mbps, abs=0.005), name
            assert found[name].tolerance <= 0.05 * mbps + 0.005
            assert found[name].evidence == "sanity"


def test_the_grid_of_the_paper() -> None:
    assert FULL.rates == RATES
    assert (FULL.stations[0], FULL.stations[-1]) == (1, 20)
    assert FULL.duration_s == 600.0
    for effort in (FULL, QUICK):
        for name in RATE_SETS:
            assert select_values("rates", name, RATE_SETS, effort.rates)
        for name in STATION_SETS:
            assert select_values("stations", name, STATION_SETS, effort.stations)


def test_random_rates_are_common_and_uniform() -> None:
    assert random_rates(3, 5) == random_rates(3, 20)[:5]
    assert random_rates(3, 20) != random_rates(4, 20)
    drawn = Counter(rate for seed in range(1, 401) for rate in random_rates(seed, 20))
    assert set(drawn) == set(RATES)
    # 8000 draws: chi-squared with 7 degrees of freedom is below 24.3 with probability 0.999.
    assert sum((count - 1000) ** 2 / 1000 for count in drawn.values()) < 24.3


def test_quantities() -> None:
    run = document(Cell("tfrc", 6.0), 1)
    run["flows"][0] |= {"goodput_bps": 3e6, "packets_lost": 30}
    run["flows"][1] |= {"goodput_bps": 1e6}
    run["stations"][0]["occupancy_share"] = 0.2
    run["stations"][1]["occupancy_share"] = 0.6
    assert QUANTITIES["first_mbps"](run) == 3.0
    assert QUANTITIES["second_ip_mbps"](run) == pytest.approx(1500 / 1448)
    assert QUANTITIES["imbalance"](run) == pytest.approx(1.0)
    assert QUANTITIES["first_share"](run) == pytest.approx(0.25)
    assert QUANTITIES["drop_ratio"](run) == pytest.approx((0.003 + 0.002) / 2)
    # A flow of TCP has no part in the drop ratio.
    run["flows"][1]["transport"] = "newreno"
    assert QUANTITIES["drop_ratio"](run) == pytest.approx(0.003)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"scheme": "tfcr", "rates": "all"}, "expected one of tfrc"),
        ({"scheme": "cot", "rates": "some"}, "expected one of all"),
        ({"scheme": "cot", "rates": 11}, "not among those simulated"),
        ({"scheme": "cot", "stations": 21}, "not among those simulated"),
        ({"scheme": "cot", "rates": "all", "traffic": "web"}, "expected one of down"),
        ({"scheme": "cot", "stations": "all", "traffic": "up"}, "needed with rates only"),
        ({"scheme": "cot"}, "one of rates and stations"),
        ({"scheme": "cot", "rates": "all", "size": 1}, "unknown size"),
    ],
)
def test_bad_terms(table: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read_term(FULL, {"quantity": "first_mbps", **table})


def test_described() -> None:
    figures = "3, 4a, 4b, 4c, uplink, mixed, cbr, arf, minstrel, slots, schedulers"
    assert f"--figure: {figures}, schedulers-many" in describe()


# Without STA2 at 18 Mb/s, where overlapping slots miss the bars: docs/papers/kashibuchi2009.md.
OVERLAPPING = tuple(rate for rate in RATES if rate != 18.0)


def ran(cell: Cell, seed: int = 1) -> dict[str, Any]:
    """Simulate a configuration for 600 s."""
    scenario = cell.drawn(cell.scenario(load("kashibuchi2009"), FULL), seed)
    return run(scenario, seed=seed).document


@pytest.fixture(scope="module", params=["cot", "cot-sliding"])
def controlled(request: pytest.FixtureRequest) -> dict[float, dict[str, Any]]:
    """The runs of figure 3 with the controller, by STA2's rate."""
    rates = OVERLAPPING if request.param == "cot-sliding" else RATES
    return {rate: ran(Cell(request.param, rate)) for rate in rates}


def test_equal_occupancy(controlled: dict[float, dict[str, Any]]) -> None:
    for rate, result in controlled.items():
        assert QUANTITIES["first_share"](result) == pytest.approx(0.5, abs=0.02), rate


def test_the_fast_station_does_not_depend_on_the_slow_one(
    controlled: dict[float, dict[str, Any]],
) -> None:
    found = [QUANTITIES["first_mbps"](result) for result in controlled.values()]
    assert max(found) - min(found) < 0.03 * sum(found) / len(found)


def test_throughput_by_frame_times(controlled: dict[float, dict[str, Any]]) -> None:
    """Beacons and feedback take about 1%; within 5%."""
    for rate, result in controlled.items():
        for name, own in (("first", 54.0), ("second", rate)):
            expected = 12_000 / (2 * cycle_us(own))
            found = QUANTITIES[f"{name}_ip_mbps"](result)
            assert found == pytest.approx(expected, rel=0.05), (name, rate)


@pytest.mark.parametrize("rate", [6.0, 18.0, 54.0])
def test_plain_tfrc_fills_the_cell_with_equal_packets(rate: float) -> None:
    result = ran(Cell("tfrc", rate))
    total = QUANTITIES["first_ip_mbps"](result) + QUANTITIES["second_ip_mbps"](result)
    assert total == pytest.approx(24_000 / (cycle_us(54.0) + cycle_us(rate)), rel=0.05)


@pytest.mark.long
@pytest.mark.parametrize("stations", [2, 5, 10, 20])
def test_fair_occupancy_of_many_stations(stations: int) -> None:
    for seed in (1, 2, 3):
        result = ran(Cell("cot", stations=stations), seed)
        assert QUANTITIES["jain_occupancy"](result) >= 0.98, seed
