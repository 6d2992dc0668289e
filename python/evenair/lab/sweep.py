"""A sweep of the page: `python -m evenair.lab.sweep`, with the job as a line of JSON on its input.

It writes to its output what `evenair sweep` writes to its live file, and at last how it has ended.
It ends when its input does, that is, with the server.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evenair._core import RunError, read_no_files
from evenair._core import Scenario as CoreScenario
from evenair.campaign.errors import CampaignError
from evenair.campaign.grid import Grid
from evenair.campaign.live import about
from evenair.campaign.sweep import run_campaign
from evenair.files.live import Live
from evenair.text.axis import parse_axis
from evenair.text.messages import reason

if TYPE_CHECKING:
    from types import FrameType

_MOST_RUNS = 100_000
"""Their metrics are in the memory of the server, and of the page."""


def main() -> None:
    """Do the job."""
    signal.signal(signal.SIGTERM, _interrupt)
    read_no_files()
    job = json.loads(sys.stdin.buffer.readline())
    threading.Thread(target=_end_with_input, daemon=True).start()
    try:
        outcome = _run(job)
    except KeyboardInterrupt:
        outcome = {"state": "cancelled"}
    except (ValueError, RunError) as error:
        outcome = {"state": "failed", "message": " ".join(str(error).split())}
    except OSError as error:
        outcome = {"state": "failed", "message": reason(error)}
    _Output().write(json.dumps(outcome))


class _Output(Live):
    """Standard output."""

    @property
    def is_open(self) -> bool:
        return True

    def write(self, *lines: str) -> None:
        sys.stdout.write("".join(f"{line}\n" for line in lines))
        sys.stdout.flush()


def _run(job: dict[str, Any]) -> dict[str, Any]:
    scenario = CoreScenario.from_toml(job["toml"].encode(errors="replace"), "scenario")
    grid = Grid(scenario, [parse_axis(text) for text in job["vary"]])
    if len(grid) * job["runs"] > _MOST_RUNS:
        raise CampaignError(
            f"runs: {len(grid)} points with {job['runs']} runs each, expected at most {_MOST_RUNS}"
            " in all; use evenair sweep for more, and follow it"
        )
    output = _Output()
    output.write(json.dumps(about(grid)))
    campaign = run_campaign(
        grid,
        job["runs"],
        seed=job["seed"],
        out=Path(job["out"]),
        jobs=None,
        cluster=None,
        until=None,
        max_runs=None,
        table_names=("runs",),
        force=False,
        progress=None,
        base=None,
        live=output,
    )
    failures = [
        {"values": failure.values, "seed": failure.seed, "reason": failure.reason}
        for failure in campaign.failures
    ]
    return {"state": "done", "runs": campaign.table.num_rows, "failures": failures}


def _interrupt(number: int, frame: FrameType | None) -> None:
    signal.signal(number, signal.SIG_IGN)  # a second one must not stop the clean-up
    raise KeyboardInterrupt


def _end_with_input() -> None:
    while sys.stdin.buffer.read(1 << 16):
        pass
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    main()
