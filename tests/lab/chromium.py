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

# The shell is the same engine without a window to draw, which takes a quarter of the time.
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")


def find() -> str | None:
    """Return the browser's path, or None if there is none on this machine."""
    return next(filter(None, map(shutil.which, NAMES)), None)


@contextlib.contextmanager
def started() -> Iterator[Browser]:
    """Start a browser, for as long as the context lasts."""
    from playwright.sync_api import sync_playwright

    flags = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find(), args=flags)
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
