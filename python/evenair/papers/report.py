"""The report: a single, self-contained HTML file."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import dataclass
from html import escape
from string import Template
from typing import TYPE_CHECKING, Any

from evenair.papers.alternative import headlines
from evenair.papers.claims import (
    EVIDENCE,
    OUTCOMES,
    Verdict,
    measured_text,
    requirement,
)
from evenair.papers.sentences import Sentence, sentences

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evenair.papers.alternative import Judged


@dataclass(frozen=True)
class Section:
    """A figure or a table in the report."""

    id: str
    title: str
    caption: str
    svg: bytes | None
    table: tuple[Sequence[str], Sequence[Sequence[str]]] | None = None
    """Header and rows of a printed table."""


@dataclass(frozen=True)
class Heading:
    """Title, authors, question and the description of the simulations."""

    title: str
    authors: str
    question: str
    """What the paper asked."""
    facts: Mapping[str, str]
    """Facts about the simulations: name and value."""
    scenario: str
    """The scenario in full, as text."""
    others: str
    """How the other scenarios differ from it."""
    quick: bool
    rebuilt: str = "rebuilt by simulation"
    """What has made the runs."""


def html(
    heading: Heading,
    sections: Sequence[Section],
    verdicts: Sequence[Verdict[Any]],
    second: Judged[Any] | None = None,
) -> str:
    """Return the report. All text is escaped here; figures are embedded.

    `second` are the verdicts on a second set of configurations, in a column of their own.
    """
    return _PAGE.substitute(
        title=escape(heading.title),
        authors=escape(heading.authors),
        rebuilt=escape(heading.rebuilt),
        question=escape(heading.question),
        summary=escape(headlines(verdicts, second)),
        quick=_QUICK if heading.quick else "",
        contents=_contents(sections, verdicts),
        sections="".join(_section(section, verdicts, second) for section in sections),
        second="" if second is None else f"<p>{escape(second.alternative.description)}</p>",
        verdicts=_verdicts(verdicts, second),
        sentences=_sentences(verdicts, second),
        facts="".join(
            f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>"
            for name, value in heading.facts.items()
        ),
        scenario=escape(heading.scenario),
        others=escape(heading.others),
    )


def _contents(sections: Sequence[Section], verdicts: Sequence[Verdict[Any]]) -> str:
    figures = "".join(f"<li>{_link(section.id, section.title)}</li>" for section in sections)
    outcomes = "".join(
        f"<li>{_link(outcome, _group_title(outcome, group))}</li>"
        for outcome, group in _groups(verdicts)
    )
    return (
        f"<ul><li>{_link('figures', 'Figures and tables')}<ul>{figures}</ul></li>"
        f"<li>{_link('claims', 'Claims')}{outcomes and f'<ul>{outcomes}</ul>'}</li>"
        f"<li>{_link('sentences', 'Sentences')}</li>"
        f"<li>{_link('method', 'How it was made')}</li>"
        f"<li>{_link('scenario', 'Scenario')}</li></ul>"
    )


def _link(target: str, text: str) -> str:
    return f'<a href="#{escape(target)}">{escape(text)}</a>'


def _section(section: Section, verdicts: Sequence[Verdict[Any]], second: Judged[Any] | None) -> str:
    parts = [f'<section><h3 id="{escape(section.id)}">{escape(section.title)}</h3><figure>']
    if section.svg is not None:
        data = b64encode(section.svg).decode("ascii")
        parts.append(f'<img alt="{escape(section.title)}" src="data:image/svg+xml;base64,{data}">')
    if section.table is not None:
        parts.append(_table(*section.table))
    parts.append(f"<figcaption>{escape(section.caption)}</figcaption></figure>")
    own = [verdict for verdict in verdicts if verdict.claim.figure == section.id]
    if own:
        header = _header(
            *("What the paper says", "as a number", "Measured", "Outcome"),
            *_second_title(second),
            "Evidence",
        )
        rows = "".join(
            _row(
                _link(verdict.claim.id, verdict.claim.statement),
                escape(requirement(verdict.claim)),
                escape(measured_text(verdict.measured, verdict.claim)),
                _MARKS[verdict.outcome],
                *_second_cell(verdict, second),
                escape(verdict.claim.evidence),
            )
            for verdict in own
        )
        parts.append(f"<table>{header}<tbody>{rows}</tbody></table>")
    return "".join(parts) + "</section>"


def _second_title(second: Judged[Any] | None) -> list[str]:
    return [] if second is None else [escape(second.alternative.title)]


def _second_cell(verdict: Verdict[Any], second: Judged[Any] | None) -> list[str]:
    """Return the cell of the second set: outcome and measure."""
    if second is None:
        return []
    other = second.of(verdict)
    return [f"{_MARKS[other.outcome]}<br>{escape(measured_text(other.measured, other.claim))}"]


def _groups(verdicts: Sequence[Verdict[Any]]) -> list[tuple[str, list[Verdict[Any]]]]:
    """Return the outcomes that occur and their verdicts, tests first."""
    groups = []
    for outcome in OUTCOMES:
        group = [verdict for verdict in verdicts if verdict.outcome == outcome]
        if group:
            group.sort(key=lambda verdict: EVIDENCE.index(verdict.claim.evidence))
            groups.append((outcome, group))
    return groups


def _group_title(outcome: str, group: Sequence[Verdict[Any]]) -> str:
    kinds = [verdict.claim.evidence for verdict in group]
    counts = ", ".join(f"{kinds.count(kind)} {kind}" for kind in EVIDENCE if kind in kinds)
    return f"{outcome.capitalize()}: {counts}"


def _verdicts(verdicts: Sequence[Verdict[Any]], second: Judged[Any] | None) -> str:
    if not verdicts:
        return ""
    header = _header(
        *("Outcome", "Evidence", "Claim", "Published ± tolerance", "Measured ± 95% CI"),
        *_second_title(second),
        "Reason",
    )
    columns = 6 if second is None else 7
    bodies = "".join(
        f'<tbody><tr class="group"><th colspan="{columns}" scope="rowgroup" id="{outcome}">'
        f"{escape(_group_title(outcome, group))}</th></tr>"
        f"{''.join(_verdict_row(verdict, second) for verdict in group)}</tbody>"
        for outcome, group in _groups(verdicts)
    )
    return f'<table class="verdicts">{header}{bodies}</table>'


def _verdict_row(verdict: Verdict[Any], second: Judged[Any] | None) -> str:
    claim = verdict.claim
    return _row(
        _MARKS[verdict.outcome],
        escape(claim.evidence),
        f"{escape(claim.statement)}<br><small>{escape(claim.where)} · "
        f"<code>{escape(claim.id)}</code></small>",
        escape(requirement(claim)),
        escape(measured_text(verdict.measured, claim)),
        *_second_cell(verdict, second),
        escape(verdict.reason),
        anchor=claim.id,
    )


def _sentences(verdicts: Sequence[Verdict[Any]], second: Judged[Any] | None) -> str:
    found = sentences(verdicts)
    if not found:
        return ""
    others = {} if second is None else {s.id: s.outcome for s in sentences(second.verdicts)}
    rows = "".join(
        _sentence_row(sentence, [_MARKS[others[sentence.id]]] if others else [])
        for outcome in OUTCOMES
        for sentence in sorted(found, key=lambda s: EVIDENCE.index(s.evidence))
        if sentence.outcome == outcome
    )
    header = _header("Outcome", *_second_title(second), "Evidence", "Sentence", "Claims")
    return f"<table>{header}<tbody>{rows}</tbody></table>"


def _sentence_row(sentence: Sentence, other: Sequence[str]) -> str:
    places = dict.fromkeys(escape(verdict.claim.where) for verdict in sentence.verdicts)
    return _row(
        _MARKS[sentence.outcome],
        *other,
        escape(sentence.evidence),
        f"<code>{escape(sentence.id)}</code><br><small>{'; '.join(places)}</small>",
        "<br>".join(map(_claim_of_sentence, sentence.verdicts)),
    )


def _claim_of_sentence(verdict: Verdict[Any]) -> str:
    claim = verdict.claim
    reading = f" ({escape(claim.interpretation)})" if claim.interpretation else ""
    return f"{_MARKS[verdict.outcome]} {_link(claim.id, claim.statement)}{reading}"


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    body = "".join(_row(*map(escape, row)) for row in rows)
    return f"<table>{_header(*map(escape, header))}<tbody>{body}</tbody></table>"


def _header(*cells: str) -> str:
    names = "".join(f'<th scope="col">{cell}</th>' for cell in cells)
    return f"<thead><tr>{names}</tr></thead>"


def _row(*cells: str, anchor: str = "") -> str:
    start = f'<tr id="{escape(anchor)}">' if anchor else "<tr>"
    return start + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"


_MARKS = {
    "holds": '<span class="holds">✓ holds</span>',
    "undecided": '<span class="undecided">? undecided</span>',
    "fails": '<span class="fails">✗ fails</span>',
}

_QUICK = (
    '<p class="quick"><strong>Quick run: not for judging.</strong> At most two seeds, short '
    "runs and a coarser grid show what comes out. The outcomes below are computed from that and "
    "may differ from those of the full run. Figures have no error bars: an interval from two seeds "
    "means little.</p>"
)

_PAGE = Template("""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Rebuilt: $title</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; color: #1a1a1a; background: #fff;
  max-width: 68rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; line-height: 1.25; margin-bottom: .2rem; }
