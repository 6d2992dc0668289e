"""The report of a campaign: one self-contained HTML file. Imports matplotlib."""

from __future__ import annotations

import json
import shlex
from html import escape
from itertools import product
from math import prod
from string import Template
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow.compute as pc

from evenair.campaign.figure import plot
from evenair.campaign.storage.record import METRICS
from evenair.campaign.summary import about, scenario_of, summarize
from evenair.plot.inline_svg import CSS, inline_svg
from evenair.statistics import part_of_runs
from evenair.text import labels, toml
from evenair.text.cells import aligned, scaled, with_interval
from evenair.text.messages import downlink_sender

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import pyarrow as pa

    from evenair.campaign.summary import Group
    from evenair.text.axis import Value
    from evenair.text.labels import Label

SHOWN = (
    "aggregate_goodput_bps",
    "mean_up_goodput_bps",
    "mean_down_goodput_bps",
    "jain_index",
    "mean_rtt_s",
    "mean_session_s",
    "mean_page_load_s",
    "mean_completion_s",
    "ap_queue_loss_ratio",
    "ap_queue_mean_packets",
    "ap_queue_mean_delay_s",
)
"""The metrics of the report, as far as runs have them."""
MAX_ROWS = 500
"""Points in the table of results; the Parquet file has all of them."""
MAX_LINES = 7
"""Lines of a figure; with more combinations there are several figures."""
MAX_FIGURES = 60


class _Plan(NamedTuple):
    """What the figures of a campaign show."""

    x: str
    by: Sequence[str]
    fixed: Sequence[Mapping[str, Value]]
    """The values of the other keys, for each figure of a metric."""


def report(table: pa.Table, name: str) -> str:
    """Return the report of a campaign's table of runs as HTML. `name` is that of its file.

    Raises ValueError, in one line, if the table is not one of runs or does not have its scenario.
    """
    origin, scenario = about(table), scenario_of(table)
    if not scenario:
        raise ValueError("does not have its scenario; repeat the sweep, which keeps finished runs")
    if not set(METRICS) <= set(table.column_names):
        raise ValueError("is not a table of runs, one row for each run")
    if table.num_rows == 0:
        raise ValueError("has no runs")
    keys: list[str] = origin["keys"]
    shown = [metric for metric in SHOWN if table[metric].null_count < table.num_rows]
    groups = summarize(table, keys, shown)
    seeds = table["seed"].to_pylist()
    title = str(scenario.get("name") or "Campaign")
    low, high = min(group.runs for group in groups), max(group.runs for group in groups)
    facts = {
        "points": str(len(groups)),
        "runs per point": str(low) if low == high else f"{low} to {high}",
        "seeds": f"{min(seeds)} to {max(seeds)}" if min(seeds) < max(seeds) else str(seeds[0]),
        "evenair": f"{origin['version']} (results {origin['result_version']})",
        "table": name,
    }
    return _PAGE.substitute(
        css=CSS,
        title=escape(title),
        facts="".join(f"<dt>{escape(k)}</dt><dd>{escape(v)}</dd>" for k, v in facts.items()),
        varied=_varied(table, keys, scenario),
        figures="".join(_figures(table, keys, shown, scenario)) or "<p>Nothing was varied.</p>",
        results=_results(groups, keys, shown, scenario),
        repeat=_repeat(table, origin, name, high),
        scenario=escape(toml.dumps(scenario)),
    )


def _varied(table: pa.Table, keys: Sequence[str], scenario: Mapping[str, object]) -> str:
    """Return the table of the keys that were varied, with all their values."""
    if not keys:
        return "<p>Nothing: the scenario was repeated with different seeds.</p>"
    rows = []
    for key in keys:
        values = table[key].unique().to_pylist()
        label = labels.key(key, scenario)
        numbers = not any(isinstance(value, str | bool) for value in values)
        shown = ", ".join(labels.value_in_unit(value, label) for value in values)
        unit = f" {label.unit}" if numbers and label.unit else ""
        rows.append((f"<code>{escape(key)}</code>", escape(label.text), escape(shown + unit)))
    return _html_table(("key", "meaning", "values"), rows)


