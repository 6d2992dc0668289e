"""Saturated stations with EDCA and A-MPDUs: 802.11n, 802.11ac and 802.11ax.

The chain of G. Bianchi (IEEE Journal on Selected Areas in Communications 18(3), 2000), with the
rules of IEEE 802.11-2020 clause 10.23.2: a counter is decremented at each slot boundary, also at
the one at which another station transmits, and transmits at the boundary at which it is 0, so that
a busy period counts as one slot, as in his model; CW starts anew at CWmin after as many failures in
a row as the retry limit, with the next one, and no MPDU is dropped. Beyond his model, colliders
count again after their timeout, before the others, which wait for EIFS.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from evenair.models.numbers import ModelError, Numbers, integers, like_input
from evenair.models.ppdu import ppdu_duration

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray

_US = 1e-6
_SLOT = 9 * _US
"""Short slot (IEEE 802.11-2020 tables 17-21 and 19-25)."""
_SIFS = {"5 GHz": 16 * _US, "2.4 GHz": 10 * _US}
_SIGNAL_EXTENSION = {"5 GHz": 0.0, "2.4 GHz": 6 * _US}
_RX_START_DELAY = 20 * _US
"""aRxPHYStartDelay of a response in OFDM (table 17-21)."""
_OVERHEAD = 38
"""QoS MAC header, FCS and LLC/SNAP, bytes (9.2.4.5, 9.3.2.1)."""
_DELIMITER = _ALIGNMENT = 4
"""Bytes before each MPDU of an A-MPDU, and what its subframes are padded to (9.7.1)."""
_WINDOW = {"802.11n": 64, "802.11ac": 64, "802.11ax": 256}
"""MPDUs that a Block Ack has bits for (9.3.1.8, 802.11ax-2021)."""
_SHORT_BITMAP = 64
"""MPDUs that a Block Ack of 32 bytes has bits for; one for more has 56."""
_LONGEST_A_MPDU = {"802.11n": 65_535, "802.11ac": 1_048_575, "802.11ax": 6_500_631}
"""Bytes (tables 19-25, 21-28, 27-54)."""
_LONGEST_PPDU = 5.484e-3
"""aPPDUMaxTime (tables 19-25, 21-28, 27-54)."""
_RTS, _CTS, _ACK, _BLOCK_ACK, _LONG_BLOCK_ACK = 20, 14, 14, 32, 56
_LOWEST = 6
"""Mb/s, of the ACK that EIFS allows for (10.3.7)."""


AGGREGATIONS: tuple[str, ...] = ("a-mpdu", "off")
RULES: tuple[str, ...] = ("standard", "ns3")
_MOST_STATIONS = 1000
_MOST_ITERATIONS, _TOLERANCE = 10_000, 1e-13


class EdcaSaturation(NamedTuple):
    """Results for saturated stations; each a float, or an array of the arguments' shape."""

    throughput_bps: Numbers
    """IP packets of all stations, bit/s."""
    collision_probability: Numbers
    """Of an access."""
    tau: Numbers
    """The probability that a station transmits at a slot boundary."""
    mpdus: Numbers
    """MPDUs in a PPDU."""
    ppdu_s: Numbers
    """How long it lasts, seconds."""


