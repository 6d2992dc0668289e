//! Recovery with RACK-TLP (RFC 8985): which ACK or timer finds a loss, what is sent while there is
//! room, and the probe that asks for an ACK when none comes.
//!
//! Where the RFC leaves a choice:
//! - a segment that is found lost begins a recovery unless one is under way; so does, where a recovery
//!   ends, one that was lost meanwhile. After a timeout none begins before everything
//!   outstanding then is acknowledged (RFC 6675 section 5.1);
//! - without proportional rate reduction the loss of a repair lowers the window again, once for all
//!   repairs made since it was last lowered (section 9.3). What is repaired first then goes whatever is
//!   in flight, as in a fast retransmit;
//! - what was reported before a timeout stays reported, unless the receiver has thrown it away;
//! - one timer is set at a time (section 8). While it is the reordering timer or the probe's, the time
//!   at which the retransmission timer would have expired is kept;
//! - a probe waits [`MAX_ACK_DELAY`] longer where one segment is outstanding.

use super::{
    AckEvent, CongestionControl, Duration, Instant, LimitedTransmit, Segment, Sender, State,
};
use crate::tcp::rack::{Found, Probe};

/// `TLP.max_ack_delay`, which the RFC leaves to the implementation: 200 ms, the worst case of a delayed
/// ACK in the draft that proposed the probe (draft-dukkipati-tcpm-tcp-loss-probe-01) and in Linux.
const MAX_ACK_DELAY: Duration = Duration::from_millis(200);
/// The probe's timeout while no round-trip time is known (section 7.2).
const UNMEASURED: Duration = Duration::from_secs(1);

impl Sender {
    /// An ACK that expects `una` next, to which it has just advanced or not, has come.
    #[cold]
    pub(super) fn on_ack_with_rack(&mut self, now: Instant, advances: bool, blocks: &[(u64, u64)]) {
        let (una, max, least) = (self.una, self.max, self.rtt.min_rtt().unwrap_or(Duration::ZERO));
        let (Some(rack), Some(scoreboard)) = (&mut self.rack, &mut self.scoreboard) else { return };
        scoreboard.advance(una);
        let news = scoreboard.update(una, max, blocks, |bytes| rack.reports.push(bytes));
        if news {
            // When the cumulative ACK comes to it says nothing of a round-trip time any more.
            self.timed = self.timed.filter(|&(end, _)| !scoreboard.contains(end - 1));
        }
        let waited = rack.reordering_at != Instant::NEVER && rack.rto_at <= now;
        let before = rack.outstanding() - rack.reported();
        rack.update(now, una, least);
        let delivered = before - (rack.outstanding() - rack.reported());
        rack.after_timeout &= self.recovered.is_some_and(|byte| una < byte);
        if advances {
            rack.rto_at = self.deadline;
            rack.probe_at = Instant::NEVER;
        }
        let probe = rack.probe.filter(|probe| una >= probe.end);
        if !advances && news {
            let signal = self.signal(now, 0.0, None);
            self.control.on_duplicate_ack(&mut self.window, &signal);
        }
        if news && self.recovery.is_none() {
            self.duplicate_acks += 1;
        }
        if let Some(probe) = probe {
            self.on_probe_ack(now, probe, advances, blocks.is_empty(), delivered);
        }
        let found = self.find_losses(now, delivered);
        if self.recovery.is_some()
            && let (Some(prr), Some(rack)) = (&mut self.prr, &self.rack)
        {
            let safe = advances && !found.lost;
            prr.on_ack(delivered, rack.inflight(), self.window.cwnd as u64, safe);
        }
        if advances {
            self.schedule_probe(now);
        }
        if let Some(rack) = &mut self.rack
            && waited
            && rack.reordering_at == Instant::NEVER
        {
            // A reordering timer has kept the timeout from coming when it was due: it starts anew.
            rack.rto_at = rack.rto_at.max(now + self.rtt.rto());
        }
        self.set_timer();
    }

