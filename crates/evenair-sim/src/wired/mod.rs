//! The wired network: links between the access point and hosts, and the packets on them.
//!
//! Routing is static. The hop that follows a link is looked up by the packet's path, its flow in the simulator, in a table that is
//! made once.
//!
//! A link needs an event for a packet only where something may happen in between. If all packets of a
//! droptail link come from one other link, then nothing competes with them: their passage is computed
//! at once when they enter the link before, *ahead of time*. So a packet needs one event where it meets
//! others, and one where it enters the cell or reaches its end.

mod fifo;
mod link;
mod packet;
#[cfg(test)]
mod tests;

use evenair_core::packet::Packet;
use evenair_core::time::Instant;

pub(crate) use link::{Link, LinkQueue};
pub(crate) use packet::WirePacket;

use fifo::Entry;

/// Where a packet goes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hop {
    /// Onto a wired link, by its index.
    Link(u32),
    /// Into the transmit queue of the access point.
    AccessPoint,
    /// Nowhere: it has reached the host that it is for.
    End,
}

/// All links, one entry per direction.
#[derive(Debug)]
pub(crate) struct Wired<P = Packet> {
    links: Vec<Link<P>>,
    /// Links that all packets enter from one other link, and whose queue is droptail.
    is_private: Vec<bool>,
    /// Where packets go from each link: by link times the number of paths, plus path.
    next_hop: Vec<Hop>,
    paths: usize,
    /// When each link is due, and the first of them; at equal times that of the lowest index.
    due: Vec<Instant>,
    first_due: (Instant, usize),
    /// The link whose event is being handled.
    current: Option<u32>,
}

impl<P: WirePacket> Wired<P> {
    /// `next_hop` has an entry for each link and in it one for each path. `entries` are the links that
    /// packets enter from an end of a flow or from the air.
    pub(crate) fn new(links: Vec<Link<P>>, next_hop: Vec<Vec<Hop>>, entries: &[u32]) -> Self {
        let mut sources = vec![Vec::new(); links.len()];
        for (from, hops) in next_hop.iter().enumerate() {
            for hop in hops {
                if let Hop::Link(to) = hop
                    && !sources[*to as usize].contains(&from)
                {
                    sources[*to as usize].push(from);
                }
            }
        }
        let is_private = |(index, link): (usize, &Link<P>)| {
            link.is_fifo() && sources[index].len() == 1 && !entries.contains(&(index as u32))
        };
        Self {
            is_private: links.iter().enumerate().map(is_private).collect(),
            due: vec![Instant::NEVER; links.len()],
            first_due: (Instant::NEVER, 0),
            current: None,
            paths: next_hop.first().map_or(0, Vec::len),
            next_hop: next_hop.concat(),
            links,
        }
    }

    /// A packet enters `link` from an end of its flow or from the air.
    #[inline(always)]
    pub(crate) fn send(&mut self, now: Instant, link: u32, packet: &P) {
        let is_first = self.current.is_some_and(|current| current < link);
        self.enter(now, link as usize, Entry { is_direct: true, is_first }, packet);
    }

    /// When [`Wired::poll`] is to be called next.
    pub(crate) fn due(&self) -> Instant {
        self.first_due.0
    }

    /// Does what is due at `now` at the first link. A packet that leaves the wired network is passed to
    /// `leave`, with whether it enters the cell ([`Hop::AccessPoint`]) or has reached its host
    /// ([`Hop::End`]).
    #[inline(always)]
    pub(crate) fn poll(&mut self, now: Instant, leave: impl FnOnce(&P, Hop)) {
        let index = self.first_due.1;
        self.current = Some(index as u32);
        if let Some((packet, arrival)) = self.links[index].serve(now)
            && let Some(arrival) = arrival
        {
            self.continue_from(now, index, arrival, &packet);
        }
        let link = &mut self.links[index];
        if let Some(packet) = link.in_flight.front()
            && packet.enqueued_at() <= now
        {
            match self.next_hop[index * self.paths + packet.path()] {
                Hop::Link(next) => {
                    let (is_first, packet) = (index < next as usize, packet.clone());
                    link.in_flight.pop_front();
                    self.enter(now, next as usize, Entry { is_direct: false, is_first }, &packet);
                }
                hop => {
                    leave(packet, hop);
                    link.in_flight.pop_front();
                }
            }
        }
        self.update_due(index);
    }

    /// What followed from the event of the last [`Wired::poll`] is done.
    pub(crate) fn end_event(&mut self) {
        self.current = None;
    }

    /// Each direction of each link.
    pub(crate) fn links(&self) -> &[Link<P>] {
        &self.links
    }

    /// Packets that wait or are under way: those that go to the access point, and those that go to a host.
    pub(crate) fn under_way(&self) -> [usize; 2] {
        let mut counts = [0, 0];
        for (index, link) in self.links.iter().enumerate() {
            for packet in link.packets() {
                let mut from = index;
                while let Hop::Link(next) = self.next_hop[from * self.paths + packet.path()] {
                    from = next as usize;
                }
                let last = self.next_hop[from * self.paths + packet.path()];
                counts[usize::from(last != Hop::AccessPoint)] += 1;
            }
        }
        counts
    }

    /// Starts the statistics of all links anew.
    pub(crate) fn reset_stats(&mut self, now: Instant) {
        for link in &mut self.links {
            link.reset_stats(now);
        }
    }

    #[inline(always)]
    fn enter(&mut self, now: Instant, link: usize, entry: Entry, packet: &P) {
        if let Some(arrival) = self.links[link].arrive(now, now, entry, packet) {
            self.continue_from(now, link, arrival, packet);
        } else if !self.links[link].is_fifo() {
            self.update_due(link);
        }
    }

    /// `packet` will arrive at the far end of `link`. Takes it through the private links behind it.
    #[inline(always)]
    fn continue_from(&mut self, now: Instant, mut link: usize, mut arrival: Instant, packet: &P) {
        while let Hop::Link(next) = self.next_hop[link * self.paths + packet.path()] {
            let next = next as usize;
            if !self.is_private[next] {
                break;
            }
            let entry = Entry { is_direct: false, is_first: link < next };
            let Some(next_arrival) = self.links[next].arrive(now, arrival, entry, packet) else {
                return;
            };
            (link, arrival) = (next, next_arrival);
        }
        let in_flight = &mut self.links[link].in_flight;
        in_flight.push_back(packet.arriving(arrival));
        if in_flight.len() == 1 && arrival < self.due[link] {
            self.due[link] = arrival;
            if (arrival, link) < self.first_due {
                self.first_due = (arrival, link);
            }
        }
    }

    /// `link` may be due at another time than before.
    #[inline(always)]
    fn update_due(&mut self, link: usize) {
        self.due[link] = self.links[link].due();
        self.first_due = match self.due[..] {
            // The two directions of one link.
            [backward, forward] if forward < backward => (forward, 1),
            [backward, _] => (backward, 0),
            _ => self.scan_due(),
        };
    }

    /// A scan of the few links there are is cheaper than any tree.
    fn scan_due(&self) -> (Instant, usize) {
        let (mut first, mut first_at) = (0, Instant::NEVER);
        for (index, &due) in self.due.iter().enumerate() {
            if due < first_at {
                (first, first_at) = (index, due);
            }
        }
        (first_at, first)
    }
}
