"""The pages of papers: their counts of sentences fit to the claims files and to each other."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from evenair.papers import gong2006, hoiland2017, kashibuchi2009, miorandi2006
from evenair.papers.claims import EVIDENCE

DOCS = Path(__file__).parents[2] / "docs"
OUTCOMES = ("hold", "fail", "undecided")
VALIDATION = (DOCS / "validation.md").read_text(encoding="utf-8")
MODULES = {
    "gong2006": gong2006,
    "hoiland2017": hoiland2017,
    "kashibuchi2009": kashibuchi2009,
    "miorandi2006": miorandi2006,
}


def cells(line: str) -> list[str]:
    """Return the cells of a row."""
    return [cell.strip() for cell in line.strip("|").split("|")]


def evidence_of_sentences(module: Any) -> Counter[str]:
    """Return how many sentences have an evidence: the weakest of their claims'."""
    weakest: dict[str, int] = {}
    for claim in module.claims():
        name = claim.sentence or claim.id
        weakest[name] = max(weakest.get(name, 0), EVIDENCE.index(claim.evidence))
    return Counter(EVIDENCE[index] for index in weakest.values())


def printed(table: str) -> dict[str, list[int]]:
    """Return how many hold, fail and are undecided by evidence; each row adds up to its total."""
    head, _, *lines = table.strip().split("\n")
    columns = [next(i for i, c in enumerate(cells(head)) if c.startswith(n)) for n in OUTCOMES]
    (total,) = set(range(1, 5)) - set(columns)
    found = {}
    for line in lines:
        row = cells(line)
        found[row[0]] = [int(row[column]) for column in columns]
        assert sum(found[row[0]]) == int(row[total]), line
    return found


@pytest.mark.parametrize("name", list(MODULES))
def test_counts_of_sentences(name: str) -> None:
    page = (DOCS / "papers" / f"{name}.md").read_text(encoding="utf-8")
    after = re.split(r"ublished sentence.*?\n\n", page, maxsplit=1, flags=re.DOTALL)[1]
    table = printed(after.partition("\n\n")[0])
    counted = {evidence: sum(row) for evidence, row in table.items()}
    assert counted == dict(evidence_of_sentences(MODULES[name]))
    (line,) = (
        line
        for line in VALIDATION.partition("The same by published sentence")[2].split("\n")
        if f"papers/{name}.md" in line and line.startswith("|")
    )
    for evidence, cell in zip(EVIDENCE, cells(line)[1:], strict=True):
        if evidence not in table:
            assert cell == "-"
            continue
        hold, fail, undecided = table[evidence]
        brackets = f" ({fail}, {undecided})" if fail or undecided else ""
        assert cell == f"{hold} of {hold + fail + undecided}{brackets}", (name, evidence)
