"""The lab's page in a browser. Any error on its console fails the test."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import chromium
import evenair
import pytest
from lab_page import LabPage
from requirements import missing
from scenarios import SHORT, fragment
from static_site import Site

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, BrowserContext


SAMPLE = "test_page_engine.py"
"""What `make test` has of the page, where it is built."""


def pytest_itemcollected(item: pytest.Item) -> None:
    """Tests of the page are long together. They wait long enough that others may run beside."""
    if "browser" in getattr(item, "fixturenames", ()):
        if item.path.name == SAMPLE:
            item.add_marker(pytest.mark.real_time("pictures of the page in a browser"))
        else:
            item.add_marker(pytest.mark.long)


@pytest.fixture(scope="session")
def page_folder() -> Path:
    """The built page: that of EVENAIR_LAB_PAGE, or of the installed package."""
    given = os.environ.get("EVENAIR_LAB_PAGE")
    folder = Path(given) if given else Path(evenair.__file__).parent / "lab" / "page"
    if not (folder / "index.html").exists():
        missing(f"{folder} has no page: make site")
    return folder


# A browser for each file of tests. One for all would leave an event loop running in this thread,
# and tests that start one of their own fail then.
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    pytest.importorskip("playwright")
    if chromium.find() is None:
        missing("no Chromium: apt-get install chromium")
    with chromium.started() as browser:
        yield browser


@pytest.fixture
def site(page_folder: Path) -> Iterator[Site]:
    site = Site(page_folder).start()
    yield site
    site.stop()


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    """A new profile: nothing cached, nothing stored."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    yield context
    context.close()


@pytest.fixture
def lab(context: BrowserContext, site: Site) -> Iterator[LabPage]:
    """The page with SHORT and one seed. An error on its console fails the test."""
    lab = LabPage(context, site.address)
    lab.open(fragment(SHORT))
    yield lab
    assert lab.errors == []
    assert lab.observed()["traps"] == []
