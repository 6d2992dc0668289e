"""What docs/l4s-over-wifi.md says of one download, by its script, with one seed."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING

import evenair as ea
import pytest

if TYPE_CHECKING:
    from types import ModuleType

pytestmark = pytest.mark.long

SCRIPT = Path(__file__).resolve().parent.parent / "validation" / "l4s_over_wifi.py"


@pytest.fixture(scope="module")
def study() -> ModuleType:
    spec = importlib.util.spec_from_file_location("l4s_over_wifi", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def goodput(scenario: ea.Scenario) -> float:
    return ea.run(scenario).aggregate_goodput_bps


def test_a_step_of_1_ms_costs_what_aggregation_gains(study: ModuleType) -> None:
    """In 802.11ac a quarter, as with bursts of 4 ms on another link (25 to 40 %)."""
    for phy, left in (("802.11ac", 0.75), ("802.11ax", 0.9)):
        prague = study.scenario(phy, study.dualpi2("1 ms"), [study.down("prague")])
        cubic = study.scenario(phy, study.FIFO, [study.down("cubic")])
        assert goodput(prague) < left * goodput(cubic), phy
        plain = {"cell__aggregation": "off"}
        assert goodput(prague.with_(**plain)) > 0.95 * goodput(cubic.with_(**plain)), phy


def test_the_script_prints_a_row(study: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    study.row("CUBIC", study.scenario("802.11g", study.FIFO, [study.down("cubic")]), 1)
    name, mbps, *_ = [part.strip() for part in capsys.readouterr().out.strip("|\n").split("|")]
    assert name == "CUBIC"
    # 54 Mb/s less preambles, backoff and ACKs: below 30 Mb/s.
    assert 20.0 < float(mbps) < 30.0
