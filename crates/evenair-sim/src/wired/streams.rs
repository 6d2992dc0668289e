//! Streams: flows of datagrams between two hosts that need no events.
//!
//! The source of a stream does not react to losses, and its sink sends nothing. At most one link on its path
//! also carries packets of other flows, and all links are droptail. So a stream affects other flows on the
//! shared link only. Its packets are computed up to there before another packet may enter that link, and to their
//! host when somebody wants to know, with the times and in the order that events would give them.

use std::collections::VecDeque;

use evenair_core::packet::Packet;
use evenair_core::time::Instant;
use evenair_core::tournament::Tournament;

use super::Wired;
use super::fifo::Entry;
use super::packet::WirePacket;
use super::until::Until;

/// The ends of streams, by the path of their packets.
pub(crate) trait StreamEnds {
    /// What the packets have in common.
    fn packet(&mut self, path: usize) -> Packet;

    /// When the source sends next.
    fn next_departure(&mut self, path: usize) -> Instant;

    /// The source sends a packet, at the time of its next departure. Returns its [`Packet::seq`].
    fn depart(&mut self, path: usize) -> u64;

    /// A packet that was sent at `sent` has reached its host.
    fn arrive(&mut self, path: usize, now: Instant, packet: &Packet, sent: Instant);
}

/// All streams.
#[derive(Debug, Default)]
pub(crate) struct Streams {
    groups: Vec<Group>,
    /// By link: the groups whose shared link packets of other flows may enter at an event of that link, from it or
    /// from the end of a flow that answers.
    fed_by_link: Vec<Vec<u32>>,
    /// Those whose shared link they may enter from the end of a flow or from the air.
    fed_by_ends: Vec<u32>,
}

/// The streams that share a link with each other or with other flows; or one that has all links to itself.
#[derive(Debug, Default)]
struct Group {
    /// In the order of the links on which their packets arrive at the shared one.
    streams: Vec<Stream>,
    /// By stream: when its next packet arrives at the shared link, or, while there is none on its way, the
    /// nanosecond after that in which its source sends the next.
    due: Tournament,
}

#[derive(Debug)]
struct Stream {
    path: usize,
    /// The links before the shared one, all links if there is none.
    before: Vec<(u32, Entry)>,
    /// The last of them: there is one at least.
    last_before: u32,
    /// The packets on the way to the shared link, and when they arrive there.
    coming: VecDeque<UnderWay>,
    /// The shared link and those behind it.
    behind: Vec<Leg>,
    /// What its packets have in common.
    packet: Packet,
}

/// A link of a stream.
#[derive(Debug)]
struct Leg {
    link: u32,
    entry: Entry,
    /// The packets on it, and when they arrive at its far end.
    packets: VecDeque<UnderWay>,
}

/// A packet under way.
#[derive(Clone, Copy, Debug)]
struct UnderWay {
    /// When it arrives at the next link, or at its host.
    at: Instant,
    /// When its source sent it.
    sent: Instant,
    /// [`Packet::seq`].
    seq: u64,
}

impl Streams {
    /// The streams among `candidates`, paths and their first links: paths with an open-loop source and a sink
    /// that does not answer. `users` says for each link how many paths go over it.
    pub(crate) fn new<P: WirePacket>(
        wired: &Wired<P>,
        users: &[u32],
        candidates: &[(usize, u32)],
        ends: &mut impl StreamEnds,
    ) -> Self {
        let mut groups: Vec<Group> = Vec::new();
        // By shared link.
        let mut numbers: Vec<Option<u32>> = vec![None; users.len()];
        for &(path, first) in candidates {
            let links = wired.links_of_path(first, path);
            let of = |link: u32| &wired.links[link as usize];
            let is_own = |&link: &u32| users[link as usize] == 1;
            let place = links.iter().position(|link| !is_own(link)).unwrap_or(links.len());
            let (before, behind) = links.split_at(place);
            // What is sent at some time makes no difference to others at that same time.
            let takes_time = before.iter().any(|&link| of(link).takes_time());
            let are_fifo = links.iter().all(|&link| of(link).is_fifo());
            if takes_time && are_fifo && behind.iter().skip(1).all(is_own) {
                let stream = Stream::new(path, before, behind, ends.packet(path));
                let next = groups.len() as u32;
                let number = match behind.first() {
                    Some(&shared) => *numbers[shared as usize].get_or_insert(next),
                    None => next,
                };
                if number == next {
                    groups.push(Group::default());
                }
                groups[number as usize].streams.push(stream);
            }
        }
        for group in &mut groups {
            group.start(ends);
        }
        let fed = |links: &mut dyn Iterator<Item = u32>| {
            let mut fed: Vec<_> = links.filter_map(|link| numbers[link as usize]).collect();
            fed.sort_unstable();
            fed.dedup();
            fed
        };
        let entries = || wired.entries.iter().copied();
        let fed_by_link = |link| fed(&mut wired.links_behind(link).chain(entries()));
        Self {
            fed_by_link: (0..wired.links.len()).map(fed_by_link).collect(),
            fed_by_ends: fed(&mut entries()),
            groups,
        }
    }

    /// The paths of the streams.
    pub(crate) fn paths(&self) -> impl Iterator<Item = usize> {
        self.groups.iter().flat_map(|group| &group.streams).map(|stream| stream.path)
    }

    /// Before this time no packet of a stream arrives at a shared link that has not been computed.
    pub(crate) fn due(&self) -> Instant {
        let each = self.groups.iter().map(|group| group.due.first_at());
        each.min().unwrap_or(Instant::NEVER)
    }

    /// Packets under way.
    pub(crate) fn under_way(&self) -> usize {
        self.groups.iter().flat_map(|group| &group.streams).map(Stream::under_way).sum()
    }

