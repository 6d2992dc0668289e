"""Tours, campaigns and live figures in a browser."""

from __future__ import annotations

import csv
import math
import re
import shutil
from typing import TYPE_CHECKING, Any

import axe
import evenair as ea
import evenair_lab
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import tours
from lab_page import LabPage
from static_site import Site

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import BrowserContext

NUMBER = re.compile(r"[\d.,]+")


def measured(lab: LabPage) -> dict[str, str]:
    """What the page says that each number of the text is now, with all seeds."""
    lab.complete()
    rows = lab.page.locator(".tour-facts tbody tr").all()
    cells = [tuple(row.locator("td").all_inner_texts()) for row in rows]
    return dict(cells)


def number(text: str) -> float:
    found = NUMBER.match(text)
    assert found
    return float(found[0].replace(",", ""))


@pytest.mark.parametrize("name", tours.NAMES)
def test_a_tour_from_its_first_step_to_its_question(lab: LabPage, name: str) -> None:
    """Each number of the text is what the page measures, and the run decides the question."""
    tour = tours.load(name)
    page = lab.page
    lab.show("Tours")
    page.get_by_label("Seeds").fill("3")
    page.get_by_role("button", name=tour.title, exact=True).click()
    for step in tour.steps:
        heading = page.get_by_role("heading", name=step.title, exact=True)
        heading.wait_for()
        assert heading.evaluate("(element) => element === document.activeElement")
        page.locator(".tour-facts").wait_for()
        lab.settle()
        now = measured(lab)
        assert list(now) == [fact.says for fact in step.facts]
        for fact in step.facts:
            # Three seeds, and the digits of the text.
            assert number(now[fact.says]) == pytest.approx(number(fact.says), rel=0.2, abs=0.1)
        shown = page.locator(".tour-picture figure").evaluate_all(
            "figures => figures.map(({ dataset }) => dataset.picture)"
        )
        assert shown == step.pictures
        page.get_by_role("button", name="Next").click()
    question = tour.question
    result = ea.run(tour.scenario(question.experiment.overrides), seed=1).document
    [right] = question.right(tours.measure(result, question.decides))
    for k, answer in enumerate(question.answers):
        page.get_by_label(answer.text, exact=True).check()
        page.get_by_role("button", name="Run it and see").click()
        # What is said of the answer before stays until there is a run, and the first run may
        # decide otherwise than all.
        lab.settle()
        lab.complete()
        because = " ".join(answer.because.split())
        status = page.locator(".tour-question [role=status]", has_text=because)
        verdict = status.locator("strong", has_text="Right." if k == right else "Not so.")
        verdict.wait_for()
        said = status.inner_text()
        assert " ".join(question.answers[right].because.split()) in said
    page.get_by_role("button", name="End the tour").click()
    assert page.locator(".tour").count() == 0


def test_a_link_opens_a_step(context: BrowserContext, site: Site) -> None:
    lab = LabPage(context, site.address).open("#tour=uploads-win/5&seeds=1")
    tour = tours.load("uploads-win")
    assert lab.page.get_by_role("heading", name=tour.steps[4].title).count() == 1
    assert "limit = 150" in lab.toml
    assert number(measured(lab)["1.00"]) == 1
    assert lab.errors == []


def test_a_link_to_no_tour_says_so(context: BrowserContext, site: Site) -> None:
    lab = LabPage(context, site.address).open("#tour=none/1")
    assert lab.error().startswith("The link names no step of a tour: none/1.")
    assert lab.errors == []


def test_a_changed_scenario_is_no_longer_that_of_the_step(lab: LabPage) -> None:
    lab.show("Tours")
    lab.page.get_by_role("button", name="Why uploads win").click()
    lab.page.locator(".tour-facts").wait_for()
    lab.edit(lab.toml.replace("limit = 60", "limit = 61"))
    lab.page.get_by_role("button", name="Reset").click()
    lab.page.locator(".tour-facts").wait_for()
    assert "limit = 60" in lab.toml


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path: Path = tmp_path_factory.mktemp("campaign") / "queues.parquet"
    grid = {"cell.queue.kind": ["droptail", "las"], "cell.queue.limit": range(20, 81, 20)}
    ea.sweep(ea.load("gong2006").with_(duration="10 s"), grid, runs=2, out=path)
    return path


