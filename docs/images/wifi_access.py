"""Draw docs/images/wifi-access.svg: two accesses with A-MPDU and Block Ack in 802.11n, to scale.

HT at 20 MHz, MCS 7, guard interval 0.8 us, best effort, MPDUs of 1,538 bytes. Run it as
`.venv/bin/python docs/images/wifi_access.py [FILE]`.
"""

from __future__ import annotations

import sys
from pathlib import Path

from evenair.plot.style import new_figure, styled, write_figure
from matplotlib.patches import Patch, Rectangle

AIFS, SLOT, SIFS = 43.0, 9.0, 16.0
PREAMBLE, SYMBOL, SYMBOL_BITS = 36.0, 4.0, 260
BLOCK_ACK = 32.0
MPDU, SUBFRAME = 1538, 1544

LOOK = {
    "AIFS": ("#dddddd", "\\\\\\"),
    "backoff": ("#ffffff", "..."),
    "PHY preamble": ("#4d4d4d", ""),
    "MPDU received": ("#ffffff", ""),
    "MPDU lost": ("#d98c5f", "xxx"),
    "Block Ack": ("#b5cfe6", "///"),
}
"""Colour and hatching of each part."""


def ends(mpdus: int) -> list[float]:
    """Return when each MPDU has arrived, us after the preamble: with the symbol of its last bit."""
    bits = [16 + 8 * (SUBFRAME * number + 4 + MPDU) for number in range(mpdus)]
    return [SYMBOL * -(-each // SYMBOL_BITS) for each in bits]


ACCESSES = [
    (3, [(1, True), (2, False), (3, True)], "101", {1: "1"}),
    (2, [(2, True), (4, True), (5, True)], "1111", {2: "2, 3", 4: "4", 5: "5"}),
]
"""Of each access: slots of backoff, numbers of its MPDUs and whether they arrive, the bitmap of the
Block Ack from the oldest MPDU on, and what is passed on with which MPDU."""


def main(path: Path) -> None:
    """Write the figure to `path`."""
    with styled():
        figure, (axes,) = new_figure(panel=(7.4, 2.9))
        for row, (slots, mpdus, bitmap, passed_on) in enumerate(ACCESSES):

            def box(start: float, width: float, name: str, text: str = "", row: int = row) -> float:
                color, hatch = LOOK[name]
                place, ink = (start, row - 0.22), "w" if name == "PHY preamble" else "k"
                axes.add_patch(Rectangle(place, width, 0.44, fc=color, hatch=hatch, ec="k", lw=0.5))
                label = {"ha": "center", "va": "center", "color": ink}
                if text:
                    label["bbox"] = {"fc": "w", "ec": "none", "pad": 1.0}
                    axes.text(start + width / 2, row, text, **label)
                return start + width

            time = box(0.0, AIFS, "AIFS")
            time = box(time, slots * SLOT, "backoff")
            time = box(time, PREAMBLE, "PHY preamble")
            start = time
            for (number, arrives), end in zip(mpdus, ends(len(mpdus)), strict=True):
                name = "MPDU received" if arrives else "MPDU lost"
                time = box(time, start + end - time, name, str(number))
                if number in passed_on:
                    axes.annotate(
                        f"{passed_on[number]} passed on",
                        (time, row + 0.24),
                        (time, row + 0.5),
                        ha="center",
                        va="center",
                        arrowprops={"arrowstyle": "<-", "lw": 0.7},
                    )
            time = box(time + SIFS, BLOCK_ACK, "Block Ack")
            axes.text(time + 6, row, f"bitmap {bitmap}", va="center")
        axes.set_yticks([0, 1], ["first\naccess", "second\naccess"])
        axes.set_ylim(1.75, -0.4)
        axes.set_xlim(0, 860)
        axes.set_xlabel("time from the end of the last frame (us)")
        axes.grid(visible=False)
        patches = [
            Patch(fc=color, hatch=hatch, ec="k", lw=0.5, label=name)
            for name, (color, hatch) in LOOK.items()
        ]
        figure.legend(handles=patches, loc="outside upper center", ncols=3)
        write_figure(figure, path)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "docs/images/wifi-access.svg"))
