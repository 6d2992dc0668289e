"""CoDel as a Python class, from the pseudocode of RFC 8289 section 5 and docs/queues/codel.md."""

from __future__ import annotations

from collections import deque
from math import isqrt
from typing import Annotated

import evenair as ea
from evenair.prototypes import MS, Duration, Packet, QueueContext, Range


class CodelInPython:
    """controlled delay"""

    kind = "codel-py"
    source = "RFC 8289"

    def __init__(
        self,
        queue: QueueContext,
        target: Annotated[Duration, "acceptable standing queue delay"] = 5 * MS,
        interval: Duration = 100 * MS,
        mtu: Annotated[int, Range(1, 65_535)] = 1500,
        ecn: bool = False,
    ) -> None:
        self.queue, self.target, self.interval, self.mtu, self.ecn = (
            queue,
            target,
            interval,
            mtu,
            ecn,
        )
        self.packets: deque[Packet] = deque()
        self.first_above_time: int | None = None
        self.dropping = False
        self.drop_next = self.count = self.lastcount = 0

    def enqueue(self, now: int, packet: Packet) -> None:
        if self.queue.has_room_for(packet):
            self.packets.append(packet)
        else:
            self.queue.drop(packet)

    def dequeue(self, now: int) -> Packet | None:
        packet, ok_to_drop = self.dodequeue(now)
        if self.dropping:
            while ok_to_drop and now >= self.drop_next:
                self.count += 1
                if self.is_marked(packet):
                    self.drop_next += self.control_law()
                    break
                packet, ok_to_drop = self.after_drop(now, packet)
                if ok_to_drop:
                    self.drop_next += self.control_law()
            self.dropping = ok_to_drop
        elif ok_to_drop:
            delta = self.count - self.lastcount
            recent = now - self.drop_next < 16 * self.interval
            self.count = delta if delta > 1 and recent else 1
            self.lastcount = self.count
            self.dropping = True
            self.drop_next = now + self.control_law()
            if not self.is_marked(packet):
                packet, _ = self.after_drop(now, packet)
        return packet

    def control_law(self) -> int:
        """interval / sqrt(count) in whole nanoseconds."""
        return isqrt(self.interval**2 // self.count)

    def is_marked(self, packet: Packet | None) -> bool:
        return self.ecn and packet is not None and self.queue.mark(packet)

    def after_drop(self, now: int, packet: Packet | None) -> tuple[Packet | None, bool]:
        assert packet is not None
        self.queue.drop(packet)
        return self.dodequeue(now)

    def dodequeue(self, now: int) -> tuple[Packet | None, bool]:
        if not self.packets:
            self.first_above_time = None
            return None, False
        packet = self.packets.popleft()
        behind = self.queue.bytes - packet.size
        if now - packet.enqueued_at < self.target or behind <= self.mtu:
            self.first_above_time = None
            return packet, False
        if self.first_above_time is None:
            self.first_above_time = now + self.interval
        return packet, now >= self.first_above_time


ea.register(queue=CodelInPython)
