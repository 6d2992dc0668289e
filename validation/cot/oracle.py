"""The channel-occupancy-time controller of Kashibuchi, Nemoto and Kato (2009), in exact fractions.

Written from the equations of the paper, one function each, without regard to speed, to compare with
the implementation. `python validation/cot/oracle.py` prints random inputs and results as JSON: the
file that `crates/evenair-core/tests/cot_oracle.rs` reads.

Where the paper is silent: an unused duration (4) below 0 counts as 0, because its field in the
beacon has no sign; without unsatisfied stations or flows nothing is added; a flow may send a packet
per round-trip time at least.
"""

from __future__ import annotations

import json
import math
import random
from fractions import Fraction
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

SLOT, SIFS = Fraction(9), Fraction(16)
"""Of 802.11a, microseconds (IEEE 802.11-2007, 17.5.2)."""
DIFS = SIFS + 2 * SLOT
SCALE = 65_535
"""Steps of a share in the beacon (section III-B)."""


def frame(octets: int, rate: int) -> Fraction:
    """Airtime of an 802.11a frame at `rate` Mb/s, microseconds (17.4.3)."""
    bits = 16 + 8 * octets + 6
    return Fraction(16 + 4 + 4 * math.ceil(Fraction(bits, 4 * rate)))


def ack_rate(rate: int) -> int:
    """The highest of the mandatory rates 6, 12 and 24 Mb/s that is not above `rate` (9.6)."""
    return max(basic for basic in (6, 12, 24) if basic <= rate)


def exchange(ip_octets: int, rate: int) -> Fraction:
    """DATA, SIFS and ACK of an IP packet, microseconds, with 36 octets of MAC and LLC."""
    return frame(ip_octets + 36, rate) + SIFS + frame(14, ack_rate(rate))


def t_data(ip_octets: int, rate: int, backoff: Fraction) -> Fraction:
    """Equation (9) without RTS/CTS, microseconds."""
    return DIFS + backoff + exchange(ip_octets, rate)


def access_point(
    p: Sequence[Fraction], p_beacon: Fraction, r: Fraction
) -> tuple[Fraction, Fraction]:
    """p_even and p_additional of the active stations' shares `p`."""
    p_available = 1 - p_beacon  # (2)
    p_even = p_available / len(p)  # (3)
    p_remain = max(Fraction(0), p_available - sum(p))  # (4)
    unsatisfied = [p_i for p_i in p if p_i >= r * p_even]  # (5)
    p_additional = p_remain / len(unsatisfied) if unsatisfied else Fraction(0)  # (6)
    return p_even, p_additional


def field(share: Fraction) -> int:
    """A share as 16 bits: the integer part of its product with 65,535."""
    return min(SCALE, math.floor(share * SCALE))


def station(
    element: tuple[int, int],
    controlled: Sequence[Fraction],
    uncontrolled: Sequence[tuple[Fraction, Fraction]],
    r: Fraction,
) -> list[Fraction]:
    """pi_available of the controlled flows, of which `controlled` has the shares pi.

    `uncontrolled` has of each other flow its measured share and that to be reserved (10).
    """
    p_even, p_additional = (Fraction(value, SCALE) for value in element)
    p_x = sum(controlled, Fraction(0)) + sum((pi for pi, _ in uncontrolled), Fraction(0))
    unsatisfied = p_x >= r * p_even  # (5)
    p_available = p_even + (p_additional if unsatisfied else 0)  # (7)
    reserved = sum((pi_hat for _, pi_hat in uncontrolled), Fraction(0))
    p_remain = p_available - sum(controlled) - reserved  # (11)
    pi_even = (p_available - reserved) / len(controlled)  # (13)
    is_unsatisfied = [pi >= r * pi_even for pi in controlled]  # (12)
    count = sum(is_unsatisfied)
    pi_additional = p_remain / count if count else Fraction(0)  # (15)
    return [pi_even + (pi_additional if flag else 0) for flag in is_unsatisfied]  # (14)


def theta(
    pi_available: Fraction, payload: int, data: Fraction, feedback: Fraction, rtt: Fraction
) -> Fraction:
    """(16) to (18), octets of payload per second; times in microseconds."""
    pi_data = pi_available - feedback / rtt  # (17)
    limit = payload / (data / 1_000_000) * pi_data  # (18)
    return max(limit, payload / (rtt / 1_000_000))


def tcp_theta(
    pi_available: Fraction,
    payload: int,
    data: Fraction,
    ack: Fraction,
    per_ack: int,
    rtt: Fraction,
) -> Fraction:
    """The same of a TCP flow with an acknowledgement for each `per_ack` segments."""
    limit = payload * pi_available / ((data + ack / per_ack) / 1_000_000)
    return max(limit, payload / (rtt / 1_000_000))


def vectors(seed: int = 2009, count: int = 120) -> dict[str, Any]:
    """Random inputs and results."""
    draw = random.Random(seed)

    def share(most: float = 1.0) -> Fraction:
        return Fraction(draw.uniform(0.0, most))

    aps, stations, flows = [], [], []
    for _ in range(count):
        r = share() or Fraction(1, 2)
        n = draw.randint(1, 20)
        p = [share(draw.choice([0.5, 1.0, 1.5]) / n) for _ in range(n)]
        p_beacon = share(0.1)
        even, additional = access_point(p, p_beacon, r)
        fields = [field(even), field(additional)]
        given = {"r": float(r), "p": [float(each) for each in p], "p_beacon": float(p_beacon)}
        aps.append(
            {**given, "even": float(even), "additional": float(additional), "fields": fields}
        )

        element = (draw.randint(0, SCALE), draw.choice([0, draw.randint(0, SCALE // 2)]))
        due = element[0] / SCALE
        m, u = draw.randint(1, 4), draw.randint(0, 3)
        controlled = [share(2 * due / m) for _ in range(m)]
        uncontrolled = [(share(due / 4), share(due / 4)) for _ in range(u)]
        available = station(element, controlled, uncontrolled, r)
        stations.append(
            {
                "r": float(r),
                "element": element,
                "controlled": [float(pi) for pi in controlled],
                "uncontrolled": [[float(pi), float(pi_hat)] for pi, pi_hat in uncontrolled],
                "available": [float(each) for each in available],
            }
        )

        rate, feedback_rate = (draw.choice([6, 9, 12, 18, 24, 36, 48, 54]) for _ in range(2))
        payload, header, answer = draw.randint(1, 1452), 48, draw.randint(40, 80)
        # Whole nanoseconds, as the implementation has them.
        backoffs = [Fraction(draw.randint(0, 1_000_000), 1000) for _ in range(2)]
        data = t_data(payload + header, rate, backoffs[0])
        feedback = t_data(answer, feedback_rate, backoffs[1])
        rtt = Fraction(draw.randint(100_000, 2_000_000_000), 1000)
        pi = share()
        per_ack = draw.randint(1, 4)
        flows.append(
            {
                "pi": float(pi),
                "payload": payload,
                "data_ns": int(data * 1000),
                "feedback_ns": int(feedback * 1000),
                "rtt_ns": int(rtt * 1000),
                "per_ack": per_ack,
                "theta": float(theta(pi, payload, data, feedback, rtt)),
                "tcp_theta": float(tcp_theta(pi, payload, data, feedback, per_ack, rtt)),
            }
        )
    return {"access_points": aps, "stations": stations, "flows": flows}


if __name__ == "__main__":
    print(json.dumps(vectors()))
