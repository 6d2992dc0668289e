"""Controllers by themselves, for observations that were recorded elsewhere.

from evenair.controllers import AdaptiveRateLimiter

limiter = AdaptiveRateLimiter(step="100 kbps")
for record in records:
    print(limiter.round(record["up_bps"], record["down_bps"], record["lost"]))
"""

from evenair._core import AdaptiveRateLimiter

__all__ = ["AdaptiveRateLimiter"]
