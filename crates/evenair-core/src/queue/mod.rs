//! Queue disciplines: what waits in front of a transmitter, in which order it leaves, and what is
//! dropped or marked.
//!
//! A discipline owns its packets and its limit. It is told of arrivals, of requests for the next
//! packet and of the end of each transmission, and records in [`Actions`] what it dropped or marked.
//! It is generic over what it queues ([`QueueItem`]), so that the same code runs in the simulator and
//! in a gateway that queues real buffers. To add one: a file here, and a line in `disciplines!` below.

mod backlog;
mod codel;
mod drop_tail;
mod fq_codel;
mod las;
mod pie;
mod spm_af;
mod tbf;
#[cfg(test)]
mod tests;
mod tx_queue;

pub use backlog::{Backlog, Limit};
pub use las::Service;
pub use pie::DelayEstimate;
pub use spm_af::Filtering;
pub use tx_queue::{DropStats, QueueStats, TxQueue};

use crate::component::registry;
use crate::packet::{ConnectionId, Ecn};
use crate::rng::RngStream;
use crate::time::Instant;

/// What a discipline needs to know of a packet.
pub trait QueueItem {
    /// Flow and connection.
    fn connection(&self) -> ConnectionId;

    /// Bytes at IP level.
    fn size(&self) -> u32;

    /// Position in the sequence space of the connection, bytes: of data the first payload byte, of an
    /// acknowledgement the next byte that is expected.
    fn progress(&self) -> u64;

    /// Whether it is a TCP acknowledgement without payload.
    fn is_pure_ack(&self) -> bool;

    /// Whether its source has marked it as crucial.
    fn is_high_priority(&self) -> bool;

    /// When it arrived at the queue.
    fn enqueued_at(&self) -> Instant;

    /// The ECN field of the IP header.
    fn ecn(&self) -> Ecn;

    /// Overwrites the ECN field.
    fn set_ecn(&mut self, ecn: Ecn);
}

/// A queue discipline in front of one transmitter.
pub trait QueueDiscipline<P: QueueItem> {
    /// Queues `packet`, or drops it, or drops others to make room for it.
    fn enqueue(&mut self, now: Instant, packet: P, actions: &mut Actions<P>);

    /// Removes and returns the packet to be transmitted next. It counts against the limit until
    /// [`QueueDiscipline::transmitted`] is called. Packets in front of it may be dropped, and it may
    /// be marked. `None` when nothing waits, when everything that waited was dropped, or before
    /// [`QueueDiscipline::ready_at`].
    fn dequeue(&mut self, now: Instant, actions: &mut Actions<P>) -> Option<P>;

    /// The earliest time at which [`QueueDiscipline::dequeue`] may return a packet: [`Instant::NEVER`]
    /// when nothing waits, a time in the future when a shaper holds packets back.
    fn ready_at(&self) -> Instant {
        if self.backlog().packets() == 0 { Instant::NEVER } else { Instant::ZERO }
    }

    /// Whether a packet that finds the queue empty and the transmitter idle may be transmitted without
    /// having been queued, because the discipline would return it at once and keeps no state of it.
    fn can_bypass(&self) -> bool {
        false
    }

    /// The transmission of a dequeued packet of `bytes` is over.
    fn transmitted(&mut self, bytes: u32) {
        self.backlog_mut().transmitted(bytes);
    }

    /// What waits and what is being transmitted.
    fn backlog(&self) -> &Backlog;

    /// The same, for accounting.
    fn backlog_mut(&mut self) -> &mut Backlog;
}

/// What a discipline did with packets besides queueing and returning them. The caller empties it.
#[derive(Clone, Debug)]
pub struct Actions<P> {
    /// Dropped packets.
    pub dropped: Vec<Dropped<P>>,
    /// Packets whose ECN field was set to CE.
    pub marked: u64,
}

impl<P> Actions<P> {
    /// Nothing was done yet.
    pub const fn new() -> Self {
        Self { dropped: Vec::new(), marked: 0 }
    }

