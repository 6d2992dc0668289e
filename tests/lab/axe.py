"""Violations of accessibility rules, found by axe-core."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import Page

ROOT = Path(__file__).parents[2]
SCRIPT = Path(
    os.environ.get("EVENAIR_AXE", ROOT / "lab" / "node_modules" / "axe-core" / "axe.min.js")
)

# The rules of WCAG 2.1 A and AA, and those that axe calls best practices.
RUN = """
async () => (await axe.run(document, {
  runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"],
  resultTypes: ["violations"],
})).violations
"""


def violations(page: Page) -> list[str]:
    """Return a line for each element that breaks a rule, with the impact first."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(
            SCRIPT.read_text()
        )  # as the developer tools do, so the page's policy is not asked
    found: list[dict[str, Any]] = page.evaluate(RUN)
    return [
        f"{rule['impact']}: {rule['id']}: {node['html'][:160]}: {node['failureSummary']}"
        for rule in found
        for node in rule["nodes"]
    ]
