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


@pytest.mark.parametrize(
    ("toml", "part", "sender"),
    [(SHORT, "DIFS", "The AP's queue"), (WIMAX, "downlink", "The base station's queue")],
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
