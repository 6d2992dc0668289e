"""Components in Python: several runs, campaigns, and the command."""

from __future__ import annotations

import inspect
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import evenair as ea
import pytest
from evenair import _core
from prototype_support import CLASSES, PlainFifo, fingerprint, load, output_of, registered  # noqa: F401 (a fixture)

if TYPE_CHECKING:
    from pathlib import Path

    from evenair_command import Evenair


def test_parallel_runs_equal_serial_ones() -> None:
    scenario = ea.load("gong2006").with_(
        duration="1 s",
        cell__queue__kind="codel-py",
        station__0__flows__0__transport="newreno-py",
        station__1__rate_control="arf-py",
    )
    parallel = ea.run(scenario, seed=5, runs=8, threads=8)
    serial = [ea.run(scenario, seed=seed) for seed in range(5, 13)]
    assert [fingerprint(run) for run in parallel] == [fingerprint(run) for run in serial]
    assert len({fingerprint(run) for run in parallel}) == 8


def test_a_campaign_does_runs_again_when_the_file_has_changed(tmp_path: Path) -> None:
    file = tmp_path / "changing.py"
    text = (CLASSES / "newreno.py").read_text().replace("newreno-py", "changing")

    script = tmp_path / "script.py"
    script.write_text(
        f"""
import sys
import evenair as ea, changing
scenario = ea.load("gong2006").with_(duration="1 s", station__1__flows__0__transport="changing")
out = {str(tmp_path / "x.parquet")!r}
for force in map(bool, map(int, sys.argv[1:])):
    try:
        done = ea.sweep(scenario, {{}}, runs=2, out=out, force=force)
        print(done.new_runs, done.table["aggregate_goodput_bps"][0])
    except ea.CampaignError as error:
        print(error)
"""
    )

    file.write_text(text)
    first, again = output_of(script, "0", "0").splitlines()
    new, goodput = first.split()
    assert new == "2"
    assert again == f"0 {goodput}"
    file.write_text(text.replace("window.cwnd += used", "window.cwnd += used / 4"))
    refused, forced = output_of(script, "0", "1").splitlines()
    assert "has runs of another scenario" in refused
    new, slower = forced.split()
    assert new == "2"
    assert slower != goodput


def test_what_cannot_be_done_with_a_class_is_refused(tmp_path: Path) -> None:
    scenario = ea.load("gong2006").with_(duration="1 s", cell__queue="codel-py")
    refused = r"cluster: the queue 'codel-py' is a Python class of this process"
    with pytest.raises(ea.CampaignError, match=refused):
        ea.sweep(scenario, {}, runs=1, cluster="local")
    space: dict[str, Any] = {}
    exec(
        "class Nowhere(PlainFifo):\n    def ready_at(self):\n        return 0\n",
        {"PlainFifo": PlainFifo},
        space,
    )
    ea.register(queue=space["Nowhere"])
    with pytest.raises(ea.CampaignError, match="the queue 'nowhere' is not defined in a file"):
        ea.sweep(
            scenario.with_(cell__queue="nowhere"), {}, runs=1, out=tmp_path / "nowhere.parquet"
        )


class Renamed(PlainFifo):
    kind = "renamed"


def test_a_class_without_methods_has_a_file(tmp_path: Path) -> None:
    ea.register(queue=Renamed)
    scenario = ea.load("gong2006").with_(duration="1 s", cell__queue="renamed")
    assert ea.sweep(scenario, {}, runs=1, out=tmp_path / "renamed.parquet").new_runs == 1


@dataclass
class Generated:
    queue: Any
    acks: int = 10

    def enqueue(self, now: int, packet: Any) -> None: ...

    def dequeue(self, now: int) -> Any: ...


def test_what_dataclass_writes_is_no_summary() -> None:
    ea.register(queue=Generated)
    (part,) = (part for part in json.loads(_core.parts()) if part["name"] == "generated")
    assert part["summary"] == "a Python class"
    assert [parameter["name"] for parameter in part["parameters"]] == ["acks"]


def test_the_command_reads_plugins(evenair: Evenair, tmp_path: Path) -> None:
    (tmp_path / "twice.py").write_text(
        "import evenair as ea\nfrom helper import PlainFifo\n\n\nclass Late(PlainFifo):\n"
        "    def dequeue(self, now):\n        return self.packets.pop(0 / 0)\n\n\n"
        "ea.register(queue=Late)\n"
    )
    helper = "from typing import Any\n\n" + inspect.getsource(PlainFifo)
    (tmp_path / "helper.py").write_text(helper)
    run = ("run", "gong2006", "--set", "duration=1", "--set", "cell.queue.kind=late", "--quiet")
    done = evenair(*run, "--plugin", "twice.py")
    assert (done.returncode, done.stdout) == (1, "")
    assert re.fullmatch(
        r'evenair: scenario ".*", seed 1: twice.py:7: ZeroDivisionError: division by zero\n',
        done.stderr,
    )
    done = evenair(*run, "--plugin", "twice.py", "--set", "cell.queue.acks=1")
    assert done.returncode == 2
    assert "unknown key `acks`" in done.stderr
    for name, text, message in [
        ("syntax.py", "x = (\n", r"--plugin: .*syntax.py:1: SyntaxError: '\(' was never closed"),
        ("raises.py", "import evenair\nevenair.none\n", r"--plugin: raises.py:2: AttributeError: "),
        ("none.py", "x = 1\n", r"--plugin: none.py: registers nothing; call evenair.register"),
        ("missing.py", None, r".*--plugin: got 'missing.py', but there is no such file"),
        ("text.txt", "", r".*--plugin: got 'text.txt', expected a file name that ends in .py"),
    ]:
        if text is not None:
            (tmp_path / name).write_text(text)
        done = evenair(*run, "--plugin", name)
        assert (done.returncode, done.stdout) == (2, "")
        assert re.fullmatch(rf"evenair: {message}.*\n", done.stderr), done.stderr
