"""Every control of the page, moved: text and picture follow, and the numbers are the engine's."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import native
import pytest
from lab_page import controls_of

if TYPE_CHECKING:
    from lab_page import Control, LabPage

MOVE = Path(__file__).with_name("move_control.js").read_text()

# Both directions at one station: each kind of control is there once.
CELL = """\
duration = "10 s"

[cell]
kind = "wlan"
phy = "802.11b"

[wired]
delay = "5 ms"

[[station]]
count = 2
flows = [{ direction = "up" }, { direction = "down" }]
"""


# Parameters of which one may not be below the other: the engine says so, and the text stays.
BOUND = {"alpha", "beta", "successes", "max_successes", "buffer", "interval"}


def values(control: Control) -> list[str]:
    """Return the values of a menu, the ends of a slider, the other state of a checkbox."""
    if control.kind == "menu":
        return [value for value in control.values if value != control.value]
    if control.kind == "flag":
        return [""]
    places = {0, control.length - 1} - {int(control.value)}
    return [str(place) for place in sorted(places)]


def expected(toml: str) -> list[str]:
    """Return Jain's index and the losses at the access point's queue, as the page writes them."""
    result = native.result(toml)
    return [f"{result['jain_index']:.3f}", f"{100 * result['ap_queue']['loss_ratio']:.1f}%"]


@pytest.mark.timeout(900)
def test_every_control_changes_the_text_and_the_picture(lab: LabPage) -> None:
    """Those that a choice brings with it, such as the parameters of a discipline, included."""
    lab.edit(CELL)
    lab.settle()
    todo = [(CELL, control) for control in lab.controls()]
    seen = {control.key for _, control in todo}
    moved = 0
    wrong = []
    while todo:
        toml, control = todo.pop()
        for move in lab.page.evaluate(MOVE, [toml, control.key, values(control)]):
            moved += 1
            value, outcome, after = move["value"], move["outcome"], move["after"]
            where = f"{control.key} ({control.label}) to {value or 'its other state'}"
            if outcome != "picture":
                if control.key.rpartition(".")[2] not in BOUND or "at least" not in outcome:
                    wrong.append(f"{where}: {outcome}")
                continue
            shown = move["summary"][1:3]
            if after == move["before"]:
                wrong.append(f"{where}: the text is as before")
            elif shown != expected(after):
                wrong.append(f"{where}: shows {shown}, evenair run says {expected(after)}")
            elif move["runs"] == 0:
                wrong.append(f"{where}: no run was made for it")
            for new in controls_of(move["controls"]):
                # Parameters of a component are the same wherever it is: they are moved once.
                is_parameter = new.key.startswith(f"{control.key}.")
                name = new.key.removeprefix(f"{control.key}.")
                of = f"{value}/{name}" if is_parameter else new.key
                if of not in seen and new.key not in seen:
                    seen.add(of)
                    todo.append((after, new))
    print(f"{moved} moves of {len(seen)} controls")
    assert not wrong, "\n".join(wrong)
    assert moved > 100