def edca_saturation(
    stations: ArrayLike,
    payload: int = 1500,
    *,
    phy: str = "802.11ax",
    channel_width: float | None = None,
    mcs: int | None = None,
    streams: int = 1,
    guard_interval: float = 0.8e-6,
    preamble: float | None = None,
    band: str = "5 GHz",
    aggregation: str = "a-mpdu",
    window: int | None = None,
    rules: str = "standard",
    rts: bool = False,
    aifsn: int = 3,
    cw_min: int = 15,
    cw_max: int = 1023,
    retry_limit: int = 7,
) -> EdcaSaturation:
    """Return the throughput of `stations` saturated stations of one access category, 1 to 1000.

    `payload`: bytes of an IP packet. `aggregation`: "a-mpdu", as many MPDUs in a PPDU as the
    `window` of the Block Ack agreement, bytes and duration allow, or "off", one MPDU, which has an
    ACK. `rules`: of access, the "standard"'s, or those of "ns3", where nobody waits for EIFS and
    colliders for AIFS after their timeout. `rts`: RTS/CTS before each PPDU. The PHY as of
    `ppdu_duration`. The defaults of EDCA are those of WMM's best effort, with basic rates of 6, 12
    and 24 Mb/s. Raises ModelError.
    """
    count = integers("stations", stations, _MOST_STATIONS)
    for name, value, accepted in (
        ("aggregation", aggregation, AGGREGATIONS),
        ("rules", rules, RULES),
    ):
        if value not in accepted:
            raise ModelError(f"{name}: got {value!r}; accepted: {', '.join(accepted)}")
    size = int(integers("payload", payload, 65_535))
    for name, slots in (("cw_min", cw_min), ("cw_max", cw_max)):
        if not (isinstance(slots, int) and 1 <= slots <= 1023 and (slots + 1).bit_count() == 1):
            raise ModelError(f"{name}: got {slots}; accepted: 2^n - 1, from 1 to 1023")
    if cw_min > cw_max:
        raise ModelError(f"cw_min: got {cw_min}; accepted: up to cw_max, {cw_max}")
    mode = {
        "phy": phy,
        "channel_width": channel_width,
        "mcs": mcs,
        "streams": streams,
        "guard_interval": guard_interval,
        "preamble": preamble,
        "band": band,
    }

    def duration(number: int) -> float:
        return ppdu_duration(_psdu(number, size, phy), **mode).duration_s  # type: ignore[arg-type]

    duration(1)  # raises for what is wrong with the PHY
    longest = _WINDOW[phy] if window is None else window
    if not 1 <= longest <= _WINDOW[phy]:
        raise ModelError(f"window: got {window}; accepted with {phy}: 1 to {_WINDOW[phy]}")
    number = 1 if aggregation == "off" else _most_mpdus(longest, size, phy, duration)
    ppdu = duration(number)

    sifs, extension = _SIFS[band], _SIGNAL_EXTENSION[band]
    rate = _response_rate(mcs)

    def control(octets: int, mbps: int) -> float:
        return (20 + 4 * math.ceil((22 + 8 * octets) / (4 * mbps))) * _US + extension

    block_ack = _LONG_BLOCK_ACK if longest > _SHORT_BITMAP else _BLOCK_ACK
    response = control(_ACK if number == 1 else block_ack, rate)
    aifs = sifs + aifsn * _SLOT
    reserve = control(_RTS, rate) + sifs + control(_CTS, rate) + sifs if rts else 0.0
    timeout = sifs + _SLOT + _RX_START_DELAY
    eifs = sifs + control(_ACK, _LOWEST)  # without DIFS
    chain = _Chain(
        windows=np.array([min(2**k * (cw_min + 1), cw_max + 1) for k in range(retry_limit + 1)]),
        collider_slots=_slots(timeout if rules == "ns3" else timeout - aifs),
        other_slots=0 if rules == "ns3" else _slots(eifs),
    )
    success = reserve + ppdu + sifs + response + aifs
    collision = (control(_RTS, rate) if rts else ppdu) + aifs

    def solve(nodes: float) -> tuple[float, float, float]:
        tau, p, slots = chain.solve(int(nodes))
        mean_slot = slots.idle * _SLOT + slots.successes * success + slots.collisions * collision
        return slots.successes * 8 * size * number / mean_slot, p, tau

    solved = np.array([solve(nodes) for nodes in count.flat]).T.reshape(3, *count.shape)
    values = (*solved, np.full(count.shape, number), np.full(count.shape, ppdu))
    return EdcaSaturation(*(like_input(np.asarray(value)) for value in values))


def _slots(time: float) -> int:
    """Slots until the first boundary that is not before the end of `time`."""
    return max(0, math.ceil(round(time / _SLOT, 6)))


class _Slots(NamedTuple):
    """What the time between two boundaries at which all stations count has on average."""

    idle: float
    """Idle slots."""
    successes: float
    collisions: float


