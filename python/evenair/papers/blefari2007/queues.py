"""Figures 4 to 11 with two limits of the access point's queue, which the paper does not state."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from importlib.resources import files
from typing import TYPE_CHECKING

from matplotlib.ticker import MultipleLocator

from evenair.papers.blefari2007.cells import Cell, Effort, over_stations
from evenair.papers.blefari2007.drawing import GOODPUTS
from evenair.papers.blefari2007.quantities import (
    PHASE_SETTLING_S,
    SCHEDULE_S,
    down_over_up,
    flows_mbps,
    in_period,
    queue_loss,
    read_term,
)
from evenair.papers.claims import judge, load_claims, measured_text, number, requirement
from evenair.papers.curves import from_zero, label, with_bars
from evenair.papers.figures import Table
from evenair.plot.style import legend_above, new_figure, styled

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from matplotlib.figure import Figure

    from evenair.papers.claims import Claim
    from evenair.papers.measures import Term
    from evenair.papers.runs import Document, Runs

KINDS: dict[int, str] = {60: "802.11b", 120: "queue-120"}
"""Limit of the queue, packets, and a name of cells.CELLS."""
PUBLISHED = tuple(map(str, range(4, 12)))
"""The paper's figures with results."""

PHASES = ((20, 100), (100, 200), (200, 300), (300, 400), (400, SCHEDULE_S))
"""The phases of Tab. 2, seconds."""

_WITH = {"off": "without limiter", "limiter": "with limiter"}
_RATIOS: tuple[Callable[[Document], float], ...] = (down_over_up, queue_loss)


def claims_at(limit: int, effort: Effort) -> list[Claim[Cell]]:
    """Return the claims on the paper's figures with a queue of KINDS."""
    text = (files("evenair.papers.blefari2007") / "claims.toml").read_text(encoding="utf-8")
    claims = load_claims(text, partial(_read_term_at, KINDS[limit], effort))
    return [claim for claim in claims if claim.figure in PUBLISHED]


def _read_term_at(kind: str, effort: Effort, table: Mapping[str, Any]) -> Term[Cell]:
    term = read_term(effort, table)
    return replace(term, points=tuple(replace(point, kind=kind) for point in term.points))


def points_of_claims(effort: Effort) -> set[Cell]:
    """Return the configurations of all claims on the paper's figures, with both queues."""
    return {
        point for limit in KINDS for claim in claims_at(limit, effort) for point in claim.points
    }


def points_over_n(effort: Effort) -> set[Cell]:
    """Return the configurations of figures 4 and 8 with both queues."""
    return {
        cell for scheme in _WITH for limit in KINDS for _, cell in _along(scheme, limit, effort)
    }


def _along(scheme: str, limit: int, effort: Effort) -> list[tuple[float, Cell]]:
    along = over_stations(scheme, effort)
    return [(n, replace(cell, kind=KINDS[limit])) for n, cell in along]


def claims_side_by_side(runs: Runs[Cell], effort: Effort) -> tuple[None, Table]:
    """Make a table of the claims: what is required, and what each queue gives."""
    judged = [judge(claims_at(limit, effort), runs) for limit in KINDS]
    header = ["claim"]
    for limit in KINDS:
        header += [f"measured_{limit}", f"ci95_{limit}", f"outcome_{limit}"]
    rows: list[tuple[object, ...]] = []
    printed = []
    for verdicts in zip(*judged, strict=True):
        claim = verdicts[0].claim
        row: list[object] = [claim.id]
        line = [claim.figure, claim.id, requirement(claim)]
        for verdict in verdicts:
            measured = verdict.measured
            row += [measured.mean, measured.ci95] if measured else [None, None]
            row.append(verdict.outcome)
            line += [measured_text(measured, claim), verdict.outcome]
        rows.append(tuple(row))
        printed.append(line)
    titles = ["Figure", "Claim", "Required"]
    for limit in KINDS:
        titles += [f"Queue of {limit}: measured", "outcome"]
    return None, Table(tuple(header), rows, (titles, printed))


def points_of_quantities(effort: Effort) -> set[Cell]:
    """Return the configurations of figures 5, 7, 9 and 11 with both queues."""
    return {
        Cell(scheme, traffic=traffic, kind=kind)
        for scheme in _WITH
        for traffic in ("static", "dynamic")
        for kind in KINDS.values()
    }


