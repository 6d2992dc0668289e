"""Title, authors and published numbers of the paper."""

from __future__ import annotations

TITLE = "A Queueing Model for HTTP Traffic over IEEE 802.11 WLANs"
AUTHORS = "Daniele Miorandi, Arzad A. Kherani, Eitan Altman (CREATE-NET and INRIA, 2006)"

TABLE_1: dict[str, float] = {
    "T_slot (us)": 20,
    "T_SIFS (us)": 10,
    "T_DIFS (us)": 50,
    "T_P + T_PHY (us)": 144 + 48,
    "CW_min": 32,
    "CW_max": 1024,
    "m": 7,
    "gamma": 5,
}
"""Table 1. CW is the number of values of a backoff."""

SECTION_2_3: dict[str, float] = {
    "R_data (Mb/s)": 11,
    "R_control (Mb/s)": 2,
    "L_TCP (bits)": 8000,
    "L_IPH (bits)": 320,
    "L_MAC (bits)": 272,
    "L_RTS (bits)": 180,
    "L_CTS (bits)": 112,
    "L_ACK (bits)": 112,
}
"""The parameters in the text beside Table 1. The standard's RTS has 160 bits."""

Interval = tuple[float, float, float]
"""Mean, and both ends of the 95% confidence interval."""

TABLE_2: dict[str, Interval] = {
    "1": (0.1099, 0.0956, 0.1243),
    "1000": (0.1064, 0.0928, 0.1199),
}
"""Table 2: mean session delay (s) of ns-2 by window W*; 1000 stands for W >> 1."""

TABLE_2_ANALYTICAL = 0.1095
"""Table 2: mean session delay (s), analytical."""

TABLE_3: dict[str, Interval] = {
    "1": (0.1064, 0.0928, 0.1199),
    "2": (0.1044, 0.0934, 0.1154),
    "3": (0.1053, 0.0951, 0.1156),
    "4": (0.1043, 0.0945, 0.1141),
    "5": (0.1090, 0.0993, 0.1188),
    "dynamic": (0.1080, 0.0980, 0.1180),
}
"""Table 3, and the text below it: mean session delay (s) by delayed-ACK parameter d."""
