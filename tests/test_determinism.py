"""A result depends on scenario and seed alone."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import evenair as ea
import pytest
from evenair.engine import run_jobs

if TYPE_CHECKING:
    from pathlib import Path

    from evenair.scenario import Scenario
    from evenair_command import Evenair


def without_wall(text: str) -> str:
    """Cut out what differs between equal runs, and only where it may stand: last in a run."""
    return re.sub(r',"wall_s":[0-9.e-]+\}', "}", text)


@pytest.fixture(scope="module")
def scenarios() -> list[Scenario]:
    """Return one scenario per queue discipline, with traces."""
    base = ea.load("gong2006").with_(duration=10, trace={"interval": "1 s"})
    return [base.with_(cell__queue__kind=kind) for kind in ("droptail", "las", "spm-af")]


def test_json_of_equal_commands_is_equal(evenair: Evenair) -> None:
    command = ("run", "gong2006", "--set", "duration=10", "--seed", "3", "--json")
    first, second = evenair(*command).stdout, evenair(*command).stdout
    assert without_wall(first).endswith("}\n")
    assert "wall_s" not in without_wall(first)
    assert without_wall(first) == without_wall(second)


def test_json_of_several_runs_is_equal(evenair: Evenair) -> None:
    command = ("run", "gong2006", "--set", "duration=5", "--runs", "3", "--json")
    first, second = evenair(*command).stdout, evenair(*command).stdout
    assert without_wall(first) == without_wall(second)


def test_threads_do_not_matter(scenarios: list[Scenario]) -> None:
    jobs = [(scenario, seed) for scenario in scenarios for seed in range(1, 5)]
    one, two, four = (
        [without_wall(result.json) for result in run_jobs(jobs, threads=threads)]
        for threads in (1, 2, 4)
    )
    assert one == two == four


def test_company_does_not_matter(scenarios: list[Scenario]) -> None:
    together = run_jobs([(scenario, 2) for scenario in scenarios], threads=1)
    for scenario, result in zip(scenarios, together, strict=True):
        assert without_wall(ea.run(scenario, seed=2).json) == without_wall(result.json)


def test_observers_do_not_matter(scenarios: list[Scenario], tmp_path: Path) -> None:
    """Neither a trace nor a capture changes what happens."""
    scenario = scenarios[0]
    plain = ea.Scenario(**{k: v for k, v in scenario.resolved.items() if k != "trace"})
    captured = ea.run(plain, seed=5, pcap=tmp_path / "air.pcapng")
    assert without_wall(captured.json) == without_wall(ea.run(plain, seed=5).json)
    assert captured.document["flows"] == ea.run(scenario, seed=5).document["flows"]


def test_seeds_matter(scenarios: list[Scenario]) -> None:
    results = [ea.run(scenarios[0], seed=seed) for seed in (1, 2, 2**64 - 1)]
    assert len({result.aggregate_goodput_bps for result in results}) == 3
    assert [result.seed for result in results] == [1, 2, 2**64 - 1]
