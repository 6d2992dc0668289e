"""Numbers as tables show them: the digits that an interval justifies, decimal points aligned."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import pytest
from evenair.cli.printing import console as terminal
from evenair.cli.printing.console import fill, filled, fitting, new_table, open_console
from evenair.statistics import Estimate
from evenair.text import labels
from evenair.text.cells import aligned, mean_alone, with_interval
from rich.console import Console

if TYPE_CHECKING:
    from evenair_command import Evenair


@pytest.mark.parametrize(
    ("mean", "half", "text"),
    [
        # Two significant digits of the half-width, the mean to the same place (GUM, 7.2.6).
        (5.11234, 0.0321, "5.112 ± 0.032"),
        (5.11234, 0.321, "5.11 ± 0.32"),
        (0.11412, 0.0996, "0.11 ± 0.10"),
        (216.4, 12.3, "216 ± 12"),
        (2164.0, 123.0, "2160 ± 120"),
        (-0.004, 0.12, "0.00 ± 0.12"),
        (0.99998, 0.000009, "1.0000 ± 0.0001"),  # at most one digit more than without interval
        (0.5, 0.0, "0.500 ± 0"),
        (0.5, None, "0.500"),
    ],
)
def test_the_interval_decides_how_many_digits_are_shown(
    mean: float, half: float | None, text: str
) -> None:
    assert with_interval(Estimate(mean, half), 3) == text
    assert mean_alone(Estimate(mean, half), 3) == text.partition(" ")[0]
    assert with_interval(None, 3) == "-"
    assert with_interval(Estimate(1.0, None), 1, "1 of 2 runs") == "1.0 (1 of 2 runs)"


def test_decimal_points_are_aligned() -> None:
    assert aligned(["0.970 ± 0.021", "12.5 ± 1.3", "-", "3 (1 of 2 runs)"]) == [
        " 0.970 ± 0.021".ljust(28),
        "12.5   ± 1.3".ljust(28),
        " -".ljust(28),
        f" 3{' ' * 12} (1 of 2 runs)",
    ]
    assert aligned([]) == []


def test_a_table_keeps_the_alignment(capsys: pytest.CaptureFixture[str]) -> None:
    table = new_table("name")
    table.add_column("value\n(Mb/s)", justify="right")
    open_console().print(fill(table, [("a", "1.25"), ("b", "10")]))
    # On a pipe: plain text, and no line characters.
    assert capsys.readouterr().out.isascii()
    assert [row.rstrip() for row in table.columns[1].cells] == ["  1.25", " 10"]
    assert table.columns[1].header == " value\n(Mb/s)"


def test_the_widest_table_that_fits_is_shown() -> None:
    tables = []
    for width in (100, 60, 20):
        table = new_table()
        table.add_column("x" * width)
        tables.append(table)
    for width, found in ((120, 0), (80, 1), (10, 2)):
        assert fitting(Console(width=width, file=io.StringIO()), tables) is tables[found]
    assert filled(["aaa", "bbb", "cc"], 8) == ["aaa  bbb", "cc"]


def test_another_encoding_has_no_box_glitches(monkeypatch: pytest.MonkeyPatch) -> None:
    file = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(terminal.sys, "stdout", file)
    console = open_console()
    table = new_table()
    table.add_column("value", justify="right")
    console.print(fill(table, [("1.0 ± 0.2",)]))
    file.flush()
    text = file.buffer.getvalue().decode()  # type: ignore[attr-defined]
    assert "1.0 +- 0.2" in text
    assert "?" not in text


def test_words_and_units() -> None:
    for name, text in (
        ("aggregate_goodput_bps", "aggregate goodput (Mb/s)"),
        ("ap_queue_loss_ratio", "AP queue loss (%)"),
        ("rtt_p95_s", "RTT, 95th percentile (ms)"),
        ("ap_queue_delay_max_s", "AP queue delay, largest (ms)"),
        ("something_else_bps", "something else (Mb/s)"),
        ("loss_event_rate", "loss event rate"),
    ):
        assert labels.metric(name).with_unit == text
    assert labels.metric("ap_queue_loss_ratio", "BS").text == "BS queue loss"
    gong = {
        "cell": {"kind": "wimax"},
        "station": [
            {"flows": [{"direction": "up"}]},
            {"flows": [{"direction": "down"}]},
            {"name": "tv", "flows": [{"direction": "down"}]},
        ],
    }
    for name, text in (
        ("cell.queue.limit", "limit of the BS queue (packets)"),
        ("station.0.count", "number of stations with uploads"),
        ("station.1.flows.0.window", "receive window of group 1 (segments)"),
        ("station.2.data_rate", "data rate of tv (Mb/s)"),
        ("cell.short_retry_limit", "short retry limit"),
        ("direction", "direction"),
    ):
        assert labels.key(name, gong).with_unit == text
    assert labels.key("station.0.count").with_unit == "number of stations"
    assert labels.value_text('{"kind": "spm-af", "filtering": "head"}') == (
        "spm-af, filtering = head"
    )
    assert labels.value_text("{not json") == "{not json"


def test_uploads_and_downloads_have_one_name(evenair_here: Evenair) -> None:
    """Nothing that the commands print says upstream or downstream."""
    commands = ("run", "testbed", "compare", "sweep", "tune", "plot", "report", "model")
    shown = [
        evenair_here("run", "gong2006", "--set", "duration=1").stdout,
        evenair_here("model").stdout,
    ]
    shown += [evenair_here(command, "--help").stdout for command in commands]
    assert all(shown)
    assert "stream" not in "".join(shown)
