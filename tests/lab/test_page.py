"""The lab's page in a browser: scenario, controls, text, A against B, exports, links."""

from __future__ import annotations

import csv
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import native
import pytest
from lab_page import LabPage
from scenarios import SHORT

if TYPE_CHECKING:
    from evenair_command import Evenair
    from playwright.sync_api import BrowserContext
    from static_site import Site


def test_every_built_in_scenario_has_a_picture(lab: LabPage) -> None:
    menu = lab.page.get_by_role("combobox", name="Scenario", exact=True)
    names = [name for name in menu.locator("option").all_inner_texts() if name != "changed"]
    assert "gong2006" in names
    described = set()
    for name in names:
        lab.pick(name)
        described.add("\n".join(lab.pictures().values()))
        assert lab.page.get_by_role("alert").count() == 0, name
    assert len(described) == len(names)


def test_an_edit_of_the_text_moves_the_controls(lab: LabPage) -> None:
    lab.edit(SHORT.replace("limit = 60", "limit = 23"))
    lab.settle()
    limit = next(each for each in lab.controls() if each.key == "cell.queue.limit")
    field = lab.page.get_by_label(f"{limit.label}, value")
    assert field.input_value() == "23"


def test_an_error_stands_at_its_line_and_can_be_corrected(
    lab: LabPage, evenair: Evenair, tmp_path: Path
) -> None:
    """The message is that of `evenair run`, the last picture stays, and the controls wait."""
    before = lab.pictures()
    wrong = SHORT.replace("count = 2", 'count = "two"')
    lab.edit(wrong)
    shown = lab.error()

    (tmp_path / "scenario.toml").write_text(wrong)
    process = evenair("run", "scenario.toml", "--json")
    assert process.returncode == 2
    message = process.stderr.strip()
    text = re.sub(r"^Line (\d+): ", "", shown)
    assert text in message
    assert "station.0.count" in text
    line = wrong.splitlines().index('count = "two"') + 1
    assert f"Line {line}: " in shown
    lab.page.locator(".cm-lint-marker-error").wait_for()
    marked = lab.page.evaluate(
        """() => {
          const middle = (element) => {
            const { top, bottom } = element.getBoundingClientRect();
            return (top + bottom) / 2;
          };
          const at = middle(document.querySelector(".cm-lint-marker-error"));
          const lines = [...document.querySelectorAll(".cm-line")];
          return lines.find((line) => Math.abs(middle(line) - at) < 8)?.textContent;
        }"""
    )
    assert marked == 'count = "two"'
    assert lab.pictures() == before
    assert lab.page.locator("figure.is-stale").count() == len(before)
    assert lab.field("cell.queue").is_disabled()

    lab.edit(SHORT.replace("count = 2", "count = 3"))
    lab.settle()
    assert lab.page.get_by_role("alert").count() == 0
    assert lab.field("cell.queue").is_enabled()
    assert lab.pictures() != before


def test_a_syntax_error_stands_at_its_line(lab: LabPage) -> None:
    lab.edit(SHORT.replace("count = 2", "count = = 2"))
    line = SHORT.splitlines().index("count = 2") + 1
    assert f"Line {line}: " in lab.error()


def test_pinned_scenarios_are_compared(lab: LabPage) -> None:
    lab.page.get_by_role("button", name="Pin as A").click()
    lab.field("cell.queue").select_option("las")
    lab.settle()
    lab.complete()
    lab.show("Compare")
    panel = lab.page.get_by_role("tabpanel")
    changed = panel.get_by_role("row").filter(has_text="cell.queue")
    assert "droptail" in changed.first.inner_text()
    assert "las" in changed.first.inner_text()
    lab.page.get_by_role("button", name="Back to A").click()
    lab.settle()
    assert lab.toml == SHORT
    lab.page.get_by_role("button", name="Unpin A").click()
    lab.page.get_by_role("button", name="Pin as A").wait_for()


