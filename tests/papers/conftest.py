"""A paper that is rebuilt takes some ten seconds, before the first of the tests that look at it."""

from __future__ import annotations

import pytest

SAMPLE = "test_gong2006.py"
"""What `make test` has of them."""


def pytest_itemcollected(item: pytest.Item) -> None:
    """Tests of a rebuilt paper, and of a row of simulations, are long."""
    fixtures = {"rebuilt", "controlled"}.intersection(getattr(item, "fixturenames", ()))
    if fixtures and item.path.name != SAMPLE:
        item.add_marker(pytest.mark.long)
