"""What plots and summaries average: runs, not flows, and only the runs that have a metric."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import evenair as ea
import matplotlib as mpl
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from evenair.campaign.figure import plot
from evenair.campaign.summary import summarize
from evenair.cli.printing.run import print_result
from evenair.result import RunResult, RunSet

if TYPE_CHECKING:
    from pathlib import Path

    from evenair_command import Evenair
    from matplotlib.figure import Figure

T_2 = 4.302652729911275
"""The 0.975 quantile of Student's t with two degrees of freedom (a table of the distribution)."""


def flows_table() -> pa.Table:
    """Three seeds of two flows up and one down; up means are 1, 2, 3 Mb/s, down 10 each."""
    rows = [
        {"limit": 5, "seed": seed, "id": name, "direction": name[:-2], "goodput_bps": value * 1e6}
        for seed in (1, 2, 3)
        for name, value in (("up-1", seed - 1.0), ("up-2", seed + 1.0), ("down-1", 10.0))
    ]
    about = {b"evenair": json.dumps({"keys": ["limit"]}).encode()}
    return pa.Table.from_pylist(rows).replace_schema_metadata(about)


def drawn(figure: Figure) -> dict[str, tuple[list[Any], list[float], list[float]]]:
    """Return abscissas, means and half-widths of each line, by label."""
    lines = {}
    for line in figure.axes[0].containers:
        points, _, (bars,) = line.lines
        half = [(top - bottom) / 2 for (_, bottom), (_, top) in bars.get_segments()]
        lines[line.get_label()] = (list(points.get_xdata()), list(points.get_ydata()), half)
    return lines


def test_flows_are_averaged_per_run_before_the_interval() -> None:
    figure = plot(flows_table(), "limit", "goodput_bps", ["direction"])
    lines = drawn(figure)
    assert list(lines) == ["uploads", "downloads"]
    assert lines["uploads"] == ([5], pytest.approx([2]), pytest.approx([T_2 * 1 / 3**0.5]))
    assert lines["downloads"] == ([5], pytest.approx([10]), pytest.approx([0]))
    assert figure.axes[0].get_title().startswith("means of 3 runs per point, each the mean of")

    (everything,) = drawn(plot(flows_table(), "limit", "goodput_bps")).values()
    # Per seed (0 + 2 + 10)/3 = 4, 14/3, 16/3: standard deviation 2/3.
    assert everything[1:] == (pytest.approx([14 / 3]), pytest.approx([T_2 * 2 / 3 / 3**0.5]))


def test_flows_by_id() -> None:
    lines = drawn(plot(flows_table(), "limit", "goodput_bps", ["id"]))
    assert {name: mean for name, (_, (mean,), _) in lines.items()} == pytest.approx(
        {"up-1": 1, "up-2": 3, "down-1": 10}
    )
    over_id = drawn(plot(flows_table(), "id", "goodput_bps", ["limit"]))["5"]
    assert over_id[1] == pytest.approx([1, 3, 10])
    assert over_id[2] == pytest.approx([T_2 / 3**0.5, T_2 / 3**0.5, 0])


def test_numbers_in_the_legend_have_the_unit_of_their_key() -> None:
    rows = [
        {"cell.queue.limit": limit, "wired.delay": delay, "seed": 1, "jain_index": 1.0}
        for limit in (10, 20)
        for delay in (0.002, 0.05)
    ]
    figure = plot(pa.Table.from_pylist(rows), "cell.queue.limit", "jain_index", ["wired.delay"])
    assert list(drawn(figure)) == ["2", "50"]
    (legend,) = figure.legends
    assert legend.get_title().get_text() == "delay of the wired link (ms)"


