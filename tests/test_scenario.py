"""Scenarios in Python."""

from __future__ import annotations

import json
import pickle
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import evenair as ea
import jsonschema
import numpy as np
import pytest
from evenair import _core
from evenair.scenario import built_in
from evenair.text import toml
from evenair.text.messages import suggest
from hypothesis import example, given
from hypothesis import strategies as st

if TYPE_CHECKING:
    from collections.abc import Callable

# TOML has 64-bit integers, no null, and text without surrogates.
TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
VALUES = st.recursive(
    st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False) | TEXTS,
    lambda inner: st.lists(inner) | st.dictionaries(TEXTS, inner),
    max_leaves=20,
)


@given(st.dictionaries(TEXTS, VALUES))
def test_toml_says_what_it_was_given(document: dict[str, object]) -> None:
    assert tomllib.loads(toml.dumps(document)) == document


@pytest.mark.parametrize("name", built_in())
def test_built_in_scenarios_resolve_to_themselves(name: str) -> None:
    scenario = ea.load(name)
    again = ea.Scenario(**scenario.resolved)
    assert again == scenario
    assert hash(again) == hash(scenario)
    assert ea.Scenario(**tomllib.loads(scenario.to_toml())) == scenario
    assert ea.Scenario(**tomllib.loads(scenario.to_toml(resolved=True))) == scenario


@pytest.mark.parametrize("name", built_in())
def test_built_in_scenarios_fit_the_schema(name: str) -> None:
    schema = json.loads(_core.schema())
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    validator.validate(ea.load(name).resolved)
    validator.validate(tomllib.loads(ea.load(name).to_toml()))


def test_with_changes_a_copy() -> None:
    scenario = ea.load("gong2006")
    changed = scenario.with_(cell__queue="las", station__0__count=3, duration="1 min")
    assert scenario == ea.load("gong2006")
    resolved = changed.resolved
    assert resolved["cell"]["queue"]["kind"] == "las"
    assert resolved["station"][0]["count"] == 3
    assert resolved["duration"] == 60.0


def test_with_takes_whole_tables() -> None:
    queue = {"kind": "droptail", "limit": "150 KB"}
    changed = ea.load("gong2006").with_(cell__queue=queue, trace={"interval": 0.5})
    assert changed.resolved["cell"]["queue"]["kind"] == "droptail"
    assert changed.resolved["trace"]["interval"] == 0.5


def test_with_changes_all_keys_at_once() -> None:
    # Neither alone would do: 802.11a has neither 11 Mb/s nor a preamble to choose.
    scenario = ea.Scenario(
        cell={"data_rate": "11 Mbps"}, station=[{"flows": [{"direction": "up"}]}]
    )
    changed = scenario.with_(cell__phy="802.11a", cell__data_rate="54 Mbps")
    assert changed.resolved["cell"]["data_rate"] == 54e6


def test_a_preset_sets_what_is_not_given() -> None:
    keys = ("tcp", "window", "sack", "initial_rto", "cwnd_validation")

    def values(scenario: ea.Scenario) -> list[object]:
        flow = scenario.resolved["station"][0]["flows"][0]
        return [flow[key] for key in keys]

    scenario = ea.Scenario(station=[{"flows": [{"direction": "up", "window": 64}]}])
    assert values(scenario) == ["linux", 64, True, 1.0, True]
    ns2 = scenario.with_(station__0__flows__0__tcp="ns2")
    assert values(ns2) == ["ns2", 64, False, 3.0, False]
    assert values(ns2.with_(station__0__flows__0__sack=True)) == ["ns2", 64, True, 3.0, False]
    assert ea.Scenario(**tomllib.loads(ns2.to_toml(resolved=True))) == ns2
    assert ea.Scenario(**tomllib.loads(ns2.to_toml())) == ns2


def test_scenarios_of_papers_have_the_tcp_of_ns2_or_of_the_test_bed() -> None:
    test_beds = {"blefari2007": "rfc", "blefari2007-dynamic": "rfc", "hoiland2017": "linux"}
    today = {name for name in built_in() if name.endswith("-ax")}
    for name in set(built_in()) - {"cafe", "home"} - today:
        preset = test_beds.get(name, "ns2")
        for station in ea.load(name).resolved["station"]:
            for flow in station["flows"]:
                transport = flow["transport"]
                kind = transport if isinstance(transport, str) else transport["kind"]
                assert kind in ("udp", "tfrc") or flow["tcp"] == preset, name


