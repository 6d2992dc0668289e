"""Every snippet of README and documentation does what it should, or says why it is not run.

An HTML comment before a block, `<!-- not run: REASON -->`, excludes it; `<!-- no snippet is run:
REASON -->` at the top of a page excludes all. Of the others

- `toml` is a valid scenario, after a missing station or table header is added;
- `python` runs, and `EXPRESSION  # 0.123...` has the value of the comment;
- `rust` is compiled by rustdoc, on the pages that the crate includes;
- `sh` consists of `evenair` commands, which run in the order of the page and in one folder. Sweeps
  simulate a second. Papers and commands with sudo, which take long, run on the page of the command
  line; on the others their arguments are parsed.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import textwrap
import tomllib
from typing import TYPE_CHECKING, NamedTuple

import pytest
from evenair import Scenario
from evenair.cli import program
from evenair_command import ROOT

if TYPE_CHECKING:
    from pathlib import Path

    from evenair_command import Evenair

README = ROOT / "README.md"
COMMAND_LINE = ROOT / "docs" / "command-line.md"
CAMPAIGNS = ROOT / "docs" / "campaigns.md"
TUNE = ROOT / "docs" / "tune.md"
PAGES = [
    README,
    ROOT / "CONTRIBUTING.md",
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "validation").rglob("*.md")),
    *sorted((ROOT / "benchmarks").glob("*.md")),
]
LANGUAGES = {"sh", "toml", "python", "rust"}
BUSY = re.compile(r"not to be trusted|: began at [\d.]+ s instead|building the font cache")
"""What is said on standard error on a busy machine."""
COMMAND = re.compile(r"(?:sudo )?(?:\.venv/bin/)?evenair ")


class Snippet(NamedTuple):
    language: str
    text: str
    reason: str | None
    """Why it is not run."""


def snippets(page: Path) -> list[Snippet]:
    """The fenced blocks of a page, but plain text and cells of notebooks."""
    fence = r"^( *)```([a-z]+)\n(.*?)^ *```"
    found = []
    text = page.read_text()
    whole_page = re.match(r"<!-- no snippet is run: (\S[^>]*) -->\n", text)
    for block in re.finditer(fence, text, re.S | re.M):
        before = whole_page or re.search(r"<!-- not run: (\S[^>]*) -->\s*\Z", text[: block.start()])
        content = textwrap.dedent(block[3])
        found.append(Snippet(block[2], content, before and before[1]))
    return [snippet for snippet in found if snippet.language != "text"]


def run(page: Path, language: str) -> list[str]:
    return [s.text for s in snippets(page) if s.language == language and s.reason is None]


def lines(shell: str) -> list[str]:
    """The commands of a block, without comments and continuations."""
    joined = (line.strip() for line in shell.replace("\\\n", " ").splitlines())
    return [line for line in joined if line and not line.startswith("#")]


def commands(page: Path) -> list[str]:
    return [line for shell in run(page, "sh") for line in lines(shell)]


def words(command: str) -> list[str]:
    """What follows `evenair` in a command."""
    return shlex.split(COMMAND.sub("", command, count=1), comments=True)


def having(language: str) -> list[Path]:
    return [page for page in PAGES if run(page, language)]


def name(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_each_snippet_is_checked_or_says_why_not(page: Path) -> None:
    for snippet in snippets(page):
        assert snippet.language in LANGUAGES
        if snippet.language == "sh" and snippet.reason is None:
            for line in lines(snippet.text):
                assert COMMAND.match(line), f"{line}: no command of evenair"
        if snippet.language == "rust" and snippet.reason is None:
            included = (ROOT / "crates/evenair-core/src/lib.rs").read_text()
            assert f'include_str!("../../../{name(page)}")' in included


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, marks=pytest.mark.long)
        if page in (COMMAND_LINE, CAMPAIGNS, TUNE)
        else page
        for page in having("sh")
    ],
    ids=name,
)
def test_commands(evenair: Evenair, evenair_here: Evenair, tmp_path: Path, page: Path) -> None:
    run_command = evenair if page in (README, COMMAND_LINE) else evenair_here
    for scenario in run(page, "toml"):
        (tmp_path / "cell.toml").write_text(scenario)
    for command in commands(page):
        arguments = words(command)
        sudo = command.startswith("sudo")
        if sudo and (os.geteuid() != 0 or not shutil.which("iperf3")):
            continue
        if (sudo or arguments[0] == "paper") and page != COMMAND_LINE:
            program.parser().parse_args(arguments)
            continue
        # A whole paper takes minutes, and has a test of its own.
        if arguments[0] == "paper" and "--quick" not in arguments:
            arguments.append("--quick")
        if arguments[0] == "sweep" and "--until" not in arguments:  # which needs long runs
            arguments += ["--set", "duration=1"]
        done = run_command(*arguments)
        # A tested claim that fails is status 1, and no failure of the command; so is a test-bed on
        # a busy machine.
        accepted = (0, 1) if sudo or arguments[0] == "paper" else (0,)
        assert done.returncode in accepted, done.stderr
        said = [
            line
            for line in done.stderr.splitlines()
            # What a page compares may be queues with the same limit.
            if not BUSY.search(line) and not re.search(r"queue\.limit stays \d+ packets with", line)
        ]
        assert said == []


def test_every_command_is_shown(evenair: Evenair) -> None:
    listed = re.search(r"^commands:\n(.*?)^$", evenair("--help").stdout, re.S | re.M)
    assert listed
    names = set(re.findall(r"^    ([a-z]+)\b", listed[1], re.M))
    shown = [
        s.text for page in (README, COMMAND_LINE) for s in snippets(page) if s.language == "sh"
    ]
    assert names == {
        words(line)[0] for text in shown for line in lines(text) if COMMAND.match(line)
    }


@pytest.mark.parametrize("page", having("toml"), ids=name)
def test_scenarios(page: Path) -> None:
    for text in run(page, "toml"):
        keys = tomllib.loads(text)
        if "flows" in keys:
            keys = {"station": [keys]}
        keys.setdefault("station", [{"flows": [{"direction": "down"}]}])
        assert Scenario(**keys).resolved["station"]


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, marks=pytest.mark.long) if page == CAMPAIGNS else page
        for page in having("python")
    ],
    ids=name,
)
def test_python(tmp_path: Path, page: Path) -> None:
    """The blocks of a page are one program."""
    code = "\n".join(run(page, "python"))
    checks = [
        f"assert repr({expression}).startswith({prefix!r}), {expression}"
        for expression, prefix in re.findall(
            r"^(\S.*?) +# ([\d.]+|Estimate\(mean=[\d.]+)\.\.\.", code, re.M
        )
    ]
    assert len(checks) == code.count("..."), "a value that is not compared"
    done = subprocess.run(
        [sys.executable, "-c", "\n".join([code, *checks])],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert done.returncode == 0, done.stderr
