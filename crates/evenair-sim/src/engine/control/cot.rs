//! The channel-occupancy-time controller in a run: what its two parts observe, and the limits of
//! flows that follow.
//!
//! The cell counts the attempts of all nodes. Each part uses of them what its node can know: the access
//! point not the backoffs of stations, a station of the access point's backoffs the mean in the
//! beacon.

use evenair_core::control::cot::access_point::Shares;
use evenair_core::control::cot::station::{self, Feedback, FlowCost, FlowUse, Station};
use evenair_core::control::cot::{BeaconElement, CotConfig};
use evenair_core::control::{Config, ObservationSlot};
use evenair_core::medium::{Attempts, BothWays, ExchangeTime, Observable, Occupancy};
use evenair_core::packet::{AccessCategory, Direction, End, NodeId, Packet};
use evenair_core::time::{Duration, Instant};
use evenair_core::transport::{Answers, AnyEnds};
use evenair_core::units::Rate;

use crate::agenda::Agenda;
use crate::engine::control::observed::Observed;
use crate::engine::flow::{Attachment, Flow};
use crate::scenario::{self, Scenario};

/// Round-trip time of a flow that has measured none yet.
const UNKNOWN_RTT: Duration = Duration::from_millis(100);

/// Both parts of the controller.
#[derive(Debug)]
pub(crate) struct CellControl {
    config: CotConfig,
    access_point: ObservationSlot<Occupancy>,
    /// The elements of the last two beacons, by the parity of their number: the next one is made while
    /// the last may still be on the air.
    elements: [BeaconElement; 2],
    /// Rate changes of the medium up to now.
    rate_changes: u64,
    stations: Vec<StationControl>,
    decision: Decision,
    /// theta of each flow.
    limits: Vec<Option<Rate>>,
}

/// What the access point has observed in the last slot, and decided.
#[derive(Debug)]
pub(crate) struct Decision {
    /// p_even and p_additional.
    pub(crate) shares: Shares,
    /// p_i of each station.
    pub(crate) used: Vec<f64>,
    /// p_beacon.
    pub(crate) beacons: f64,
    /// Mean backoff of the access point.
    pub(crate) backoff: Duration,
}

/// The part of one station.
#[derive(Debug)]
struct StationControl {
    node: NodeId,
    /// Indices of its flows, and its end of each.
    flows: Vec<(usize, End)>,
    /// Attempts with packets of each flow.
    slot: ObservationSlot<Vec<BothWays>>,
    station: Station,
    /// Mean backoffs in the last slot, by [`Direction`]: of the access point and its own.
    backoff: [Duration; 2],
}

impl CellControl {
    /// The controller of a scenario with these flows, if it has one.
    pub(crate) fn new(scenario: &Scenario, flows: &[Flow]) -> Option<Self> {
        let scenario::Cell::Wlan(cell) = &scenario.cell else { return None };
        let Config::Cot(config) = &cell.controller else { return None };
        let stations = scenario.station.iter().map(|group| group.count as usize).sum();
        let mut parts: Vec<Vec<(usize, End)>> = vec![Vec::new(); stations];
        for (index, flow) in flows.iter().enumerate() {
            if let Attachment::Station { station, up, .. } = flow.place {
                let end = if up { End::Sender } else { End::Receiver };
                parts[station as usize - 1].push((index, end));
            }
        }
        let part = |(node, flows): (u32, Vec<(usize, End)>)| StationControl {
            node: NodeId(node),
            slot: ObservationSlot::new(config.beacons as usize, config.slots),
            station: Station::new(config, flows.len()),
            backoff: [Duration::ZERO; 2],
            flows,
        };
        Some(Self {
            access_point: ObservationSlot::new(config.beacons as usize, config.slots),
            elements: [Shares::UNKNOWN.element(Duration::ZERO); 2],
            rate_changes: 0,
            stations: (1..).zip(parts).map(part).collect(),
            decision: Decision {
                shares: Shares::UNKNOWN,
                used: vec![0.0; stations],
                beacons: 0.0,
                backoff: Duration::ZERO,
            },
            limits: vec![None; flows.len()],
            config: config.clone(),
        })
    }

    /// The access point is about to transmit this beacon.
    pub(crate) fn prepare_beacon(&mut self, beacon: &Packet, occupancy: &Occupancy) {
        let now = beacon.enqueued_at;
        if let Some((slot, before)) = self.access_point.advance(now, occupancy.clone()) {
            self.decision = self.decide(slot, &occupancy.since(&before));
        }
        let Decision { shares, backoff, .. } = &self.decision;
        self.elements[beacon.seq as usize % 2] = shares.element(*backoff);
    }

    /// (2) to (6), from what was observed in a slot.
    fn decide(&self, slot: Duration, observed: &Occupancy) -> Decision {
        let share = |time: Duration| time.as_secs_f64() / slot.as_secs_f64();
        let used: Vec<f64> =
            self.stations.iter().map(|part| share(observed.station(part.node))).collect();
        let active = self.stations.iter().zip(&used);
        let active: Vec<f64> = active
            .filter(|(part, _)| observed.is_active(part.node))
            .map(|(_, &used)| used)
            .collect();
        let beacons = share(observed.beacons());
        let shares = Shares::new(self.config.threshold, beacons, &active);
        Decision { shares, used, beacons, backoff: observed.mean_backoff() }
    }

    /// A beacon has come: the flows of the stations that have decoded it get new limits.
    pub(crate) fn on_beacon(
        &mut self,
        now: Instant,
        beacon: &Packet,
        cell: Observed<'_>,
        flows: &mut [Flow],
        agenda: &mut Agenda,
    ) {
        let element = self.elements[beacon.seq as usize % 2];
        for part in &mut self.stations {
            if cell.medium.decoded(part.node) && part.observe(now, &element, cell, flows) {
                part.limit(now, cell.medium, flows, &mut self.limits, agenda);
            }
        }
    }

