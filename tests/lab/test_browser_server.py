"""The page of `evenair lab` in a browser: native runs, two tabs, a server that comes back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import native
import pytest
from lab_page import LabPage
from lab_server import LabServer
from scenarios import SHORT, fragment

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import BrowserContext


@pytest.fixture
def folder(tmp_path: Path, page_folder: Path) -> Path:
    """A folder for the server with the real page in it."""
    (tmp_path / "page").symlink_to(page_folder.resolve())
    return tmp_path


@pytest.fixture
def server(folder: Path) -> Iterator[LabServer]:
    server = LabServer(folder)
    yield server
    server.stop()


def test_runs_are_native_and_the_same(context: BrowserContext, server: LabServer) -> None:
    """In two tabs at once. The token is taken out of the address."""
    tabs = [LabPage(context, server.address) for _ in range(2)]
    for tab in tabs:
        tab.open(fragment(SHORT))
    for count, tab in enumerate(tabs, 3):
        tab.edit(SHORT.replace("count = 2", f"count = {count}"))
    for tab in tabs:
        tab.settle()
        assert native.without_times(tab.export()[0]) == native.result(tab.toml)
        assert tab.observed()["runs"] == 0, "a run was made by the browser"
        assert server.token not in tab.page.url
        assert tab.errors == []


def test_every_section_works(context: BrowserContext, server: LabServer) -> None:
    lab = LabPage(context, server.address).open(fragment(SHORT))
    for tab in lab.page.get_by_role("tab").all():
        tab.click()
    assert "Live" in lab.page.get_by_role("tab").all_inner_texts()
    assert lab.errors == []


def test_an_error_is_the_same_as_in_the_browser(context: BrowserContext, server: LabServer) -> None:
    lab = LabPage(context, server.address).open(fragment(SHORT))
    lab.edit(SHORT.replace("count = 2", "count = 0"))
    assert "station.0.count" in lab.error()
    lab.edit(SHORT)
    lab.settle()
    assert lab.page.get_by_role("alert").count() == 0


def test_the_page_says_that_its_server_has_gone_and_recovers(
    context: BrowserContext, folder: Path
) -> None:
    server = LabServer(folder)
    try:
        lab = LabPage(context, server.address).open(fragment(SHORT))
        status = lab.page.locator("p.server")
        assert "evenair" in status.inner_text()
        server.stop()
        lab.edit(SHORT.replace("count = 2", "count = 3"))
        lab.settle()
        lab.page.get_by_text("does not answer").wait_for()
        assert lab.observed()["runs"] > 0
        assert native.without_times(lab.export()[0]) == native.result(lab.toml)

        server = LabServer(folder, port=server.port)
        lab.page.get_by_text("was started again").wait_for()
        LabPage(context, server.address).open(fragment(SHORT))
        lab.page.get_by_text("Runs are made by evenair").wait_for()
        before = lab.observed()["runs"]
        lab.edit(SHORT.replace("count = 2", "count = 4"))
        lab.settle()
        assert lab.observed()["runs"] == before
        assert native.without_times(lab.export()[0]) == native.result(lab.toml)
    finally:
        server.stop()
