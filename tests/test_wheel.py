"""The wheel that `make` builds: its tag, and an installation without Rust and the sources."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from typing import TYPE_CHECKING

import pytest
from evenair_command import ROOT

if TYPE_CHECKING:
    from pathlib import Path

# `make test` tries the sources, and builds no wheel.
pytestmark = pytest.mark.long


@pytest.fixture
def wheel() -> Path:
    found = list((ROOT / "target" / "wheels").glob("evenair-*.whl"))
    if not found and not os.environ.get("CI"):
        pytest.skip("no wheel in target/wheels")
    [one] = found
    return one


def test_the_tag_promises_the_glibc_that_is_needed(wheel: Path, tmp_path: Path) -> None:
    """PEP 600: manylinux_2_34 needs no symbols of a glibc after 2.34."""
    tag = re.search(r"-cp311-abi3-\S*manylinux_2_(\d+)_", wheel.name)
    assert tag, wheel.name
    objdump = shutil.which("objdump")
    if objdump is None:
        pytest.skip("without objdump")
    with zipfile.ZipFile(wheel) as archive:
        module = archive.extract("evenair/_core.abi3.so", tmp_path)
    symbols = subprocess.run([objdump, "-T", module], capture_output=True, text=True, check=True)
    needed = [int(minor) for minor in re.findall(r"\bGLIBC_2\.(\d+)", symbols.stdout)]
    assert needed
    assert max(needed) <= int(tag[1])


def test_it_lists_what_it_is_linked_with(wheel: Path, tmp_path: Path) -> None:
    """PEP 770; the versions are those of Cargo.lock. A release's has no trace of its build."""
    copy = tmp_path / wheel.name
    shutil.copy(wheel, copy)
    script = [sys.executable, ROOT / "packaging/sbom.py", "evenair-py", "--wheel", copy]
    subprocess.run(script, check=True)
    lock = tomllib.loads((ROOT / "Cargo.lock").read_text())["package"]
    locked = {(package["name"], package["version"]) for package in lock}
    for path in (wheel, copy):
        with zipfile.ZipFile(path) as archive:
            [name] = [name for name in archive.namelist() if ".dist-info/sboms/" in name]
            content = archive.read(name)
            record = archive.read(f"{name.split('/')[0]}/RECORD").decode()
        components = json.loads(content)["components"]
        linked = {(one["name"], one.get("version")) for one in components}
        assert {"evenair-core", "evenair-sim", "pyo3", "serde"} <= {name for name, _ in linked}
        assert {row for row in linked if row[1]} <= locked
        hashed = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")
        assert f"{name},sha256={hashed},{len(content)}\n" in record
    assert {"numpy", "pyarrow", "matplotlib", "rich"} <= {name for name, _ in linked}
    assert str(ROOT).encode() not in content
    assert json.loads(content).keys().isdisjoint({"serialNumber"})


def test_it_needs_no_rust(wheel: Path, tmp_path: Path) -> None:
    """From an empty environment to the first picture; pip downloads what is not in its cache."""
    programs = tmp_path / "venv" / "bin"
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PYTHON", "CARGO", "RUST", "VIRTUAL_ENV"))
    }
    environment["PATH"] = str(programs)

    def run(*command: str | Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=240
        )

    assert run(sys.executable, "-m", "venv", "venv").returncode == 0
    options = ("--only-binary", ":all:", "--no-compile")  # compiled as they are imported
    installed = run(programs / "pip", "install", *options, wheel)
    if installed.returncode and not os.environ.get("CI"):
        pytest.skip("pip cannot install what the wheel needs")
    assert installed.returncode == 0, installed.stderr
    assert shutil.which("cargo", path=environment["PATH"]) is None
    done = run(programs / "evenair", "run", "gong2006", "--json", "--plot", "gong2006.png")
    assert done.returncode == 0, done.stderr
    assert len(json.loads(done.stdout)["flows"]) == 10
    assert (tmp_path / "gong2006.png").read_bytes().startswith(b"\x89PNG")
