"""The commands, end to end."""

from __future__ import annotations

import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
import tomllib
from typing import TYPE_CHECKING, Any

import evenair as ea
import pyarrow.parquet as pq
import pytest
from evenair import _core, engine
from evenair.cli import main
from evenair.tables import flat
from evenair_command import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from evenair_command import Evenair

SHORT = ("--set", "duration=5")
METRICS = {
    "aggregate_goodput_bps",
    "jain_index",
    "jain_airtime",
    "mean_up_goodput_bps",
    "mean_down_goodput_bps",
    "ap_queue_loss_ratio",
    "ap_queue_mean_packets",
    "ap_queue_mean_data",
    "ap_queue_mean_acks",
    "ap_queue_mean_delay_s",
    *(
        f"{delay}_{part}_s"
        for delay in ("rtt", "one_way_delay", "ap_queue_delay")
        for part in ("mean", "p5", "p25", "p50", "p75", "p95", "p99", "max")
    ),
}


def test_run_prints_a_table(evenair: Evenair) -> None:
    done = evenair("run", "gong2006", *SHORT)
    assert done.returncode == 0
    assert done.stderr == ""
    lines = done.stdout.splitlines()
    assert [line.split()[0] for line in lines if "newreno" in line] == [
        f"{direction}-{k}" for direction in ("up", "down") for k in range(1, 6)
    ]
    assert any("aggregate" in line and "Jain's index" in line for line in lines)
    assert "5 s simulated" in lines[-1]
    assert "\x1b" not in done.stdout


def test_run_json_is_the_document_of_the_interface(evenair: Evenair) -> None:
    done = evenair("run", "gong2006", *SHORT, "--seed", "7", "--json")
    assert done.returncode == 0
    assert done.stderr == ""
    document = json.loads(done.stdout)
    assert list(document)[-1] == "wall_s"
    assert document["seed"] == 7
    assert document["version"] == ea.__version__
    assert document["duration_s"] == 5.0
    assert document["scenario"] == ea.load("gong2006").with_(duration=5).resolved
    assert "sessions" not in document
    assert "series" not in document
    goodputs = [flow["goodput_bps"] for flow in document["flows"]]
    assert document["aggregate_goodput_bps"] == pytest.approx(sum(goodputs))
    assert document["jain_index"] == pytest.approx(
        sum(goodputs) ** 2 / (len(goodputs) * sum(g * g for g in goodputs))
    )
    for flow in document["flows"]:
        assert set(flow) >= {
            *("id", "station", "direction", "transport", "goodput_bps", "segments_sent"),
            *("retransmissions", "timeouts", "mean_rtt_s"),
        }
    assert set(document["ap_queue"]) >= {
        *("arrivals", "drops", "loss_ratio", "mean_packets", "mean_data", "mean_acks"),
        "mean_delay_s",
    }
    assert len(document["stations"]) == 10
    for station in document["stations"]:
        assert set(station) >= {
            *("id", "airtime_share", "collision_probability", "frames_sent", "frames_dropped"),
            *("name", "tx_airtime_share"),
        }


def test_runs_are_summed_up(evenair: Evenair) -> None:
    done = evenair("run", "gong2006", *SHORT, "--runs", "3", "--seed", "4", "--json")
    document = json.loads(done.stdout)
    assert [run["seed"] for run in document["runs"]] == [4, 5, 6]
    assert set(document["summary"]) == METRICS
    goodputs = [run["aggregate_goodput_bps"] for run in document["runs"]]
    summary = document["summary"]["aggregate_goodput_bps"]
    mean = sum(goodputs) / 3
    deviation = (sum((g - mean) ** 2 for g in goodputs) / 2) ** 0.5
    assert summary["mean"] == pytest.approx(mean)
    assert summary["ci95"] == pytest.approx(4.302652729911275 * deviation / 3**0.5)

    table = evenair("run", "gong2006", *SHORT, "--runs", "3").stdout
    assert "±" in table
    assert "3 runs, seeds 1 to 3" in table


def test_one_run_of_many_has_no_interval(evenair: Evenair) -> None:
    document = json.loads(evenair("run", "gong2006", *SHORT, "--runs", "1", "--json").stdout)
    assert len(document["runs"]) == 1
    assert document["summary"]["jain_index"]["ci95"] is None


