"""Check the Rust packages that the locks name: licences, sources, and advisories of RustSec.

    .ci/dependencies.py                    # check
    .ci/dependencies.py --update FOLDER    # store advisories anew, from a clone of RustSec's list

The advisories of the packages by name are stored in advisories.json, since continuous integration
has no download of them. A package that the list was not made for is an error: then --update.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
STORED = Path(__file__).parent / "advisories.json"
LOCKS = [ROOT / "Cargo.lock", ROOT / "fuzz/Cargo.lock"]
REGISTRY = "registry+https://github.com/rust-lang/crates.io-index"

LICENCES = {
    *("0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "BSL-1.0", "CC0-1.0", "ISC", "MIT"),
    *("MIT-0", "NCSA", "Unicode-3.0", "Unlicense", "Zlib", "Apache-2.0 WITH LLVM-exception"),
}
"""Licences that ask for no more than notices, so that evenair is under MIT or Apache 2.0."""

ACCEPTED: dict[str, str] = {}
"""Advisories that do not apply here, with the reason."""

Version = tuple[int, int, int, bool, str]


def version(text: str) -> Version:
    """Return what compares as versions do (semver.org, 11): a pre-release is the smaller one."""
    numbers, _, pre = text.strip().partition("+")[0].partition("-")
    parts = [int(part) for part in numbers.split(".")] + [0, 0]
    return parts[0], parts[1], parts[2], not pre, pre


def satisfies(have: str, requirement: str) -> bool:
    """Whether a version satisfies cargo's requirement."""
    for one in requirement.split(","):
        match = re.fullmatch(r"\s*(>=|<=|>|<|=|\^|~)?\s*([\w.+-]+)\s*", one)
        if not match:
            raise SystemExit(f"{STORED.name}: {requirement!r} is no requirement")
        operator, bound, mine = match[1] or "^", version(match[2]), version(have)
        first = next((i for i, n in enumerate(bound[:2]) if n), 2)  # what ^ may not change
        keep = 2 if operator == "~" else first + 1
        same = mine >= bound and mine[:keep] == bound[:keep]
        fits = {">=": mine >= bound, "<=": mine <= bound, ">": mine > bound, "<": mine < bound}
        if not {**fits, "=": mine == bound, "^": same, "~": same}[operator]:
            return False
    return True


def allowed(expression: str) -> bool:
    """Whether an SPDX expression can be met with the licences above."""
    terms = re.sub(r"\s*/\s*", " OR ", expression)  # an old way to write OR
    terms = re.sub(
        r"[A-Za-z0-9.-]+(?: WITH [A-Za-z0-9.-]+)?",
        lambda name: name[0].lower() if name[0] in ("OR", "AND") else str(name[0] in LICENCES),
        terms,
    )
    return bool(re.fullmatch(r"(?:True|False|or|and|[() ])+", terms)) and bool(eval(terms))


def packages() -> list[dict[str, Any]]:
    """Return the packages of all locks."""
    return [package for lock in LOCKS for package in tomllib.loads(lock.read_text())["package"]]


def update(database: Path) -> None:
    """Store the advisories of every package that is not ours."""
    names = sorted({package["name"] for package in packages() if "source" in package})
    found = {}
    for name in names:
        for path in sorted(database.glob(f"crates/{name}/RUSTSEC-*.md")):
            data = tomllib.loads(path.read_text().split("```toml\n")[1].split("```")[0])
            if "withdrawn" not in data["advisory"]:
                title = re.search(r"^# (.*)", path.read_text(), re.MULTILINE)
                versions = data.get("versions", {})
                fine = versions.get("patched", []) + versions.get("unaffected", [])
                found[path.stem] = {
                    "package": name,
                    "title": title[1] if title else "",
                    "fine": fine,
                }
    git = ["git", "-C", str(database), "log", "-1", "--format=%H %cs"]
    commit, date = subprocess.check_output(git, text=True).split()
    content = {"date": date, "commit": commit, "packages": names, "advisories": found}
    STORED.write_text(json.dumps(content, indent=1) + "\n")


def main() -> int:
    """Return the exit status: 0 if nothing is wrong."""
    stored, problems = json.loads(STORED.read_text()), set()
    for package in packages():
        name, have = package["name"], package["version"]
        if "source" not in package:
            continue
        if package["source"] != REGISTRY:
            problems.add(f"{name} {have}: from {package['source']}; accepted: crates.io")
        if name not in stored["packages"]:
            problems.add(f"{name}: not in {STORED.name}: run .ci/dependencies.py --update")
        for key, one in stored["advisories"].items():
            fine = any(satisfies(have, range_) for range_ in one["fine"])
            if one["package"] == name and not fine and key not in ACCEPTED:
                problems.add(f"{name} {have}: {key}: {one['title']}")
    command = ["cargo", "metadata", "--locked", "--format-version=1", "--manifest-path"]
    for manifest in (lock.with_suffix(".toml") for lock in LOCKS):
        for package in json.loads(subprocess.check_output([*command, manifest]))["packages"]:
            if not allowed(package["license"] or ""):
                problems.add(
                    f"{package['name']}: licence {package['license']!r} is not in the list"
                )
    print("\n".join(sorted(problems)) or "nothing is wrong")
    count = len({package["name"] for package in packages()})
    print(f"{count} Rust packages, {len(stored['advisories'])} advisories of {stored['date']}")
    return 1 if problems else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("--update", metavar="FOLDER", type=Path)
    folder = parser.parse_args().update
    sys.exit(update(folder) if folder else main())
