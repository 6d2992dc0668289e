"""Rebuild figure 4b of Gong et al. (2006) as docs/images/fairness.svg, with its data beside it.

`make pictures` runs it: 600 runs of 300 s, some 15 s on two processors.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from evenair.papers import gong2006


def main(folder: Path) -> None:
    """Write fairness.svg and fairness.csv to `folder`."""
    with tempfile.TemporaryDirectory() as temporary:
        report = Path(temporary) / "report"
        gong2006.rebuild(["4b"], False, report)
        shutil.copyfile(report / "fig4b.svg", folder / "fairness.svg")
        shutil.copyfile(report / "data" / "fig4b.csv", folder / "fairness.csv")


if __name__ == "__main__":
    main(Path(__file__).parent)