def test_the_table_of_flows_of_a_sweep(evenair_here: Evenair, tmp_path: Path) -> None:
    command = ("sweep", "gong2006", "--set", "duration=2", "--vary", "cell.queue.limit=10,20")
    assert evenair_here(*command, "--runs", "3", "--flows", "--out", "x.parquet").returncode == 0
    axes = ("--x", "cell.queue.limit", "--y", "goodput_bps", "--by", "direction")
    done = evenair_here("plot", "x-flows.parquet", *axes)
    assert (done.returncode, done.stderr) == (0, "")
    runs = pq.read_table(tmp_path / "x.parquet").to_pylist()
    lines = drawn(plot(pq.read_table(tmp_path / "x-flows.parquet"), axes[1], axes[3], [axes[5]]))
    for direction in ("up", "down"):
        # The table of runs has the mean of each direction's flows: the same numbers another way.
        samples = [
            [r[f"mean_{direction}_goodput_bps"] / 1e6 for r in runs if r[axes[1]] == limit]
            for limit in (10, 20)
        ]
        half = [T_2 * np.std(sample, ddof=1) / 3**0.5 for sample in samples]
        means = [np.mean(sample) for sample in samples]
        assert lines[f"{direction}loads"] == ([10, 20], pytest.approx(means), pytest.approx(half))
    done = evenair_here("plot", "x-flows.parquet", *axes[:4], "--by", "group")
    assert done.returncode == 2
    assert "--by: group: no row has a value" in done.stderr


def test_flows_by_group(evenair_here: Evenair, tmp_path: Path) -> None:
    """Two video flows and one of no group, by one command without a varied key."""
    (tmp_path / "cell.toml").write_text(
        """
        duration = "2 s"
        [[station]]
        name = "tv"
        count = 2
        flows = [{ name = "stream", group = "video", direction = "down" }]
        [[station]]
        flows = [{ direction = "up" }]
        """
    )
    command = ("sweep", "cell.toml", "--runs", "3", "--flows", "--out", "my.parquet")
    assert evenair_here(*command).returncode == 0
    table = pq.read_table(tmp_path / "my-flows.parquet")
    rows = table.to_pylist()
    assert [(row["name"], row["group"], row["application"]) for row in rows[:3]] == [
        ("stream-1", "video", "bulk"),
        ("stream-2", "video", "bulk"),
        (None, None, "bulk"),
    ]
    done = evenair_here("plot", "my-flows.parquet", "--y", "goodput_bps", "--by", "group")
    assert (done.returncode, done.stderr) == (0, "")
    figure = plot(table, None, "goodput_bps", ["group"])
    assert [text.get_text() for text in figure.axes[0].get_xticklabels()] == ["video", "(none)"]
    ((_, means, half),) = drawn(figure).values()
    for place, group in enumerate(("video", None)):
        flows = [row for row in rows if row["group"] == group]
        sample = [
            np.mean([row["goodput_bps"] / 1e6 for row in flows if row["seed"] == seed])
            for seed in (1, 2, 3)
        ]
        assert means[place] == pytest.approx(np.mean(sample))
        assert half[place] == pytest.approx(T_2 * np.std(sample, ddof=1) / 3**0.5)


def test_the_default_abscissa() -> None:
    lines = drawn(plot(flows_table(), None, "goodput_bps", ["direction"]))
    assert lines["uploads"][:2] == ([5], pytest.approx([2]))
    for by, message in (
        ([], r"^x: missing; expected a column$"),
        (["limit"], r"^x: missing; expected one of queue, window$"),
    ):
        about = {b"evenair": json.dumps({"keys": ["limit", "queue", "window"] if by else []})}
        with pytest.raises(ValueError, match=message):
            plot(flows_table().replace_schema_metadata(about), None, "goodput_bps", by)


def test_text_in_plots_is_literal(tmp_path: Path) -> None:
    rows = [{"name": name, "seed": 1, "y": 1.0} for name in ("$$", "_a", "$x$")]
    table = pa.Table.from_pylist(rows).append_column("x", pa.array([1, 2, 3]))
    figure = plot(table, "x", "y", ["name"])
    with mpl.rc_context({"svg.fonttype": "none"}):
        plot(table, "name", "y").savefig(tmp_path / "x.svg")
        figure.savefig(tmp_path / "by.svg")
    for name in ("$$", "_a", "$x$"):
        assert f">{name}<" in (tmp_path / "x.svg").read_text()
        assert f"{name}<" in (tmp_path / "by.svg").read_text()


def partial_table() -> pa.Table:
    """Ten runs at each of three points: all, nine and none have a session."""
    rows = [
        {"limit": limit, "seed": seed, "mean_session_s": value}
        for limit, missing in ((1, 0), (2, 1), (3, 10))
        for seed in range(1, 11)
        for value in [None if seed <= missing else float(seed)]
    ]
    return pa.Table.from_pylist(rows)


