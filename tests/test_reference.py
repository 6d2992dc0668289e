"""The reference of the documentation site has words for every command, key and component.

Without building the site, which takes minutes.
"""

from __future__ import annotations

import json
import sys
from importlib import import_module

import pytest
from evenair import _core
from evenair_command import ROOT

sys.path.append(str(ROOT / "docs" / "_ext"))
evenair_reference = import_module("evenair_reference")

SCHEMA = json.loads(_core.schema())


@pytest.mark.parametrize("page", evenair_reference.PAGES)
def test_a_page_has_text(page: str) -> None:
    text = "\n\n".join(evenair_reference.PAGES[page]())
    assert "::::" in text
    assert "Accepts ." not in text


def test_each_table_of_a_scenario_has_a_section() -> None:
    described = {name for _, name, _ in evenair_reference.TABLES}
    tables = {name for name, value in SCHEMA["$defs"].items() if "properties" in value}
    assert len(tables) > 9
    assert tables - described == set()
    assert described - tables == {"Scenario"}