    /// Records that `packet` was dropped.
    pub fn drop(&mut self, packet: P, reason: DropReason) {
        self.dropped.push(Dropped { packet, reason });
    }
}

impl<P: QueueItem> Actions<P> {
    /// Sets the ECN field of `packet` to CE if its transport supports ECN (RFC 3168 section 5);
    /// whether it does.
    pub fn mark(&mut self, packet: &mut P) -> bool {
        match packet.ecn() {
            Ecn::NotCapable => return false,
            Ecn::Capable => packet.set_ecn(Ecn::CongestionExperienced),
            Ecn::CongestionExperienced => {}
        }
        self.marked += 1;
        true
    }
}

impl<P> Default for Actions<P> {
    fn default() -> Self {
        Self::new()
    }
}

/// A dropped packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dropped<P> {
    /// The packet.
    pub packet: P,
    /// Why.
    pub reason: DropReason,
}

/// Why a packet was dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DropReason {
    /// When it arrived: the queue was full, or the discipline dropped it early.
    OnArrival,
    /// When it was about to leave.
    OnDeparture,
    /// It waited in a full queue and made room for a packet of higher rank.
    Evicted,
    /// An acknowledgement that a later one of its flow supersedes.
    Superseded,
}

/// Generates the registry of all disciplines, the enum of them, and its dispatch.
macro_rules! disciplines {
    ($($type:ident($config:ident) in $module:ident,)+) => {
        $(pub use $module::{$config, $type};)+

        registry! {
            /// The configuration of a queue discipline.
            pub enum Config {
                $($type($config),)+
            }
            kind "queue discipline", noun "queue", schema "QueueDiscipline", planned &[]
        }

        /// One of the disciplines. The set is closed, so that a packet costs no virtual call.
        #[derive(Clone, Debug)]
        pub enum Queue<P> {
            $(#[doc = concat!("[`", stringify!($type), "`].")] $type($type<P>),)+
        }

        impl<P: QueueItem> Queue<P> {
            /// An empty queue of the configured discipline. `rng` is its own random stream.
            pub fn new(config: &Config, limit: Limit, rng: RngStream) -> Self {
                match config {
                    $(Config::$type(config) => {
                        Self::$type($type::new(config.clone(), limit, rng))
                    })+
                }
            }
        }

        impl<P: QueueItem> QueueDiscipline<P> for Queue<P> {
            #[inline(always)]
            fn enqueue(&mut self, now: Instant, packet: P, actions: &mut Actions<P>) {
                match self { $(Self::$type(queue) => queue.enqueue(now, packet, actions),)+ }
            }

            #[inline(always)]
            fn dequeue(&mut self, now: Instant, actions: &mut Actions<P>) -> Option<P> {
                match self { $(Self::$type(queue) => queue.dequeue(now, actions),)+ }
            }

            fn ready_at(&self) -> Instant {
                match self { $(Self::$type(queue) => queue.ready_at(),)+ }
            }

            fn can_bypass(&self) -> bool {
                match self { $(Self::$type(queue) => queue.can_bypass(),)+ }
            }

            fn transmitted(&mut self, bytes: u32) {
                match self { $(Self::$type(queue) => queue.transmitted(bytes),)+ }
            }

            fn backlog(&self) -> &Backlog {
                match self { $(Self::$type(queue) => queue.backlog(),)+ }
            }

            fn backlog_mut(&mut self) -> &mut Backlog {
                match self { $(Self::$type(queue) => queue.backlog_mut(),)+ }
            }
        }
    };
}

disciplines! {
    DropTail(DropTailConfig) in drop_tail,
    SpmAf(SpmAfConfig) in spm_af,
    Las(LasConfig) in las,
    Codel(CodelConfig) in codel,
    FqCodel(FqCodelConfig) in fq_codel,
    Pie(PieConfig) in pie,
    Tbf(TbfConfig) in tbf,
}