    /// The timer has expired; whether it was not the retransmission timer.
    #[cold]
    pub(super) fn on_timer_with_rack(&mut self, now: Instant) -> bool {
        let quiet = self.is_quiet();
        let (rto, samples) = (self.rtt.rto(), self.rtt.total().0);
        let Some(rack) = &mut self.rack else { return false };
        if self.state != State::Established {
            return false;
        }
        if rack.reordering_at != Instant::NEVER {
            rack.rto_at = now + rto;
            self.find_losses(now, 0);
        } else if quiet && rack.probe_at != Instant::NEVER {
            rack.probe_at = Instant::NEVER;
            rack.rto_at = now + rto;
            rack.probe_due = rack.probe.is_none() && samples > rack.samples;
        } else {
            return false;
        }
        self.set_timer();
        true
    }

    /// The retransmission timer has expired and the window is what the congestion control wants. Until
    /// then the reordering window was `window`.
    #[cold]
    pub(super) fn time_out_with_rack(&mut self, now: Instant, window: Duration) {
        let Some(rack) = &mut self.rack else { return };
        if rack.time_out(now, window)
            && let Some(scoreboard) = &mut self.scoreboard
        {
            scoreboard.clear();
        }
        (rack.forced, rack.after_timeout) = (true, true);
        (rack.response, rack.probe) = (now, None);
        (rack.rto_at, rack.probe_at, rack.reordering_at) =
            (Instant::NEVER, Instant::NEVER, Instant::NEVER);
    }

    /// The next segment that may be sent now; see [`Sender::poll_transmit`].
    #[cold]
    pub(super) fn poll_with_rack(&mut self, now: Instant) -> Option<Segment> {
        let rack = self.rack.as_deref_mut()?;
        if std::mem::take(&mut rack.probe_due) {
            return self.send_probe(now);
        }
        let (inflight, lost) = (rack.inflight(), rack.first_lost());
        let cwnd = match &self.prr {
            Some(prr) if self.recovery.is_some() => prr.cwnd(),
            _ => self.window.cwnd as u64,
        };
        if let Some(seq) = lost {
            let goes = std::mem::take(&mut rack.forced) || inflight < cwnd;
            return goes.then(|| self.send_again(now, seq));
        }
        let is_limited = self.recovery.is_none()
            && !rack.after_timeout
            && self.config.limited_transmit == LimitedTransmit::Off;
        let used = if is_limited { inflight + rack.reported() } else { inflight };
        if used >= cwnd || !self.may_send_next() {
            return None;
        }
        let segment = self.send_new(now);
        self.schedule_probe(now);
        self.set_timer();
        Some(segment)
    }

    fn send_new(&mut self, now: Instant) -> Segment {
        let segment = self.transmit_next(now);
        if let Some(rack) = &mut self.rack {
            rack.sent(now);
        }
        self.note_sent();
        segment
    }

    fn send_again(&mut self, now: Instant, seq: u64) -> Segment {
        let segment = self.transmit(now, seq);
        let end = seq + u64::from(segment.payload);
        // Karn.
        self.timed = self.timed.filter(|&(timed, _)| timed != end);
        if let Some(rack) = &mut self.rack {
            rack.sent_again(now, seq);
        }
        self.note_sent();
        self.set_timer();
        segment
    }

    fn note_sent(&mut self) {
        if let Some(rack) = &mut self.rack
            && rack.rto_at == Instant::NEVER
        {
            // The timer did not run: it does now.
            rack.rto_at = self.deadline;
        }
        if let Some(prr) = &mut self.prr {
            prr.sent();
        }
    }

    /// 6.2, step 5, and what follows of it. The ACK has told of `delivered` segments, if it was an ACK.
    fn find_losses(&mut self, now: Instant, delivered: u64) -> Found {
        let window = self.reordering_window();
        let Some(rack) = &mut self.rack else { return Found::default() };
        let found = rack.detect(now, window);
        let has_losses = rack.has_losses();
        if self.recovery.is_some() {
            if found.lost_again && self.prr.is_none() {
                self.respond(now, 0);
                if let Some(rack) = &mut self.rack {
                    rack.forced = true;
                }
            }
        } else if has_losses && self.recovered.is_none_or(|byte| self.una >= byte) {
            let signal = self.loss_signal(now, 0);
            self.recover(now, &signal);
            self.repair = false;
            if let Some(rack) = &mut self.rack {
                let forced = self.prr.is_none() && rack.first_lost().is_some();
                (rack.forced, rack.response) = (forced, now);
                (rack.rto_at, rack.probe) = (self.deadline, None);
                if let Some(prr) = &mut self.prr {
                    let flight = rack.outstanding() - rack.reported() + delivered;
                    prr.begin(flight, rack.inflight());
                }
            }
        }
        found
    }

