"""`evenair model`, end to end."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import evenair as ea
import numpy as np
import pytest
from evenair import models
from evenair.cli import main
from evenair.models.command.catalogue import MODELS

if TYPE_CHECKING:
    from evenair_command import Evenair

# Of the interface.
RESULTS = {
    "contention": {
        *("collision_probability", "mean_backoff_s", "drop_probability", "collision_time_s"),
        *("wasted_time_s", "total_backoff_s"),
    },
    "bianchi": {"throughput_bps", "collision_probability", "tau"},
    "tcp-throughput": {"aggregate_bps", "per_connection_bps"},
    "session-delay": {"mean_delay_s", "setup_s", "active_mean", "state_probabilities"},
    "window-effect": {"phi_s", "throughput_bps"},
    "stations-for-delay": {"stations", "mean_delay_s", "next_delay_s"},
    "think-for-delay": {"think_s", "mean_delay_s"},
    "anomaly": {"aggregate_bps", "fast_bps", "slow_bps", "slow_airtime"},
    "edca": {"throughput_bps", "collision_probability", "tau", "mpdus", "ppdu_s"},
    "ppdu-duration": {"duration_s", "preamble_s", "symbols", "bits_per_symbol", "rate_bps"},
    "wimax-frame": {
        *("symbols", "dl_symbols", "ul_symbols", "dl_data_symbols", "ul_data_symbols"),
        *("preamble_symbols", "map_symbols", "dl_gap_symbols"),
        *("ranging_symbols", "request_symbols", "ul_gap_symbols"),
        *("dl_capacity_bps", "ul_capacity_bps", "tcp_bound_bps"),
        *("segments_per_frame", "acks_per_frame"),
    },
}


def ask(capfd: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    assert main(["model", *arguments, "--json"]) == 0
    out, err = capfd.readouterr()
    assert err == ""
    document: dict[str, Any] = json.loads(out)
    return document


@pytest.mark.parametrize("name", RESULTS)
def test_results_have_the_names_of_the_interface(
    name: str, capfd: pytest.CaptureFixture[str]
) -> None:
    document = ask(capfd, name)
    assert set(document) == {"model", "inputs", *RESULTS[name]}
    assert document["model"] == name
    assert set(document["inputs"]) == set(MODELS[name].all_keys)


def test_options_may_stand_anywhere(capfd: pytest.CaptureFixture[str]) -> None:
    printed = set()
    for words in ("NAME A B --json", "NAME --json A B", "--json NAME A B", "NAME A --json B"):
        words = words.replace("NAME", "tcp-throughput")
        words = words.replace("A", "stations=3").replace("B", "delayed_ack=2")
        assert main(["model", *words.split()]) == 0
        out, err = capfd.readouterr()
        assert err == ""
        printed.add(out)
    assert len(printed) == 1


def test_every_model_is_listed(evenair: Evenair) -> None:
    done = evenair("model")
    assert (done.returncode, done.stderr) == (0, "")
    lines = {line.split()[0]: line for line in done.stdout.splitlines() if line}
    for name, model in MODELS.items():
        assert model.summary in lines[name]
    assert len(done.stdout.splitlines()) < 2 * len(MODELS)


@pytest.mark.parametrize("name", RESULTS)
def test_help_of_a_model_has_its_assumptions_keys_and_results(
    name: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(["model", name, "--help"]) == 0
    out, err = capfd.readouterr()
    assert err == ""
    assert out.splitlines() == models.describe(name).splitlines()
    model = MODELS[name]
    assert len(model.assumptions) >= 2
    for expected in (
        *(f"  - {assumption}" for assumption in model.assumptions),
        *(f"  {key}" for key in model.all_keys),
        *(f"  {result}: " for result in RESULTS[name]),
    ):
        assert f"\n{expected}" in out


@pytest.mark.parametrize("name", RESULTS)
def test_assumptions_are_above_the_numbers(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["model", name]) == 0
    lines = capfd.readouterr().out.splitlines()
    first, *rest = MODELS[name].assumptions
    assert lines[1:3] == ["assumes", f"  - {first}"]
    assert lines.index(f"  - {rest[-1]}") < lines.index("")


def default_scenario(phy: str) -> dict[str, Any]:
    flow = {"direction": "down"}
    return ea.Scenario(cell={"phy": phy}, station=[{"flows": [flow]}]).resolved


@pytest.mark.parametrize("phy", ["802.11b", "802.11a"])
def test_where_a_scenario_has_other_defaults_is_said(
    phy: str, capfd: pytest.CaptureFixture[str]
) -> None:
    """A shared key has the default of a scenario, or that default is named."""
    assert main(["model", "tcp-throughput", f"phy={phy}"]) == 0
    said = capfd.readouterr().out.partition("a scenario has other defaults: ")[2].splitlines()[0]
    other = dict(text.split(" = ") for text in said.split(", "))
    inputs = ask(capfd, "tcp-throughput", f"phy={phy}")["inputs"]
    resolved = default_scenario(phy)
    cell, flow = resolved["cell"], resolved["station"][0]["flows"][0]
    defaults = {name: cell[name] for name in ("data_rate", "control_rate", "mac_overhead")}
    defaults |= {name: flow[name] for name in ("segment", "header", "delayed_ack")}
    different = {name for name, value in defaults.items() if inputs[name] != value}
    assert different >= {"mac_overhead", "segment", "delayed_ack"}
    # IEEE 802.11-2007, 7.2.1.1: an RTS has 20 bytes; a scenario's default is to do without.
    assert set(other) == different | {"rts_bits", "rts"}
    assert {name: other[name] for name in ("rts_bits", "rts")} == {
        "rts_bits": "160 bits",
        "rts": "false",
    }
    for name in different - {"control_rate"}:
        assert float(other[name].split()[0]) == defaults[name]
    # What the user has chosen is not commented.
    assert main(["model", "tcp-throughput", "segment=1000", "mac_overhead=34"]) == 0
    said = capfd.readouterr().out.partition("a scenario has other defaults: ")[2]
    assert "segment" not in said
    assert "mac_overhead" not in said


def test_models_from_python(capfd: pytest.CaptureFixture[str]) -> None:
    document = ask(capfd, "session-delay", "stations=10,40", "think=10 s", "size=30 KB")
    delays = models.evaluate("session-delay", stations=[10, 40], think="10 s", size=30e3)
    assert delays.inputs == document["inputs"]
    assert dict(delays) == {name: document[name] for name in RESULTS["session-delay"]}
    assert delays.mean_delay_s == document["mean_delay_s"]
    alone = models.session_delay(40, 10, 30e3).mean_delay_s
    assert delays["mean_delay_s"][1] == pytest.approx(alone, rel=1e-12)
    # Bianchi 2000 in closed form for one station: no collision, tau = 2/(CWmin + 1).
    alone = models.evaluate("bianchi", nodes=np.int64(1), rts=False)
    assert (alone.collision_probability, alone.tau) == (0, pytest.approx(2 / 33))
    assert alone.model == "bianchi"
    assert "throughput_bps" in dir(alone)
    assert "tau = 0.06061" in repr(alone)
    assert set(models.names()) == set(RESULTS)
    with pytest.raises(AttributeError, match=r"taus; there are throughput_bps"):
        alone.taus  # noqa: B018


def test_notebooks_show_a_table() -> None:
    html = models.evaluate("tcp-throughput", stations=[1, 2])._repr_html_()
    assert "<th>stations</th><th>aggregate_bps</th>" in html
    assert html.count("<tr>") == 3
    assert "each station has one download" in html
    assert "<td>2.371e+06</td>" in models.evaluate("tcp-throughput", stations=1)._repr_html_()


@pytest.mark.parametrize(
    ("name", "keys", "message"),
    [
        ("contentoin", {}, "contentoin: no such model; did you mean contention?"),
        (7, {}, "7: no such model; there are contention, bianchi"),
        ("contention", {"node": 3}, "node: no such key; did you mean nodes?"),
        ("contention", {"nodes": None}, "nodes: got None; accepted: a number or a text"),
        ("contention", {"nodes": [1, [2]]}, r"nodes: got '\[2\]'; accepted: a whole number"),
        ("contention", {"nodes": []}, "nodes: got 0 values; accepted: up to 10000"),
        ("contention", {"nodes": 2.5}, "nodes: got '2.5'; accepted: a whole number"),
        ("contention", {"nodes": object()}, "nodes: got <object"),
        ("session-delay", {"think": "10 parsec"}, "think: got"),
    ],
)
def test_bad_input_from_python(name: Any, keys: dict[str, Any], message: str) -> None:
    with pytest.raises(models.ModelError, match=message) as caught:
        models.evaluate(name, **keys)
    assert "\n" not in str(caught.value)


def test_a_function_is_not_hidden_by_a_module_of_its_name() -> None:
    modules = {path.stem for path in Path(models.__file__).parent.glob("*.py")}
    assert not modules & set(models.__all__)


def test_units_in(capfd: pytest.CaptureFixture[str]) -> None:
    keys = ("stations=39", "think=10000 ms", "size=30 KB", "data_rate=11 Mbps", "segment=1000")
    document = ask(capfd, "session-delay", *keys)
    assert document["inputs"]["think"] == 10
    assert document["inputs"]["size"] == 30_000
    assert document["inputs"]["data_rate"] == 11e6
    expected = models.session_delay(39, 10, 30_000)
    assert document["mean_delay_s"] == expected.mean_delay_s
    assert document["state_probabilities"] == expected.state_probabilities.tolist()


def test_units_out(evenair: Evenair) -> None:
    done = evenair("model", "tcp-throughput", "stations=1")
    assert (done.returncode, done.stderr) == (0, "")
    assert "2.3707" in done.stdout
    assert "Mb/s" in done.stdout


@pytest.mark.parametrize("values", ["1,2,3", "1:3", "1:3:1"])
def test_a_key_with_several_values(values: str, capfd: pytest.CaptureFixture[str]) -> None:
    document = ask(capfd, "session-delay", f"stations={values}")
    assert document["inputs"]["stations"] == [1, 2, 3]
    assert document["inputs"]["think"] == 10
    one = ask(capfd, "session-delay", "stations=2")
    assert document["mean_delay_s"][1] == pytest.approx(one["mean_delay_s"], rel=1e-12)
    assert document["setup_s"] == [one["setup_s"]] * 3
    assert [len(row) for row in document["state_probabilities"]] == [2, 3, 4]


def test_a_cells_key_and_a_choice_with_several_values(capfd: pytest.CaptureFixture[str]) -> None:
    rates = ask(capfd, "tcp-throughput", "data_rate=1 Mbps,2 Mbps,11 Mbps")
    assert rates["inputs"]["data_rate"] == [1e6, 2e6, 11e6]
    assert rates["aggregate_bps"] == sorted(rates["aggregate_bps"])
    lone = ask(capfd, "tcp-throughput", "stations=1", "lone_station=mixture,contends,alone")
    assert (
        lone["aggregate_bps"][2]
        < lone["aggregate_bps"][0]
        == pytest.approx(lone["aggregate_bps"][1])
    )
    phys = ask(capfd, "contention", "phy=802.11b,802.11a,802.11g")
    assert len(set(phys["collision_time_s"])) == 3
    assert "preamble" in phys["inputs"]


def test_tables(evenair: Evenair) -> None:
    done = evenair("model", "contention", "nodes=1,2,5")
    lines = done.stdout.splitlines()
    assert [line.split()[0] for line in lines[-3:]] == ["1", "2", "5"]
    assert "0.060255" in lines[-2]


def test_one_station_by_distribution(capfd: pytest.CaptureFixture[str]) -> None:
    for name in ("any", "constant", "exponential", "pareto"):
        document = ask(capfd, "session-delay", "stations=1", f"size_distribution={name}")
        assert document["mean_delay_s"] == models.mean_file_delay(30_000, name)


@pytest.mark.parametrize("key", ["shape=1.5,2,3", "think=1,2", "size=1 KB,2 KB", "delayed_ack=1:3"])
def test_one_station_with_several_values(key: str, capfd: pytest.CaptureFixture[str]) -> None:
    one = ("session-delay", "stations=1", "size_distribution=pareto")
    document = ask(capfd, *one, key)
    name, _, _ = key.partition("=")
    for place, value in enumerate(document["inputs"][name]):
        alone = ask(capfd, *one, f"{name}={value}")
        for result in RESULTS["session-delay"]:
            assert document[result][place] == pytest.approx(alone[result], rel=1e-12)


def test_what_cannot_be_is_null(capfd: pytest.CaptureFixture[str]) -> None:
    document = ask(capfd, "stations-for-delay", "delay=50 ms")
    assert document["stations"] == 0
    assert document["mean_delay_s"] is None


# The formats are tested by `evenair run`, which has them from the same writer.
@pytest.mark.parametrize(
    "suffix",
    [*(pytest.param(each, marks=pytest.mark.long) for each in ("png", "pdf")), "svg"],
)
def test_plots(evenair: Evenair, tmp_path: Path, suffix: str) -> None:
    done = evenair("model", "session-delay", "--plot", f"new/curve.{suffix}", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["inputs"]["stations"] == list(range(1, 51))
    first = (tmp_path / f"new/curve.{suffix}").read_bytes()
    evenair("model", "session-delay", "--plot", f"new/curve.{suffix}")
    assert (tmp_path / f"new/curve.{suffix}").read_bytes() == first


@pytest.mark.parametrize("name", RESULTS)
def test_every_model_has_a_plot(name: str, tmp_path: Path) -> None:
    path = tmp_path / "curve.svg"
    assert main(["model", name, "--plot", str(path)]) == 0
    assert path.read_bytes().startswith(b"<?xml")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("contentoin", "contentoin: no such model; did you mean contention?"),
        ("contention node=3", "node: no such key; did you mean nodes?"),
        ("contention nodes=0", "nodes: got '0'; accepted: a whole number from 1"),
        ("contention nodes=2.5", "nodes: got '2.5'"),
        ("contention nodes=two", "nodes: got 'two'"),
        ("contention nodes=nan", "nodes: got 'nan'"),
        ("contention nodes=", "nodes: got ''"),
        ("contention nodes=1:5:0", "nodes: got 1:5:0"),
        ("contention nodes=1:99999", "nodes: got 99999 values; accepted: up to 10000"),
        ("contention nodes=300", "nodes: got 300; accepted: up to 214"),
        ("contention nodes", "got 'nodes', expected KEY=VALUE"),
        ("contention nodes=1 nodes=2", "nodes: given twice"),
        ("contention nodes=1,2 rts_bits=160,180", "rts_bits: got several values, as nodes"),
        ("contention data_rate=7Mbps", "data_rate: got 7 Mbps; accepted: a rate of 802.11b"),
        ("contention data_rate=-1", "data_rate: got -1"),
        ("contention phy=802.11x", 'phy: got "802.11x"'),
        ("contention attempts=0", "attempts: got 0"),
        ("contention fixed_point=best", "fixed_point: got 'best'; accepted: printed, normalised"),
        ("contention handshake=bare", "handshake: no such key"),
        ("bianchi rts=yes", "rts: got 'yes'; accepted: true, false"),
        ("bianchi payload=100000", "payload: got 100000"),
        ("bianchi payload=20 --check", "payload: got 20; accepted: with --check, above 28"),
        ("tcp-throughput delayed_ack=0", "delayed_ack: got '0'"),
        ("window-effect window=2 delayed_ack=3", "delayed_ack: got 3; accepted: at most"),
        ("stations-for-delay --check", "stations-for-delay has no corresponding simulation"),
        ("session-delay think=-1", "think: got -1: it is negative; accepted: a time"),
        ("session-delay think=0", "think: got 0; accepted: a time above 0"),
        ("session-delay think=10parsec", 'think: got "10parsec"'),
        ("session-delay size=0", "size: got 0; accepted: a size above 0"),
        ("session-delay stations=2 size_distribution=any", "stations: got 2; accepted: 1 with"),
        ("think-for-delay delay=0.01", "delay: got 0.01 s; accepted: above 0.10"),
        ("contention nodes=3 --plot x.png", "--plot: no key has several values; try nodes=1:50"),
        ("contention --plot x.gif", "argument --plot: got 'x.gif'"),
        ("contention --plot /dev/null/x.png", "--plot: /dev/null/x.png: cannot be written"),
        ("contention --check --runs 0", "argument --runs: got '0'"),
        ("wimax-frame dl_ratio=7:1", "dl_ratio: got 7:1, which gives the uplink 19 of 146 symbols"),
        ("wimax-frame dl_ratio=0.05", "dl_ratio: got 0.05, which gives the downlink 7 of 146"),
        ("wimax-frame dl_ratio=3:x", "dl_ratio: got 3:x; accepted: a ratio as"),
        ("wimax-frame dl_ratio=3:0", "dl_ratio: got 3:0; accepted: a ratio as"),
        ("wimax-frame dl_ratio=1e99999999", "dl_ratio: got 1e99999999; accepted: a ratio as"),
        ("wimax-frame dl_ratio=nan", "dl_ratio: got nan; accepted: a ratio as"),
        ("wimax-frame dl_ratio=1.5", "dl_ratio: got 1.5; accepted: a ratio as"),
        ("wimax-frame dl_ratio=1001:1", "dl_ratio: got 1001:1; accepted: a ratio as"),
        ("wimax-frame stations=0", "stations: got '0'; accepted: a whole number from 1"),
        ("wimax-frame bandwidth=7.1MHz", "bandwidth: got 7.1 MHz; accepted: 1.75 to 20 MHz in"),
        ("wimax-frame bandwidth=7Mbps", 'bandwidth: got "7Mbps": its unit "Mbps" is none of Hz'),
        ("wimax-frame frame=6ms", "frame: got 6 ms; accepted: 2.5, 4, 5, 8, 10, 12.5, 20 ms"),
        ("wimax-frame cyclic_prefix=1/3", "cyclic_prefix: got '1/3'; accepted: 1/16, 1/4,"),
        ("wimax-frame modulation=256qam", "modulation: got '256qam'; accepted: 64qam-3/4, 64qam"),
        ("wimax-frame bytes_per_symbol=0", "bytes_per_symbol: got '0'; accepted: a whole number"),
        ("wimax-frame contention_slots=0", "contention_slots: got '0'; accepted: a whole number"),
        ("wimax-frame maps=lean", "maps: got 'lean'; accepted: maximum, actual"),
        ("wimax-frame segment=0", "segment: got 0; accepted: a whole number of bytes"),
        ("wimax-frame header=0", "header: got 0; accepted: a whole number of bytes"),
        ("wimax-frame crc=yes", "crc: got 'yes'; accepted: true, false"),
    ],
)
def test_bad_input(arguments: str, message: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["model", *arguments.split()]) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert err.startswith("evenair: ")
    assert message in err
    assert err.count("\n") == 1


def test_other_commands_start_without_the_models(tmp_path: Path) -> None:
    script = (
        "import sys; from evenair.cli import main; main(['scenarios', 'gong2006']);"
        " print(*(name for name in sys.modules if name.startswith(('numpy', 'evenair.models.'))))"
    )
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=True)
    assert done.stdout.splitlines()[-1] == ""
