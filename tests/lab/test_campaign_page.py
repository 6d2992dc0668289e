"""The page's campaign explorer has the numbers of Python, and opens the scenario of a point."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import evenair as ea
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from evenair._core import Scenario as CoreScenario
from evenair.campaign.summary import scenario_of, summarize
from evenair.scenario import Scenario
from evenair.text import labels

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT = Path(__file__).parents[2]
LAB = ROOT / "lab"
SCRIPT = ROOT / "tests" / "lab" / "summarize_campaign.mjs"


@pytest.fixture(autouse=True)
def node() -> None:
    if shutil.which("node") and (LAB / "node_modules").is_dir():
        return
    reason = "needs Node.js, and npm ci in lab"
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)


def opened(path: Path, bits: Sequence[int]) -> dict[str, Any]:
    """Why the page refuses a file in which one of these bits is wrong."""
    command = ["node", SCRIPT.with_name("open_damaged_campaign.mjs"), path, *map(str, bits)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=LAB)
    assert done.returncode == 0, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def shown(path: Path, *axes: str) -> dict[str, Any]:
    """What the page shows of a file."""
    done = subprocess.run(
        ["node", SCRIPT, path, *axes], capture_output=True, text=True, timeout=60, cwd=LAB
    )
    assert done.returncode == 0, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def compare(path: Path, x: str, y: str, by: Sequence[str] = ()) -> dict[str, Any]:
    """Assert that the page has the points of `evenair plot`; return what it shows."""
    table = pq.read_table(path)
    page = shown(path, x, y, *by)
    groups = {tuple(group.values.values()): group for group in summarize(table, (*by, x), (y,))}
    label = labels.metric(y)
    points = [
        (*((curve["name"],) if by else ()), point)
        for curve in page["curves"]
        for point in curve["points"]
    ]
    known = {values: group for values, group in groups.items() if y in group.metrics}
    assert len(points) == len(known)
    assert page["missing"] == len(groups) - len(known)
    names = {"up": "uploads", "down": "downloads"} if by == ["direction"] else {}
    for values, group in known.items():
        name = [names.get(str(value), labels.value_text(value)) for value in values[:-1]]
        [point] = [
            each[-1] for each in points if [*each[:-1], each[-1]["x"]] == [*name, values[-1]]
        ]
        mean, half = group.metrics[y]
        assert point["estimate"]["mean"] == pytest.approx(mean * label.scale, rel=1e-12)
        if half is None:
            assert point["estimate"]["ci95"] is None
        else:
            # Nearly equal runs: the rounding of their mean is what is left of the spread.
            rounding = abs(mean) * 1e-14
            expected = pytest.approx(half * label.scale, rel=1e-9, abs=rounding * label.scale)
            assert point["estimate"]["ci95"] == expected
        assert (point["runs"], point["known"]) == (group.runs, group.counts[y])
    assert page["y"] == label._asdict()
    assert page["x"] == labels.key(x, scenario_of(table))._asdict()
    return page


@pytest.fixture(scope="module")
def queues(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path: Path = tmp_path_factory.mktemp("campaign") / "queues.parquet"
    ea.sweep(
        ea.load("gong2006").with_(duration="3 s"),
        {"cell.queue.limit": range(20, 81, 20), "cell.queue.kind": ["droptail", "las", "spm-af"]},
        runs=3,
        out=path,
        flows=True,
    )
    return path


@pytest.mark.parametrize(
    "metric",
    ["jain_index", "aggregate_goodput_bps", "timeouts", "ap_queue_loss_ratio", "rtt_p95_s"],
)
def test_means_and_intervals_are_those_of_python(queues: Path, metric: str) -> None:
    compare(queues, "cell.queue.limit", metric, ["cell.queue.kind"])


def test_texts_on_the_horizontal_axis(queues: Path) -> None:
    page = compare(queues, "cell.queue.kind", "jain_index", ["cell.queue.limit"])
    assert page["texts"] == ["droptail", "las", "spm-af"]


def test_flows_are_averaged_per_run_before_the_interval(queues: Path) -> None:
    flows = queues.with_name("queues-flows.parquet")
    table = pq.read_table(flows)
    las = table.filter(pc.equal(table["cell.queue.kind"], "las"))
    path = queues.with_name("las-flows.parquet")
    pq.write_table(las, path, compression="zstd")
    compare(path, "cell.queue.limit", "goodput_bps", ["direction"])


def test_a_file_is_opened_with_its_main_metric(queues: Path) -> None:
    assert shown(queues)["axes"] == {
        "x": "cell.queue.limit",
        "y": "jain_index",
        "by": "cell.queue.kind",
        "fixed": {},
    }


def test_runs_that_differ_in_a_key_are_not_averaged(tmp_path: Path) -> None:
    path = tmp_path / "three.parquet"
    grid = {
        "cell.queue.limit": [20, 40],
        "wired.delay": ["2 ms", "20 ms"],
        "station.0.count": [1, 2],
    }
    ea.sweep(ea.load("gong2006").with_(duration="2 s"), grid, runs=2, out=path)
    page = shown(path, "cell.queue.limit", "jain_index", "station.0.count")
    assert page["axes"]["fixed"] == {"wired.delay": "2 ms"}
    assert {point["runs"] for curve in page["curves"] for point in curve["points"]} == {2}


def test_a_run_without_the_metric_is_left_out(tmp_path: Path) -> None:
    rows = [
        {"limit": limit, "seed": seed, "mean_rtt_s": rtt}
        for limit, rtts in ((1, (0.5, None, 0.7)), (2, (None, None, None)))
        for seed, rtt in enumerate(rtts)
    ]
    about = {b"evenair": json.dumps({"keys": ["limit"]}).encode()}
    schema = pa.schema({"limit": pa.int64(), "seed": pa.uint64(), "mean_rtt_s": pa.float64()})
    table = pa.Table.from_pylist(rows, schema=schema).replace_schema_metadata(about)
    pq.write_table(table, tmp_path / "x.parquet", compression="snappy")
    page = compare(tmp_path / "x.parquet", "limit", "mean_rtt_s")
    [[point]] = [curve["points"] for curve in page["curves"]]
    assert (point["known"], point["runs"]) == (2, 3)
    assert point["estimate"]["mean"] == pytest.approx(600)


def test_a_point_opens_the_scenario_of_its_runs(tmp_path: Path) -> None:
    path = tmp_path / "mixed.parquet"
    grid = {
        "cell.queue.filtering": ["tail", "head"],
        "cell.queue": [{"kind": "spm-af", "limit": 30}, {"kind": "spm-af", "limit": 90}],
        "wired.delay": ["5 ms", "40 ms"],
    }
    ea.sweep(ea.load("gong2006").with_(duration="2 s"), grid, runs=1, out=path)
    rows = pq.read_table(path).to_pylist()
    page = shown(path, "cell.queue.filtering", "aggregate_goodput_bps", "cell.queue")
    base = CoreScenario.from_toml(page["toml"].encode(), "page")
    checked = 0
    for curve in page["curves"]:
        for point in curve["points"]:
            changes = [(key, value) for key, value in point["changes"]]
            scenario = Scenario._from_core(base.with_overrides(changes, "page", "page"))
            [row] = [
                row
                for row in rows
                if all(row[key] == value for key, value in point["values"].items())
            ]
            assert ea.run(scenario, seed=row["seed"]).jain_index == row["jain_index"]
            checked += 1
    assert checked == 4


def test_a_damaged_file_is_refused_in_one_line(queues: Path) -> None:
    size, draw = 8 * queues.stat().st_size, random.Random(1)
    bits = [*(draw.randrange(size) for _ in range(1000)), *range(size - 64, size)]
    answer = opened(queues, bits)
    assert not answer["isUnchecked"]
    for reason in answer["reasons"]:
        assert reason.startswith("x: is damaged: ")
        assert "\n" not in reason


def test_a_file_without_a_checksum_is_opened_and_marked(queues: Path, tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    pq.write_table(pq.read_table(queues), path, compression="zstd")
    assert opened(path, []) == {"reasons": [], "isUnchecked": True}


@pytest.mark.parametrize("content", [b"duration = 3", b"", b"PAR1" + bytes(100) + b"PAR1"])
def test_another_file_is_refused_in_one_line(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.parquet"
    path.write_bytes(content)
    assert shown(path) == {"error": f"{path}: not a Parquet file"}


def test_a_table_that_is_no_campaign_is_refused_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "other.parquet"
    pq.write_table(pa.table({"city": ["Graz"], "people": [300_000]}), path)
    expected = "no campaign of evenair: it needs a varied key and a metric"
    assert shown(path) == {"error": f"{path}: {expected}"}


@pytest.mark.parametrize(
    ("about", "error"),
    [
        ("{", "what it says of its campaign is not JSON"),
        ("null", "no campaign of evenair: it needs a varied key and a metric"),
        ('["limit"]', "no campaign of evenair: it needs a varied key and a metric"),
        ('{"keys": "limit"}', "no campaign of evenair: it needs a varied key and a metric"),
        ('{"keys": ["limt", 7]}', "no campaign of evenair: it needs a varied key and a metric"),
        ('{"keys": ["limit", "lost"], "scenario": [], "command": 3}', None),
    ],
)
def test_what_another_program_says_of_a_campaign(
    tmp_path: Path, about: str, error: str | None
) -> None:
    path = tmp_path / "x.parquet"
    table = pa.table({"limit": [1, 1, 2, 2], "seed": [1, 2, 1, 2], "jain_index": [0.5, 0.7, 1, 1]})
    pq.write_table(table.replace_schema_metadata({"evenair": about}), path)
    page = shown(path)
    if error is not None:
        assert page == {"error": f"{path}: {error}"}
    else:
        assert (page["axes"]["x"], page["toml"]) == ("limit", None)
        assert [point["estimate"]["mean"] for point in page["curves"][0]["points"]] == [0.6, 1]


def test_a_value_that_is_no_number_is_missing(tmp_path: Path) -> None:
    """As pandas writes a missing value."""
    path = tmp_path / "x.parquet"
    table = pa.table({"limit": [1, 1], "seed": [1, 2], "jain_index": [0.5, float("nan")]})
    pq.write_table(table.replace_schema_metadata({"evenair": '{"keys": ["limit"]}'}), path)
    [[point]] = [curve["points"] for curve in shown(path)["curves"]]
    assert (point["known"], point["runs"]) == (1, 2)
    assert point["estimate"] == {"mean": 0.5, "ci95": None}


def test_a_campaign_without_runs(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    schema = pa.schema({"limit": pa.int64(), "seed": pa.uint64(), "jain_index": pa.float64()})
    table = schema.empty_table().replace_schema_metadata({"evenair": '{"keys": ["limit"]}'})
    pq.write_table(table, path)
    page = shown(path)
    assert (page["axes"]["x"], page["curves"], page["missing"]) == ("limit", [], 0)


@pytest.mark.long
def test_a_campaign_of_a_million_runs(tmp_path: Path) -> None:
    limits, kinds, seeds = np.arange(10, 510, 5), ["droptail", "las"], 5000
    values = np.random.default_rng(1).uniform(0.5, 1, (len(limits), len(kinds), seeds))
    table = pa.table(
        {
            "limit": np.repeat(limits, len(kinds) * seeds),
            "kind": np.tile(np.repeat(kinds, seeds), len(limits)),
            "seed": np.tile(np.arange(seeds), len(limits) * len(kinds)),
            "jain_index": values.ravel(),
        }
    )
    assert table.num_rows == 1_000_000
    path = tmp_path / "x.parquet"
    about = {"evenair": '{"keys": ["limit", "kind"]}'}
    pq.write_table(table.replace_schema_metadata(about), path, row_group_size=50_000)
    page = shown(path, "limit", "jain_index", "kind")
    assert [curve["name"] for curve in page["curves"]] == kinds
    for k, curve in enumerate(page["curves"]):
        means = [point["estimate"]["mean"] for point in curve["points"]]
        assert means == pytest.approx(values[:, k].mean(axis=1), rel=1e-12)
        assert {point["known"] for point in curve["points"]} == {seeds}
