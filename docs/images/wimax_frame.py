"""Draw docs/images/wimax-frame.svg: the frame of 802.16, to scale, at 1:1 and at 6:1.

The cell has 7 MHz, frames of 5 ms, a cyclic prefix of 1/16, 64QAM 3/4 and one station. Run it as
`.venv/bin/python docs/images/wimax_frame.py [FILE]`.
"""

from __future__ import annotations

import sys
from pathlib import Path

from evenair.plot.style import new_figure, styled, write_figure
from matplotlib.patches import Patch, Rectangle

SLOT_MS = 0.5e-3
"""A physical slot, 4 / Fs, with Fs = 8 MHz."""
SYMBOL = 68
"""Physical slots of a symbol: 64 and the cyclic prefix."""
TTG = 10
FRAME = 10_000

LOOK = {
    "preamble, FCH": ("#4d4d4d", ""),
    "DL-MAP, UL-MAP": ("#b5cfe6", "///"),
    "data": ("#ffffff", ""),
    "ranging": ("#f3d9a4", ".."),
    "bandwidth requests": ("#d98c5f", "xxx"),
    "symbol before a burst": ("#000000", ""),
    "TTG, RTG, unused": ("#dddddd", "\\\\\\"),
}
"""Colour and hatching of each part of the frame."""


def parts(downlink: int) -> list[tuple[str, int, int]]:
    """Return name, symbols and physical slots of each part, with so many symbols of downlink."""
    uplink = (FRAME - 2 * TTG) // SYMBOL - downlink
    before, region = "symbol before a burst", "ranging"
    symbols = [("preamble, FCH", 3), ("DL-MAP, UL-MAP", 6), (before, 1), ("data", downlink - 10)]
    answer = [(region, 11), (before, 1), ("bandwidth requests", 6), (before, 1)]
    answer.append(("data", uplink - 19))
    sized = [(name, count, count * SYMBOL) for name, count in symbols]
    sized.append(("TTG, RTG, unused", 0, TTG))
    sized += [(name, count, count * SYMBOL) for name, count in answer]
    used = sum(slots for _, _, slots in sized)
    return [*sized, ("TTG, RTG, unused", 0, FRAME - used)]


def main(path: Path) -> None:
    """Write the figure to `path`."""
    with styled():
        figure, (axes,) = new_figure(panel=(7.4, 2.9))
        for row, downlink in enumerate([73, 125]):
            start = 0.0
            for name, symbols, slots in parts(downlink):
                width = slots * SLOT_MS
                color, hatch = LOOK[name]
                axes.add_patch(
                    Rectangle(
                        (start, row - 0.22), width, 0.44, fc=color, hatch=hatch, ec="k", lw=0.5
                    )
                )
                if symbols == 1:
                    axes.text(start + width / 2, row + 0.27, "1", ha="center", va="top")
                elif symbols:
                    axes.text(start + width / 2, row - 0.27, f"{symbols}", ha="center")
                start += width
            edge = downlink * SYMBOL * SLOT_MS
            for left, right, text in [(0, edge, "downlink"), (edge, 5, "uplink")]:
                axes.text((left + right) / 2, row - 0.5, text, ha="center", style="italic")
        axes.set_yticks([0, 1], ["1:1", "6:1"])
        axes.set_ylim(1.6, -0.75)
        axes.set_xlim(0, 5)
        axes.set_xlabel("time from the start of the frame (ms); numbers are symbols of 34 us")
        axes.set_ylabel("downlink : uplink")
        axes.grid(visible=False)
        patches = [
            Patch(fc=color, hatch=hatch, ec="k", lw=0.5, label=name)
            for name, (color, hatch) in LOOK.items()
        ]
        figure.legend(handles=patches, loc="outside upper center", ncols=4)
        write_figure(figure, path)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "docs/images/wimax-frame.svg"))
