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
mod counted;
mod discipline;
mod drop_tail;
mod dualpi2;
mod fq_codel;
mod fq_tins;
mod item;
mod las;
mod pie;
mod ring;
mod spm_af;
mod tbf;
#[cfg(test)]
mod tests;
mod tx_queue;

pub use backlog::Backlog;
pub use discipline::{ActionLog, Actions, DropReason, Dropped, QueueDiscipline};
pub use dualpi2::Classification;
pub use fq_tins::FqTins;
pub use item::QueueItem;
pub use las::Service;
pub use pie::{
    DelayEstimate, Form as PieForm, FormConfig as PieFormConfig, LinuxConfig, Rfc8033Config,
};
pub use ring::Ring;
pub use spm_af::Filtering;
pub use tx_queue::{DropStats, QueueStats, TxQueue};

pub use crate::component::QueueLimit;
use crate::component::{Prototype, registry};
use crate::rng::RngStream;
use crate::time::Instant;

/// Generates the registry of all disciplines, and an enum that dispatches to them.
macro_rules! disciplines {
    ($($type:ident($config:ident) in $module:ident,)+) => {
        $(pub use $module::{$config, $type};)+

        registry! {
            /// The configuration of a queue discipline.
            pub enum Config {
                $($type($config),)+
            }
            kind "queue discipline", noun "queue", schema "QueueDiscipline",
            planned &[
                "ared", "blue", "cake", "choke", "drr", "fq", "fq-pie", "hfsc", "hhf", "htb", "qfq", "red", "sfb", "sfq",
                "wred",
            ],
            prototypes Prototype(Prototype<boxed::NewDiscipline>) in boxed::PROTOTYPES
        }

        /// Any of the disciplines. An enum instead of a trait object avoids a virtual call per
        /// packet.
        #[derive(Debug)]
        pub enum Queue<P> {
            $(#[doc = concat!("[`", stringify!($type), "`].")] $type($type<P>),)+
            #[doc = "One that is registered at run time."]
            Prototype(Box<boxed::Boxed<P>>),
            #[doc = "Another one above a driver's ring."]
            Ring(Box<Ring<P, Self>>),
            #[doc = "FQ-CoDel for several receivers, which share its limit."]
            Tins(Box<FqTins<P>>),
        }

        impl<P: QueueItem> Queue<P> {
            /// Creates an empty queue of the configured discipline. `rng` is its own random stream.
            pub fn new(config: &Config, limit: QueueLimit, rng: RngStream) -> Self {
                match config {
                    $(Config::$type(config) => {
                        Self::$type($type::new(config.clone(), limit, rng))
                    })+
                    Config::Prototype(config) => {
                        Self::Prototype(Box::new(boxed::Boxed::new(config, limit, rng)))
                    }
                }
            }

            /// The same above a ring of `capacity` packets; itself if there are none. It is empty.
            #[must_use]
            pub fn above_ring(self, capacity: u32) -> Self {
                match capacity {
                    0 => self,
                    _ => Self::Ring(Box::new(Ring::new(self, capacity))),
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
                    Self::Ring(queue) => queue.enqueue(now, packet, actions),
                    Self::Tins(queue) => queue.enqueue(now, packet, actions),
                }
            }

            #[inline(never)]
            fn dequeue_any_of(
                &mut self,
                now: Instant,
                is_wanted: impl Fn(&P) -> bool,
                max_bytes: u32,
                actions: &mut impl Actions<P>,
            ) -> Option<P> {
                match self {
                    $(Self::$type(queue) => queue.dequeue_of(now, is_wanted, max_bytes, actions),)+
                    Self::Prototype(queue) => queue.dequeue_of(now, is_wanted, max_bytes, actions),
                    Self::Ring(queue) => queue.dequeue_of(now, is_wanted, max_bytes, actions),
                    Self::Tins(queue) => queue.dequeue_of(now, is_wanted, max_bytes, actions),
                }
            }

            #[inline(never)]
            fn dequeue_any(&mut self, now: Instant, actions: &mut impl Actions<P>) -> Option<P> {
                match self {
                    $(Self::$type(queue) => queue.dequeue(now, actions),)+
                    Self::Prototype(queue) => queue.dequeue(now, actions),
                    Self::Ring(queue) => queue.dequeue(now, actions),
                    Self::Tins(queue) => queue.dequeue(now, actions),
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

            #[inline(always)]
            fn dequeue_of(
                &mut self,
                now: Instant,
                is_wanted: impl Fn(&P) -> bool,
                max_bytes: u32,
                actions: &mut impl Actions<P>,
            ) -> Option<P> {
                if let Self::DropTail(queue) = self {
                    return queue.dequeue_of(now, is_wanted, max_bytes, actions);
                }
                self.dequeue_any_of(now, is_wanted, max_bytes, actions)
            }

            fn enqueue_tin(
                &mut self,
                now: Instant,
                tin: u32,
                packet: P,
                actions: &mut impl Actions<P>,
            ) {
                match self {
                    Self::Tins(queue) => queue.enqueue_tin(now, tin, packet, actions),
                    _ => self.enqueue(now, packet, actions),
                }
            }

            fn dequeue_tin(
                &mut self,
                now: Instant,
                tin: u32,
                actions: &mut impl Actions<P>,
            ) -> Option<P> {
                match self {
                    Self::Tins(queue) => queue.dequeue_tin(now, tin, actions),
                    _ => self.dequeue(now, actions),
                }
            }

            fn set_slow(&mut self, tin: u32, is_slow: bool) {
                if let Self::Tins(queue) = self {
                    queue.set_slow(tin, is_slow);
                }
            }

            fn tin_packets(&self, tin: u32) -> u32 {
                match self {
                    Self::Tins(queue) => queue.tin_packets(tin),
                    _ => self.backlog().packets(),
                }
            }

            fn ready_at(&self) -> Instant {
                match self {
                    $(Self::$type(queue) => queue.ready_at(),)+
                    Self::Prototype(queue) => queue.ready_at(),
                    Self::Ring(queue) => queue.ready_at(),
                    Self::Tins(queue) => queue.ready_at(),
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
                    Self::Ring(queue) => queue.can_bypass(),
                    Self::Tins(queue) => queue.can_bypass(),
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
                    Self::Ring(queue) => queue.transmitted(bytes),
                    Self::Tins(queue) => queue.transmitted(bytes),
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
                    Self::Ring(queue) => queue.backlog(),
                    Self::Tins(queue) => queue.backlog(),
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
                    Self::Ring(queue) => queue.backlog_mut(),
                    Self::Tins(queue) => queue.backlog_mut(),
                }
            }

            fn packets(&self) -> Vec<&P> {
                match self {
                    $(Self::$type(queue) => queue.packets(),)+
                    Self::Prototype(queue) => queue.packets(),
                    Self::Ring(queue) => queue.packets(),
                    Self::Tins(queue) => queue.packets(),
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
    DualPi2(DualPi2Config) in dualpi2,
    Tbf(TbfConfig) in tbf,
}
