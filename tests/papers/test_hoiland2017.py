"""The paper Hoiland-Jorgensen et al. 2017: its model by hand, its cells and its claims."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from evenair.papers.hoiland2017 import PAPER, model
from evenair.papers.hoiland2017.cells import DELAYS_MS, FULL, QUICK, SCHEMES, TRAFFIC, Cell
from evenair.papers.hoiland2017.quantities import read_term
from evenair.scenario import load

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("payload", "rate_mbps", "expected"),
    [(6892, 144.4, 98.1), (7833, 144.4, 101.7), (2914, 7.2, 6.54), (28_434, 144.4, 127.0)],
)
def test_base_rates_are_those_recalled(payload: int, rate_mbps: float, expected: float) -> None:
    """The mean aggregates of the paper's table, bytes of packets, and its base rates in Mb/s."""
    assert model.base_rate_mbps(payload / 1500, rate_mbps) == pytest.approx(expected, rel=5e-4)


def test_an_aggregate_by_hand() -> None:
    """42 packets of 1500 bytes: 1542 bytes and 2 of padding each."""
    assert model.a_mpdu_bytes(42) == 42 * 1544
    # 32 us, 64,848 bytes at 144.4 Mb/s, 118 us, 16 us and 464 bits.
    assert model.transmission_us(42 * 1544, 144.4) == pytest.approx(3761.9, abs=0.1)


def test_shares_are_of_airtime_transmissions_or_packets() -> None:
    fair = model.throughputs_mbps((42, 3), (144.4, 7.2), "airtime")
    assert fair == pytest.approx(
        [model.base_rate_mbps(42, 144.4) / 2, model.base_rate_mbps(3, 7.2) / 2]
    )
    one_each = model.throughputs_mbps((42, 3), (144.4, 7.2), "transmissions")
    assert one_each[0] / one_each[1] == pytest.approx(14.0)  # packets of a transmission
    in_order = model.throughputs_mbps((42, 3), (144.4, 7.2), "packets")
    # A slow transmission: 32 us, 4632 bytes at 7.2 Mb/s, 118 us, 16 us and 464 bits, 5377.1 us.
    assert in_order == pytest.approx([12_000 / (3761.9 / 42 + 5377.1 / 3)] * 2, rel=1e-4)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_every_cell_is_a_scenario(scheme: str) -> None:
    base = load("hoiland2017")
    for traffic in TRAFFIC:
        for delay in DELAYS_MS:
            scenario = Cell(scheme, traffic, delay).scenario(base, QUICK)
            stations = scenario.resolved["station"]
            assert sum(station["count"] for station in stations) == TRAFFIC[traffic].stations


def test_claims_are_measured_on_cells_of_their_figure() -> None:
    figures = {spec.id: spec for spec in PAPER.figures}
    claims = PAPER.claims()
    assert len(claims) == 9
    for claim in claims:
        assert claim.points <= figures[claim.figure].points(FULL), claim.id


def test_all_figures_are_drawn(tmp_path: Path) -> None:
    """With runs that are so short that no large page is loaded below a FIFO queue."""
    short = replace(QUICK, seeds=(1,), duration_s=5.0)
    PAPER.rebuild(
        None,
        True,
        tmp_path / "out",
        simulate=lambda points, *_: PAPER.simulate(points, short, None),
    )
    for spec in PAPER.figures:
        assert list((tmp_path / "out").rglob(f"{spec.stem}.csv")), spec.id
    pages = (tmp_path / "out/data/pages.csv").read_text(encoding="utf-8").splitlines()
    assert "fifo,large page,," in pages
    (airtime,) = (line for line in pages if line.startswith("airtime,large page,"))
    assert 0.19 < float(airtime.split(",")[2]) < 8.0  # 3 MB at 127 Mb/s take 0.19 s


def test_a_wrong_term_is_refused() -> None:
    term = {"quantity": "mos", "scheme": "airtime", "traffic": "voice-be"}
    assert read_term(FULL, term).points == (Cell("airtime", "voice-be"),)
    for wrong in ({"scheme": "codel"}, {"delay": "1 ms"}, {"station": 1}):
        with pytest.raises((KeyError, ValueError)):
            read_term(FULL, {**term, **wrong})