def test_load_takes_a_mapping() -> None:
    changes = {"cell.queue.kind": "las", "station.0.count": 3, "trace": {"interval": 0.5}}
    loaded = ea.load("gong2006", changes)
    assert loaded == ea.load("gong2006").with_(
        cell__queue__kind="las", station__0__count=3, trace={"interval": 0.5}
    )
    # A value has its own type, as in `with_`; a pair has the text of the command line.
    assert ea.load("gong2006", {"name": "2006"}).name == "2006"
    assert ea.load("gong2006", [("duration", "2")]) == ea.load("gong2006", {"duration": 2})
    assert list(ea.scenarios()) == built_in()
    assert ea.scenarios()["gong2006"] == ea.load("gong2006").name


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ea.load(42), r"^scenario: got 42, expected the name of a built-in scenario"),
        (lambda: ea.load(["gong2006"]), r"^scenario: got \['gong2006'\] \(list\)"),
        (lambda: ea.run(None), r"^scenario: got None"),
        (lambda: ea.load("gong2006", "duration=1"), "^--set: got 'duration=1', expected a mapping"),
        (lambda: ea.load("gong2006", ["duration=1"]), r"^--set: got \['duration=1'\]"),
        (lambda: ea.load("gong2006", [("duration", 1)]), r"^--set: got \[\('duration', 1\)\]"),
        (lambda: ea.load("gong2006", 5), "^--set: got 5"),
        (lambda: ea.load("gong2006", {1: 2}), "^gong2006: got the key 1, expected a text"),
        (
            lambda: ea.load("gong2006", {"duration": {1}}),
            r"^gong2006: duration: \{1\} \(set\) is not",
        ),
        (lambda: ea.load("gong2006", {"duration": 0}), "^gong2006: duration: got 0"),
    ],
)
def test_wrong_types_are_told_in_one_line(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ea.ScenarioError, match=message) as caught:
        call()
    assert "\n" not in str(caught.value)


def test_a_repr_shows_what_was_changed() -> None:
    scenario = ea.load("gong2006")
    name = "'Gong et al. 2006: five up, five down'"
    assert repr(scenario) == f"<Scenario {name}>"
    changed = scenario.with_(cell__queue="las", duration=5)
    assert repr(changed) == f'<Scenario {name} with cell.queue = "las", duration = 5>'
    again = changed.with_(cell__queue={"kind": "codel"})
    assert repr(again) == f'<Scenario {name} with duration = 5, cell.queue = {{ kind = "codel" }}>'
    loaded = ea.load("gong2006", [("station.0.count", "3")])
    assert repr(loaded) == f"<Scenario {name} with station.0.count = 3>"
    assert repr(pickle.loads(pickle.dumps(loaded))) == repr(loaded)
    keys = ("segment", "window", "initial_window", "delayed_ack", "initial_rto", "start", "ecn")
    many = scenario.with_(**{f"station__0__flows__0__{key}": key == "ecn" or 1 for key in keys})
    assert repr(many).endswith("initial_rto = 1, 2 more changes>")
    assert len(repr(scenario.with_(name="x" * 90))) < 200
    html = scenario.with_(name="<i>")._repr_html_()
    assert "<i>" not in html
    assert "[[station]]" in html


def test_reno_is_newreno() -> None:
    key = "station__0__flows__0__transport"
    scenario = ea.load("gong2006").with_(**{key: "reno"})
    assert scenario == ea.load("gong2006").with_(**{key: {"kind": "newreno"}})
    assert scenario.resolved["station"][0]["flows"][0]["transport"] == "newreno"
    jsonschema.validate(
        {"station": [{"flows": [{"direction": "up", "transport": "reno"}]}]}, SCHEMA
    )


SCHEMA = json.loads(_core.schema())


@pytest.mark.parametrize(
    ("got", "names", "near"),
    [
        ("codell", ["codel", "fq-codel", "pie"], "codel"),
        ("jian_index", ["jain_index", "jain_airtime"], "jain_index"),
        ("GONG2006", ["gong2006", "gong2006-ns2"], "gong2006"),
        ("gilbert", ["independent", "gilbert-elliott"], "gilbert-elliott"),
        # As far as "goodput", "red" and "rap" are from these, most words are.
        ("goodput", ["aggregate_goodput_bps", "loss_ratio"], None),
        ("red", ["droptail", "las", "codel", "pie", "tbf"], None),
        ("rap", ["cubic", "bic", "vegas", "biad"], None),
        # Any of three is meant.
        ("802.11n", ["802.11a", "802.11b", "802.11g"], None),
        ("", ["a", "b"], None),
        ("x" * 10_000, ["x"], None),
        ("a", [], None),
    ],
)
def test_only_what_is_near_is_suggested(got: str, names: list[str], near: str | None) -> None:
    assert _core.nearest(got, names) == near
    hint = suggest(got, names)
    assert hint == (f"did you mean {near}?" if near else f"there are {', '.join(names)}")


