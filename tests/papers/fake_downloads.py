"""Made-up runs of Tsiknas and Stamatelos (2012): for tests that need documents, not truth."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evenair.papers.runs import Runs
from evenair.papers.tsiknas2012.comparison import NAMES
from evenair.papers.tsiknas2012.wimax import Wimax

if TYPE_CHECKING:
    from collections.abc import Callable

    from evenair.papers.tsiknas2012.downloads import Effort
    from evenair.papers.tsiknas2012.wimax import Point

ORDER = list(NAMES)


def document(point: Point, seed: int) -> dict[str, Any]:
    """Return a made-up result: goodput falls with the error rate and with congestion."""
    order = ORDER.index(point.transport)
    if isinstance(point, Wimax):
        return _wimax(point, seed, order)
    goodput = 4e6 - 2e7 * point.rate + 1e5 * order * (point.rate >= 0.01) + 1e3 * seed
    return {
        "version": "0.0.0",
        "scenario": {"name": "made up"},
        "flows": [{"goodput_bps": goodput * (0.5 if point.congested else 1.0)}],
    }


def _wimax(point: Wimax, seed: int, order: int) -> dict[str, Any]:
    """12 Mb/s less 100 Mb/s * PER, 0.5 Mb/s more from one variant to the next, 5% for a ratio's r.

    Halved by congestion; a sixth for each of six stations. The window is 10 + 5 * the order.
    """
    goodput = (12e6 - 1e8 * point.rate + 5e5 * order) * (1 + 0.05 * (point.ratio or 0)) + 1e3 * seed
    goodput *= {1: 1.0, 2: 0.5, 3: 1 / 6}[point.scenario_number]
    flow = {"goodput_bps": goodput, "fast_retransmits": 7, "timeouts": 1}
    result: dict[str, Any] = {
        "version": "0.0.0",
        "scenario": {"name": "made up"},
        "flows": [flow] * (6 if point.scenario_number == 3 else 1),
        "jain_index": 1 - point.rate,
        "ap_queue": {"arrivals": 1010, "drops": 10},
        "losses": {"error": 2},
    }
    if point.traced:
        window = {"cwnd": [None, *(10.0 + 5 * order for _ in range(59))]}
        result["series"] = {"time_s": [float(k) for k in range(60)], "flows": {"down-1": window}}
    return result


def simulate(
    points: list[Point], effort: Effort, progress: Callable[[int, int], None] | None
) -> Runs[Point]:
    """Stand in for the simulator."""
    keys = [(point, seed) for point in points for seed in effort.seeds]
    return Runs(effort.seeds, {key: document(*key) for key in keys})