def opened(lab: LabPage, path: Path) -> None:
    lab.show("Campaign")
    lab.page.set_input_files(".campaign-file input", path)
    lab.page.locator(".campaign-point").first.wait_for()


def test_a_point_of_a_campaign_opens_its_scenario_by_the_keyboard(
    lab: LabPage, campaign: Path
) -> None:
    opened(lab, campaign)
    points = lab.page.locator(".campaign-point")
    assert points.count() == 8
    points.first.focus()
    for key in ("ArrowRight", "ArrowRight", "ArrowDown", "Enter"):
        lab.page.keyboard.press(key)
    lab.page.get_by_text("Its scenario is open: las, limit of the AP queue 60 packets").wait_for()
    lab.settle()
    rows = pq.read_table(campaign).to_pylist()
    [row] = [
        row
        for row in rows
        if (row["cell.queue.kind"], row["cell.queue.limit"], row["seed"]) == ("las", 60, 1)
    ]
    [run] = [run for run in lab.export() if run["seed"] == 1]
    assert run["jain_index"] == row["jain_index"]
    assert run["aggregate_goodput_bps"] == row["aggregate_goodput_bps"]


def test_a_metric_is_chosen_and_a_point_is_clicked(
    lab: LabPage, campaign: Path, tmp_path: Path
) -> None:
    """The numbers that are saved are those of the file, and the scenario is that of its runs."""
    opened(lab, campaign)
    page = lab.page
    page.get_by_label("Metric", exact=True).select_option("aggregate_goodput_bps")
    figure = page.locator('figure[data-picture="campaign"]')
    figure.get_by_text("aggregate goodput (Mb/s) over limit of the AP queue").wait_for()
    lab.download("Save data (CSV)").save_as(tmp_path / "data.csv")
    with (tmp_path / "data.csv").open(newline="") as file:
        _, *saved = csv.reader(file)
    rows = pq.read_table(campaign).to_pylist()
    assert len(saved) == 8
    for kind, limit, runs, mean, half in saved:
        sample = [
            row["aggregate_goodput_bps"] / 1e6
            for row in rows
            if (row["cell.queue.kind"], row["cell.queue.limit"]) == (kind, int(limit))
        ]
        assert int(runs) == len(sample) == 2
        assert float(mean) == pytest.approx(sum(sample) / 2, rel=1e-12)
        # Student's t with one degree of freedom: tan(0.475 pi), of a half of the difference.
        expected = math.tan(0.475 * math.pi) * abs(sample[0] - sample[1]) / 2
        assert float(half) == pytest.approx(expected, rel=1e-9)

    page.get_by_role("button", name=re.compile("^las, limit of the AP queue 40 packets: ")).click()
    page.get_by_text("Its scenario is open: las, limit of the AP queue 40 packets").wait_for()
    lab.settle()
    [run] = lab.export()
    [row] = [
        row
        for row in rows
        if (row["cell.queue.kind"], row["cell.queue.limit"], row["seed"])
        == ("las", 40, run["seed"])
    ]
    assert run["scenario"]["cell"]["queue"]["kind"] == "las"
    assert run["aggregate_goodput_bps"] == row["aggregate_goodput_bps"]


def test_more_points_than_can_be_drawn(lab: LabPage, tmp_path: Path) -> None:
    """The page stays usable, and other keys can be chosen."""
    path = tmp_path / "many.parquet"
    count = 150_000
    table = pa.table(
        {
            "wired.delay": [k / count for k in range(count)],
            "cell.queue.kind": ["las" if k % 2 else "droptail" for k in range(count)],
            "seed": [1] * count,
            "jain_index": [k % 2 for k in range(count)],
        }
    )
    about = {"evenair": '{"keys": ["wired.delay", "cell.queue.kind"]}'}
    pq.write_table(table.replace_schema_metadata(about), path)
    lab.show("Campaign")
    page = lab.page
    page.set_input_files(".campaign-file input", path)
    page.get_by_text("150000 points are too many for a picture").wait_for()
    assert page.locator(".campaign-point").count() == 0
    assert page.get_by_role("button", name="Save picture (SVG)").is_disabled()


