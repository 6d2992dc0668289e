"""Rate limiters: the rules in Python, rounds of runs replayed through them, and what users see."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import evenair as ea
import pyarrow.parquet as pq
import pytest
from evenair import tables
from evenair.controllers import AdaptiveRateLimiter

if TYPE_CHECKING:
    from evenair_command import Evenair

# Tab. 1 by hand, R_step = 200 and C_max = 6000 kbit/s: up, down, lost; R, C, first_loss, branch.
TABLE_1: list[tuple[int, int, bool, int, int | None, bool, str]] = [
    (5000, 100, False, 6000, None, True, "no-loss"),
    (5100, 100, True, 4900, 5200, False, "first-loss"),  # max(min(5800, 4900), 2600)
    (4700, 300, True, 4700, 5000, False, "loss"),  # max(4700, 2500)
    (4600, 400, False, 4900, 5000, True, "no-loss"),
    (5000, 0, True, 4700, 5000, False, "first-loss"),  # max(min(4700, 4800), 2500)
    (400, 2600, False, 4900, 5000, True, "no-loss"),
    (400, 2600, True, 1500, 3000, False, "first-loss"),  # max(min(4700, 200), 1500)
    (2500, 3000, True, 2750, 5500, False, "loss"),  # max(1300, 2750)
    (100, 100, False, 2950, 5500, True, "no-loss"),
    (100, 100, True, 100, 200, False, "first-loss"),  # max(min(2750, -100), 100)
    (7000, 7000, True, 6000, 14_000, False, "loss"),  # C / 2 is above C_max
    (0, 0, True, 5800, 0, False, "loss"),
]


def test_table_1() -> None:
    limiter = AdaptiveRateLimiter()
    assert (limiter.rate_bps, limiter.capacity_bps, limiter.first_loss) == (6_000_000, None, True)
    for up, down, lost, rate, capacity, first_loss, branch in TABLE_1:
        assert limiter.round(1000 * up, 1000.0 * down, lost) == 1000 * rate
        assert limiter.rate_bps == 1000 * rate
        assert limiter.capacity_bps == (None if capacity is None else 1000 * capacity)
        assert (limiter.first_loss, limiter.reason) == (first_loss, branch)
        assert limiter.udp_rate_bps is None
    limiter.release()
    assert (limiter.rate_bps, limiter.first_loss) == (6_000_000, True)


def test_the_floor() -> None:
    """Losses in an idle cell; back after (6 - 0.3) / 0.2 = 28.5 rounds, from 6 kb/s after 30."""
    for floor, lowest, rounds in [(0.0, 6000, 30), ("300 kbps", 300_000, 29)]:
        limiter = AdaptiveRateLimiter(min_rate=floor)
        for _ in range(40):
            limiter.round(6e3, 6e3, True)
        assert limiter.rate_bps == lowest
        rates = [limiter.round(6e3, 6e3, False) for _ in range(rounds)]
        assert rates.index(6_000_000) == rounds - 1
    with pytest.raises(ValueError, match=r"min_rate: got 7 Mbps; accepted: at most max_rate, 6"):
        AdaptiveRateLimiter(min_rate="7 Mbps")


def test_udp_takes_its_part() -> None:
    """Of 5 Mb/s 1 is reserved: R = max(min(5 - 0.2, 3.5 - 0.2), 4 / 2)."""
    limiter = AdaptiveRateLimiter(udp="reserved", udp_rate="1 Mbps")
    assert (limiter.rate_bps, limiter.udp_rate_bps) == (5_000_000, 1_000_000)
    rate = limiter.round(4e6, 1e6, True, udp_up_bps=0.5e6)
    assert (rate, limiter.capacity_bps) == (3_300_000, 4_000_000)
    # Half of 5 Mb/s, for 0.8 of UDP: R = max(min(6 - 0.2, 3.5 - 0.2), 4.2 / 2).
    limiter = AdaptiveRateLimiter(udp="estimated")
    rate = limiter.round(4e6, 1e6, True, udp_up_bps=0.5e6, udp_down_bps=0.3e6)
    assert (rate, limiter.capacity_bps, limiter.udp_rate_bps) == (3_300_000, 4_200_000, 2_500_000)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("interval", 0),
        ("interval", "1 Mbps"),
        ("step", -1),
        ("step", "7 Mbps"),
        ("max_rate", "fast"),
        ("max_rate", 0.0),
        ("min_rate", -1),
        ("min_rate", "unlimited"),
        ("udp", "none"),
        ("udp_rate", "1 s"),
    ],
)
def test_bad_parameters_are_told_as_in_scenarios(key: str, value: Any) -> None:
    with pytest.raises(ValueError, match=f"^{key}|^max_rate") as alone:
        AdaptiveRateLimiter(**{key: value})
    limiter = {"kind": "adaptive", key: float(value) if isinstance(value, int) else value}
    station = [{"flows": [{"direction": "up"}]}]
    with pytest.raises(ea.ScenarioError) as within:
        ea.Scenario(gateway={"limiter": limiter}, station=station)
    assert str(within.value).endswith(f"gateway.limiter.{alone.value}")
    assert "\n" not in str(alone.value)


def test_bad_reservations_are_told_as_in_scenarios() -> None:
    with pytest.raises(ValueError, match=r"udp_rate: got 6 Mbps; accepted: less than max_rate, 6"):
        AdaptiveRateLimiter(udp="reserved", udp_rate=6e6)


@pytest.mark.parametrize("bad", [-1, float("nan"), float("inf")])
def test_bad_throughputs(bad: float) -> None:
    limiter = AdaptiveRateLimiter()
    with pytest.raises(ValueError, match=r"down_bps: got .*; accepted: a throughput from 0"):
        limiter.round(0, bad, False)
    assert limiter.rate_bps == 6_000_000


CHANGES: list[dict[str, Any]] = [
    {},
    {"gateway__limiter__step": 123456, "gateway__limiter__interval": "0.7 s"},
    {"gateway__limiter__loss_signal": "polled"},
    {"gateway__limiter__min_rate": "3 Mbps"},
    {"gateway__limiter__udp": "estimated"},
]


@pytest.mark.parametrize("changes", CHANGES)
def test_rounds_of_a_run_replayed(changes: dict[str, Any]) -> None:
    """The rules give the same rates, to the bit/s, for the rounds that the simulator reports."""
    udp = {"direction": "up", "transport": "udp", "rate": "1 Mbps"}
    scenario = ea.load("blefari2007").with_(duration="60 s", trace__interval="1 s", **changes)
    flows = scenario.resolved["station"][0]["flows"]
    scenario = scenario.with_(station=[{"count": 4, "flows": [*flows, udp]}])
    result = ea.run(scenario, seed=3)
    config = scenario.resolved["gateway"]["limiter"]
    names = ("interval", "step", "max_rate", "udp", "udp_rate", "min_rate")
    limiter = AdaptiveRateLimiter(**{name: config[name] for name in names})
    rounds = result.rounds.to_pylist()
    assert len(rounds) == result.document["limiter"]["rounds"] == int(60 / config["interval"])
    assert 0 < sum(each["lost"] for each in rounds) < len(rounds)
    for each in rounds:
        udp_bps = {"udp_up_bps": each["up_udp_bps"], "udp_down_bps": each["down_udp_bps"]}
        rate = limiter.round(each["up_bps"], each["down_bps"], each["lost"], **udp_bps)
        assert (rate, limiter.capacity_bps) == (each["rate_bps"], each["capacity_bps"])
        assert limiter.udp_rate_bps == each["udp_rate_bps"]


def test_what_users_see(evenair_here: Evenair, tmp_path: Any) -> None:
    options = ("--set", "duration=20", "--set", "trace.interval=0.5 s")
    done = evenair_here("run", "blefari2007", *options, "--out", "out", "--plot", "plot.png")
    assert done.returncode == 0, done.stderr
    shown = r"limiter \d\.\d+ Mb/s  dropped by the limiter \d+(\.\d)? packets"
    assert re.search(shown, done.stdout)
    document = json.loads((tmp_path / "out/result.json").read_text())
    rounds = pq.read_table(tmp_path / "out/rounds.parquet").to_pylist()
    assert rounds == document["series"]["limiter"]
    assert [each["t_s"] for each in rounds] == [float(t) for t in range(1, 21)]
    series = pq.read_table(tmp_path / "out/series.parquet")
    assert series.num_rows == 40
    assert not [name for name in series.column_names if "limiter" in name]
    assert "limiter" not in tables.traces(document["series"])
    done = evenair_here(
        "run", "blefari2007", *options, "--set", "gateway.limiter=none", "--out", "off"
    )
    assert done.returncode == 0, done.stderr
    assert "dropped by it" not in done.stdout
    assert not (tmp_path / "off/rounds.parquet").exists()
    assert "limiter" not in json.loads((tmp_path / "off/result.json").read_text())


def test_metrics_of_runs() -> None:
    scenario = ea.load("blefari2007").with_(duration="20 s")
    result = ea.run(scenario)
    assert result.metrics["limiter_lossy_rounds"] == result.document["limiter"]["lossy_rounds"]
    assert result.rounds.num_rows == 0  # not traced
    off = ea.run(scenario.with_(gateway__limiter="none"))
    assert not [name for name in off.metrics if name.startswith("limiter")]


def test_bad_limiter_in_one_line(evenair_here: Evenair) -> None:
    done = evenair_here("run", "blefari2007", "--set", "gateway.limiter.bucket=1 KB")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert "gateway.limiter.bucket: got 1000 B; accepted: at least 1500 B" in done.stderr
