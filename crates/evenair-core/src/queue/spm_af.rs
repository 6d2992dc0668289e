//! SPM-AF: selective packet marking with ACK filtering (Gong, Wu and Williamson 2006, section
//! III-A).
//!
//! - An arriving acknowledgement removes all earlier ones of its flow from the queue, since it
//!   acknowledges the same data. It takes the position of the oldest of them (head filtering) or is
//!   appended (tail filtering).
//! - A data packet that its source has marked as crucial and that arrives at a full queue evicts an
//!   acknowledgement if one waits, otherwise an unmarked data packet; if there is neither, it is
//!   dropped.
//! - Any other packet that arrives at a full queue is dropped: an unmarked data packet, or an
//!   acknowledgement without an earlier one of its flow to replace.
//!
//! The paper does not specify *which* acknowledgement or unmarked packet is evicted. Here it is the
//! one that arrived last: it has waited least, and the acknowledgement at the head, which is about
//! to clock out the next segments of an upload, is kept.
//!
//! The paper's source marks packets that it sends while its congestion window is below 4 segments,
//! because the loss of one of these causes a timeout, and it counts the segments that an
//! acknowledgement covers (`spm_marking` and `byte_counting` of a flow).

use std::collections::VecDeque;

use super::discipline::first_of;
use super::{Actions, Backlog, DropReason, QueueDiscipline, QueueItem, QueueLimit};
use crate::component::{configuration, named, names};
use crate::rng::RngStream;
use crate::time::Instant;

configuration! {
    /// Parameters of SPM-AF.
    pub struct SpmAfConfig {
        name: "spm-af",
        summary: "selective packet marking with ACK filtering: data before acknowledgements",
        source: "Gong, Wu and Williamson 2006, section III-A",
    }
    /// position of an acknowledgement that replaces earlier ones
    filtering: Filtering = Filtering::Tail, names();
}

named! {
    /// The position of an acknowledgement that replaces earlier ones of its flow.
    pub enum Filtering {
        /// The end of the queue.
        #[default]
        Tail => "tail",
        /// The position of the oldest acknowledgement that it replaces.
        Head => "head",
    }
    planned []
}

/// A first-in, first-out queue with ACK filtering and priority for marked packets.
#[derive(Clone, Debug)]
pub struct SpmAf<P> {
    backlog: Backlog,
    config: SpmAfConfig,
    packets: VecDeque<P>,
}

impl<P: QueueItem> SpmAf<P> {
    /// Creates an empty queue.
    pub fn new(config: SpmAfConfig, limit: QueueLimit, _rng: RngStream) -> Self {
        Self { backlog: Backlog::new(limit), config, packets: VecDeque::new() }
    }

    /// Removes the waiting acknowledgements of the flow of `ack`, if `ack` then has room. Returns
    /// the position of the oldest.
    fn filter(&mut self, ack: &P, actions: &mut impl Actions<P>) -> Option<usize> {
        if self.backlog.acks() == 0 {
            return None;
        }
        let is_earlier = |p: &P| p.is_pure_ack() && p.connection().0 == ack.connection().0;
        let oldest = self.packets.iter().position(is_earlier)?;
        let earlier = self.packets.iter().filter(|p| is_earlier(p));
        if !self.backlog.has_room_without(earlier, ack) {
            return None;
        }
        // At most one waits, since each arriving acknowledgement removes the earlier ones. The loop
        // does not depend on that.
        let mut place = oldest;
        while place < self.packets.len() {
            if is_earlier(&self.packets[place]) {
                let packet = self.packets.remove(place).expect("the place was just looked at");
                self.discard(packet, DropReason::Superseded, actions);
            } else {
                place += 1;
            }
        }
        Some(oldest)
    }

    /// Evicts acknowledgements and unmarked packets until the marked `packet` has room. Evicts
    /// nothing if that does not suffice.
    fn make_room(&mut self, packet: &P, actions: &mut impl Actions<P>) {
        if self.backlog.has_room_for(packet) {
            return;
        }
        let victims = self.packets.iter().filter(|p| p.is_pure_ack() || !p.is_high_priority());
        if !self.backlog.has_room_without(victims, packet) {
            return;
        }
        while !self.backlog.has_room_for(packet) {
            let youngest_ack = match self.backlog.acks() {
                0 => None,
                _ => self.packets.iter().rposition(P::is_pure_ack),
            };
            let victim =
                youngest_ack.or_else(|| self.packets.iter().rposition(|p| !p.is_high_priority()));
            let Some(place) = victim else { return };
            let packet = self.packets.remove(place).expect("the place was just looked at");
            self.discard(packet, DropReason::Evicted, actions);
        }
    }

    fn discard(&mut self, packet: P, reason: DropReason, actions: &mut impl Actions<P>) {
        self.backlog.remove(&packet);
        actions.drop(packet, reason);
    }
}

impl<P: QueueItem> QueueDiscipline<P> for SpmAf<P> {
    fn enqueue(&mut self, _now: Instant, packet: P, actions: &mut impl Actions<P>) {
        let place = if packet.is_pure_ack() {
            self.filter(&packet, actions).filter(|_| self.config.filtering == Filtering::Head)
        } else {
            if packet.is_high_priority() {
                self.make_room(&packet, actions);
            }
            None
        };
        if !self.backlog.has_room_for(&packet) {
            actions.drop(packet, DropReason::OnArrival);
            return;
        }
        self.backlog.add(&packet);
        self.packets.insert(place.unwrap_or(self.packets.len()), packet);
    }

    fn dequeue(&mut self, _now: Instant, _actions: &mut impl Actions<P>) -> Option<P> {
        let packet = self.packets.pop_front()?;
        self.backlog.serve(&packet);
        Some(packet)
    }

    fn dequeue_of(
        &mut self,
        _now: Instant,
        is_wanted: impl Fn(&P) -> bool,
        max_bytes: u32,
        _actions: &mut impl Actions<P>,
    ) -> Option<P> {
        let place = first_of(&self.packets, is_wanted, max_bytes)?;
        let packet = self.packets.remove(place)?;
        self.backlog.serve(&packet);
        Some(packet)
    }

    fn can_bypass(&self) -> bool {
        true
    }

    fn backlog(&self) -> &Backlog {
        &self.backlog
    }

    fn backlog_mut(&mut self) -> &mut Backlog {
        &mut self.backlog
    }

    fn packets(&self) -> Vec<&P> {
        self.packets.iter().collect()
    }
}
