//! Channel occupancy: how long stations and flows keep the medium busy, as the access point of an 802.11
//! cell measures it (Kashibuchi, Nemoto and Kato 2009, section III-A and figure 1).
//!
//! An attempt occupies the space before it (DIFS or AIFS), the backoff drawn for it, and its frames with the spaces
//! between them ([`Attempt`]). A station's occupancy is that of the attempts from it and to it. The access point
//! does not know the backoffs of stations: for each attempt of a station it takes the mean of its own
//! backoffs in the same period.
//!
//! Flows whose packets share an attempt have parts of it, in proportion to the bytes of their packets on the air.

use std::ops::AddAssign;

use super::{Attempt, Outcome};
use crate::packet::{FlowId, NodeId};
use crate::time::Duration;

/// Attempts of one kind, or parts of attempts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Attempts {
    /// How many, in units of [`Attempts::WHOLE`].
    pub count: u64,
    /// Those of them that had a backoff.
    pub backoffs: u64,
    /// Packets that were delivered.
    pub delivered: u64,
    /// The spaces before them.
    pub spaces: Duration,
    /// The backoffs drawn for them.
    pub backoff: Duration,
    /// Their frames, the spaces between these, and response timeouts.
    pub airtime: Duration,
}

impl Attempts {
    /// A whole attempt.
    pub const WHOLE: u64 = 1 << 32;

    fn of(attempt: &Attempt, delivered: u64) -> Self {
        Self {
            count: Self::WHOLE,
            backoffs: if attempt.has_backoff { Self::WHOLE } else { 0 },
            delivered,
            spaces: attempt.space,
            backoff: attempt.backoff,
            airtime: attempt.airtime,
        }
    }

    /// The part of those with the first `bytes` of `all`, of which `delivered` packets.
    fn part(&self, bytes: u64, all: u64, delivered: u64) -> Self {
        let part = |whole: u64| match bytes {
            bytes if bytes == all => whole,
            bytes => (u128::from(whole) * u128::from(bytes) / u128::from(all)) as u64,
        };
        let time = |whole: Duration| Duration::from_nanos(part(whole.as_nanos()));
        Self {
            count: part(self.count),
            backoffs: part(self.backoffs),
            delivered,
            spaces: time(self.spaces),
            backoff: time(self.backoff),
            airtime: time(self.airtime),
        }
    }

    fn since(&self, before: &Self) -> Self {
        Self {
            count: self.count - before.count,
            backoffs: self.backoffs - before.backoffs,
            delivered: self.delivered - before.delivered,
            spaces: self.spaces - before.spaces,
            backoff: self.backoff - before.backoff,
            airtime: self.airtime - before.airtime,
        }
    }

    /// The mean of the backoffs; `None` without any.
    pub fn mean_backoff(&self) -> Option<Duration> {
        let sum = u128::from(self.backoff.as_nanos()) * u128::from(Self::WHOLE);
        let mean = sum.checked_div(self.backoffs.into())?;
        Some(Duration::from_nanos(mean as u64))
    }

    /// How long they occupy the medium.
    pub fn time(&self) -> Duration {
        self.spaces + self.backoff + self.airtime
    }

    /// The same with `mean` as each backoff.
    pub fn time_with(&self, mean: Duration) -> Duration {
        let backoff = u128::from(mean.as_nanos()) * u128::from(self.backoffs);
        let backoff = Duration::from_nanos((backoff / u128::from(Self::WHOLE)) as u64);
        self.spaces + backoff + self.airtime
    }
}

impl AddAssign for Attempts {
    fn add_assign(&mut self, other: Self) {
        self.count += other.count;
        self.backoffs += other.backoffs;
        self.delivered += other.delivered;
        self.spaces += other.spaces;
        self.backoff += other.backoff;
        self.airtime += other.airtime;
    }
}

/// The attempts on a link, or with the packets of a flow, in both directions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BothWays {
    /// By the access point.
    pub down: Attempts,
    /// By the station.
    pub up: Attempts,
}

impl BothWays {
    /// Those in the direction of `attempt`.
    fn way_of(&mut self, attempt: &Attempt) -> &mut Attempts {
        if attempt.is_up() { &mut self.up } else { &mut self.down }
    }

    /// Those that came after `before`.
    pub fn since(&self, before: &Self) -> Self {
        Self { down: self.down.since(&before.down), up: self.up.since(&before.up) }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.down.count + self.up.count == 0
    }
}

/// A packet of an attempt.
#[derive(Clone, Copy, Debug)]
pub(super) struct CountedPacket {
    pub(super) flow: FlowId,
    /// Its bytes on the air.
    pub(super) bytes: u32,
    pub(super) delivered: bool,
}

