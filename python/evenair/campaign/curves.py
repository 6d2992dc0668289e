"""The curves and boxes of a campaign's figure. Importing this module imports matplotlib."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from evenair.plot.style import numbered
from evenair.statistics import estimate, part_of_runs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes


class Place(NamedTuple):
    """Which of several curves one is."""

    number: int
    total: int
    has_order: bool
    """Whether a line may lead from each point to the next."""


def draw_means(
    axes: Axes,
    places: Sequence[float],
    samples: Sequence[Sequence[float]],
    runs: Sequence[int],
    place: Place,
    label: str,
) -> None:
    """Draw the means of samples with 95% intervals, and which part of the runs has a value."""
    line = numbered(place.number)
    few = place.total < 5
    style = line.layered(place.number, place.total) if few else line.keywords()
    if not place.has_order:
        style["linestyle"] = "none"
    found = [estimate(sample) for sample in samples]
    axes.errorbar(
        places,
        [each.mean for each in found],
        yerr=[each.ci95 or 0.0 for each in found],
        capsize=2.5,
        elinewidth=0.9,
        **style | {"label": label},
    )
    _annotate(axes, places, [each.mean for each in found], samples, runs, line.color)


def draw_boxes(
    axes: Axes,
    places: Sequence[float],
    samples: Sequence[Sequence[float]],
    runs: Sequence[int],
    place: Place,
    label: str,
) -> None:
    """Draw boxes from quartile to quartile with the median; whiskers lead to the extremes."""
    if not places:
        return
    line = numbered(place.number)
    edge = {"color": line.color, "linewidth": 0.9}
    drawn = axes.boxplot(
        [list(sample) for sample in samples],
        positions=list(places),
        widths=0.4 / place.total,
        whis=(0, 100),
        manage_ticks=False,
        patch_artist=True,
        # Pale, so that medians are seen; every other one hatched, for those who see no colours.
        boxprops={
            "facecolor": replace(line, filled=False).bars()["facecolor"],
            "edgecolor": line.color,
            "linewidth": 0.9,
            "hatch": "" if line.filled else "/////",
        },
        medianprops=edge | {"linewidth": 2.2},
        whiskerprops=edge,
        capprops=edge,
    )
    drawn["boxes"][0].set_label(label)
    tops = [max(sample) for sample in samples]
    # Boxes are narrow: text beside one would be over the next.
    _annotate(axes, places, tops, samples, runs, line.color, is_upright=True)


def _annotate(
    axes: Axes,
    places: Sequence[float],
    heights: Sequence[float],
    samples: Sequence[Sequence[float]],
    runs: Sequence[int],
    color: str,
    *,
    is_upright: bool = False,
) -> None:
    where = {"xytext": (0, 4), "rotation": 90, "ha": "center"} if is_upright else {"xytext": (4, 4)}
    for place, height, sample, count in zip(places, heights, samples, runs, strict=True):
        axes.annotate(
            part_of_runs(len(sample), count),
            (place, height),
            textcoords="offset points",
            fontsize="x-small",
            color=color,
            **where,
        )
