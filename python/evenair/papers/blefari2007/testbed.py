"""Figures 4 to 11 with the runs of the test-bed beside those of the simulator."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from matplotlib.ticker import MultipleLocator

from evenair.papers.beside import SIMULATOR, TESTBED
from evenair.papers.blefari2007.cells import Cell, Effort, over_stations
from evenair.papers.blefari2007.drawing import DOWN, GOODPUTS, RATE, TOTAL, UP
from evenair.papers.blefari2007.quantities import flows_mbps, jain_index, queue_loss
from evenair.papers.claims import number
from evenair.papers.curves import from_zero, label, with_bars
from evenair.papers.figures import Beside, Table
from evenair.plot.style import legend_above, new_figure, styled

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from evenair.papers.claims import Claim
    from evenair.papers.runs import Document, Runs

_GOODPUT = "TCP goodput (Mb/s)"


def evidence(claim: Claim[Cell], effort: Effort) -> tuple[str, str]:
    """Return what a verdict of the test-bed is worth: a test if its runs are as the paper's."""
    dynamic = all(cell.traffic == "dynamic" for cell in claim.measure.points)
    if dynamic and effort.schedule == 1.0:
        return "test", ""
    if dynamic:
        how = f"dynamic traffic has the times of Tab. 2 multiplied by {effort.schedule:g}"
    else:
        stations = ", ".join(map(str, effort.stations))
        how = (
            f"static traffic is measured for {effort.duration_s:g} s after a warm-up of "
            f"{effort.warmup_s:g} s instead of 300 s from the start, at N = {stations}"
        )
    return "post-hoc", f"{how}; chosen when the simulator's results were known."


def over_n(scheme: str) -> Beside[Cell, Effort]:
    """Return figure 4 or 8: goodput over N, and a table with the test-bed's other figures."""
    return Beside(
        lambda effort: (
            f"Static traffic: an upload and a download of each station, {effort.duration_s:g} s "
            f"after a warm-up of {effort.warmup_s:g} s, on both. {_spread(effort)}"
        ),
        partial(_over_n, scheme=scheme),
    )


def single_stations(scheme: str) -> Beside[Cell, Effort]:
    """Return figure 5 or 9: goodput of each station's flows."""
    return Beside(
        lambda effort: (
            f"Static traffic, {effort.duration_s:g} s after a warm-up of {effort.warmup_s:g} s. "
            "The first seed; the two runs are independent."
        ),
        partial(_single_stations, scheme=scheme),
    )


def over_time(scheme: str, traffic: str = "static") -> Beside[Cell, Effort]:
    """Return figure 6, 7, 10 or 11: goodput in each second, and R."""
    return Beside(
        lambda effort: (
            f"{_schedule(effort) if traffic == 'dynamic' else _static(effort)} The first seed. "
            "Goodput of each second." + ("" if scheme == "off" else " R: what the policer lets up.")
        ),
        partial(_over_time, scheme=scheme, traffic=traffic),
    )


def _spread(effort: Effort) -> str:
    if len(effort.seeds) > 2:
        return f"Bars: 95% interval over {len(effort.seeds)} runs."
    return "One run each."


def _static(effort: Effort) -> str:
    return f"Static traffic; time 0 is the end of a warm-up of {effort.warmup_s:g} s."


def _schedule(effort: Effort) -> str:
    scaled = "" if effort.schedule == 1.0 else f", its times multiplied by {effort.schedule:g}"
    return f"Dynamic traffic, Tab. 2{scaled}, N = 6."


def _over_n(
    simulated: Runs[Cell], measured: Runs[Cell], effort: Effort, *, scheme: str
) -> tuple[Figure, Table]:
    along = over_stations(scheme, effort)
    n = [x for x, _ in along]
    with styled():
        figure, (axes,) = new_figure()
        for runs, name in ((simulated, SIMULATOR), (measured, TESTBED)):
            for _, line, quantity in GOODPUTS:
                keywords = line.keywords() | {"label": f"{line.label}, {name}"}
                # Lines without markers, markers without lines: legible without colour.
                keywords |= {"marker": ""} if runs is simulated else {"linestyle": "none"}
                values = [runs.estimate(cell, quantity) for _, cell in along]
                with_bars(axes, n, values, len(runs.seeds), keywords)
        label(axes, "Number of stations, N", _GOODPUT)
        axes.xaxis.set_major_locator(MultipleLocator(1))
        from_zero(axes)
        legend_above(figure, axes, 2)
    header = ["engine", "stations"]
    for name in (*(name for name, _, _ in GOODPUTS), "jain_index", "queue_loss_ratio"):
        header += [name if name in _PLAIN else f"{name}_mbps", f"{name}_ci95"]
    rows: list[tuple[object, ...]] = []
    printed = []
    for x, cell in along:
        sim, bed = (
            [runs.estimate(cell, quantity) for quantity in _QUANTITIES]
            for runs in (simulated, measured)
        )
        late = max(_lateness_ms(measured.documents[cell, seed]) for seed in measured.seeds)
        for name, values, lateness in (("sim", sim, None), ("testbed", bed, late)):
            rows.append((name, x, *(part for value in values for part in value), lateness))
        differences = [
            100 * (b.mean / s.mean - 1) if s.mean else float("nan")
            for s, b in zip(sim[:3], bed[:3], strict=True)
        ]
        printed.append(
            [
                f"{x:g}",
                *(f"{number(s)} / {number(b)}" for s, b in zip(sim, bed, strict=True)),
                " / ".join(f"{difference:+.0f}%" for difference in differences),
                f"{late:.2g}",
            ]
        )
    return figure, Table((*header, "p99_lateness_ms"), rows, (_TITLES, printed))