    /// A loss is confirmed that needs no repair, or none of its own.
    fn respond(&mut self, now: Instant, delivered: u64) {
        let signal = self.loss_signal(now, delivered);
        self.control.on_loss(&mut self.window, &signal);
        if let Some(rack) = &mut self.rack {
            rack.response = now;
        }
    }

    /// What the congestion control is told of a loss. What is outstanding counts lost and reported
    /// segments, too, and may be far more than the path has been found to hold.
    fn loss_signal(&self, now: Instant, delivered: u64) -> AckEvent {
        let mut signal = self.signal(now, 0.0, None);
        signal.flight = (signal.flight + delivered as f64).min(self.window.cwnd);
        signal
    }

    pub(super) fn reordering_window(&self) -> Duration {
        let least = self.rtt.min_rtt().unwrap_or(Duration::ZERO);
        let srtt = self.rtt.srtt().unwrap_or(Duration::ZERO);
        self.rack.as_deref().map_or(Duration::ZERO, |rack| {
            rack.window(self.recovery.is_some() || rack.after_timeout, least, srtt)
        })
    }

    /// Whether a probe may be scheduled (section 7.2): no recovery, nothing reported.
    fn is_quiet(&self) -> bool {
        self.recovery.is_none()
            && self.rack.as_deref().is_some_and(|rack| !rack.after_timeout && rack.reported() == 0)
    }

    /// Section 7.2: something new was sent, or acknowledged.
    fn schedule_probe(&mut self, now: Instant) {
        let quiet = self.is_quiet();
        let Some(rack) = &mut self.rack else { return };
        let mut wait = self.rtt.srtt().map_or(UNMEASURED, |srtt| srtt * 2);
        if rack.outstanding() == 1 && self.rtt.srtt().is_some() {
            wait += MAX_ACK_DELAY;
        }
        let goes = quiet && rack.outstanding() > 0;
        rack.probe_at = if goes { (now + wait).min(rack.rto_at) } else { Instant::NEVER };
    }

    /// Sets the one timer.
    fn set_timer(&mut self) {
        let quiet = self.is_quiet();
        let Some(rack) = &self.rack else { return };
        self.deadline = if rack.reordering_at != Instant::NEVER {
            rack.reordering_at
        } else if quiet {
            rack.probe_at.min(rack.rto_at)
        } else {
            rack.rto_at
        };
    }

    /// Section 7.3: something new, or else the last segment again.
    fn send_probe(&mut self, now: Instant) -> Option<Segment> {
        if self.una == self.max {
            return None;
        }
        let again = !self.may_send_next();
        let segment = if again {
            let size = u64::from(self.config.segment);
            self.send_again(now, (self.max - 1) / size * size)
        } else {
            self.send_new(now)
        };
        let (end, samples) = (self.max, self.rtt.total().0);
        if let Some(rack) = &mut self.rack {
            (rack.probe, rack.samples) = (Some(Probe { end, again }), samples);
        }
        self.set_timer();
        Some(segment)
    }

    /// Section 7.4.2: everything sent up to the probe has been acknowledged.
    fn on_probe_ack(
        &mut self,
        now: Instant,
        probe: Probe,
        advances: bool,
        is_plain: bool,
        delivered: u64,
    ) {
        let beyond = self.una > probe.end;
        let needless = !advances && is_plain;
        if let Some(rack) = &mut self.rack
            && (!probe.again || beyond || needless)
        {
            rack.probe = None;
        }
        if probe.again && beyond {
            // No duplicate came: the probe has repaired the loss of the last segment.
            self.respond(now, delivered);
        }
    }
}
