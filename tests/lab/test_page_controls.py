"""Every control of the page, moved: text and picture follow, and the numbers are the engine's."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING

import native
import pytest
from lab_page import LabPage
from scenarios import fragment

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lab_page import Control
    from playwright.sync_api import BrowserContext
    from static_site import Site

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
BOUND = {"alpha", "beta", "successes", "max_successes"}


def values(control: Control) -> list[str]:
    """Return the values of a menu, the ends of a slider, the other state of a checkbox."""
    if control.kind == "menu":
        return [value for value in control.values if value != control.value]
    if control.kind == "flag":
        return [""]
    places = {0, control.length - 1} - {int(control.value)}
    return [str(place) for place in sorted(places)]


class Walk:
    """Moves controls, and those that a choice brings with it, such as the parameters of a queue."""

    def __init__(self, todo: list[tuple[str, Control]]) -> None:
        """`todo` has texts, with a control that each of them brings."""
        self.todo = todo
        self.seen = {control.key for _, control in todo}
        self.moved = 0
        self.wrong: list[str] = []

    def go(self, lab: LabPage) -> Iterator[None]:
        """Move what is left; yield where the page has something to do."""
        while self.todo:
            toml, control = self.todo.pop()
            if lab.toml != toml:
                lab.edit(toml)
                yield
                lab.settle()
            for value in values(control):
                before, runs = lab.toml, lab.observed()["runs"]
                lab.move(control, value)
                yield
                self.check(lab, control, value, before, runs)

    def check(self, lab: LabPage, control: Control, value: str, before: str, runs: int) -> None:
        """Note what is wrong after a move."""
        where = f"{control.key} ({control.label}) to {value or 'its other state'}"
        outcome = lab.outcome()
        self.moved += 1
        if outcome != "picture":
            lab.page.get_by_role("button", name="Close").click()
            if control.key.rpartition(".")[2] not in BOUND or "at least" not in outcome:
                self.wrong.append(f"{where}: {outcome}")
            return
        after = lab.toml
        if after == before:
            self.wrong.append(f"{where}: the text is as before")
        elif shown(lab) != expected(after):
            self.wrong.append(f"{where}: shows {shown(lab)}, evenair run says {expected(after)}")
        elif lab.observed()["runs"] == runs:
            self.wrong.append(f"{where}: no run was made for it")
        for new in lab.controls():
            # Parameters of a component are the same wherever it is: they are moved once.
            is_parameter = new.key.startswith(f"{control.key}.")
            name = new.key.removeprefix(f"{control.key}.")
            of = f"{value}/{name}" if is_parameter else new.key
            if of not in self.seen and new.key not in self.seen:
                self.seen.add(of)
                self.todo.append((after, new))


def shown(lab: LabPage) -> tuple[str, str]:
    """Return Jain's index and the losses at the access point's queue, as the page writes them."""
    numbers = lab.page.locator(".summary dd").all_inner_texts()
    return numbers[1], numbers[2]


def expected(toml: str) -> tuple[str, str]:
    result = native.result(toml)
    return f"{result['jain_index']:.3f}", f"{100 * result['ap_queue']['loss_ratio']:.1f}%"


@pytest.mark.timeout(900)
def test_every_control_changes_the_text_and_the_picture(
    lab: LabPage, context: BrowserContext, site: Site
) -> None:
    """Two pages share the work: while one computes, the other one is used."""
    lab.edit(CELL)
    lab.settle()
    other = LabPage(context, site.address).open(fragment(CELL))
    walk = Walk([(CELL, control) for control in lab.controls()])
    for _ in zip_longest(walk.go(lab), walk.go(other)):
        pass
    print(f"{walk.moved} moves of {len(walk.seen)} controls")
    assert not walk.wrong, "\n".join(walk.wrong)
    assert walk.moved > 100
    assert other.errors == []
    assert other.observed()["traps"] == []
