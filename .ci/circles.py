"""Look for circles of imports: between files, and between the entries of a folder.

    python .ci/circles.py

It reads the crates (Rust) and lab/src (TypeScript) as text; import-linter checks Python. A name
that a module hands on (`pub use`) belongs to the file that defines it. Tests do not count. Status
1 if there is a circle.
"""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

ROOT = Path(__file__).resolve().parent.parent

Module = tuple[str, ...]
"""A path below a crate: ("queue", "codel")."""

COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
# In one pass: a comment may have a quotation mark, and a string two slashes.
NO_CODE = re.compile(
    COMMENT.pattern + r"""|b?r(#+)".*?"\1|b?r?"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)'""",
    re.DOTALL,
)
TEST = re.compile(
    r"#\[cfg\((?:all\()?test\b[^\]]*\]\s*(?:#\[[^\]]*\]\s*)*(?:pub(?:\([^)]*\))?\s+)?"
)
USE = re.compile(r"\b(pub(?:\([^)]*\))?\s+)?use\s+([^;]+);")
PATH = re.compile(r"(?<![\w:])((?:crate|super|self)(?:\s*::\s*\w+)+)")
IMPORT = re.compile(r"""(?:\bfrom|\bimport)\s*\(?\s*["'](\.[^"']*)["']""")


def without_tests(text: str) -> str:
    """The text without comments, strings, and what is compiled for tests alone."""
    text = NO_CODE.sub(" ", text)
    while found := TEST.search(text):
        end, depth = found.end(), 0
        while end < len(text) and not (depth == 0 and text[end] == ";"):
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
            if depth == 0 and text[end - 1] == "}":
                break
        text = text[: found.start()] + text[end + 1 :]
    return text


def expanded(tree: str) -> Iterator[tuple[Module, str]]:
    """The paths of a `use`, each with the name that it has in the file ("*" for all)."""
    tree = tree.strip()
    brace = tree.find("{")
    if brace < 0:
        path, _, name = tree.partition(" as ")
        parts = tuple(part.strip() for part in path.split("::"))
        if parts[-1] == "self":
            parts = parts[:-1]
        yield parts, name.strip() or parts[-1]
        return
    depth, start = 0, brace + 1
    for end in range(brace, tree.rindex("}") + 1):
        depth += {"{": 1, "}": -1}.get(tree[end], 0)
        if (tree[end] == "," and depth == 1) or depth == 0:
            if item := tree[start:end].strip():
                yield from expanded(tree[:brace] + item)
            start = end + 1


