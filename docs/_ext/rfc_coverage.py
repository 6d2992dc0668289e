"""Sphinx extension: what evenair makes of the normative statements of RFCs (docs/coverage.toml).

    ```{rfc-coverage}
    ```

puts a section for each RFC there. `citations` finds where the sources cite an RFC in the form
`RFC 8289 section 4.4` or `RFC 9332 appendix A.2`.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sphinx.util.docutils import SphinxDirective

if TYPE_CHECKING:
    from collections.abc import Iterator

    from docutils.nodes import Node
    from sphinx.application import Sphinx

ROOT = Path(__file__).parents[2]

TITLES = {
    6298: "Computing TCP's Retransmission Timer",
    8289: "Controlled Delay Active Queue Management (CoDel)",
    8290: "The Flow Queue CoDel Packet Scheduler and Active Queue Management Algorithm",
    9332: "Dual-Queue Coupled Active Queue Management for L4S",
    9438: "CUBIC for Fast and Long-Distance Networks",
}

CITATION = re.compile(r"RFC (\d{4}),? (?:section|appendix) ([\dA-Z][\d.]*)")
CONTINUATION = re.compile(r"\s*\n\s*(?://[/!]?|#)?\s*")
"""A line break within a comment."""


@dataclass(frozen=True)
class Rule:
    """A normative statement, and what evenair makes of it."""

    rfc: int
    section: str
    level: str
    rule: str
    status: str
    key: str = ""
    """The keys of a scenario with which the rule holds, if that is no default."""
    code: str = ""
    """A file, and perhaps `::` and a name in it."""
    tests: tuple[str, ...] = ()
    """Files, each with `::` and a function."""
    why: str = ""


def rules() -> list[Rule]:
    """Return all statements, in the order of the file."""
    tables = tomllib.loads((ROOT / "docs" / "coverage.toml").read_text())["rule"]
    return [Rule(**{**table, "tests": tuple(table.get("tests", ()))}) for table in tables]


def citations() -> dict[tuple[int, str], set[Path]]:
    """Return the sources that cite a section, by RFC and section."""
    found = defaultdict(set)
    for pattern in ("crates/*/src/**/*.rs", "crates/*/tests/**/*.rs", "python/**/*.py"):
        for path in ROOT.glob(pattern):
            text = CONTINUATION.sub(" ", path.read_text())
            for rfc, section in CITATION.findall(text):
                found[int(rfc), section.rstrip(".")].add(path)
    return found


def without_rule() -> set[tuple[int, str]]:
    """Return the sections of these RFCs that are cited and, with their parts, have no statement."""
    known = {(each.rfc, each.section) for each in rules()}
    return {
        (rfc, section)
        for rfc, section in citations()
        if rfc in TITLES
        and not any(of == rfc and f"{each}.".startswith(f"{section}.") for of, each in known)
    }


def sections() -> Iterator[str]:
    """Yield a section for each RFC, in MyST Markdown."""
    cited = citations()
    for rfc, title in TITLES.items():
        those = [each for each in rules() if each.rfc == rfc]
        yield f"## RFC {rfc}: {title}"
        yield counts(those)
        rows = ["| section | level | rule | evenair | tests and remarks |", "|---|---|---|---|---|"]
        rows += [_row(each) for each in those]
        yield "\n".join(rows)
        of_rfc = sorted((section for of, section in cited if of == rfc), key=_in_order)
        files = ", ".join(f"{section} ({len(cited[rfc, section])})" for section in of_rfc)
        yield f"Sections that the sources cite, with the number of files: {files}."


def counts(those: list[Rule]) -> str:
    """Say how many of the statements are in which state."""
    number = Counter(_state(each) for each in those)
    states = ("implemented and tested", "implemented without a test", "left out", "not applicable")
    return ", ".join(f"{number[state]} {state}" for state in states) + "."


def _in_order(section: str) -> list[str]:
    return [part.zfill(3) for part in section.split(".")]


def _state(rule: Rule) -> str:
    if rule.status in ("implemented", "key"):
        return "implemented and tested" if rule.tests else "implemented without a test"
    return rule.status.replace("-", " ")


def _row(rule: Rule) -> str:
    keys = ", ".join(f"`{key}`" for key in rule.key.split(", "))
    status = f"with {keys}" if rule.key else rule.status.replace("-", " ")
    code = f" (`{Path(rule.code.partition('::')[0]).name}`)" if rule.code else ""
    tests = ", ".join(f"`{test.partition('::')[2]}`" for test in rule.tests)
    remarks = ". ".join(filter(None, [tests, rule.why]))
    cells = (rule.section, rule.level, rule.rule, status + code, remarks)
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


class Coverage(SphinxDirective):
    """`rfc-coverage`: the sections of all RFCs."""

    def run(self) -> list[Node]:
        """Return the sections."""
        return self.parse_text_to_nodes("\n\n".join(sections()), allow_section_headings=True)


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directive."""
    app.add_directive("rfc-coverage", Coverage)
    return {"parallel_read_safe": True}
