//! Queue disciplines: the order in which packets leave a transmit queue, and which are dropped or
//! marked.
//!
//! A discipline owns its packets and its limit. Its caller passes it arriving packets, requests the
//! next packet to transmit, and reports the end of each transmission. The discipline reports drops
//! and marks to [`Actions`]. It is generic over the packet type ([`QueueItem`]), so the same code
//! runs in the simulator and in a gateway that queues real buffers. To add a discipline, add a file
//! here and a line in `disciplines!` below.

mod backlog;
pub mod boxed;
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

use crate::component::{Prototype, registry};
use crate::packet::{ConnectionId, Ecn};
use crate::rng::RngStream;
use crate::time::Instant;

/// A packet that can be queued.
pub trait QueueItem {
    /// Flow and connection.
    fn connection(&self) -> ConnectionId;

    /// Bytes at IP level.
    fn size(&self) -> u32;

    /// Position in the sequence space of the connection, bytes: the sequence number of data, the
    /// acknowledgement number of a pure acknowledgement.
    fn progress(&self) -> u64;

    /// Whether it is a TCP acknowledgement without payload.
    fn is_pure_ack(&self) -> bool;

    /// Whether its source has marked it as high priority (SPM).
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
    /// Queues `packet`, drops it, or drops other packets to make room for it.
    fn enqueue(&mut self, now: Instant, packet: P, actions: &mut impl Actions<P>);

    /// Removes and returns the packet to be transmitted next. It counts against the limit until
    /// [`QueueDiscipline::transmitted`] is called. Packets in front of it may be dropped, and it
    /// may be marked. Returns `None` if the queue is empty, if all its packets were dropped, or
    /// before [`QueueDiscipline::ready_at`].
    fn dequeue(&mut self, now: Instant, actions: &mut impl Actions<P>) -> Option<P>;

    /// The earliest time at which [`QueueDiscipline::dequeue`] may return a packet:
    /// [`Instant::NEVER`] if the queue is empty, a time in the future if a shaper delays the head.
    fn ready_at(&self) -> Instant {
        if self.backlog().packets() == 0 { Instant::NEVER } else { Instant::ZERO }
    }

    /// Whether a packet that arrives at an empty queue and an idle transmitter may be transmitted
    /// without being queued, because the discipline would return it at once and keeps no state for
    /// it.
    fn can_bypass(&self) -> bool {
        false
    }

    /// The transmission of a dequeued packet of `bytes` has ended.
    fn transmitted(&mut self, bytes: u32) {
        self.backlog_mut().transmitted(bytes);
    }

    /// The number and size of the packets that wait or are being transmitted.
    fn backlog(&self) -> &Backlog;

    /// Mutable access to the backlog, for accounting.
    fn backlog_mut(&mut self) -> &mut Backlog;

    /// The packets that wait, in the order in which they would leave if none arrived and none were
    /// dropped. For observers, which show none of a discipline that does not tell.
    fn packets(&self) -> Vec<&P> {
        Vec::new()
    }
}

/// Receives the drops and marks of a discipline. The owner of the queue counts them, and a gateway
/// frees the buffers of dropped packets.
pub trait Actions<P: QueueItem> {
    /// `packet` was dropped.
    fn drop(&mut self, packet: P, reason: DropReason);

    /// The ECN field of a packet was set to CE.
    fn marked(&mut self);

    /// Sets the ECN field of `packet` to CE if its transport supports ECN (RFC 3168 section 5).
    /// Returns whether it does.
    fn mark(&mut self, packet: &mut P) -> bool {
        match packet.ecn() {
            Ecn::NotCapable => return false,
            Ecn::Capable => packet.set_ecn(Ecn::CongestionExperienced),
            Ecn::CongestionExperienced => {}
        }
        self.marked();
        true
    }
}

/// Records drops and marks.
#[derive(Clone, Debug)]
pub struct ActionLog<P> {
    /// Dropped packets.
    pub dropped: Vec<Dropped<P>>,
    /// Packets whose ECN field was set to CE.
    pub marked: u64,
}

impl<P> ActionLog<P> {
    /// No drops and no marks.
    pub const fn new() -> Self {
        Self { dropped: Vec::new(), marked: 0 }
    }
}

impl<P: QueueItem> Actions<P> for ActionLog<P> {
    fn drop(&mut self, packet: P, reason: DropReason) {
        self.dropped.push(Dropped { packet, reason });
    }

    fn marked(&mut self) {
        self.marked += 1;
    }
}

impl<P> Default for ActionLog<P> {
    fn default() -> Self {
        Self::new()
    }
}

/// A dropped packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dropped<P> {
    /// The packet.
    pub packet: P,
    /// Why it was dropped.
    pub reason: DropReason,
}

