"""From a paper as data to the folder with its figures, its numbers and the verdicts."""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass
from functools import partial
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Generic, TypeAlias

from evenair import __version__
from evenair.papers import report, runs
from evenair.papers.claims import Claim, Verdict, judge, load_claims
from evenair.papers.figures import E, FigureSpec, chosen
from evenair.papers.output import staged, write_csv
from evenair.papers.runs import P, Runs
from evenair.papers.style import save, styled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from evenair.papers.measures import Term
    from evenair.papers.runs import Document
    from evenair.scenario import Scenario

Progress: TypeAlias = "Callable[[int, int], None]"


@dataclass(frozen=True)
class Paper(Generic[P, E]):
    """What sets a paper apart; its claims are `claims.toml` in its package."""

    name: str
    """Of the package, and what `evenair paper` takes."""
    title: str
    authors: str
    figures: tuple[FigureSpec[P, E], ...]
    """All figures and tables, in the order of the paper."""
    full: E
    """The effort that it is judged by."""
    quick: E
    """Enough to see what comes out."""
    scenario: Callable[[P, E], Scenario]
    """The configuration of a point."""
    order: Callable[[P], Any]
    """The order of the runs: the longest first, which would run alone at the end."""
    read_term: Callable[[E, Mapping[str, Any]], Term[P]]
    """Read a term of a claims file."""
    facts: Callable[[E], dict[str, str]]
    """What the report tells of how it was made, beyond what it tells of every paper."""
    example: P
    """The point whose scenario the report shows, if it was simulated."""
    others: str
    """A sentence on how the other points' scenarios differ from it."""
    condensed: Callable[[Document], Document] | None = None
    """What to keep of a run's document, where all of it would be too much."""

    def describe(self) -> str:
        """Return what the paper is and the ids of what can be rebuilt."""
        ids = ", ".join(spec.id for spec in self.figures)
        return f"{self.title}\n  {self.authors}\n  --figure: {ids}"

    def claims(self, effort: E | None = None) -> list[Claim[P]]:
        """Return the paper's claims, to be measured on the grid of `effort` [full]."""
        text = (files("evenair.papers") / self.name / "claims.toml").read_text(encoding="utf-8")
        return load_claims(text, partial(self.read_term, effort or self.full))

    def simulate(self, points: list[P], effort: E, progress: Progress | None) -> Runs[P]:
        """Simulate points with the seeds of `effort`."""
        return runs.simulate(
            points,
            effort.seeds,
            lambda point: self.scenario(point, effort),
            progress,
            self.condensed,
        )

    def rebuild(
        self,
        figures: list[str] | None,
        quick: bool,
        out: Path,
        progress: Progress | None = None,
        *,
        simulate: Callable[[list[P], E, Progress | None], Runs[P]] | None = None,
    ) -> int:
        """Rebuild it, see `evenair.papers.rebuild`. `simulate` can be replaced for tests."""
        specs = chosen(self.figures, figures)
        effort = self.quick if quick else self.full
        with staged(out) as folder:
            points = {point for spec in specs for point in spec.points(effort)}
            results = (simulate or self.simulate)(sorted(points, key=self.order), effort, progress)
            verdicts = judge(self.claims(effort), results)
            sections = _write_figures(specs, results, effort, folder)
            _write_claims(verdicts, folder)
            heading = self._heading(results, effort, self._command(figures, quick, out))
            text = report.html(heading, sections, verdicts)
            (folder / "report.html").write_text(text, encoding="utf-8")
        return 0 if all(verdict.holds for verdict in verdicts) else 1

    def _heading(self, results: Runs[P], effort: E, command: str) -> report.Heading:
        documents = results.documents
        example = documents.get((self.example, effort.seeds[0]))
        if example is None:  # nor is there any where a table needs no simulation
            example = next(iter(documents.values()), {"version": __version__, "scenario": None})
        seeds = f"{effort.seeds[0]} to {effort.seeds[-1]}"
        facts = {
            "Command": command,
            "evenair": str(example["version"]),
            "Runs": f"{len(documents)}: {len(results.points)} configurations, seeds {seeds}",
            "Simulated time": f"{effort.duration_s:g} s each",
            **self.facts(effort),
        }
        scenario = json.dumps(example["scenario"], indent=2, ensure_ascii=False)
        return report.Heading(self.title, self.authors, facts, scenario, self.others, effort.quick)

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
        name = spec.title if spec.stem == spec.id else f"Figure {spec.id}: {spec.title}"
        sections.append(report.Section(spec.id, name, spec.caption, svg, table.printed))
    return sections


def _write_claims(verdicts: Sequence[Verdict[P]], folder: Path) -> None:
    entries = [verdict.as_json() for verdict in verdicts]
    text = json.dumps(entries, indent=2, ensure_ascii=False, allow_nan=False)
    (folder / "claims.json").write_text(text + "\n", encoding="utf-8")
    rows = (
        (verdict.claim.id, verdict.claim.unit, index, value)
        for verdict in verdicts
        for index, value in enumerate(verdict.per_seed, start=1)
    )
    write_csv(folder / "data" / "claims.csv", ("claim", "unit", "seed", "measured"), rows)
