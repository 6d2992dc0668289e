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
mod streams;
#[cfg(test)]
mod tests;
mod until;

use evenair_core::packet::Packet;
use evenair_core::time::{Duration, Instant};

pub(crate) use link::{Link, LinkQueue};
pub(crate) use packet::WirePacket;
pub(crate) use streams::{StreamEnds, Streams};
pub(crate) use until::Until;

use crate::agenda::Agenda;
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
    /// Links that packets enter from an end of a flow or from the air.
    entries: Vec<u32>,
    /// Where packets go from each link: by link times the number of paths, plus path.
    next_hop: Vec<Hop>,
    paths: usize,
    /// The link whose event is being handled, or [`NO_LINK`].
    current: u32,
}

/// Comes after all links.
const NO_LINK: u32 = u32::MAX;

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
            entries: entries.to_vec(),
            is_private: links.iter().enumerate().map(is_private).collect(),
            current: NO_LINK,
            paths: next_hop.first().map_or(0, Vec::len),
            next_hop: next_hop.concat(),
            links,
        }
    }

    /// Those of the links for which `are_quiet` is true and whose queues are droptail have no events: their packets go to
    /// hosts, which are told by [`Wired::drain_quiet`].
    pub(crate) fn with_quiet(mut self, are_quiet: &[bool]) -> Self {
        for (link, quiet) in self.links.iter_mut().zip(are_quiet) {
            link.is_quiet = *quiet && link.is_fifo();
        }
        self
    }

    /// Whether there are links without events.
    pub(crate) fn has_quiet(&self) -> bool {
        self.links.iter().any(|link| link.is_quiet)
    }

    /// Hands over what has arrived at hosts before `until` over links without events.
    pub(crate) fn drain_quiet(&mut self, until: Until, mut arrive: impl FnMut(&P)) {
        for (number, link) in (0..).zip(&mut self.links).filter(|(_, link)| link.is_quiet) {
            while let Some(packet) = link.in_flight.front()
                && Until::link(packet.enqueued_at(), number) < until
            {
                arrive(packet);
                link.in_flight.pop_front();
            }
        }
    }

    /// A packet enters `link` from an end of its flow or from the air.
    #[inline(always)]
    pub(crate) fn send(&mut self, now: Instant, link: u32, packet: &P, agenda: &mut Agenda) {
        let is_first = self.current < link;
        self.enter(now, link as usize, Entry { is_direct: true, is_first }, packet, agenda);
    }

    /// Does what is due at `now` at `link`. Returns a packet that leaves the wired network, and whether it
    /// enters the cell ([`Hop::AccessPoint`]) or has reached its host ([`Hop::End`]).
    #[inline(always)]
    pub(crate) fn poll(
        &mut self,
        now: Instant,
        link: u32,
        agenda: &mut Agenda,
    ) -> Option<(P, Hop)> {
        let index = link as usize;
        self.current = link;
        if !self.links[index].is_fifo()
            && let Some((packet, Some(arrival))) = self.links[index].serve(now)
        {
            self.continue_from(now, index, arrival, &packet, agenda);
        }
        let in_flight = &mut self.links[index].in_flight;
        let Some(packet) = in_flight.front().filter(|packet| packet.enqueued_at() <= now) else {
            agenda.set_link(link, self.links[index].due());
            return None;
        };
        let packet = packet.clone();
        in_flight.pop_front();
        let hop = self.next_hop[index * self.paths + packet.path()];
        if let Hop::Link(next) = hop {
            let entry = Entry { is_direct: false, is_first: link < next };
            self.enter(now, next as usize, entry, &packet, agenda);
            agenda.set_link(link, self.links[index].due());
            return None;
        }
        agenda.set_link(link, self.links[index].due());
        Some((packet, hop))
    }

    /// What followed from the event of the last [`Wired::poll`] is done.
    pub(crate) fn end_event(&mut self) {
        self.current = NO_LINK;
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
    fn enter(&mut self, now: Instant, link: usize, entry: Entry, packet: &P, agenda: &mut Agenda) {
        if let Some(arrival) = self.links[link].arrive(now, now, entry, packet) {
            self.continue_from(now, link, arrival, packet, agenda);
        } else if !self.links[link].is_fifo() {
            agenda.set_link(link as u32, self.links[link].due());
        }
    }

    /// `packet` will arrive at the far end of `link`. Takes it through the private links behind it.
    #[inline(always)]
    fn continue_from(
        &mut self,
        now: Instant,
        mut link: usize,
        mut arrival: Instant,
        packet: &P,
        agenda: &mut Agenda,
    ) {
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
        let Link { in_flight, is_quiet, .. } = &mut self.links[link];
        in_flight.push_back(packet.arriving(arrival));
        if in_flight.len() == 1 && arrival < agenda.link(link as u32) && !*is_quiet {
            agenda.set_link(link as u32, arrival);
        }
    }

    /// The links that packets enter from `link`, each once or more often.
    fn links_behind(&self, link: usize) -> impl Iterator<Item = u32> {
        let hops = &self.next_hop[link * self.paths..][..self.paths];
        hops.iter().filter_map(|hop| match hop {
            Hop::Link(next) => Some(*next),
            Hop::AccessPoint | Hop::End => None,
        })
    }

    /// How long a packet of `bytes` takes over the links of a path that begins with `first` if it does not wait.
    pub(crate) fn unloaded_time(&self, first: u32, path: usize, bytes: u32) -> Duration {
        let links = self.links_of_path(first, path);
        let each = links.iter().map(|&link| self.links[link as usize].unloaded_time(bytes));
        each.fold(Duration::ZERO, |sum, time| sum + time)
    }

    /// The links of a path that begins with `first`.
    fn links_of_path(&self, first: u32, path: usize) -> Vec<u32> {
        let mut links = vec![first];
        let mut last = first;
        while let Hop::Link(next) = self.next_hop[last as usize * self.paths + path] {
            links.push(next);
            last = next;
        }
        links
    }
}
