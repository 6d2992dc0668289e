//! Streams: flows of datagrams between two hosts that need no events.
//!
//! The source of a stream does not react to losses, and its sink sends nothing. At most one link on its path
//! also carries packets of other flows, and all links are droptail. So a stream affects other flows on the
//! shared link only. Its packets are computed before the next event that may depend on them, with the times
//! and in the order that events would give them.

use std::collections::VecDeque;

use evenair_core::packet::{FlowId, Packet, PacketKind};
use evenair_core::time::{Duration, Instant};

use super::Wired;
use super::fifo::Entry;
use crate::agenda::Tournament;

/// The ends of streams, by the path of their packets.
pub(crate) trait StreamEnds {
    /// When the source sends next.
    fn next_departure(&self, path: usize) -> Instant;

    /// What the source sends at `now`, the time of its next departure, is passed to `send`.
    fn depart(&mut self, path: usize, now: Instant, send: impl FnMut(&Packet));

    /// A packet has reached its host.
    fn arrive(&mut self, path: usize, now: Instant, packet: &Packet);
}

/// A limit of time: streams are computed up to it. What comes before the event of `link` at `at` is before
/// the limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Until {
    pub(crate) at: Instant,
    link: u32,
}

impl Until {
    /// Just before the event of `link` at `at`.
    pub(crate) const fn link(at: Instant, link: u32) -> Self {
        Self { at, link }
    }

    /// After the events of all links at `at`, before timers and the cell.
    pub(crate) const fn ends(at: Instant) -> Self {
        Self { at, link: u32::MAX }
    }

    /// Before anything that happens at `at`.
    pub(crate) const fn time(at: Instant) -> Self {
        Self { at, link: 0 }
    }

    /// After all that happens at `at`.
    pub(crate) const fn after(at: Instant) -> Self {
        Self::time(at.saturating_add(Duration::from_nanos(1)))
    }
}

/// All streams, in the order of the links on which they arrive at the shared ones.
#[derive(Debug, Default)]
pub(crate) struct Streams {
    streams: Vec<Stream>,
    /// By stream: when its next packet arrives at the shared link, or, while there is none on its way, the
    /// nanosecond after that in which its source sends the next.
    due: Tournament,
}

#[derive(Debug)]
struct Stream {
    path: usize,
    /// The links on the path. All but the shared one are the stream's own.
    links: Vec<u32>,
    /// The place of the shared link among them, which is not the first; their number if there is none.
    shared: usize,
    /// The packets under way, in their order, which they keep.
    under_way: VecDeque<UnderWay>,
    /// By link, from the last before the shared one on: how many of them are behind it. The next one to arrive at
    /// its far end has this number.
    behind: Vec<usize>,
    /// What its packets have in common.
    packet: Packet,
}

/// A packet under way.
#[derive(Clone, Copy, Debug)]
struct UnderWay {
    /// When it arrives at the far end of the link on which it is.
    at: Instant,
    /// [`Packet::seq`].
    seq: u64,
}

impl Streams {
    /// The streams among `candidates`, paths and their first links: paths with an open-loop source and a sink
    /// that does not answer. `users` says for each link how many paths go over it.
    pub(crate) fn new(
        wired: &Wired,
        users: &[u32],
        candidates: &[(usize, u32)],
        ends: &impl StreamEnds,
    ) -> Self {
        let mut streams = Vec::new();
        for &(path, first) in candidates {
            let links = wired.links_of_path(first, path);
            let of = |link: u32| &wired.links[link as usize];
            let is_own = |&link: &u32| users[link as usize] == 1;
            let shared = links.iter().position(|link| !is_own(link)).unwrap_or(links.len());
            // What is sent at some time makes no difference to others at that same time.
            let takes_time = links[..shared].iter().any(|&link| of(link).takes_time());
            let are_fifo = links.iter().all(|&link| of(link).is_fifo());
            if takes_time && are_fifo && links.iter().skip(shared + 1).all(is_own) {
                streams.push(Stream {
                    path,
                    behind: vec![0; links.len()],
                    links,
                    shared,
                    under_way: VecDeque::new(),
                    packet: Packet::new(FlowId::NONE, PacketKind::Datagram),
                });
            }
        }
        streams.sort_by_key(|stream: &Stream| stream.links[stream.shared - 1]);
        let mut due = Tournament::default();
        for stream in &streams {
            let slot = due.add();
            due.set(slot, sends_after(ends.next_departure(stream.path)));
        }
        Self { streams, due }
    }

