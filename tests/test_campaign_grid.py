"""What --vary says: values, ranges, and the scenarios that come of them."""

from __future__ import annotations

import json
from decimal import Decimal

import evenair as ea
import pytest
from evenair.campaign.grid import Grid
from evenair.campaign.precision import Precision, parse_precision
from evenair.campaign.storage.identity import Identity
from evenair.text import toml
from evenair.text.axis import AxisError, make_axis, parse_axis
from hypothesis import given
from hypothesis import strategies as st

# What may stand on a command line: TOML's 64-bit numbers, text that can be printed, tables, lists.
TEXTS = st.text(st.characters(exclude_categories=["C", "Z"], include_characters=" "))
SCALARS = st.booleans() | st.integers(-(2**63), 2**63 - 1) | TEXTS
VALUES = st.recursive(
    SCALARS | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)


@given(st.lists(VALUES, min_size=1, max_size=5, unique_by=toml.value))
def test_values_are_what_was_written(values: list[object]) -> None:
    texts = [toml.value(value) for value in values]
    axis = parse_axis(f"key={','.join(texts)}") if len({*map(repr, values)}) else None
    assert axis is not None
    assert [text.strip() for text in axis.texts] == texts


@given(st.text(max_size=40))
def test_any_text_is_read_or_message_in_one_line(text: str) -> None:
    try:
        axis = parse_axis(text)
    except AxisError as error:
        message = str(error)
    else:
        message = "\n".join(axis.texts[:0])
        assert len(axis.texts) == len(axis.values) >= 1
    assert "\n" not in message


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("10:1000:x10", [10, 100, 1000]),
        ("20:100:x1.5", [20, 30, 45, 68]),  # 67.5 is rounded to the even number; 101.25 is beyond
        ("1:3:x1.2", [1, 2, 3]),  # each once
        ("0.001:0.01:x2", [0.001, 0.002, 0.004, 0.008]),
        ("1,5:20:x2", [1, 5, 10, 20]),
        ("1e6:8e6:x2", [1000000, 2000000, 4000000, 8000000]),
    ],
)
def test_ranges_by_a_factor(text: str, values: list[float]) -> None:
    assert parse_axis(f"k={text}").values == values


@pytest.mark.parametrize(
    "text", ["10:100:x1", "100:10:x2", "0:10:x2", "-4:-1:x2", "1:1e20:x1.00001"]
)
def test_a_factor_must_lead_to_the_end(text: str) -> None:
    with pytest.raises(AxisError, match=r"k: got .* (xFACTOR does not lead|at most 1000000)"):
        parse_axis(f"k={text}")


@given(
    st.integers(-1000, 1000), st.integers(0, 50), st.integers(1, 100), st.sampled_from([0, 1, 2])
)
def test_ranges_include_what_they_hit(start: int, count: int, step: int, places: int) -> None:
    """Ranges are exact in decimal: 0.1:0.3:0.1 ends at 0.3 in spite of binary rounding."""
    unit = Decimal(1).scaleb(-places)
    numbers = [str((start + k * step) * unit) for k in range(count + 1)]
    text = f"k={numbers[0]}:{numbers[-1]}:{step * unit}"
    assert parse_axis(text).values == [float(number) for number in numbers]
    if step > 1:
        longer = f"k={numbers[0]}:{(start + count * step + 1) * unit}:{step * unit}"
        assert parse_axis(longer).values == parse_axis(text).values


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("k=10:150:10", list(range(10, 151, 10))),
        ("k=10:15:10", [10]),
        ("k=3:1:-1", [3, 2, 1]),
        ("k=1,2.5", [1.0, 2.5]),
        ("k=1:3:1,10", [1, 2, 3, 10]),
        ("k=1:2,3:1", ["1:2", "3:1"]),
        ("k=las,droptail", ["las", "droptail"]),
        ('k="1",2', ["1", "2"]),
        ("k=11 Mbps,5.5 Mbps", ["11 Mbps", "5.5 Mbps"]),
        ("k=60,150 KB", ["60", "150 KB"]),
        ("k=true,false", [True, False]),
        ('k=\'a,b\',"c,\\"d"', ["a,b", 'c,"d']),
        ('k={kind="las",limit=60},las', ['{"kind": "las", "limit": 60}', "las"]),
    ],
)
def test_values(text: str, values: list[object]) -> None:
    found = parse_axis(text).values
    assert found == values
    assert [type(value) for value in found] == [type(value) for value in values]


