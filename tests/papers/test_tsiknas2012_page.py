"""The page of tsiknas2012: its tables agree with the claims file and with each other."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from evenair.papers.claims import OUTCOMES, Verdict, requirement
from evenair.papers.sentences import sentences
from evenair.papers.tsiknas2012 import claims
from evenair.papers.tsiknas2012.wimax import Wimax

if TYPE_CHECKING:
    from evenair.papers.claims import Claim

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "papers" / "tsiknas2012.md").read_text(encoding="utf-8")
SETS = (4, 6)
"""The columns of the outcomes on either set, in tables of claims."""


def table(header: str, text: str = PAGE) -> list[list[str]]:
    """Return the cells of all tables whose first line starts with `header`."""
    lines = text.split("\n")
    found = []
    for start, line in enumerate(lines):
        if line.startswith(header):
            for row in lines[start + 2 :]:
                if not row.startswith("|"):
                    break
                found.append([cell.strip() for cell in row.strip("|").split("|")])
    return found


LISTED = {row[0].strip("`"): row for row in table("| claim | evidence |")}
"""The claims that do not hold on one of the sets."""


def medium(claim: Claim[Any]) -> str:
    """Return the medium of a claim, as the page calls it."""
    return "WiMAX" if all(isinstance(point, Wimax) for point in claim.points) else "WLAN"


def verdicts(column: int) -> list[Verdict[Any]]:
    """Return the page's verdicts on a set: claims that it does not list hold."""
    return [
        Verdict(
            replace(claim, explanation=""),
            (),
            None,
            LISTED[claim.id][column] if claim.id in LISTED else "holds",
            "",
        )
        for claim in claims()
    ]


def test_listed_claims_are_those_of_the_file() -> None:
    by_id = {claim.id: claim for claim in claims()}
    for name, row in LISTED.items():
        assert row[1] == by_id[name].evidence, name
        assert row[2] == requirement(by_id[name]).replace("percentage points", "points"), name
        assert {row[column] for column in SETS} <= set(OUTCOMES), name
        assert {row[column] for column in SETS} != {"holds"}, name


def counts(found: list[tuple[Any, ...]], key: tuple[Any, ...]) -> list[int]:
    """Return how many hold, fail and are undecided of those with a key."""
    tally = Counter(found)
    return [tally[(*key, outcome)] for outcome in ("holds", "fails", "undecided")]


@pytest.mark.parametrize(("index", "column"), list(enumerate(SETS)))
def test_counts_of_claims(index: int, column: int) -> None:
    found = [(medium(v.claim), v.claim.evidence, v.outcome) for v in verdicts(column)]
    printed = table("| medium | evidence |")
    assert {(row[0], row[1]) for row in printed} == {key[:2] for key in found}
    for row in printed:
        numbers = list(map(int, row[3 + 3 * index : 6 + 3 * index]))
        assert numbers == counts(found, (row[0], row[1])), row
        assert sum(numbers) == int(row[2])


@pytest.mark.parametrize(("index", "column"), list(enumerate(SETS)))
def test_counts_of_sentences(index: int, column: int) -> None:
    found = [(sentence.evidence, sentence.outcome) for sentence in sentences(verdicts(column))]
    printed = table("| evidence | sentences |")
    assert {row[0] for row in printed} == {evidence for evidence, _ in found}
    for row in printed:
        numbers = list(map(int, row[2 + 3 * index : 5 + 3 * index]))
        assert numbers == counts(found, (row[0],)), row
        assert sum(numbers) == int(row[1])


def test_the_page_on_validation_has_the_same_counts() -> None:
    text = (DOCS / "validation.md").read_text(encoding="utf-8")
    printed = {(row[0], row[1]): row for row in table("| medium | evidence |")}
    rows = [
        row for row in table("| paper | test |", text) if row[0].endswith((", WiMAX", ", WLAN"))
    ]
    assert len(rows) == 2
    for row in rows:
        name = row[0].rpartition(", ")[2]
        for kind, cell in zip(("test", "calibrated", "post-hoc", "sanity"), row[1:5], strict=True):
            if (name, kind) not in printed:
                assert cell == "-"
                continue
            _, _, of, hold, fail, undecided, *_ = printed[name, kind]
            brackets = "" if fail == undecided == "0" else f" ({fail}, {undecided})"
            assert cell == f"{hold} of {of}{brackets}"


@pytest.mark.parametrize(("index", "name"), [(0, "Tsiknas"), (1, "variants of TCP/Linux")])
def test_the_page_on_validation_has_the_same_sentences(index: int, name: str) -> None:
    text = (DOCS / "validation.md").read_text(encoding="utf-8")
    after = text.partition("The same by published sentence")[2]
    (row,) = (row for row in table("| paper | test |", after) if name in row[0])
    for found, cell in zip(table("| evidence | sentences |"), row[1:5], strict=True):
        hold, fail, undecided = found[2 + 3 * index : 5 + 3 * index]
        brackets = "" if fail == undecided == "0" else f" ({fail}, {undecided})"
        assert cell == f"{hold} of {found[1]}{brackets}"
