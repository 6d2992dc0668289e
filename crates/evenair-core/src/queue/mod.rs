//! Queue disciplines: what waits in front of a transmitter, in which order it leaves, and what is
//! discarded when there is no room.
//!
//! A discipline is told of arrivals, departures and the end of each transmission; it owns its
//! packets and its limit, and reports what it discards. The same code runs in the simulator and in
//! a gateway. To add one: a file here, a variant in [`Queue`] and [`Kind`], a line in
//! [`REGISTRY`].

mod backlog;
mod drop_tail;
mod las;
mod spm_af;
#[cfg(test)]
mod tests;

pub use backlog::{Backlog, Limit};
pub use drop_tail::DropTail;
pub use las::{Las, Service};
pub use spm_af::{Filtering, SpmAf};

use crate::packet::Packet;
use crate::parts::Part;
use crate::time::{Span, Time};

/// A queue discipline in front of one transmitter.
pub trait QueueDiscipline {
    /// Takes `packet`, or discards it, or discards others in its favour. What is discarded is
    /// appended to `discarded`.
    fn enqueue(&mut self, now: Time, packet: Packet, discarded: &mut Vec<Discarded>);

    /// The packet to be transmitted next. It goes on counting against the limit until
    /// [`QueueDiscipline::transmitted`] is called.
    fn dequeue(&mut self, now: Time) -> Option<Packet>;

    /// The packet that was dequeued before is out of the transmitter.
    fn transmitted(&mut self, packet: &Packet) {
        self.backlog_mut().transmitted(packet);
    }

    /// What waits and what is being transmitted.
    fn backlog(&self) -> &Backlog;

    /// The same, for the accounting.
    fn backlog_mut(&mut self) -> &mut Backlog;
}

/// A packet that a discipline has discarded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Discarded {
    /// The packet.
    pub packet: Packet,
    /// Why.
    pub reason: Reason,
}

/// Why a packet was discarded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// It arrived at a full queue.
    NoRoom,
    /// It waited in a full queue and made room for one of higher priority.
    Evicted,
    /// An acknowledgement that a later one of its flow supersedes.
    Superseded,
}

/// Which discipline, with its parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// First in, first out ([`DropTail`]).
    DropTail,
    /// Selective packet marking with ACK filtering ([`SpmAf`]).
    SpmAf {
        /// Where a filtered acknowledgement is put.
        filtering: Filtering,
    },
    /// Least attained service ([`Las`]).
    Las {
        /// What counts as service.
        service: Service,
        /// How long a flow that sends nothing is remembered.
        flow_timeout: Span,
    },
}

/// Every queue discipline, by the name that scenarios use.
pub const REGISTRY: &[Part] = &[drop_tail::PART, spm_af::PART, las::PART];

/// One of the disciplines. The set is closed, so a packet costs no virtual call.
#[derive(Clone, Debug)]
pub enum Queue {
    /// First in, first out.
    DropTail(DropTail),
    /// Selective packet marking with ACK filtering.
    SpmAf(SpmAf),
    /// Least attained service.
    Las(Las),
}

impl Queue {
    /// An empty queue.
    pub fn new(kind: Kind, limit: Limit) -> Self {
        match kind {
            Kind::DropTail => Self::DropTail(DropTail::new(limit)),
            Kind::SpmAf { filtering } => Self::SpmAf(SpmAf::new(limit, filtering)),
            Kind::Las { service, flow_timeout } => {
                Self::Las(Las::new(limit, service, flow_timeout))
            }
        }
    }
}

macro_rules! dispatch {
    ($self:ident, $queue:ident => $call:expr) => {
        match $self {
            Queue::DropTail($queue) => $call,
            Queue::SpmAf($queue) => $call,
            Queue::Las($queue) => $call,
        }
    };
}

impl QueueDiscipline for Queue {
    fn enqueue(&mut self, now: Time, packet: Packet, discarded: &mut Vec<Discarded>) {
        dispatch!(self, queue => queue.enqueue(now, packet, discarded));
    }

    fn dequeue(&mut self, now: Time) -> Option<Packet> {
        dispatch!(self, queue => queue.dequeue(now))
    }

    fn transmitted(&mut self, packet: &Packet) {
        dispatch!(self, queue => queue.transmitted(packet));
    }

    fn backlog(&self) -> &Backlog {
        dispatch!(self, queue => queue.backlog())
    }

    fn backlog_mut(&mut self) -> &mut Backlog {
        dispatch!(self, queue => queue.backlog_mut())
    }
}
