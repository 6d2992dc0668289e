"""Commands and code of the page on components in Python."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import evenair as ea
import pytest
from evenair_command import ROOT
from prototype_support import fingerprint, load, measured, output_of, registered  # noqa: F401 (a fixture)

if TYPE_CHECKING:
    from pathlib import Path

    from evenair_command import Evenair


PAGE = (ROOT / "docs" / "prototypes.md").read_text()


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.S | re.M)


@pytest.fixture
def files(tmp_path: Path) -> Path:
    for text in blocks("python"):
        if name := re.match(r"# (\w+\.py)\n", text):
            (tmp_path / name[1]).write_text(text)
    return tmp_path


def test_the_commands_of_the_page(evenair: Evenair, files: Path) -> None:
    commands = [line for block in blocks("sh") for line in block.splitlines()]
    assert len(commands) == 5
    for command in commands:
        done = evenair(*shlex.split(command)[1:])
        assert (done.returncode, done.stderr) == (0, ""), done.stderr
    assert (
        "acks = 10: acknowledgements that may wait"
        in evenair("parts", "queue", "--plugin", "ack_cap.py").stdout
    )


def test_the_code_of_the_page(files: Path) -> None:
    (code,) = (text for text in blocks("python") if not text.startswith("# "))
    (files / "script.py").write_text(code)
    done = output_of(files / "script.py")
    # `cargo test --doc -p evenair-sim` compares it with that of the class in Rust.
    (recorded,) = re.findall(r'result\.fingerprint, "(\w+)"', PAGE)
    assert done.strip() == recorded


def test_general_aimd_of_the_page_is_newreno(files: Path) -> None:
    load(files / "gaimd.py")
    base = ea.load("gong2006").with_(duration="10 s")
    gaimd = {"kind": "gaimd", "a": 1, "b": 0.5}
    same, other = (
        ea.run(base.with_(station__1__flows__0__transport=kind)) for kind in (gaimd, "gaimd")
    )
    assert fingerprint(same) == fingerprint(ea.run(base)) != fingerprint(other)


def test_the_rate_control_of_the_page_changes_the_rate(files: Path) -> None:
    load(files / "cautious.py")
    channel = {"kind": "snr", "snr_db": 12}
    flows = [{"direction": "up"}]
    station = {"rate_control": "cautious", "channel": channel, "flows": flows}
    result = ea.run(ea.Scenario(duration=2, cell={"phy": "802.11a"}, station=[station]))
    rates = measured(result)["stations"][0]["data_rates"]
    assert len(json.dumps(rates)) > 20