def _results(
    groups: Sequence[Group],
    keys: Sequence[str],
    shown: Sequence[str],
    scenario: Mapping[str, object],
) -> str:
    """Return the table of the means of each point."""
    some = groups[:MAX_ROWS]
    sender = downlink_sender({"scenario": scenario})
    columns = [
        [labels.value_in_unit(group.values[key], labels.key(key)) for group in some] for key in keys
    ]
    columns.append([str(group.runs) for group in some])
    columns += [
        aligned([_mean(group, metric, labels.metric(metric)) for group in some]) for metric in shown
    ]
    heading = [labels.key(key, scenario).with_unit for key in keys]
    heading += ["runs", *(labels.metric(metric, sender).with_unit for metric in shown)]
    rows = [
        [f"<td>{escape(cell)}" for cell in row[: len(keys)]]
        + [f'<td class="n">{escape(cell)}' for cell in row[len(keys) :]]
        for row in zip(*columns, strict=True)
    ]
    more = len(groups) - len(some)
    note = f"<p>{more} more points are in the Parquet file.</p>" if more else ""
    return _html_table(heading, rows) + note


def _mean(group: Group, metric: str, label: Label) -> str:
    found = group.metrics.get(metric)
    part = part_of_runs(group.counts.get(metric, 0), group.runs)
    return with_interval(
        found and scaled(found, label.scale), label.decimals, part if found else ""
    )


