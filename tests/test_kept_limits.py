"""A queue whose kind is changed keeps its limit, and commands say so."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from evenair_command import Evenair

SHORT = ("gong2006", "--set", "duration=1")
SWEEP = ("sweep", *SHORT, "--runs", "1", "--out", "x.parquet")
FQ = "cell.queue.limit stays 60 packets with fq-codel (Linux: 10240 packets)"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        # The file has droptail with a limit of 60. Linux's limits: RFC 8290, 5.2.3, and tc-pie(8).
        (("run", *SHORT, "--set", "cell.queue.kind=fq-codel"), FQ),
        (("run", *SHORT, "--set", "cell.queue=fq-codel"), FQ),
        (("run", *SHORT, "--against", "cell.queue.kind=fq-codel"), FQ),
        ((*SWEEP, "--vary", "cell.queue.kind=droptail,fq-codel"), FQ),
        (
            (*SWEEP, "--vary", "cell.queue.kind=droptail,fq-codel,pie"),
            f"{FQ} and pie (Linux: 1000 packets)",
        ),
        # A queue that the file does not have: the default of all kinds is 1000 at a station.
        (
            ("run", *SHORT, "--set", "station.0.queue.kind=fq-codel"),
            "station.0.queue.limit stays 1000 packets with fq-codel (Linux: 10240 packets)",
        ),
    ],
)
def test_a_limit_that_stays_is_told_in_one_line(
    evenair_here: Evenair, arguments: tuple[str, ...], said: str
) -> None:
    done = evenair_here(*arguments)
    assert done.returncode == 0
    assert done.stderr == f"evenair: {said}; set it to change that\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ("--set", "cell.queue.kind=fq-codel", "--quiet"),
        ("--set", "cell.queue.kind=fq-codel", "--set", "cell.queue.limit=60"),
        ("--set", "cell.queue={ kind = 'fq-codel', limit = 60 }"),
        ("--set", "cell.queue.kind=las"),  # Linux has no such discipline
        ("--set", "station.0.queue.kind=pie"),  # 1000, as in Linux
        (),
    ],
)
def test_nothing_is_said_where_the_limit_is_meant(
    evenair_here: Evenair, arguments: tuple[str, ...]
) -> None:
    done = evenair_here("run", *SHORT, *arguments)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_limit_that_is_told_is_that_of_the_run(evenair_here: Evenair) -> None:
    done = evenair_here("run", *SHORT, "--set", "cell.queue.kind=fq-codel", "--json")
    assert json.loads(done.stdout)["scenario"]["cell"]["queue"]["limit"] == 60
    assert FQ in done.stderr


def test_a_wrong_kind_is_refused_without_a_remark(evenair_here: Evenair) -> None:
    done = evenair_here("run", *SHORT, "--set", "cell.queue.kind=fq-codell")
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "stays" not in done.stderr