    /// The paths of the streams.
    pub(crate) fn paths(&self) -> impl Iterator<Item = usize> {
        self.streams.iter().map(|stream| stream.path)
    }

    /// Before this time no packet of a stream arrives at a shared link.
    #[inline(always)]
    pub(crate) fn due(&self) -> Instant {
        self.due.first_at()
    }

    /// Packets under way.
    pub(crate) fn under_way(&self) -> usize {
        self.streams.iter().map(|stream| stream.under_way.len()).sum()
    }

    /// Computes what happens to the streams before `until`, as far as other flows notice it.
    #[inline(never)] // so that the loop of events stays short
    pub(crate) fn advance(&mut self, until: Until, wired: &mut Wired, ends: &mut impl StreamEnds) {
        loop {
            if self.due.first_at() > until.at {
                return;
            }
            let slot = self.due.first_slot();
            let stream = &mut self.streams[slot as usize];
            let last_own = stream.shared - 1;
            if let Some(&UnderWay { at, .. }) = stream.under_way.get(stream.behind[last_own]) {
                if (Until { at, link: stream.links[last_own] }) >= until {
                    return;
                }
                stream.pass_on(last_own, at, wired, ends);
                stream.drain(Until::time(at), wired, ends);
            }
            let departure = ends.next_departure(stream.path);
            if stream.behind[last_own] == stream.under_way.len() && departure < until.at {
                stream.depart(departure, wired, ends);
            }
            let next = match stream.under_way.get(stream.behind[last_own]) {
                Some(packet) => packet.at,
                None => sends_after(ends.next_departure(stream.path)),
            };
            self.due.set(slot, next);
        }
    }

    /// Computes all that happens to the streams before `until`.
    pub(crate) fn settle(&mut self, until: Until, wired: &mut Wired, ends: &mut impl StreamEnds) {
        self.advance(until, wired, ends);
        for stream in &mut self.streams {
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

/// When a departure is over: the nanosecond after it.
fn sends_after(departure: Instant) -> Instant {
    Until::after(departure).at
}

impl Stream {
    /// The source sends.
    fn depart(&mut self, now: Instant, wired: &mut Wired, ends: &mut impl StreamEnds) {
        let Self { path, links, shared, under_way, packet, .. } = self;
        ends.depart(*path, now, |sent| {
            *packet = *sent;
            let entry = Entry { is_direct: true, is_first: false };
            if let Some(at) = wired.cross_own(now, &links[..*shared], entry, sent) {
                under_way.push_back(UnderWay { at, seq: sent.seq });
            }
        });
    }

    /// Takes packets behind the shared link up to where they are.
    fn drain(&mut self, until: Until, wired: &mut Wired, ends: &mut impl StreamEnds) {
        for place in self.shared..self.links.len() {
            let link = self.links[place];
            while self.behind[place] < self.behind[place - 1]
                && let at = self.under_way[self.behind[place]].at
                && (Until { at, link }) < until
            {
                self.pass_on(place, at, wired, ends);
            }
        }
    }

    /// The first packet on the link at `place` arrives at its far end at `now`, and enters the next link, or
    /// has come to its host.
    #[inline(always)]
    fn pass_on(
        &mut self,
        place: usize,
        now: Instant,
        wired: &mut Wired,
        ends: &mut impl StreamEnds,
    ) {
        let index = self.behind[place];
        let entered = match self.links.get(place + 1) {
            Some(&next) => {
                let entry = Entry { is_direct: false, is_first: self.links[place] < next };
                wired.links[next as usize].arrive(now, now, entry, &self.packet)
            }
            None => {
                let seq = self.under_way[index].seq;
                ends.arrive(self.path, now, &Packet { seq, enqueued_at: now, ..self.packet });
                None
            }
        };
        if let Some(at) = entered {
            self.under_way[index].at = at;
            self.behind[place] += 1;
        } else {
            self.under_way.remove(index);
            self.behind[self.shared - 1..place].iter_mut().for_each(|behind| *behind -= 1);
        }
    }
}