    /// Computes limits again if the rate of a station has changed.
    pub(crate) fn check_rates(
        &mut self,
        now: Instant,
        medium: &dyn Observable,
        flows: &mut [Flow],
        agenda: &mut Agenda,
    ) {
        let changes = medium.rate_changes();
        if std::mem::replace(&mut self.rate_changes, changes) != changes {
            for part in &mut self.stations {
                part.limit(now, medium, flows, &mut self.limits, agenda);
            }
        }
    }

    /// The last decision of the access point.
    pub(crate) fn decision(&self) -> &Decision {
        &self.decision
    }

    /// theta of each flow; `None` of those without a limit.
    pub(crate) fn limits(&self) -> &[Option<Rate>] {
        &self.limits
    }
}

impl StationControl {
    /// A beacon has come. Returns whether a slot has ended with it.
    fn observe(
        &mut self,
        now: Instant,
        element: &BeaconElement,
        cell: Observed<'_>,
        flows: &[Flow],
    ) -> bool {
        let Observed { medium, occupancy } = cell;
        let attempts = |&(flow, _): &(usize, End)| *occupancy.flow_attempts(flows[flow].index);
        let counted: Vec<BothWays> = self.flows.iter().map(attempts).collect();
        let Some((slot, before)) = self.slot.advance(now, counted.clone()) else { return false };
        let observed: Vec<BothWays> =
            counted.iter().zip(&before).map(|(after, before)| after.since(before)).collect();
        let mut own = Attempts::default();
        observed.iter().for_each(|flow| own += flow.up);
        let own = own.mean_backoff().unwrap_or(occupancy.mean_first_backoff());
        self.backoff = [element.backoff(), own];
        let each = self.flows.iter().zip(&observed);
        let uses = each.map(|(&(flow, end), attempts)| {
            let flow = &flows[flow];
            if attempts.is_empty() {
                return None;
            }
            let time = attempts.down.time_with(element.backoff()) + attempts.up.time();
            let reserve = matches!(flow.ends, AnyEnds::Udp(_)).then(|| {
                let data = if end == End::Receiver { &attempts.down } else { &attempts.up };
                let packets_per_second = data.delivered as f64 / slot.as_secs_f64();
                // As many packets in an exchange as there were.
                let each = data.delivered as f64 * Attempts::WHOLE as f64 / data.count as f64;
                let exchange = self.data_exchange(flow, end, each.round() as u32, medium);
                station::reserve(packets_per_second, per_packet(exchange))
            });
            Some(FlowUse { share: time.as_secs_f64() / slot.as_secs_f64(), reserve })
        });
        let uses: Vec<Option<FlowUse>> = uses.collect();
        self.station.on_beacon(element, &uses);
        true
    }

    /// Gives the flows their limits at the present rates.
    fn limit(
        &self,
        now: Instant,
        medium: &dyn Observable,
        flows: &mut [Flow],
        limits: &mut [Option<Rate>],
        agenda: &mut Agenda,
    ) {
        for (i, &(index, end)) in self.flows.iter().enumerate() {
            let flow = &mut flows[index];
            let share = self.station.available(i);
            let limit = share.map(|share| self.cost(flow, end, medium).rate(share));
            limits[index] = limit;
            flow.ends.limit_rate(now, end, limit);
            agenda.arm(flow.timers[end as usize], flow.poll_at(end));
        }
    }

    /// The cost of the packets of `flow` if exchanges have as many of them as they can, and those that answer follow
    /// together.
    fn cost(&self, flow: &Flow, end: End, medium: &dyn Observable) -> FlowCost {
        let answers = match end {
            End::Receiver => Direction::Up,
            End::Sender => Direction::Down,
        };
        let data = self.data_exchange(flow, end, u32::MAX, medium);
        let time = |bytes, waiting| {
            per_packet(self.exchange(answers, flow.category, bytes, waiting, medium))
        };
        let feedback = match flow.answers {
            Answers::None => Feedback::PerRtt(time(0, 1)),
            Answers::PerPackets { bytes, packets } => {
                let waiting = (f64::from(data.packets) / packets).round() as u32;
                Feedback::PerPackets { time: time(bytes, waiting), packets }
            }
            Answers::PerRtt { bytes } => Feedback::PerRtt(time(bytes, 1)),
        };
        FlowCost {
            payload: flow.segment,
            data: per_packet(data),
            feedback,
            rtt: flow.ends.rtt(end).unwrap_or(UNKNOWN_RTT),
        }
    }

    /// An exchange with data packets of `flow`, of which the station is this end.
    fn data_exchange(
        &self,
        flow: &Flow,
        end: End,
        waiting: u32,
        medium: &dyn Observable,
    ) -> ExchangeTime {
        let direction = match end {
            End::Receiver => Direction::Down,
            End::Sender => Direction::Up,
        };
        self.exchange(direction, flow.category, flow.data_bytes, waiting, medium)
    }

    /// An exchange and the backoff before it.
    fn exchange(
        &self,
        direction: Direction,
        category: AccessCategory,
        bytes: u32,
        waiting: u32,
        medium: &dyn Observable,
    ) -> ExchangeTime {
        let exchange = medium.exchange(self.node, direction, category, bytes, waiting);
        ExchangeTime { time: exchange.time + self.backoff[direction as usize], ..exchange }
    }
}

/// T_data (9).
fn per_packet(exchange: ExchangeTime) -> Duration {
    exchange.time / u64::from(exchange.packets)
}