@pytest.mark.parametrize(
    "text",
    [
        *(
            "k",
            "=1",
            "k=",
            "k=1,,2",
            "k=1,1",
            "k=las,las",
            "k={a=1",
            "k=[1",
            "k=1}",
            'k="a',
        ),
        *("k=1:2:0", "k=1:2:-1", "k=1:1e9:1", "k=1:2:3:4", "k=a\nb"),
    ],
)
def test_bad_values_name_the_key(text: str) -> None:
    with pytest.raises(AxisError, match=r"^(k|got)"):
        parse_axis(text)


def test_python_values() -> None:
    numpy = pytest.importorskip("numpy")
    assert make_axis("k", range(3)).values == [0, 1, 2]
    assert make_axis("k", numpy.array([1.5, 2.0])).values == [1.5, 2.0]
    assert make_axis("k", numpy.arange(2)).values == [0, 1]
    assert make_axis("k", "10:30:10").values == [10, 20, 30]
    assert make_axis("k", [{"kind": "las"}]).texts == ('{ kind = "las" }',)
    with pytest.raises(AxisError, match=r"^k: "):
        make_axis("k", [object()])
    for values in ([1], "1,2"):
        with pytest.raises(AxisError, match=r"^'\\ud800': .*surrogates not allowed$"):
            make_axis("\ud800", values)
    with pytest.raises(ea.CampaignError, match=r"^vary: duration: got no value"):
        ea.sweep("gong2006", {"duration": []}, runs=1)


def test_a_table_comes_before_what_is_in_it() -> None:
    """No axis overwrites another, in any order of the options."""
    axes = [parse_axis("cell.queue.limit=10,20"), parse_axis('cell.queue={kind="las",limit=60}')]
    grid = Grid(ea.load("gong2006")._core, axes)
    resolved = [json.loads(scenario.resolved_json()) for _, scenario in grid.scenarios()]
    limits = [document["cell"]["queue"]["limit"] for document in resolved]
    assert limits == [10, 20]
    assert [key for key, _ in grid.overrides(0)] == ["cell.queue", "cell.queue.limit"]
    assert [grid.values(k) for k in range(2)] == list(grid.points())


def test_an_identity_is_the_hash_of_a_canonical_document() -> None:
    import hashlib

    from evenair import _core

    scenario = ea.load("gong2006")
    document = {
        "scenario": {key: value for key, value in scenario.resolved.items() if key != "name"},
        "seed": 7,
        "result_version": _core.RESULT_VERSION,
        "version": ea.__version__,
    }
    canonical = json.dumps(document, sort_keys=True, separators=(",", ":"))
    identity = Identity(json.dumps(scenario.resolved))
    assert identity.of(7) == hashlib.sha256(canonical.encode()).digest()
    assert identity.of(8) != identity.of(7)


def test_precision() -> None:
    rule = parse_precision("jain_index:1%", None, None)
    assert rule == Precision("jain_index", 0.01, 3, 1000)
    assert parse_precision("jain_index:1%", 1, 50) == Precision("jain_index", 0.01, 3, 50)
    assert parse_precision("jain_index:1%", 10, 50).min_runs == 10
    assert not rule.met([1.0])
    assert rule.met([1.0, 1.0, 1.0])
    assert rule.met([0.0, 0.0, 0.0])
    # Student's t with two degrees of freedom is 4.303: 4.303 * 0.004 / sqrt(3) is 0.00994.
    assert rule.met([0.996, 1.0, 1.004])
    assert not rule.met([0.9959, 1.0, 1.0041])
    assert [rule.next(n) for n in (3, 5, 8, 900)] == [5, 8, 12, 1000]
