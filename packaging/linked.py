"""What a package of the workspace is linked with on this host, as cargo knows it."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent


class Linked(NamedTuple):
    """A package of the workspace, with all that it needs at run time."""

    root: str
    """The id of the package itself."""
    packages: dict[str, dict[str, Any]]
    """Packages of `cargo metadata` by id, the one itself and others of the workspace included."""
    edges: dict[str, list[str]]
    """What each of them is linked with directly."""
    workspace: set[str]
    """The ids of the packages of the workspace."""


def linked(name: str) -> Linked:
    """Return what a package of the workspace is linked with."""
    version = subprocess.check_output([os.environ.get("RUSTC", "rustc"), "-vV"], text=True)
    host = next(line[6:] for line in version.splitlines() if line.startswith("host: "))
    command = [os.environ.get("CARGO", "cargo"), "metadata", "--locked", "--format-version=1"]
    command += ["--filter-platform", host]
    metadata = json.loads(subprocess.check_output(command, cwd=ROOT))
    packages = {package["id"]: package for package in metadata["packages"]}
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    [root] = [key for key in metadata["workspace_members"] if packages[key]["name"] == name]
    edges: dict[str, list[str]] = {}
    left = [root]
    while left:
        key = left.pop()
        if key in edges:
            continue
        # Procedural macros and build scripts run during the build; they are not linked.
        edges[key] = [
            dependency["pkg"]
            for dependency in nodes[key]["deps"]
            if any(kind["kind"] is None for kind in dependency["dep_kinds"])
            and not any("proc-macro" in t["kind"] for t in packages[dependency["pkg"]]["targets"])
        ]
        left += edges[key]
    found = {key: packages[key] for key in edges}
    return Linked(root, found, edges, set(metadata["workspace_members"]))
