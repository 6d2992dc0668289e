"""What `evenair run` prints of a WiMAX cell: the frame and requests."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evenair.statistics import estimate
from evenair.text.cells import scaled, with_interval

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evenair.result import RunResult


def frame_lines(runs: Sequence[RunResult]) -> Iterator[str]:
    """Return the symbols of each part and their use, and the counts of bandwidth requests."""
    frame = runs[0].document["frame"]
    yield f"frame: {frame['symbols']} symbols"
    for name, key in (("downlink", "dl"), ("uplink", "ul")):
        used = scaled(estimate([run.document["frame"][f"{key}_utilization"] for run in runs]), 100)
        yield (
            f"  {name} {frame[f'{key}_symbols']}, {frame[f'{key}_data_symbols']} of them for data:"
            f" {frame[f'{key}_capacity_bps'] / 1e6:.2f} Mb/s, {with_interval(used, 1)} % used"
        )
    counts = 0 if len(runs) == 1 else 1
    requests = (
        f"{name.replace('_', ' ')} {with_interval(estimate(sample), counts)}"
        for name, sample in (
            (name, [run.document["requests"][name] for run in runs])
            for name in ("sent", "collided", "retried", "given_up")
        )
    )
    yield f"bandwidth requests: {', '.join(requests)}"