def test_outputs(evenair: Evenair, tmp_path: Path) -> None:
    done = evenair(
        *("run", "gong2006", *SHORT, "--set", "trace.interval=1 s", "--quiet"),
        *("--out", "new/out", "--plot", "plot.svg", "--pcap", "air.pcapng"),
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    files = sorted(str(p.relative_to(tmp_path)) for p in tmp_path.rglob("*") if p.is_file())
    assert files == [
        "air-wire.pcapng",
        "air.pcapng",
        "new/out/delays.parquet",
        "new/out/flows.parquet",
        "new/out/links.parquet",
        "new/out/result.json",
        "new/out/scenario.toml",
        "new/out/series.parquet",
        "new/out/stations.parquet",
        "plot.svg",
    ]
    out = tmp_path / "new/out"
    document = json.loads((out / "result.json").read_text())
    for name, records in (
        ("flows", document["flows"]),
        ("stations", document["stations"]),
        ("links", document["wired"]["links"]),
    ):
        assert pq.read_table(out / f"{name}.parquet").to_pylist() == [flat(r) for r in records]
    delays = pq.read_table(out / "delays.parquet")
    assert delays.num_rows == sum(len(curve["le_s"]) for curve in document["delays"])
    assert (
        pq.read_table(out / "series.parquet")["time_s"].to_pylist() == document["series"]["time_s"]
    )

    again = json.loads(evenair("run", "new/out/scenario.toml", "--json").stdout)
    assert again | {"wall_s": 0} == document | {"wall_s": 0}


def test_outputs_of_runs_have_the_seed(evenair: Evenair, tmp_path: Path) -> None:
    done = evenair("run", "gong2006", *SHORT, "--runs", "2", "--out", "out", "--quiet")
    assert done.returncode == 0
    flows = pq.read_table(tmp_path / "out/flows.parquet")
    assert flows.column_names[:2] == ["seed", "id"]
    assert flows["seed"].to_pylist() == [1] * 10 + [2] * 10


def test_outputs_replace_older_ones(evenair: Evenair, tmp_path: Path) -> None:
    for seed in ("1", "2"):
        assert evenair("run", "gong2006", *SHORT, "--seed", seed, "--out", "out").returncode == 0
    assert json.loads((tmp_path / "out/result.json").read_text())["seed"] == 2
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
def test_plots_are_the_same_bytes_again(
    evenair: Evenair, evenair_here: Evenair, tmp_path: Path, suffix: str
) -> None:
    """In two processes, whose hashes of text differ."""
    for name, command in (("a", evenair), ("b", evenair_here)):
        assert command("run", "gong2006", *SHORT, "--plot", f"{name}.{suffix}").returncode == 0
    first = (tmp_path / f"a.{suffix}").read_bytes()
    assert len(first) > 5_000
    assert first == (tmp_path / f"b.{suffix}").read_bytes()


def test_scenarios(evenair: Evenair, tmp_path: Path) -> None:
    durations = {
        "gong2006": "300 s",
        "gong2006-ax": "25 s",
        "gong2006-ns2": "300 s",
        "gong2006-one-up": "300 s",
    }
    listed = evenair("scenarios")
    assert [line.split()[0] for line in listed.stdout.splitlines() if "gong" in line] == [
        *durations
    ]
    for name, duration in durations.items():
        printed = evenair("scenarios", name).stdout
        assert tomllib.loads(printed)["duration"] == duration
        (tmp_path / f"{name}-copy.toml").write_text(printed)
        assert ea.load(tmp_path / f"{name}-copy.toml") == ea.load(name)


def test_parts(evenair: Evenair) -> None:
    everything = evenair("parts").stdout
    for name in ("droptail", "las", "spm-af", "newreno", "802.11b", "bulk"):
        assert f"\n{name}" in everything
    assert "max_burst" not in everything
    one = evenair("parts", "las").stdout
    assert one.startswith("QUEUE DISCIPLINE\n  las: ")
    assert 'service = "sequence": ' in one
    assert "max_burst" in evenair("parts", "pie").stdout
    assert "codel" not in one
    # A name of several kinds, and an alias.
    assert evenair("parts", "fixed").stdout.count("  fixed: ") == 2
    assert evenair("parts", "reno").stdout == evenair("parts", "newreno").stdout
    queues = evenair("parts", "queue discipline").stdout
    assert "las" in queues
    assert 'filtering = "tail"' in queues
    assert "newreno" not in queues
    assert evenair("parts", "queue").stdout == queues
    presets = evenair("parts", "preset").stdout
    # Linux's values come first.
    linux, rfc = presets.split("  rfc: ")
    assert "window = 2154: the receiver's advertised window" in " ".join(linux.split())
    assert 'syn_timer = "linux"' in linux
    assert 'min_rto = "1 s"' in rfc


def test_paper(evenair: Evenair, tmp_path: Path) -> None:
    assert evenair("paper").stdout.startswith("blefari2007: A mechanism to enforce TCP Fairness")

    done = evenair("paper", "gong2006", "--quick", "--figure", "3")
    folder = tmp_path / "report/gong2006-fig3-quick"
    claims = json.loads((folder / "claims.json").read_text())
    tests = [claim["outcome"] for claim in claims if claim["evidence"] == "test"]
    assert done.stderr == ""
    assert done.returncode == int("fails" in tests)
    summary = f"{tests.count('holds')} of {len(tests)} tested claims hold"
    assert done.stdout.splitlines()[-1].startswith(summary)
    assert (folder / "report.html").exists()


def test_version(evenair: Evenair) -> None:
    assert evenair("--version").stdout == f"evenair {ea.__version__}\n"


def test_overrides_may_complete_a_scenario(evenair: Evenair, tmp_path: Path) -> None:
    (tmp_path / "half.toml").write_text("duration = 1\n[[station]]\n")
    flows = '[{ direction = "down" }]'
    done = evenair("run", "half.toml", "--set", f"station.0.flows={flows}", "--json")
    assert [flow["id"] for flow in json.loads(done.stdout)["flows"]] == ["down-1"]


def test_a_reader_that_leaves_is_no_error(evenair: Evenair, tmp_path: Path) -> None:
    command = f"{sys.executable} -m evenair run gong2006 --set duration=1 | true"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, cwd=tmp_path)
    assert done.stderr == ""


