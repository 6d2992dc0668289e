"""What tests of the lab need."""

from __future__ import annotations

import os

import pytest


def missing(what: str) -> None:
    """Skip the test, except in continuous integration, where nothing may be missing."""
    if os.environ.get("CI") == "true":
        pytest.fail(what)
    pytest.skip(what)
