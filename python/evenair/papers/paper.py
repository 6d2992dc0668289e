"""Rebuilds a paper: from its description to a folder with figures, data and verdicts."""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass
from functools import partial
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Generic, TypeAlias

from evenair._core import __version__
from evenair.files.atomic import AtomicOutput, naming
from evenair.papers import beside, report, runs
from evenair.papers.alternative import claims_json, headlines, sentences_json
from evenair.papers.checks import one_of
from evenair.papers.claims import Claim, Verdict, judge, load_claims
from evenair.papers.csv_file import write_csv
from evenair.papers.extent import Extent, check_replaceable, default_folder
from evenair.papers.figures import E, FigureSpec, select_figures
from evenair.papers.runs import P, Runs
from evenair.plot.style import mark_truncated, styled, write_figure
from evenair.text.messages import reason

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from evenair.papers.alternative import Alternative, Judged
    from evenair.papers.beside import OnTestbed
    from evenair.papers.measures import Term
    from evenair.papers.runs import Document
    from evenair.scenario import Scenario

Progress: TypeAlias = "Callable[[int, int], None]"

ENGINES = ("sim", "testbed")
"""What makes the runs: the simulator, or beside it the test-bed."""


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
    alternative: Alternative[P] | None = None
    """A second set of configurations on which the simulator's claims are judged, too."""
    testbed: OnTestbed[P, E] | None = None
    """How the paper is measured on the test-bed; None if it is not."""

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

    def folder(self, figures: list[str] | None, quick: bool, engine: str = "sim") -> Path:
        """Return the default folder of a report. Raises ValueError for an unknown figure."""
        specs = self._specs(figures, engine)
        stems = [spec.stem for spec in specs] if figures is not None else None
        if len(specs) == len(self.figures):
            stems = None
        return default_folder(self._extent(specs, quick, engine), stems)

    def rebuild(
        self,
        figures: list[str] | None,
        quick: bool,
        out: Path,
        progress: Progress | None = None,
        *,
        force: bool = False,
        engine: str = "sim",
        say: Callable[[str], None] | None = None,
        simulate: Callable[[list[P], E, Progress | None], Runs[P]] | None = None,
        measure: Callable[[list[P], E, Path, Progress | None], Runs[P]] | None = None,
    ) -> int:
        """Rebuild the paper, see `evenair.papers.rebuild`. Tests replace `simulate`, `measure`."""
        specs = self._specs(figures, engine)
        bed = self.testbed if engine == "testbed" else None
        source = bed or self
        effort = source.quick if quick else source.full
        extent = self._extent(specs, quick, engine)
        if not force:
            check_replaceable(out, extent)
        with AtomicOutput() as output:
            folder = _stage_folder(output, out)
            claims = self.claims(effort)
            chosen = {point for spec in specs for point in spec.points(effort)}
            other = None if bed else self.alternative
            if other is not None:
                chosen |= other.points(claims, chosen)
            points = sorted(chosen, key=self.order)
            simulated = (simulate or self.simulate)(points, effort, None if bed else progress)
            command = self._command(figures, quick, out, engine)
            if bed is None:
                results, verdicts = simulated, judge(claims, simulated)
                heading = self._heading(results, effort, command)
                drawn = [(spec, spec.caption, *spec.draw(results, effort)) for spec in specs]
            else:
                left_out = [spec.id for spec in self.figures if spec.beside is None]
                if say is not None and figures is None and left_out:
                    say(f"not measured on the test-bed: {', '.join(left_out)}")
                results = (
                    measure(points, effort, out, progress)
                    if measure
                    else self._measure(bed, points, effort, out, progress, say)
                )
                verdicts = beside.judge_both(claims, simulated, results, effort, bed.evidence)
                heading = self._heading(results, effort, command)
                heading = beside.described(heading, results, bed.run_name, left_out)
                drawn = beside.draw(specs, simulated, results, effort, bed.run_name)
            with naming(folder):
                sections = _write_figures(drawn, folder)
                second = None if other is None else other.judge(verdicts, simulated)
                _write_claims(verdicts, second, folder)
                summary = headlines(verdicts, second)
                found = sentences_json(verdicts, second)
                extent.write(folder, {"headline": summary, "sentences": found})
                text = report.html(heading, sections, verdicts, second)
                (folder / "report.html").write_text(text, encoding="utf-8")
            output.commit()
        failed = any(verdict.refutes for verdict in verdicts)
        if bed is None:
            return int(failed)
        if say is not None:
            for line in beside.complaints(results, bed.run_name):
                say(line)
        return int(failed or not beside.all_trusted(results))

    def _specs(self, figures: list[str] | None, engine: str) -> list[FigureSpec[P, E]]:
        """Return the figures to draw. Raises ValueError for those that an engine does not have."""
        one_of("--engine", engine, ENGINES)
        specs = select_figures(self.figures, figures)
        if engine == "sim":
            return specs
        if self.testbed is None:
            raise ValueError(f"--engine: got {engine!r}; {self.name} is simulated alone ('sim')")
        measured = [spec.id for spec in self.figures if spec.beside is not None]
        for spec in specs:
            if figures is not None and spec.beside is None:
                raise ValueError(
                    f"--figure: got {spec.id!r}, which is not measured on the test-bed;"
                    f" expected one of {', '.join(measured)}"
                )
        return [spec for spec in specs if spec.beside is not None]

    def _measure(
        self,
        bed: OnTestbed[P, E],
        points: list[P],
        effort: E,
        out: Path,
        progress: Progress | None,
        say: Callable[[str], None] | None,
    ) -> Runs[P]:
        from evenair.papers.measured import measure

        return measure(
            points,
            effort.seeds,
            lambda point: self.scenario(point, effort),
            bed.run_name,
            out,
            progress,
            say,
            self.condensed,
            bed.most,
        )

    def _extent(self, specs: Iterable[FigureSpec[P, E]], quick: bool, engine: str) -> Extent:
        return Extent(self.name, tuple(spec.id for spec in specs), quick, engine)

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

    def _command(self, figures: list[str] | None, quick: bool, out: Path, engine: str) -> str:
        words = ["evenair", "paper", self.name]
        for name in figures or []:
            words += ["--figure", name]
        if quick:
            words.append("--quick")
        if engine != "sim":
            words += ["--engine", engine]
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


def _write_figures(drawn: Iterable[beside.Drawn], folder: Path) -> list[report.Section]:
    (folder / "data").mkdir()
    sections = []
    for spec, caption, figure, table in drawn:
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
        sections.append(report.Section(spec.id, name, caption, svg, table.printed))
    return sections


def _write_claims(verdicts: Sequence[Verdict[P]], second: Judged[P] | None, folder: Path) -> None:
    entries = claims_json(verdicts, second)
    text = json.dumps(entries, indent=2, ensure_ascii=False, allow_nan=False)
    (folder / "claims.json").write_text(text + "\n", encoding="utf-8")
    _write_seeds(verdicts, folder / "data" / "claims.csv")
    if second is not None:
        name = f"claims-{second.alternative.name}.csv"
        _write_seeds(second.verdicts, folder / "data" / name)


def _write_seeds(verdicts: Sequence[Verdict[P]], path: Path) -> None:
    rows = (
        (verdict.claim.id, verdict.claim.unit, index, value)
        for verdict in verdicts
        for index, value in enumerate(verdict.per_seed, start=1)
    )
    write_csv(path, ("claim", "unit", "seed", "measured"), rows)
