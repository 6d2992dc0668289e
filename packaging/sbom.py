"""Print the bill of materials of a Rust package, as CycloneDX 1.5, or put it into a wheel.

    packaging/sbom.py evenaird
    packaging/sbom.py evenair-py --wheel FILE    # in place of maturin's, with Python's packages

It has what the package is linked with, the same text in each run: without the time, the serial
number and the folder of the build, which maturin's has. CycloneDX requires none of them.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import json
import re
import zipfile
from pathlib import Path
from typing import Any
from urllib.parse import quote

from linked import linked


def component(package: dict[str, Any]) -> dict[str, Any]:
    """Return a package of cargo as component; its reference is its package URL."""
    url = f"pkg:cargo/{package['name']}@{quote(package['version'])}"
    licence = re.sub(r"\s*/\s*", " OR ", package["license"] or "NOASSERTION")
    row = {
        "type": "library",
        "bom-ref": url,
        "name": package["name"],
        "version": package["version"],
    }
    return {**row, "licenses": [{"expression": licence}], "purl": url}


def materials(name: str) -> dict[str, Any]:
    """Return the bill of a package of the workspace: itself, and what it is linked with here."""
    parts = linked(name)
    components = {key: component(package) for key, package in parts.packages.items()}
    reference = {key: one["bom-ref"] for key, one in components.items()}
    edges = [
        {"ref": reference[key], "dependsOn": sorted({reference[one] for one in parts.edges[key]})}
        for key in sorted(parts.edges, key=reference.__getitem__)
    ]
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": components.pop(parts.root)},
        "components": sorted(components.values(), key=lambda one: str(one["bom-ref"])),
        "dependencies": edges,
    }


def text(bill: dict[str, Any]) -> bytes:
    """Return the bill as JSON."""
    return (json.dumps(bill, indent=1) + "\n").encode()


def digest(content: bytes) -> str:
    """Return the hash that RECORD has of a file (PyPA, "Recording installed projects")."""
    value = base64.urlsafe_b64encode(hashlib.sha256(content).digest())
    return f"sha256={value.rstrip(b'=').decode()},{len(content)}"


def into_wheel(bill: dict[str, Any], wheel: Path) -> None:
    """Replace the bill in a wheel, and its line in RECORD; all else stays, in its order."""
    with zipfile.ZipFile(wheel) as archive:
        files = [(info, archive.read(info)) for info in archive.infolist()]
    named = {info.filename: content for info, content in files}
    [metadata] = [name for name in named if name.endswith(".dist-info/METADATA")]
    needs = re.findall(r"^Requires-Dist: ([\w.-]+)(.*)$", named[metadata].decode(), re.MULTILINE)
    # Python's packages are installed beside it, in a version that the user has.
    bill["components"] += [
        {"type": "library", "bom-ref": f"pkg:pypi/{name}", "name": name, "purl": f"pkg:pypi/{name}"}
        for name, rest in needs
        if "extra ==" not in rest
    ]
    [path] = [name for name in named if "/sboms/" in name]
    content = text(bill)
    row = re.compile(re.escape(path) + ",.*")
    done = wheel.with_suffix(".part")
    with zipfile.ZipFile(done, "w") as archive:
        for info, old in files:
            new = content if info.filename == path else old
            if info.filename.endswith(".dist-info/RECORD"):
                new = row.sub(f"{path},{digest(content)}", old.decode()).encode()
            # Its time is that of maturin: SOURCE_DATE_EPOCH, or 1980.
            archive.writestr(info, new, compress_type=info.compress_type)
    done.replace(wheel)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("package")
    parser.add_argument("--wheel", metavar="FILE", type=Path)
    known = parser.parse_args()
    bill = materials(known.package)
    if known.wheel:
        into_wheel(bill, known.wheel)
    else:
        print(text(bill).decode(), end="")
