"""The section Why says what `evenair run --explain` says of the same runs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import evenair as ea
from scenarios import SHORT

if TYPE_CHECKING:
    from pathlib import Path

    from lab_page import LabPage

# Five uploads take the places of the queue from five downloads.
UNFAIR = SHORT.replace("count = 2", "count = 5").replace(
    '[[station]]\nflows = [{ direction = "down"',
    '[[station]]\ncount = 5\nflows = [{ direction = "down"',
)


def said(lab: LabPage) -> list[tuple[str, str]]:
    """Return the flows that starve, with what is said of each of them."""
    lab.show("Why")
    each = lab.page.locator("dl.why > div:not(:has(dl))")
    pairs: list[list[str]] = each.evaluate_all(
        "all => all.map(({ children }) => [...children].map((child) => child.textContent))"
    )
    return [(flow, text) for flow, text in pairs]


def explained(path: Path, runs: int) -> list[tuple[str, str]]:
    """Return the same of `evenair run --explain --runs N`, N above 1."""
    return [
        (
            f"{each.flow} starves in {each.faulty_runs} of {each.runs} runs ({each.measure})",
            each.text,
        )
        for each in ea.run(ea.load(path), runs=runs).explain()
    ]


def test_the_sentences_are_of_all_seeds(lab: LabPage, tmp_path: Path) -> None:
    path = tmp_path / "unfair.toml"
    path.write_text(UNFAIR)
    lab.edit(UNFAIR)
    lab.settle()
    lab.show("Why")
    lab.page.get_by_text("Of the run with seed 1.").wait_for()
    one = ea.run(ea.load(path), seed=1).explain()
    assert [text for _, text in said(lab)] == [each.text for each in one]
    assert one

    lab.seeds(3)
    lab.page.get_by_text("From the means over 3 seeds.").wait_for()
    assert said(lab) == explained(path, 3)

    lab.seeds(2)
    lab.page.get_by_text("From the means over 2 seeds.").wait_for()
    assert said(lab) == explained(path, 2)


def test_equal_flows_are_said_once(lab: LabPage) -> None:
    """With the least and the most of each number, which those of the flows are within."""
    lab.edit(UNFAIR)
    lab.settle()
    flows = dict(said(lab))
    groups = lab.page.locator("dl.why > div:has(dl)")
    heading = groups.locator("> dt").first.inner_text()
    assert "each starves" in heading
    alone = lab.page.locator("#section section > dl > div:not(:has(dl))")
    assert groups.count() + alone.count() < len(flows)
    least, most = re.findall(r"([\d.]+)–([\d.]+) Mb/s", heading)[0]
    inside = groups.first.locator("dl > div > dt").all_text_contents()
    rates = [float(re.findall(r"\(([\d.]+) Mb/s", each)[0]) for each in inside]
    assert (min(rates), max(rates)) == (float(least), float(most))


def test_a_and_b_are_explained_each(lab: LabPage, tmp_path: Path) -> None:
    longer = UNFAIR.replace("limit = 60", "limit = 400")
    lab.edit(UNFAIR)
    lab.settle()
    lab.page.get_by_role("button", name="Pin as A").click()
    lab.edit(longer)
    lab.settle()
    lab.show("Why")
    shown = []
    for heading, toml in ("A: why", UNFAIR), ("B: why", longer):
        section = lab.page.locator("#section section").filter(has_text=heading)
        shown.append(section.locator("dl.why > div:not(:has(dl)) > dd").all_text_contents())
        path = tmp_path / "scenario.toml"
        path.write_text(toml)
        assert shown[-1] == [each.text for each in ea.run(ea.load(path), seed=1).explain()]
    assert shown[0] != shown[1]
