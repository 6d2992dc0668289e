"""Look for inputs that fail, for some time, other ones in each run. `make fuzz` has the command.

- Property tests in Rust (proptest) and Python (hypothesis), in rounds, each with a new seed.
  proptest stores what fails in `proptest-regressions`; hypothesis prints it, to be added to the
  test as `@example`: its database forgets an example when the test's source changes.
- The targets of crates/evenair-fuzz by libFuzzer, whose new inputs go to target/fuzz. What fails is
  stored in `fuzz/corpus`.

What is stored is tried in each `make test`, and belongs into the repository. As many jobs run at a
time as there are processors; each has the same time.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).parent.parent
OUTPUT = ROOT / "target/fuzz"
"""Outputs of what failed, and libFuzzer's growing corpora."""

COVERAGE = [
    *("-Cpasses=sancov-module", "-Cllvm-args=-sanitizer-coverage-level=4"),
    *("-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",),
    *("-Cllvm-args=-sanitizer-coverage-pc-table", "-Cllvm-args=-sanitizer-coverage-trace-compares"),
]
"""What cargo-fuzz passes to rustc; stable compilers have it, too, but no AddressSanitizer."""

LIMITS = ["-timeout=10", "-rss_limit_mb=2048", "-max_len=4096", "-print_final_stats=1"]
"""No input may take longer than 10 s, on a busy machine, or more memory than 2 GiB."""

BLOCK = re.compile(r"^( *)proptest! \{\n(.*?)^\1\}", re.MULTILINE | re.DOTALL)
TEST = re.compile(r"^( *)#\[test\]\n *fn (\w+)\(\) \{\n(.*?)^\1\}", re.MULTILINE | re.DOTALL)
PROPERTY = re.compile(r"\bproptest!|\bTestRunner::new\b|\bfuzz\(\"|\bcheck_\w+\(Kind")
"""In the body of a property test, if `proptest!` is not around it."""


def properties(folder: Path) -> list[str]:
    """Return the names of the property tests of a crate, from its sources."""
    names = []
    for path in sorted(folder.rglob("*.rs")):
        text = path.read_text()
        for block in BLOCK.finditer(text):
            names += re.findall(r"\n *fn (\w+)\(", block[2])
        names += [test[2] for test in TEST.finditer(text) if PROPERTY.search(test[3])]
    return names


def tell(line: str) -> None:
    """Print a line in one piece: jobs beside each other do."""
    print(f"{line}\n", end="", flush=True)