def _html_table(heading: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table; cells are HTML, and may begin with their own start tag."""
    # A word joiner: a unit such as Mb/s stays in one line.
    names = "".join(
        f'<th scope="col">{escape(name).replace("/", "/&#8288;")}</th>' for name in heading
    )
    body = "".join(
        "<tr>"
        + "".join(f"{cell if cell.startswith('<td') else f'<td>{cell}'}</td>" for cell in row)
        + "</tr>"
        for row in rows
    )
    return (
        f'<div class="scroll"><table><thead><tr>{names}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def _figures(
    table: pa.Table,
    keys: Sequence[str],
    shown: Sequence[str],
    scenario: Mapping[str, object],
) -> Iterator[str]:
    plan = _plan(table, keys)
    if plan is None:
        return
    every = [(metric, fixed) for metric in shown for fixed in plan.fixed]
    for k, (metric, fixed) in enumerate(every[:MAX_FIGURES]):
        part = table
        for key, value in fixed.items():
            part = part.filter(pc.equal(part[key], value))
        if part[metric].null_count == part.num_rows:
            continue
        label = labels.metric(metric, downlink_sender({"scenario": scenario}))
        where = [_fixed(labels.key(key, scenario), value) for key, value in fixed.items()]
        title = ", ".join([f"{label.text} over {labels.key(plan.x, scenario).text}", *where])
        caption = escape(title[0].upper() + title[1:])
        svg = inline_svg(plot(part, plan.x, metric, plan.by), f"f{k}", title)
        yield f"<figure>{svg}<figcaption>{caption}.</figcaption></figure>"
    if len(every) > MAX_FIGURES:
        yield f"<p>{len(every) - MAX_FIGURES} more figures: see <code>evenair plot</code>.</p>"


def _fixed(label: Label, value: Value) -> str:
    """Return a key and its value: "buffer: 20 packets"."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    unit = f" {label.unit}" if is_number and label.unit else ""
    return f"{label.text}: {labels.value_in_unit(value, label)}{unit}"


def _plan(table: pa.Table, keys: Sequence[str]) -> _Plan | None:
    """Choose the horizontal axis: the key with most values, numbers first; None without any."""
    values = {key: table[key].unique().to_pylist() for key in keys}
    varied = {key: found for key, found in values.items() if len(found) > 1}
    if not varied:
        return None

    def preference(key: str) -> tuple[bool, int]:
        return not any(isinstance(value, str) for value in varied[key]), len(varied[key])

    x = max(varied, key=preference)
    by = [key for key in varied if key != x]
    fixed: list[str] = []
    while prod(len(varied[key]) for key in by) > MAX_LINES:
        fixed.append(by.pop(0))
    combinations = product(*(varied[key] for key in fixed))
    return _Plan(x, by, [dict(zip(fixed, each, strict=True)) for each in combinations])


def _repeat(table: pa.Table, origin: Mapping[str, Any], name: str, runs: int) -> str:
    """Return the command that makes the table again or, of a table made in Python, the call."""
    command = origin.get("command")
    if command:
        return f"<pre>{escape(f'{command} --out {shlex.quote(name)}')}</pre>"
    values = {key: table[key].unique().to_pylist() for key in origin["keys"]}
    grid = {key: [_python(value) for value in found] for key, found in values.items()}
    seed = pc.min(table["seed"]).as_py()
    call = f"ea.sweep(ea.load('scenario.toml'), {grid!r}, runs={runs}, seed={seed}, out={name!r})"
    return (
        "<p>With the scenario below in <code>scenario.toml</code>, in Python:</p>"
        f"<pre>{escape(f'import evenair as ea{chr(10)}{call}')}</pre>"
    )


def _python(value: Value) -> object:
    """Return a value as it was given: a table is JSON text in the column."""
    return json.loads(value) if isinstance(value, str) and value[:1] in ("{", "[") else value


_PAGE = Template("""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>$title</title>
<style>
:root { color-scheme: light dark;
  --paper: #ffffff; --ink: #1a1a1a; --soft: #555555; --rule: #d9d9d9; --tint: #f5f5f5; }
@media screen and (prefers-color-scheme: dark) {
  :root { --paper: #16181d; --ink: #e8e8e8; --soft: #a9afb8; --rule: #3d434c; --tint: #20242b; }
}
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper);
  max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; line-height: 1.25; }
h2 { font-size: 1.2rem; margin-top: 2.2rem; border-bottom: 1px solid var(--rule); }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem; }
dt, figcaption { color: var(--soft); } dd { margin: 0; overflow-wrap: anywhere; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: .86rem; margin: .8rem 0; }
th, td { border-bottom: 1px solid var(--rule); padding: .3rem .7rem; text-align: left; }
th { vertical-align: bottom; border-bottom: 2px solid var(--soft); }
td { vertical-align: top; }
td.n { font-family: ui-monospace, monospace; white-space: pre; }
.figures { display: grid; gap: 1.5rem;
  grid-template-columns: repeat(auto-fit, minmax(24rem, 1fr)); }
figure { margin: 0; } figcaption { font-size: .86rem; }
pre { background: var(--tint); padding: .8rem; overflow-x: auto; font-size: .82rem; }
@page { size: landscape; margin: 1cm; }
@media print {
  body { max-width: none; margin: 0; font-size: 10pt; }
  figure, tr { break-inside: avoid; } h2 { break-after: avoid; }
  .figures { grid-template-columns: 1fr 1fr; }
  pre { white-space: pre-wrap; } .scroll { overflow: visible; } table { font-size: 7pt; }
  th, td { padding: .2rem .4rem; }
}
$css</style>
</head>
<body>
<h1>$title</h1>
<dl>$facts</dl>
<h2 id="varied">What was varied</h2>
$varied
<h2 id="results">Results</h2>
<p>Means over the runs of a point, ± the half-width of the 95% confidence interval (Student's t over
the seeds); without it there was a single run.</p>
$results
<h2 id="figures">Figures</h2>
<div class="figures">$figures</div>
<h2 id="repeat">How to repeat it</h2>
$repeat
<h2 id="scenario">Scenario</h2>
<pre>$scenario</pre>
</body>
</html>
""")
