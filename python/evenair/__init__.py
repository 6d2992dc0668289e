"""Fair TCP over shared air: simulate TCP flows that share an 802.11 or 802.16 cell.

    import evenair as ea

    scenario = ea.load("gong2006")
    result = ea.run(scenario.with_(cell__queue="las"), seed=1)
    result.jain_index
    result.flows  # a pyarrow.Table

Quantities are strings with a unit ("11 Mbps", "2 ms", "30 KB") or plain numbers in bit/s, seconds
and bytes. `scenarios()` are the names that `load` knows, `papers()` those that `papers.rebuild`
knows, and `models` has analytic models. Names are imported on first use, so that the command line
starts fast.
"""

import sys as _sys


def _is_command() -> bool:
    """Return whether this process is `evenair`, or `python -m evenair`, and starts."""
    first = _sys.argv[0] if _sys.argv else ""
    if first == "-m" and "-m" in _sys.orig_argv:
        return _sys.orig_argv[_sys.orig_argv.index("-m") :][1:2] == ["evenair"]
    name = first.replace("\\", "/").rpartition("/")[2].removesuffix(".exe")
    return name == "evenair" and first in _sys.orig_argv  # of another process of it, it is not


if _is_command():
    # Ctrl-C ends it at once, until `evenair.cli` handles signals: nothing has begun, and users have
    # no use for a traceback. Any other process keeps its handler.
    import _signal  # type: ignore[import-not-found]  # `signal` would import others

    if _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:
        _signal.signal(_signal.SIGINT, _signal.SIG_DFL)

from evenair.lazy import lazy_names  # noqa: E402 - what is above must come first

# Not from typing, whose import takes longer than that of this package and of the commands' start.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from evenair import models
    from evenair._core import RunError, ScenarioError, __version__
    from evenair.campaign.errors import CampaignError
    from evenair.campaign.result import Campaign
    from evenair.campaign.sweep import sweep
    from evenair.comparison import Comparison, compare
    from evenair.engine import run
    from evenair.papers import Papers
    from evenair.prototypes import register
    from evenair.result import RunResult, RunSet
    from evenair.scenario import Scenario, load, scenarios
    from evenair.tuning.result import Tuning
    from evenair.tuning.tune import tune

    papers: Papers

__all__ = [
    "Campaign",
    "CampaignError",
    "Comparison",
    "RunError",
    "RunResult",
    "RunSet",
    "Scenario",
    "ScenarioError",
    "Tuning",
    "__version__",
    "compare",
    "load",
    "models",
    "papers",
    "register",
    "run",
    "scenarios",
    "sweep",
    "tune",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "Campaign": "campaign.result",
        "CampaignError": "campaign.errors",
        "Comparison": "comparison",
        "RunError": "_core",
        "RunResult": "result",
        "RunSet": "result",
        "Scenario": "scenario",
        "ScenarioError": "_core",
        "Tuning": "tuning.result",
        "__version__": "_core",
        "compare": "comparison",
        "load": "scenario",
        "models": "",
        "papers": "",
        "register": "prototypes",
        "run": "engine",
        "scenarios": "scenario",
        "sweep": "campaign.sweep",
        "tune": "tuning.tune",
    },
)
