"""The report of a campaign: what is in it, and that it is valid and self-contained HTML."""

from __future__ import annotations

import inspect
import re
import shlex
import tomllib
from html.parser import HTMLParser
from typing import TYPE_CHECKING

import evenair as ea
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from evenair.campaign.report import MAX_LINES, report
from prototype_support import PlainFifo

if TYPE_CHECKING:
    from pathlib import Path

    from evenair_command import Evenair

NAME = 'five <b>&amp; $x$ "five" </script>'
VOID = {"meta", "br", "hr", "img", "link", "input"}
"""Elements without an end tag (HTML Living Standard, 13.1.2), as far as a report may have them."""


class Page(HTMLParser):
    """Elements, ids and text of a page; fails if an element is not closed in order."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.ids: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.texts: dict[str, list[str]] = {}
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        self.ids += [value or "" for name, value in attrs if name == "id"]
        self.texts.setdefault(tag, []).append("")
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert "svg" in self.open  # only SVG has elements like this
        self.handle_starttag(tag, attrs)
        self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        for tag in set(self.open):
            self.texts[tag][-1] += data


def sweep(evenair_here: Evenair, *options: str) -> None:
    done = evenair_here(
        *("sweep", "gong2006", "--set", "duration=1", "--set", f"name='{NAME}'", *options),
        *("--runs", "2", "--seed", "3", "--quiet", "--out", "x.parquet"),
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_a_report(evenair_here: Evenair, tmp_path: Path) -> None:
    vary = ("--vary", "cell.queue.kind=droptail,las", "--vary", "cell.queue.limit=10,20")
    sweep(evenair_here, *vary)
    done = evenair_here("report", "x.parquet")
    assert (done.returncode, done.stdout) == (0, "")
    text = (tmp_path / "x.html").read_text()
    page = Page(text)
    assert page.texts["h1"] == page.texts["title"] == [NAME]
    assert len(page.ids) == len(set(page.ids)) > 20
    # Self-contained: everything that is referred to is in the page.
    for _, name, value in page.attributes:
        if name in ("href", "xlink:href", "src"):
            assert value.removeprefix("#") in page.ids
        for target in re.findall(r"url\(#([^)]*)\)", value):
            assert target in page.ids
    assert "@import" not in text
    assert "script" not in page.texts
    # A picture of each metric that runs have, legible on any ground: no black, no white.
    labels = [v for tag, name, v in page.attributes if (tag, name) == ("svg", "aria-label")]
    assert labels[0] == "aggregate goodput over limit of the AP queue"
    assert len(labels) == len(page.texts["figcaption"]) == 8
    assert not re.search(r"#(000000|ffffff)", "".join(re.findall(r"<svg.*?</svg>", text, re.S)))
    # The means of the table are those of the runs.
    runs = pq.read_table(tmp_path / "x.parquet").to_pylist()
    first = [row["jain_index"] for row in runs if row["cell.queue.limit"] == 10][:2]
    cells = page.texts["td"]
    (place,) = (k for k, cell in enumerate(page.texts["th"]) if cell == "Jain's index")
    varied, columns = 3 + 3, len(page.texts["th"]) - 3  # two keys of three columns; a heading of 3
    shown, half = cells[varied + place - 3].split("±")
    unit = 10.0 ** -len(shown.strip().partition(".")[2])
    assert float(shown) == pytest.approx(sum(first) / 2, abs=0.5001 * unit)
    # Student's t with one degree of freedom, and the standard error of two values.
    assert float(half) == pytest.approx(12.7062 * abs(first[0] - first[1]) / 2, abs=0.51 * unit)
    assert (len(cells) - varied) % columns == 0


def test_it_can_be_repeated(evenair_here: Evenair, tmp_path: Path) -> None:
    sweep(
        evenair_here, "--vary", "cell.queue={kind='las',limit=30},droptail", "--vary", "warmup=0,1"
    )
    assert evenair_here("report", "x.parquet", "--out", "r.html").returncode == 0
    command, scenario = Page((tmp_path / "r.html").read_text()).texts["pre"]
    before = (tmp_path / "x.parquet").read_bytes()
    (tmp_path / "x.parquet").unlink()
    assert evenair_here(*shlex.split(command)[1:], "--quiet").returncode == 0
    assert (tmp_path / "x.parquet").read_bytes() == before
    (tmp_path / "again.toml").write_text(scenario)
    written = ea.load("gong2006").with_(duration=1, name=NAME)
    assert ea.load(tmp_path / "again.toml") == written
    assert tomllib.loads(scenario)["name"] == NAME


def test_a_campaign_of_a_class_can_be_repeated(evenair: Evenair, tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(
        f"import evenair as ea\nfrom typing import Any\n\n\n{inspect.getsource(PlainFifo)}\n\n"
        "ea.register(queue=PlainFifo)\n"
    )
    options = ("--plugin", "own.py", "--set", "duration=1", "--set", "cell.queue.kind=plain-fifo")
    command = ("sweep", "gong2006", *options, "--runs", "2", "--quiet", "--out", "a table.parquet")
    assert evenair(*command).returncode == 0
    assert evenair("report", "a table.parquet").returncode == 0
    again, _ = Page((tmp_path / "a table.html").read_text()).texts["pre"]
    before = (tmp_path / "a table.parquet").read_bytes()
    (tmp_path / "a table.parquet").unlink()
    done = evenair(*shlex.split(again)[1:], "--quiet")
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "a table.parquet").read_bytes() == before


def test_of_a_campaign_in_python(tmp_path: Path) -> None:
    scenario = ea.load("gong2006").with_(duration=1)
    grid = {"cell.queue": ["las", {"kind": "droptail", "limit": 9}], "warmup": [0, 1]}
    campaign = ea.sweep(scenario, grid, runs=1, seed=7)
    campaign.report(tmp_path / "x.html")
    call, text = Page((tmp_path / "x.html").read_text()).texts["pre"]
    (tmp_path / "scenario.toml").write_text(text)
    call = call.replace("'scenario.toml'", repr(str(tmp_path / "scenario.toml")))
    names: dict[str, ea.Campaign] = {}
    exec(call.replace("ea.sweep(", "again = ea.sweep(").replace(", out='x.parquet'", ""), names)
    assert names["again"].table == campaign.table


@pytest.mark.long
def test_many_lines_are_several_figures(tmp_path: Path) -> None:
    base = ea.load("gong2006").with_(duration=0.1, station=[{"flows": [{"direction": "up"}]}])
    limits = list(range(1, MAX_LINES + 2))
    grid = {"cell.queue.limit": limits, "cell.queue.kind": ["las", "droptail"], "warmup": range(9)}
    text = report(ea.sweep(base, grid, runs=1).table, "x.parquet")
    labels = [v for tag, name, v in Page(text).attributes if (tag, name) == ("svg", "aria-label")]
    own = [label for label in labels if label.startswith("aggregate goodput")]
    assert own == [
        f"aggregate goodput over warm-up, limit of the AP queue: {limit} packets"
        for limit in limits
    ]


def test_one_point_has_no_figure() -> None:
    page = Page(report(ea.sweep(ea.load("gong2006").with_(duration=1), {}, runs=1).table, "x"))
    assert "svg" not in page.texts
    assert "Nothing was varied." in page.texts["p"]


@pytest.mark.long
def test_bad_input(evenair_here: Evenair, tmp_path: Path) -> None:
    sweep(evenair_here, "--vary", "cell.queue.limit=10", "--flows")
    pq.write_table(pa.table({"seed": [1]}), tmp_path / "other.parquet")
    (tmp_path / "text.parquet").write_text("no table")
    for arguments, message in (
        (["x-flows.parquet"], "x-flows.parquet: is not a table of runs"),
        (["other.parquet"], "other.parquet: does not have its scenario; repeat the sweep"),
        (["text.parquet"], "text.parquet: cannot be read as Parquet"),
        (["none.parquet"], "none.parquet: no such file"),
        (["."], "is a directory"),
        (["x.parquet", "--out", "x.pdf"], "got 'x.pdf', expected a file name that ends in .html"),
        (["x.parquet", "--out", "/dev/null/x.html"], "--out: /dev/null/x.html: cannot be written"),
    ):
        done = evenair_here("report", *arguments)
        assert (done.returncode, done.stdout) == (2, "")
        assert message in done.stderr
        assert done.stderr.count("\n") == 1
