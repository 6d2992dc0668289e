"""Headless Chromium of the machine, and what it tells about its processes."""

from __future__ import annotations

import contextlib
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
"""What people have."""

TESTED = ("chromium-headless-shell", *BROWSERS)
"""The shell has the same engine without a user interface. Tests take a quarter less time in it."""


def find(names: tuple[str, ...] = TESTED) -> str | None:
    """Return the path of the first browser that is there, or None."""
    return next(filter(None, map(shutil.which, names)), None)


@contextlib.contextmanager
def started(names: tuple[str, ...] = TESTED) -> Iterator[Browser]:
    """Start a browser, for as long as the context lasts."""
    from playwright.sync_api import sync_playwright

    flags = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find(names), args=flags)
        try:
            yield browser
        finally:
            browser.close()


def renderers_s(browser: Browser) -> float:
    """Return the processor time of all pages so far, that of their workers included."""
    session = browser.new_browser_cdp_session()
    try:
        processes = session.send("SystemInfo.getProcessInfo")["processInfo"]
    finally:
        session.detach()
    return sum(process["cpuTime"] for process in processes if process["type"] == "renderer")


def renderers_mb(browser: Browser) -> float:
    """Return the resident memory of all pages, that of their workers included."""
    session = browser.new_browser_cdp_session()
    try:
        processes = session.send("SystemInfo.getProcessInfo")["processInfo"]
    finally:
        session.detach()
    kib = 0
    for process in processes:
        if process["type"] == "renderer":
            status = Path(f"/proc/{process['id']}/status").read_text()
            kib += int(status.partition("RssAnon:")[2].split()[0])
    return kib / 1024
