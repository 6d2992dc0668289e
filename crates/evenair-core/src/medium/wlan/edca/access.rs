//! An access to the medium: who transmits what, and what will be decoded of it.

use super::agreement::Psdu;
use super::lifetime;
use super::mac::{PER_NODE, category_of, node_of};
use super::state::{Edca, Fate, Phase, Sent};
use crate::loss::FrameKind;
use crate::medium::wlan::Protection;
use crate::medium::wlan::contention::{ContenderId, internal};
use crate::medium::{CellContext, LinkId, Listening, PhyMode, Transmission};
use crate::time::{Duration, Instant};

impl Edca {
    /// The transmissions of slot boundary `boundary`, which is `now`.
    pub(super) fn begin(&mut self, now: Instant, boundary: u64, cell: &mut impl CellContext) {
        let Self { contention, reached, collided, .. } = self;
        reached.clear();
        // A counter that another access preempts remains 0: nothing is drawn.
        contention.seize(boundary, |contender| reached.push(contender), |_| 0);
        internal::split(reached, PER_NODE, collided);
        if self.has_beacons() {
            self.begin_beacons(now);
        }
        for contender in self.collided.drain(..) {
            let backoff = self.macs[contender.index()].fail(self.config.short_retry_limit);
            self.access_usage[contender.index()].internal_collisions += 1;
            self.contention.defer(contender, backoff);
        }
        self.sent.clear();
        for place in 0..self.reached.len() {
            let contender = self.reached[place];
            let limit = self.macs[contender.index()].txop;
            let end = if limit > Duration::ZERO { now + limit } else { Instant::NEVER };
            let sent = self.transmit(now, now, contender, end, true, cell);
            self.sent.extend(sent);
            self.txop_end = end;
        }
        match (&self.sent[..], &self.broadcasts.on_air[..]) {
            (&[sent], []) => self.exchange(sent, cell),
            ([], &[beacon]) => self.transmit_beacon(beacon, cell),
            _ => self.collide(),
        }
    }

    /// Makes the PPDU that `contender` transmits at `start`, in a TXOP that ends at `end`; the first of the TXOP may follow
    /// RTS/CTS. A single MPDU may exceed the TXOP.
    #[inline(always)]
    fn transmit(
        &mut self,
        now: Instant,
        start: Instant,
        contender: ContenderId,
        end: Instant,
        is_first: bool,
        cell: &mut impl CellContext,
    ) -> Option<Sent> {
        let queue = self.macs[contender.index()].queue?;
        cell.fill(now, node_of(contender), category_of(contender));
        if self.config.lifetime.is_some() {
            self.expire(now, contender, queue, true, cell);
        }
        let Self { config, agreements, amsdus, usage, .. } = self;
        let link = &mut self.links[self.setup.layout.link(queue)?.0.index()];
        let agreement = &mut agreements[queue.0 as usize];
        let sifs = config.phy.sifs;
        if agreement.asks {
            let control = link.control;
            let psdu = Psdu { mpdus: 0, bytes: control.block_ack_req.bytes };
            let end = start + control.block_ack_req.time;
            return Some(Sent {
                contender,
                queue,
                psdu,
                is_first,
                has_rts: false,
                start,
                ppdu_start: start,
                first_end: end,
                end,
            });
        }
        link.adapt(config, &self.setup.modes, now, agreement.single(link).bytes);
        let (control, format) = (link.control, link.vector.format);
        let prelude = |bytes| match is_first {
            true => config.prelude(format, bytes),
            false => Protection::Off,
        };
        let before = control.time_before(prelude(u32::MAX), sifs);
        let most = end.since(start).saturating_sub(before + sifs + control.block_ack.time);
        let dropped = &mut usage[node_of(contender).index()].dropped;
        let take = |room| match config.lifetime {
            None => cell.take(now, queue, room),
            Some(lifetime) => lifetime::take(now, queue, room, lifetime, dropped, cell),
        };
        let psdu = agreement.aggregate(config, link, most, amsdus, take);
        let prelude = prelude(psdu.bytes);
        let has_rts = prelude == Protection::RtsCts;
        let ppdu_start = start + control.time_before(prelude, sifs);
        let end = ppdu_start + link.ppdu_time(config, psdu.bytes);
        let first_end = if has_rts { start + control.rts.time } else { end };
        Some(Sent { contender, queue, psdu, is_first, has_rts, start, ppdu_start, first_end, end })
    }