def build() -> list[tuple[str, Path]]:
    """Build the tests in Rust; return each program, and the folder of its crate."""
    command = ["cargo", "test", "--workspace", "--locked", "--no-run"]
    done = subprocess.run(
        [*command, "--message-format=json-render-diagnostics"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    if done.returncode:
        raise SystemExit(done.returncode)
    messages = [json.loads(line) for line in done.stdout.splitlines()]
    return [
        (message["executable"], Path(message["manifest_path"]).parent)
        for message in messages
        if message.get("executable") and message["profile"]["test"]
    ]


def keep(name: str, output: str) -> str:
    """Write the output of a failure, and return what to say of it."""
    OUTPUT.mkdir(parents=True, exist_ok=True)
    path = OUTPUT / f"{name}.txt"
    path.write_text(output)
    return f"FAILED: {name}, see {path.relative_to(ROOT)}"


def rust(programs: list[tuple[str, Path]], end: float) -> list[str]:
    """Run the property tests in Rust until `end`; return what failed."""
    failures, rounds, left = [], 0, []
    for program, folder in programs:
        names = set(properties(folder))
        lines = subprocess.check_output([program, "--list", "--format=terse"], text=True)
        tests = [line.removesuffix(": test") for line in lines.splitlines()]
        tests = [test for test in tests if test.rpartition("::")[2] in names]
        if tests:
            left.append((program, folder, tests))
    count = sum(len(tests) for *_, tests in left)
    while left and time.time() < end:
        seed = str(random.getrandbits(63))
        rounds += 1
        for row in list(left):
            program, folder, tests = row
            if time.time() > end:
                break
            done = subprocess.run(
                [program, "--exact", *tests],
                cwd=folder,
                env={**os.environ, "CARGO_MANIFEST_DIR": str(folder), "PROPTEST_RNG_SEED": seed},
                capture_output=True,
                text=True,
            )
            if done.returncode:
                failures.append(keep(f"{Path(program).name}-{seed}", done.stdout + done.stderr))
                left.remove(row)
    tell(f"{count} property tests in Rust: {rounds} rounds, {len(failures)} programs failed")
    return failures


def python(end: float) -> list[str]:
    """Run the property tests in Python until `end`; return what failed."""
    rounds = 0
    while time.time() < end:
        seed = random.getrandbits(31)
        rounds += 1
        command = [sys.executable, "-m", "pytest", "-q", "-m", "hypothesis and not real_time"]
        options = ["--hypothesis-profile=fuzz", f"--hypothesis-seed={seed}", "--timeout=0"]
        done = subprocess.run([*command, *options], cwd=ROOT, capture_output=True, text=True)
        if done.returncode:
            return [keep(f"pytest-{seed}", done.stdout + done.stderr)]
    tell(f"property tests in Python: {rounds} rounds, none failed")
    return []


def fuzzer() -> str:
    """Build the program with libFuzzer, and return its path."""
    host = subprocess.check_output(["rustc", "-vV"], text=True)
    target = host.split("host: ")[1].splitlines()[0]
    environment = {
        **os.environ,
        "RUSTFLAGS": " ".join(["--cfg fuzzing", *COVERAGE]),
        # Of the policer, which is C.
        "CFLAGS": "-fsanitize-coverage=inline-8bit-counters,pc-table,trace-cmp",
        "CC": "clang",
        "CXX": "clang++",
    }
    # With a target, flags are not for build scripts.
    subprocess.run(
        ["cargo", "build", "--release", "--locked", "--target", target],
        cwd=ROOT / "fuzz",
        env={**environment, "CARGO_TARGET_DIR": str(OUTPUT / "build")},
        check=True,
    )
    return str(OUTPUT / "build" / target / "release/evenair-libfuzzer")


def libfuzzer(program: str, target: str, end: float) -> list[str]:
    """Run a target until `end`; return what failed."""
    corpus, stored = OUTPUT / "corpus" / target, ROOT / "fuzz/corpus" / target
    corpus.mkdir(parents=True, exist_ok=True)
    seconds = max(1, round(end - time.time()))
    options = [f"-max_total_time={seconds}", f"-artifact_prefix={stored}/", *LIMITS]
    done = subprocess.run(
        [program, *options, str(corpus), str(stored)],
        env={**os.environ, "EVENAIR_FUZZ_TARGET": target},
        capture_output=True,
        text=True,
        errors="replace",
    )
    runs = re.search(r"number_of_executed_units: (\d+)", done.stderr)
    covered = re.findall(r"cov: (\d+)", done.stderr)
    figures = f"{runs[1] if runs else '?'} inputs, {covered[-1] if covered else '?'} places reached"
    tell(f"{target}: {figures} in {seconds} s{', FAILED' if done.returncode else ''}")
    return [keep(target, done.stderr)] if done.returncode else []


def main(seconds: float, only: list[str]) -> int:
    """Return the exit status: 0 if nothing failed."""
    targets = sorted(path.name for path in (ROOT / "fuzz/corpus").iterdir())
    parts = only or ["rust", "python", *targets]
    programs = build() if "rust" in parts else []
    program = fuzzer() if set(parts) & set(targets) else ""
    at_a_time = min(len(parts), os.cpu_count() or 1)
    share = seconds * at_a_time / len(parts)

    def run(part: str) -> list[str]:
        end = time.time() + share
        if part == "rust" and programs:
            return rust(programs, end)
        return python(end) if part == "python" else libfuzzer(program, part, end)

    tell(f"{len(parts)} jobs, {at_a_time} at a time, {share:.0f} s each")
    with ThreadPoolExecutor(at_a_time) as pool:
        failures = [failure for job in pool.map(run, parts) for failure in job]
    print("\n".join(failures) or "nothing failed")
    return 1 if failures else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("--seconds", type=float, default=3600, help="for all (default: 3600)")
    parser.add_argument("only", nargs="*", help="rust, python, or targets (default: all)")
    known = parser.parse_args()
    sys.exit(main(known.seconds, known.only))
