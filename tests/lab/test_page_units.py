"""What the page saves says in which unit it is."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from lab_page import LabPage

# Of each picture the last column, whose scale is that of the picture's axis.
COLUMNS = {
    "queue": "packets",
    "cwnd": "cwnd_segments",
    "rtt": "rtt_p50_ms",
    "goodput-over-time": "goodput_mbps",
}


def test_tables_of_pictures_over_time_name_the_unit(lab: LabPage, tmp_path: Path) -> None:
    [run] = lab.export()
    lab.show("Pictures")
    tables = {}
    for name in COLUMNS:
        figure = lab.page.locator(f'figure[data-picture="{name}"]')
        figure.locator("summary").click()
        with lab.page.expect_download() as download:
            figure.get_by_role("button", name="Data (CSV)").click()
        download.value.save_as(tmp_path / "table.csv")
        with (tmp_path / "table.csv").open(newline="") as file:
            tables[name] = list(csv.DictReader(file))
    assert {name: [*rows[0]][-1] for name, rows in tables.items()} == COLUMNS

    # The mean over time of a flow's goodput is that of the run.
    for flow in run["flows"]:
        rows = [row for row in tables["goodput-over-time"] if row["line"] == flow["id"]]
        over_time = [float(row["goodput_mbps"]) for row in rows]
        mean = sum(over_time) / len(over_time)
        assert mean == pytest.approx(flow["goodput_bps"] / 1e6, rel=0.01)
