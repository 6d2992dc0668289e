"""docs/coverage.toml says of the statements of RFCs what is true of the sources."""

from __future__ import annotations

import json
import re
import sys
from functools import cache
from typing import TYPE_CHECKING

import pytest
from evenair import _core
from evenair_command import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

sys.path.append(str(ROOT / "docs" / "_ext"))
import rfc_coverage

LEVELS = {
    "MUST",
    "MUST NOT",
    "REQUIRED",
    "SHALL",
    "SHOULD",
    "SHOULD NOT",
    "RECOMMENDED",
    "NOT RECOMMENDED",
    "MAY",
    "algorithm",
}
RULES = rfc_coverage.rules()


@cache
def text_of(path: str) -> str:
    return (ROOT / path).read_text()


def has(path: str, pattern: str) -> bool:
    return re.search(pattern, text_of(path)) is not None


@cache
def keys() -> set[str]:
    """The keys of scenarios, and the parameters of components."""

    def properties(schema: object) -> Iterator[str]:
        if isinstance(schema, dict):
            yield from schema.get("properties", ())
            for each in schema.values():
                yield from properties(each)

    parameters = (each["parameters"] for each in json.loads(_core.parts()))
    return {
        *properties(json.loads(_core.schema())),
        *(each["name"] for those in parameters for each in those),
    }


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: f"{rule.rfc}-{rule.section}-{rule.level}")
def test_a_statement_is_true_of_the_sources(rule: rfc_coverage.Rule) -> None:
    assert rule.rfc in rfc_coverage.TITLES
    assert re.fullmatch(r"(\d+|[A-Z])(\.\d+)*", rule.section)
    assert rule.level in LEVELS
    assert rule.rule.endswith(".")
    path, _, name = rule.code.partition("::")
    if rule.status in ("implemented", "key"):
        assert path
    else:
        assert rule.status in ("left-out", "not-applicable")
        assert rule.why
        assert not rule.tests
    assert (rule.status == "key") == bool(rule.key)
    assert not rule.key or set(rule.key.split(", ")) <= keys()
    if path:
        assert has(path, rf"\b{re.escape(name)}\b"), rule.code
    for test in rule.tests:
        path, _, name = test.partition("::")
        assert has(path, rf"#\[test\]\n\s*fn {name}\(|^def {name}\("), test


def test_cited_sections_have_a_statement() -> None:
    """Those that the sources cite, of the RFCs that are here."""
    assert len({rfc for rfc, _ in rfc_coverage.citations()} & set(rfc_coverage.TITLES)) == 5
    assert rfc_coverage.without_rule() == set()


def test_a_citation_may_continue_on_the_next_line() -> None:
    """As that of CoDel's rule for several queues does."""
    citing = rfc_coverage.citations()[8289, "4.4"]
    assert ROOT / "crates" / "evenair-core" / "src" / "queue" / "codel.rs" in citing


def test_each_rfc_has_its_section_and_counts() -> None:
    page = "\n\n".join(rfc_coverage.sections())
    assert re.findall(r"^## RFC (\d+)", page, re.M) == ["6298", "8289", "8290", "9332", "9438"]
    found = re.findall(r"^(\d+) impl.*, (\d+) impl.*, (\d+) left out, (\d+) not", page, re.M)
    assert sum(int(number) for counts in found for number in counts) == len(RULES)
    assert page.count("\n| ") == len(RULES) + len(rfc_coverage.TITLES)
