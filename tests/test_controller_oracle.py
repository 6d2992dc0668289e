"""The channel-occupancy-time controller against `validation/cot/oracle.py`, written from the paper.

`crates/evenair-core/tests/cot_oracle.rs` compares the rules with random inputs. Here are runs: the
shares that the access point announces, the occupancy that it measures, and the stations' limits.
"""

from __future__ import annotations

import importlib.util
import json
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from evenair_command import Evenair

ROOT = Path(__file__).parent.parent
SPEC = importlib.util.spec_from_file_location("oracle", ROOT / "validation/cot/oracle.py")
assert SPEC is not None
assert SPEC.loader is not None
oracle = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(oracle)

RATES = {"sta-1": 54, "sta-2": 6}
SLOT_US = 300_000
"""Three beacon intervals of 100 ms."""
CELL = """
duration = "20 s"
warmup = "2 s"
[cell]
phy = "802.11a"
controller = { kind = "cot", beacons = 3, threshold = 0.8, slots = "sliding" }
[trace]
interval = "0.1 s"
"""
TFRC = """
[wired]
delay = "50 ms"
[[station]]
data_rate = "54 Mbps"
flows = [{ direction = "down", transport = "tfrc" }]
[[station]]
data_rate = "6 Mbps"
flows = [{ direction = "down", transport = "tfrc" }]
"""
UDP = """
[wired]
rate = "unlimited"
delay = "0 s"
[[station]]
data_rate = "54 Mbps"
flows = [{ direction = "down", transport = "udp", rate = "%s", segment = 1472, header = 28 }]
[[station]]
data_rate = "6 Mbps"
flows = [{ direction = "down", transport = "udp", rate = "%s", segment = 1472, header = 28 }]
"""


def run(evenair: Evenair, tmp_path: Path, scenario: str) -> dict[str, Any]:
    (tmp_path / "scenario.toml").write_text(CELL + scenario, encoding="utf-8")
    done = evenair("run", "scenario.toml", "--json")
    assert done.returncode == 0, done.stderr
    document: dict[str, Any] = json.loads(done.stdout)
    assert len(document["series"]["controller"]) == 200
    return document


def check_shares(decisions: list[dict[str, Any]]) -> None:
    """p_even and p_additional follow from the shares of the active stations, (2) to (6)."""
    for decision in decisions:
        active = [Fraction(share) for share in decision["shares"].values() if share > 0]
        p_beacon, r = Fraction(decision["p_beacon"]), Fraction(4, 5)
        even, additional = oracle.access_point(active, p_beacon, r)
        assert decision["p_even"] == pytest.approx(float(even), abs=1e-12)
        assert decision["p_additional"] == pytest.approx(float(additional), abs=1e-12)


def test_vectors_are_those_of_the_oracle() -> None:
    stored = ROOT / "crates/evenair-core/tests/data/cot_oracle.json"
    assert json.loads(stored.read_text(encoding="utf-8")) == json.loads(
        json.dumps(oracle.vectors())
    )


@pytest.mark.parametrize("loads", [("2 Mbps", "1 Mbps"), ("40 Mbps", "10 Mbps")])
def test_occupancy_follows_from_the_packets(
    evenair: Evenair, tmp_path: Path, loads: tuple[str, str]
) -> None:
    """Without losses and collisions each packet takes one exchange.

    A sample comes before the beacon of its instant: its decision is about the slot that ended an
    interval earlier. A packet may be received in one slot, and its exchange end in the next.
    """
    series = run(evenair, tmp_path, UDP % loads)["series"]
    check_shares(series["controller"])
    goodputs = [series["flows"][flow]["goodput_bps"] for flow in ("down-1", "down-2")]
    for end in range(4, len(series["time_s"])):
        decision = series["controller"][end]
        occupied = Fraction(0)
        for goodput, rate in zip(goodputs, RATES.values(), strict=True):
            packets = round(sum(goodput[end - 3 : end]) * 0.1 / 8 / 1472)
            occupied += packets * oracle.t_data(1500, rate, Fraction(decision["backoff_s"]) * 10**6)
        measured = sum(decision["shares"].values()) * SLOT_US
        largest = oracle.t_data(1500, 6, Fraction(135))
        assert measured == pytest.approx(float(occupied), abs=float(largest))


def test_limits_follow_from_the_shares(evenair: Evenair, tmp_path: Path) -> None:
    """Each limit lies between those for the least and the largest use and round-trip time.

    A station's slot ends when it receives the beacon, a little after the access point's: its flow
    may have used an exchange or two more or less. Its own mean backoff is up to 31 slots, the
    window after a collision.
    """
    series = run(evenair, tmp_path, TFRC)["series"]
    check_shares(series["controller"])
    checked = 0
    for decision in series["controller"]:
        element = [oracle.field(Fraction(decision[key])) for key in ("p_even", "p_additional")]
        backoff = Fraction(round(decision["backoff_s"] * 1e6))
        for flow, station in (("down-1", "sta-1"), ("down-2", "sta-2")):
            share, limit = Fraction(decision["shares"][station]), decision["theta_bps"][flow]
            if not share or limit is None:
                continue
            data = oracle.t_data(1500, RATES[station], backoff)
            uses = [share + exchanges * data / SLOT_US for exchanges in (-2, 0, 2)]
            # More use means a lower limit but where the flow becomes unsatisfied.
            threshold = Fraction(4, 5) * Fraction(element[0], oracle.SCALE)
            uses += [threshold] if uses[0] < threshold < uses[2] else []
            limits = []
            for use in uses:
                (available,) = oracle.station(element, [use], [], Fraction(4, 5))
                for rtt, own in ((100_000, 279), (300_000, 0)):
                    report = oracle.t_data(56, RATES[station], Fraction(own))
                    limits.append(8 * oracle.theta(available, 1448, data, report, Fraction(rtt)))
            assert float(min(limits)) - 1 <= limit <= float(max(limits)) + 1, (flow, decision)
            checked += 1
    assert checked > 350
