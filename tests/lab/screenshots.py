"""Take pictures of the lab's page: python tests/lab/screenshots.py FOLDER [--page PAGE].

Every section, a comparison and an error: light and dark, 1280 and 400 pixels wide.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import chromium
import evenair
from lab_page import LabPage
from static_site import Site


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--page", type=Path, default=Path(evenair.__file__).parent / "lab/page")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    site = Site(arguments.page).start()
    with chromium.started(chromium.BROWSERS) as browser:
        for theme in ("light", "dark"):
            for width in (1280, 400):
                context = browser.new_context(
                    viewport={"width": width, "height": 900}, color_scheme=theme
                )
                lab = LabPage(context, site.address).open()
                lab.complete()
                take(lab, arguments.folder, f"{theme}-{width}")
                for error in lab.errors:
                    print(f"{theme}-{width}: {error}")
                context.close()
    site.stop()


def take(lab: LabPage, folder: Path, name: str) -> None:
    """Take a picture of each section, of a comparison, and of an error."""

    def shoot(what: str) -> None:
        lab.page.evaluate("scrollTo(0, 0)")  # what stays in sight is drawn where it is
        lab.page.screenshot(path=folder / f"{name}-{what}.png", full_page=True)

    tabs = lab.page.get_by_role("tab").all_inner_texts()
    for tab in tabs:
        lab.show(tab)
        shoot(tab.lower())
    lab.show("Pictures")
    lab.page.get_by_role("button", name="Pin as A").click()
    lab.field("cell.queue").select_option("las")
    lab.settle()
    lab.complete()
    shoot("a-and-b")
    lab.edit(lab.toml.replace('"las"', '"lass"'))
    lab.error()
    shoot("error")


if __name__ == "__main__":
    main()
