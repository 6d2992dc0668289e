"""The checks of dependencies."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from types import ModuleType

ROOT = Path(__file__).parent.parent


def load(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    spec = importlib.util.spec_from_file_location("dependencies", ROOT / ".ci/dependencies.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# The examples of the Cargo Book, "Specifying Dependencies": from, and below which version.
@pytest.mark.parametrize(
    ("requirement", "first", "beyond"),
    [
        ("^1.2.3", "1.2.3", "2.0.0"),
        ("^0.2.3", "0.2.3", "0.3.0"),
        ("^0.0.3", "0.0.3", "0.0.4"),
        ("1.2.3", "1.2.3", "2.0.0"),
        ("~1.2.3", "1.2.3", "1.3.0"),
        (">= 1.2.0, < 1.5.0", "1.2.0", "1.5.0"),
    ],
)
def test_requirements(
    requirement: str, first: str, beyond: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    satisfies = load(monkeypatch).satisfies
    assert satisfies(first, requirement)
    assert not satisfies(beyond, requirement)
    assert not satisfies(f"{first}-rc.1", requirement)


@pytest.mark.parametrize(
    ("expression", "is_allowed"),
    [
        ("MIT OR Apache-2.0", True),
        ("MIT/Apache-2.0", True),
        ("GPL-3.0-only", False),
        ("GPL-3.0-only OR MIT", True),
        ("(MIT OR Apache-2.0) AND Unicode-3.0", True),
        ("MIT AND LGPL-3.0", False),
        ("Apache-2.0 WITH LLVM-exception", True),
        ("GPL-2.0 WITH Classpath-exception-2.0", False),
        ("", False),
    ],
)
def test_licences(expression: str, is_allowed: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    assert load(monkeypatch).allowed(expression) is is_allowed


def test_what_is_wrong_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    dependencies = load(monkeypatch)
    lock = tmp_path / "Cargo.lock"
    rows = [
        ("pyo3", "0.28.1", dependencies.REGISTRY),  # RUSTSEC-2026-0013: fixed in 0.28.2
        ("nobody-knows", "1.0.0", dependencies.REGISTRY),
        ("serde", "1.0.0", "git+https://example.org/serde"),
    ]
    text = "".join(f'[[package]]\nname="{n}"\nversion="{v}"\nsource="{s}"\n' for n, v, s in rows)
    lock.write_text(text)
    monkeypatch.setattr(dependencies, "LOCKS", [lock])
    packages = [{"name": "secret", "license": None}]
    answer = json.dumps({"packages": packages})
    monkeypatch.setattr(dependencies.subprocess, "check_output", lambda _: answer)
    assert dependencies.main() == 1
    output = capsys.readouterr().out
    for part in (
        "pyo3 0.28.1: RUSTSEC-2026-0013",
        "nobody-knows: not in",
        "serde 1.0.0: from git+",
        "secret: licence None",
    ):
        assert part in output