def test_a_clash_with_the_file_is_located(tmp_path: Path) -> None:
    file = tmp_path / "x.toml"
    lines = ["[cell]", "rts_threshold = 0", 'phy = "802.11a"', "[[station]]"]
    file.write_text("\n".join([*lines, 'flows = [{ direction = "up" }]', ""]))
    # An own value does not fit to an override.
    with pytest.raises(ea.ScenarioError, match=r"preamble.*; it clashes with cell\.phy") as caught:
        ea.load(file, {"cell.preamble": "short"})
    assert str(caught.value).endswith(f'cell.phy = "802.11a" in line 3 of {file}')
    text = (Path(ea.__file__).parent / "scenarios/gong2006.toml").read_text().splitlines()
    line = 1 + text.index('data_rate = "11 Mbps"')
    with pytest.raises(ea.ScenarioError, match=r"^gong2006: cell\.data_rate: got") as caught:
        ea.load("gong2006").with_(duration=3).with_(cell__phy="802.11a")
    assert str(caught.value).endswith(f"; this value is in line {line} of gong2006")
    with pytest.raises(ea.ScenarioError, match=r"--vary .*; this value is in line \d+ of gong2006"):
        ea.sweep("gong2006", {"cell.phy": ["802.11b", "802.11a"]}, runs=1)
    own = ea.Scenario(
        cell={"phy": "802.11b", "data_rate": "11 Mbps"}, station=[{"flows": [{"direction": "up"}]}]
    )
    with pytest.raises(ea.ScenarioError, match=r"; this value is in the scenario itself$"):
        own.with_(cell__phy="802.11a")
    # A value that is wrong anyway, and one that an earlier override has set.
    for keys in ({"duration": 0}, {"cell__data_rate": "12 Mbps"}):
        with pytest.raises(ea.ScenarioError) as caught:
            ea.load("gong2006").with_(cell__queue="las").with_(**keys)
        assert " line " not in str(caught.value)


def test_values_of_numpy_are_numbers() -> None:
    plain = ea.load("gong2006").with_(duration=1.5, station__0__count=2, cell__basic_rates=[2e6])
    keys = {
        "duration": np.float64(1.5),
        "station__0__count": np.int64(2),
        "cell__basic_rates": np.array([2e6]),
    }
    assert ea.load("gong2006").with_(**keys) == plain
    dotted = {key.replace("__", "."): value for key, value in keys.items()}
    assert ea.load("gong2006", dotted) == plain
    station = [{"count": np.int64(2), "flows": [{"direction": "up"}]}]
    cell = {"basic_rates": np.array([2e6]), "immediate_access": np.bool_(False)}
    scenario = ea.Scenario(duration=np.float64(1.5), cell=cell, station=station)
    assert (scenario.resolved["duration"], scenario.resolved["station"][0]["count"]) == (1.5, 2)
    assert scenario.resolved["cell"]["immediate_access"] is False


def test_a_text_that_looks_like_a_number_stays_a_text() -> None:
    assert ea.load("gong2006").with_(name="2006").name == "2006"


def test_errors_name_what_is_wrong() -> None:
    with pytest.raises(ea.ScenarioError, match=r"^gong2006: cell\.queue\.limit: "):
        ea.load("gong2006").with_(cell__queue__limit=0)
    with pytest.raises(ea.ScenarioError, match="duratoin"):
        ea.Scenario(duratoin="60 s", station=[{"flows": [{"direction": "up"}]}])
    with pytest.raises(ea.ScenarioError, match="object"):
        ea.Scenario(station=[object()])
    with pytest.raises(ea.ScenarioError, match="did you mean gong2006"):
        ea.load("gong206")
    with pytest.raises(ea.ScenarioError, match=r"cannot be read|no such file"):
        ea.load("\ud800")
    for keys in ({"name": "\ud800"}, {"\ud800": 1}, {"cell": {"\ud800": 1}}, {"name": object()}):
        with pytest.raises(ea.ScenarioError, match=r"^gong2006: "):
            ea.load("gong2006").with_(**keys)
    with pytest.raises(ea.ScenarioError, match=r"^gong2006: cell\.queue: None \(NoneType\) is not"):
        ea.load("gong2006").with_(cell__phy="802.11b", cell__queue=None)
    with pytest.raises(ea.ScenarioError):
        ea.Scenario(name="\ud800", station=[{"flows": [{"direction": "up"}]}])
    for override in (("name", "\ud800"), ("\ud800", "1")):
        with pytest.raises(ea.ScenarioError, match=r"^--set: .*surrogates not allowed$"):
            ea.load("gong2006", [override])
    assert issubclass(ea.ScenarioError, ValueError)


@given(st.floats(0, 1, exclude_min=True, exclude_max=True))
@example(0.9999999999999999)
def test_a_number_is_not_changed_on_its_way(rate: float) -> None:
    error = {"kind": "independent", "rate": rate}
    station = {"flows": [{"direction": "up"}], "error": error}
    scenario = ea.Scenario(station=[station])
    again = pickle.loads(pickle.dumps(scenario))
    changed = ea.load("gong2006").with_(station__0__error=error)
    from_toml = ea.Scenario(**tomllib.loads(changed.to_toml(resolved=True)))
    for each in (scenario, again, changed, from_toml):
        assert each.resolved["station"][0]["error"]["rate"] == rate


def test_scenarios_travel_to_other_processes() -> None:
    scenario = ea.load("gong2006")
    assert pickle.loads(pickle.dumps(scenario)) == scenario
