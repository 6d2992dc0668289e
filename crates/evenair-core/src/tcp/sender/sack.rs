//! Recovery by selective acknowledgements (RFC 6675): which ACK confirms a loss, and what is sent
//! while the pipe has room.
//!
//! Where the RFC leaves a choice:
//! - limited transmit (section 5, step 3) is as the flow has it, but lets go what the pipe allows;
//! - a timeout forgets what was reported (RFC 2018 section 8), and what is reported afterwards is left
//!   out when everything outstanding is sent again;
//! - the timer restarts at each ACK of new data (RFC 6298 5.3; section 6 would allow to restart it
//!   at each retransmission too), and when recovery begins.

use super::{
    CongestionControl, DUPLICATE_ACK_THRESHOLD, Instant, LimitedTransmit, Segment, Sender,
};

impl Sender {
    /// The blocks of an ACK that expects `una` next, to which it has just advanced or not.
    #[cold]
    pub(super) fn on_blocks(&mut self, now: Instant, advances: bool, blocks: &[(u64, u64)]) {
        if self.rack.is_some() {
            return self.on_ack_with_rack(now, advances, blocks);
        }
        let (una, max) = (self.una, self.max);
        let Some(scoreboard) = &mut self.scoreboard else { return };
        let lost_before = scoreboard.lost_before();
        scoreboard.advance(una);
        // Section 2: a duplicate ACK is one that reports something new, wherever it ends.
        if scoreboard.update(una, max, blocks, |_| ()) {
            let lost = scoreboard.is_lost(una);
            // When the cumulative ACK comes to it says nothing of a round-trip time any more.
            self.timed = self.timed.filter(|&(end, _)| !scoreboard.contains(end - 1));
            self.on_report(now, advances, lost);
        }
        if self.recovery.is_some()
            && let Some(scoreboard) = &mut self.scoreboard
        {
            scoreboard.set_pipe(una, max);
        }
        if self.prr.is_some() {
            self.reduce(advances, lost_before);
        }
    }

    /// Proportional rate reduction (RFC 9937): an ACK before which `lost_before` was the end of what
    /// was lost.
    fn reduce(&mut self, advances: bool, lost_before: u64) {
        let segment = u64::from(self.config.segment);
        let may_send_next = self.may_send_next();
        let (Some(prr), Some(scoreboard)) = (&mut self.prr, &self.scoreboard) else { return };
        let sacked = scoreboard.sacked_before(self.max);
        let delivered = prr.delivered_by(self.una, sacked);
        if self.recovery.is_none() {
            return;
        }
        let mut inflight = scoreboard.pipe().div_ceil(segment);
        if self.repair {
            // Recovery has just begun. The pipe has the first repair already.
            inflight = inflight.saturating_sub(1);
            let outstanding = (self.max - self.una - sacked).div_ceil(segment);
            prr.begin(outstanding + delivered, inflight);
        }
        // An ACK that leaves nothing to send but a rescue tells of further losses, too (section 6.2).
        let lost = scoreboard.has_hole(lost_before.max(self.una), scoreboard.lost_before());
        let rescues = !may_send_next && scoreboard.next_hole(self.una).is_none();
        prr.on_ack(delivered, inflight, self.window.cwnd as u64, advances && !lost && !rescues);
    }

    /// An ACK has reported something new; `lost`: it says that the segment at `una` is lost.
    fn on_report(&mut self, now: Instant, advances: bool, lost: bool) {
        let signal = self.signal(now, 0.0, None);
        if !advances {
            self.control.on_duplicate_ack(&mut self.window, &signal);
        }
        if self.recovery.is_some() {
            return;
        }
        self.duplicate_acks += 1;
        // Section 5.1: no recovery before all that was outstanding at a timeout is acknowledged.
        if (self.duplicate_acks >= DUPLICATE_ACK_THRESHOLD || lost)
            && self.recovered.is_none_or(|byte| self.una >= byte)
        {
            self.recover(now, &signal);
            let end = self.una + u64::from(self.payload_at(self.una));
            if let Some(scoreboard) = &mut self.scoreboard {
                scoreboard.begin(end);
            }
        }
    }

    /// The next segment that may be sent now; see [`Sender::poll_transmit`].
    #[cold]
    pub(super) fn poll_with_sack(&mut self, now: Instant) -> Option<Segment> {
        if self.rack.is_some() {
            return self.poll_with_rack(now);
        }
        let scoreboard = self.scoreboard.as_deref_mut()?;
        let segment = u64::from(self.config.segment);
        let mut cwnd = self.window.cwnd as u64 * segment;
        let Some(recovery) = &self.recovery else {
            self.next = scoreboard.skip(self.next);
            let room = self.outstanding() + segment <= cwnd;
            return (room && self.may_send_next()).then(|| self.transmit_next(now));
        };
        if let Some(prr) = &self.prr {
            cwnd = prr.cwnd() * segment;
        }
        if scoreboard.pipe() + segment > cwnd {
            return None;
        }
        // NextSeg, rules 1 to 4.
        let until = recovery.until;
        let hole = scoreboard.next_hole(self.una);
        let lost = hole.filter(|&seq| scoreboard.is_lost(seq));
        let sent = if lost.is_none() && self.may_send_next() {
            self.transmit_next(now)
        } else {
            let scoreboard = self.scoreboard.as_deref_mut()?;
            let seq = match hole {
                Some(seq) => seq,
                None => scoreboard.rescue(self.una, self.max, until)?,
            };
            // Karn: it may be the one that is timed.
            self.timed = None;
            let sent = self.transmit(now, seq);
            if hole.is_some() {
                self.scoreboard.as_mut()?.sent_again(seq + u64::from(sent.payload));
            }
            sent
        };
        self.scoreboard.as_mut()?.sent(u64::from(sent.payload));
        if let Some(prr) = &mut self.prr {
            prr.sent();
        }
        Some(sent)
    }

    /// Whether there is a segment at `next` for which the receiver has room.
    pub(super) fn may_send_next(&self) -> bool {
        let size = u64::from(self.payload_at(self.next));
        let window = u64::from(self.config.window) * u64::from(self.config.segment);
        size > 0
            && !(self.stopped && self.next == self.max)
            && self.next + size <= self.una + window
    }

    /// What is in the network outside of recovery, bytes: what has been reported is not, but makes
    /// room for new segments only as far as limited transmit goes.
    fn outstanding(&self) -> u64 {
        let sent = self.next - self.una;
        match &self.scoreboard {
            Some(scoreboard)
                if self.next < self.max || self.config.limited_transmit != LimitedTransmit::Off =>
            {
                sent - scoreboard.sacked_before(self.next)
            }
            _ => sent,
        }
    }

    /// Whether the segment that ends at `end` had been reported before the cumulative ACK came to it,
    /// which then says nothing of its round-trip time.
    pub(super) fn was_reported(&self, end: u64) -> bool {
        self.scoreboard.as_deref().is_some_and(|scoreboard| scoreboard.contains(end - 1))
    }
}
