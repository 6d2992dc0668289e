//! SPM-AF: selective packet marking with ACK filtering (Gong, Wu and Williamson 2006, section
//! III-A).
//!
//! - An arriving acknowledgement removes all earlier ones of its flow from the queue, for it says
//!   what they said. It takes the place of the oldest of them (head filtering) or the last place
//!   (tail filtering).
//! - A data packet marked as crucial by its source that finds the queue full takes the room of an
//!   acknowledgement if one waits, else of a data packet that is not marked, else it is discarded.
//! - Anything else that finds the queue full is discarded: an unmarked data packet, or an
//!   acknowledgement with no earlier one of its flow to replace.
//!
//! The paper does not say *which* acknowledgement, or which unmarked packet, makes room. Here it
//! is the youngest: it has waited least, so the work of queueing it is least wasted, and the
//! acknowledgement that is about to clock out the next upload segments stays.
//!
//! The paper's source marks what it sends while its congestion window is below 4 segments, since
//! losing one of those costs a timeout, and counts the segments that an acknowledgement covers
//! (`spm_marking` and `byte_counting` of a flow).

use std::collections::VecDeque;

use super::{Actions, Backlog, DropReason, Limit, QueueDiscipline, QueueItem};
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
    /// where an acknowledgement is put that replaces earlier ones
    filtering: Filtering = Filtering::Tail, names();
}

named! {
    /// The place of an acknowledgement that replaces earlier ones of its flow.
    pub enum Filtering {
        /// The last place.
        #[default]
        Tail => "tail",
        /// The place of the oldest one that it replaces.
        Head => "head",
    }
    planned []
}

/// A queue with ACK filtering and room for marked packets.
#[derive(Clone, Debug)]
pub struct SpmAf<P> {
    backlog: Backlog,
    config: SpmAfConfig,
    packets: VecDeque<P>,
}

impl<P: QueueItem> SpmAf<P> {
    /// An empty queue.
    pub fn new(config: SpmAfConfig, limit: Limit, _rng: RngStream) -> Self {
        Self { backlog: Backlog::new(limit), config, packets: VecDeque::new() }
    }

    /// Removes the waiting acknowledgements of `flow`; returns the place of the oldest.
    fn filter(&mut self, ack: &P, actions: &mut Actions<P>) -> Option<usize> {
        if self.backlog.acks() == 0 {
            return None;
        }
        let is_earlier = |p: &P| p.is_pure_ack() && p.connection().0 == ack.connection().0;
        let oldest = self.packets.iter().position(is_earlier)?;
        let earlier = self.packets.iter().filter(|p| is_earlier(p));
        if !self.backlog.has_room_without(earlier, ack) {
            return None;
        }
        // Each acknowledgement filters, so there is one at most, unless the rules were to change.
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

    /// Discards waiting packets that may make room for the marked `packet`, until it has room.
    fn make_room(&mut self, packet: &P, actions: &mut Actions<P>) {
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

    fn discard(&mut self, packet: P, reason: DropReason, actions: &mut Actions<P>) {
        self.backlog.remove(&packet);
        actions.drop(packet, reason);
    }
}

impl<P: QueueItem> QueueDiscipline<P> for SpmAf<P> {
    #[inline(never)]
    fn enqueue(&mut self, _now: Instant, packet: P, actions: &mut Actions<P>) {
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

    #[inline(never)]
    fn dequeue(&mut self, _now: Instant, _actions: &mut Actions<P>) -> Option<P> {
        let packet = self.packets.pop_front()?;
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
}
