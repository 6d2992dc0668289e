"""The cells that are measured on the test-bed: three questions in 802.11ac, with real stacks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evenair.papers.beside import SIMULATOR, TESTBED
from evenair.papers.claims import number
from evenair.papers.figures import Beside, Table
from evenair.papers.today.cells import Cell, Effort
from evenair.papers.today.drawing import COLUMNS, PICTURES, sort_key
from evenair.papers.today.quantities import QUANTITIES

if TYPE_CHECKING:
    from evenair.papers.claims import Claim
    from evenair.papers.runs import Runs

CELLS: dict[str, tuple[Cell, ...]] = {
    question: tuple(
        Cell(question, "ac", control, scheme, stations=2)
        for control in ("cubic", "bbr1")
        for scheme in ("fifo", "linux")
    )
    for question in ("uploads", "airtime")
} | {
    "losses": tuple(
        Cell("losses", "ac", control, stations=2, case="ip-0.001")
        for control in ("newreno", "cubic", "bbr1")
    )
}
"""The cells by question. Two stations, as far as the test-bed is in time; kernels have BBR
version 1."""


def evidence(_claim: Claim[Cell], _effort: Effort) -> tuple[str, str]:
    """Return what a verdict of the test-bed is worth."""
    return "post-hoc", "The cells were chosen when the simulator's results were known."


def beside(question: str) -> Beside[Cell, Effort] | None:
    """Return the table of a question with both; None if it is not measured."""
    if question not in CELLS:
        return None

    def table(simulated: Runs[Cell], measured: Runs[Cell], _effort: Effort) -> tuple[None, Table]:
        return None, _table(question, simulated, measured)

    return Beside(
        lambda effort: (
            f"802.11ac, two stations, {effort.duration_s:g} s after {effort.warmup_s:g} s, "
            f"{len(effort.seeds)} runs: {SIMULATOR} / {TESTBED}, 95% intervals."
        ),
        table,
    )


def _table(question: str, simulated: Runs[Cell], measured: Runs[Cell]) -> Table:
    columns = PICTURES[question].columns
    header = ["engine", "control", "scheme"]
    header += [part for name in columns for part in (name, f"{name}_ci95")]
    rows: list[tuple[object, ...]] = []
    printed = []
    for cell in sorted(CELLS[question], key=sort_key):
        both = [
            [runs.estimate(cell, QUANTITIES[name]) for name in columns]
            for runs in (simulated, measured)
        ]
        for engine, values in zip(("sim", "testbed"), both, strict=True):
            parts = (part for value in values for part in value)
            rows.append((engine, cell.control, cell.scheme, *parts))
        pairs = zip(*both, strict=True)
        printed.append(
            [cell.control, cell.scheme, *(f"{number(s)} / {number(b)}" for s, b in pairs)]
        )
    names = ["control", "scheme", *(COLUMNS[name] for name in columns)]
    return Table(tuple(header), rows, (names, printed))
