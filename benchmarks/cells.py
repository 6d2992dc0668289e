"""The cells that are timed, and the settings of each simulator."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

HERE = Path(__file__).resolve().parent
SCENARIOS = HERE / "scenarios"
Settings = dict[str, object]

# Settings with which evenair simulates the cell of the other simulator; see README.md.
AS_NS2: Settings = {"cell.mac_overhead": 34, "cell.immediate_access": "false"}
AS_NS3: Settings = {"cell.control_rate": "11 Mbps"}
NS2_TCP: Settings = {
    "cell.preamble": "120 us",
    "station.0.extra_header": 20,
    "station.1.extra_header": 20,
    "station.0.flows.0.limited_transmit": "any",
    "station.1.flows.0.limited_transmit": "any",
}
NS2_DOWNLOAD: Settings = {
    "station.0.extra_header": 20,
    "station.0.flows.0.limited_transmit": "any",
}
TOLERANCE = {"ns-2": 0.03, "ns-3": 0.05}


@dataclass(frozen=True)
class Cell:
    """A scenario, and how each tool simulates it."""

    name: str
    title: str
    scenario: str
    """Evenair's: a file or the name of a built-in scenario."""
    seconds: dict[str, float]
    """Simulated time by tool; a tool that is missing does not simulate the cell."""
    settings: Settings
    """What to change in evenair's scenario."""
    like: dict[str, Settings]
    """What else to change in it, by the tool that it is compared with."""
    arguments: dict[str, list[str]]
    """Of the other tools' commands; ns-2's begin with the script."""
    warmup: float = 0.0
    once: tuple[str, ...] = ()
    """Tools that are run only once, because a run takes minutes."""
    tolerance: dict[str, float] = field(default_factory=lambda: TOLERANCE)
    """How far evenair's throughput may be from that of the tool, as a share of it."""

    def simulated(self, tool: str) -> float:
        """Return the simulated time, warm-up included, in seconds."""
        return self.warmup + self.seconds[tool]


def bulk(name: str, up: int, down: int, seconds: dict[str, float]) -> Cell:
    """Return a cell of TCP connections that never end."""
    words = [f"up={up}", f"down={down}"]
    return Cell(
        name,
        f"{up} upload{'s' if up > 1 else ''}, {down} downloads (TCP)",
        str(SCENARIOS / "baseline.toml"),
        seconds,
        {"station.0.count": up, "station.1.count": down},
        {"ns-2": AS_NS2 | NS2_TCP, "ns-3": AS_NS3},
        {"ns-2": ["cell.tcl", *words], "ns-3": words},
    )


def saturated(
    name: str,
    stations: int,
    seconds: dict[str, float],
    *,
    warmup: float = 5,
    once: tuple[str, ...] = (),
) -> Cell:
    """Return a cell of stations that always have a datagram to send."""
    words = ["mode=udp", f"stations={stations}"]
    # 16 Mb/s of IP packets of 1500 bytes; `rate` counts payload only.
    rate = 16e6 * 1472 / 1500 / stations
    return Cell(
        name,
        f"{stations} saturated stations (UDP)",
        str(SCENARIOS / "saturated.toml"),
        seconds,
        {"station.0.count": stations, "station.0.flows.0.rate": f"{rate:.0f} bps"},
        {"ns-2": AS_NS2, "ns-3": AS_NS3},
        {"ns-2": ["cell.tcl", *words, "preamble_bits=144"], "ns-3": words},
        warmup,
        once,
    )


WEB = Cell(
    "web",
    "10 web users (TCP)",
    "miorandi2006",
    {"evenair": 3000, "ns-2": 3000},
    {"station.0.flows.0.application.sessions": "unlimited"},
    {"ns-2": AS_NS2 | {"station.0.flows.0.application.pad": "true"}},
    {"ns-2": ["web.tcl"]},
)
LOSSY = Cell(
    "lossy",
    "1 download, losses (TCP)",
    "tsiknas2012",
    {"evenair": 300, "ns-2": 300},
    {"station.0.error.rate": 1e-4},
    {"ns-2": AS_NS2 | NS2_DOWNLOAD},
    {"ns-2": ["download.tcl", "loss=1e-4"]},
)
CONGESTED = Cell(
    "congested",
    "1 download, losses, congested wire (TCP)",
    "tsiknas2012-congested",
    {"evenair": 300, "ns-2": 300},
    {},
    {"ns-2": AS_NS2 | NS2_DOWNLOAD},
    {"ns-2": ["download.tcl", "congested=1", "loss=0.01"]},
    # Bursts have infinite variance: the goodput of a run has a standard deviation of 2.5%.
    tolerance={"ns-2": 0.05},
)
CELLS = (
    bulk("baseline", 5, 5, {"evenair": 300, "ns-2": 300, "ns-3": 60}),
    bulk("one-up", 1, 25, {"evenair": 300, "ns-2": 300, "ns-3": 30}),
    WEB,
    LOSSY,
    CONGESTED,
    saturated("saturated-50", 50, {"evenair": 300, "ns-2": 60, "ns-3": 15}),
    saturated("saturated-200", 200, {"evenair": 300, "ns-2": 30, "ns-3": 5}),
    saturated(
        "saturated-1000", 1000, {"evenair": 300, "ns-2": 10, "ns-3": 5}, once=("ns-2", "ns-3")
    ),
)
TINY = {"evenair": 5.0, "ns-2": 5.0}
QUICK = (
    bulk("quick", 2, 2, TINY | {"ns-3": 2}),
    replace(WEB, name="quick-web", seconds={"evenair": 100, "ns-2": 100}),
    replace(LOSSY, name="quick-lossy", seconds=TINY),
    replace(CONGESTED, name="quick-congested", seconds=TINY),
    saturated("quick-saturated", 5, TINY | {"ns-3": 2}, warmup=1),
)
OWN = ("process", "campaign", "growth", "threads")
"""Measurements of evenair alone."""
