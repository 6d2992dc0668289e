"""The tests by name: which flows each has, and what differs from flent's.

Source: flent 2.3.0, flent/tests (rrul.conf, rrul_be.conf, rtt_fair4be.conf, voip-rrul.conf,
http-rrul.conf). Series have flent's names, so that its plots find them. What holds for all:

- The load begins 5 s after the test and ends 5 s before it (flent's DELAY), and lasts 60 s
  (LENGTH). Values are of intervals of 200 ms (STEP_SIZE).
- flent's client is the first station of the cell, and its server the wired server: "upload" is from
  the station. The tests with several servers have a station for each instead.
- Round-trip times are those of the application "ping", an echo over UDP every 200 ms. flent has
  ICMP, and netperf's UDP_RR or irtt. ICMP is best effort here as there.
- The pings of a station begin at different times within 200 ms, so that none waits for another.
- A DSCP is an access category: CS0 best effort, CS1 background, CS5 video, and EF voice, as RFC
  8325 and Linux have it. Where the cell has no EDCA, there are no categories.
- TCP is CUBIC with Linux's options.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

DELAY = 5.0
"""Time before the load begins and after it has ended, seconds."""

LENGTH = 60.0
"""Time of the load, seconds."""

STEP = 0.2
"""Time between two samples, and between two pings, seconds."""

DOWNLOAD, UPLOAD, PING = "TCP download", "TCP upload", "Ping (ms)"
VOIP, HTTP = "VoIP", "HTTP latency"
"""How the names of flent's series begin."""


@dataclass(frozen=True)
class Part:
    """A flow of each client of a test, and the series that it gives."""

    series: str
    """The name of the series. With several clients the name of the station follows."""
    keys: Mapping[str, Any]
    """The keys of the flow; its times are those of the load or, without load, of the test."""
    is_load: bool = True


@dataclass(frozen=True)
class Preset:
    """A test under load."""

    summary: str
    flent: str
    """The name of the test in flent."""
    differs: str
    """What differs from flent's test beside what holds for all."""
    parts: tuple[Part, ...]
    clients: int = 1
    """The number of stations that have these flows."""


def _tcp(series: str, category: str = "be") -> Part:
    direction = "down" if series.startswith(DOWNLOAD) else "up"
    keys = {"direction": direction, "transport": "cubic", "access_category": category}
    return Part(series, keys)


def _ping(label: str, category: str = "be") -> Part:
    application = {"kind": "ping", "interval": STEP}
    keys = {
        "direction": "up",
        "transport": "udp",
        "application": application,
        "access_category": category,
    }
    return Part(f"{PING} {label}", keys, is_load=False)


def _beside(series: str, transport: str, application: str | dict[str, Any], direction: str) -> Part:
    """Return a flow that runs throughout the test, best effort."""
    keys = {
        "direction": direction,
        "transport": transport,
        "application": application,
        "access_category": "be",
    }
    return Part(series, keys, is_load=False)


_FOUR_CLASSES = tuple(
    _tcp(f"{way} {label}", category)
    for way in (UPLOAD, DOWNLOAD)
    for label, category in (("BE", "be"), ("BK", "bk"), ("CS5", "vi"), ("EF", "vo"))
)
_BEST_EFFORT = (
    *(_tcp(f"{way} BE{number}") for way in (UPLOAD, DOWNLOAD) for number in ("", 2, 3, 4)),
    *(_ping(label) for label in ("UDP BE1", "UDP BE2", "UDP BE3", "ICMP")),
)
"""flent's test rrul_be."""

PRESETS: Mapping[str, Preset] = {
    "rrul": Preset(
        summary="realtime response under load: an upload and a download in each of four classes,"
        " and pings in three",
        flent="rrul",
        differs="",
        parts=(
            *_FOUR_CLASSES,
            _ping("UDP EF", "vo"),
            _ping("UDP BK", "bk"),
            _ping("UDP BE"),
            _ping("ICMP"),
        ),
    ),
    "rtt-fair": Preset(
        summary="an upload, a download and pings of each of four stations",
        flent="rtt_fair4be",
        differs="flent has one client and four servers at different distances. Here the first four"
        " stations of the cell share a server, and their round-trip times differ by their links.",
        parts=(_tcp(f"{UPLOAD} BE"), _tcp(f"{DOWNLOAD} BE"), _ping("ICMP")),
        clients=4,
    ),
    "voip-under-load": Preset(
        summary="a call beside four uploads and four downloads, all best effort, and pings",
        flent="voip-rrul",
        differs="The call has both directions; flent's has one, from the client, and so have its"
        " series here. VoIP::delay is the median of each interval.",
        parts=(*_BEST_EFFORT, _beside("VoIP::delay", "udp", "voip", "both")),
    ),
    "page-under-load": Preset(
        summary="a web page, again and again, beside four uploads and four downloads, and pings",
        flent="http-rrul",
        differs="The page is the large one of 110 objects, and is loaded again 200 ms after it was"
        " complete.",
        parts=(
            *_BEST_EFFORT,
            _beside(HTTP, "cubic", {"kind": "page", "form": "large", "think": STEP}, "down"),
        ),
    ),
}
"""The tests, by the name that `evenair run --test` takes."""