def quantities_side_by_side(runs: Runs[Cell], effort: Effort) -> tuple[None, Table]:
    """Make a table of figures 5 and 9, 7 and 11: single stations, and the phases of Tab. 2."""
    quantities: list[tuple[str, str, str, Callable[[Document], float]]] = []
    for direction in ("up", "down"):
        for name, of in (("smallest", min), ("greatest", max)):
            extreme = partial(_extreme, of, direction)
            quantities.append(("static", f"{name} {direction}", f"{name}_{direction}", extreme))
    for begin, end in PHASES:
        period = ((begin + PHASE_SETTLING_S) * effort.schedule, end * effort.schedule)
        for direction in ("up", "down"):
            of_direction = partial(_of_direction, direction)
            title = f"{direction}, {begin} to {end} s"
            name = f"{direction}_{begin}_{end}"
            quantities.append(("dynamic", title, name, partial(in_period, of_direction, period)))
    header = ["figure", "quantity"]
    titles = ["Figure", "Goodput (Mb/s)"]
    for limit in KINDS:
        header += [f"mbps_{limit}", f"ci95_{limit}"]
        titles.append(f"Queue of {limit}")
    rows: list[tuple[object, ...]] = []
    printed = []
    for scheme, figures in (("off", ("5", "7")), ("limiter", ("9", "11"))):
        for traffic, title, name, quantity in quantities:
            cells = [Cell(scheme, traffic=traffic, kind=kind) for kind in KINDS.values()]
            values = [runs.estimate(cell, quantity) for cell in cells]
            figure = figures[traffic == "dynamic"]
            rows.append((figure, name, *(part for value in values for part in value)))
            printed.append([figure, title, *map(number, values)])
    return None, Table(tuple(header), rows, (titles, printed))


def _extreme(of: Callable[[list[float]], float], direction: str, document: Document) -> float:
    return of(flows_mbps(direction, document))


def _of_direction(direction: str, up: float, down: float) -> float:
    return up if direction == "up" else down


def goodput_over_n(runs: Runs[Cell], effort: Effort) -> tuple[Figure, Table]:
    """Draw figures 4 and 8 with both queues, without limiter above and with it below."""
    names = [f"{name}_mbps" for name, _, _ in GOODPUTS] + ["down_over_up", "queue_loss_ratio"]
    header = ["scheme", "queue_packets", "stations"]
    for name in names:
        header += [name, f"{name}_ci95"]
    quantities = (*(quantity for _, _, quantity in GOODPUTS), *_RATIOS)
    rows: list[tuple[object, ...]] = []
    printed = []
    with styled():
        figure, panels = new_figure(rows=2, panel=(5.2, 2.8), share=True)
        for axes, (scheme, title) in zip(panels, _WITH.items(), strict=True):
            for limit in KINDS:
                along = _along(scheme, limit, effort)
                values = [[runs.estimate(cell, of) for of in quantities] for _, cell in along]
                n = [x for x, _ in along]
                for (x, _), estimates in zip(along, values, strict=True):
                    parts = (part for estimate in estimates for part in estimate)
                    rows.append((scheme, limit, x, *parts))
                    printed.append([title, str(limit), f"{x:g}", *map(number, estimates)])
                for index, (_, line, _) in enumerate(GOODPUTS):
                    keywords = line.keywords() | {"label": f"{line.label}, queue of {limit}"}
                    # Lines without markers, markers without lines: legible without colour.
                    keywords |= {"marker": ""} if limit == min(KINDS) else {"linestyle": "none"}
                    curve = [estimates[index] for estimates in values]
                    with_bars(axes, n, curve, len(runs.seeds), keywords)
            axes.set_title(title)
            axes.set_ylabel("TCP goodput (Mb/s)")
            from_zero(axes)
        label(panels[-1], "Number of stations, N", "TCP goodput (Mb/s)")
        panels[-1].xaxis.set_major_locator(MultipleLocator(1))
        legend_above(figure, panels[0], 2)
    titles = ["Limiter", "Queue", "N", "Up (Mb/s)", "Down (Mb/s)", "Total (Mb/s)"]
    titles += ["Down over up", "Loss in the queue"]
    return figure, Table(tuple(header), rows, (titles, printed))
