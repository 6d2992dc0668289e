"""The documentation site: it builds without a warning, its links lead somewhere, its search finds.

The pages with notebooks are executed by the build.
"""

from __future__ import annotations

import argparse
import html
import json
import re
import subprocess
import sys
from functools import cache
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

import pytest
from evenair import _core, load, run
from evenair.cli import program
from evenair.models.command.catalogue import MODELS
from evenair_command import ROOT
from sphinx.search.en import SearchEnglish

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from evenair_command import Evenair

pytestmark = [pytest.mark.long, pytest.mark.timeout(600)]  # the build executes the notebooks


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder: Path = tmp_path_factory.mktemp("site")
    command = ["-m", "sphinx", "-c", "docs", "-j", "auto", "-E", "-W", "--keep-going", "-q", "."]
    done = subprocess.run(
        [sys.executable, *command, "-d", folder / "doctrees", folder / "html"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=570,
    )
    assert done.returncode == 0, done.stderr
    assert "warning" not in done.stderr.lower()  # of a kernel either
    return folder / "html"


class Page(HTMLParser):
    """The links of a page, and what can be linked to."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.feed(path.read_text())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for key, value in attrs:
            if value and key in ("href", "src") and tag != "link":
                self.links.append(value)
            elif value and key in ("id", "name"):
                self.anchors.add(value)


def test_internal_links(site: Path) -> None:
    read = cache(Page)
    checked = 0
    for page in site.rglob("*.html"):
        for link in read(page).links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
            assert target.exists(), f"{page}: {link}"
            # The table of the search page's keys is filled in by a script.
            if parts.fragment and target.suffix == ".html":
                assert unquote(parts.fragment) in read(target).anchors, f"{page}: {link}"
            checked += 1
    assert checked > 1000


def test_the_output_of_a_command_is_what_it_prints(site: Path, evenair: Evenair) -> None:
    text = (site / "docs" / "examples" / "tutorial.html").read_text()
    printed = html.unescape(re.sub(r"<[^>]+>", "", text))
    *table, _speed = evenair("run", "gong2006").stdout.splitlines()
    assert len(table) > 10
    assert "\n".join(line.rstrip() for line in table) in re.sub(r" +$", "", printed, flags=re.M)


def test_no_page_has_escape_sequences(site: Path) -> None:
    pages = list(site.rglob("*.html"))
    assert len(pages) > 30
    for page in pages:
        text = page.read_text()
        assert "\x1b" not in text, page
        # What Jupyter's lexer makes of them.
        assert not re.search(r'class="[^"]*-Color-', text), page


def test_the_sidebar_has_four_parts_of_at_most_eight_entries(site: Path) -> None:
    """Further pages are children of these, which the sidebar shows on request."""
    sidebar = (site / "docs" / "index.html").read_text().partition('class="sidebar-tree"')[2]
    parts = re.split('class="caption"', sidebar.partition("</div>")[0])[1:]
    captions = [re.findall('class="caption-text">([^<]+)<', part) for part in parts]
    assert captions == [["Learn"], ["Do"], ["Understand"], ["Look up"]]
    for part in parts:
        assert 1 < part.count('<li class="toctree-l1') <= 8


class Index:
    """The search index, asked as the page of the search asks it."""

    def __init__(self, site: Path) -> None:
        text = (site / "searchindex.js").read_text()
        content = text.removeprefix("Search.setIndex(").removesuffix(")")
        self.index: dict[str, Any] = json.loads(content)
        self.language = SearchEnglish({})

        self.objects = [
            (f"{prefix}.{name}".lower(), number)
            for prefix, objects in self.index["objects"].items()
            for number, *_, name in objects
        ]

    def pages(self, words: str) -> set[str]:
        """The pages that have each of these words, in their text or as part of an object's name."""
        found = [
            {self.index["docnames"][number] for number in self.documents(word.lower())}
            for word in re.findall(r"\w+", words)
        ]
        return set.intersection(*found)

    def documents(self, word: str) -> list[int]:
        numbers = [number for name, number in self.objects if word in name]
        for terms in (self.index["terms"], self.index["titleterms"]):
            entry = terms.get(self.language.stem(word), [])
            numbers += [entry] if isinstance(entry, int) else entry
        return numbers


@pytest.fixture(scope="module")
def index(site: Path) -> Index:
    return Index(site)


def test_the_search_finds_each_command_and_option(index: Index) -> None:
    [commands] = [
        action.choices
        for action in program.parser()._actions
        if isinstance(action, argparse._SubParsersAction)
    ]
    assert len(commands) >= 9
    for name, parser in commands.items():
        assert "docs/reference/commands" in index.pages(f"evenair {name}")
        for action in parser._actions:
            for option in set(action.option_strings) - {"-h", "--help"}:
                assert "docs/reference/commands" in index.pages(option), option


def keys(schema: object) -> Iterator[str]:
    """The names of all properties in a JSON Schema."""
    if isinstance(schema, dict):
        properties = schema.get("properties", {})
        yield from properties
        for value in [*properties.values(), *(v for k, v in schema.items() if k != "properties")]:
            yield from keys(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from keys(value)


def test_the_search_finds_each_key_of_a_scenario(index: Index) -> None:
    names = set(keys(json.loads(_core.schema())))
    assert {"dl_ratio", "min_rto", "quantum"} < names
    reference = {"docs/reference/keys", "docs/reference/components"}
    assert not [name for name in names if not index.pages(name) & reference]


def test_the_search_finds_each_component(index: Index) -> None:
    components = json.loads(_core.parts())
    assert len(components) > 50
    for component in components:
        for parameter in component["parameters"]:
            words = f"{component['kind']} {component['name']} {parameter['name']}"
            assert "docs/reference/components" in index.pages(words), words


def test_the_search_finds_each_key_and_result_of_a_model(index: Index) -> None:
    assert len(MODELS) >= 9
    for name, model in MODELS.items():
        for word in [*model.all_keys, *(result.name for result in model.results)]:
            assert "docs/reference/models" in index.pages(f"{name} {word}"), f"{name} {word}"


IDS = (
    "series.flows",
    "series.stations",
    "series.controller.shares",
    "series.controller.theta_bps",
)
"""Members of a result whose members have the ids of flows and stations."""


RESULTS = ROOT / "docs" / "results.md"


def described() -> set[str]:
    """The words in code spans of the page of results."""
    text = re.sub(r"^```.*?^```$", "", RESULTS.read_text(), flags=re.S | re.M)
    return set(re.findall(r"\w+", " ".join(re.findall(r"`[^`]+`", text))))


def members(result: object, path: str = "") -> Iterator[str]:
    """The names of all members of a result but those of the scenario in it."""
    if isinstance(result, dict):
        for key, value in result.items():
            if path not in IDS:
                yield key
            if key != "scenario":
                yield from members(value, f"{path}.{key}".lstrip("."))
    elif isinstance(result, list):
        for value in result:
            yield from members(value, path)


@pytest.mark.parametrize(
    ("name", "overrides"),
    [
        ("gong2006", {}),
        ("gong2006", {"cell__beacon_interval": "100 ms"}),
        ("blefari2007", {}),
        ("kashibuchi2009", {}),
        ("kashibuchi2009", {"station__0__rate_control": "minstrel"}),
        ("miorandi2006", {}),
        ("tsiknas2012-wimax", {}),
        ("gong2006", {"station__0__flows__0__ecn": True}),
    ],
)
def test_each_member_of_a_result_is_described_and_found(
    index: Index, name: str, overrides: dict[str, Any]
) -> None:
    scenario = load(name).with_(duration="5 s", trace__interval="1 s", **overrides)
    names = set(members(run(scenario).document))
    assert len(names) > 50
    assert not names - described()
    # "up", "down", "from" and "to" are in every text, and therefore not in the index.
    for found in names - index.language.stopwords:
        assert "docs/results" in index.pages(found), found