class _Chain(NamedTuple):
    """The backoffs of saturated stations.

    Stations that have collided count on after their timeout, the others after EIFS. So a collider
    whose new backoff is shorter than the difference transmits while only the other colliders count.
    With ns-3's rules the colliders are behind: up to the next access only the others count at
    first. A regular slot is one at which all stations count.
    """

    windows: NDArray[np.int_]
    """W = CW + 1 by the failures in a row."""
    collider_slots: int
    """What a collider waits for beyond AIFS."""
    other_slots: int
    """What the others wait for: EIFS."""

    @property
    def ahead(self) -> int:
        """Slots at which colliders alone count."""
        return max(0, self.other_slots - self.collider_slots)

    def solve(self, nodes: int) -> tuple[float, float, _Slots]:
        """Return tau in regular slots, the collision probability of an access, and the slots."""
        tau, q = 2 / (self.windows[0] + 1), 0.0
        if nodes == 1:
            return tau, 0.0, _Slots(1 - tau, tau, 0.0)
        step = self._step_behind if self.collider_slots > self.other_slots else self._step
        p = 0.0
        for _ in range(_MOST_ITERATIONS):
            next_tau, next_q, p = step(nodes, tau, q)
            change = abs(next_tau - tau) + abs(next_q - q)
            tau, q = (tau + next_tau) / 2, (q + next_q) / 2
            if change < _TOLERANCE:
                break
        if self.collider_slots > self.other_slots:
            return tau, p, self._slots_behind(nodes, tau)[0]
        return tau, p, self._slots(nodes, tau, q)

    def _step_behind(self, nodes: int, tau: float, _q: float) -> tuple[float, float, float]:
        """The same as `_step` where the colliders are behind; q is not needed."""
        _, waiting = self._slots_behind(nodes, tau)
        colliders = np.arange(2, nodes + 1)
        # Of a station: slots at which it counts while others wait, and who may transmit with it.
        counted = waiting * (nodes - colliders) / nodes
        regular = 1 - (1 - tau) ** (nodes - 1)
        others = 1 - (1 - tau) ** np.maximum(nodes - colliders - 1, 0)
        p = float((regular + counted @ others) / (1 + counted.sum()))
        reached = p ** np.arange(len(self.windows))
        return float(reached.sum() / (reached @ (self.windows + 1) / 2)), 0.0, p

    def _slots_behind(self, nodes: int, tau: float) -> tuple[_Slots, NDArray[np.float64]]:
        """What a regular slot has with all that follows until the next.

        Also the slots in it at which only the others count, by the number of colliders from 2 on.
        """
        behind = self.collider_slots - self.other_slots
        colliders = np.arange(2, nodes + 1)

        def binomial(stations: int) -> NDArray[np.float64]:  # so many of them transmit
            chance = np.zeros(nodes + 1)
            chance[0] = (1 - tau) ** stations
            for k in range(stations):
                chance[k + 1] = chance[k] * (stations - k) / (k + 1) * tau / (1 - tau)
            return chance

        chances = np.array([binomial(nodes - k) for k in range(2, nodes + 1)])
        slots = np.array([(row[0] ** np.arange(behind)).sum() for row in chances])
        regular = binomial(nodes)
        following = slots[:, None] * chances
        # Each collision is of a regular slot, or of those that follow another one.
        collisions = np.linalg.solve(np.eye(len(colliders)) - following[:, 2:].T, regular[2:])
        waiting = collisions * slots
        idle = regular[0] + waiting @ chances[:, 0] + collisions.sum() * self.other_slots
        successes = regular[1] + waiting @ chances[:, 1]
        return _Slots(float(idle), float(successes), float(collisions.sum())), waiting

    def _step(self, nodes: int, tau: float, q: float) -> tuple[float, float, float]:
        """Return tau, q and the collision probability that follow from tau and q.

        q is the probability that a collider draws a given backoff of less than `ahead` slots.
        """
        regular = 1 - (1 - tau) ** (nodes - 1)
        ahead, size = np.arange(self.ahead), self.windows
        # That all other colliders, of which there is one at least, draw b or more.
        survive = np.array([self._others(nodes, tau, 1 - b * q) for b in range(self.ahead + 1)])
        first = survive[:-1] - survive[1:]
        attempts = np.array([survive[:-1][ahead < w].sum() / w for w in size])
        successes = np.array([survive[1:][ahead < w].sum() / w for w in size])
        slots = np.array([self._regular_slots(int(w), first, survive[-1]) for w in size])
        # Entries into each stage after a failure, for each that follows a success.
        fails = attempts - successes + (1 - attempts) * regular
        entries = np.zeros(len(size))
        entries[1:] = regular * np.concatenate([[1.0], np.cumprod(fails[1:-1])])
        # The last stage is followed by the first, which then goes on like a new one.
        around = entries[-1] * fails[-1]
        restarted = around / (1 - fails[0] * np.prod(fails[1:]))
        entries[1:] += restarted * fails[0] * np.concatenate([[1.0], np.cumprod(fails[1:-1])])
        entries[0] = restarted
        all_slots = (size[0] + 1) / 2 + entries @ slots
        in_regular = 1 + entries @ (1 - attempts)
        accesses = 1 + entries.sum()
        return (
            in_regular / all_slots,
            float(entries @ (1 / size) / entries.sum()),
            float((regular + entries @ fails) / accesses),
        )

    def _others(self, nodes: int, tau: float, z: float) -> float:
        """The mean of z^K, K the other stations that transmit in a slot, if there is one."""
        nobody = (1 - tau) ** (nodes - 1)
        return float(((1 - tau + tau * z) ** (nodes - 1) - nobody) / (1 - nobody))

    def _regular_slots(self, window: int, first: NDArray[np.float64], none: float) -> float:
        """Mean regular slots of a backoff after a collision, of those that are not ahead.

        `first`: the probabilities that another collider transmits after so many slots, before all
        the others count; `none`: that no other collider does.
        """
        ahead = self.ahead
        backoffs = np.arange(window)
        after_other = sum(
            share * (backoffs[backoffs > slots] - slots).sum() for slots, share in enumerate(first)
        )
        after_none = none * (backoffs[backoffs >= ahead] - ahead + 1).sum()
        return float((after_other + after_none) / window)

    def _slots(self, nodes: int, tau: float, q: float) -> _Slots:
        """What a regular slot and what follows its collisions have on average."""
        idle = (1 - tau) ** nodes
        success = nodes * tau * (1 - tau) ** (nodes - 1)
        collided = 1 - idle - success

        def mean(z: float) -> float:  # of z^k, k the colliders
            return float((1 - tau + tau * z) ** nodes - idle - success * z) / collided

        def derivative(z: float) -> float:  # of k z^(k - 1)
            one = nodes * tau * (1 - tau + tau * z) ** (nodes - 1)
            return float(one - success) / collided

        waits, wins, seized = 0.0, 0.0, 0.0
        two_waits, two_wins, two_seized = 0.0, 0.0, 0.0
        for b in range(self.ahead):
            least, next_least = 1 - b * q, 1 - (b + 1) * q
            share, two = mean(least) - mean(next_least), least**2 - next_least**2
            waits, two_waits = waits + b * share, two_waits + b * two
            seized, two_seized = seized + share, two_seized + two
            wins, two_wins = wins + q * derivative(next_least), two_wins + 2 * q * next_least
        waits += self.ahead * (1 - seized)
        two_waits += self.ahead * (1 - two_seized)
        # Colliders that draw the same collide again: taken to be two.
        again = collided * (seized - wins) / (1 - (two_seized - two_wins))
        collisions = collided + again
        return _Slots(
            idle + collisions * self.collider_slots + collided * waits + again * two_waits,
            success + collided * wins + again * two_wins,
            collisions,
        )


def _response_rate(mcs: int | None) -> int:
    """Mb/s: the highest basic rate up to the non-HT reference rate of the MCS (10.6.6.5.2)."""
    return 24 if mcs is None or mcs >= 3 else (6, 12, 12)[mcs]


def _most_mpdus(window: int, payload: int, phy: str, duration: Callable[[int], float]) -> int:
    """MPDUs of an A-MPDU within the Block Ack window, the bytes and the time of the PHY, or 1."""

    def fits(number: int) -> bool:
        return (
            _psdu(number, payload, phy) <= _LONGEST_A_MPDU[phy]
            and duration(number) <= _LONGEST_PPDU
        )

    return next((number for number in range(window, 1, -1) if fits(number)), 1)


def _psdu(mpdus: int, payload: int, phy: str) -> int:
    """Bytes of a PSDU with so many MPDUs; a single one of VHT and HE has a delimiter (9.7.1)."""
    mpdu = payload + _OVERHEAD
    if mpdus == 1:
        return mpdu if phy == "802.11n" else _DELIMITER + mpdu
    padded = _ALIGNMENT * math.ceil((_DELIMITER + mpdu) / _ALIGNMENT)
    return (mpdus - 1) * padded + _DELIMITER + mpdu