def test_exports_say_what_the_page_shows(lab: LabPage, evenair: Evenair, tmp_path: Path) -> None:
    """The exported TOML gives `evenair run --json` the exported results, to the digit."""
    lab.page.get_by_label("Seeds", exact=True).fill("3")
    lab.page.get_by_label("First seed").fill("5")
    lab.edit(SHORT)
    lab.settle()
    lab.complete()
    lab.show("Export")

    lab.download(re.compile(r"Download .*\.toml")).save_as(tmp_path / "scenario.toml")
    assert (tmp_path / "scenario.toml").read_text() == SHORT
    exported = lab.export()

    process = evenair("run", "scenario.toml", "--seed", "5", "--runs", "3", "--json")
    runs = json.loads(process.stdout)["runs"]
    assert [run["seed"] for run in exported] == [5, 6, 7]
    for ours, theirs in zip(exported, runs, strict=True):
        assert native.without_times(ours) == native.without_times(theirs)

    lab.download("flows as CSV").save_as(tmp_path / "flows.csv")
    with (tmp_path / "flows.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    expected = [flow["goodput_bps"] for run in runs for flow in run["flows"]]
    assert [float(row["goodput_bps"]) for row in rows] == expected

    lab.download("stations as CSV").save_as(tmp_path / "stations.csv")
    with (tmp_path / "stations.csv").open(newline="") as file:
        shares = [float(row["airtime_share"]) for row in csv.DictReader(file)]
    assert {share for run in runs for share in (s["airtime_share"] for s in run["stations"])} <= {
        *shares
    }


def test_each_picture_is_saved_with_its_data(lab: LabPage, tmp_path: Path) -> None:
    [run] = lab.export()
    lab.show("Pictures")
    for name in lab.pictures():
        figure = lab.page.locator(f'figure[data-picture="{name}"]')
        saved = {}
        for button in ("Data (CSV)", "Picture (SVG)", "Picture (PNG)"):
            figure.locator("summary").click()
            with lab.page.expect_download() as download:
                figure.get_by_role("button", name=button).click()
            path = tmp_path / download.value.suggested_filename
            download.value.save_as(path)
            saved[path.suffix] = path.read_bytes()
        assert list(saved) == [".csv", ".svg", ".png"]
        assert len(saved[".csv"].decode().splitlines()) > 1, name
        assert ElementTree.fromstring(saved[".svg"]).tag == "{http://www.w3.org/2000/svg}svg"
        assert saved[".png"].startswith(b"\x89PNG\r\n\x1a\n")
    with (tmp_path / "goodput.csv").open(newline="") as file:
        saved_mbps = {row["flow"]: float(row["a_goodput_mbps"]) for row in csv.DictReader(file)}
    for flow in run["flows"]:
        assert saved_mbps[flow["id"]] == pytest.approx(flow["goodput_bps"] / 1e6, rel=1e-12)


def test_the_exported_commands_run(lab: LabPage, tmp_path: Path) -> None:
    """Shell and Python, of a text with what both languages would read in another way."""
    hard = SHORT.replace(
        "# Two up", 'name = """\nTOML $HOME `id` \\\\ \'quoted\' "twice" \\u00e9 """\n# Two \\up'
    )
    lab.seeds(2)
    lab.edit(hard)
    lab.settle()
    lab.complete()
    expected = [run["jain_index"] for run in lab.export()]

    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "MPLCONFIGDIR": str(tmp_path),
    }
    (tmp_path / "code.py").write_text(lab.page.get_by_label("Python").inner_text())
    printed = subprocess.run(
        [sys.executable, "code.py"],
        cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    assert json.loads(printed.stdout.splitlines()[0]) == expected

    (tmp_path / "code.sh").write_text(
        lab.page.get_by_label("Command line").inner_text() + " --json\n"
    )
    printed = subprocess.run(
        ["sh", "code.sh"],
        cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    document = json.loads(printed.stdout)
    assert [run["jain_index"] for run in document["runs"]] == expected


def test_a_link_shows_the_same_in_another_browser(
    lab: LabPage, context: BrowserContext, site: Site
) -> None:
    browser = context.browser
    assert browser is not None
    lab.seeds(2, first=4)
    lab.complete()
    lab.show("Export")
    lab.page.get_by_role("button", name="Copy link").click()
    lab.page.get_by_text("Link copied").wait_for()
    link = lab.page.evaluate("navigator.clipboard.readText()")
    assert link.startswith(site.address + "#")

    other = browser.new_context()
    try:
        page = LabPage(other, link)
        page.open()
        page.complete()
        assert page.toml == SHORT
        lab.show("Pictures")
        page.show("Pictures")
        assert page.pictures() == lab.pictures()
        assert page.errors == []
    finally:
        other.close()


def test_a_file_is_opened_and_dropped(lab: LabPage, tmp_path: Path) -> None:
    mine = SHORT.replace("20 s", "15 s")
    path = tmp_path / "mine.toml"
    path.write_text(mine)
    lab.page.get_by_label("Scenario file").set_input_files(path)
    lab.page.wait_for_function("text => document.body.innerText.includes(text)", arg='"15 s"')
    lab.settle()
    assert lab.toml == mine

    dropped = SHORT.replace("20 s", "10 s")
    data = lab.page.evaluate_handle(
        """text => {
          const data = new DataTransfer();
          data.items.add(new File([text], "dropped.toml"));
          return data;
        }""",
        dropped,
    )
    for event in ("dragover", "drop"):
        lab.page.dispatch_event("main", event, {"dataTransfer": data})
    lab.page.wait_for_function("text => document.body.innerText.includes(text)", arg='"10 s"')
    lab.settle()
    assert lab.toml == dropped


@pytest.mark.parametrize(
    ("name", "content"),
    [("picture.toml", b"\x89PNG\r\n\x1a\n\xff\xfe"), ("huge.toml", b"#" * 2_000_000)],
)
def test_a_file_that_is_no_scenario_is_refused(
    lab: LabPage, tmp_path: Path, name: str, content: bytes
) -> None:
    before = lab.toml
    (tmp_path / name).write_bytes(content)
    lab.page.get_by_label("Scenario file").set_input_files(tmp_path / name)
    assert name in lab.error()
    assert lab.toml == before


def test_a_tour_is_followed_to_its_end(lab: LabPage) -> None:
    """Each step opens its scenario, and what it says is measured by the runs that are shown."""
    lab.show("Tours")
    lab.page.get_by_role("button", name="Why uploads win").click()
    tour = lab.page.get_by_role("region", name="Tour: Why uploads win")
    steps = int(tour.get_by_text(re.compile(r", 1 of \d+")).inner_text().rpartition(" ")[2])
    assert steps >= 5
    shown = []
    for _ in range(steps - 1):
        tour.get_by_role("table").or_(tour.get_by_text("Measured")).first.wait_for()
        assert "not there" not in tour.inner_text()
        shown.append((tour.get_by_role("heading").inner_text(), lab.toml))
        tour.get_by_role("button", name="Next").click()
    assert len({heading for heading, _ in shown}) == steps - 1
    assert len({toml for _, toml in shown}) > 1
    tour.get_by_role("radio").first.check()
    tour.get_by_role("button", name="Run it and see").click()
    tour.get_by_text(re.compile(r"Right\.|Not so\.")).wait_for()

    # The address leads there, and back to the step before.
    lab.page.wait_for_function("() => location.hash.includes('tour=uploads-win/')")
    tour.get_by_role("button", name="Back").click()
    lab.settle()
    assert tour.get_by_role("heading").inner_text() == shown[-1][0]
    tour.get_by_role("button", name="End the tour").click()
    assert tour.count() == 0


def test_two_pages_do_not_disturb_each_other(
    lab: LabPage, context: BrowserContext, site: Site
) -> None:
    other = LabPage(context, site.address).open()
    other.edit(SHORT)
    lab.edit(SHORT.replace("count = 2", "count = 4"))
    other.settle()
    lab.settle()
    for page in (lab, other):
        page.complete()
        assert native.without_times(page.export()[0]) == native.result(page.toml)
    assert other.errors == []


def test_the_theme_follows_the_system_and_the_switch(lab: LabPage) -> None:
    def background(theme: str) -> str:
        lab.page.locator(f"html[data-theme={theme}]").wait_for()
        colour: str = lab.page.evaluate("getComputedStyle(document.body).backgroundColor")
        return colour

    lab.page.emulate_media(color_scheme="light")
    light = background("light")
    lab.page.emulate_media(color_scheme="dark")
    assert background("dark") != light
    theme = lab.page.get_by_label("Theme")
    theme.select_option("light")
    assert background("light") == light
    lab.page.reload()
    lab.settle()
    assert background("light") == light
    theme.select_option("system")
    assert background("dark") != light


@pytest.mark.parametrize("width", [1280, 400])
def test_nothing_is_wider_than_the_screen(lab: LabPage, width: int) -> None:
    lab.page.set_viewport_size({"width": width, "height": 800})
    for tab in lab.page.get_by_role("tab").all():
        tab.click()
        assert lab.page.evaluate("document.documentElement.scrollWidth") <= width
