"""A paper as data, and how it is rebuilt: simulate what its figures show, judge, draw, write."""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

from evenair.papers import report
from evenair.papers.claims import Verdict, judge
from evenair.papers.output import staged, write_csv
from evenair.papers.runs import P, Runs
from evenair.papers.style import save, styled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from matplotlib.figure import Figure

    from evenair.papers.claims import Claim

E = TypeVar("E")
"""A paper's own idea of effort: seeds, durations, the points along its axes."""

Progress: TypeAlias = "Callable[[int, int], None]"
"""Called as progress(done, total) after each run."""

Printed: TypeAlias = "tuple[Sequence[str], list[Sequence[str]]]"
"""Header and rows of a table as the report shows it."""


@dataclass(frozen=True)
class Table:
    """The numbers in a figure, or a table of the paper."""

    header: tuple[str, ...]
    rows: list[tuple[object, ...]]


@dataclass(frozen=True)
class FigureSpec(Generic[P, E]):
    """One figure or table of a paper."""

    id: str
    """What `--figure` takes, and files are called after."""
    title: str
    caption: str
    points: Callable[[E], set[P]]
    """The configurations that it shows."""
    draw: Callable[[Runs[P], E], tuple[Figure | None, Table]]
    """Make the figure (None for a table of the paper) and the numbers in it."""
    printed: Callable[[Table], Printed] | None = None
    """Lay the numbers out for the report: always of a table, of a figure if they are wanted."""

    @property
    def stem(self) -> str:
        """Name of its files, without ending."""
        return self.id if self.id.startswith("table") else f"fig{self.id}"

    @property
    def heading(self) -> str:
        """What the report calls it."""
        return self.title if self.id.startswith("table") else f"Figure {self.id}: {self.title}"


@dataclass(frozen=True)
class Paper(Generic[P, E]):
    """A paper that can be rebuilt."""

    name: str
    """What the command line calls it."""
    title: str
    authors: str
    figures: tuple[FigureSpec[P, E], ...]
    """All figures and tables, in the order of the paper."""
    efforts: tuple[E, E]
    """The full one, and the quick one."""
    claims: Callable[[E], list[Claim[P]]]
    simulate: Callable[[list[P], E, Progress | None], Runs[P]]
    cost: Callable[[P], Any]
    """Sorts points, the longest run first: a long one at the end would run alone."""
    facts: Callable[[Runs[P], E], Mapping[str, str]]
    """How it was made, by name, beyond what the report says of any paper."""
    example: Callable[[Runs[P]], P]
    """The point whose scenario the report shows in full."""
    quick: str
    """What the quick effort leaves out, as a sentence."""
    variations: str
    """What the other scenarios differ in from the one shown, as a sentence."""

    def describe(self) -> str:
        """Return what the paper is and the ids of what can be rebuilt."""
        ids = ", ".join(spec.id for spec in self.figures)
        return f"{self.title}\n  {self.authors}\n  --figure: {ids}"

    def chosen(self, ids: list[str] | None) -> list[FigureSpec[P, E]]:
        """Return the figures of these ids in the paper's order, all of them for None.

        "4b", "fig4b" and "Table1" are all understood. Raises ValueError for an unknown id.
        """
        if ids is None:
            return list(self.figures)
        known = {spec.id.lower(): spec for spec in self.figures}
        accepted = ", ".join(spec.id for spec in self.figures)
        wanted = set()
        for name in ids:
            key = name.strip().lower().removeprefix("figure").removeprefix("fig").lstrip(" .-")
            if key not in known:
                raise ValueError(f"--figure: got {name!r}, expected one of {accepted}")
            wanted.add(known[key].id)
        if not wanted:
            raise ValueError(f"--figure: none given, expected one of {accepted}")
        return [spec for spec in self.figures if spec.id in wanted]

    def rebuild(
        self, figures: list[str] | None, quick: bool, out: Path, progress: Progress | None = None
    ) -> int:
        """Rebuild the paper, see `evenair.papers.rebuild`."""
        specs = self.chosen(figures)
        effort = self.efforts[1] if quick else self.efforts[0]
        with staged(out) as folder:
            points = {point for spec in specs for point in spec.points(effort)}
            results = self.simulate(sorted(points, key=self.cost), effort, progress)
            verdicts = judge(self.claims(effort), results)
            sections = _write_figures(specs, results, effort, folder)
            _write_claims(verdicts, folder)
            heading = self._heading(results, effort, quick, self._command(figures, quick, out))
            text = report.html(heading, sections, verdicts)
            (folder / "report.html").write_text(text, encoding="utf-8")
        return 0 if all(verdict.holds for verdict in verdicts) else 1

    def _heading(self, results: Runs[P], effort: E, quick: bool, command: str) -> report.Heading:
        documents = results.documents
        seeds = f"{results.seeds[0]} to {results.seeds[-1]}"
        runs = f"{len(documents)}: {len(results.points)} configurations, seeds {seeds}"
        facts = {"Command": command}
        scenario = ""
        if documents:
            example = documents[self.example(results), results.seeds[0]]
            scenario = json.dumps(example["scenario"], indent=2, ensure_ascii=False)
            facts["evenair"] = str(example["version"])
        return report.Heading(
            title=self.title,
            authors=self.authors,
            facts={**facts, "Runs": runs, **self.facts(results, effort)},
            scenario=scenario,
            variations=self.variations,
            quick=self.quick if quick else "",
        )

    def _command(self, figures: list[str] | None, quick: bool, out: Path) -> str:
        words = ["evenair", "paper", self.name]
        for name in figures or []:
            words += ["--figure", name]
        if quick:
            words.append("--quick")
        return shlex.join([*words, "--out", str(out)])


def _write_figures(
    specs: Iterable[FigureSpec[P, E]], results: Runs[P], effort: E, folder: Path
) -> list[report.Section]:
    (folder / "data").mkdir()
    sections = []
    for spec in specs:
        figure, table = spec.draw(results, effort)
        svg = None
        if figure is None:
            write_csv(folder / f"{spec.stem}.csv", table.header, table.rows)
        else:
            with styled():
                svg = save(figure, folder, spec.stem)
            write_csv(folder / "data" / f"{spec.stem}.csv", table.header, table.rows)
        printed = None if spec.printed is None else spec.printed(table)
        sections.append(report.Section(spec.id, spec.heading, spec.caption, svg, printed))
    return sections


def _write_claims(verdicts: Sequence[Verdict[Any]], folder: Path) -> None:
    entries = [verdict.as_json() for verdict in verdicts]
    text = json.dumps(entries, indent=2, ensure_ascii=False, allow_nan=False)
    (folder / "claims.json").write_text(text + "\n", encoding="utf-8")
    rows = (
        (verdict.claim.id, verdict.claim.unit, index, value)
        for verdict in verdicts
        for index, value in enumerate(verdict.per_seed, start=1)
    )
    write_csv(folder / "data" / "claims.csv", ("claim", "unit", "seed", "measured"), rows)