_QUANTITIES: tuple[Callable[[Document], float], ...] = (
    *(quantity for _, _, quantity in GOODPUTS),
    jain_index,
    queue_loss,
)
_PLAIN = ("jain_index", "queue_loss_ratio")
_TITLES = (
    "N",
    "Up (Mb/s), simulator / test-bed",
    "Down (Mb/s)",
    "Total (Mb/s)",
    "Jain's index",
    "Loss in the access point's queue",
    "Difference: up / down / total",
    "Greatest p99 lateness (ms)",
)


def _lateness_ms(document: Document) -> float:
    return 1e3 * float(document["testbed"]["lateness_s"]["p99"])


def _single_stations(
    simulated: Runs[Cell], measured: Runs[Cell], effort: Effort, *, scheme: str
) -> tuple[Figure, Table]:
    seed = effort.seeds[0]
    table = Table(("engine", "station", "up_mbps", "down_mbps"), [])
    with styled():
        figure, (axes,) = new_figure()
        for runs, name in ((simulated, SIMULATOR), (measured, TESTBED)):
            document = runs.documents[Cell(scheme), seed]
            up, down = (flows_mbps(direction, document) for direction in ("up", "down"))
            engine = "sim" if runs is simulated else "testbed"
            pairs = enumerate(zip(up, down, strict=True), start=1)
            table.rows.extend((engine, k, *pair) for k, pair in pairs)
            for rates, line, shift, hatch in ((up, UP, -0.2, "//"), (down, DOWN, 0.2, "")):
                places = [k + shift for k in range(1, len(rates) + 1)]
                text = f"{line.label}, {name}"
                if runs is simulated:
                    edge: dict[str, Any] = {"edgecolor": "black", "linewidth": 0.6}
                    axes.bar(places, rates, 0.4, color=line.color, label=text, hatch=hatch, **edge)
                    continue
                axes.plot(
                    places,
                    rates,
                    linestyle="none",
                    marker=line.marker,
                    markersize=8.0,
                    markerfacecolor="white",
                    markeredgecolor="black",
                    markeredgewidth=1.3,
                    label=text,
                    clip_on=False,
                    zorder=4,
                )
        label(axes, "Station", _GOODPUT)
        from_zero(axes)
        legend_above(figure, axes, 2)
    return figure, table


def _over_time(
    simulated: Runs[Cell], measured: Runs[Cell], effort: Effort, *, scheme: str, traffic: str
) -> tuple[Figure, Table]:
    table = Table(("engine", "time_s", "up_mbps", "down_mbps", "total_mbps", "rate_mbps"), [])
    with styled():
        figure, panels = new_figure(rows=2, panel=(7.2, 2.6), share=True)
        for axes, runs, name in zip(
            panels, (simulated, measured), (SIMULATOR, TESTBED), strict=True
        ):
            document = runs.documents[Cell(scheme, traffic=traffic), effort.seeds[0]]
            engine = "sim" if runs is simulated else "testbed"
            _panel(axes, document["series"], engine, table)
            axes.set_title(name)
            axes.set_ylabel(_GOODPUT)
            from_zero(axes)
        panels[-1].set_xlabel("Time (s)")
        legend_above(figure, panels[0], 4)
    return figure, table


def _panel(axes: Axes, series: Document, engine: str, table: Table) -> None:
    """Draw the series of one run, and add them to the table."""
    times = series["time_s"]
    up, down = ([bps / 1e6 for bps in series[name]] for name in ("up_bps", "down_bps"))
    total = [a + b for a, b in zip(up, down, strict=True)]
    for values, line in ((total, TOTAL), (up, UP), (down, DOWN)):
        axes.plot(times, values, **line.over_time(len(times)))
    rounds = [(sample["t_s"], sample["rate_bps"] / 1e6) for sample in series["limiter"]]
    if rounds:
        keywords = RATE.keywords() | {"linewidth": 1.1}
        axes.plot([t for t, _ in rounds], [rate for _, rate in rounds], **keywords)
    for k, time in enumerate(times):
        # The rounds of the daemon do not end with the samples: the last one before counts.
        known = [rate for t, rate in rounds if t <= time + 1e-6]
        table.rows.append((engine, time, up[k], down[k], total[k], known[-1] if known else None))
