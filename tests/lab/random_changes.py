"""Random changes of a scenario on the page, made in the page: moves of controls, and edits."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random

    from lab_page import LabPage

WORDS = (
    '"', "'", "=", "[", "]]", "{", "\n", "\x00", "é", "\U0001f4a9", "-1", "0", "1e308", "inf",
    "nan", "true", "1979-05-27", '"unlimited"', '"1 ns"', '"40 Gbps"', "99999999999999999999",
)  # fmt: skip
"""What edits insert."""

CHANGE = Path(__file__).with_name("random_changes.js").read_text()


def make(lab: LabPage, chance: random.Random, count: int, moves: float = 0.7) -> None:
    """Make `count` changes. The part `moves` of them are moves of controls, the others edits."""
    changes = [
        {
            "isMove": chance.random() < moves,
            "numbers": [chance.random() for _ in range(3)],
            "pause": chance.choice((0, 0, 5, 20)),  # ms
        }
        for _ in range(count)
    ]
    lab.page.evaluate(CHANGE, [changes, WORDS])
