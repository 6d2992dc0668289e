"""The scenarios `cafe` and `home`: what is in them, and what their comments say to look at."""

from __future__ import annotations

from statistics import mean
from typing import TYPE_CHECKING

import evenair as ea
import pytest

if TYPE_CHECKING:
    from evenair import RunResult


def run(name: str, **changes: object) -> RunResult:
    return ea.run(ea.load(name).with_(duration="6 s", **changes), seed=1)


def goodput(result: RunResult, group: str) -> float:
    """Mbit/s of all flows of a group."""
    flows = result.document["flows"]
    return sum(flow["goodput_bps"] for flow in flows if flow["group"] == group) / 1e6


def airtime(result: RunResult, name: str) -> float:
    stations = result.document["stations"]
    return next(each["airtime_share"] for each in stations if each["name"] == name)


@pytest.mark.parametrize(
    ("name", "phy", "count"), [("cafe", "802.11ac", 20), ("home", "802.11ax", 10)]
)
def test_phy_and_number_of_stations(name: str, phy: str, count: int) -> None:
    resolved = ea.load(name).resolved
    assert resolved["cell"]["phy"] == phy
    assert sum(station["count"] for station in resolved["station"]) == count


def test_a_slow_station_drags_the_cafe_and_equal_airtime_restores_it() -> None:
    fifo = run("cafe")
    without = run("cafe", station__0__channel={"kind": "distance", "metres": 6})
    fair = run("cafe", cell__scheduler="airtime-drr")
    # Four laptops and the terrace are backlogged. Of 27 times their rate, as many packets as
    # the others have would be 27 / (27 + 4) of the time; aggregates of 5.5 ms at most make it less.
    assert 1 / 2 < airtime(fifo, "terrace") < 27 / 31
    assert airtime(fair, "terrace") == pytest.approx(1 / 5, abs=0.06)  # web users take some
    assert goodput(fifo, "laptops") < goodput(without, "laptops") / 2
    assert goodput(fair, "laptops") > goodput(without, "laptops") * 4 / 5


def test_the_access_point_of_the_home_gives_equal_airtime_and_calls_do_not_wait() -> None:
    linux = run("home", warmup="8 s")  # the windows of downloads have grown
    turns = run("home", warmup="8 s", cell__scheduler="round-robin")

    def shares(result: RunResult) -> list[float]:
        """Of the five stations that are backlogged: three download, two upload."""
        return [each["airtime_share"] for each in result.document["stations"][:5]]

    def delay(result: RunResult) -> float:
        flows = result.document["flows"]
        calls = [each for each in flows if each["group"] == "calls"]
        assert len(calls) == 4  # two, of two flows each
        return mean(each["one_way_delay_s"]["p95"] for each in calls if each["direction"] == "down")

    # Who has lost packets does not always have some that wait.
    assert max(shares(linux)) < 1.5 * min(shares(linux))
    # A PPDU in turn, which of the cellar is as long as can be; and uploads are charged for nothing.
    assert max(shares(turns)) > 2 * min(shares(turns))
    # 10 ms are the wire. Two PPDUs are in the hardware, and each of the two uploads may go before
    # each of them: 5.5 ms at most.
    assert 0.010 < delay(linux) < 0.010 + 2 * 3 * 0.0055
    assert delay(turns) > 1.5 * delay(linux)