def interrupt(
    arguments: list[str],
    cwd: Path,
    number: signal.Signals = signal.SIGINT,
    begun: Path | None = None,
) -> tuple[int, str, str, float]:
    """Press Ctrl-C after a second, and not before the file `begun` is there; return status, both
    outputs and the seconds it took to stop."""
    command = [sys.executable, "-m", "evenair", *arguments]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=cwd
    ) as process:
        time.sleep(1)
        while begun is not None and not begun.exists():
            assert process.poll() is None
            time.sleep(0.02)
        assert process.poll() is None
        process.send_signal(number)
        start = time.monotonic()
        stdout, stderr = process.communicate(timeout=30)
        return process.returncode, stdout, stderr, time.monotonic() - start


@pytest.mark.real_time("a command that a signal ends")
def test_interrupt_stops_a_run_at_once(tmp_path: Path) -> None:
    arguments = ["run", "gong2006", "--set", "duration=1e6", "--out", "out"]
    status, stdout, stderr, seconds = interrupt(arguments, tmp_path)
    assert (status, stdout) == (130, "")
    assert stderr == "evenair: interrupted; nothing was written\n"
    assert seconds < 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.real_time("a command that a signal ends")
def test_interrupt_stops_a_cell_that_delivers_nothing(tmp_path: Path) -> None:
    arguments = ["run", "gong2006", "--set", "duration=1e6", "--set", "cell.short_retry_limit=255"]
    for group in range(2):
        error = '{ rate = 0.9999999, level = "mac" }'
        arguments += ["--set", f"station.{group}.error={error}"]
        arguments += ["--set", f"station.{group}.count=50"]
    status, stdout, stderr, seconds = interrupt(arguments, tmp_path)
    assert (status, stdout) == (130, "")
    assert stderr.startswith("evenair: interrupted")
    assert seconds < 1


@pytest.mark.real_time("a command that a signal ends")
def test_interrupt_keeps_finished_runs(tmp_path: Path) -> None:
    arguments = ["run", "gong2006", "--runs", "10000", "--seed", "10", "--json"]
    status, stdout, stderr, seconds = interrupt(arguments, tmp_path)
    assert status == 130
    assert seconds < 3  # the result of all runs so far is printed, too
    runs = json.loads(stdout)["runs"]
    kept = len(runs)
    assert [run["seed"] for run in runs] == list(range(10, 10 + kept))
    assert stderr == (
        f"evenair: interrupted; kept the runs with seeds 10 to {9 + kept};"
        f" continue with --seed {10 + kept} --runs {10000 - kept}\n"
    )


