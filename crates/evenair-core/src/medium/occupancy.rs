//! Channel occupancy: how long stations and flows keep the medium busy, as the access point of an 802.11
//! cell measures it (Kashibuchi, Nemoto and Kato 2009, section III-A and figure 1).
//!
//! An attempt occupies DIFS, the backoff drawn for it, and its frames with the spaces between them
//! ([`Attempt`]). A station's occupancy is that of the attempts from it and to it. The access point
//! does not know the backoffs of stations: for each attempt of a station it takes the mean of its own
//! backoffs in the same period.

use super::{Attempt, Outcome};
use crate::packet::{FlowId, NodeId};
use crate::time::Duration;

/// Attempts of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Attempts {
    /// How many.
    pub count: u64,
    /// Those of them that succeeded.
    pub delivered: u64,
    /// The backoffs drawn for them.
    pub backoff: Duration,
    /// Their frames, the spaces between these, and response timeouts.
    pub airtime: Duration,
}

impl Attempts {
    fn add(&mut self, attempt: &Attempt) {
        self.count += 1;
        self.delivered += u64::from(attempt.outcome == Outcome::Delivered);
        self.backoff += attempt.backoff;
        self.airtime += attempt.airtime;
    }

    fn since(&self, before: &Self) -> Self {
        Self {
            count: self.count - before.count,
            delivered: self.delivered - before.delivered,
            backoff: self.backoff - before.backoff,
            airtime: self.airtime - before.airtime,
        }
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
    fn add(&mut self, attempt: &Attempt) {
        if attempt.is_up() { &mut self.up } else { &mut self.down }.add(attempt);
    }

    /// Those that came after `before`.
    pub fn since(&self, before: &Self) -> Self {
        Self { down: self.down.since(&before.down), up: self.up.since(&before.up) }
    }
}

/// The occupancy of a cell since the start, or in a period ([`Occupancy::since`]).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Occupancy {
    difs: Duration,
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
    pub fn new(difs: Duration, mean_first_backoff: Duration, nodes: usize, flows: usize) -> Self {
        Self {
            difs,
            mean_first_backoff,
            access_point: Attempts::default(),
            beacons: Attempts::default(),
            beacons_lost: 0,
            stations: vec![BothWays::default(); nodes],
            flows: vec![BothWays::default(); flows],
        }
    }

    /// Counts an attempt with a packet of `flow`.
    pub fn count(&mut self, flow: FlowId, attempt: &Attempt) {
        if !attempt.is_up() {
            self.access_point.add(attempt);
        }
        if attempt.station == NodeId::BROADCAST {
            self.beacons.add(attempt);
            self.beacons_lost += u64::from(attempt.outcome != Outcome::Delivered);
        } else {
            self.stations[attempt.station.index()].add(attempt);
            self.flows[flow.0 as usize].add(attempt);
        }
    }

    /// The period from `before` to this one.
    pub fn since(&self, before: &Self) -> Self {
        let differences = |after: &[BothWays], before: &[BothWays]| {
            after.iter().zip(before).map(|(after, before)| after.since(before)).collect()
        };
        Self {
            difs: self.difs,
            mean_first_backoff: self.mean_first_backoff,
            access_point: self.access_point.since(&before.access_point),
            beacons: self.beacons.since(&before.beacons),
            beacons_lost: self.beacons_lost - before.beacons_lost,
            stations: differences(&self.stations, &before.stations),
            flows: differences(&self.flows, &before.flows),
        }
    }

    /// DIFS.
    pub fn difs(&self) -> Duration {
        self.difs
    }

    /// The mean backoff of a node that has made no attempt.
    pub fn mean_first_backoff(&self) -> Duration {
        self.mean_first_backoff
    }

    /// The mean of the backoffs that the access point drew.
    pub fn mean_backoff(&self) -> Duration {
        self.mean(&self.access_point)
    }

    /// The mean of the backoffs that `station` drew, which only the station itself knows.
    pub fn own_mean_backoff(&self, station: NodeId) -> Duration {
        self.mean(&self.stations[station.index()].up)
    }

    /// The attempts from `station` and to it.
    pub fn attempts(&self, station: NodeId) -> &BothWays {
        &self.stations[station.index()]
    }

    /// The attempts with packets of `flow`.
    pub fn flow_attempts(&self, flow: FlowId) -> &BothWays {
        &self.flows[flow.0 as usize]
    }

    /// Whether `station` has sent or received, or would have.
    pub fn is_active(&self, station: NodeId) -> bool {
        let BothWays { down, up } = self.attempts(station);
        down.count + up.count > 0
    }

    /// For how long `station` occupied the medium.
    pub fn station(&self, station: NodeId) -> Duration {
        self.time(&self.stations[station.index()])
    }

    /// For how long the packets of `flow` did, in both directions.
    pub fn flow(&self, flow: FlowId) -> Duration {
        self.time(self.flow_attempts(flow))
    }

    /// For how long beacons did.
    pub fn beacons(&self) -> Duration {
        self.difs * self.beacons.count + self.beacons.backoff + self.beacons.airtime
    }

    /// Beacons transmitted, and those of them that collided.
    pub fn beacons_sent(&self) -> [u64; 2] {
        [self.beacons.count, self.beacons_lost]
    }

    fn time(&self, BothWays { down, up }: &BothWays) -> Duration {
        self.difs * (down.count + up.count)
            + (down.backoff + self.mean_backoff() * up.count)
            + (down.airtime + up.airtime)
    }

    fn mean(&self, attempts: &Attempts) -> Duration {
        match attempts.count {
            0 => self.mean_first_backoff,
            count => attempts.backoff / count,
        }
    }
}
