"""Rebuilds a paper: from its description to a folder with figures, data and verdicts."""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass
from functools import partial
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Generic, TypeAlias

from evenair._core import __version__
from evenair.atomic import AtomicOutput, naming
from evenair.messages import reason
from evenair.papers import report, runs
from evenair.papers.claims import Claim, Verdict, judge, load_claims
from evenair.papers.csv_file import write_csv
from evenair.papers.extent import Extent, check_replaceable, default_folder
from evenair.papers.figures import E, FigureSpec, select_figures
from evenair.papers.runs import P, Runs
from evenair.style import mark_truncated, styled, write_figure

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from evenair.papers.measures import Term
    from evenair.papers.runs import Document
    from evenair.scenario import Scenario

Progress: TypeAlias = "Callable[[int, int], None]"


@dataclass(frozen=True)
class Paper(Generic[P, E]):
    """The description of a paper; its claims are in the files `claims*.toml` of its package."""

    name: str
    """The name of the package and the argument of `evenair paper`."""
    title: str
    authors: str
    question: str
    """What the paper asked, in one or two sentences; the report begins with it."""
    figures: tuple[FigureSpec[P, E], ...]
    """All figures and tables, in the order of the paper."""
    full: E
    """The effort with which claims are judged."""
    quick: E
    """The effort of `--quick`, for a first look."""
    scenario: Callable[[P, E], Scenario]
    """The configuration of a point."""
    order: Callable[[P], Any]
    """The sort key of the runs: the longest first, so that none runs alone at the end."""
    read_term: Callable[[E, Mapping[str, Any]], Term[P]]
    """Read a term of a claims file."""
    facts: Callable[[E], dict[str, str]]
    """Further facts about the simulations for the report: name and value."""
    example: P
    """The point whose scenario the report shows, if it was simulated."""
    others: str
    """A sentence on how the other points' scenarios differ from it."""
    condensed: Callable[[Document], Document] | None = None
    """Reduces a run's document to what is needed, to save memory."""
    drawn: Callable[[Scenario, P, int], Scenario] | None = None
    """Changes the scenario of a point for a seed: the parameters that each run draws."""

    def describe(self) -> str:
        """Return title, authors and the ids of the figures that can be rebuilt."""
        ids = ", ".join(spec.id for spec in self.figures)
        return f"{self.title}\n  {self.authors}\n  --figure: {ids}"

    def claims(self, effort: E | None = None) -> list[Claim[P]]:
        """Return the paper's claims, measured on the grid of `effort` [full]."""
        package = files("evenair.papers") / self.name
        names = sorted(
            entry.name
            for entry in package.iterdir()
            if entry.name.startswith("claims") and entry.name.endswith(".toml")
        )
        text = "\n".join((package / name).read_text(encoding="utf-8") for name in names)
        return load_claims(text, partial(self.read_term, effort or self.full))

    def simulate(self, points: list[P], effort: E, progress: Progress | None) -> Runs[P]:
        """Simulate points with the seeds of `effort`."""
        return runs.simulate(
            points,
            effort.seeds,
            lambda point: self.scenario(point, effort),
            progress,
            self.condensed,
            self.drawn,
        )

    def folder(self, figures: list[str] | None, quick: bool) -> Path:
        """Return the default folder of a report. Raises ValueError for an unknown figure."""
        specs = select_figures(self.figures, figures)
        stems = [spec.stem for spec in specs] if len(specs) < len(self.figures) else None
        return default_folder(self._extent(specs, quick), stems)

    def rebuild(
        self,
        figures: list[str] | None,
        quick: bool,
        out: Path,
        progress: Progress | None = None,
        *,
        force: bool = False,
        simulate: Callable[[list[P], E, Progress | None], Runs[P]] | None = None,
    ) -> int:
        """Rebuild the paper, see `evenair.papers.rebuild`. Tests replace `simulate`."""
        specs = select_figures(self.figures, figures)
        effort = self.quick if quick else self.full
        extent = self._extent(specs, quick)
        if not force:
            check_replaceable(out, extent)
        with AtomicOutput() as output:
            folder = _stage_folder(output, out)
            points = {point for spec in specs for point in spec.points(effort)}
            results = (simulate or self.simulate)(sorted(points, key=self.order), effort, progress)
            verdicts = judge(self.claims(effort), results)
            with naming(folder):
                sections = _write_figures(specs, results, effort, folder)
                _write_claims(verdicts, folder)
                extent.write(folder)
                heading = self._heading(results, effort, self._command(figures, quick, out))
                text = report.html(heading, sections, verdicts)
                (folder / "report.html").write_text(text, encoding="utf-8")
            output.commit()
        return int(any(verdict.refutes for verdict in verdicts))

    def _extent(self, specs: Iterable[FigureSpec[P, E]], quick: bool) -> Extent:
        return Extent(self.name, tuple(spec.id for spec in specs), quick)

    def _heading(self, results: Runs[P], effort: E, command: str) -> report.Heading:
        documents = results.documents
        example = documents.get((self.example, effort.seeds[0]))
        if example is None:  # not simulated; a table may need no simulation at all
            example = next(iter(documents.values()), {"version": __version__, "scenario": None})
        seeds = f"{effort.seeds[0]} to {effort.seeds[-1]}"
        facts = {
            "Command": command,
            "evenair": str(example["version"]),
            "Runs": f"{len(documents)}: {len(results.points)} configurations, seeds {seeds}",
            "Simulated time": f"{effort.duration_s:g} s each",
            **_warmups(documents.values()),
            **self.facts(effort),
        }
        scenario = json.dumps(example["scenario"], indent=2, ensure_ascii=False)
        return report.Heading(
            self.title, self.authors, self.question, facts, scenario, self.others, effort.quick
        )

    def _command(self, figures: list[str] | None, quick: bool, out: Path) -> str:
        words = ["evenair", "paper", self.name]
        for name in figures or []:
            words += ["--figure", name]
        if quick:
            words.append("--quick")
        return shlex.join([*words, "--out", str(out)])


def _warmups(documents: Iterable[Document]) -> dict[str, str]:
    """Return the warm-up times of the runs as a fact of the report; none if there are no runs."""
    times = sorted({float(document["scenario"].get("warmup", 0.0)) for document in documents})
    texts = [f"{time:g} s" if time else "none (the start is measured, too)" for time in times]
    return {"Warm-up": " or ".join(texts)} if texts else {}


def _stage_folder(output: AtomicOutput, out: Path) -> Path:
    try:
        return output.stage_folder(out)
    except OSError as error:
        if out.is_file():
            message = f"--out: {out} is a file, a folder is expected"
        else:
            message = f"--out: {out} cannot be written: {reason(error)}"
        raise ValueError(message) from None


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
                mark_truncated(figure)
                for suffix in ("png", "svg"):
                    write_figure(figure, folder / f"{spec.stem}.{suffix}")
            svg = (folder / f"{spec.stem}.svg").read_bytes()
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
