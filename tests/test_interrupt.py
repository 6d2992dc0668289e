"""Ctrl-C while a large scenario is read, built and run."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

LINKS = 200_000


@pytest.fixture(scope="module")
def chain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A scenario of a chain of links."""
    link = '[[wired.link]]\nbetween = ["n{}", "n{}"]\n'
    text = [
        'duration = "1 ms"\n',
        *(link.format(i, i + 1) for i in range(LINKS)),
        '[[wired.link]]\nbetween = ["n0", "ap"]\n',
        f'[[station]]\nflows = [{{ direction = "up", host = "n{LINKS}" }}]\n',
    ]
    path = tmp_path_factory.mktemp("chain") / "chain.toml"
    path.write_text("".join(text))
    return path


def processor_s(process: subprocess.Popen[bytes]) -> float:
    """Processor time of a process so far, which does not depend on what else runs."""
    fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def children_s() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def end_s(command: list[str], after: float) -> float:
    """Processor time that a process still takes when it is interrupted after so much of it."""
    before = children_s()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    while (taken := processor_s(process)) < after:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode == 130
    return children_s() - before - taken


@pytest.mark.long
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
def test_reading_a_long_list_of_links_ends_at_once(chain: Path) -> None:
    """Reading takes a second or two of processor time; with a quadratic check it took minutes.

    Interrupted, the command takes less than half of that again; without a look at signals it
    would take more than all of it, for building and running too. One of three tries is enough:
    a busy machine may send the signal late.
    """
    code = "import sys, evenair; evenair.load(sys.argv[1])"
    before = children_s()
    subprocess.run([sys.executable, "-c", code, chain], check=True)
    whole = children_s() - before
    assert whole < 20
    command = [sys.executable, "-m", "evenair", "run", str(chain), "--json"]
    for share in (0.4, 0.6, 0.8):
        assert any(end_s(command, share * whole) < 0.5 * whole for _ in range(3))