h2 { font-size: 1.25rem; margin-top: 2.5rem; border-bottom: 1px solid #ccc; }
h3 { font-size: 1.05rem; margin-top: 2.5rem; }
.authors { color: #555; margin-top: 0; }
.summary { font-size: 1.15rem; font-weight: 600; }
.quick { border: 2px solid #8a5a00; background: #fff6e0; padding: .6rem .9rem; }
nav { border: 1px solid #ccc; padding: .3rem .9rem; font-size: .92rem; }
nav > ul { padding-left: 1rem; } a { color: #1d4ed8; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1rem; }
dt { color: #555; } dd { margin: 0; overflow-wrap: anywhere; }
table { border-collapse: collapse; font-size: .86rem; margin: .8rem 0; width: 100%; }
th, td { border-bottom: 1px solid #ddd; padding: .35rem .6rem; text-align: left;
  vertical-align: top; font-variant-numeric: tabular-nums; }
thead th { border-bottom: 2px solid #888; }
tr.group th { background: #f2f2f2; padding-top: .6rem; }
table.verdicts td:nth-child(1) { white-space: nowrap; }
table.verdicts td:nth-child(2) { white-space: nowrap; }
table.verdicts td:nth-child(3) { width: 28%; } table.verdicts td:last-child { width: 32%; }
small { color: #555; } code { font-size: .95em; }
.holds { color: #14532d; white-space: nowrap; }
.undecided { color: #713f12; font-style: italic; white-space: nowrap; }
.fails { color: #991b1b; font-weight: 700; white-space: nowrap; }
figure { margin: 0; } figure img { max-width: 100%; height: auto; display: block; margin: auto; }
figcaption { color: #444; font-size: .9rem; margin: .4rem 0 1rem; }
pre { background: #f6f6f6; padding: .8rem; overflow: auto; font-size: .8rem; }
</style>
</head>
<body>
<h1>$title</h1>
<p class="authors">$authors, $rebuilt</p>
<h2 id="question">What the paper asked</h2>
<p>$question</p>
<p class="summary">$summary.</p>
$quick
<nav aria-label="Contents"><h2>Contents</h2>$contents</nav>
<h2 id="figures">Figures and tables</h2>
$sections
<h2 id="claims">Claims</h2>
<p>Measured numbers are means over the seeds, ± the half-width of the 95% confidence interval
(Student's t). Where two quantities are compared, runs with the same seed are compared. A claim
holds if the whole interval is within its limits, fails if all of it is outside, and is undecided if
the interval reaches across a limit or if there is none, or if what it presupposes, its premise,
does not hold.</p>
<dl><dt>test</dt><dd>Reading, tolerance and all parameters were fixed without the result. Only tests
count in the sentence at the top.</dd>
<dt>calibrated</dt><dd>A free parameter was chosen with this statement, or one that follows from it,
at hand.</dd>
<dt>post-hoc</dt><dd>Reading or tolerance were fixed after a run.</dd>
<dt>sanity</dt><dd>The claim can hardly fail.</dd></dl>
$second
$verdicts
<h2 id="sentences">Sentences</h2>
<p>Each published sentence counts once, whatever the number of its claims. They are parts of it or,
where a name in brackets says so, alternative readings. A reading holds if all of its parts hold and
fails if one fails. The sentence has the outcome of its readings if they agree, and is undecided
otherwise. Its evidence is the weakest of its claims', in the order above.</p>
$sentences
<h2 id="method">How it was made</h2>
<dl>$facts</dl>
<h2 id="scenario">Scenario</h2>
<p>One of the configurations, every default filled in. $others</p>
<pre>$scenario</pre>
</body>
</html>
""")