/// The occupancy of a cell since the start, or in a period ([`Occupancy::since`]).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Occupancy {
    mean_first_backoff: Duration,
    /// All attempts of the access point, beacons included.
    access_point: Attempts,
    beacons: Attempts,
    beacons_lost: u64,
    /// By node.
    stations: Vec<BothWays>,
    flows: Vec<BothWays>,
}

impl Occupancy {
    /// Of a cell of `nodes` nodes, the access point included, and `flows` flows. A node that has made
    /// no attempt has the mean backoff `mean_first_backoff`: CWmin / 2 slots.
    pub fn new(mean_first_backoff: Duration, nodes: usize, flows: usize) -> Self {
        Self {
            mean_first_backoff,
            access_point: Attempts::default(),
            beacons: Attempts::default(),
            beacons_lost: 0,
            stations: vec![BothWays::default(); nodes],
            flows: vec![BothWays::default(); flows],
        }
    }

    /// Counts an attempt with these packets.
    pub(super) fn count(
        &mut self,
        attempt: &Attempt,
        packets: impl Iterator<Item = CountedPacket> + Clone,
    ) {
        let (mut all, mut delivered) = (0, 0);
        for packet in packets.clone() {
            all += u64::from(packet.bytes);
            delivered += u64::from(packet.delivered);
        }
        let whole = Attempts::of(attempt, delivered);
        if !attempt.is_up() {
            self.access_point += whole;
        }
        if attempt.station == NodeId::BROADCAST {
            self.beacons += whole;
            self.beacons_lost += u64::from(attempt.outcome != Outcome::Delivered);
            return;
        }
        *self.stations[attempt.station.index()].way_of(attempt) += whole;
        // Each flow has what its packets add to the part of the packets before them, so that nothing gets lost.
        let (mut bytes, mut delivered, mut before) = (0, 0, Attempts::default());
        let mut packets = packets.peekable();
        while let Some(packet) = packets.next() {
            bytes += u64::from(packet.bytes);
            delivered += u64::from(packet.delivered);
            if packets.peek().is_none_or(|next| next.flow != packet.flow) {
                let after = whole.part(bytes, all, delivered);
                *self.flows[packet.flow.0 as usize].way_of(attempt) += after.since(&before);
                before = after;
            }
        }
    }

    /// The period from `before` to this one.
    pub fn since(&self, before: &Self) -> Self {
        let differences = |after: &[BothWays], before: &[BothWays]| {
            after.iter().zip(before).map(|(after, before)| after.since(before)).collect()
        };
        Self {
            mean_first_backoff: self.mean_first_backoff,
            access_point: self.access_point.since(&before.access_point),
            beacons: self.beacons.since(&before.beacons),
            beacons_lost: self.beacons_lost - before.beacons_lost,
            stations: differences(&self.stations, &before.stations),
            flows: differences(&self.flows, &before.flows),
        }
    }

    /// The mean backoff of a node that has made no attempt.
    pub fn mean_first_backoff(&self) -> Duration {
        self.mean_first_backoff
    }

    /// The mean of the backoffs that the access point drew.
    pub fn mean_backoff(&self) -> Duration {
        self.access_point.mean_backoff().unwrap_or(self.mean_first_backoff)
    }

    /// The attempts from `station` and to it.
    pub fn attempts(&self, station: NodeId) -> &BothWays {
        &self.stations[station.index()]
    }

    /// The attempts with packets of `flow`, or its parts of them.
    pub fn flow_attempts(&self, flow: FlowId) -> &BothWays {
        &self.flows[flow.0 as usize]
    }

    /// Whether `station` has sent or received, or would have.
    pub fn is_active(&self, station: NodeId) -> bool {
        !self.attempts(station).is_empty()
    }

    /// For how long `station` occupied the medium.
    pub fn station(&self, station: NodeId) -> Duration {
        self.time(self.attempts(station))
    }

    /// For how long the packets of `flow` did, in both directions.
    pub fn flow(&self, flow: FlowId) -> Duration {
        self.time(self.flow_attempts(flow))
    }

    /// For how long beacons did.
    pub fn beacons(&self) -> Duration {
        self.beacons.time()
    }

    /// Beacons transmitted, and those of them that collided.
    pub fn beacons_sent(&self) -> [u64; 2] {
        [self.beacons.count / Attempts::WHOLE, self.beacons_lost]
    }

    fn time(&self, BothWays { down, up }: &BothWays) -> Duration {
        down.time() + up.time_with(self.mean_backoff())
    }
}
