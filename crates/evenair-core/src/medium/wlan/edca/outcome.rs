//! How an access ends.

use super::mac::{category_of, node_of};
use super::state::{Edca, Fate, Phase, Sent};
use crate::medium::wlan::contention::ContenderId;
use crate::medium::wlan::rate_control::Report;
use crate::medium::{
    Attempt, Carried, CellContext, Listening, Outcome, PacketId, Reception, TxStatus,
};
use crate::time::{Duration, Instant};

impl Edca {
    /// The PPDU has ended: its receiver answers.
    #[inline(always)]
    pub(super) fn respond(&mut self, now: Instant) {
        let Some(&sent) = self.sent.first() else { return };
        if sent.psdu.mpdus == 0 {
            self.agreements[sent.queue.0 as usize].received(&mut self.decoded);
        }
        let link = &self.links[self.link_of(sent.queue).index()];
        self.due = now + self.config.phy.sifs + link.response(sent.psdu).time;
        self.phase = Phase::Responding;
    }

    /// `packet` of the present PPDU, or beacon, is passed on.
    #[inline(always)]
    pub(super) fn reception(&self, at: Instant, packet: PacketId) -> Reception {
        let (from, to, mode) = self.path;
        Reception { at, packet, from, to, mode }
    }

    /// The response has ended.
    #[inline(always)]
    pub(super) fn end_response(&mut self, now: Instant, cell: &mut impl CellContext) {
        let Some(&sent) = self.sent.first() else { return };
        if self.fate != Fate::Answered {
            return self.fail(now, cell);
        }
        self.settle_airtime(now);
        cell.fill(now, node_of(sent.contender), category_of(sent.contender));
        self.report_to_rate_control(now, sent, Outcome::Delivered);
        self.report(now, sent, Outcome::Delivered, cell);
        let delivered = match self.amsdus.is_empty() {
            true => self.acknowledge(now, sent, cell),
            false => self.acknowledge_amsdus(now, sent, cell),
        };
        self.usage[node_of(sent.contender).index()].delivered += delivered;
        self.macs[sent.contender.index()].queue = None;
        let has_frame = self.load(now, sent.contender, cell);
        if self.txop_end == Instant::NEVER {
            return self.end_txop(sent.contender, has_frame);
        }
        if self.go_on(now, sent.contender, cell) {
            if self.listening == Listening::Everything {
                self.announce_ppdus(cell);
            }
            return;
        }
        match self.cf_end {
            Some(cf_end) if now + self.config.phy.sifs + cf_end <= self.txop_end => {
                self.sent.clear();
                self.phase = Phase::Ending(sent.contender);
                self.due = now + self.config.phy.sifs + cf_end;
                if self.listening == Listening::Everything {
                    self.announce_cf_end(sent.contender, cell);
                }
            }
            _ => self.end_txop(sent.contender, has_frame),
        }
    }

    /// The sender has the response: returns how many packets are delivered.
    #[inline(always)]
    fn acknowledge(&mut self, now: Instant, sent: Sent, cell: &mut impl CellContext) -> u64 {
        let (agreement, decoded) = (&mut self.agreements[sent.queue.0 as usize], &self.decoded);
        let mut delivered = 0;
        agreement.asks = false;
        agreement.acknowledge(decoded, |packet| {
            delivered += 1;
            cell.release(now, packet, TxStatus::Delivered);
        });
        delivered
    }

    /// The same where MPDUs may have several packets.
    #[inline(never)] // so that it does not slow the other down
    fn acknowledge_amsdus(&mut self, now: Instant, sent: Sent, cell: &mut impl CellContext) -> u64 {
        let Self { agreements, amsdus, decoded, .. } = self;
        let agreement = &mut agreements[sent.queue.0 as usize];
        let mut delivered = 0;
        agreement.asks = false;
        agreement.acknowledge(decoded, |first| {
            for packet in amsdus.packets(first) {
                delivered += 1;
                cell.release(now, packet, TxStatus::Delivered);
            }
        });
        delivered
    }

    /// The TXOP of `contender` has ended with a success. It draws its next backoff.
    #[inline(always)]
    pub(super) fn end_txop(&mut self, contender: ContenderId, has_frame: bool) {
        self.become_idle(0);
        let backoff = self.macs[contender.index()].restart();
        self.contention.back_off(contender, 0, backoff, has_frame);
    }

    /// The access has failed: nobody decoded a frame, or its sender the response to it.
    #[inline(never)] // rare in comparison
    pub(super) fn fail(&mut self, now: Instant, cell: &mut impl CellContext) {
        self.settle_airtime(now);
        self.become_idle(self.eifs_slots);
        let is_answered = self.fate.is_answered_in_vain();
        if is_answered && let Some(sent) = self.sent.first() {
            let (_, receiver) = self.setup.associations.ends(self.link_of(sent.queue));
            for contender in self.contenders_of(receiver) {
                self.contention.exempt(contender, 0);
            }
        }
        for place in 0..self.sent.len() {
            let sent = self.sent[place];
            let from = if is_answered {
                self.eifs_slots
            } else {
                let end = sent.last_end(self.fate);
                self.exempt_others(sent.contender, end);
                self.after_timeout(sent.contender, end)
            };
            let (backoff, has_frame) = self.repeat(now, sent, cell);
            self.contention.back_off(sent.contender, from, backoff, has_frame);
        }
        if !self.broadcasts.on_air.is_empty() {
            self.finish_beacons(now, Outcome::GivenUp, cell);
        }
    }

