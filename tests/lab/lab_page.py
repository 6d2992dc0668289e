"""The lab's page as its users have it: scenario, controls, text, pictures."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

if TYPE_CHECKING:
    import re

    from playwright.sync_api import BrowserContext, ConsoleMessage, Download, Locator, Page

INSTRUMENT = Path(__file__).with_name("instrument.js")

# Milliseconds. A busy machine is slow; a page that hangs does not answer in this time either.
PATIENCE = 60_000


@dataclass(frozen=True)
class Control:
    """A slider, menu or checkbox of the page."""

    key: str
    kind: str  # "slider", "menu" or "flag"
    label: str
    values: tuple[str, ...]  # of a menu
    value: str
    length: int  # how many places a slider has


def controls_of(found: list[dict[str, Any]]) -> list[Control]:
    return [Control(**{**one, "values": tuple(one["values"])}) for one in found]


class LabPage:
    """A page that is open. Errors on its console are kept in `errors`."""

    def __init__(self, context: BrowserContext, address: str) -> None:
        self.page: Page = context.new_page()
        self.page.set_default_timeout(PATIENCE)
        self.page.add_init_script(path=INSTRUMENT)
        self.errors: list[str] = []
        self.page.on("console", self._console)
        self.page.on("pageerror", lambda error: self.errors.append(f"uncaught: {error}"))
        self.page.on("request", lambda request: self._request(request.url))
        self.address = address

    def _request(self, url: str) -> None:
        host = urlsplit(self.address).netloc
        if not url.startswith(("data:", "blob:")) and urlsplit(url).netloc != host:
            self.errors.append(f"asked for {url}")

    def _console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.errors.append(f"{message.type}: {message.text}")

    def open(self, fragment: str = "") -> LabPage:
        """Go to the page, and wait for the first picture."""
        self.page.goto(self.address + fragment)
        self.settle()
        return self

    # What the page shows

    @property
    def toml(self) -> str:
        """The text in the editor, the part outside of its window included."""
        text: str = self.page.evaluate("observedLab.editor().state.doc.toString()")
        return text

    def settle(self) -> None:
        """Wait until there is a picture of the present scenario."""
        self.page.wait_for_function("() => observedLab.isSettled()")

    def complete(self) -> None:
        """Wait until all seeds are done."""
        self.page.wait_for_function(
            """() => {
              const { value, max } = document.querySelector("progress");
              return value === max;
            }"""
        )

    def rest(self) -> None:
        """Wait until the drawing of the cell has played the run, and moves no more."""
        self.page.locator('.cell-drawing[data-playing="false"]').wait_for()

    def error(self) -> str:
        """Wait for a message of an error, and return it."""
        return self.page.get_by_role("alert").first.inner_text()

    def pictures(self) -> dict[str, str]:
        """Return the descriptions of all pictures, by name."""
        described: dict[str, str] = self.page.evaluate(
            """() => Object.fromEntries(
              [...document.querySelectorAll("figure[data-picture]")].map((figure) => [
                figure.dataset.picture,
                figure.querySelector("[role=img]").getAttribute("aria-label"),
              ]),
            )"""
        )
        return described

    def observed(self) -> dict[str, Any]:
        """Return what instrument.js has noted so far."""
        noted: dict[str, Any] = self.page.evaluate("JSON.parse(JSON.stringify(observedLab))")
        return noted

    def heap_mb(self) -> float:
        """Return the memory of the page's own objects that are in use.

        A picture that is still being drawn uses some for a moment, so this is the least of five
        readings in one second.
        """
        session = self.page.context.new_cdp_session(self.page)
        readings: list[float] = []
        for _ in range(5):
            self.page.wait_for_timeout(200)
            session.send("HeapProfiler.collectGarbage")
            readings.append(session.send("Runtime.getHeapUsage")["usedSize"] / 1e6)
        session.detach()
        return min(readings)

    # What its users do

    def pick(self, name: str) -> None:
        """Choose a built-in scenario."""
        self.page.get_by_role("combobox", name="Scenario", exact=True).select_option(name)
        self.settle()

    def seeds(self, count: int, first: int = 1) -> None:
        """Set how many runs there are, and the seed of the first."""
        for label, value in (("First seed", first), ("Seeds", count)):
            self.page.get_by_label(label, exact=True).fill(str(value))
            self.page.keyboard.press("Enter")

    def edit(self, toml: str) -> None:
        """Replace the whole text."""
        self.page.get_by_role("textbox", name="Scenario, TOML text").focus()
        self.page.keyboard.press("ControlOrMeta+a")
        self.page.keyboard.insert_text(toml)

    def controls(self) -> list[Control]:
        """Return all controls that are there, those in closed groups included."""
        return controls_of(self.page.evaluate("observedLab.controls()"))

    def field(self, key: str) -> Locator:
        """Return the slider, menu or checkbox of a key; groups that hide it are opened."""
        control = self.page.locator(f'.control[data-key="{key}"]')
        control.evaluate(
            """(element) => {
              for (let group; (group = element.closest("details:not([open])")); ) group.open = true;
            }"""
        )
        return control.locator("input, select").first

    def show(self, section: str) -> None:
        """Choose a tab."""
        self.page.get_by_role("tab", name=section, exact=True).click()

    def download(self, button: str | re.Pattern[str]) -> Download:
        """Press a button that saves a file."""
        with self.page.expect_download() as download:
            self.page.get_by_role("button", name=button, exact=True).click()
        return download.value

    def export(self) -> list[dict[str, Any]]:
        """Return the runs that the page exports as JSON, one for each seed."""
        self.show("Export")
        document = json.loads(Path(self.download("Results as JSON").path()).read_text())
        runs: list[dict[str, Any]] = document.get("runs", [document])
        return runs
