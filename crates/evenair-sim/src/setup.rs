//! From a scenario to the parts of a world.

use evenair_core::errors::LinkErrors;
use evenair_core::packet::FlowId;
use evenair_core::queue::{Limit, Queue};
use evenair_core::tcp::congestion::Algorithm;
use evenair_core::tcp::{self, Receiver, ReceiverConfig, Sender, SenderConfig};
use evenair_core::time::{Span, Time};
use evenair_core::units::Rate;
use evenair_core::wlan::{Medium, MediumConfig};

use crate::flow::{Cbr, Ends, Flow};
use crate::interface::Interface;
use crate::link::Link;
use crate::sack::AckBlocks;
use crate::scenario::{
    self, AirErrors, Direction, LimitedTransmit, QueueLimit, RtsThreshold, Scenario, Transport,
    Wired,
};

/// The cell's air, with the access point at index 0.
pub(crate) fn medium(scenario: &Scenario, seed: u64) -> Medium {
    let cell = &scenario.cell;
    let config = MediumConfig {
        phy: cell.phy.timing(cell.preamble),
        control_rate: cell.control_rate.rate(),
        rts_threshold: match cell.rts_threshold {
            RtsThreshold::Off => None,
            RtsThreshold::Bytes(bytes) => Some(bytes),
        },
        mac_overhead: cell.mac_overhead,
        immediate_access: cell.immediate_access,
        short_retry_limit: cell.short_retry_limit,
        long_retry_limit: cell.long_retry_limit,
    };
    let mut rates: Vec<Rate> = vec![cell.data_rate.rate()];
    for group in &scenario.station {
        let rate = group.data_rate.unwrap_or(cell.data_rate).rate();
        rates.extend((0..group.count).map(|_| rate));
    }
    Medium::new(config, &rates, seed)
}

/// The errors of each station's link, by the station's index in the cell.
pub(crate) fn errors(scenario: &Scenario, seed: u64) -> Vec<Option<LinkErrors>> {
    let groups = scenario.station.iter();
    let each = groups.flat_map(|group| (0..group.count).map(|_| group.error.as_ref()));
    let of = |(station, error): (u32, Option<&AirErrors>)| {
        error.map(|AirErrors(choice)| LinkErrors::new(choice, seed, station))
    };
    // The access point is no station, and has no link with itself.
    std::iter::once(None).chain((1..).zip(each).map(of)).collect()
}

/// The interfaces of the access point and of each station.
pub(crate) fn interfaces(scenario: &Scenario) -> Vec<Interface> {
    let queue = |q: &scenario::Queue| Interface::new(Queue::new(&q.discipline, limit(q.limit)));
    let mut interfaces = vec![queue(&scenario.cell.queue)];
    for group in &scenario.station {
        interfaces.extend((0..group.count).map(|_| queue(&group.queue)));
    }
    interfaces
}

/// One direction of the wired link.
pub(crate) fn wire(wired: &Wired) -> Link {
    let queue = Queue::new(&wired.queue.discipline, limit(wired.queue.limit));
    Link::new(wired.rate.rate(), wired.delay.span(), queue)
}

/// All flows, in the order of the stations.
pub(crate) fn flows(scenario: &Scenario) -> Vec<Flow> {
    let mut flows: Vec<Flow> = Vec::new();
    let stagger = scenario.stagger();
    let (mut ups, mut downs) = (0, 0);
    let mut station = 0;
    for group in &scenario.station {
        for _ in 0..group.count {
            station += 1;
            for spec in &group.flows {
                let index = flows.len() as u32;
                let up = spec.direction == Direction::Up;
                let (count, name) = if up { (&mut ups, "up") } else { (&mut downs, "down") };
                *count += 1;
                let start = spec.start.map_or(stagger * u64::from(index), |s| s.span());
                flows.push(Flow {
                    id: format!("{name}-{count}"),
                    index: FlowId(index),
                    station,
                    up,
                    transport: spec.transport.name(),
                    header: spec.header,
                    extra_header: group.extra_header,
                    window_bytes: spec.window.saturating_mul(spec.segment),
                    start: Time::ZERO + start,
                    stop: spec.stop.map_or(Time::NEVER, |s| Time::ZERO + s.span()),
                    started: false,
                    ends: ends(spec, Time::ZERO + start),
                });
            }
        }
    }
    flows
}

fn ends(spec: &scenario::Flow, start: Time) -> Ends {
    let Transport::Tcp(control) = &spec.transport else {
        let rate = spec.rate.expect("a resolved cbr flow has a rate").rate();
        return Ends::Cbr(Cbr {
            payload: spec.segment,
            interval: rate.time_for(u64::from(spec.segment)).max(Span::from_nanos(1)),
            next: start,
            sent: 0,
            received_bytes: 0,
        });
    };
    let config = SenderConfig {
        segment: spec.segment,
        window: spec.window,
        initial_window: spec.initial_window,
        initial_ssthresh: spec.initial_ssthresh.unwrap_or(spec.window),
        byte_counting: spec.byte_counting.unwrap_or(false),
        limited_transmit: match spec.limited_transmit {
            LimitedTransmit::Off => tcp::LimitedTransmit::Off,
            LimitedTransmit::New => tcp::LimitedTransmit::New,
            LimitedTransmit::Any => tcp::LimitedTransmit::Any,
        },
        spm_marking: spec.spm_marking.unwrap_or(false),
        sack: spec.sack,
        min_rto: spec.min_rto.span(),
        initial_rto: spec.initial_rto.span(),
        total: u64::MAX,
    };
    Ends::Tcp {
        sender: Sender::new(config, Algorithm::new(control)),
        receiver: Receiver::new(ReceiverConfig {
            delayed_ack: spec.delayed_ack,
            delayed_ack_timeout: spec.delayed_ack_timeout.span(),
            sack: spec.sack,
        }),
        sack: spec.sack.then(|| Box::new(AckBlocks::new(spec.window))),
    }
}

fn limit(limit: QueueLimit) -> Limit {
    match limit {
        QueueLimit::Packets(packets) => Limit::Packets(packets),
        QueueLimit::Bytes(bytes) => Limit::Bytes(bytes),
    }
}
