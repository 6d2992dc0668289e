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


def test_two_uploads_have_most_of_the_home_and_las_or_equal_airtime_shares_it() -> None:
    droptail = run("home")
    las = run("home", cell__queue="las")
    fair = run("home", cell__scheduler="airtime-drr")

    def over_downloads(result: RunResult) -> float:
        return goodput(result, "uploads") / 2 / (goodput(result, "downloads") / 3)

    assert over_downloads(droptail) > 4
    assert over_downloads(las) < 2
    shares = [each["airtime_share"] for each in fair.document["stations"][:5]]
    assert max(shares) - min(shares) < mean(shares) / 4
