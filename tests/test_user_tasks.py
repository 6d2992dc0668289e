"""What users set out to do, from nothing to an answer that is known beforehand.

Wrong inputs are in `test_mistakes.py`, the wheel in a clean environment in `test_wheel.py`.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import statistics
import subprocess
from typing import TYPE_CHECKING

import pytest
from evenair_command import ROOT

if TYPE_CHECKING:
    from pathlib import Path

    from evenair_command import Evenair

CELL = """
name = "a camera and a backup"
duration = "30 s"
cell = { phy = "802.11b", data_rate = "11 Mbps", control_rate = "2 Mbps", preamble = "long" }

[[station]]
flows = [
    { direction = "up", transport = "udp", application = "cbr", rate = "500 kbps", segment = 1000 },
]

[[station]]
flows = [{ direction = "down" }]
"""

SWEEP = ["sweep", "gong2006", "--set", "duration=20", "--vary", "cell.queue.kind=droptail,las"]
SWEEP = [*SWEEP, "--vary", "cell.queue.limit=20,60", "--runs", "3"]


def needed(name: str) -> None:
    """Skip without a package or program, but not in continuous integration."""
    found = shutil.which(name)
    if not found and not os.environ.get("CI"):
        pytest.skip(f"without {name}")
    assert found, f"{name} is missing"


def test_a_cell_is_written_from_nothing(evenair: Evenair, tmp_path: Path) -> None:
    (tmp_path / "cell.toml").write_text(CELL)
    done = evenair("run", "cell.toml", "--json", "--plot", "cell.png")
    assert done.returncode == 0, done.stderr
    camera, backup = json.loads(done.stdout)["flows"]
    # What is offered is delivered: the camera needs a tenth of the air.
    assert camera["goodput_bps"] == pytest.approx(500e3, rel=0.01)
    # A packet of 1460 bytes takes DIFS, two preambles, 1536 bytes at 11 Mb/s, SIFS and a MAC ACK
    # at 2 Mb/s; backoff, TCP's ACKs and the camera take no more than the same time again.
    shortest_s = 50e-6 + 2 * 192e-6 + 1536 * 8 / 11e6 + 10e-6 + 14 * 8 / 2e6
    assert 0.5 < backup["goodput_bps"] / (1460 * 8 / shortest_s) < 1.0
    assert (tmp_path / "cell.png").read_bytes().startswith(b"\x89PNG")


def test_policies_are_compared(evenair: Evenair) -> None:
    """Under DropTail uploads take more, under LAS and SPM-AF less: Gong et al., figure 4(b)."""
    index, rate = {}, {}
    for kind in ("droptail", "spm-af", "las"):
        done = evenair(
            "run", "gong2006", "--set", f"cell.queue.kind={kind}", "--runs", "3", "--json"
        )
        summary = json.loads(done.stdout)["summary"]
        index[kind], rate[kind] = summary["jain_index"], summary["aggregate_goodput_bps"]
    assert index["droptail"]["mean"] + index["droptail"]["ci95"] < index["spm-af"]["mean"]
    assert index["spm-af"]["mean"] + index["spm-af"]["ci95"] < index["las"]["mean"]
    assert rate["las"]["mean"] == pytest.approx(rate["droptail"]["mean"], rel=0.05)


def test_a_sweep_is_loaded_by_pandas_polars_and_duckdb(evenair: Evenair, tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    polars = pytest.importorskip("polars")
    duckdb = pytest.importorskip("duckdb")
    assert evenair(*SWEEP, "--out", "queues.parquet", "--flows", "--quiet").returncode == 0
    file = tmp_path / "queues.parquet"

    # The same runs one by one.
    override = ("--set", "duration=20", "--set", "cell.queue.kind=las", "--set")
    runs = evenair("run", "gong2006", *override, "cell.queue.limit=60", "--runs", "3", "--json")
    values = [run["jain_index"] for run in json.loads(runs.stdout)["runs"]]
    expected = pytest.approx(statistics.mean(values), rel=1e-12)

    means = pandas.read_parquet(file).groupby(["cell.queue.kind", "cell.queue.limit"])
    assert means["jain_index"].mean()["las", 60] == expected

    point = (polars.col("cell.queue.kind") == "las") & (polars.col("cell.queue.limit") == 60)
    assert polars.read_parquet(file).filter(point)["jain_index"].mean() == expected

    rows = duckdb.sql(
        f"""select "cell.queue.kind", "cell.queue.limit", avg(jain_index), count(*)
        from '{file}' group by all order by all"""
    ).fetchall()
    assert [row[:2] + row[3:] for row in rows] == [
        (kind, limit, 3) for kind in ("droptail", "las") for limit in (20, 60)
    ]
    assert rows[-1][2] == expected
    flows = duckdb.sql(f"select count(*) from '{tmp_path / 'queues-flows.parquet'}'").fetchall()
    assert flows == [(4 * 3 * 10,)]


def test_a_notebook_is_executed(tmp_path: Path) -> None:
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    cells = [
        "%matplotlib inline\nimport evenair as ea",
        "run = ea.run(ea.load('gong2006').with_(duration='20 s'), seed=1)",
        "sum(run.flows['goodput_bps'].to_pylist()) / run.aggregate_goodput_bps",
        "run.plot()",
    ]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute(cwd=str(tmp_path))
    [ratio] = notebook.cells[2].outputs
    assert float(ratio["data"]["text/plain"]) == pytest.approx(1.0)
    assert "image/png" in notebook.cells[3].outputs[0]["data"]


@pytest.mark.long
def test_a_sweep_on_a_local_cluster(evenair: Evenair, tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    for name, cluster in (("here", []), ("cluster", ["--cluster", "local"])):
        done = evenair(*SWEEP, "--out", f"{name}.parquet", "--json", *cluster)
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["new_runs"] == 12
    assert (tmp_path / "here.parquet").read_bytes() == (tmp_path / "cluster.parquet").read_bytes()


@pytest.mark.long
def test_a_discipline_is_added_by_the_page(tmp_path: Path) -> None:
    """In a copy of the core: the file and the line of the page's first example compile."""
    needed("cargo")
    page = (ROOT / "docs" / "adding-a-part.md").read_text()
    section = page[page.index("## A queue discipline") : page.index("## A congestion control")]
    fence = r"^`(crates/evenair-core/src/queue/ack_cap.rs)`:\n\n```rust\n(.*?)^```"
    file = re.search(fence, section, re.S | re.M)
    line = re.search(r"^    AckCap\(AckCapConfig\) in ack_cap,\n", section, re.M)
    assert file
    assert line
    shutil.copytree(ROOT / "crates", tmp_path / "crates")
    for name in ("Cargo.toml", "Cargo.lock", "docs"):
        (tmp_path / name).symlink_to(ROOT / name)
    (tmp_path / file[1]).write_text(file[2])
    registry = tmp_path / "crates/evenair-core/src/queue/mod.rs"
    text = registry.read_text().replace("\nmod backlog;\n", "\nmod ack_cap;\nmod backlog;\n")
    registry.write_text(text.replace("\ndisciplines! {\n", f"\ndisciplines! {{\n{line[0]}"))

    command = ["cargo", "check", "--quiet", "--locked", "--offline", "-p", "evenair-core"]
    target = os.environ.get("CARGO_TARGET_DIR", str(ROOT / "target"))
    done = subprocess.run(
        command,
        cwd=tmp_path,
        env={**os.environ, "CARGO_TARGET_DIR": target},
        capture_output=True,
        text=True,
        timeout=280,
    )
    assert done.returncode == 0, done.stderr
    assert "warning" not in done.stderr
