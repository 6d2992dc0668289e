"""No regular expression of the package or of the lab's page takes more than linear time."""

from __future__ import annotations

import ast
import contextlib
import importlib
import re
import time
from typing import TYPE_CHECKING, NamedTuple

import pytest
from evenair.lab.gateway import parse
from evenair_command import ROOT
from regular_expressions import slow

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PACKAGE = ROOT / "python" / "evenair"
PAGE = ROOT / "lab" / "src"
TRIED_ONCE = ("fullmatch", "match")
FUNCTIONS = (*TRIED_ONCE, "compile", "findall", "finditer", "search", "split", "sub", "subn")


class Use(NamedTuple):
    """A regular expression and how it is used."""

    where: str
    pattern: str
    flags: int
    usage: str


def module(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def calls(tree: ast.AST) -> Iterator[tuple[str, str, ast.Call]]:
    """The calls NAME.METHOD(...)."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            yield ast.unparse(node.func.value), node.func.attr, node


def usage(methods: set[str]) -> str:
    """The slowest of some methods."""
    if methods <= {"fullmatch"}:
        return "fullmatch"
    return "match" if methods <= set(TRIED_ONCE) else "search"


def uses_of(path: Path) -> Iterator[Use]:
    """The expressions of a Python file: those with names, and those that functions are given."""
    tree = ast.parse(path.read_text())
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and "re.compile(" in ast.unparse(node.value):
            names |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    for name in sorted(names):  # the same order in each program of pytest
        methods = {method for of, method, _ in calls(tree) if of == name}
        value = getattr(importlib.import_module(module(path)), name)
        compiled = [value] if isinstance(value, re.Pattern) else [each[0] for each in value]
        for each in compiled:
            # Of expressions in a list it is not known how they are used.
            known = usage(methods) if methods else "search"
            yield Use(f"{path.name}: {name}", each.pattern, each.flags, known)
    for of, method, call in calls(tree):
        if of == "re" and method in FUNCTIONS and method != "compile":
            pattern = ast.literal_eval(call.args[0])
            text = ast.unparse(call)
            flags = sum(getattr(re, flag) for flag in set(re.findall(r"\bre\.([A-Z]+)", text)))
            yield Use(f"{path.name}:{call.lineno}", pattern, flags, usage({method}))


def python_uses() -> list[Use]:
    paths = [path for path in PACKAGE.rglob("*.py") if "re." in path.read_text()]
    return [use for path in sorted(paths) for use in uses_of(path)]


# After these a slash begins an expression: it is no division, no comment, and no end of a tag.
BEFORE = r"(?:[(,=:\[!&|?]|=>|return)\s?"
LITERAL = re.compile(BEFORE + r"/(?![/*>])((?:\\.|\[(?:\\.|[^\]\\])*\]|[^/\[\\])+)/([a-z]*)")


def page_uses() -> list[Use]:
    found = []
    for path in sorted(PAGE.rglob("*.ts*")):
        for number, line in enumerate(path.read_text().split("\n"), 1):
            for match in LITERAL.finditer(line.partition(" // ")[0]):
                flags = sum(getattr(re, flag.upper()) for flag in match[2] if flag in "ims")
                # In Python, "[" in a set is escaped.
                pattern = re.sub(r"(?<!\\)\[\[", r"[\\[", match[1])
                found.append(Use(f"{path.name}:{number}", pattern, flags, "search"))
    return found


PYTHON, SCRIPTS = python_uses(), page_uses()


@pytest.mark.parametrize("use", PYTHON + SCRIPTS, ids=lambda use: use.where)
def test_it_takes_linear_time(use: Use) -> None:
    assert slow(use.pattern, use.flags, usage=use.usage) is None


def test_all_expressions_are_found() -> None:
    """A call that is not understood would be an error above; here, one that is overlooked."""
    for path in PACKAGE.rglob("*.py"):
        tree = ast.parse(path.read_text())
        made = sum(of == "re" and method in FUNCTIONS for of, method, _ in calls(tree))
        found = len({use.pattern for use in PYTHON if use.where.startswith(f"{path.name}:")})
        assert made <= found, path
        assert not any(
            isinstance(node, ast.ImportFrom) and node.module == "re" for node in ast.walk(tree)
        )
    assert not [p for p in PAGE.rglob("*.ts*") if "new RegExp(" in p.read_text()]


@pytest.mark.parametrize(
    ("pattern", "usage"),
    [
        (r"(a+)+b", "fullmatch"),
        (r"(a|a)*b", "match"),
        (r"(a|b|ab)*c", "match"),
        (r"a*a*b", "match"),
        (r".*,.*,.*x", "match"),
        (r"\s*#.*|\s+$", "search"),
        (r"\d+x", "search"),
        (r"<style>.*?</style>", "search"),
        # Those of evenair that were slow.
        (r'([a-z_][a-z0-9_]*)="((?:[^"\\]|\\.)*)"', "search"),
        (r"([+-]?\d+|-)(\.\d+)?(?: ± (\d+)(\.\d+)?)?(.*)", "fullmatch"),
    ],
)
def test_a_slow_one_is_noticed(pattern: str, usage: str) -> None:
    assert slow(pattern, usage=usage) is not None


@pytest.mark.parametrize(
    ("pattern", "usage"),
    [
        (r"a*b*c", "match"),
        (r"(a|ab)*c", "match"),
        (r"[a-z]+(-[a-z]+)*", "fullmatch"),
        (r'"[^"\\]*(?:\\.[^"\\]*)*"', "match"),
        (r"a++a*b", "match"),
        (r"^ *x", "search"),
        (r"\S+", "search"),
    ],
)
def test_a_linear_one_is_accepted(pattern: str, usage: str) -> None:
    assert slow(pattern, usage=usage) is None


N = 1_000_000


@pytest.mark.parametrize(
    "text",
    [
        "a{" + "a" * N,
        "a{" + "a" * N + "} 1\n# EOF\n",
        "a" * N,
        'a{a="' + '\\"' * (N // 2),
        "a{" + 'a="",' * (N // 5),
        "a{" + 'a="",' * (N // 5) + 'a=""} 1\n# EOF\n',
        "a 1\n" * (N // 4),
        "a " + " " * N,
        "\n" * N,
    ],
    ids=lambda text: repr(text[:8]),
)
def test_metrics_of_a_hostile_endpoint_are_read_in_linear_time(text: str) -> None:
    """The largest answer takes 0.3 s at most; in quadratic time it would take hours."""
    began = time.process_time()
    with contextlib.suppress(ValueError):
        parse(text)
    assert time.process_time() - began < 5
