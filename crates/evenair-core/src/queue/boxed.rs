//! A discipline behind a box: one that is defined outside of this crate.
//!
//! [`QueueDiscipline`] is generic over packets and actions, so it cannot be behind a box. A boxed
//! discipline queues [`Ticket`]s instead: what a discipline may see of a packet, and its number. The
//! packets wait here.

use std::collections::BTreeMap;
use std::fmt::Debug;

use super::{ActionLog, Actions, Backlog, QueueDiscipline, QueueItem, QueueLimit};
use crate::component::{Prototype, Prototypes, Value};
use crate::packet::{ConnectionId, Ecn};
use crate::rng::RngStream;
use crate::time::Instant;

/// Makes a discipline from the values of its parameters, the limit, and its own random stream.
pub type NewDiscipline =
    dyn Fn(&[Value], QueueLimit, RngStream) -> Box<dyn BoxedDiscipline> + Send + Sync;

/// The queue disciplines that are registered at run time.
pub static PROTOTYPES: Prototypes<NewDiscipline> = Prototypes::new();

/// What a discipline may see of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ticket {
    /// Numbers the packets of a queue in the order of their arrival.
    pub number: u64,
    connection: ConnectionId,
    size: u32,
    progress: u64,
    is_pure_ack: bool,
    is_high_priority: bool,
    enqueued_at: Instant,
    ecn: Ecn,
}

impl Ticket {
    fn new(number: u64, packet: &impl QueueItem) -> Self {
        Self {
            number,
            connection: packet.connection(),
            size: packet.size(),
            progress: packet.progress(),
            is_pure_ack: packet.is_pure_ack(),
            is_high_priority: packet.is_high_priority(),
            enqueued_at: packet.enqueued_at(),
            ecn: packet.ecn(),
        }
    }
}

impl QueueItem for Ticket {
    fn connection(&self) -> ConnectionId {
        self.connection
    }

    fn size(&self) -> u32 {
        self.size
    }

    fn progress(&self) -> u64 {
        self.progress
    }

    fn is_pure_ack(&self) -> bool {
        self.is_pure_ack
    }

    fn is_high_priority(&self) -> bool {
        self.is_high_priority
    }

    fn enqueued_at(&self) -> Instant {
        self.enqueued_at
    }

    fn ecn(&self) -> Ecn {
        self.ecn
    }

    fn set_ecn(&mut self, ecn: Ecn) {
        self.ecn = ecn;
    }
}

/// The methods of a [`QueueDiscipline`] of tickets, which implements this.
pub trait BoxedDiscipline: Debug + Send {
    /// See [`QueueDiscipline::enqueue`].
    fn enqueue(&mut self, now: Instant, packet: Ticket, log: &mut ActionLog<Ticket>);

    /// See [`QueueDiscipline::dequeue`].
    fn dequeue(&mut self, now: Instant, log: &mut ActionLog<Ticket>) -> Option<Ticket>;

    /// See [`QueueDiscipline::ready_at`].
    fn ready_at(&self) -> Instant;

    /// See [`QueueDiscipline::transmitted`].
    fn transmitted(&mut self, bytes: u32);

    /// See [`QueueDiscipline::backlog`].
    fn backlog(&self) -> &Backlog;

    /// See [`QueueDiscipline::backlog_mut`].
    fn backlog_mut(&mut self) -> &mut Backlog;
}

impl<D: QueueDiscipline<Ticket> + Debug + Send> BoxedDiscipline for D {
    fn enqueue(&mut self, now: Instant, packet: Ticket, log: &mut ActionLog<Ticket>) {
        QueueDiscipline::enqueue(self, now, packet, log);
    }

    fn dequeue(&mut self, now: Instant, log: &mut ActionLog<Ticket>) -> Option<Ticket> {
        QueueDiscipline::dequeue(self, now, log)
    }

    fn ready_at(&self) -> Instant {
        QueueDiscipline::ready_at(self)
    }

    fn transmitted(&mut self, bytes: u32) {
        QueueDiscipline::transmitted(self, bytes);
    }

    fn backlog(&self) -> &Backlog {
        QueueDiscipline::backlog(self)
    }

    fn backlog_mut(&mut self) -> &mut Backlog {
        QueueDiscipline::backlog_mut(self)
    }
}

/// A boxed discipline and the packets that wait in it.
#[derive(Debug)]
pub struct Boxed<P> {
    discipline: Box<dyn BoxedDiscipline>,
    /// By number.
    waiting: BTreeMap<u64, P>,
    arrivals: u64,
    log: ActionLog<Ticket>,
}

impl<P: QueueItem> Boxed<P> {
    /// An empty queue of the configured discipline.
    pub fn new(config: &Prototype<NewDiscipline>, limit: QueueLimit, rng: RngStream) -> Self {
        let discipline = config.constructor()(config.parameter_values(), limit, rng);
        Self { discipline, waiting: BTreeMap::new(), arrivals: 0, log: ActionLog::new() }
    }

    /// The packet of a ticket, with the ECN field of the ticket.
    fn take(&mut self, ticket: &Ticket) -> P {
        let packet = self.waiting.remove(&ticket.number);
        let mut packet = packet.expect("a discipline returns and drops packets that wait in it");
        packet.set_ecn(ticket.ecn);
        packet
    }

    fn report(&mut self, actions: &mut impl Actions<P>) {
        for dropped in std::mem::take(&mut self.log.dropped) {
            actions.drop(self.take(&dropped.packet), dropped.reason);
        }
        for _ in 0..std::mem::take(&mut self.log.marked) {
            actions.marked();
        }
    }
}

impl<P: QueueItem> QueueDiscipline<P> for Boxed<P> {
    fn enqueue(&mut self, now: Instant, packet: P, actions: &mut impl Actions<P>) {
        let ticket = Ticket::new(self.arrivals, &packet);
        self.arrivals += 1;
        self.waiting.insert(ticket.number, packet);
        self.discipline.enqueue(now, ticket, &mut self.log);
        self.report(actions);
    }

    fn dequeue(&mut self, now: Instant, actions: &mut impl Actions<P>) -> Option<P> {
        let ticket = self.discipline.dequeue(now, &mut self.log);
        self.report(actions);
        ticket.map(|ticket| self.take(&ticket))
    }

    fn ready_at(&self) -> Instant {
        self.discipline.ready_at()
    }

    fn transmitted(&mut self, bytes: u32) {
        self.discipline.transmitted(bytes);
    }

    fn backlog(&self) -> &Backlog {
        self.discipline.backlog()
    }

    fn backlog_mut(&mut self) -> &mut Backlog {
        self.discipline.backlog_mut()
    }

    /// In the order of their arrival: what the discipline will do with them only it knows.
    fn packets(&self) -> Vec<&P> {
        self.waiting.values().collect()
    }
}
