"""The check of import circles finds those of Rust and TypeScript, and no others."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def circles() -> Any:
    spec = importlib.util.spec_from_file_location("circles", ROOT / ".ci" / "circles.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (
            {"a.rs": "use crate::b::B;\npub struct A(B);", "b.rs": "use super::a::A;"},
            {"a.rs", "b.rs"},
        ),
        # A group, a path in an expression, and a module that is imported as a whole.
        (
            {
                "a.rs": "use crate::{c, b::{B, Other as O}};\nc::f(O);",
                "b.rs": "",
                "c.rs": "crate::a::g()",
            },
            {"a.rs", "c.rs"},
        ),
        # A name that lib.rs hands on belongs to b.rs.
        ({"a.rs": "use crate::B;", "b.rs": "pub struct B;\nuse crate::a::A;"}, {"a.rs", "b.rs"}),
        # Handing on is no import, nor is a comment, a text, or a test.
        (
            {"a.rs": "use crate::b::B;", "b.rs": '// crate::a::A\nconst S: &str = "crate::a::A";'},
            set(),
        ),
        (
            {"a.rs": "use crate::b::B;", "b.rs": "#[cfg(test)]\nmod tests { use crate::a::A; }"},
            set(),
        ),
        ({"a.rs": "use crate::b::B;", "b.rs": "use std::fmt;"}, set()),
        # Marks of strings and comments within each other.
        (
            {
                "a.rs": 'const Q: char = \'"\'; // "\nconst U: &str = "//x";\nuse crate::b::B;',
                "b.rs": "use crate::a::Q;",
            },
            {"a.rs", "b.rs"},
        ),
        # A file that is no module of the crate.
        ({"a.rs": "use crate::d::D;", "b.rs": "", "d.rs": "use crate::a::A;"}, set()),
    ],
)
def test_rust(circles: Any, tmp_path: Path, files: dict[str, str], expected: set[str]) -> None:
    lib = "mod a;\nmod b;\nmod c;\npub use b::B;\n"
    source = write(tmp_path, {"lib.rs": lib, "c.rs": "", **files})
    found = circles.circle(circles.Crate(source).imports())
    assert {path.name for path in found} == expected


def test_typescript(circles: Any, tmp_path: Path) -> None:
    files = {
        "app/a.ts": 'import { b } from "../panel/b.tsx";',
        "panel/b.tsx": 'import type { C } from "./c";',
        "panel/c.ts": 'const c = await import("../app/d");',
        "app/d.ts": "// import '../panel/c'",
    }
    source = write(tmp_path, files)
    pairs = set(circles.of_typescript(source))
    assert len(pairs) == 3
    assert circles.circle(pairs) == []
    # Between files there is none, but between the folders.
    entries = circles.circle(circles.between_entries(pairs, source))
    assert {path.name for path in entries} == {"app", "panel"}
