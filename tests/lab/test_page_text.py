"""The editor and the text of a scenario."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scenarios import SHORT

if TYPE_CHECKING:
    from pathlib import Path

    from lab_page import LabPage

CURSOR = "document.querySelector('.cm-content').cmTile.root.view.state.selection.main.head"


def test_the_cursor_stays_in_a_text_with_the_line_ends_of_windows(
    lab: LabPage, tmp_path: Path
) -> None:
    path = tmp_path / "windows.toml"
    path.write_bytes(SHORT.replace("limit = 60", "limit = 40").replace("\n", "\r\n").encode())
    lab.page.get_by_label("Scenario file").set_input_files(path)
    lab.page.wait_for_function("() => document.body.innerText.includes('limit = 40')")
    lab.settle()
    # At the end of the text, behind what the control changes.
    lab.page.get_by_role("textbox", name="Scenario, TOML text").focus()
    lab.page.keyboard.press("Control+End")
    lab.page.keyboard.press("ArrowUp")
    before = lab.page.evaluate(CURSOR)
    assert 0 < before < len(lab.toml)
    slider = lab.field("station.0.count")
    slider.fill(str(int(slider.input_value()) + 1))
    lab.settle()
    assert "count = 3" in lab.toml
    assert lab.page.evaluate(CURSOR) == before