def test_another_metric_and_the_table(lab: LabPage, campaign: Path) -> None:
    opened(lab, campaign)
    page = lab.page
    page.get_by_label("Metric", exact=True).select_option("timeouts")
    page.get_by_label("Over", exact=True).select_option("cell.queue.kind")
    page.get_by_text("Data as a table").click()
    table = page.locator(".campaign-table")
    assert table.locator("thead th").all_inner_texts()[-1] == "timeouts, 95% interval"
    assert table.locator("tbody tr").count() == 8
    page.get_by_label("A curve for each").select_option("")
    page.get_by_label("limit of the AP queue", exact=True).select_option(label="40")
    page.wait_for_function("document.querySelectorAll('.campaign-table tbody tr').length === 2")


def test_a_file_that_is_no_campaign_is_refused(lab: LabPage, tmp_path: Path) -> None:
    path = tmp_path / "notes.parquet"
    path.write_text("not a table")
    lab.show("Campaign")
    lab.page.set_input_files(".campaign-file input", path)
    assert lab.error() == "notes.parquet: not a Parquet file"


@pytest.mark.parametrize("width", [1280, 400])
def test_tours_and_campaigns_are_accessible(lab: LabPage, campaign: Path, width: int) -> None:
    lab.page.set_viewport_size({"width": width, "height": 900})
    opened(lab, campaign)
    lab.page.get_by_text("Data as a table").click()
    assert axe.violations(lab.page) == []
    lab.show("Tours")
    lab.page.get_by_role("button", name="Why uploads win").click()
    lab.page.locator(".tour-facts").wait_for()
    assert axe.violations(lab.page) == []
    assert lab.page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.fixture
def figures(page_folder: Path, tmp_path: Path) -> Iterator[Site]:
    """A page with two live figures below each other, and the lab beside it."""
    shutil.copytree(page_folder, tmp_path / "lab")
    scenario = ea.load("gong2006").with_(duration="20 s")
    specs: list[dict[str, Any]] = [
        {
            "scenario": scenario.to_toml(),
            "pictures": [picture],
            "seeds": 2,
            "controls": [evenair_lab.control(axis, scenario)],
        }
        for picture, axis in (
            ("goodput", evenair_lab.parse_axis("cell.queue.limit=20:100:20")),
            ("cwnd", evenair_lab.parse_axis("cell.queue.kind=droptail,las")),
        )
    ]
    body = '<p style="height: 2000px">A page.</p>'.join(
        "".join(evenair_lab.tags(spec)) for spec in specs
    )
    head = '<link rel="stylesheet" href="lab/embed.css"><link rel="icon" href="data:,">'
    script = '<script type="module" src="lab/embed.js"></script>'
    (tmp_path / "index.html").write_text(
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Figures</title>{head}'
        f"</head><body><main><h1>Figures</h1>{body}</main>{script}</body></html>"
    )
    site = Site(tmp_path).start()
    yield site
    site.stop()


def test_live_figures_load_when_they_come_into_view(context: BrowserContext, figures: Site) -> None:
    lab = LabPage(context, figures.address)
    page = lab.page
    page.goto(f"{figures.address}index.html")
    first, second = page.locator(".evenair-figure").all()
    picture = first.locator("[role=img]")
    picture.wait_for()
    assert second.locator("figure").count() == 0
    before = picture.get_attribute("aria-label")
    first.get_by_role("slider").fill("4")
    page.wait_for_function(
        "(before) => document.querySelector('[role=img]').getAttribute('aria-label') !== before",
        arg=before,
    )
    second.scroll_into_view_if_needed()
    second.locator("[role=img]").wait_for()
    assert axe.violations(page) == []
    link = first.get_by_role("link", name="Open in the lab").get_attribute("href")
    assert link
    lab.address = link
    lab.open()
    assert "limit = 100" in lab.toml
    assert lab.errors == []
