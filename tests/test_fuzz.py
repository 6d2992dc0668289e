"""What `make fuzz` runs."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest

ROOT = Path(__file__).parent.parent


def test_it_knows_each_property(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    spec = importlib.util.spec_from_file_location("fuzz", ROOT / ".ci/fuzz.py")
    assert spec
    assert spec.loader
    fuzz = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(fuzz)
    for crate in (ROOT / "crates").iterdir():
        files = [path for path in crate.rglob("*.rs") if "config!(" in path.read_text()]
        names = set(fuzz.properties(crate))
        for path in files:
            # The disciplines of aqm.rs have a file each, and lib.rs defines the macro.
            tests = set(re.findall(r"fn (\w+)\(", path.read_text()))
            assert tests & names or path.stem in ("aqm", "lib"), path
