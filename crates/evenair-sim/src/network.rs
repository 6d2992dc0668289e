//! What carries packets between the ends of flows: wired links, interfaces, and the air.
//!
//! A download's packet goes link by link to the access point's [`Interface`], and through the
//! [`Dcf`] to the station; its acknowledgement through the station's interface, the medium, and
//! back link by link. An upload's packets go the other way; those between two hosts see links only.
//! Where a packet goes next depends on its flow and on where it is, and is looked up in tables made
//! once: routing is static.

use evenair_core::loss::{Level, LinkLoss};
use evenair_core::medium::wlan::{AP, Counters, Dcf, DcfConfig, Event, Frame};
use evenair_core::packet::Packet;
use evenair_core::tcp::SackBlocks;
use evenair_core::time::Instant;
use evenair_core::transport::PacketOption;

use crate::RunError;
use crate::capture::writer::CaptureWriter;
use crate::interface::Interface;
use crate::link::Link;
use crate::options::OptionRing;

/// Where a packet goes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hop {
    /// Onto a wired link, by its index.
    Link(u32),
    /// Into the interface of a station of the cell, or of the access point.
    Air(u32),
    /// Nowhere: it has reached the end that it is for.
    End,
}

/// How the packets of one flow travel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Route {
    /// The first hop of the data and of what answers them.
    pub(crate) first: [Hop; 2],
    /// Of what the access point has received.
    pub(crate) off_air: Hop,
    /// The station at one end (the access point for flows that do not touch the air).
    pub(crate) station: u32,
}

/// What the medium has done.
#[derive(Debug)]
pub(crate) enum OnAir {
    /// Nothing that concerns anybody else.
    Quiet,
    /// A packet has come off the air, and onto a link or nowhere.
    Passed,
    /// A packet has come off the air and reached its end: [`Network::arrived`].
    Arrived,
}

/// Everything between the ends of flows.
pub(crate) struct Network {
    medium: Dcf,
    /// One per station, the access point's first.
    interfaces: Vec<Interface>,
    /// Of each station's link, where they strike what the MAC has delivered.
    errors: Vec<Option<LinkLoss>>,
    /// Packets that they have lost, by station.
    error_losses: Vec<u64>,
    /// One per direction of a wired link.
    links: Vec<Link>,
    /// When each link is due, and the first of them.
    due: Vec<Instant>,
    first_due: (Instant, usize),
    /// Where each link's packets go next, by flow.
    next_hop: Vec<Vec<Hop>>,
    /// By flow.
    routes: Vec<Route>,
    /// The options of the packets under way, by flow; `None` where its packets have none.
    options: Vec<Option<OptionRing>>,
    /// The last packet that has reached its end.
    arrived: Option<Packet>,
    recorder: Option<CaptureWriter>,
    /// A hash of every packet that has come off the air or to its end on the wire, and of when.
    fingerprint: u64,
}

impl Network {
    /// `errors` has an entry for each station, `routes` and `options` one for each flow, and `next_hop`
    /// for each link one for each flow.
    pub(crate) fn new(
        mut medium: Dcf,
        interfaces: Vec<Interface>,
        mut errors: Vec<Option<LinkLoss>>,
        links: Vec<Link>,
        next_hop: Vec<Vec<Hop>>,
        routes: Vec<Route>,
        options: Vec<Option<OptionRing>>,
    ) -> Self {
        for (station, link) in (0..).zip(&mut errors) {
            if let Some(mac) = link.take_if(|link| link.level == Level::Mac) {
                medium.set_errors(station, mac);
            }
        }
        Self {
            medium,
            interfaces,
            error_losses: vec![0; errors.len()],
            errors,
            due: vec![Instant::NEVER; links.len()],
            first_due: (Instant::NEVER, 0),
            links,
            next_hop,
            routes,
            options,
            arrived: None,
            recorder: None,
            fingerprint: 0,
        }
    }

