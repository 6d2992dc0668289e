//! Queue disciplines: what waits in front of a transmitter, in which order it leaves, and what is
//! discarded when there is no room.
//!
//! A discipline is told of arrivals, departures and the end of each transmission; it owns its
//! packets and its limit, and reports what it discards. The same code runs in the simulator and in
//! a gateway. To add one: a file here with its `PART`, and a line in `disciplines!` below.

mod backlog;
mod drop_tail;
mod las;
mod spm_af;
#[cfg(test)]
mod tests;

pub use backlog::{Backlog, Limit};
pub use drop_tail::DropTail;
pub use las::Las;
pub use spm_af::SpmAf;

use crate::component::{Choice, Part};
use crate::packet::Packet;
use crate::time::Instant;

/// A queue discipline in front of one transmitter.
pub trait QueueDiscipline {
    /// Takes `packet`, or discards it, or discards others in its favour. What is discarded is
    /// appended to `discarded`.
    fn enqueue(&mut self, now: Instant, packet: Packet, discarded: &mut Vec<Discarded>);

    /// The packet to be transmitted next. It goes on counting against the limit until
    /// [`QueueDiscipline::transmitted`] is called.
    fn dequeue(&mut self, now: Instant) -> Option<Packet>;

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

/// Makes the enum, its dispatch and the registry from the list of disciplines.
macro_rules! disciplines {
    ($($type:ident in $module:ident,)+) => {
        /// Every queue discipline, by the name that scenarios use.
        pub static REGISTRY: &[&Part] = &[$(&$module::PART),+];

        /// One of the disciplines. The set is closed, so a packet costs no virtual call.
        #[derive(Clone, Debug)]
        pub enum Queue {
            $(#[doc = concat!("[`", stringify!($type), "`].")] $type($type),)+
        }

        impl Queue {
            /// An empty queue of the chosen discipline.
            ///
            /// # Panics
            /// If the choice is not from [`REGISTRY`].
            pub fn new(choice: &Choice, limit: Limit) -> Self {
                match choice.name() {
                    $(name if name == $module::PART.name => {
                        Self::$type($type::new(choice, limit))
                    })+
                    other => panic!("no queue discipline is called {other}"),
                }
            }
        }

        impl QueueDiscipline for Queue {
            #[inline(always)]
            fn enqueue(&mut self, now: Instant, packet: Packet, discarded: &mut Vec<Discarded>) {
                match self { $(Self::$type(queue) => queue.enqueue(now, packet, discarded),)+ }
            }

            #[inline(always)]
            fn dequeue(&mut self, now: Instant) -> Option<Packet> {
                match self { $(Self::$type(queue) => queue.dequeue(now),)+ }
            }

            fn transmitted(&mut self, packet: &Packet) {
                match self { $(Self::$type(queue) => queue.transmitted(packet),)+ }
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
    DropTail in drop_tail,
    SpmAf in spm_af,
    Las in las,
}
