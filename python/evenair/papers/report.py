"""The report: a single, self-contained HTML file."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import dataclass
from html import escape
from string import Template
from typing import TYPE_CHECKING, Any

from evenair.papers.claims import Verdict, number, requirement

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


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
    """Title, authors and the description of the simulations."""

    title: str
    authors: str
    facts: Mapping[str, str]
    """Facts about the simulations: name and value."""
    scenario: str
    """The scenario in full, as text."""
    others: str
    """How the other scenarios differ from it."""
    quick: bool


def count_verdicts(holds: Sequence[bool]) -> str:
    """Return how many of the judged claims hold, as text."""
    if not holds:
        return "no published claim applies to the selected figures"
    failed = len(holds) - sum(holds)
    summary = f"{len(holds) - failed} of {len(holds)} claims hold"
    if failed:
        summary += f", {failed} do not" if failed > 1 else ", 1 does not"
    return summary


def html(heading: Heading, sections: Sequence[Section], verdicts: Sequence[Verdict[Any]]) -> str:
    """Return the report. All text is escaped here; figures are embedded."""
    summary = count_verdicts([verdict.holds for verdict in verdicts])
    return _PAGE.substitute(
        title=escape(heading.title),
        authors=escape(heading.authors),
        summary=escape(summary),
        quick=_QUICK if heading.quick else "",
        facts="".join(
            f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>"
            for name, value in heading.facts.items()
        ),
        verdicts=_verdicts(verdicts),
        sections="".join(_section(section, verdicts) for section in sections),
        scenario=escape(heading.scenario),
        others=escape(heading.others),
    )


def _verdicts(verdicts: Sequence[Verdict[Any]]) -> str:
    groups = [
        ("Does not hold", [verdict for verdict in verdicts if not verdict.holds]),
        ("Holds", [verdict for verdict in verdicts if verdict.holds]),
    ]
    body = []
    for title, group in groups:
        if group:
            rows = "".join(_verdict_row(verdict) for verdict in group)
            body.append(
                f'<tbody><tr class="group"><th colspan="5" scope="rowgroup">{title} '
                f"({len(group)})</th></tr>{rows}</tbody>"
            )
    head = "".join(
        f'<th scope="col">{name}</th>'
        for name in ("Verdict", "Claim", "Published ± tolerance", "Measured ± 95% CI", "Reason")
    )
    return f'<table class="verdicts"><thead><tr>{head}</tr></thead>{"".join(body)}</table>'


def _verdict_row(verdict: Verdict[Any]) -> str:
    claim = verdict.claim
    return (
        f'<tr id="{escape(claim.id)}"><td>{_mark(verdict)}</td>'
        f"<td>{escape(claim.statement)}<br><small>{escape(claim.where)} · "
        f"<code>{escape(claim.id)}</code></small></td>"
        f"<td>{escape(requirement(claim))}</td><td>{escape(_measured(verdict))}</td>"
        f"<td>{escape(verdict.reason)}</td></tr>"
    )


def _section(section: Section, verdicts: Sequence[Verdict[Any]]) -> str:
    parts = [f'<section><h3 id="{escape(section.id)}">{escape(section.title)}</h3><figure>']
    if section.svg is not None:
        data = b64encode(section.svg).decode("ascii")
        parts.append(f'<img alt="{escape(section.title)}" src="data:image/svg+xml;base64,{data}">')
    if section.table is not None:
        parts.append(_table(*section.table))
    parts.append(f"<figcaption>{escape(section.caption)}</figcaption></figure>")
    own = [verdict for verdict in verdicts if verdict.claim.figure == section.id]
    if own:
        rows = "".join(
            f"<tr><td>{escape(verdict.claim.statement)}</td>"
            f"<td>{escape(requirement(verdict.claim))}</td>"
            f"<td>{escape(_measured(verdict))}</td><td>{_mark(verdict)}</td></tr>"
            for verdict in own
        )
        parts.append(
            '<table><thead><tr><th scope="col">What the paper says</th><th scope="col">as a number'
            '</th><th scope="col">What we see</th><th scope="col">Verdict</th></tr></thead>'
            f"<tbody>{rows}</tbody></table>"
        )
    return "".join(parts) + "</section>"


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    head = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in header)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _mark(verdict: Verdict[Any]) -> str:
    if verdict.holds:
        return '<span class="holds">✓ holds</span>'
    return '<span class="fails">✗ does not hold</span>'


def _measured(verdict: Verdict[Any]) -> str:
    if verdict.measured is None:
        return "not defined"
    return number(verdict.measured, verdict.claim.unit)


_QUICK = (
    '<p class="quick"><strong>Quick run: not for judging.</strong> Two seeds, short runs '
    "and a coarser grid show what comes out; the verdicts below are computed from that and "
    "may well differ from those of the full run.</p>"
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
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1rem; }
dt { color: #555; } dd { margin: 0; overflow-wrap: anywhere; }
table { border-collapse: collapse; font-size: .86rem; margin: .8rem 0; width: 100%; }
th, td { border-bottom: 1px solid #ddd; padding: .35rem .6rem; text-align: left;
  vertical-align: top; font-variant-numeric: tabular-nums; }
thead th { border-bottom: 2px solid #888; }
tr.group th { background: #f2f2f2; padding-top: .6rem; }
table.verdicts td:nth-child(1) { white-space: nowrap; }
table.verdicts td:nth-child(2) { width: 30%; } table.verdicts td:nth-child(5) { width: 34%; }
small { color: #555; } code { font-size: .95em; }
.holds { color: #14532d; white-space: nowrap; }
.fails { color: #991b1b; font-weight: 700; white-space: nowrap; }
figure { margin: 0; } figure img { max-width: 100%; height: auto; display: block; margin: auto; }
figcaption { color: #444; font-size: .9rem; margin: .4rem 0 1rem; }
pre { background: #f6f6f6; padding: .8rem; overflow: auto; font-size: .8rem; }
</style>
</head>
<body>
<h1>$title</h1>
<p class="authors">$authors, rebuilt by simulation</p>
<p class="summary">$summary.</p>
$quick
<h2>How it was made</h2>
<dl>$facts</dl>
<p>Means are over the seeds, ± the half-width of the 95% confidence interval (Student's t). Where
two quantities are compared, runs with the same seed are compared. A claim holds if the mean does;
tolerances come from the paper's own precision and are never widened.</p>
<h2>Verdicts</h2>
$verdicts
<h2>Figures and tables</h2>
$sections
<h2>Scenario</h2>
<p>One of the configurations, every default filled in. $others</p>
<pre>$scenario</pre>
</body>
</html>
""")
