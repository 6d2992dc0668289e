//! The disciplines' rules one by one ([`rules`]), and all of them against small, slow queues that
//! are written as plainly as the rules ([`model`]). Those that look at the clock have models and rules of
//! their own ([`aqm`]).

mod aqm;
mod model;
mod rules;

use super::{Actions, DropReason, Dropped, Limit, Queue, QueueDiscipline, REGISTRY};
use crate::component::{Choice, Value};
use crate::packet::{FlowId, Packet, PacketKind};
use crate::rng::{RngStream, StreamId};
use crate::time::{Duration, Instant};

/// A packet without number, at the start of its flow.
fn packet(flow: u32, kind: PacketKind, size: u32) -> Packet {
    Packet { size, payload: size.saturating_sub(40) as u16, ..Packet::new(FlowId(flow), kind) }
}

/// The disciplines, as the tests name them.
#[derive(Clone, Copy, Debug)]
enum Kind {
    DropTail,
    SpmAf { filtering: Filtering },
    Las { service: Service, flow_timeout: Duration },
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Filtering {
    Tail,
    Head,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Service {
    Sequence,
    Bytes,
}

impl Kind {
    fn queue(self, limit: Limit) -> Queue<Packet> {
        let of = |name| Choice::by_name(REGISTRY, name).unwrap();
        let choice = match self {
            Self::DropTail => of("droptail"),
            Self::SpmAf { filtering: Filtering::Tail } => {
                of("spm-af").with("filtering", Value::Name("tail"))
            }
            Self::SpmAf { filtering: Filtering::Head } => {
                of("spm-af").with("filtering", Value::Name("head"))
            }
            Self::Las { service, flow_timeout } => {
                let service = match service {
                    Service::Sequence => "sequence",
                    Service::Bytes => "bytes",
                };
                let las = of("las").with("service", Value::Name(service));
                las.with("flow_timeout", Value::Time(flow_timeout))
            }
        };
        Queue::new(&choice, limit, RngStream::new(1, StreamId::Queue, 0))
    }
}
