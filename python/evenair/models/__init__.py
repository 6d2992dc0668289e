"""Analytic models of the DCF, of TCP over it, of the delay of web sessions, and of 802.16 frames.

After D. Miorandi, A. A. Kherani, E. Altman, "A queueing model for HTTP traffic over IEEE 802.11
WLANs", and G. Bianchi's saturation model. Misprints are corrected; `Variant` has the alternative
readings. The models of `evenair model`, with its names and keys:

    from evenair import models

    models.names()                                   # what there is
    print(models.describe("session-delay"))          # assumptions, keys, results
    models.evaluate("session-delay", stations=40, think="10 s", size="30 KB").mean_delay_s

And their equations as functions, which take and return NumPy arrays:

    models.collision_probability(2)                  # 0.0602...
    models.aggregate_throughput([1, 5, 20])          # bit/s, an array for an array
    models.session_delay(40, think=10, size=30e3).mean_delay_s

Times are in seconds, rates in bit/s, sizes in bytes. `stations` never counts the access point;
`nodes` does if it has packets to send. Names are imported on first use.
"""

from typing import TYPE_CHECKING

from evenair.lazy import lazy_names

if TYPE_CHECKING:
    from evenair.models.bianchi import Saturation, saturation
    from evenair.models.cell import TABLE_1, Cell
    from evenair.models.command.call import Evaluation, describe, evaluate, names
    from evenair.models.dcf import (
        Contention,
        collision_probability,
        contention,
        mean_backoff,
        most_nodes,
    )
    from evenair.models.design import (
        StationsForDelay,
        ThinkForDelay,
        stations_for_delay,
        think_for_delay,
    )
    from evenair.models.edca import EdcaSaturation, edca_saturation
    from evenair.models.mixed_rates import Anomaly, anomaly
    from evenair.models.numbers import ModelError
    from evenair.models.ppdu import Ppdu, ppdu_duration
    from evenair.models.session import (
        Session,
        capacity,
        file_delay,
        light_load_delay,
        lone_session,
        mean_file_delay,
        saturated_delay,
        session_delay,
        setup_time,
    )
    from evenair.models.tcp import (
        aggregate_throughput,
        backlog_distribution,
        connection_throughput,
        contention_free_round,
        one_station_throughput,
    )
    from evenair.models.variant import PRINTED, Variant
    from evenair.models.wimax import WimaxFrame, wimax_frame
    from evenair.models.window import (
        contended_share,
        contention_time,
        queue_distribution,
        window_throughput,
    )

__all__ = [
    "PRINTED",
    "TABLE_1",
    "Anomaly",
    "Cell",
    "Contention",
    "EdcaSaturation",
    "Evaluation",
    "ModelError",
    "Ppdu",
    "Saturation",
    "Session",
    "StationsForDelay",
    "ThinkForDelay",
    "Variant",
    "WimaxFrame",
    "aggregate_throughput",
    "anomaly",
    "backlog_distribution",
    "capacity",
    "collision_probability",
    "connection_throughput",
    "contended_share",
    "contention",
    "contention_free_round",
    "contention_time",
    "describe",
    "edca_saturation",
    "evaluate",
    "file_delay",
    "light_load_delay",
    "lone_session",
    "mean_backoff",
    "mean_file_delay",
    "most_nodes",
    "names",
    "one_station_throughput",
    "ppdu_duration",
    "queue_distribution",
    "saturated_delay",
    "saturation",
    "session_delay",
    "setup_time",
    "stations_for_delay",
    "think_for_delay",
    "wimax_frame",
    "window_throughput",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "PRINTED": "variant",
        "TABLE_1": "cell",
        "Anomaly": "mixed_rates",
        "Cell": "cell",
        "Contention": "dcf",
        "EdcaSaturation": "edca",
        "Evaluation": "command.call",
        "ModelError": "numbers",
        "Ppdu": "ppdu",
        "Saturation": "bianchi",
        "Session": "session",
        "StationsForDelay": "design",
        "ThinkForDelay": "design",
        "Variant": "variant",
        "WimaxFrame": "wimax",
        "aggregate_throughput": "tcp",
        "anomaly": "mixed_rates",
        "backlog_distribution": "tcp",
        "capacity": "session",
        "collision_probability": "dcf",
        "connection_throughput": "tcp",
        "contended_share": "window",
        "contention": "dcf",
        "contention_free_round": "tcp",
        "contention_time": "window",
        "describe": "command.call",
        "edca_saturation": "edca",
        "evaluate": "command.call",
        "file_delay": "session",
        "light_load_delay": "session",
        "lone_session": "session",
        "mean_backoff": "dcf",
        "mean_file_delay": "session",
        "most_nodes": "dcf",
        "names": "command.call",
        "one_station_throughput": "tcp",
        "ppdu_duration": "ppdu",
        "queue_distribution": "window",
        "saturated_delay": "session",
        "saturation": "bianchi",
        "session_delay": "session",
        "setup_time": "session",
        "stations_for_delay": "design",
        "think_for_delay": "design",
        "wimax_frame": "wimax",
        "window_throughput": "window",
    },
)