def test_runs_without_a_metric_are_left_out_and_counted() -> None:
    groups = summarize(partial_table(), ["limit"], ["mean_session_s"])
    assert [group.runs for group in groups] == [10, 10, 10]
    assert [group.counts.get("mean_session_s") for group in groups] == [10, 9, None]
    assert [group.metrics["mean_session_s"].mean for group in groups[:2]] == [5.5, 6.0]
    figure = plot(partial_table(), "limit", "mean_session_s")
    (line,) = drawn(figure).values()
    assert line[:2] == ([1, 2], [5.5, 6.0])
    assert [text.get_text() for text in figure.axes[0].texts] == ["", "9 of 10 runs"]
    assert "1 of 3 points left out: no run has a value" in figure.axes[0].get_title()


def test_tables_count_the_runs_that_have_a_metric(capsys: pytest.CaptureFixture[str]) -> None:
    text = ea.run(ea.load("gong2006").with_(duration=1)).json
    runs = RunSet([RunResult(text) for _ in range(3)])
    del runs.runs[0].document["ap_queue"]["loss_ratio"]
    runs.runs[2].document["flows"][0]["mean_rtt_s"] = None
    assert runs.counts["ap_queue_loss_ratio"] == 2
    summary = json.loads(runs.json)["summary"]
    assert summary["ap_queue_loss_ratio"]["runs"] == 2
    assert summary["jain_index"]["runs"] == 3
    assert summary["ap_queue_loss_ratio"]["mean"] == runs.runs[1].metrics["ap_queue_loss_ratio"]
    print_result(runs)
    printed = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in printed if "(2 of 3 runs)" in line] == ["up-1", "aggregate"]


