"""A test-bed on one machine: real TCP stacks in network namespaces over emulated air.

    from evenair import load, testbed

    result = testbed.run(load("gong2006"), testbed.Options(seed=1))

Needs Linux and root. The engine of `evenair._core` owns the air, the wired links and a TUN device
per namespace; iperf3 and programs of the test-bed's own make the traffic. Names are imported on
first use.
"""

from typing import TYPE_CHECKING

from evenair.lazy import lazy_names

if TYPE_CHECKING:
    from evenair.testbed.errors import TestbedError
    from evenair.testbed.layout import Plan, plan
    from evenair.testbed.runner import prepare, run
    from evenair.testbed.session import Options

__all__ = ["Options", "Plan", "TestbedError", "plan", "prepare", "run"]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "Options": "session",
        "Plan": "layout",
        "TestbedError": "errors",
        "plan": "layout",
        "prepare": "runner",
        "run": "runner",
    },
)
