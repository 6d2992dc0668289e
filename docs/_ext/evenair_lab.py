"""Sphinx extension: live figures and guided tours, and the lab itself at lab/ of the site.

    ```{evenair-figure} gong2006
    :picture: goodput
    :vary: cell.queue.kind=droptail,las
    Five uploads and five downloads.
    ```

is a figure that runs the scenario in the page, with a control for each line of `vary`, whose values
are those of `evenair sweep --vary`. `{evenair-tour} NAME` is a guided tour, `{evenair-tours}` the
list of them.

The lab is that of `make site`, in python/evenair/lab/page or in the folder EVENAIR_LAB_PAGE. A
site that is built without it has the captions, and how to run the scenarios on the command line.
"""

from __future__ import annotations

import html
import json
import os
import shlex
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import tours
from docutils import nodes
from docutils.parsers.rst import directives
from evenair import engine
from evenair.scenario import Scenario, load
from evenair.text import labels
from evenair.text.axis import parse_axis
from sphinx.util.docutils import SphinxDirective

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from docutils.nodes import Node
    from evenair.text.axis import Axis
    from sphinx.application import Sphinx

ROOT = Path(__file__).parents[2]

SEEDS = 5
"""Seeds of a figure: the first at once, the others in the background."""

SLIDER_FROM = 4
"""As many numbers or more make a slider, fewer a menu."""

USED = "evenair_lab_pages"
"""The pages with live figures, an attribute of the environment."""


def page() -> Path | None:
    """Return the folder of the built page, None if it was not built."""
    given = os.environ.get("EVENAIR_LAB_PAGE")
    folder = Path(given) if given else ROOT / "python" / "evenair" / "lab" / "page"
    return folder if (folder / "embed.js").exists() else None


def to_root(docname: str) -> str:
    """Return the path from a page to the root of the site."""
    return "../" * docname.count("/")


class Figure(SphinxDirective):
    """`evenair-figure`: a scenario, controls and pictures; its content is the caption."""

    required_arguments = 1
    option_spec: ClassVar = {
        "picture": directives.unchanged_required,
        "set": directives.unchanged,
        "vary": directives.unchanged,
    }
    has_content = True

    def run(self) -> list[Node]:
        """Return the figure."""
        [name] = self.arguments
        overrides = pairs(self.options.get("set", "").splitlines())
        return [
            *frame(
                self,
                load(name, overrides),
                self.options["picture"].split(),
                self.options.get("vary", "").splitlines(),
                self.parse_content_to_nodes(),
            ),
            *self.parse_text_to_nodes(f"On the command line: `{command(name, overrides)}`"),
        ]


class Tours(SphinxDirective):
    """`evenair-tours`: the list of the guided tours."""

    def run(self) -> list[Node]:
        """Return the list, with a link to the lab if it is there."""
        found = (tours.load(name) for name in tours.NAMES)
        text = "\n".join(f"- [{tour.title}]({tour.name}.md): {tour.summary}" for tour in found)
        return [*self.parse_text_to_nodes(text), *lab_link(self, "", "Open the lab")]


class Tour(SphinxDirective):
    """`evenair-tour`: a guided tour, its steps with live figures and its question."""

    required_arguments = 1

    def run(self) -> list[Node]:
        """Return the sections of the tour."""
        tour = tours.load(self.arguments[0])
        self.env.note_dependency(tours.FOLDER / f"{tour.name}.toml")
        found = self.parse_text_to_nodes(tour.summary)
        found += lab_link(self, f"#tour={tour.name}/1", "Take this tour in the lab")
        if tour.base is None:
            found += self.parse_text_to_nodes(f"`cell.toml`:\n\n```toml\n{tour.toml}```")
        found += [self._section(tour, step, step.title, step.text) for step in tour.steps]
        experiment = tour.question.experiment
        text = "\n\n".join([experiment.text, *answers(tour)])
        return [*found, self._section(tour, experiment, "A question", text)]

    def _section(self, tour: tours.Tour, step: tours.Step, title: str, text: str) -> Node:
        section = nodes.section(names=[nodes.fully_normalize_name(title)])
        self.state.document.note_implicit_target(section, section)
        section += nodes.title("", title)
        section += self.parse_text_to_nodes(text)
        section += frame(self, tour.scenario(step.overrides), step.pictures, tour.vary, [])
        used = command(tour.base or "cell.toml", step.overrides)
        section += self.parse_text_to_nodes(f"On the command line: `{used}`")
        if step.sources:
            section += self.parse_text_to_nodes(f"Source: {'; '.join(step.sources)}.")
        return section


