"""Live figures and tours on the documentation site, with the page and without it."""

from __future__ import annotations

import html
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import evenair as ea
import evenair_lab
import pytest
import tours
from evenair import _core

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.timeout(300)

LAB = ("embed.js", "embed.css", "figure.js", "figure.css", "index.html", "evenair.wasm")

CONF = """
import sys
sys.path.insert(0, {ext!r})
extensions = ["myst_parser", "evenair_lab"]
myst_enable_extensions = ["colon_fence"]
root_doc = "docs/index"
html_theme = "basic"
"""

FIGURE = """# Page

Before.

```{evenair-figure} gong2006
---
picture: goodput
set: |
  cell.queue.limit=30
  wired.delay=20 ms
vary: |
  cell.queue.kind=droptail,las
  cell.queue.limit=10:150:10
---
A *caption*.
```

After.
"""


def build(folder: Path, page: Path) -> dict[str, str]:
    """Build a site of the tours and a page with a figure; return its pages by name."""
    source = folder / "source"
    (source / "docs" / "tours").mkdir(parents=True)
    (source / "conf.py").write_text(CONF.format(ext=str(ROOT / "docs" / "_ext")))
    names = ["docs/page", "docs/tours/index", *(f"docs/tours/{name}" for name in tours.NAMES)]
    toctree = "\n".join(f"/{name}" for name in names)
    (source / "docs" / "index.md").write_text(f"# Site\n\n```{{toctree}}\n{toctree}\n```\n")
    (source / "docs" / "page.md").write_text(FIGURE)
    for path in (ROOT / "docs" / "tours").glob("*.md"):
        shutil.copy(path, source / "docs" / "tours")
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", "-W", "-q", "-j", "2", source, folder / "html"],
        env={**os.environ, "EVENAIR_LAB_PAGE": str(page)},
        capture_output=True,
        text=True,
        timeout=200,
    )
    assert done.returncode == 0, done.stderr
    return {name: (folder / "html" / f"{name}.html").read_text() for name in names}


class Site(NamedTuple):
    folder: Path
    pages: dict[str, str]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """A site with the lab, or what has the names of its files."""
    folder: Path = tmp_path_factory.mktemp("site")
    lab = folder / "page"
    lab.mkdir()
    for name in LAB:
        (lab / name).write_text(name)
    return Site(folder / "html", build(folder, lab))


def figures(text: str) -> list[dict[str, Any]]:
    return [json.loads(html.unescape(each)) for each in re.findall(r'data-figure="([^"]*)"', text)]


def test_a_figure_has_its_scenario_and_controls(site: Site) -> None:
    [figure] = figures(site.pages["docs/page"])
    scenario = _core.Scenario.from_toml(figure["scenario"].encode(), "figure")
    resolved = json.loads(scenario.resolved_json())
    assert resolved["cell"]["queue"] == {"kind": "droptail", "limit": 30}
    assert resolved["wired"]["delay"] == 0.02
    assert figure["pictures"] == ["goodput"]
    kind, limit = figure["controls"]
    assert (kind["keys"], kind["values"]) == (["cell.queue.kind"], ["droptail", "las"])
    assert (kind["start"], kind["isOrdered"]) == (0, False)
    assert limit["values"][limit["start"]] == "30"  # the scenario's own
    assert limit["isOrdered"]
    # Each value of a control makes a valid scenario.
    for control in figure["controls"]:
        for value in control["values"]:
            changes = [(key, value) for key in control["keys"]]
            scenario.with_overrides(changes, "control", "control").resolve()


def test_a_figure_begins_with_its_scenario(site: Site) -> None:
    """Its controls are set from the start: a text beside it speaks of the scenario as it is."""
    checked = 0
    for page in site.pages.values():
        for figure in figures(page):
            scenario = _core.Scenario.from_toml(figure["scenario"].encode(), "figure")
            for control in figure["controls"]:
                value = control["values"][control["start"]]
                changes = [(key, value) for key in control["keys"]]
                shown = scenario.with_overrides(changes, "control", "control")
                assert shown.resolved_json() == scenario.resolved_json()
                checked += 1
    assert checked > 20


def test_a_control_without_the_value_of_the_scenario_is_refused() -> None:
    axis = evenair_lab.parse_axis("wired.delay=1 ms,5 ms")
    with pytest.raises(ValueError, match=r"wired\.delay: none of 1 ms, 5 ms"):
        evenair_lab.control(axis, ea.load("gong2006"))


def test_each_step_of_a_tour_has_a_figure_text_and_sources(site: Site) -> None:
    for name in tours.NAMES:
        tour, page = tours.load(name), site.pages[f"docs/tours/{name}"]
        assert f"<h1>{tour.title}<" in page
        found = figures(page)
        steps = [*tour.steps, tour.question.experiment]
        assert [figure["pictures"] for figure in found] == [step.pictures for step in steps]
        for figure, step in zip(found, steps, strict=True):
            expected = tour.scenario(step.overrides)
            shown = _core.Scenario.from_toml(figure["scenario"].encode(), name)
            assert json.loads(shown.resolved_json()) == expected.resolved
        # In the order of the tour, and after its summary.
        order = [page.index(html.escape(step.title)) for step in tour.steps]
        assert order == sorted(order)
        assert page.index(html.escape(tour.summary, quote=False)) < page.index("data-figure")
        assert page.count("<details><summary>") == len(tour.question.answers)
        assert page.count("<p>Right. ") == 1
        assert f'href="../../lab/#tour={name}/1"' in page


def test_only_pages_with_figures_load_the_script(site: Site) -> None:
    for name, text in site.pages.items():
        [*scripts] = re.findall(r'src="([^"?]*embed\.js)', text)
        assert len(scripts) == (0 if name == "docs/tours/index" else 1)
        for address in scripts:
            target = (site.folder / name).parent / address
            assert target.resolve() == site.folder / "lab" / "embed.js"
    for name in LAB:
        assert (site.folder / "lab" / name).read_text() == name


def test_a_site_without_the_page_says_how_to_run_it(tmp_path: Path) -> None:
    pages = build(tmp_path, tmp_path / "nothing")
    assert not (tmp_path / "html" / "lab").exists()
    page = re.sub(r"</?span[^>]*>", "", pages["docs/page"])
    assert "evenair-figure" not in page
    assert "A <em>caption</em>." in page
    command = "evenair run gong2006 --set cell.queue.limit=30 --set 'wired.delay=20 ms'"
    assert html.escape(command, quote=False) in page
    assert "make site" in page
    for name in tours.NAMES:
        assert "embed.js" not in pages[f"docs/tours/{name}"]
        assert tours.load(name).steps[0].title in html.unescape(pages[f"docs/tours/{name}"])


def test_an_address_is_relative_to_its_page() -> None:
    assert evenair_lab.to_root("docs/tours/index") == "../../"
    assert evenair_lab.to_root("index") == ""