    /// The TXOP of `contender` goes on with another PPDU after SIFS, if one fits. Returns whether it does.
    pub(super) fn go_on(
        &mut self,
        now: Instant,
        contender: ContenderId,
        cell: &mut impl CellContext,
    ) -> bool {
        let start = now + self.config.phy.sifs;
        let Some(queue) = self.macs[contender.index()].queue else { return false };
        let link = self.link_of(queue).index();
        let link = &mut self.links[link];
        let agreement = &self.agreements[queue.0 as usize];
        if !agreement.asks {
            let bytes = agreement.single(link).bytes;
            link.adapt(&self.config, &self.setup.modes, now, bytes);
        }
        let least = if agreement.asks {
            link.control.block_ack_req.time + link.control.block_ack.time
        } else {
            let single = agreement.single(link);
            link.ppdu_time(&self.config, single.bytes) + link.control.ack.time
        };
        if start + least + self.config.phy.sifs > self.txop_end {
            return false;
        }
        let sent = self.transmit(now, start, contender, self.txop_end, false, cell);
        self.sent.clear();
        self.sent.extend(sent);
        sent.inspect(|sent| self.exchange(*sent, cell)).is_some()
    }

    /// A single node transmits: decides what will be decoded.
    #[inline(always)]
    fn exchange(&mut self, sent: Sent, cell: &mut impl CellContext) {
        self.count(&sent);
        let link_id = self.link_of(sent.queue);
        let link = &self.links[link_id.index()];
        let (from, to) = self.setup.associations.ends(link_id);
        self.path = (from, to, link.mode);
        let response = link.response(sent.psdu);
        let response_end = sent.end + self.config.phy.sifs + response.time;
        self.decoded.clear();
        self.decoded.resize(sent.psdu.mpdus, true);
        self.fate = Fate::Answered;
        (self.due, self.phase) = (sent.end, Phase::Sending);
        let station = self.setup.associations.station(link_id);
        let has_channel = self.channels[station.index()].is_some();
        if has_channel || cell.no_loss_before(station) <= response_end {
            self.exchange_on_lossy_link(sent, link_id, cell);
        }
        if self.listening == Listening::Everything {
            self.note_heard(sent);
        }
        if self.phase == Phase::Sending {
            match sent.psdu.mpdus {
                0 => self.receive_request(sent),
                _ => self.receive(sent, link_id, cell),
            }
        }
    }

    /// The receiver decodes MPDUs of a PPDU that will be answered: prepares what it passes on, and when.
    #[inline(always)]
    fn receive(&mut self, sent: Sent, link_id: LinkId, cell: &mut impl CellContext) {
        if !self.amsdus.is_empty() {
            return self.receive_amsdus(sent, link_id, cell);
        }
        let Self { links, agreements, decoded, passed_on, .. } = self;
        let link = &links[link_id.index()];
        let time_of = |bytes| sent.ppdu_start + link.received_after(bytes);
        let pass_on = |packet, bytes| passed_on.push((time_of(bytes), packet));
        let keep = |packet, bytes| cell.keep(time_of(bytes), packet);
        agreements[sent.queue.0 as usize].receive(sent.psdu, decoded, pass_on, keep);
        // They are reported from the end.
        passed_on.reverse();
    }

    /// The same where MPDUs may have several packets.
    #[inline(never)] // so that it does not slow the other down
    fn receive_amsdus(&mut self, sent: Sent, link_id: LinkId, cell: &mut impl CellContext) {
        let Self { links, agreements, amsdus, decoded, passed_on, .. } = self;
        let link = &links[link_id.index()];
        let time_of = |bytes| sent.ppdu_start + link.received_after(bytes);
        let pass_on = |first, bytes| {
            let at = time_of(bytes);
            passed_on.extend(amsdus.packets(first).map(|packet| (at, packet)));
        };
        let keep = |first, bytes| {
            amsdus.packets(first).for_each(|packet| cell.keep(time_of(bytes), packet));
        };
        agreements[sent.queue.0 as usize].receive(sent.psdu, decoded, pass_on, keep);
        passed_on.reverse();
    }