@pytest.mark.real_time("a command that a signal ends")
@pytest.mark.parametrize(
    ("number", "expected"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129)], ids=["TERM", "HUP"]
)
def test_other_signals_clean_up(tmp_path: Path, number: signal.Signals, expected: int) -> None:
    arguments = ["run", "gong2006", "--set", "duration=1e6", "--out", "out"]
    arguments += ["--pcap", "x.pcapng", "--plot", "new/x.png"]
    status, stdout, stderr, seconds = interrupt(arguments, tmp_path, number)
    assert (status, stdout) == (expected, "")
    assert stderr == "evenair: interrupted; nothing was written\n"
    assert seconds < 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.real_time("a command that a signal ends")
def test_sigterm_ends_a_sweep_like_ctrl_c(tmp_path: Path) -> None:
    arguments = ["sweep", "gong2006", "--set", "duration=1e6", "--runs", "2"]
    status, stdout, stderr, seconds = interrupt(
        [*arguments, "--out", "x.parquet"],
        tmp_path,
        signal.SIGTERM,
        begun=tmp_path / "x.parquet.runs",
    )
    assert (status, stdout) == (143, "")
    # The store may still be opened when the signal comes, and its runs are not yet counted.
    assert re.match(r"evenair: interrupted; x\.parquet\.runs has (0|the) finished runs;", stderr)
    assert seconds < 1
    assert [path.name for path in tmp_path.iterdir()] == ["x.parquet.runs"]


@pytest.mark.parametrize(
    "place",
    ["evenair.campaign.storage.store.Store._intact", "evenair.campaign.sweep._Work.__init__"],
)
def test_an_interruption_before_the_first_run_says_what_is_there(
    place: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The store is there by then, and may have the runs of an earlier command."""
    monkeypatch.chdir(tmp_path)
    arguments = ["sweep", "gong2006", *SHORT, "--runs", "2", "--out", "x.parquet", "--quiet"]

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(place, interrupted)
        assert main(arguments) == 130
    expected = "interrupted; x.parquet.runs has the finished runs; repeat the command to continue"
    assert capsys.readouterr().err == f"evenair: {expected}\n"
    assert [path.name for path in tmp_path.iterdir()] == ["x.parquet.runs"]
    assert main(arguments) == 0


def test_sigterm_is_as_before_when_a_command_is_over() -> None:
    def mine(*_: object) -> None: ...

    before = signal.getsignal(signal.SIGTERM)
    try:
        for handler in (signal.SIG_DFL, signal.SIG_IGN, mine):
            signal.signal(signal.SIGTERM, handler)
            assert main(["scenarios", "gong2006"]) == 0
            assert signal.getsignal(signal.SIGTERM) is handler
    finally:
        signal.signal(signal.SIGTERM, before)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("runs", [None, 1, 3])
def test_an_interruption_when_all_is_done_interrupts_nothing(
    runs: int | None,
    number: signal.Signals,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    def interrupted(
        jobs: Iterable[Any], threads: int, on_results: Callable[..., object], *options: Any
    ) -> None:
        _core.run_jobs(jobs, threads, on_results, *options)
        os.kill(os.getpid(), number)
        time.sleep(1)  # until the signal is handled

    monkeypatch.setattr(engine, "run_core_jobs", interrupted)
    many = [] if runs is None else ["--runs", str(runs)]
    assert main(["run", "gong2006", "--set", "duration=1", "--json", *many]) == 0
    stdout, stderr = capfd.readouterr()
    assert stderr == ""
    document = json.loads(stdout)
    assert [run["seed"] for run in document.get("runs", [document])] == [1, 2, 3][: runs or 1]


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (OSError(28, "No space left on device"), "standard output: No space left on device"),
        (OSError(28, "No space left on device", "x.png"), "x.png: No space left on device"),
        (OSError("cannot write the header"), "cannot write the header"),
        (OSError(), "OSError"),
    ],
)
def test_an_os_error_is_reported_in_one_line(
    error: OSError, line: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(engine, "run_core_jobs", fail)
    assert main(["run", "gong2006"]) == 1
    assert capfd.readouterr() == ("", f"evenair: {line}\n")


def test_a_closed_pipe_has_a_status_of_its_own() -> None:
    """What reads standard output ends before anything is printed."""
    reads, writes = os.pipe()
    os.close(reads)
    for command in (["parts"], ["scenarios", "gong2006"]):
        done = subprocess.run(
            [sys.executable, "-m", "evenair", *command],
            stdout=writes,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
        assert (done.returncode, done.stderr) == (141, "")
    os.close(writes)


def test_a_full_device_is_named(evenair: Evenair, tmp_path: Path) -> None:
    if not os.access("/dev/full", os.W_OK) and os.environ.get("CI") != "true":
        pytest.skip("without /dev/full")
    (tmp_path / "x.png").symlink_to("/dev/full")
    done = evenair("run", "gong2006", "--set", "duration=1", "--quiet", "--plot", "x.png")
    assert (done.returncode, done.stderr) == (1, "evenair: /dev/full: No space left on device\n")


def limit_files() -> None:
    """Let every file of this process end at 4 KiB, as a full disk would."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["--plot", "p.svg"], "p.svg: "),
        (["--plot", "new/p.png"], "new/p.png: "),
        (["--out", "o"], "o/result.json: "),
        (["--pcap", "c.pcapng"], ": c.pcapng: "),
    ],
)
def test_a_full_disk_is_told_with_the_name_of_the_file(
    tmp_path: Path, arguments: list[str], named: str
) -> None:
    command = [sys.executable, "-m", "evenair", "run", "gong2006", "--set", "duration=20"]
    done = subprocess.run(
        [*command, "--quiet", *arguments],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        preexec_fn=limit_files,
    )
    assert done.returncode == 1
    assert done.stderr.startswith("evenair: ")
    assert f"{named}File too large" in done.stderr
    assert ".evenair-" not in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_full_disk_behind_standard_output(tmp_path: Path) -> None:
    command = f"{sys.executable} -m evenair run gong2006 --set duration=1 --json >/dev/full"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, cwd=tmp_path)
    assert done.stderr == "evenair: standard output: No space left on device\n"
    assert done.returncode == 1


