"""The model of EDCA with A-MPDUs: by arithmetic, against Bianchi's chain, and the simulator."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from evenair import models, run
from evenair.models import TABLE_1, ModelError, edca_saturation
from evenair.models.check import check_edca
from evenair.models.command.catalogue import MODELS
from evenair.models.edca import _Chain

if TYPE_CHECKING:
    from evenair_command import Evenair

US = 1e-6


def test_one_station_cycles() -> None:
    """Microseconds: AIFS 43, a mean backoff of 7.5 slots, PPDU, SIFS, and a response at 24 Mb/s."""
    # HT20 MCS 7, 260 bits a symbol, without aggregation: 16 + 8 * 1538 + 6 bits, 48 symbols of 4 us
    # behind 36 us; an ACK of 134 bits in 2 symbols behind 20 us.
    cycle = 43 + 67.5 + 36 + 4 * 48 + 16 + 28
    found = edca_saturation(1, phy="802.11n", aggregation="off")
    assert found.throughput_bps == pytest.approx(8 * 1500 / (cycle * US), rel=1e-9)
    assert (found.mpdus, found.collision_probability) == (1, 0)
    # HE80 MCS 11: 8166 bits a symbol of 13.6 us behind 43.2 us (36 and an LTF of 7.2). 256
    # subframes of 1544 bytes, the last of 1542: 3,162,118 bits, 388 symbols. A Block Ack of 56
    # bytes: 470 bits, 5 symbols.
    assert 16 + 6 + 8 * (255 * 1544 + 1542) == 3_162_118
    cycle = 43 + 67.5 + 43.2 + 13.6 * 388 + 16 + 40
    found = edca_saturation(1)
    assert found.mpdus == 256
    assert found.ppdu_s == pytest.approx((43.2 + 13.6 * 388) * US, rel=1e-9)
    assert found.throughput_bps == pytest.approx(256 * 8 * 1500 / (cycle * US), rel=1e-9)


@pytest.mark.parametrize("nodes", [2, 10, 50])
def test_without_an_advantage_it_is_bianchi_s_chain(nodes: int) -> None:
    """Where colliders wait as long as the others: the chain of stages and counters, as a matrix."""
    windows = [16 << min(stage, 3) for stage in range(6)]
    tau, p, slots = _Chain(np.array(windows), 7, 7).solve(nodes)
    states = [(stage, counter) for stage in range(6) for counter in range(windows[stage])]
    index = {state: k for k, state in enumerate(states)}
    chain = np.zeros((len(states), len(states)))
    for (stage, counter), k in index.items():
        if counter:
            chain[k, index[stage, counter - 1]] = 1
            continue
        worse = (stage + 1) % 6
        for counter_after in range(windows[0]):
            chain[k, index[0, counter_after]] += (1 - p) / windows[0]
        for counter_after in range(windows[worse]):
            chain[k, index[worse, counter_after]] += p / windows[worse]
    equations = chain.T - np.eye(len(states))
    equations[-1] = 1
    share = np.linalg.solve(equations, np.eye(len(states))[-1])
    assert tau == pytest.approx(sum(share[index[stage, 0]] for stage in range(6)), rel=1e-9)
    assert p == pytest.approx(1 - (1 - tau) ** (nodes - 1), rel=1e-9)
    assert slots.successes == pytest.approx(nodes * tau * (1 - p), rel=1e-9)


@pytest.mark.parametrize("nodes", [2, 10, 50])
def test_the_channel_has_what_the_stations_transmit(nodes: int) -> None:
    """Successes, counted over the channel and by the chain of a station."""
    windows = np.array([min(16 << stage, 1024) for stage in range(8)])
    tau, p, slots = _Chain(windows, 1, 7).solve(nodes)
    # Of accesses per regular slot, a part is ahead: those in regular slots alone are nodes * tau.
    assert slots.successes > nodes * tau * (1 - tau) ** (nodes - 1)
    accesses = slots.successes / (1 - p)
    assert accesses >= nodes * tau
    colliders = (accesses - slots.successes) / slots.collisions
    assert 2 <= colliders < 2 + nodes * tau


CASES: list[dict[str, Any]] = [
    {"phy": "802.11ax", "stations": 5, "channel_width": 20e6},
    {"phy": "802.11ax", "stations": 50, "channel_width": 80e6},
    {"phy": "802.11ax", "stations": 50, "channel_width": 80e6, "aggregation": "off"},
    {"phy": "802.11ax", "stations": 20, "channel_width": 160e6},
    {"phy": "802.11ax", "stations": 5, "aggregation": "off", "rules": "ns3"},
    {
        "phy": "802.11ax",
        "stations": 50,
        "channel_width": 160e6,
        "aggregation": "off",
        "rules": "ns3",
    },
    {"phy": "802.11n", "stations": 50, "rules": "ns3"},
    {"phy": "802.11n", "stations": 20, "aggregation": "off", "band": "2.4 GHz"},
    {"phy": "802.11ac", "stations": 10, "rts": True, "mcs": 2},
    {"phy": "802.11n", "stations": 10, "cw_min": 31, "cw_max": 255, "aifsn": 2, "retry_limit": 4},
]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_simulator_has_the_same_throughput(case: dict[str, Any]) -> None:
    """1.5 %, and the half-width of 99 % over eight seeds (Student's t, 7 degrees of freedom)."""
    inputs = {key.name: key.default for key in MODELS["edca"].keys} | case
    scenario, measure = check_edca(inputs, TABLE_1)
    runs = [measure(run(scenario, seed=seed).document) for seed in range(1, 9)]
    rates = np.array([each["throughput_bps"] for each in runs])
    half_width = 3.499 * rates.std(ddof=1) / np.sqrt(len(rates))
    found = edca_saturation(**inputs)
    assert half_width < 0.015 * rates.mean()
    assert abs(found.throughput_bps - rates.mean()) <= 0.015 * rates.mean() + half_width
    p = np.mean([each["collision_probability"] for each in runs])
    assert found.collision_probability == pytest.approx(p, abs=0.02)


def test_arrays_and_scalars() -> None:
    found = models.edca_saturation([1, 5])
    assert all(value.shape == (2,) for value in found)
    assert found.throughput_bps[1] == models.edca_saturation(5).throughput_bps


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"stations": 0}, "stations: got 0; accepted: a whole number from 1 to 1000"),
        ({"payload": 65_536}, "payload: got 65536; accepted: a whole number from 1 to 65535"),
        ({"window": 257}, "window: got 257; accepted with 802.11ax: 1 to 256"),
        ({"phy": "802.11n", "window": 65}, "window: got 65; accepted with 802.11n: 1 to 64"),
        ({"aggregation": "on"}, "aggregation: got 'on'; accepted: a-mpdu, off"),
        ({"rules": "ns2"}, "rules: got 'ns2'; accepted: standard, ns3"),
        ({"cw_min": 16}, "cw_min: got 16; accepted: 2^n - 1, from 1 to 1023"),
        ({"cw_min": 31, "cw_max": 15}, "cw_min: got 31; accepted: up to cw_max, 15"),
        ({"mcs": 12}, "mcs: got 12; accepted with 802.11ax"),
    ],
    ids=str,
)
def test_bad_input(keys: dict[str, Any], message: str) -> None:
    with pytest.raises(ModelError) as error:
        edca_saturation(**({"stations": 2} | keys))
    assert message in str(error.value)


def test_the_command_prints_it(evenair: Evenair) -> None:
    done = evenair("model", "edca", "stations=1,20", "phy=802.11n")
    assert "throughput of all" in done.stdout
    done = evenair("model", "edca", "stations=2", "phy=802.11n", "aifsn=1", "--check")
    assert done.returncode == 2
    assert "aifsn: got 1; accepted: with --check, 2 to 15" in done.stderr
