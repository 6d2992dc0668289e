"""Ctrl-C as a command starts and imports modules: status 130 or death by SIGINT, no traceback.

Of the interpreter, before the first line of the package is executed, a traceback is Python's own.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import evenair
import pytest
from evenair import engine
from evenair.cli import main
from evenair.files import parquet

if TYPE_CHECKING:
    from evenair_command import Evenair

pytestmark = pytest.mark.skipif(os.name != "posix", reason="sends SIGINT")

PACKAGE = Path(evenair.__file__).parent
MODULE = (sys.executable, "-m", "evenair")
SCRIPT = (sys.executable, str(Path(sys.executable).with_name("evenair")))

VARY = "--set duration=1 --vary cell.queue.limit=10,20"
COMMANDS = {
    "run": "run gong2006 --set duration=1 --out out --plot x.png",
    "sweep": f"sweep gong2006 {VARY} --runs 2 --out y.parquet",
    "plot": "plot t.parquet --x cell.queue.limit --y jain_index",
    "paper": "paper gong2006 --figure 3 --quick --out report",
}
OWN = {"t.parquet", "y.parquet.runs", "y.parquet.runs-wal", "y.parquet.runs-shm"}
"""What is there before, or is meant to be left."""
COMPLETE = {"run": {"out", "x.png"}, "sweep": {"y.parquet"}, "plot": {"t.png"}, "paper": {"report"}}


def is_of_python(stderr: str) -> bool:
    """Whether a traceback is from before the package handles signals, in its first statement."""
    frames = [line.split('"')[1] for line in stderr.splitlines() if line.startswith('  File "')]
    return {Path(f) for f in frames if Path(f).is_relative_to(PACKAGE)} <= {PACKAGE / "__init__.py"}


def interrupted(command: list[str], folder: Path, after_s: float) -> tuple[int, str]:
    """Send SIGINT so long after the start; return status and standard error."""
    with subprocess.Popen(
        command,
        cwd=folder,
        env={**os.environ, "MPLCONFIGDIR": str(folder.parent)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        time.sleep(after_s)
        process.send_signal(signal.SIGINT)
        _, stderr = process.communicate(timeout=120)
        return process.returncode, stderr


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("table") / "t.parquet"
    scenario = evenair.load("gong2006").with_(duration=1)
    evenair.sweep(scenario, {"cell.queue.limit": [10, 20]}, 2, out=path)
    return path.read_bytes()


@pytest.mark.long
@pytest.mark.real_time("a command that Ctrl-C ends")
@pytest.mark.parametrize("program", [MODULE, SCRIPT], ids=["module", "script"])
@pytest.mark.parametrize("name", COMMANDS)
def test_it_ends_whenever_ctrl_c_comes(
    name: str, program: tuple[str, ...], table: bytes, tmp_path: Path
) -> None:
    """Every 20 ms of the first 0.6 s, those of the module and of the script 10 ms apart."""
    if not Path(program[-1]).exists() and program is SCRIPT:
        pytest.skip("the command is not installed")
    ended = 0
    for k in range(30):
        folder = tmp_path / str(k)
        folder.mkdir()
        (folder / "t.parquet").write_bytes(table)
        after_s = 0.02 * k + (0.01 if program is SCRIPT else 0)
        status, stderr = interrupted([*program, *COMMANDS[name].split()], folder, after_s)
        said = f"after {after_s:.2f} s: status {status}: {stderr}"
        assert "internal error" not in stderr, said
        if "Traceback" in stderr:
            assert is_of_python(stderr), said
            continue
        if stderr.strip() == "KeyboardInterrupt":  # of the interpreter that initialises itself
            assert status == 1, said
            continue
        assert status in (0, 130, -signal.SIGINT, *([1] if name == "paper" else [])), said
        found = {path.name for path in folder.iterdir()} - OWN
        if status in (130, -signal.SIGINT):
            ended += 1
            # Ctrl-C may come when all is done.
            assert found <= COMPLETE[name], said
        for path in folder.glob("*.parquet"):
            assert parquet.read(path).is_sealed
    assert ended >= 5


def test_little_is_imported_before_signals_are_handled() -> None:
    """What is imported until `main` is called; `typing` alone would take longer."""
    code = "import sys; n = set(sys.modules); import evenair.cli; print(*set(sys.modules) - n)"
    done = subprocess.run([sys.executable, "-S", "-c", code], **capture(), env=with_path())
    modules = {"evenair", "evenair.lazy", "evenair.cli", "evenair.cli.signals"}
    assert set(done.stdout.split()) == modules


def capture() -> dict[str, bool]:
    return {"capture_output": True, "text": True, "check": True}


def with_path() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(PACKAGE.parent)}


@pytest.mark.parametrize(
    ("name", "expected"), [("evenair", "Handlers.SIG_DFL"), ("mine", "default_int_handler")]
)
def test_only_the_command_has_no_handler_as_it_starts(
    name: str, expected: str, tmp_path: Path
) -> None:
    script = tmp_path / name
    script.write_text("import evenair, signal; print(repr(signal.getsignal(signal.SIGINT)))")
    done = subprocess.run([sys.executable, script], **capture(), env=with_path())
    assert expected in done.stdout
    # A program that has a handler of its own keeps it.
    script.write_text(
        "import signal; signal.signal(signal.SIGINT, print)\n"
        "import evenair; print(signal.getsignal(signal.SIGINT) is print)"
    )
    done = subprocess.run([sys.executable, script], **capture(), env=with_path())
    assert done.stdout == "True\n"


PLUGIN = """\
import os, signal, time
def interrupt():
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(0.1)
"""


def test_an_import_is_finished(evenair: Evenair, tmp_path: Path) -> None:
    (tmp_path / "heavy.py").write_text(f"{PLUGIN}interrupt()\nopen('done', 'w').close()\n")
    (tmp_path / "plugin.py").write_text("import heavy, time\ntime.sleep(20)\n")
    began = time.monotonic()
    done = evenair("run", "gong2006", "--plugin", "plugin.py")
    assert (done.returncode, done.stdout) == (130, "")
    assert done.stderr == "evenair: interrupted; nothing was written\n"
    assert (tmp_path / "done").exists()
    assert time.monotonic() - began < 15


def test_an_import_that_does_not_end_is_interrupted(evenair: Evenair, tmp_path: Path) -> None:
    (tmp_path / "heavy.py").write_text(f"{PLUGIN}interrupt()\nwhile True: time.sleep(0.01)\n")
    (tmp_path / "plugin.py").write_text("import heavy\n")
    done = evenair("run", "gong2006", "--plugin", "plugin.py")
    assert (done.returncode, done.stderr) == (130, "evenair: interrupted; nothing was written\n")


def test_an_interruption_that_a_finalizer_loses_comes_again(
    evenair: Evenair, tmp_path: Path
) -> None:
    (tmp_path / "plugin.py").write_text(
        f"{PLUGIN}class Lost:\n    def __del__(self): interrupt()\nLost()\ntime.sleep(20)\n"
    )
    began = time.monotonic()
    done = evenair("run", "gong2006", "--plugin", "plugin.py")
    assert (done.returncode, done.stderr) == (130, "evenair: interrupted; nothing was written\n")
    assert time.monotonic() - began < 15


@pytest.mark.parametrize("command", [["--help"], ["--version"], ["run", "gong2006", "--no"]])
def test_signals_are_handled_as_before_after_each_end(command: list[str]) -> None:
    before = signal.getsignal(signal.SIGINT)
    with contextlib.suppress(SystemExit):
        main(command)
    assert signal.getsignal(signal.SIGINT) is before


def test_an_interruption_that_became_another_error_is_none(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """As libraries that are not written in Python make of it."""

    def convert(*_: object) -> None:
        try:
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(5)
        except KeyboardInterrupt:
            raise ImportError("numpy.core.multiarray failed to import") from None

    monkeypatch.setattr(engine, "run_core_jobs", convert)
    assert main(["run", "gong2006"]) == 130
    assert capfd.readouterr().err == "evenair: interrupted; nothing was written\n"
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_command_that_is_over_ignores_ctrl_c() -> None:
    """As Python ends, after the status is known."""
    code = (
        "import os, signal, sys; from evenair.cli import main\n"
        "sys.argv = ['evenair', 'scenarios']\n"
        "status = main()\n"
        "os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.exit(status)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
