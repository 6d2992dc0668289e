"""Channel occupancy and the controller's series in tables, plots and on the terminal."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import evenair as ea
from evenair.campaign.storage.tables import _samples
from evenair.cli.printing.run import print_result
from evenair.tables import traces

if TYPE_CHECKING:
    import pytest

SERIES: dict[str, Any] = {
    "time_s": [1.0, 2.0],
    "ap_queue_data": [3, 4],
    "ap_queue_acks": [0, 0],
    "flows": {"down-1": {"goodput_bps": [1e6, 2e6]}, "down-2": {"goodput_bps": [3e6, 4e6]}},
    "controller": [
        {
            "t_s": 1.0,
            "p_even": 0.5,
            "p_additional": 0.0,
            "shares": {"sta-1": 0.25, "sta-2": 0.75},
            "theta_bps": {"down-1": 1e6, "down-2": None},
        },
        {
            "t_s": 2.0,
            "p_even": 0.49,
            "p_additional": 0.01,
            "shares": {"sta-1": 0.5, "sta-2": 0.5},
            "theta_bps": {"down-1": 2e6, "down-2": 3e6},
        },
    ],
}


def run(seed: int = 1) -> ea.RunResult:
    """Return a made-up run of two stations."""
    flows = [
        {
            "id": f"down-{k}",
            "name": None,
            "station": f"sta-{k}",
            "direction": "down",
            "transport": "tfrc",
            "application": "bulk",
            "goodput_bps": k * 1e6,
            "mean_rtt_s": 0.1,
            "retransmissions": 0,
            "timeouts": 0,
        }
        for k in (1, 2)
    ]
    stations = [
        {
            "id": f"sta-{k}",
            "name": f"STA{k}",
            "airtime_share": 0.2 * k,
            "occupancy_share": 0.25 * k + 0.1 * (seed - 1),
        }
        for k in (1, 2)
    ]
    document = {
        "scenario": {"name": "made up"},
        "seed": seed,
        "duration_s": 10.0,
        "wall_s": 0.1,
        "aggregate_goodput_bps": 3e6,
        "jain_index": 0.9,
        "jain_over": "bulk",
        "jain_occupancy": 0.9,
        "flows": flows,
        "stations": stations,
        "ap_queue": {"loss_ratio": 0.0, "mean_packets": 1.0},
        "series": SERIES,
    }
    return ea.RunResult(json.dumps(document))


def test_the_series_of_the_controller_is_columns() -> None:
    series = run().series
    assert series["controller.p_even"].to_pylist() == [0.5, 0.49]
    assert series["controller.shares.sta-2"].to_pylist() == [0.75, 0.5]
    assert series["controller.theta_bps.down-2"].to_pylist() == [None, 3e6]
    assert series.num_rows == 2
    samples = list(_samples(traces(SERIES)))
    assert {"time_s": 2.0, "flow": None, "quantity": "controller.shares.sta-1", "value": 0.5} in (
        samples
    )


def test_the_plot_has_a_panel_of_the_controller() -> None:
    figure = run().plot()
    # TFRC has no cwnd, so there is no panel of it.
    labels = [axes.get_ylabel() for axes in figure.axes]
    assert labels == ["goodput (Mb/s)", "AP queue (packets)", "channel occupancy (%)"]
    assert all(axes.get_xlim()[1] >= 2.0 for axes in figure.axes[1:])
    axes = figure.axes[-1]
    assert (axes.get_ylabel(), axes.get_xlabel()) == ("channel occupancy (%)", "time (s)")
    lines = {str(line.get_label()): list(line.get_ydata()) for line in axes.lines}
    assert lines == {"STA1": [25, 50], "STA2": [75, 50], "even share": [50, 49]}


def test_the_metric_and_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert run().metrics["jain_occupancy"] == 0.9
    print_result(run())
    out = capsys.readouterr().out
    assert "Jain's index 0.900  Jain's index of occupancy 0.900" in out
    rows = [line.split() for line in out.splitlines()]
    assert ["STA2", "2.000", "40.0", "50.0"] in rows
    # Of two runs with 0.25 and 0.35: Student's t is 12.71, the half-width 12.71 * 0.05.
    print_result(ea.RunSet([run(1), run(2)]))
    assert "30 ± 64" in capsys.readouterr().out