    /// The receiver decodes a BlockAckReq: prepares what it passes on at its end.
    #[inline(never)] // rare in comparison
    fn receive_request(&mut self, sent: Sent) {
        let Self { agreements, amsdus, passed_on, .. } = self;
        let pass_on =
            |first| passed_on.extend(amsdus.packets(first).map(|packet| (sent.end, packet)));
        agreements[sent.queue.0 as usize].request(pass_on);
        passed_on.reverse();
    }

    /// Asks in order of time which frames are corrupted; none follows one that is not decoded.
    #[inline(never)] // only on lossy links
    fn exchange_on_lossy_link(&mut self, sent: Sent, link_id: LinkId, cell: &mut impl CellContext) {
        let link = &self.links[link_id.index()];
        let (sifs, control, control_mode) = (self.config.phy.sifs, link.control, link.control_mode);
        let station = self.setup.associations.station(link_id);
        let mut channel = self.channels[station.index()].as_deref_mut();
        let header_end = sent.ppdu_start + link.preamble;
        let has_lost_header = sent.psdu.mpdus > 0
            && channel
                .as_deref_mut()
                .is_some_and(|channel| channel.corrupts_header(header_end, link.mode));
        // Channel and loss model are both asked, so that neither changes the random numbers of the other.
        let mut is_corrupted = |kind, at, link: LinkId, mode: PhyMode, bytes| {
            let direction = link.direction();
            let frame = Transmission { kind, at, station, direction, mode, bytes };
            let by_channel = channel.as_deref_mut().is_some_and(|channel| match kind {
                FrameKind::Data => channel.corrupts_mpdu(&frame),
                FrameKind::Control => channel.corrupts(&frame),
            });
            cell.is_corrupted(&frame) | by_channel
        };
        let (forward, backward) = (link_id, link_id.reversed());
        let (data, of_control) = (FrameKind::Data, FrameKind::Control);
        let mut fails = |fate, due| {
            (self.fate, self.due, self.phase) = (fate, due, Phase::Failing);
        };
        if sent.has_rts {
            let cts_end = sent.first_end + sifs + control.cts.time;
            if is_corrupted(of_control, sent.first_end, forward, control_mode, control.rts.bytes) {
                return fails(Fate::NoCts, sent.first_end);
            }
            if is_corrupted(of_control, cts_end, backward, control_mode, control.cts.bytes) {
                return fails(Fate::CorruptedCts, cts_end);
            }
        }
        if sent.psdu.mpdus == 0 {
            let bytes = control.block_ack_req.bytes;
            if is_corrupted(of_control, sent.end, forward, control_mode, bytes) {
                return fails(Fate::NoResponse, sent.end);
            }
        } else {
            let mpdus = self.agreements[sent.queue.0 as usize].mpdus(sent.psdu);
            for (decoded, (bytes, end)) in self.decoded.iter_mut().zip(mpdus) {
                let at = sent.ppdu_start + link.received_after(end);
                *decoded = !is_corrupted(data, at, forward, link.mode, bytes);
            }
            if has_lost_header {
                self.decoded.fill(false);
            }
            if !self.decoded.contains(&true) {
                return fails(Fate::NoResponse, sent.end);
            }
        }
        let response = link.response(sent.psdu);
        let end = sent.end + sifs + response.time;
        if is_corrupted(of_control, end, backward, control_mode, response.bytes) {
            self.fate = Fate::CorruptedResponse;
        }
    }

    /// Several nodes transmit, and nothing is decoded.
    fn collide(&mut self) {
        for place in 0..self.sent.len() {
            let sent = self.sent[place];
            self.count(&sent);
            self.usage[node_of(sent.contender).index()].collisions += 1;
            self.access_usage[sent.contender.index()].collisions += 1;
        }
        self.fate = Fate::Collision;
        self.phase = Phase::Failing;
        let beacons = self.broadcasts.on_air.iter().map(|beacon| beacon.end);
        let ends = self.sent.iter().map(|sent| sent.first_end).chain(beacons);
        self.due = ends.max().unwrap_or(self.due);
    }

    /// Counts an attempt.
    #[inline(always)]
    fn count(&mut self, sent: &Sent) {
        self.usage[node_of(sent.contender).index()].attempts += 1;
        self.access_usage[sent.contender.index()].attempts += 1;
    }
}