    /// Prepares the next attempt after one of `sent` that has failed. Returns the backoff before it, and whether there
    /// is something to send.
    fn repeat(&mut self, now: Instant, sent: Sent, cell: &mut impl CellContext) -> (u32, bool) {
        let limit = self.config.short_retry_limit;
        cell.fill(now, node_of(sent.contender), category_of(sent.contender));
        let has_agreement = self.links[self.link_of(sent.queue).index()].has_agreements();
        let agreement = &mut self.agreements[sent.queue.0 as usize];
        let mut gives_up = false;
        if has_agreement {
            let asks = self.asks_after_failure && sent.has_ppdu(self.fate) && sent.psdu.mpdus > 1;
            agreement.asks |= asks;
        } else {
            gives_up = agreement.fail(limit);
        }
        let outcome = if gives_up { Outcome::GivenUp } else { Outcome::Failed };
        self.report_to_rate_control(now, sent, outcome);
        self.report(now, sent, outcome, cell);
        let backoff = self.macs[sent.contender.index()].fail(limit);
        if gives_up && let Some(packet) = self.agreements[sent.queue.0 as usize].give_up() {
            cell.release(now, packet, TxStatus::Dropped);
            self.usage[node_of(sent.contender).index()].dropped += 1;
        }
        if self.config.lifetime.is_some() {
            self.expire(now, sent.contender, sent.queue, false, cell);
        }
        if self.agreements[sent.queue.0 as usize].has_frame() {
            return (backoff, true);
        }
        self.macs[sent.contender.index()].queue = None;
        (backoff, self.load(now, sent.contender, cell))
    }

    /// Tells the rate control of the link of `sent`, if it has one, how the attempt has ended.
    #[inline(always)]
    fn report_to_rate_control(&mut self, now: Instant, sent: Sent, outcome: Outcome) {
        let link = self.link_of(sent.queue).index();
        let Some(adaptation) = &mut self.links[link].adaptation else { return };
        let (mpdus, sent_data) = (sent.psdu.mpdus as u32, sent.has_ppdu(self.fate));
        // A BlockAckReq has none.
        if mpdus > 0 {
            let is_answered = outcome == Outcome::Delivered;
            let decoded = self.decoded.iter().filter(|decoded| is_answered && **decoded);
            let acknowledged = decoded.count() as u32;
            let report = Report { now, sent_data, outcome, mpdus, acknowledged };
            self.rate_changes += u64::from(adaptation.report(&report));
        }
    }

    /// Tells the cell, if it listens, of the end of a PPDU whose packets have not been released.
    #[inline(always)]
    fn report(&self, now: Instant, sent: Sent, outcome: Outcome, cell: &mut impl CellContext) {
        if self.listening >= Listening::Outcomes
            && let Some(packet) = self.agreements[sent.queue.0 as usize].first()
        {
            self.tell(now, sent, packet, outcome, cell);
        }
    }

    #[cold]
    fn tell(
        &self,
        now: Instant,
        sent: Sent,
        packet: PacketId,
        outcome: Outcome,
        cell: &mut impl CellContext,
    ) {
        let phy = &self.config.phy;
        let timeout = match self.fate {
            Fate::Collision | Fate::NoCts | Fate::NoResponse => self.config.response_timeout(),
            Fate::Answered | Fate::CorruptedCts | Fate::CorruptedResponse => Duration::ZERO,
        };
        let drawn = self.macs[sent.contender.index()].backoff.drawn();
        let (space, slots) =
            if sent.is_first { (self.aifs(sent.contender), drawn) } else { (phy.sifs, 0) };
        let attempt = Attempt {
            at: now,
            packet,
            from: node_of(sent.contender),
            station: self.setup.associations.station(self.link_of(sent.queue)),
            mode: Some(self.links[self.link_of(sent.queue).index()].mode),
            space,
            has_backoff: sent.is_first,
            backoff: phy.slot * u64::from(slots),
            airtime: self.elapsed(sent, now) + timeout,
            sent_data: sent.has_ppdu(self.fate),
            outcome,
        };
        let agreement = &self.agreements[sent.queue.0 as usize];
        // Those that are not decoded may be more than the response is about.
        let decoded = self.decoded.iter().map(|decoded| *decoded && self.fate == Fate::Answered);
        let decoded = decoded.chain(std::iter::repeat(false));
        let carried = agreement.carried(sent.psdu).zip(decoded).flat_map(|(mpdu, delivered)| {
            let (first, overhead) = mpdu;
            let packets = self.amsdus.packets(first);
            packets.map(move |packet| Carried { packet, overhead, delivered })
        });
        cell.on_outcome(attempt, carried);
    }
}
