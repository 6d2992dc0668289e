"""docs/real-stacks.md: its tables and figures show what was measured."""

from __future__ import annotations

import math
import re
import statistics
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "validation" / "testbed"))

from real_stacks_cases import (  # noqa: E402
    BUFFERS,
    CONTROLS,
    QUEUES,
    SCHEMES,
    SEEDS,
    Runs,
    cases,
    row_of,
)
from real_stacks_figures import LIMITS  # noqa: E402
from real_stacks_tables import left_out, tables, verdicts  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Callable

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def runs() -> Runs:
    return Runs.load()


def rates(run: dict[str, Any], direction: str, group: str | None = None) -> list[float]:
    return [
        flow["goodput_bps"]
        for flow in run["flows"]
        if flow["direction"] == direction and group in (None, flow["group"])
    ]


def jain(run: dict[str, Any]) -> float:
    goodputs = [flow["goodput_bps"] for flow in run["flows"]]
    # 1 / (1 + c^2) with the coefficient of variation c (R. Jain 1991).
    variation = statistics.pstdev(goodputs) / statistics.fmean(goodputs)
    return 1 / (1 + variation**2)


def mean(runs: Runs, case: str, value: Callable[[dict[str, Any]], float], engine: str) -> float:
    return statistics.fmean(value(run) for run in runs.of(case, engine))


class Picture:
    """A figure whose curves are read back from their coordinates."""

    def __init__(self, name: str) -> None:
        root = ET.parse(ROOT / "docs" / "images" / f"real-stacks-{name}.svg").getroot()
        self._corners = {group.get("id"): corners(group) for group in root.iter(f"{SVG}g")}

    def curve(self, panel: str, name: str) -> list[tuple[float, float]]:
        """Return the marks of a curve or the corners of a bar, in the units of its panel."""
        area = self._corners[f"{panel}-area"]
        left, right = min(x for x, _ in area), max(x for x, _ in area)
        top, bottom = min(y for _, y in area), max(y for _, y in area)
        (x0, x1), (y0, y1) = LIMITS[panel]
        if panel == "rtt":
            y0, y1 = math.log10(y0), math.log10(y1)
        found = []
        for x, y in self._corners[name]:
            value = y0 + (bottom - y) / (bottom - top) * (y1 - y0)
            found.append((x0 + (x - left) / (right - left) * (x1 - x0), value))
        return [(x, 10**y) for x, y in found] if panel == "rtt" else found


def corners(group: ET.Element) -> list[tuple[float, float]]:
    """Return where a group has marks; without any, the corners of its first path."""
    marks = [(float(mark.get("x", 0)), float(mark.get("y", 0))) for mark in group.iter(f"{SVG}use")]
    path = group.find(f"{SVG}path")
    if marks or path is None:
        return marks
    numbers = [float(text) for text in re.findall(r"-?\d+(?:\.\d+)?", path.get("d", ""))]
    return list(zip(numbers[::2], numbers[1::2], strict=False))


def test_all_cases_were_measured_in_time_and_simulated(runs: Runs) -> None:
    for name, case in cases().items():
        measured = runs.of(name, "testbed")
        assert [run["seed"] for run in measured] == list(SEEDS), name
        assert all(0 < run["late_p99_s"] <= 2e-3 for run in measured), name
        assert len(runs.of(name, "sim")) == (5 if case.simulated else 0), name


def test_a_stored_run_is_a_run_of_its_case() -> None:
    """A row of the simulator is what its scenario gives."""
    from evenair import run

    rows = Runs.load().rows
    for name in ("buffer/spm-tail/10", "mixed/cubic/las"):
        found = next(r for r in rows if (r["case"], r["engine"], r["seed"]) == (name, "sim", 2))
        assert row_of(name, run(cases()[name].build(), seed=2).document) == found


def test_the_curves_of_the_figure_are_the_means(runs: Runs) -> None:
    picture = Picture("buffer")
    for engine in ("testbed", "sim"):
        for scheme in SCHEMES:
            curve = picture.curve("buffer", f"{engine}-{scheme}")
            assert len(curve) == len(BUFFERS)
            for limit, (x, y) in zip(BUFFERS, curve, strict=True):
                assert x == pytest.approx(limit, abs=0.2)
                expected = mean(runs, f"buffer/{scheme}/{limit}", jain, engine)
                assert y == pytest.approx(expected, abs=0.002)


def test_the_bars_and_times_of_the_figure_are_the_means(runs: Runs) -> None:
    picture = Picture("controls")
    names = [(queue, control) for queue in QUEUES for control in CONTROLS]
    for queue, control in names:
        base = 0.0
        for direction in ("up", "down"):
            corners = picture.curve("goodput", f"goodput-{direction}-{queue}-{control}")
            heights = [y for _, y in corners]
            case = f"controls/{control}/{queue}"
            total = mean(
                runs, case, lambda run, way=direction: math.fsum(rates(run, way)) / 1e6, "testbed"
            )
            assert min(heights) == pytest.approx(base, abs=0.01)
            assert max(heights) == pytest.approx(base + total, abs=0.01)
            base += total
    for direction in ("up", "down"):
        curve = {round(x): y for x, y in picture.curve("rtt", f"rtt-{direction}")}
        for x, (queue, control) in enumerate(names):
            known = [
                [
                    flow["mean_rtt_s"]
                    for flow in run["flows"]
                    if flow["direction"] == direction and flow["goodput_bps"] >= 50e3
                ]
                for run in runs.of(f"controls/{control}/{queue}", "testbed")
            ]
            # Starved flows have no round-trip time.
            assert (x in curve) == all(known)
            if all(known):
                expected = 1e3 * statistics.fmean(statistics.fmean(run) for run in known)
                assert curve[x] == pytest.approx(expected, rel=0.02)


def test_the_shares_of_the_figure_are_the_means(runs: Runs) -> None:
    picture = Picture("mixed")
    names = [(control, queue) for control in ("cubic", "bbr") for queue in QUEUES]
    for direction in ("up", "down"):
        curve = picture.curve("mixed", f"mixed-{direction}")
        for (control, queue), (_, y) in zip(names, curve, strict=True):

            def share(run: dict[str, Any], way: str = direction, own: str = control) -> float:
                return math.fsum(rates(run, way, own)) / math.fsum(rates(run, way))

            assert y == pytest.approx(
                mean(runs, f"mixed/{control}/{queue}", share, "testbed"), abs=0.004
            )


def test_the_page_has_the_tables(runs: Runs) -> None:
    page = (ROOT / "docs" / "real-stacks.md").read_text()
    for name, table in tables(runs).items():
        assert "\n".join(table) in page, name


def test_las_is_fair_with_real_stacks(runs: Runs) -> None:
    for limit in BUFFERS:
        assert all(jain(run) >= 0.99 for run in runs.of(f"buffer/las/{limit}", "testbed")), limit


def test_every_claim_is_judged_or_left_out_for_a_reason(runs: Runs) -> None:
    from evenair.papers.gong2006 import claims

    judged = verdicts(runs, "testbed")
    assert len(judged) + sum(left_out().values()) == len(claims())
    assert all(len(verdict.per_seed) == len(SEEDS) for verdict in judged)
