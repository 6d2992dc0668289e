"""A run that needs too much memory ends by itself, and leaves the others alone."""

from __future__ import annotations

import resource
import subprocess
import sys
from typing import TYPE_CHECKING

import pyarrow.parquet as pq
import pytest

if TYPE_CHECKING:
    from pathlib import Path

OVERLOAD = """
duration = "1 s"
[cell]
queue = { kind = "droptail", limit = "unlimited" }
[wired]
rate = "unlimited"
delay = "0 s"
[[station]]
flows = [{ direction = "down", transport = "udp", rate = "8 Gbps", segment = 1 }]
"""
"""A datagram each nanosecond, of which hardly any crosses the cell."""


def limited(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run evenair with 2 GiB of address space."""

    def limit_memory() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))

    return subprocess.run(
        [sys.executable, "-m", "evenair", *arguments],
        capture_output=True,
        text=True,
        cwd=folder,
        preexec_fn=limit_memory,
        timeout=120,
    )


@pytest.fixture
def overload(tmp_path: Path) -> Path:
    (tmp_path / "overload.toml").write_text(OVERLOAD)
    return tmp_path


def test_the_reason_names_queue_and_flow(overload: Path) -> None:
    done = limited(overload, "run", "overload.toml", "--json")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.count("\n") == 1
    assert "more than 4000000 packets" in done.stderr
    assert "cell.queue" in done.stderr
    assert "flow down-1" in done.stderr


def test_a_sweep_keeps_the_other_runs(overload: Path) -> None:
    command = ("sweep", "overload.toml", "--jobs", "1", "--out", "x.parquet")
    vary = ("--vary", "station.0.flows.0.rate=100 kbps,8 Gbps,200 kbps", "--runs", "2")
    # The second time it resumes: the runs that failed fail again, the others are there.
    for _ in range(2):
        done = limited(overload, *command, *vary)
        assert done.returncode == 1
        assert "more than 4000000 packets" in done.stderr
        table = pq.read_table(overload / "x.parquet")
        rates = sorted(table.column("station.0.flows.0.rate").to_pylist())
        assert rates == ["100 kbps"] * 2 + ["200 kbps"] * 2
