"""`evenair paper blefari2007 --engine testbed` with the real test-bed, as root."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from written import check_figure_and_data, rows

NETNS, FOLDERS = Path("/run/netns"), Path("/run/evenair-testbed")

MISSING = (
    sys.platform != "linux"
    or os.geteuid() != 0
    or not Path("/dev/net/tun").exists()
    or not shutil.which("iperf3")
)
pytestmark = [
    pytest.mark.real_time("iperf3 over emulated air"),
    pytest.mark.skipif(
        MISSING and os.environ.get("CI") != "true",
        reason="the test-bed needs root, /dev/net/tun and iperf3",
    ),
]

COMMAND = [sys.executable, "-m", "evenair", "paper", "blefari2007", "--engine", "testbed"]
FIGURE = [*COMMAND, "--figure", "5", "--quick", "--out", "out"]
"""N = 6 without limiter, one run of 30 s."""


def left() -> set[str]:
    """What test-beds leave: namespaces and folders."""
    namespaces = {path.name for path in NETNS.glob("evenair-*")} if NETNS.is_dir() else set()
    return namespaces | ({path.name for path in FOLDERS.iterdir()} if FOLDERS.is_dir() else set())


def children(pid: int) -> list[int]:
    """The processes that a process has started."""
    text = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    return [int(child) for child in text.split()]


@pytest.mark.long
def test_a_figure_interrupted_and_continued(tmp_path: Path) -> None:
    """Ctrl-C leaves nothing behind; the same command measures; once more, and nothing is run."""
    first = subprocess.Popen(FIGURE, cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 60
    started: set[str] = set()
    while not started:
        assert first.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.1)
        runs = {f"{child:x}" for child in children(first.pid)}
        started = {name for name in left() if runs & {name, *name.split("-")[1:2]}}
    first.send_signal(signal.SIGINT)
    _, err = first.communicate(timeout=60)
    assert first.returncode == 130, err
    assert "interrupted; 0 of 1 runs are in out/runs; the same command continues" in err
    assert not started & left()

    done = subprocess.run(FIGURE, cwd=tmp_path, capture_output=True, text=True, timeout=150)
    out = tmp_path / "out"
    result = json.loads((out / "runs/off-static-802.11b-6-1.json").read_text())
    trusted = result["testbed"]["trusted"]
    assert (done.returncode, "not to be trusted" in done.stderr) == (int(not trusted), not trusted)
    assert done.stderr.startswith("evenair: test-bed: 1 runs, ")
    check_figure_and_data(out, "fig5")
    found = rows(out / "data/fig5.csv")
    assert [row["engine"] for row in found] == ["sim"] * 6 + ["testbed"] * 6
    totals = []
    for engine in ("sim", "testbed"):
        mine = [row for row in found if row["engine"] == engine]
        up, down = (sum(float(row[name]) for row in mine) for name in ("up_mbps", "down_mbps"))
        assert down < 0.1 * up  # "almost starved": the claim's bar
        totals.append(up + down)
    if trusted:
        assert totals[1] == pytest.approx(totals[0], rel=0.1)
    assert json.loads((out / "report.json").read_text())["engine"] == "testbed"
    if not trusted:
        return
    measured = (out / "runs/off-static-802.11b-6-1.json").stat().st_mtime_ns
    again = subprocess.run(FIGURE, cwd=tmp_path, capture_output=True, text=True, timeout=100)
    assert again.returncode == 0
    assert again.stderr == "evenair: test-bed: 1 of 1 runs are in out/runs\n"
    assert (out / "runs/off-static-802.11b-6-1.json").stat().st_mtime_ns == measured
    assert rows(out / "data/fig5.csv") == found