class Crate:
    """The modules of a crate, and what each imports of the others."""

    def __init__(self, source: Path) -> None:
        self.files: dict[Module, Path] = {}
        library = (source / "lib.rs").exists()
        for path in sorted(source.rglob("*.rs")):
            if path == source / "main.rs" and library:
                continue  # a crate of its own
            parts = path.relative_to(source).with_suffix("").parts
            self.files[parts[:-1] if parts[-1] in ("mod", "lib", "main") else parts] = path
        self.texts = {
            module: without_tests(path.read_text()) for module, path in self.files.items()
        }
        reached: set[Module] = {()} if () in self.files else set()
        for module in sorted(self.files, key=len):
            declared = self.texts.get(module[:-1], "")
            if module[:-1] in reached and re.search(
                rf"\bmod {module[-1:][0] if module else ''}\s*;", declared
            ):
                reached.add(module)
        self.files = {module: path for module, path in self.files.items() if module in reached}
        self.named: dict[Module, dict[str, Module]] = defaultdict(dict)
        self.all_of: dict[Module, list[Module]] = defaultdict(list)
        for module in self.files:
            for _, tree in USE.findall(self.texts[module]):
                for parts, name in expanded(tree):
                    absolute = self.absolute(module, parts)
                    if absolute is None:
                        continue
                    if name == "*":
                        self.all_of[module].append(absolute[:-1])
                    else:
                        self.named[module][name] = absolute

    def absolute(self, module: Module, path: Module) -> Module | None:
        """A path from the root of the crate; None for another crate's."""
        if path[0] == "crate":
            return path[1:]
        if path[0] in ("self", "super"):
            place = module
            for at, part in enumerate(path):
                if part == "super":
                    place = place[:-1]
                elif part != "self":
                    return place + path[at:]
            return place
        return module + path if (*module, path[0]) in self.files else None

    def file_of(self, path: Module, seen: frozenset[Module] = frozenset()) -> Module:
        """The module that defines what a path names: names that are handed on are followed."""
        module = path
        while module not in self.files:
            module = module[:-1]
        rest = path[len(module) :]
        if not rest or path in seen:
            return module
        seen |= {path}
        if (target := self.named[module].get(rest[0])) is not None and target != path:
            return self.file_of(target + rest[1:], seen)
        if not re.search(
            rf"\b(?:fn|struct|enum|trait|type|const|static|mod|union|macro_rules!)\s+{rest[0]}\b",
            self.texts[module],
        ):
            for place in self.all_of[module]:
                found = self.file_of(place + rest, seen)
                if found != place or re.search(rf"\b{rest[0]}\b", self.texts[found]):
                    return found
        return module

    def imports(self) -> Iterator[tuple[Path, Path]]:
        """The pairs of files of which the first names something of the second."""
        for module, path in self.files.items():
            text = self.texts[module]
            body = USE.sub("", text)
            named = set()
            for public, tree in USE.findall(text):
                for parts, name in expanded(tree):
                    absolute = self.absolute(module, parts)
                    # What a module hands on to others it does not use itself, unless it names it.
                    if absolute is None or (
                        public and not re.search(rf"\b{re.escape(name)}\b", body)
                    ):
                        continue
                    if absolute in self.files:
                        named |= {
                            (*absolute, item) for item in re.findall(rf"\b{name}::(\w+)", body)
                        }
                    else:
                        named.add(absolute)
            for found in PATH.findall(body):
                absolute = self.absolute(module, tuple(re.split(r"\s*::\s*", found)))
                if absolute:
                    named.add(absolute)
            for child in self.files:
                if len(child) == len(module) + 1 and child[:-1] == module:
                    named |= {
                        (*child, item)
                        for item in re.findall(rf"(?<![\w:]){child[-1]}::(\w+)", body)
                    }
            for target in named:
                if (other := self.file_of(target)) != module:
                    yield path, self.files[other]


def of_typescript(source: Path) -> Iterator[tuple[Path, Path]]:
    """The pairs of files of which the first imports the second."""
    for path in sorted([*source.rglob("*.ts"), *source.rglob("*.tsx")]):
        for name in IMPORT.findall(COMMENT.sub("", path.read_text())):
            target = (path.parent / name).resolve()
            for candidate in (
                target,
                target.with_name(target.name + ".ts"),
                target.with_name(target.name + ".tsx"),
                target / "index.ts",
            ):
                if candidate.suffix in (".ts", ".tsx") and candidate.is_file():
                    yield path, candidate
                    break


def circle(pairs: Iterable[tuple[Path, Path]]) -> list[Path]:
    """Return a circle, which begins and ends with the same node; nothing if there is none."""
    graph: dict[Path, set[Path]] = defaultdict(set)
    for start, end in sorted(pairs):
        graph[end].add(start)
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def between_entries(pairs: set[tuple[Path, Path]], folder: Path) -> set[tuple[Path, Path]]:
    """Return the pairs of entries of a folder; an entry has what is below it."""
    inside = [pair for pair in pairs if all(path.is_relative_to(folder) for path in pair)]
    entries = {
        tuple(folder / path.relative_to(folder).parts[0] for path in pair) for pair in inside
    }
    return {(start, end) for start, end in entries if start != end}


def main() -> int:
    """Print a circle between files, and one between the entries of each folder."""
    status = 0
    for source in (*sorted(ROOT.glob("crates/*/src")), ROOT / "lab/src"):
        pairs = set(
            of_typescript(source) if source.parent.name == "lab" else Crate(source).imports()
        )
        folders = sorted({path.parent for pair in pairs for path in pair} | {source})
        found = [circle(pairs)]
        found += [circle(between_entries(pairs, folder)) for folder in folders]
        for path in filter(None, found):
            print(
                "circle of imports:", *(str(each.relative_to(ROOT)) for each in path), sep="\n    "
            )
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