def answers(tour: tours.Tour) -> Iterator[str]:
    """Yield the answers of a tour's question; a run of its scenario says which is right."""
    question = tour.question
    result = engine.run(tour.scenario(question.experiment.overrides), seed=1).document
    right = question.right(tours.measure(result, question.decides))
    for k, answer in enumerate(question.answers):
        verdict = "Right." if k in right else "Not so."
        because = html.escape(f"{verdict} {answer.because}")
        yield f"<details><summary>{html.escape(answer.text)}</summary><p>{because}</p></details>"


def frame(
    directive: SphinxDirective,
    scenario: Scenario,
    pictures: Sequence[str],
    vary: Sequence[str],
    caption: Sequence[Node],
) -> list[Node]:
    """Return a live figure, or without the built page its caption and a line about that."""
    if page() is None:
        lab = "[the lab](/docs/lab.md)" if "docs/lab" in directive.env.found_docs else "the lab"
        names = ", ".join(f"`{name}`" for name in pictures)
        text = f"A site built after `make site` has a live figure of {lab} here: {names}."
        return [*caption, *directive.parse_text_to_nodes(text)]
    setattr(directive.env, USED, {*getattr(directive.env, USED, ()), directive.env.docname})
    spec = {
        "scenario": scenario.to_toml(),
        "pictures": pictures,
        "seeds": SEEDS,
        "controls": [control(parse_axis(line), scenario) for line in vary],
    }
    start, end = (nodes.raw("", tag, format="html") for tag in tags(spec))
    return [start, *caption, end]


def tags(spec: Mapping[str, Any]) -> tuple[str, str]:
    """Return the tags of a live figure; lab/src/embed/figure.tsx says what `spec` has."""
    return f'<div class="evenair-figure" data-figure="{html.escape(json.dumps(spec))}">', "</div>"


def control(axis: Axis, scenario: Scenario) -> dict[str, Any]:
    """Return the control of a key. It starts at the value that the scenario has.

    Raises ValueError if that is none of its values: the figure would show another scenario.
    """
    starts = [
        k for k, text in enumerate(axis.texts) if with_key(scenario, axis.key, text) == scenario
    ]
    if not starts:
        raise ValueError(f"{axis.key}: none of {', '.join(axis.texts)} is what the scenario has")
    numbers = not any(isinstance(value, str | bool) for value in axis.values)
    text = labels.key(axis.key, scenario.resolved).text
    return {
        "label": text[0].upper() + text[1:],
        "keys": [axis.key],
        "values": axis.texts,
        "start": starts[0],
        "isOrdered": numbers and len(axis.texts) >= SLIDER_FROM,
    }


def with_key(scenario: Scenario, key: str, value: str) -> Scenario:
    """Return a scenario with a key set to a value in the syntax of the command line."""
    return Scenario._from_core(scenario._core.with_overrides([(key, value)], "vary", "vary"))


def lab_link(directive: SphinxDirective, fragment: str, text: str) -> list[Node]:
    """Return a link to the lab of this site, nothing if it is not there."""
    if page() is None:
        return []
    address = f"{to_root(directive.env.docname)}lab/{fragment}"
    link = f'<p><a class="reference external" href="{html.escape(address)}">{text}</a></p>'
    return [nodes.raw("", link, format="html")]


def pairs(lines: Sequence[str]) -> list[tuple[str, str]]:
    """Return the keys and values of lines KEY=VALUE."""
    return [(key, value) for key, _, value in (line.partition("=") for line in lines)]


def command(scenario: str, overrides: Sequence[tuple[str, str]]) -> str:
    """Return the command line that makes the same results."""
    words = ["evenair", "run", scenario]
    for key, value in overrides:
        words += ["--set", f"{key}={value}"]
    return shlex.join(words)


def add_script(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Node | None
) -> None:
    """Load the script of live figures on the pages that have some."""
    if page() is None or pagename not in getattr(app.env, USED, ()):
        return
    # Names are relative to the folder _static.
    app.add_css_file("../lab/embed.css")
    app.add_js_file("../lab/embed.js", type="module")


def add_page(app: Sphinx, exception: Exception | None) -> None:
    """Copy the lab to lab/ of the site."""
    folder = page()
    if exception is None and folder is not None and app.builder.format == "html":
        shutil.copytree(folder, Path(app.outdir) / "lab", dirs_exist_ok=True)


def merge(app: Sphinx, env: Any, docnames: Sequence[str], other: Any) -> None:
    """Collect the pages with figures that another process has read."""
    setattr(env, USED, {*getattr(env, USED, ()), *getattr(other, USED, ())})


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directives and what they need of the site."""
    app.add_directive("evenair-figure", Figure)
    app.add_directive("evenair-tour", Tour)
    app.add_directive("evenair-tours", Tours)
    app.connect("env-merge-info", merge)
    app.connect("html-page-context", add_script)
    app.connect("build-finished", add_page)
    return {"parallel_read_safe": True}
