"""What the plots of a test show."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evenair.plot.presets import Curve, Panel, plot_test
from evenair.plot.style import run_title
from evenair.presets.mixes import DOWNLOAD, HTTP, PING, UPLOAD, VOIP
from evenair.presets.samples import samples

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.figure import Figure

    from evenair.presets.mixes import Preset

_PANELS = {
    (DOWNLOAD,): ("download per flow", "Mb/s", False),
    (UPLOAD,): ("upload per flow", "Mb/s", False),
    (PING, VOIP): ("delay", "ms", True),
    (HTTP,): ("page load", "ms", True),
}
"""The panels by how the names of their series begin. One without series is left out."""


def draw(documents: Sequence[Mapping[str, Any]], preset: Preset, kind: str) -> Figure:
    """Draw a test: the series of the first run; of several runs the distributions together."""
    runs = [samples(document, preset) for document in documents]
    panels = []
    for starts, (name, unit, is_delay) in _PANELS.items():
        curves = [
            Curve(
                label,
                series.values,
                [value for run in runs for value in run.under_load(run.series[k])],
            )
            for k, series in enumerate(runs[0].series)
            if series.of and (label := _label(series.name, starts))
        ]
        if curves:
            panels.append(Panel(name, unit, curves, is_delay))
    shown = documents[:1] if kind == "all" else documents
    return plot_test(run_title(shown, " together"), runs[0].times, runs[0].load, panels, kind)


def _label(series: str, starts: Sequence[str]) -> str:
    """Return how a legend names a series; nothing if it belongs to another panel."""
    start = next((start for start in starts if series.startswith(start)), None)
    if start is None:
        return ""
    named = {VOIP: "VoIP, one way", HTTP: "large page"}
    return named.get(start, series.removeprefix(start).strip())
