"""The variants as in ns-2's agent TCP/Linux: the second set on which claims are judged.

The paper names its variants, cites where they were published, and says that they ran in ns-2. It
does not say in which of ns-2's agents. BIC and Veno are in Agent/TCP/Linux alone, which has the
congestion controls of Linux: its Westwood is Westwood+, its Vegas Linux's. With a receiver that
sends SACK blocks all of them use these and detect lost retransmissions (`validation/ns2`, rows f8).

New Reno is the same in both sets, without SACK: the paper describes it after RFC 3782, which is for
senders without SACK, and ns-2 has it as an agent of its own, Agent/TCP/Newreno; what TCP/Linux has
is called reno.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from evenair.papers.alternative import Alternative

if TYPE_CHECKING:
    from evenair.papers.tsiknas2012.wimax import Point

_NAMES = {"westwood": "westwood-plus"}
"""Names that the agent's variants have in scenarios, where they differ."""


def in_agent(point: Point) -> Point:
    """Return a configuration with the agent's variant; New Reno is not of the agent."""
    if point.transport == "newreno":
        return point
    transport = _NAMES.get(point.transport, point.transport)
    return replace(point, transport=transport, sack=True)


TCP_LINUX: Alternative[Point] = Alternative(
    name="tcp-linux",
    title="TCP/Linux",
    description="The column TCP/Linux has the variants as in ns-2's agent of that name, the only "
    "one with BIC and Veno: Westwood+ in place of Westwood, and SACK and RACK-TLP for all but New "
    "Reno, which is not of that agent and the same in both. Figures, tables and reasons are of the "
    "first set.",
    point=in_agent,
)
"""The second set."""
