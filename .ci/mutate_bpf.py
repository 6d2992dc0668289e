"""Test the tests of the policer's BPF programs on a random sample of mutants of their C.

    .ci/mutate_bpf.py --sample 10 [--seed 1] [--list]

A mutant has one operator or constant changed. The file is changed in place and restored at the end;
`make mutants CRATE=bpf` has the command. The tests are those of crates/evenair-fuzz, which call the
programs as functions, and those of crates/evenaird that have the kernel run them (as root).
"""

from __future__ import annotations

import argparse
import os
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
SOURCES = [
    ROOT / "crates/evenaird/bpf" / name for name in ("limiter.bpf.c", "exempt.h", "packet.h")
]
OPERATORS = {
    **{" + ": " - ", " - ": " + ", " * ": " / ", " / ": " * ", "(size - 1)": "(size)"},
    **{" << ": " >> ", " >> ": " << ", " & ": " | ", " | ": " & ", " += ": " -= ", " -= ": " += "},
    **{" < ": " <= ", " <= ": " < ", " > ": " >= ", " >= ": " > ", " == ": " != ", " != ": " == "},
    **{" && ": " || ", " || ": " && ", "|= ": "&= ", "++": "--", "!": ""},
}
OPERATOR = re.compile("|".join(map(re.escape, sorted(OPERATORS, key=len, reverse=True))))
NUMBER = re.compile(r"(?<![\w.])(?:0x[0-9a-fA-F]+|\d+)(?:U?LL)?(?![\w.])")
NOT_CODE = re.compile(
    r"//.*|^\s*#include.*|\"[^\"]*\"|__attribute__\(\(.*?\)\)|__builtin_\w+", re.M
)
CARGO = [
    "cargo",
    "test",
    "--locked",
    "--workspace",
    "--lib",
    "--test",
    "replay",
    "--test",
    "policer",
]
"""With the features that all crates together have, so that no library is built anew."""
BUILD = [*CARGO, "--no-run"]
TESTS = [*CARGO, "--quiet", "--", "data_path::program", "stored_inputs", "charged", "ways", "repl"]
"""Names of tests, or parts of them."""


class Mutant(NamedTuple):
    """A change of a source."""

    path: Path
    start: int
    end: int
    new: str

    def text(self) -> str:
        """Return the changed source."""
        old = self.path.read_text()
        return old[: self.start] + self.new + old[self.end :]

    def __str__(self) -> str:
        old = self.path.read_text()
        line = old.count("\n", 0, self.start) + 1
        code = old.splitlines()[line - 1].strip()
        what = f"{old[self.start : self.end].strip()!r} -> {self.new.strip()!r}"
        return f"{self.path.name}:{line}: {what} in {code}"


def mutants() -> list[Mutant]:
    """Return every mutant."""
    found = []
    for path in SOURCES:
        # Comments and the like are blank, so that places stay.
        code = NOT_CODE.sub(lambda match: " " * len(match[0]), path.read_text())
        for match in OPERATOR.finditer(code):
            found.append(Mutant(path, *match.span(), OPERATORS[match[0]]))
        for match in NUMBER.finditer(code):
            digits = re.sub("[UL]+$", "", match[0])
            suffix = match[0][len(digits) :]
            found.append(Mutant(path, *match.span(), f"{int(digits, 0) + 1}{suffix}"))
    return found


def outcome() -> str:
    """Return what the tests say of the sources as they are."""
    if subprocess.run(BUILD, cwd=ROOT, capture_output=True).returncode:
        return "unviable"
    try:
        if subprocess.run(TESTS, cwd=ROOT, capture_output=True, timeout=600).returncode:
            return "caught"
    except subprocess.TimeoutExpired:
        return "caught: it takes too long"
    return "MISSED"


def main(sample: int, seed: int) -> int:
    """Return the exit status: 0 if every viable mutant of the sample was caught."""
    every = mutants()
    print(f"{len(every)} mutants, seed {seed}", flush=True)
    if outcome() != "MISSED":
        print("the tests fail without a mutant", file=sys.stderr)
        return 2
    # What fails because of a mutant is no regression.
    os.environ["PROPTEST_DISABLE_FAILURE_PERSISTENCE"] = "1"
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    missed = 0
    for mutant in random.Random(seed).sample(every, min(sample, len(every))):
        original, begin, name = mutant.path.read_text(), time.monotonic(), str(mutant)
        try:
            mutant.path.write_text(mutant.text())
            result = outcome()
        finally:
            mutant.path.write_text(original)
        missed += result == "MISSED"
        print(f"{result}: {name} ({time.monotonic() - begin:.0f} s)", flush=True)
    return 1 if missed else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("--sample", type=int, default=10)
    parser.add_argument("--seed", type=int, default=random.getrandbits(31))
    parser.add_argument("--list", action="store_true", help="print all mutants, and end")
    known = parser.parse_args()
    if known.list:
        print("\n".join(map(str, mutants())))
    else:
        sys.exit(main(known.sample, known.seed))
