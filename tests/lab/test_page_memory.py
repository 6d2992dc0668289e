"""What the page keeps of the changes before."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest
import random_changes
from scenarios import SHORT

if TYPE_CHECKING:
    from lab_page import LabPage

# A result of SHORT with its series has about a tenth of it.
ALLOWED_MB = 1


@pytest.mark.timeout(600)
def test_controls_leave_nothing_behind(lab: LabPage) -> None:
    """No result, no chart and no worker of earlier changes.

    Edits of the text are left out: of each of the last thousand the browser's own undo keeps the
    lines that were on the screen, some 9 KB. So the heap grows by 9 MB and no more.
    """
    chance = random.Random(4)
    heap = []
    for _ in range(3):
        random_changes.make(lab, chance, 150, moves=1)
        lab.edit(SHORT)
        lab.settle()
        lab.complete()
        heap.append(lab.heap_mb())
    print("JS heap", *(f"{value:.1f}" for value in heap), "MB")
    # The first changes fill caches.
    assert heap[2] < heap[1] + ALLOWED_MB
