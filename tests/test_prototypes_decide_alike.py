"""Components that are Python classes: what they decide is what the built-in ones decide."""

from __future__ import annotations

import json
import random
from typing import Any

import evenair as ea
import pytest
from evenair import _core
from prototype_support import fingerprint, load, measured, registered  # noqa: F401 (a fixture)


def random_cell(seed: int) -> dict[str, Any]:
    """A cell with up to three groups of stations, of any PHY, with and without ECN and errors."""
    draw = random.Random(seed)
    phy = draw.choice(["802.11b", "802.11a", "802.11g"])
    rates = {"802.11b": [2, 5.5, 11], "802.11a": [6, 24, 54], "802.11g": [6, 12, 54]}[phy]
    stations = []
    for _ in range(draw.randint(1, 3)):
        flows = [
            {
                "direction": direction,
                "ecn": draw.random() < 0.4,
                "window": draw.choice([20, 42, 200]),
                "transport": draw.choice(["newreno", "cubic"]),
            }
            for direction in ("down", draw.choice(["up", "down"]))
        ]
        error = {"kind": "independent", "rate": draw.choice([0.001, 0.02]), "level": "ip"}
        station: dict[str, Any] = {"count": draw.randint(1, 3), "flows": flows}
        if draw.random() < 0.4:
            station["error"] = error
        stations.append(station)
    return {
        "duration": 4,
        "warmup": draw.choice([0, 1]),
        "cell": {"phy": phy, "data_rate": f"{draw.choice(rates)} Mbps"},
        "wired": {"delay": f"{draw.randint(1, 60)} ms"},
        "station": stations,
    }


def with_queue(cell: dict[str, Any], seed: int, kind: str) -> ea.Scenario:
    draw = random.Random(1000 + seed)
    queue = {
        "kind": kind,
        "limit": draw.choice([12, 60, 300, "90 KB"]),
        "target": f"{draw.choice([2, 5, 13])} ms",
        "interval": f"{draw.choice([20, 100, 170])} ms",
        "mtu": draw.choice([600, 1500]),
        "ecn": draw.random() < 0.5,
    }
    stations = [{**station, "queue": queue} for station in cell["station"]]
    changed = {"cell": {**cell["cell"], "queue": queue}, "station": stations}
    return ea.Scenario(**{**cell, **changed})


def test_codel_decides_what_the_built_in_decides() -> None:
    """Twenty random cells: same fingerprint, same drops and marks, same everything."""
    drops = marks = full = 0
    for seed in range(20):
        cell = random_cell(seed)
        built_in = ea.run(with_queue(cell, seed, "codel"), seed=seed)
        python = ea.run(with_queue(cell, seed, "codel-py"), seed=seed)
        assert fingerprint(python) == fingerprint(built_in), seed
        assert measured(python) == measured(built_in), seed
        queue = measured(python)["ap_queue"]
        drops += queue["drops_on_departure"] > 0
        marks += queue["marks"] > 0
        full += queue["drops_on_arrival"] > 0
    # So that all branches were taken.
    assert (drops, marks, full) >= (15, 3, 3), (drops, marks, full)


def test_codel_on_wired_links() -> None:
    def scenario(kind: str) -> ea.Scenario:
        queue = {"kind": kind, "target": "3 ms", "limit": 100}
        return ea.load("gong2006").with_(
            duration="5 s", wired__rate="3 Mbps", wired__queue=queue, wired__delay="20 ms"
        )

    built_in, python = ea.run(scenario("codel")), ea.run(scenario("codel-py"))
    assert measured(python) == measured(built_in)


def test_codel_is_traced_as_the_built_in() -> None:
    def air_trace(kind: str) -> Any:
        scenario = ea.load("gong2006").with_(
            duration="5 s", cell__queue={"kind": kind, "limit": 50, "ecn": False}
        )
        return json.loads(_core.air_trace(scenario._core, 1, 4.0, 100))

    built_in, python = air_trace("codel"), air_trace("codel-py")
    assert max(access["ap_queues"][0]["waiting"] for access in built_in["accesses"]) > 10
    assert python == built_in


def test_codel_in_a_wimax_cell() -> None:
    def scenario(kind: str) -> ea.Scenario:
        flows = [{"direction": "down"}, {"direction": "up"}]
        queue = {"kind": kind, "limit": 50}
        cell = {"kind": "wimax", "queue": queue}
        return ea.Scenario(duration=4, cell=cell, station=[{"count": 3, "flows": flows}])

    built_in, python = ea.run(scenario("codel")), ea.run(scenario("codel-py"))
    assert measured(python) == measured(built_in)


def transports(kind: str, **keys: Any) -> ea.Scenario:
    """Downloads and uploads, a lossy one, with ECN, and one of files, of a new connection each."""
    flow = {"transport": kind, **keys}
    files = {"kind": "web", "size": 60_000, "think": 0.1}
    return ea.Scenario(
        duration=10,
        cell={"queue": {"kind": "codel"}},
        station=[
            {"flows": [{"direction": "up", **flow}, {"direction": "down", **flow}]},
            {
                "error": {"kind": "independent", "rate": 0.01, "level": "ip"},
                "flows": [
                    {"direction": "down", "ecn": True, **flow},
                    {"direction": "down", "application": files, **flow},
                ],
            },
        ],
    )


@pytest.mark.parametrize("keys", [{}, {"tcp": "rfc"}, {"tcp": "ns2"}], ids=str)
def test_newreno_decides_what_the_built_in_decides(keys: dict[str, Any]) -> None:
    built_in, python = (
        ea.run(transports("newreno", **keys)),
        ea.run(transports("newreno-py", **keys)),
    )
    assert fingerprint(python) == fingerprint(built_in)
    flows = [measured(result)["flows"] for result in (built_in, python)]
    for flow in (*flows[0], *flows[1]):
        assert flow.pop("transport").startswith("newreno")
    assert flows[0] == flows[1]
    assert sum(flow["timeouts"] for flow in flows[0]) > 0
    assert sum(flow["retransmissions"] for flow in flows[0]) > 10


@pytest.mark.parametrize("snr", [8, 14, 20])
def test_arf_decides_what_the_built_in_decides(snr: int) -> None:
    def scenario(kind: str) -> ea.Scenario:
        control = {"kind": kind, "successes": 7, "failures": 2, "timer": 12}
        channel = {"kind": "snr", "snr_db": snr}
        flows = [{"direction": "up"}, {"direction": "down"}]
        station = {"count": 2, "rate_control": control, "channel": channel, "flows": flows}
        return ea.Scenario(duration=4, cell={"phy": "802.11a"}, station=[station])

    built_in, python = ea.run(scenario("arf")), ea.run(scenario("arf-py"))
    assert measured(python) == measured(built_in)
    used = measured(python)["stations"][0]["data_rates"]
    assert len(json.dumps(used)) > 40, used
