"""A remark on the limit that a queue keeps when its kind is changed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from evenair._core import ScenarioError
from evenair.cli.terminal import print_error

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Mapping, Sequence

    from evenair._core import Scenario as CoreScenario
    from evenair.campaign.grid import Grid

_LINUX = {"codel": 1000, "dualpi2": 10_000, "fq-codel": 10_240, "pie": 1000}
"""Packets that disciplines of these names hold in Linux where nothing is set.

The manual pages tc-codel(8), tc-fq_codel(8) and tc-pie(8), and net/sched/sch_dualpi2.c of
Linux 6.17; of FQ-CoDel also RFC 8290, section 5.2.3.
"""


def remark_on_limits(
    arguments: argparse.Namespace,
    document: CoreScenario,
    overrides: Iterable[tuple[str, str]],
) -> None:
    """Say which queues keep a limit that is not Linux's, of those whose kind overrides set.

    `document` is the scenario with the overrides, or with none of those that set a kind.
    A comparison of kinds at the limit of a short FIFO queue misleads: a queue that manages its
    delay then drops packets because it is full.
    """
    if arguments.quiet:
        return
    pairs = list(overrides)
    keys = {key for key, _ in pairs}
    kinds: dict[str, list[str]] = {}
    for key, value in pairs:
        path = key.removesuffix(".kind")
        kind = value.strip().strip("\"'")
        if path.split(".")[-1] == "queue" and f"{path}.limit" not in keys and kind in _LINUX:
            kinds.setdefault(path, []).append(kind)
    for path, found in kinds.items():
        limit = _limit(document, path)
        unlike = [kind for kind in dict.fromkeys(found) if _differs(limit, _LINUX[kind])]
        if unlike:
            texts = " and ".join(f"{kind} (Linux: {_LINUX[kind]} packets)" for kind in unlike)
            shown = f"{limit} packets" if isinstance(limit, int) else limit
            print_error(f"{path}.limit stays {shown} with {texts}; set it to change that")


def remark_on_grid(arguments: argparse.Namespace, document: CoreScenario, grid: Grid) -> None:
    """Do the same for the axes of a grid and what --set has changed; `document` is without axes."""
    axes = [(axis.key, text) for axis in grid.axes for text in axis.texts]
    remark_on_limits(arguments, document, [*arguments.set, *axes])


def _differs(limit: Any, linux: int) -> bool:
    """Return whether a limit is not about that of Linux: one in bytes, or another magnitude."""
    if isinstance(limit, int):
        return not linux / 2 < limit < linux * 2
    return isinstance(limit, str) and limit != "unlimited"


def _limit(document: CoreScenario, path: str) -> Any:
    """Return the limit of a queue as it was written, or its default; None if there is no queue."""
    written = _queue(json.loads(document.document_json()), path)
    if "limit" in written:
        return written["limit"]
    try:
        return _queue(json.loads(document.resolved_json()), path).get("limit")
    except ScenarioError:  # what is varied makes it valid
        return None


def _queue(document: Any, path: str) -> Mapping[str, Any]:
    """Return the table at a dotted path of a document; an empty one if there is none."""
    found = document
    for step in path.split("."):
        found = _step(found, step)
    return found if isinstance(found, dict) else {}


def _step(found: Any, step: str) -> Any:
    if isinstance(found, dict):
        return found.get(step)
    items: Sequence[Any] = found if isinstance(found, list) else []
    return items[int(step)] if step.isdigit() and int(step) < len(items) else None