/// Why a packet was dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DropReason {
    /// Dropped on arrival: the queue was full, or the discipline dropped it early.
    OnArrival,
    /// Dropped when it was about to be transmitted.
    OnDeparture,
    /// Removed from a full queue to make room for a packet of higher rank.
    Evicted,
    /// An acknowledgement superseded by a later one of its flow.
    Superseded,
}

/// Generates the registry of all disciplines, and an enum that dispatches to them.
macro_rules! disciplines {
    ($($type:ident($config:ident) in $module:ident,)+) => {
        $(pub use $module::{$config, $type};)+

        registry! {
            /// The configuration of a queue discipline.
            pub enum Config {
                $($type($config),)+
            }
            kind "queue discipline", noun "queue", schema "QueueDiscipline", planned &[],
            prototypes Prototype(Prototype<boxed::NewDiscipline>) in boxed::PROTOTYPES
        }

        /// Any of the disciplines. An enum instead of a trait object avoids a virtual call per
        /// packet.
        #[derive(Debug)]
        pub enum Queue<P> {
            $(#[doc = concat!("[`", stringify!($type), "`].")] $type($type<P>),)+
            #[doc = "One that is registered at run time."]
            Prototype(Box<boxed::Boxed<P>>),
        }

        impl<P: QueueItem> Queue<P> {
            /// Creates an empty queue of the configured discipline. `rng` is its own random stream.
            pub fn new(config: &Config, limit: Limit, rng: RngStream) -> Self {
                match config {
                    $(Config::$type(config) => {
                        Self::$type($type::new(config.clone(), limit, rng))
                    })+
                    Config::Prototype(config) => {
                        Self::Prototype(Box::new(boxed::Boxed::new(config, limit, rng)))
                    }
                }
            }
        }

        // DropTail, the most common, is inlined into its callers; the others are not.
        impl<P: QueueItem> Queue<P> {
            #[inline(never)]
            fn enqueue_any(&mut self, now: Instant, packet: P, actions: &mut impl Actions<P>) {
                match self {
                    $(Self::$type(queue) => queue.enqueue(now, packet, actions),)+
                    Self::Prototype(queue) => queue.enqueue(now, packet, actions),
                }
            }

            #[inline(never)]
            fn dequeue_any(&mut self, now: Instant, actions: &mut impl Actions<P>) -> Option<P> {
                match self {
                    $(Self::$type(queue) => queue.dequeue(now, actions),)+
                    Self::Prototype(queue) => queue.dequeue(now, actions),
                }
            }
        }

        impl<P: QueueItem> QueueDiscipline<P> for Queue<P> {
            #[inline(always)]
            fn enqueue(&mut self, now: Instant, packet: P, actions: &mut impl Actions<P>) {
                if let Self::DropTail(queue) = self {
                    return queue.enqueue(now, packet, actions);
                }
                self.enqueue_any(now, packet, actions);
            }

            #[inline(always)]
            fn dequeue(&mut self, now: Instant, actions: &mut impl Actions<P>) -> Option<P> {
                if let Self::DropTail(queue) = self {
                    return queue.dequeue(now, actions);
                }
                self.dequeue_any(now, actions)
            }

            fn ready_at(&self) -> Instant {
                match self {
                    $(Self::$type(queue) => queue.ready_at(),)+
                    Self::Prototype(queue) => queue.ready_at(),
                }
            }

            #[inline(always)]
            fn can_bypass(&self) -> bool {
                if let Self::DropTail(queue) = self {
                    return queue.can_bypass();
                }
                match self {
                    $(Self::$type(queue) => queue.can_bypass(),)+
                    Self::Prototype(queue) => queue.can_bypass(),
                }
            }

            #[inline(always)]
            fn transmitted(&mut self, bytes: u32) {
                if let Self::DropTail(queue) = self {
                    return queue.transmitted(bytes);
                }
                match self {
                    $(Self::$type(queue) => queue.transmitted(bytes),)+
                    Self::Prototype(queue) => queue.transmitted(bytes),
                }
            }

            #[inline(always)]
            fn backlog(&self) -> &Backlog {
                if let Self::DropTail(queue) = self {
                    return queue.backlog();
                }
                match self {
                    $(Self::$type(queue) => queue.backlog(),)+
                    Self::Prototype(queue) => queue.backlog(),
                }
            }

            #[inline(always)]
            fn backlog_mut(&mut self) -> &mut Backlog {
                if let Self::DropTail(queue) = self {
                    return queue.backlog_mut();
                }
                match self {
                    $(Self::$type(queue) => queue.backlog_mut(),)+
                    Self::Prototype(queue) => queue.backlog_mut(),
                }
            }

            fn packets(&self) -> Vec<&P> {
                match self {
                    $(Self::$type(queue) => queue.packets(),)+
                    Self::Prototype(queue) => queue.packets(),
                }
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