def test_a_sweep_counts_the_runs_that_have_a_metric(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    from evenair.campaign.result import Campaign
    from evenair.cli.printing.sweep import print_campaign

    whole = ea.sweep("gong2006", {"duration": [1]}, runs=3)
    column = whole.table.column_names.index("jain_index")
    values = [None, *whole.table["jain_index"].to_pylist()[1:]]
    table = whole.table.set_column(column, "jain_index", pa.array(values))
    campaign = Campaign({"runs": table}, ["duration"], [], [], 3, 0, None)
    assert campaign.summary()["jain_index_runs"].to_pylist() == [2]
    assert campaign.summary()["aggregate_goodput_bps_runs"].to_pylist() == [3]
    print_campaign(campaign, tmp_path / "x.parquet")
    assert capsys.readouterr().out.count("(2 of 3 runs)") == 1


def table_of(x: list[Any], y: list[float], seeds: int = 1) -> pa.Table:
    """Return a table with `y` per value of the key `limit` and seed, seed by seed."""
    rows = [
        {"limit": value, "seed": seed, "mean_rtt_s": y[k * seeds + seed]}
        for k, value in enumerate(x)
        for seed in range(seeds)
    ]
    about = {b"evenair": json.dumps({"keys": ["limit"]}).encode()}
    return pa.Table.from_pylist(rows).replace_schema_metadata(about)


def ticks(figure: Figure) -> list[str]:
    """Return the texts at the horizontal axis."""
    figure.canvas.draw()
    return [text.get_text() for text in figure.axes[0].get_xticklabels() if text.get_text()]


def test_whole_numbers_have_whole_ticks() -> None:
    texts = ticks(plot(table_of([2, 3, 4, 5], [0.1] * 4), "limit", "mean_rtt_s"))
    assert texts
    assert all(text.isdigit() for text in texts)
    texts = ticks(plot(table_of([0.5, 1.0, 1.5], [0.1] * 3), "limit", "mean_rtt_s"))
    assert any(not text.isdigit() for text in texts)


def test_logarithmic_axes_have_plain_numbers() -> None:
    table = table_of([10, 100, 1000], [0.001, 0.01, 0.1])
    figure = plot(table, "limit", "mean_rtt_s", log="xy")
    axes = figure.axes[0]
    assert (axes.get_xscale(), axes.get_yscale()) == ("log", "log")
    assert {"10", "100", "1000"} <= {*ticks(figure)}
    assert all(text.replace(".", "").isdigit() for text in ticks(figure))
    figure = plot(table, "limit", "mean_rtt_s", log="y")
    assert (figure.axes[0].get_xscale(), figure.axes[0].get_yscale()) == ("linear", "log")


def test_sizes_are_shown_as_they_were_written() -> None:
    table = table_of(["15 KB", "1.5 MB", "150 KB"], [0.1, 0.3, 0.2])
    assert ticks(plot(table, "limit", "mean_rtt_s")) == ["15 KB", "1.5 MB", "150 KB"]
    figure = plot(table, "limit", "mean_rtt_s", log="x")
    assert ticks(figure) == ["15 KB", "150 KB", "1.5 MB"]
    # KB is 1000 bytes; they are in the order of their sizes, a line leads through them.
    ((places, means, _),) = drawn(figure).values()
    assert places == pytest.approx([15e3, 150e3, 1.5e6])
    assert means == pytest.approx([100, 200, 300])


def test_boxes_have_quartiles_and_range_of_the_runs() -> None:
    """Of 1 to 5 ms: median 3, quartiles 2 and 4 (Hyndman and Fan's definition 7)."""
    table = table_of([7, 2], [0.004, 0.001, 0.003, 0.005, 0.002, *[0.01] * 5], seeds=5)
    figure = plot(table, "limit", "mean_rtt_s", kind="box")
    axes = figure.axes[0]
    assert ticks(figure) == ["2", "7"]
    assert axes.get_title() == "median, quartiles and range of 5 runs per point"
    heights = [sorted({round(y, 9) for y in box.get_path().vertices[:, 1]}) for box in axes.patches]
    assert [10.0] in heights
    assert [2.0, 4.0] in heights
    lines = [{*np.round(line.get_ydata(), 9)} for line in axes.lines]
    assert {3.0} in lines  # the median
    assert {1.0, 2.0} in lines  # the whiskers
    assert {4.0, 5.0} in lines


@pytest.mark.parametrize(
    ("x", "y", "options", "message"),
    [
        ([0, 10], [0.1, 0.2], {"log": "x"}, "^log: x: limit has values that are not above 0"),
        ([1, 10], [0.0, 0.2], {"log": "y"}, "^log: y: mean_rtt_s has values that are not above 0"),
        (["las", "pie"], [0.1, 0.2], {"log": "x"}, "^log: x: limit: expected numbers, or quant"),
        # Packets and bytes.
        (["60", "90 KB"], [0.1, 0.2], {"log": "x"}, "^log: x: limit: expected numbers, or quant"),
        ([1, 10], [0.1, 0.2], {"log": "x", "kind": "box"}, "^log: x: there is no logarithmic"),
        ([1, 10], [0.1, 0.2], {"log": "z"}, "^log: got 'z', expected 'x', 'y' or 'xy'"),
        ([1, 10], [0.1, 0.2], {"kind": "bar"}, "^kind: got 'bar', expected 'line' or 'box'"),
    ],
)
def test_what_cannot_be_drawn_is_told(
    x: list[Any], y: list[float], options: dict[str, str], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        plot(table_of(x, y), "limit", "mean_rtt_s", **options)


def test_the_command_draws_boxes_and_logarithmic_axes(
    evenair_here: Evenair, tmp_path: Path
) -> None:
    pq.write_table(table_of([1, 10], [0.1, 0.2]), tmp_path / "x.parquet")
    command = ("plot", "x.parquet", "--y", "mean_rtt_s")
    for k, options in enumerate(((), ("--log", "x", "--log", "y"), ("--kind", "box"))):
        assert evenair_here(*command, *options, "--out", f"{k}.svg").returncode == 0
    drawings = {(tmp_path / f"{k}.svg").read_bytes() for k in range(3)}
    assert len(drawings) == 3
    for options, message in (
        (("--log", "z"), "argument --log: invalid choice: 'z'"),
        (("--kind", "bar"), "argument --kind: invalid choice: 'bar'"),
        (("--kind", "box", "--log", "x"), "--log: x: there is no logarithmic axis of boxes"),
    ):
        done = evenair_here(*command, *options)
        assert (done.returncode, done.stderr.count("\n")) == (2, 1)
        assert done.stderr.startswith(f"evenair: {message}")
