"""A plot of where the delay of flows is. Importing this module imports matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evenair.diagnosis import PLACES
from evenair.plot.style import legend_above, literal, new_figure, run_title, styled
from evenair.statistics import estimate_known
from evenair.text.messages import downlink_sender, flow_names

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.figure import Figure

_STYLES = {
    "repair": ("#000000", ""),
    "station_queue": ("#0072B2", "//"),
    "ap_queue": ("#D55E00", "\\\\"),
    "ring": ("#E69F00", "xx"),
    "hardware": ("#CC79A7", "--"),
    "air": ("#56B4E9", ""),
    "reorder": ("#009E73", ".."),
    "wired_queue": ("#999999", "||"),
    "wire": ("#ffffff", ""),
}
"""Colour and hatching of each place: neighbours differ in both, or in brightness."""
_MOST_NAMED = 60
"""Of more flows not each is named."""


def plot_places(runs: Sequence[Mapping[str, Any]]) -> Figure:
    """Draw a bar per flow of its mean one-way delay by place; of several runs the mean.

    Flows of which nothing was measured, because no packet arrived, have none. Raises ValueError if
    that is so of all.
    """
    names = [literal(name) for name in flow_names(runs[0])]
    delays = [means_by_place(runs, k) for k in range(len(names))]
    shown = [place for place in PLACES if any(each.get(place, 0.0) > 0 for each in delays)]
    if not shown:
        raise ValueError("kind: got 'places', but where the delay is was not measured")
    with styled():
        height = 1.3 + 0.26 * min(len(names), _MOST_NAMED)
        figure, (axes,) = new_figure(panel=(7.2, height))
        left = [0.0] * len(names)
        for place in shown:
            color, hatch = _STYLES[place]
            widths = [1e3 * each.get(place, 0.0) for each in delays]
            label = PLACES[place].replace("AP", downlink_sender(runs[0]))
            axes.barh(
                range(len(names)),
                widths,
                left=left,
                label=label,
                facecolor=color,
                hatch=hatch,
                edgecolor="black",
                linewidth=0.6,
            )
            left = [start + width for start, width in zip(left, widths, strict=True)]
        step = -(-len(names) // _MOST_NAMED)
        axes.set_yticks(range(0, len(names), step), names[::step])
        axes.tick_params(axis="y", length=0)
        axes.invert_yaxis()
        axes.grid(visible=False, axis="y")
        axes.set_xlim(left=0)
        axes.set_xlabel("mean one-way delay (ms)")
        axes.set_ylabel("flow")
        legend_above(figure, axes, min(len(shown), 5), run_title(runs))
    return figure


def means_by_place(runs: Sequence[Mapping[str, Any]], k: int) -> dict[str, float]:
    """Return the seconds of flow `k` at each place, means over the runs that have them."""
    found = [run["flows"][k].get("delay_by_place_s") for run in runs]
    each = {
        place: estimate_known(None if times is None else times[place]["mean"] for times in found)
        for place in PLACES
    }
    return {place: mean[0].mean for place, mean in each.items() if mean}
