"""Wrong values of the keys of airtime through the command line: one line that names the key."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from evenair_command import Evenair

# What is wrong: the overrides of the scenario kashibuchi2009, and what the message has to name.
WRONG: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "rate that the PHY does not have": (
        ("station.1.data_rate=11Mbps",),
        ("station.1.data_rate", '"6 Mbps", "9 Mbps", "12 Mbps", "18 Mbps", "24 Mbps"'),
    ),
    "rate in a schedule that the PHY does not have": (
        ('station.1.channel={kind="schedule",rates=[["0 s","11 Mbps"]]}',),
        ("station.1.channel", '"6 Mbps", "9 Mbps", "12 Mbps", "18 Mbps", "24 Mbps"'),
    ),
    "no beacons in a slot": (("cell.controller.beacons=0",), ("cell.controller.beacons", "0")),
    "threshold zero": (("cell.controller.threshold=0",), ("cell.controller.threshold", "0")),
    "threshold one": (("cell.controller.threshold=1",), ("cell.controller.threshold", "1")),
    "negative threshold": (
        ("cell.controller.threshold=-0.1",),
        ("cell.controller.threshold", "-0.1"),
    ),
    "beacon interval zero": (("cell.beacon_interval=0",), ("cell.beacon_interval", "0")),
    "controller without beacons": (("cell.beacon_interval=off",), ("cell.beacon_interval", "off")),
    "unknown controller": (("cell.controller.kind=cto",), ("cell.controller", "cot")),
    "unknown key of a controller": (("cell.controller.beacon=3",), ("beacon", "beacons")),
    "unknown scheduler": (("cell.scheduler=drr",), ("cell.scheduler", "airtime-drr")),
    "unknown rate control": (("station.1.rate_control=afr",), ("station.1.rate_control", "arf")),
    "application that TFRC does not carry": (
        ("station.1.flows.0.application=web",),
        ("station.1.flows.0", "tfrc"),
    ),
}


@pytest.mark.parametrize("what", WRONG)
def test_wrong_values_of_airtime_keys(evenair: Evenair, what: str) -> None:
    overrides, words = WRONG[what]
    options = [part for override in overrides for part in ("--set", override)]
    done = evenair("run", "kashibuchi2009", *options)
    assert done.returncode == 2
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    for word in words:
        assert word in line, line
