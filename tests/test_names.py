"""Names, groups and applications in results and tables; which flows Jain's index compares."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import evenair as ea
import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from evenair_command import Evenair

CELL = """
duration = "5 s"
[[station]]
name = "laptop"
count = 2
flows = [
    { name = "backup", group = "work", direction = "up" },
    { direction = "down", application = { kind = "web", size = "20 KB", think = "100 ms" } },
]
[[station]]
name = "phone"
flows = [{ name = "call", group = "voice", direction = "up", transport = "udp", rate = "64 kbps" }]
"""


def jain(values: list[float]) -> float:
    """R. Jain, The Art of Computer Systems Performance Analysis, 1991."""
    return sum(values) ** 2 / (len(values) * sum(value**2 for value in values))


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> Any:
    file = tmp_path_factory.mktemp("names") / "cell.toml"
    file.write_text(CELL)
    return ea.run(ea.load(file))


def test_names_in_results(result: Any) -> None:
    flows = result.flows.to_pylist()
    assert [(flow["id"], flow["name"], flow["group"], flow["application"]) for flow in flows] == [
        ("up-1", "backup-1", "work", "bulk"),
        ("down-1", None, None, "web"),
        ("up-2", "backup-2", "work", "bulk"),
        ("down-2", None, None, "web"),
        ("up-3", "call", "voice", "cbr"),
    ]
    names = [station["name"] for station in result.stations.to_pylist()]
    assert names == ["laptop-1", "laptop-2", "phone"]


def test_fairness_is_that_of_bulk_flows_and_their_stations(result: Any) -> None:
    flows, stations = result.flows.to_pylist(), result.stations.to_pylist()
    assert result.document["jain_over"] == "bulk"
    bulk = [flow["goodput_bps"] for flow in flows if flow["application"] == "bulk"]
    assert len(bulk) == 2
    assert result.jain_index == pytest.approx(jain(bulk))
    assert result.jain_airtime == pytest.approx(jain([s["airtime_share"] for s in stations[:2]]))
    assert result.metrics["jain_airtime"] == result.jain_airtime


def test_fairness_without_bulk_flows_is_that_of_all() -> None:
    flow = {"direction": "up", "transport": "udp"}
    station = [{"flows": [{**flow, "rate": f"{k} Mbps"}]} for k in (1, 2)]
    result = ea.run(ea.Scenario(duration="2 s", station=station))
    assert result.document["jain_over"] == "all"
    # Each gets what it asks for: (1 + 2)^2 / (2 (1 + 4)).
    assert result.jain_index == pytest.approx(0.9, abs=0.005)


def test_airtime_counts_both_directions(result: Any) -> None:
    """A download's station sends only acknowledgements, but its segments use the air."""
    station = [{"flows": [{"direction": "down"}]}]
    document = ea.run(ea.Scenario(duration="5 s", station=station)).document
    [down], ap = document["stations"], document["ap"]
    assert 3 * down["tx_airtime_share"] < down["airtime_share"] < 1
    both = down["tx_airtime_share"] + ap["tx_airtime_share"]
    # Frames of the two that collide overlap.
    assert down["airtime_share"] == ap["airtime_share"] <= both
    assert down["airtime_share"] == pytest.approx(both, rel=0.05)
    *laptops, phone = result.document["stations"]
    assert all(s["tx_airtime_share"] < s["airtime_share"] for s in laptops)
    assert phone["tx_airtime_share"] == phone["airtime_share"]  # it receives nothing


def test_the_table_shows_names_and_applications(evenair_here: Evenair, tmp_path: Path) -> None:
    (tmp_path / "cell.toml").write_text(CELL)
    out = evenair_here("run", "cell.toml", "--plot", "x.svg").stdout
    lines = [line.split() for line in out.splitlines()]
    rows = [row[:5] for row in lines]
    assert ["backup-1", "laptop-1", "up", "newreno", "bulk"] in rows
    assert ["down-1", "laptop-1", "down", "newreno", "web"] in rows
    assert "Jain's index of bulk flows" in out
    out = evenair_here("run", "gong2006", "--set", "duration=1").stdout
    assert "Jain's index 0" in out


@pytest.mark.parametrize("name", ["", "a\nb", "\x1b[2J", "x" * 1_000_000, " ", "a\u2028b"])
@pytest.mark.parametrize("key", ["station.name", "flow.name", "flow.group"])
def test_hostile_names_are_one_line_of_error(key: str, name: str) -> None:
    where, _, what = key.partition(".")
    flow = {"direction": "up"} | ({what: name} if where == "flow" else {})
    station = {"flows": [flow]} | ({what: name} if where == "station" else {})
    with pytest.raises(ea.ScenarioError, match="1 to 100 printable characters") as caught:
        ea.Scenario(station=[station]).resolved  # noqa: B018
    assert len(str(caught.value)) < 300
    assert str(caught.value).isprintable()


def test_names_are_unique() -> None:
    flows = [{"direction": "up", "name": "a", "group": "g"}, {"direction": "down", "name": "a"}]
    with pytest.raises(ea.ScenarioError, match=r"flows\.1\.name: got \"a\", the name of station"):
        ea.Scenario(station=[{"flows": flows}]).resolved  # noqa: B018
    flows[1] |= {"name": "b", "group": "g"}
    result = ea.run(ea.Scenario(duration=1, station=[{"flows": flows}]))
    assert result.flows["group"].to_pylist() == ["g", "g"]
