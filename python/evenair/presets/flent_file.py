"""flent's data file: JSON, compressed (flent 2.3.0, doc/data-format.rst, version 4)."""

from __future__ import annotations

import gzip
import json
import math
from typing import TYPE_CHECKING, Any

from evenair.presets.mixes import DELAY, STEP
from evenair.presets.samples import samples

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from evenair.presets.mixes import Preset
    from evenair.presets.samples import Series

SUFFIX = ".flent.gz"

_VERSION = 4

_TIME = "1970-01-01T00:00:00.000000Z"
"""When flent's clock says that the test began. A simulation has no such time, and equal runs have
equal files: it is the time 0, and raw values have the time since the beginning of the test."""


def write(document: Mapping[str, Any], preset: Preset, path: Path) -> None:
    """Write the series of the result of a test as flent would have. Equal results, equal bytes."""
    text = json.dumps(_file(document, preset), allow_nan=False, indent=2, sort_keys=True)
    path.write_bytes(gzip.compress(text.encode(), mtime=0))


def _file(document: Mapping[str, Any], preset: Preset) -> dict[str, Any]:
    run = samples(document, preset)
    measured = [series for series in run.series if series.of]
    return {
        "version": _VERSION,
        "x_values": run.times,
        "results": {series.name: series.values for series in run.series},
        "raw_values": {
            series.name: [
                {"t": time, "val": value}
                for time, value in zip(run.times, series.values, strict=True)
                if value is not None
            ]
            for series in measured
        },
        "metadata": {
            "NAME": preset.flent,
            "TITLE": f"{document['scenario'].get('name') or ''} (seed {document['seed']})".strip(),
            "NOTE": f"simulated by evenair {document['version']}",
            "HOST": "server" if preset.clients == 1 else _hosts(document, preset)[0],
            "HOSTS": ["server"] if preset.clients == 1 else _hosts(document, preset),
            "LOCAL_HOST": "evenair",
            "LENGTH": document["duration_s"] - 2 * DELAY,
            "TOTAL_LENGTH": document["duration_s"],
            "STEP_SIZE": STEP,
            "TIME": _TIME,
            "T0": _TIME,
            "IP_VERSION": 4,
            "TEST_PARAMETERS": {},
            "FLENT_VERSION": None,
            "SERIES_META": {series.name: _meta(series) for series in run.series},
        },
    }


def _hosts(document: Mapping[str, Any], preset: Preset) -> list[str]:
    """Return the names of the stations, which stand for the servers of flent's test."""
    stations = document["stations"][: preset.clients]
    return [station["name"] or station["id"] for station in stations]


def _meta(series: Series) -> dict[str, Any]:
    known = [value for value in series.values if value is not None]
    meta: dict[str, Any] = {"UNITS": series.unit}
    if known:
        meta["MEAN_VALUE"] = math.fsum(known) / len(known)
        meta["MIN_VALUE"], meta["MAX_VALUE"] = min(known), max(known)
    return meta