    /// The cell's timing, and the number of stations, the access point included.
    pub(crate) fn cell(&self) -> (&DcfConfig, usize) {
        (self.medium.config(), self.interfaces.len())
    }

    /// Writes what passes to `recorder` from now on.
    pub(crate) fn record(&mut self, recorder: CaptureWriter) {
        self.recorder = Some(recorder);
    }

    /// Completes the captures, or tells what has gone wrong with them.
    pub(crate) fn finish_recording(&mut self) -> Result<(), RunError> {
        self.recorder.take().map_or(Ok(()), CaptureWriter::finish)
    }

    /// Keeps the option of `packet`, which is about to be sent.
    pub(crate) fn attach(&mut self, packet: &mut Packet, option: PacketOption) {
        if let Some(ring) = &mut self.options[packet.flow.0 as usize] {
            packet.option = ring.put(option);
        }
    }

    /// The option of `packet`.
    pub(crate) fn option(&self, packet: &Packet) -> Option<PacketOption> {
        if packet.option == 0 {
            return None;
        }
        self.options[packet.flow.0 as usize].as_ref()?.get(packet.option).copied()
    }

    /// A packet leaves the flow's source, or else its sink.
    #[inline(always)] // this and what it calls: the way of every packet, 3% of a run
    pub(crate) fn send(&mut self, now: Instant, from_source: bool, packet: &Packet) {
        match self.routes[packet.flow.0 as usize].first[usize::from(!from_source)] {
            Hop::Air(station) => self.enqueue(now, station, packet),
            Hop::Link(link) => {
                if let Some(recorder) = &mut self.recorder {
                    let packet = *packet;
                    recorder.wire(now, false, &packet, sack_blocks(&self.options, &packet));
                }
                self.send_over(now, link, packet);
            }
            Hop::End => {}
        }
    }

    /// When a link is due next, and which.
    pub(crate) fn next_link(&self) -> (Instant, usize) {
        self.first_due
    }

    /// What is due at `link`: a packet has come to the end of it, or a waiting one enters it.
    /// Returns whether one has reached its own end: [`Network::arrived`].
    pub(crate) fn on_link(&mut self, now: Instant, link: usize) -> bool {
        let from = &mut self.links[link];
        let Some(&packet) = from.poll(now) else {
            let due = from.next();
            self.set_due(link, due);
            return false;
        };
        from.forget();
        let due = from.next();
        self.set_due(link, due);
        match self.next_hop[link][packet.flow.0 as usize] {
            Hop::Link(next) => self.send_over(now, next, &packet),
            Hop::Air(station) => self.enqueue(now, station, &packet),
            Hop::End => {
                self.note(now, &packet);
                if let Some(recorder) = &mut self.recorder {
                    recorder.wire(now, true, &packet, sack_blocks(&self.options, &packet));
                }
                self.arrived = Some(packet);
                return true;
            }
        }
        false
    }

    /// Lets the air go on until something comes of it, or until `limit`; returns when that was. A
    /// frame that was dropped may be reported with an earlier time than its predecessor's.
    pub(crate) fn poll_air(&mut self, limit: Instant) -> Option<(Instant, Event)> {
        self.medium.poll_until(limit)
    }

    /// Does what follows from an event of the air.
    pub(crate) fn on_air(&mut self, now: Instant, event: Event) -> OnAir {
        match event {
            Event::Received { from, to } => {
                let Some(&packet) = self.interfaces[from as usize].in_service() else {
                    return OnAir::Quiet;
                };
                if let Some(recorder) = &mut self.recorder {
                    let sack = sack_blocks(&self.options, &packet);
                    recorder.exchange(&self.medium, (from, to), &packet, sack);
                }
                self.note(now, &packet);
                let up = to == AP;
                let station = if up { from } else { to } as usize;
                if let Some(errors) = &mut self.errors[station]
                    && errors.lose(Level::Ip, up, now)
                {
                    self.error_losses[station] += 1;
                    return OnAir::Passed;
                }
                if up && let Hop::Link(link) = self.routes[packet.flow.0 as usize].off_air {
                    self.send_over(now, link, &packet);
                    return OnAir::Passed;
                }
                self.arrived = Some(packet);
                OnAir::Arrived
            }
            Event::Done { station, .. } => {
                self.interfaces[station as usize].transmitted();
                self.offer(now, station);
                OnAir::Quiet
            }
        }
    }

