"""Rebuild the figures of docs/today.md, with the data of all cells beside them; print its tables.

    python docs/images/today.py             all: 4800 runs of 25 s, a quarter of an hour or more
    python docs/images/today.py --tables    the tables, from the data that are here

`make pictures` does not run it.
"""

from __future__ import annotations

import csv
import shutil
import sys
import tempfile
from pathlib import Path

from evenair.papers import today
from evenair.papers.claims import number
from evenair.papers.today.questions import QUESTIONS
from evenair.statistics import Estimate

HERE = Path(__file__).parent
PHYS = ("802.11g", "802.11n", "802.11ac", "802.11ax")
SCHEMES = {
    "fifo": "FIFO",
    "las": "LAS",
    "spm-af": "SPM-AF",
    "tab-1": "Tab. 1 as it is",
    "limiter": "the limiter",
    "cot": "COT",
    "fq-codel": "FQ-CoDel",
    "linux": "Linux",
    "linux-limiter": "Linux, and the limiter",
}
CONTROLS = {
    "newreno": "NewReno",
    "westwood": "Westwood+",
    "cubic": "CUBIC",
    "bbr": "BBR",
    "prague": "Prague",
    "tfrc": "TFRC",
}
CASES = {"one": "W* = 1", "d1": "d = 1", "d2": "d = 2", "d4": "d = 4"}

_Rows = dict[tuple[str, ...], dict[str, str]]


def rows(question: str) -> _Rows:
    """Return the data of a question: a row by PHY, control, scheme, stations and case."""
    path = HERE / f"today-{question}.csv"
    with path.open(encoding="utf-8", newline="") as file:
        found = list(csv.DictReader(file))
    keys = ("phy", "control", "scheme", "stations", "case")
    return {tuple(row[key] for key in keys): row for row in found}


def cell(row: dict[str, str], quantity: str) -> str:
    """Return a value with its interval."""
    return number(Estimate(float(row[quantity]), float(row[f"{quantity}_ci95"])))


def by_phy(question: str, quantity: str, lines: dict[str, tuple[str, ...]]) -> list[str]:
    """Return a table: a column for each PHY, a row for each of `lines`.

    A line is control, scheme, stations and case.
    """
    data = rows(question)
    table = [f"| | {' | '.join(PHYS)} |", "|---|" + "---|" * len(PHYS)]
    for name, (control, scheme, stations, case) in lines.items():
        cells = [cell(data[phy, control, scheme, stations, case], quantity) for phy in PHYS]
        table.append(f"| {name} | {' | '.join(cells)} |")
    return table


def in_ax(question: str, names: dict[str, str], lines: dict[str, tuple[str, ...]]) -> list[str]:
    """Return a table of 802.11ax: a column for each quantity, a row for each of `lines`."""
    data = rows(question)
    table = [f"| 802.11ax | {' | '.join(names.values())} |", "|---|" + "---|" * len(names)]
    for name, (control, scheme, stations, case) in lines.items():
        row = data["802.11ax", control, scheme, stations, case]
        table.append(f"| {name} | {' | '.join(cell(row, each) for each in names)} |")
    return table


def _schemes(question: str, control: str, stations: str = "10") -> dict[str, tuple[str, ...]]:
    return {SCHEMES[s]: (control, s, stations, "") for s in QUESTIONS[question].schemes}


def tables() -> dict[str, list[str]]:
    """Return the tables of the page by name, as lines of Markdown."""
    bounds = {"total_mbps": "all flows (Mb/s)", "latency_ms": "a ping waits (ms)"}
    ratio = {"down_over_up": "download / upload"}
    slow = {"slow_airtime": "slow half's airtime"}
    marking = ("fq-codel", "linux")
    found = {}
    for question, control, quantity, first in (
        ("uploads", "cubic", "down_over_up", ratio),
        ("limiter", "cubic", "down_over_up", ratio),
        ("airtime", "tfrc", "slow_airtime", slow),
    ):
        found[f"{question} by PHY"] = by_phy(question, quantity, _schemes(question, control))
        found[f"{question} in ax"] = in_ax(question, bounds, _schemes(question, control))
        others = {
            f"{CONTROLS[name]}, {SCHEMES[scheme]}": (name, scheme, "10", "")
            for name in ("cubic", "bbr", "prague")
            if name != control
            for scheme in (QUESTIONS[question].schemes if name != "prague" else marking)
            if scheme != "tab-1"
        }
        found[f"{question} by control"] = in_ax(question, first | bounds, others)
    windows = {name: ("cubic", "fifo", "10", case) for case, name in CASES.items()}
    found["window by PHY"] = by_phy("window", "total_mbps", windows)
    counts = {
        f"{SCHEMES[scheme]}, {stations} stations": ("cubic", scheme, stations, "d2")
        for scheme in QUESTIONS["window"].schemes
        for stations in ("2", "10", "20")
    }
    found["window by stations"] = by_phy("window", "total_mbps", counts)
    controls = {
        f"{CONTROLS[control]}, {SCHEMES[scheme]}": (control, scheme, "10", "d2")
        for control in ("cubic", "bbr", "prague")
        for scheme in (QUESTIONS["window"].schemes if control != "prague" else marking)
    }
    found["window by control"] = by_phy("window", "total_mbps", controls)
    for case, name in (("none", "none"), ("air", "air"), ("ip-0.001", "after the MAC")):
        kinds = ("newreno", "westwood", "cubic", "bbr")
        lines = {CONTROLS[control]: (control, "fifo", "2", case) for control in kinds}
        found[f"losses {name}"] = by_phy("losses", "total_mbps", lines)
    return found


def main(folder: Path) -> None:
    """Write today-QUESTION.svg and .csv, and today-claims.json, to `folder`."""
    with tempfile.TemporaryDirectory() as temporary:
        report = Path(temporary) / "report"
        today.rebuild(None, False, report)
        copy(report, folder)


def copy(report: Path, folder: Path) -> None:
    """Copy what the page shows from a report."""
    for name in QUESTIONS:
        shutil.copyfile(report / f"{name}.svg", folder / f"today-{name}.svg")
        shutil.copyfile(report / "data" / f"{name}.csv", folder / f"today-{name}.csv")
    shutil.copyfile(report / "claims.json", folder / "today-claims.json")


if __name__ == "__main__":
    if sys.argv[1:] == ["--tables"]:
        for title, lines in tables().items():
            print(f"{title}\n\n" + "\n".join(lines) + "\n")
    else:
        main(HERE)