    /// Whether [`Streams::advance`] has something to do.
    #[inline(always)]
    pub(crate) fn may_be_noticed(&self, until: Until) -> bool {
        !self.groups.is_empty()
            && !self.fed_by_link.get(until.link as usize).unwrap_or(&self.fed_by_ends).is_empty()
    }

    /// Computes what happens to the streams before `until`, as far as the event that is due then notices it.
    #[inline(never)] // so that the loop of events stays short
    pub(crate) fn advance<P: WirePacket>(
        &mut self,
        until: Until,
        wired: &mut Wired<P>,
        ends: &mut impl StreamEnds,
    ) {
        let Self { groups, fed_by_link, fed_by_ends } = self;
        for &group in fed_by_link.get(until.link as usize).unwrap_or(fed_by_ends) {
            groups[group as usize].advance(until, wired, ends);
        }
    }

    /// Computes all that happens to the streams before `until`.
    pub(crate) fn settle<P: WirePacket>(
        &mut self,
        until: Until,
        wired: &mut Wired<P>,
        ends: &mut impl StreamEnds,
    ) {
        for group in &mut self.groups {
            group.advance(until, wired, ends);
            for stream in &mut group.streams {
                // Behind a packet that is on its way to the shared link.
                while let departure = ends.next_departure(stream.path)
                    && departure < until.at
                {
                    stream.depart(departure, wired, ends);
                }
                stream.drain(until, wired, ends);
            }
        }
    }
}

impl Group {
    /// All its streams are known, and begin.
    fn start(&mut self, ends: &mut impl StreamEnds) {
        self.streams.sort_by_key(|stream| stream.last_before);
        for stream in &self.streams {
            let slot = self.due.add();
            self.due.set(slot, sends_after(ends.next_departure(stream.path)));
        }
    }

    /// Computes what arrives at the shared link before `until`.
    fn advance<P: WirePacket>(
        &mut self,
        until: Until,
        wired: &mut Wired<P>,
        ends: &mut impl StreamEnds,
    ) {
        loop {
            if self.due.first_at() > until.at {
                return;
            }
            let slot = self.due.first_slot();
            let stream = &mut self.streams[slot as usize];
            if let Some(&packet) = stream.coming.front() {
                if Until::link(packet.at, stream.last_before) >= until {
                    return;
                }
                stream.coming.pop_front();
                stream.pass_on(0, packet, wired, ends);
            }
            let departure = ends.next_departure(stream.path);
            if stream.coming.is_empty() && departure < until.at {
                stream.depart(departure, wired, ends);
            }
            let next = match stream.coming.front() {
                Some(packet) => packet.at,
                None => sends_after(ends.next_departure(stream.path)),
            };
            self.due.set(slot, next);
        }
    }
}

/// When a departure is over: the nanosecond after it.
fn sends_after(departure: Instant) -> Instant {
    Until::after(departure).at
}

impl Stream {
    fn new(path: usize, before: &[u32], behind: &[u32], packet: Packet) -> Self {
        let mut last = None;
        let mut leg = |&link: &u32| {
            let is_first = last.is_some_and(|last| last < link);
            let entry = Entry { is_direct: last.is_none(), is_first };
            last = Some(link);
            (link, entry)
        };
        let before: Vec<_> = before.iter().map(&mut leg).collect();
        let behind = behind.iter().map(leg);
        Self {
            path,
            last_before: before.last().map_or(0, |(link, _)| *link),
            before,
            coming: VecDeque::new(),
            behind: behind
                .map(|(link, entry)| Leg { link, entry, packets: VecDeque::new() })
                .collect(),
            packet,
        }
    }

    fn under_way(&self) -> usize {
        self.coming.len() + self.behind.iter().map(|leg| leg.packets.len()).sum::<usize>()
    }

    /// The source sends.
    #[inline(always)]
    fn depart<P: WirePacket>(
        &mut self,
        now: Instant,
        wired: &mut Wired<P>,
        ends: &mut impl StreamEnds,
    ) {
        let seq = ends.depart(self.path);
        let mut at = now;
        for &(link, entry) in &self.before {
            let link = &mut wired.links[link as usize];
            let Some(arrival) = link.carry(now, at, entry, &self.packet) else { return };
            at = arrival;
        }
        self.coming.push_back(UnderWay { at, sent: now, seq });
    }

    /// Takes packets from the shared link on up to where they are.
    fn drain<P: WirePacket>(
        &mut self,
        until: Until,
        wired: &mut Wired<P>,
        ends: &mut impl StreamEnds,
    ) {
        for place in 0..self.behind.len() {
            while let Leg { link, packets, .. } = &mut self.behind[place]
                && let Some(&packet) = packets.front()
                && Until::link(packet.at, *link) < until
            {
                packets.pop_front();
                self.pass_on(place + 1, packet, wired, ends);
            }
        }
    }

    /// A packet arrives at the link with this place from the shared one on, or has come to its host.
    #[inline(always)]
    fn pass_on<P: WirePacket>(
        &mut self,
        place: usize,
        UnderWay { at: now, sent, seq }: UnderWay,
        wired: &mut Wired<P>,
        ends: &mut impl StreamEnds,
    ) {
        match self.behind.get_mut(place) {
            Some(Leg { link, entry, packets }) => {
                let link = &mut wired.links[*link as usize];
                if let Some(at) = link.carry(now, now, *entry, &self.packet) {
                    packets.push_back(UnderWay { at, sent, seq });
                }
            }
            None => {
                (self.packet.seq, self.packet.enqueued_at) = (seq, now);
                ends.arrive(self.path, now, &self.packet, sent);
            }
        }
    }
}
