"""Bianchi's model: against its own chain, solved as linear equations, and a second program."""

from __future__ import annotations

import numpy as np
import pytest
from evenair import models, run
from evenair.models import Cell, ModelError
from evenair.models.check import check_bianchi

STANDARD = Cell(rts_bits=160)


@pytest.mark.parametrize(
    ("rts", "throughput"),
    [
        # The columns "model" of docs/validation.md: the simulator's tests, in Rust, have their own
        # solver and their own sums of airtimes. 1500-byte packets.
        (False, [6.232, 6.552, 6.411, 6.027, 5.549, 4.847]),
        (True, [4.867, 5.128, 5.212, 5.149, 5.028, 4.802]),
    ],
)
def test_throughput_is_that_of_another_program(rts: bool, throughput: list[float]) -> None:
    nodes = [1, 2, 5, 10, 20, 50]
    found = models.saturation(nodes, 1500, rts=rts, eifs=True, cell=STANDARD)
    assert found.throughput_bps / 1e6 == pytest.approx(throughput, abs=5.1e-4)


@pytest.mark.parametrize("nodes", [2, 10, 50])
def test_tau_is_that_of_the_chain(nodes: int) -> None:
    """The two-dimensional chain of stages and counters, as a matrix; tau = sum of its b(i, 0)."""
    found = models.saturation(nodes)
    p = found.collision_probability
    windows = [32 << min(stage, 5) for stage in range(6)]
    states = [(stage, counter) for stage in range(6) for counter in range(windows[stage])]
    index = {state: k for k, state in enumerate(states)}
    size = len(states)
    chain = np.zeros((size, size))
    for (stage, counter), k in index.items():
        if counter:
            chain[k, index[stage, counter - 1]] = 1
            continue
        worse = min(stage + 1, 5)
        for counter_after in range(windows[0]):
            chain[k, index[0, counter_after]] += (1 - p) / windows[0]
        for counter_after in range(windows[worse]):
            chain[k, index[worse, counter_after]] += p / windows[worse]
    equations = chain.T - np.eye(size)
    equations[-1] = 1
    share = np.linalg.solve(equations, np.eye(size)[-1])
    tau = sum(share[index[stage, 0]] for stage in range(6))
    assert found.tau == pytest.approx(tau, rel=1e-9)
    assert 1 - (1 - tau) ** (nodes - 1) == pytest.approx(p, rel=1e-9)


def test_one_station_cycles() -> None:
    """Microseconds: its mean backoff of 15.5 slots and one exchange."""
    exchange = 50 + 192 + 8 * (34 + 1040) / 11 + 10 + 192 + 56
    reserve = 192 + 80 + 10 + 192 + 56 + 10
    found = models.saturation(1, 1040, rts=False, cell=STANDARD)
    assert found.collision_probability == 0
    # A slot that is no transmission is idle, 15.5 of them before each: tau = 2/(W + 1).
    assert found.tau == pytest.approx(2 / 33)
    assert found.throughput_bps == pytest.approx(8 * 1040 / ((310 + exchange) * 1e-6), rel=1e-6)
    with_rts = models.saturation(1, 1040, cell=STANDARD)
    assert with_rts.throughput_bps == pytest.approx(
        8 * 1040 / ((310 + reserve + exchange) * 1e-6), rel=1e-6
    )


def test_one_station_of_802_11ax_cycles() -> None:
    """Microseconds: AIFS of 43, 7.5 slots, a PPDU, SIFS and an ACK of 28 at 24 Mb/s.

    HE80 MCS 11: 8,166 bits in a symbol of 13.6 us. 16 + 8 * (4 + 38 + 1500) + 6 bits are 2 symbols
    behind 43.2 us.
    """
    cell = Cell(phy="802.11ax", mac_overhead=38)
    found = models.saturation(1, 1500, rts=False, cell=cell)
    cycle = 43 + 67.5 + 43.2 + 2 * 13.6 + 16 + 28
    assert found.throughput_bps == pytest.approx(8 * 1500 / (cycle * 1e-6), rel=1e-9)


@pytest.mark.parametrize("nodes", [5, 50])
@pytest.mark.parametrize("width", ["20 MHz", "80 MHz", "160 MHz"])
def test_the_simulator_has_the_same_throughput_with_802_11ax(width: str, nodes: int) -> None:
    """With ns-3's rules, in which nobody waits for EIFS.

    1.5 %, and the half-width of 99 % over five seeds (Student's t, 4 degrees of freedom).
    """
    cell = Cell(phy="802.11ax", channel_width=width, mac_overhead=38)
    inputs = {"nodes": nodes, "payload": 1500, "rts": False, "eifs": False}
    scenario, measure = check_bianchi(inputs, cell)
    scenario = scenario.with_(duration="10 s")
    runs = [measure(run(scenario, seed=seed).document) for seed in range(1, 6)]
    rates = np.array([each["throughput_bps"] for each in runs])
    half_width = 4.604 * rates.std(ddof=1) / np.sqrt(len(rates))
    found = models.saturation(nodes, 1500, rts=False, cell=cell).throughput_bps
    assert half_width < 0.015 * rates.mean()
    assert abs(found - rates.mean()) <= 0.015 * rates.mean() + half_width


def test_after_collision_difs_or_eifs() -> None:
    """EIFS = SIFS + DIFS + an ACK at 1 Mb/s (9.2.10): 364 us against 50 us."""
    difs, eifs = (models.saturation(10, eifs=eifs) for eifs in (False, True))
    assert difs.tau == eifs.tau
    assert eifs.throughput_bps < difs.throughput_bps
    tau, n, bits = difs.tau, 10, 8 * 1040
    one = n * tau * (1 - tau) ** (n - 1)
    collided = 1 - (1 - tau) ** n - one
    added = one * bits * (1 / eifs.throughput_bps - 1 / difs.throughput_bps) / collided
    assert added == pytest.approx(314e-6, rel=1e-9)


def test_arrays_and_scalars() -> None:
    found = models.saturation([[1], [5]], [500, 1000, 1500])
    assert all(value.shape == (2, 3) for value in found)
    one = models.saturation(5, 1500)
    assert all(isinstance(value, float) for value in one)
    assert one.throughput_bps == found.throughput_bps[1, 2]
    default = models.saturation(5)
    assert default.throughput_bps == models.saturation(5, 1040).throughput_bps


@pytest.mark.parametrize(("nodes", "payload"), [(0, 100), (2, 0), (2, 65_536), (2.5, 100)])
def test_bad_input(nodes: float, payload: float) -> None:
    with pytest.raises(ModelError, match=r"got .*; accepted: a whole number"):
        models.saturation(nodes, payload)
