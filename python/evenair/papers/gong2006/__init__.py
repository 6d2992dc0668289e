"""Gong, Wu and Williamson (2006): queue management for fair TCP in an 802.11 cell, rebuilt."""

from __future__ import annotations

import json
import shlex
from functools import partial
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from evenair.papers import report, runs
from evenair.papers.claims import Claim, Verdict, judge, load_claims, number
from evenair.papers.gong2006 import figures as figures_module
from evenair.papers.gong2006.cells import BUFFER, FULL, QUICK, Cell, Effort
from evenair.papers.gong2006.published import AUTHORS, TABLE_1, TITLE
from evenair.papers.gong2006.quantities import read_term
from evenair.papers.output import staged, write_csv
from evenair.papers.style import save, styled
from evenair.statistics import Estimate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from evenair.papers.gong2006.drawing import Table
    from evenair.papers.gong2006.figures import FigureSpec

    Progress = Callable[[int, int], None]
    Simulate = Callable[[list[Cell], Effort, Progress | None], runs.Runs[Cell]]


def describe() -> str:
    """Return what the paper is and the ids of what can be rebuilt."""
    ids = ", ".join(spec.id for spec in figures_module.FIGURES)
    return f"{TITLE}\n  {AUTHORS}\n  --figure: {ids}"


def claims(effort: Effort = FULL) -> list[Claim[Cell]]:
    """Return the paper's claims, to be measured on the grid of `effort`."""
    text = (files(__name__) / "claims.toml").read_text(encoding="utf-8")
    return load_claims(text, partial(read_term, effort))


def simulate(cells: list[Cell], effort: Effort, progress: Progress | None) -> runs.Runs[Cell]:
    """Simulate cells of the built-in scenario `gong2006`."""
    from evenair.scenario import load

    base = load("gong2006")
    return runs.simulate(cells, effort.seeds, lambda cell: cell.scenario(base, effort), progress)


def rebuild(
    figures: list[str] | None,
    quick: bool,
    out: Path,
    progress: Progress | None = None,
    *,
    simulate: Simulate = simulate,
) -> int:
    """Rebuild the paper, see `evenair.papers.rebuild`. `simulate` can be replaced for tests."""
    specs = figures_module.chosen(figures)
    effort = QUICK if quick else FULL
    with staged(out) as folder:
        cells = {cell for spec in specs for cell in spec.cells(effort)}
        results = simulate(sorted(cells, key=_cost), effort, progress)
        verdicts = judge(claims(effort), results)
        sections = _write_figures(specs, results, effort, folder)
        _write_claims(verdicts, folder)
        heading = _heading(results, effort, _command(figures, quick, out))
        text = report.html(heading, sections, verdicts)
        (folder / "report.html").write_text(text, encoding="utf-8")
    return 0 if all(verdict.holds for verdict in verdicts) else 1


def _cost(cell: Cell) -> tuple[int, str, int]:
    """Order runs from the largest cell to the smallest: long ones at the end would run alone."""
    return (-(cell.up + cell.down), cell.scheme, cell.limit)


def _write_figures(
    specs: Iterable[FigureSpec], results: runs.Runs[Cell], effort: Effort, folder: Path
) -> list[report.Section]:
    (folder / "data").mkdir()
    sections = []
    for spec in specs:
        figure, table = spec.draw(results, effort)
        svg, printed = None, None
        if figure is None:
            write_csv(folder / f"{spec.stem}.csv", table.header, table.rows)
            printed = _printed(table)
        else:
            with styled():
                svg = save(figure, folder, spec.stem)
            write_csv(folder / "data" / f"{spec.stem}.csv", table.header, table.rows)
        name = spec.title if figure is None else f"Figure {spec.id}: {spec.title}"
        sections.append(report.Section(spec.id, name, spec.caption, svg, printed))
    return sections


def _printed(table: Table) -> tuple[Sequence[str], list[Sequence[str]]]:
    """Lay Table I out for the report, totals below."""
    header = ("Flow", "Tail, published", "Tail, ours", "Head, published", "Head, ours")
    rows: list[Sequence[str]] = []
    ours = [0.0, 0.0]
    for row in table.rows:
        flow, direction, tail_published, tail, tail_ci, head_published, head, head_ci = row
        values = [Estimate(*_floats(pair)) for pair in ((tail, tail_ci), (head, head_ci))]
        ours = [total + value.mean for total, value in zip(ours, values, strict=True)]
        rows.append(
            (
                f"{flow} ({direction}stream)",
                f"{tail_published:.2f}",
                number(values[0]),
                f"{head_published:.2f}",
                number(values[1]),
            )
        )
    published = [sum(column) for column in TABLE_1.values()]
    rows.append(
        ("All", f"{published[0]:.2f}", f"{ours[0]:.2f}", f"{published[1]:.2f}", f"{ours[1]:.2f}")
    )
    return header, rows


def _floats(pair: tuple[Any, Any]) -> tuple[float, float | None]:
    mean, ci95 = pair
    return float(mean), None if ci95 is None else float(ci95)


def _write_claims(verdicts: Sequence[Verdict[Cell]], folder: Path) -> None:
    entries = [verdict.as_json() for verdict in verdicts]
    text = json.dumps(entries, indent=2, ensure_ascii=False, allow_nan=False)
    (folder / "claims.json").write_text(text + "\n", encoding="utf-8")
    rows = (
        (verdict.claim.id, verdict.claim.unit, index, value)
        for verdict in verdicts
        for index, value in enumerate(verdict.per_seed, start=1)
    )
    write_csv(folder / "data" / "claims.csv", ("claim", "unit", "seed", "measured"), rows)


def _heading(results: runs.Runs[Cell], effort: Effort, command: str) -> report.Heading:
    documents = results.documents
    example = documents.get((Cell("droptail", BUFFER), effort.seeds[0]))
    if example is None:
        example = next(iter(documents.values()))
    seeds = f"{effort.seeds[0]} to {effort.seeds[-1]}"
    facts = {
        "Command": command,
        "evenair": str(example["version"]),
        "Scenario": "gong2006 (built in)",
        "Runs": f"{len(documents)}: {len(results.points)} configurations, seeds {seeds}",
        "Simulated time": f"{effort.duration_s:g} s each",
        "Buffers": ", ".join(map(str, effort.buffers)) + " packets",
        "Throughput": "goodput: payload acknowledged, headers not counted",
    }
    scenario = json.dumps(example["scenario"], indent=2, ensure_ascii=False)
    return report.Heading(TITLE, AUTHORS, facts, scenario, effort.quick)


def _command(figures: list[str] | None, quick: bool, out: Path) -> str:
    words = ["evenair", "paper", "gong2006"]
    for name in figures or []:
        words += ["--figure", name]
    if quick:
        words.append("--quick")
    return shlex.join([*words, "--out", str(out)])