    /// The last packet that has reached its end.
    pub(crate) fn arrived(&self) -> Option<&Packet> {
        self.arrived.as_ref()
    }

    /// Measuring begins.
    pub(crate) fn reset(&mut self, now: Instant) {
        for interface in &mut self.interfaces {
            interface.reset(now);
        }
        for link in &mut self.links {
            link.reset(now);
        }
        self.error_losses.fill(0);
    }

    /// The MAC counters of each station, the access point's first; they count from time 0.
    pub(crate) fn macs(&self) -> Vec<Counters> {
        (0..self.interfaces.len() as u32).map(|station| self.medium.counters(station)).collect()
    }

    /// The interface of each station, the access point's first.
    pub(crate) fn interfaces(&self) -> &[Interface] {
        &self.interfaces
    }

    /// Packets lost on each station's link after the MAC had delivered them.
    pub(crate) fn error_losses(&self) -> &[u64] {
        &self.error_losses
    }

    /// Each direction of each wired link.
    pub(crate) fn links(&self) -> &[Link] {
        &self.links
    }

    /// A hash of every packet that has come off the air or to its end on the wire, and of when, in that
    /// order.
    pub(crate) fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    fn note(&mut self, now: Instant, packet: &Packet) {
        let what = (u64::from(packet.flow.0) << 40) ^ ((packet.kind as u64) << 8) ^ packet.seq;
        self.fingerprint = fold(self.fingerprint, now.as_nanos().rotate_left(32) ^ what);
    }

    #[inline(always)]
    fn send_over(&mut self, now: Instant, link: u32, packet: &Packet) {
        let link = link as usize;
        if self.links[link].send(now, packet) {
            self.set_due(link, self.links[link].next());
        }
    }

    fn set_due(&mut self, link: usize, due: Instant) {
        if self.due[link] == due {
            return;
        }
        self.due[link] = due;
        if (due, link) < self.first_due {
            self.first_due = (due, link);
        } else if link == self.first_due.1 {
            let all = self.due.iter().copied().zip(0..);
            self.first_due = all.min().unwrap_or((Instant::NEVER, 0));
        }
    }

    /// A packet reaches the interface of `station`.
    #[inline(always)]
    fn enqueue(&mut self, now: Instant, station: u32, packet: &Packet) {
        self.interfaces[station as usize].enqueue(now, packet);
        if self.medium.is_free(station) {
            self.offer(now, station);
        }
    }

    /// The free MAC of `station` gets the next packet, if one waits.
    fn offer(&mut self, now: Instant, station: u32) {
        if let Some(packet) = self.interfaces[station as usize].dequeue(now) {
            let to = if station == AP { self.routes[packet.flow.0 as usize].station } else { AP };
            self.medium.offer(now, station, Frame { to, bytes: packet.size });
        }
    }
}

/// The SACK blocks of a packet, for captures; `None` where its flow has no SACK at all.
fn sack_blocks(options: &[Option<OptionRing>], packet: &Packet) -> Option<SackBlocks> {
    let ring = options[packet.flow.0 as usize].as_ref()?;
    match ring.get(packet.option) {
        Some(PacketOption::Sack(blocks)) => Some(*blocks),
        None => Some(SackBlocks::default()),
    }
}

/// Folds `value` into a hash (FNV-1a on 64-bit words, with a rotation so that high bits come down).
pub(crate) fn fold(hash: u64, value: u64) -> u64 {
    (hash ^ value).wrapping_mul(0x0000_0100_0000_01B3).rotate_left(23)
}
