//! Tests of the rules of each discipline ([`rules`]), and comparisons with simple, slow models
//! ([`model`]); what observers see ([`order`]). Disciplines that use the time have their own tests and
//! models ([`aqm`]).

mod aqm;
mod model;
mod order;
mod rules;

use super::{
    ActionLog, Config, DropReason, DropTailConfig, Dropped, Filtering, LasConfig, Queue,
    QueueDiscipline, QueueLimit, Service, SpmAfConfig,
};
use crate::packet::{FlowId, Packet, PacketKind};
use crate::rng::{RngStream, StreamId};
use crate::time::{Duration, Instant};

/// The first packet of a flow.
fn packet(flow: u32, kind: PacketKind, size: u32) -> Packet {
    Packet { size, payload: size.saturating_sub(40) as u16, ..Packet::new(FlowId(flow), kind) }
}

/// A discipline with its parameters.
#[derive(Clone, Copy, Debug)]
enum Kind {
    DropTail,
    SpmAf { filtering: Filtering },
    Las { service: Service, flow_timeout: Duration },
}

impl Kind {
    fn queue(self, limit: QueueLimit) -> Queue<Packet> {
        let config: Config = match self {
            Self::DropTail => DropTailConfig {}.into(),
            Self::SpmAf { filtering } => SpmAfConfig { filtering }.into(),
            Self::Las { service, flow_timeout } => LasConfig { service, flow_timeout }.into(),
        };
        Queue::new(&config, limit, RngStream::new(1, StreamId::Queue, 0))
    }
}
