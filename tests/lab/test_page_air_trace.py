"""Air traces of the lab's page in a browser: the access that the engine has recorded is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from scenarios import SHORT

if TYPE_CHECKING:
    from lab_page import LabPage

WIMAX = """\
duration = "20 s"
cell.kind = "wimax"

[[station]]
count = 2
flows = [{ direction = "up" }, { direction = "down" }]
"""

EDCA = """\
duration = "5 s"
cell.phy = "802.11ax"

[[station]]
count = 2
error = { rate = 0.1, level = "mac", frames = "data" }
flows = [{ direction = "up" }, { direction = "down", access_category = "vi" }]
"""


@pytest.mark.parametrize(
    ("toml", "part", "sender"),
    [
        (SHORT, "DIFS", "The AP's queue"),
        (WIMAX, "downlink", "The base station's queue"),
        (EDCA, "AIFS", "The AP's queue"),
    ],
)
def test_an_air_trace_goes_on_access_by_access(
    lab: LabPage, toml: str, part: str, sender: str
) -> None:
    lab.edit(toml)
    lab.settle()
    lab.show("Trace of the air")
    trace = lab.page.locator(".air-trace:not(.is-stale)")
    trace.locator(".air-trace-lanes").wait_for()
    assert part in (trace.locator(".air-trace-lanes").text_content() or "")
    assert trace.get_by_role("heading", name=sender, exact=True).count() == 1
    clocks = set()
    for _ in range(3):
        clocks.add(trace.locator(".air-trace-clock").inner_text())
        assert trace.locator(".air-trace-sentence").inner_text().endswith(".")
        trace.get_by_role("button", name="Forward").click()
    assert len(clocks) == 3
    assert lab.page.get_by_role("alert").count() == 0


def test_mpdus_and_their_bits_are_drawn_and_listed(lab: LabPage) -> None:
    lab.edit(EDCA)
    lab.settle()
    lab.show("Trace of the air")
    trace = lab.page.locator(".air-trace:not(.is-stale)")
    trace.locator(".air-trace-lanes").wait_for()
    for _ in range(100):
        if "is lost; the Block Ack" in trace.locator(".air-trace-sentence").inner_text():
            break
        trace.get_by_role("button", name="Forward").click()
    listed = trace.get_by_role("region", name="PPDUs of this access")
    # One MPDU is lost, in both pictures: it has the bit 0. One with an ACK has no bit.
    assert trace.locator('.air-trace-mpdu[data-fate="corrupted"]').count() == 1
    assert trace.locator('.air-trace-bits[data-bit="0"]').count() == 1
    assert listed.locator(".air-trace-cell-bit.is-zero").all_inner_texts() == ["0"]
    cells = trace.locator(".air-trace-mpdu").all()  # of several MPDUs where they are narrow
    mpdus = sum(int(cell.get_attribute("data-mpdus") or 0) for cell in cells)
    assert listed.locator(".air-trace-mpdu-cell").count() == mpdus
