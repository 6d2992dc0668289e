"""The documentation of the Python names speaks only of what its readers have."""

from __future__ import annotations

import inspect
import re
from typing import TYPE_CHECKING, Any

import evenair as ea
import pytest
from evenair import controllers, models, papers

if TYPE_CHECKING:
    from collections.abc import Iterator

# Folders of the repository, private modules, and functions that are not public.
INTERNAL = re.compile(r"\b(docs|crates|tests|validation)/|\.md\b|\b_core\b|\._\w|\brun_jobs\b")


def public(module: Any) -> Iterator[tuple[str, Any]]:
    yield module.__name__, module
    for name in module.__all__ if hasattr(module, "__all__") else ("rebuild", "folder", "describe"):
        value = getattr(module, name)
        yield f"{module.__name__}.{name}", value
        if inspect.isclass(value):
            for member, content in sorted(vars(value).items()):
                if not member.startswith("_"):
                    yield f"{module.__name__}.{name}.{member}", content


DOCUMENTED = {
    name: value
    for module in (ea, models, controllers, papers)
    for name, value in public(module)
    if not isinstance(value, str | int | float | tuple | list)
}


def test_internal_names_are_recognised() -> None:
    for text in ("see docs/models.md", "of `evenair._core.Phy`", "see run_jobs", "README.md"):
        assert INTERNAL.search(text), text


@pytest.mark.parametrize("name", DOCUMENTED)
def test_no_docstring_cites_what_a_user_cannot_see(name: str) -> None:
    text = inspect.getdoc(DOCUMENTED[name])
    assert not INTERNAL.search(text or "")
    if callable(DOCUMENTED[name]) or isinstance(DOCUMENTED[name], property):
        assert text