@pytest.mark.parametrize("closed", [">&-", "2>&-"])
def test_closed_standard_streams(tmp_path: Path, closed: str) -> None:
    command = f"{sys.executable} -m evenair run gong2006 --set duration=1 --json {closed}"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, cwd=tmp_path)
    if closed == "2>&-":
        assert (done.returncode, json.loads(done.stdout)["seed"]) == (0, 1)
    else:
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith("evenair: standard output: is closed")
        assert done.stderr.count("\n") == 1


def test_json_starts_without_the_heavy_libraries(tmp_path: Path) -> None:
    script = (
        "import sys; from evenair.cli import main; main(['run', 'gong2006', '--set', 'duration=1',"
        " '--json']); print(*(set(sys.modules) & {'rich', 'numpy', 'pyarrow', 'matplotlib'}))"
    )
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=True)
    assert done.stdout.splitlines()[-1] == ""


def test_tables_are_made_and_read_without_pandas(tmp_path: Path) -> None:
    """pyarrow would import it, which takes longer than all these commands."""
    commands = [
        "run gong2006 --set duration=1 --out one",
        "sweep gong2006 --vary duration=1,2 --runs 1 --flows --out x.parquet",
        "tune gong2006 --over duration=1,2 --minimise rtt_p95_s --seeds 2 --out y.parquet",
        "plot x.parquet --x duration --y jain_index",
        "report x.parquet --out x.html",
    ]
    script = (
        "import sys; from evenair.cli import main\n"
        "for line in sys.argv[1:]: assert main(line.split()) == 0\n"
        "assert 'pandas' not in sys.modules\n"
        "import evenair as ea; ea.run('gong2006').flows.to_pandas()\n"
        "assert 'pandas' in sys.modules"
    )
    command = [sys.executable, "-c", script, *commands]
    subprocess.run(command, capture_output=True, cwd=tmp_path, check=True)


@pytest.mark.parametrize(
    "command", ["run", "sweep", "tune", "plot", "report", "model", "paper", "scenarios", "parts"]
)
def test_help(command: str, evenair: Evenair) -> None:
    done = evenair(command, "--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"usage: evenair {command} ")
    assert f"\n    {command}" in evenair("--help").stdout


def test_citation_is_of_this_version() -> None:
    citation = (ROOT / "CITATION.cff").read_text()
    assert f"\nversion: {ea.__version__}\n" in citation


def test_nothing_is_left_to_fill_in() -> None:
    placeholder = "-".join(("TBD", "SPEED"))
    if not (ROOT / ".git").exists() or shutil.which("git") is None:
        pytest.skip("needs a checkout")
    command = ["git", "grep", "--files-with-matches", "--text", "--fixed-strings", placeholder]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "")
