"""Title, authors and tables of the paper."""

from __future__ import annotations

TITLE = "Queue Management Strategies to Improve TCP Fairness in IEEE 802.11 Wireless LANs"
AUTHORS = "Mingwei Gong, Qian Wu, Carey Williamson (University of Calgary, 2006)"

TABLE_1: dict[str, tuple[float, ...]] = {
    "spm-tail": (0.68, 0.67, 0.68, 0.68, 0.68, 0.44, 0.45, 0.47, 0.51, 0.47),
    "spm-head": (0.77, 0.78, 0.78, 0.76, 0.78, 0.34, 0.42, 0.39, 0.34, 0.41),
}
"""Table I: Mb/s of flows 1 to 10 with a buffer of 60 packets; 1 to 5 are upstream."""
