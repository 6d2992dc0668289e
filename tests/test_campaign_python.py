"""Campaigns from Python: arguments of every type, Dask objects, notebooks."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import evenair as ea
import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

GRID = {"cell.queue.limit": [20, 30]}


@pytest.fixture(scope="module")
def scenario() -> ea.Scenario:
    return ea.load("gong2006", {"duration": 1})


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"grid": ["duration"]}, r"grid: got \['duration'\] \(list\), expected keys with their"),
        ({"grid": "duration=1"}, "grid: got 'duration=1', expected keys"),
        ({"grid": {"duration": 5}}, "vary: duration: got 5, expected a list of values"),
        ({"grid": {3: [5]}}, "vary: 3: is no key of a scenario, expected a text"),
        ({"grid": {"duration": [{1}]}}, r"vary: duration: \{1\} \(set\) is not valid"),
        ({"runs": "2"}, "runs: got '2', expected a whole number, at least 1"),
        ({"runs": 1.5}, "runs: got 1.5, expected a whole number"),
        ({"seed": [1, 2]}, r"seed: got \[1, 2\] \(list\), expected a whole number, 0 to"),
        ({"jobs": "all"}, "jobs: got 'all', expected a whole number"),
        ({"out": 3}, "out: got 3, expected a file name"),
        ({"progress": True}, "progress: got True, expected a function"),
        ({"until": 0.01}, "until: got 0.01, expected METRIC:PERCENT%"),
        ({"until": "jain_index:1%", "max_runs": "9"}, "max-runs: got '9', expected a whole number"),
    ],
)
def test_wrong_types_are_told_in_one_line(
    scenario: ea.Scenario, keys: dict[str, Any], message: str
) -> None:
    grid = keys.pop("grid", GRID)
    with pytest.raises(ea.CampaignError, match=f"^{message}") as caught:
        ea.sweep(scenario, grid, **{"runs": 1, **keys})
    assert "\n" not in str(caught.value)


def test_a_wrong_scenario_and_wrong_names(scenario: ea.Scenario) -> None:
    with pytest.raises(ea.ScenarioError, match=r"^scenario: got 5, expected the name"):
        ea.sweep(5, GRID, runs=1)  # type: ignore[arg-type]
    campaign = ea.sweep(scenario, GRID, runs=1)
    names = r"^by: got 3, expected names of columns"
    with pytest.raises(ValueError, match=names):
        campaign.plot("jain_index", "jain_airtime", 3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=names):
        campaign.summary(3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"^x: 3: no such column; there are cell\.queue\.limit, "):
        campaign.plot(3, "jain_index")  # type: ignore[arg-type]


def test_an_unknown_column_lists_the_known_ones_on_one_screen(scenario: ea.Scenario) -> None:
    campaign = ea.sweep(scenario, GRID, runs=1)
    names = campaign.table.column_names
    # Those with a word of the wrong name, the keys, and the main metrics.
    expected = {
        ("x", "limit", "jain_index"): ["cell.queue.limit", "aggregate_goodput_bps"],
        ("y", "cell.queue.limit", "goodput"): [name for name in names if "goodput" in name],
        ("y", "cell.queue.limit", "delays"): ["ap_queue_mean_delay_s", "one_way_delay_p5_s"],
    }
    for (axis, *keys), listed in expected.items():
        with pytest.raises(ValueError, match=f"^{axis}: .*: no such column; ") as caught:
            campaign.plot(*keys)
        message = str(caught.value)
        assert all(f" {name}" in message for name in listed)
        assert sum(f" {name}" in message for name in names) < len(names) / 4
        assert len(message) < 80 * 6
        assert message.endswith(f" and {len(names) - 12} more: see docs/campaigns.md#output")


def test_notebooks_show_each_point(scenario: ea.Scenario) -> None:
    campaign = ea.sweep(scenario, GRID, runs=2)
    html = campaign._repr_html_()
    assert "<th>cell.queue.limit</th><th>runs</th><th>aggregate goodput (Mb/s)</th>" in html
    assert html.count("<tr>") == 3
    # The half-width has two digits, and the mean is rounded to the same place (the GUM, 7.2.6).
    cells = re.findall(r"<td>([0-9.]+) ± ([0-9.]+)</td>", html)
    assert len(cells) == 2 * 5
    for mean, half in cells:
        same = len(mean.partition(".")[2]) == len(half.partition(".")[2])
        assert same or half == "0"  # of runs that do not differ
        assert len(half.replace(".", "").lstrip("0")) <= 2
    goodput, ci95 = campaign.groups[0].metrics["aggregate_goodput_bps"]
    mean, half = map(float, cells[0])
    place = 10.0 ** -len(cells[0][1].partition(".")[2])
    assert abs(mean - goodput / 1e6) <= place / 2
    assert ci95 is not None
    assert abs(half - ci95 / 1e6) <= place / 2


def test_campaigns_are_equal_if_their_runs_are(scenario: ea.Scenario, tmp_path: Path) -> None:
    campaign = ea.sweep(scenario, GRID, runs=2)
    stored = ea.sweep(scenario, GRID, runs=2, out=tmp_path / "x.parquet")
    again = ea.sweep(scenario, GRID, runs=2, out=tmp_path / "x.parquet")
    assert (stored.new_runs, again.new_runs) == (4, 0)
    assert campaign == stored == again
    assert len({campaign, stored, again}) == 1
    assert campaign != ea.sweep(scenario, GRID, runs=2, seed=2)
    assert campaign != ea.sweep(scenario, {"cell.queue.limit": [10]}, runs=2)
    assert campaign != campaign.table


def test_a_data_set_of_xarray_has_each_run(scenario: ea.Scenario) -> None:
    pytest.importorskip("xarray")
    grid = {"cell.queue.kind": ["las", "droptail"], "cell.queue.limit": [10, 60]}
    campaign = ea.sweep(scenario, grid, runs=2)
    found = campaign.to_xarray()
    assert dict(found.sizes) == {"cell.queue.kind": 2, "cell.queue.limit": 2, "seed": 2}
    for row in campaign.table.to_pylist():
        where = {name: row[name] for name in found.sizes}
        for name in ("aggregate_goodput_bps", "jain_index", "timeouts"):
            assert float(found[name].sel(where)) == row[name]
    assert found["mean_rtt_s"].attrs["units"] == "s"
    assert found["aggregate_goodput_bps"].attrs["units"] == "bit/s"
    assert "mean_mos" not in found  # there are no calls


def test_a_data_set_has_no_value_where_there_is_no_run(scenario: ea.Scenario) -> None:
    pytest.importorskip("xarray")
    grid = {"cell.queue.limit": [10, 60]}
    campaign = ea.sweep(scenario, grid, until="jain_index:2%", max_runs=8)
    runs = [group.runs for group in campaign.groups]
    found = campaign.to_xarray()["jain_index"]
    assert found.sizes["seed"] == max(runs)
    assert [int(found[k].notnull().sum()) for k in range(2)] == runs


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None
    ) as local:
        yield local


@pytest.mark.timeout(180)
def test_a_cluster_and_a_client_are_used_and_left_open(scenario: ea.Scenario, cluster: Any) -> None:
    from distributed import Client

    expected = ea.sweep(scenario, GRID, runs=2)
    assert ea.sweep(scenario, GRID, runs=2, cluster=cluster).table.equals(expected.table)
    with Client(cluster, set_as_default=False) as client:
        assert ea.sweep(scenario, GRID, runs=2, cluster=client).table.equals(expected.table)
        assert client.submit(int, "7").result() == 7
        with pytest.raises(ea.CampaignError, match=r"jobs: got 2, but the cluster .* own workers"):
            ea.sweep(scenario, GRID, runs=2, jobs=2, cluster=client)
    with pytest.raises(ea.CampaignError, match=r"cluster: got <Client.*which is closed"):
        ea.sweep(scenario, GRID, runs=2, cluster=client)
    with pytest.raises(ea.CampaignError, match=r"cluster: got 3, expected local, an address"):
        ea.sweep(scenario, GRID, runs=2, cluster=3)
