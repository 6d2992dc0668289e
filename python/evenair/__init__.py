"""Fair TCP over shared air: simulate TCP flows that share an 802.11 cell.

    import evenair as ea

    scenario = ea.load("gong2006")
    result = ea.run(scenario.with_(cell__queue="las"), seed=1)
    result.jain_index
    result.flows  # a pyarrow.Table

Quantities are strings with a unit ("11 Mbps", "2 ms", "30 KB") or plain numbers in bit/s, seconds
and bytes. Names are imported when they are first used, so that the command line starts fast.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evenair._core import RunError, ScenarioError, __version__
    from evenair.campaign.errors import CampaignError
    from evenair.campaign.result import Campaign
    from evenair.campaign.sweep import sweep
    from evenair.engine import run
    from evenair.result import RunResult, RunSet
    from evenair.scenario import Scenario, load

__all__ = [
    "Campaign",
    "CampaignError",
    "RunError",
    "RunResult",
    "RunSet",
    "Scenario",
    "ScenarioError",
    "__version__",
    "load",
    "run",
    "sweep",
]

_HOME = {
    "Campaign": "evenair.campaign.result",
    "CampaignError": "evenair.campaign.errors",
    "RunError": "evenair._core",
    "RunResult": "evenair.result",
    "RunSet": "evenair.result",
    "Scenario": "evenair.scenario",
    "ScenarioError": "evenair._core",
    "__version__": "evenair._core",
    "load": "evenair.scenario",
    "run": "evenair.engine",
    "sweep": "evenair.campaign.sweep",
}


def __getattr__(name: str) -> object:
    from importlib import import_module

    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
