"""What a running campaign says for `evenair lab --follow`: each finished run, also those stored."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from evenair.files.live import Live, LiveFile

if TYPE_CHECKING:
    from pathlib import Path

    from evenair.campaign.grid import Grid
    from evenair.campaign.jobs import Run
    from evenair.campaign.storage.record import Record


def live_path(out: Path) -> Path:
    """Return the live file of a campaign that writes a table."""
    return out.with_name(f"{out.name}.live")


def about(grid: Grid) -> dict[str, Any]:
    """Return the first line of a campaign."""
    keys = [axis.key for axis in grid.axes]
    return {"kind": "sweep", "keys": keys, "scenario": grid.document}


def open_live(out: Path | None, grid: Grid) -> Live:
    """Return the live file of a campaign; one that writes no table has none."""
    return Live() if out is None else LiveFile(live_path(out), about(grid))


def remove_live(out: Path) -> None:
    """Remove the live file of a campaign, if it is there."""
    with suppress(OSError):
        live_path(out).unlink(missing_ok=True)


def run_line(grid: Grid, run: Run, record: Record) -> str:
    """Return the line of a finished run."""
    values = json.dumps(grid.values(run.point), separators=(",", ":"))
    return f'{{"values":{values},"seed":{run.seed},"metrics":{record.metrics}}}'


def progress_line(done: int, total: int) -> str:
    """Return the line that says how many runs are done."""
    return f'{{"done":{done},"total":{total}}}'
