//! Recovery with RACK-TLP (RFC 8985): which ACK or timer finds a loss, what is sent while there is
//! room, and the probe that is sent when no ACK comes.
//!
//! Where the RFC leaves a choice:
//! - a segment that is found lost begins a recovery unless one is under way; so does, where a recovery
//!   ends, one that was lost meanwhile. After a timeout none begins before everything
//!   outstanding then is acknowledged (RFC 6675 section 5.1);
//! - without proportional rate reduction the loss of a retransmission lowers the window again, once for
//!   all retransmissions since it was last lowered (section 9.3). The first of them is then repeated
//!   whatever is in flight, as in a fast retransmit;
//! - what was reported before a timeout stays reported, unless the receiver has discarded it;
//! - one timer is set at a time (section 8). While it is the reordering timer or the probe's, the time
//!   at which the retransmission timer would have expired is kept;
//! - a probe waits [`MAX_ACK_DELAY`] longer where one segment is outstanding.

use crate::congestion::AckEvent;
use crate::time::{Duration, Instant};
use crate::transport::recovery::{Found, Prr, Rack, Scoreboard};
use crate::transport::tcp::segment::{LimitedTransmit, Segment};
use crate::transport::tcp::tcb::Tcb;

/// `TLP.max_ack_delay`, which the RFC leaves to the implementation: 200 ms, the worst case of a delayed
/// ACK in the draft that proposed the probe (draft-dukkipati-tcpm-tcp-loss-probe-01) and in Linux.
const MAX_ACK_DELAY: Duration = Duration::from_millis(200);
/// The probe's timeout while no round-trip time is known (section 7.2).
const UNMEASURED: Duration = Duration::from_secs(1);

/// A tail loss probe that has not been acknowledged.
#[derive(Clone, Copy, Debug)]
struct Probe {
    /// `TLP.end_seq`: what had been sent when it was.
    end: u64,
    /// `TLP.is_retrans`.
    is_retransmission: bool,
}

/// The state of this form.
#[derive(Clone, Debug)]
pub(in crate::transport::tcp) struct RackTlp {
    scoreboard: Scoreboard,
    sent: Rack,
    prr: Option<Prr>,
    /// When the congestion control last lowered the window.
    response: Instant,
    /// The next retransmission is sent whatever is in flight.
    forced: bool,
    /// Until `recover` is acknowledged after a timeout.
    after_timeout: bool,
    /// When the retransmission timer would expire.
    rto_at: Instant,
    probe_at: Instant,
    reordering_at: Instant,
    probe: Option<Probe>,
    /// A probe is to be sent.
    probe_due: bool,
    /// Round-trip times known when the last probe was sent.
    samples: u64,
}

impl RackTlp {
    pub(super) fn new(segment: u32, prr: Option<Prr>) -> Self {
        Self {
            scoreboard: Scoreboard::new(segment),
            sent: Rack::new(segment),
            prr,
            response: Instant::ZERO,
            forced: false,
            after_timeout: false,
            rto_at: Instant::NEVER,
            probe_at: Instant::NEVER,
            reordering_at: Instant::NEVER,
            probe: None,
            probe_due: false,
            samples: 0,
        }
    }

    #[cold]
    pub(super) fn is_sacked(&self, byte: u64) -> bool {
        self.scoreboard.contains(byte)
    }

    /// An ACK that expects `snd_una` next, to which it has just advanced or not, has come.
    #[cold]
    pub(super) fn on_ack(
        &mut self,
        tcb: &mut Tcb,
        now: Instant,
        advances: bool,
        blocks: &[(u64, u64)],
    ) {
        let (una, max) = (tcb.snd_una, tcb.snd_max);
        self.scoreboard.advance(una);
        let sent = &mut self.sent;
        let news = self.scoreboard.update(una, max, blocks, |bytes| sent.reported(bytes));
        if news {
            // The time until the cumulative ACK reaches it includes the repair of a hole.
            tcb.timed = tcb.timed.filter(|&(end, _)| !self.scoreboard.contains(end - 1));
        }
        let waited = self.reordering_at != Instant::NEVER && self.rto_at <= now;
        let before = self.sent.outstanding() - self.sent.sacked();
        self.sent.update(now, una, tcb.rtt.min_rtt().unwrap_or(Duration::ZERO));
        let delivered = before - (self.sent.outstanding() - self.sent.sacked());
        if let Some(prr) = &mut self.prr {
            prr.note_delivered(delivered);
        }
        self.after_timeout &= tcb.recover.is_some_and(|recover| una < recover);
        if advances {
            self.rto_at = tcb.deadline;
            self.probe_at = Instant::NEVER;
            self.probe_due = false; // Pacing has held it back, and it has become needless.
        }
        let probe = self.probe.filter(|probe| una >= probe.end);
        if !advances && news {
            let event = tcb.event(now, 0.0, None);
            tcb.congestion.on_duplicate_ack(&event);
        }
        if news && !tcb.in_recovery {
            tcb.duplicate_acks += 1;
        }
        if let Some(probe) = probe {
            self.on_probe_ack(tcb, now, probe, (advances, blocks.is_empty()), delivered);
        }
        let found = self.find_losses(tcb, now, delivered);
        if (tcb.in_recovery || tcb.reduction.is_gradual)
            && let Some(prr) = &mut self.prr
        {
            let safe = advances && !found.lost;
            prr.on_ack(delivered, self.sent.inflight(), tcb.congestion.cwnd() as u64, safe);
        }
        if advances {
            self.schedule_probe(tcb, now);
        }
        if waited && self.reordering_at == Instant::NEVER {
            // A reordering timer has replaced the timeout that was due: it starts anew.
            self.rto_at = self.rto_at.max(now + tcb.rtt.rto());
        }
        self.set_timer(tcb);
    }

    /// The timer has expired. Returns whether it was not the retransmission timer.
    #[cold]
    pub(super) fn on_timer(&mut self, tcb: &mut Tcb, now: Instant) -> bool {
        if self.reordering_at != Instant::NEVER {
            self.rto_at = now + tcb.rtt.rto();
            self.find_losses(tcb, now, 0);
        } else if self.is_quiet(tcb) && self.probe_at != Instant::NEVER {
            self.probe_at = Instant::NEVER;
            self.rto_at = now + tcb.rtt.rto();
            self.probe_due = self.probe.is_none() && tcb.rtt.total().0 > self.samples;
        } else {
            return false;
        }
        self.set_timer(tcb);
        true
    }

    /// Section 6.3: the retransmission timer has expired.
    #[cold]
    pub(super) fn on_timeout(&mut self, tcb: &Tcb, now: Instant) {
        let window = self.reordering_window(tcb);
        if self.sent.time_out(now, window) {
            self.scoreboard.clear();
        }
        (self.forced, self.after_timeout) = (true, true);
        (self.response, self.probe) = (now, None);
        (self.rto_at, self.probe_at, self.reordering_at) =
            (Instant::NEVER, Instant::NEVER, Instant::NEVER);
    }

    /// See `Recovery::take_lost`.
    pub(super) fn take_lost(&mut self) -> Vec<(u64, u64)> {
        self.sent.take_lost()
    }

    /// See [`super::Recovery::begin_reduction`].
    #[cold]
    pub(super) fn begin_reduction(&mut self, tcb: &Tcb, advances: bool) -> bool {
        let outstanding = self.sent.outstanding() - self.sent.sacked();
        let target = tcb.congestion.cwnd() as u64;
        let prr = self.prr.as_mut();
        prr.map(|prr| prr.begin_for_mark(outstanding, target, advances)).is_some()
    }

    /// Bytes in the network, in full segments.
    pub(super) fn in_flight(&self, tcb: &Tcb) -> u64 {
        self.sent.inflight() * tcb.segment()
    }

    /// The next segment that may be sent now.
    #[cold]
    pub(super) fn poll_transmit(&mut self, tcb: &mut Tcb, now: Instant) -> Option<Segment> {
        if std::mem::take(&mut self.probe_due) {
            return self.send_probe(tcb, now);
        }
        let (inflight, lost) = (self.sent.inflight(), self.sent.first_lost());
        let cwnd = match &self.prr {
            Some(prr) if tcb.in_recovery || tcb.reduction.is_gradual => prr.cwnd(),
            _ => tcb.congestion.cwnd() as u64,
        };
        if let Some(seq) = lost {
            let may_send = std::mem::take(&mut self.forced) || inflight < cwnd;
            return may_send.then(|| self.retransmit(tcb, now, seq));
        }
        let is_limited = !tcb.in_recovery
            && !self.after_timeout
            && tcb.config.limited_transmit == LimitedTransmit::Off;
        let used = if is_limited { inflight + self.sent.sacked() } else { inflight };
        if used >= cwnd || !tcb.may_send_next() {
            return None;
        }
        let segment = self.send_new(tcb, now);
        self.schedule_probe(tcb, now);
        self.set_timer(tcb);
        Some(segment)
    }

    fn send_new(&mut self, tcb: &mut Tcb, now: Instant) -> Segment {
        let segment = tcb.transmit_next(now);
        self.sent.sent(now);
        self.note_sent(tcb);
        segment
    }

    fn retransmit(&mut self, tcb: &mut Tcb, now: Instant, seq: u64) -> Segment {
        let segment = tcb.transmit(now, seq);
        let end = seq + u64::from(segment.payload);
        // Karn.
        tcb.timed = tcb.timed.filter(|&(timed, _)| timed != end);
        self.sent.retransmitted(now, seq);
        self.note_sent(tcb);
        self.set_timer(tcb);
        segment
    }

    fn note_sent(&mut self, tcb: &Tcb) {
        if self.rto_at == Instant::NEVER {
            // The retransmission timer did not run: it has just been started.
            self.rto_at = tcb.deadline;
        }
        if let Some(prr) = &mut self.prr {
            prr.sent();
        }
    }

    /// Section 6.2, step 5, and the response to the losses. The ACK has reported `delivered`
    /// segments, if it was an ACK.
    fn find_losses(&mut self, tcb: &mut Tcb, now: Instant, delivered: u64) -> Found {
        let found = self.sent.detect(now, self.reordering_window(tcb), self.response);
        self.reordering_at = found.reordering_at;
        if tcb.in_recovery {
            if found.retransmission && self.prr.is_none() {
                self.respond(tcb, now, 0);
                self.forced = true;
            }
        } else if self.sent.has_losses() && tcb.recover.is_none_or(|recover| tcb.snd_una >= recover)
        {
            let event = loss_event(tcb, now, 0);
            let reduces = tcb.reduction.is_gradual;
            tcb.enter_recovery(now, &event);
            self.forced = self.prr.is_none() && self.sent.first_lost().is_some();
            self.response = now;
            (self.rto_at, self.probe) = (tcb.deadline, None);
            // The reduction for a mark of the same window goes on (`tcp_enter_recovery`).
            if !reduces && let Some(prr) = &mut self.prr {
                let flight = self.sent.outstanding() - self.sent.sacked() + delivered;
                prr.begin(flight, self.sent.inflight());
            }
        }
        found
    }

    /// A loss is confirmed that needs no retransmission, or none of its own.
    fn respond(&mut self, tcb: &mut Tcb, now: Instant, delivered: u64) {
        let event = loss_event(tcb, now, delivered);
        tcb.congestion.on_loss(&event);
        tcb.note_reduction(false);
        self.response = now;
    }

    fn reordering_window(&self, tcb: &Tcb) -> Duration {
        let min_rtt = tcb.rtt.min_rtt().unwrap_or(Duration::ZERO);
        let srtt = tcb.rtt.srtt().unwrap_or(Duration::ZERO);
        self.sent.window(tcb.in_recovery || self.after_timeout, min_rtt, srtt)
    }

    /// Whether a probe may be scheduled (section 7.2): no recovery, nothing reported.
    fn is_quiet(&self, tcb: &Tcb) -> bool {
        !tcb.in_recovery && !self.after_timeout && self.sent.sacked() == 0
    }

    /// Section 7.2: something new was sent, or acknowledged.
    fn schedule_probe(&mut self, tcb: &Tcb, now: Instant) {
        let mut wait = tcb.rtt.srtt().map_or(UNMEASURED, |srtt| srtt * 2);
        if self.sent.outstanding() == 1 && tcb.rtt.srtt().is_some() {
            wait += MAX_ACK_DELAY;
        }
        let is_scheduled = self.is_quiet(tcb) && self.sent.outstanding() > 0;
        self.probe_at = if is_scheduled { (now + wait).min(self.rto_at) } else { Instant::NEVER };
    }

    /// Sets the one timer.
    fn set_timer(&self, tcb: &mut Tcb) {
        tcb.deadline = if self.reordering_at != Instant::NEVER {
            self.reordering_at
        } else if self.is_quiet(tcb) {
            self.probe_at.min(self.rto_at)
        } else {
            self.rto_at
        };
    }

    /// Section 7.3: something new, or else the last segment again.
    fn send_probe(&mut self, tcb: &mut Tcb, now: Instant) -> Option<Segment> {
        if tcb.snd_una == tcb.snd_max {
            return None;
        }
        let is_retransmission = !tcb.may_send_next();
        let segment = if is_retransmission {
            let size = tcb.segment();
            let before = (tcb.snd_max - 1 - tcb.snd_una) / size * size;
            self.retransmit(tcb, now, tcb.snd_una + before)
        } else {
            self.send_new(tcb, now)
        };
        self.probe = Some(Probe { end: tcb.snd_max, is_retransmission });
        self.samples = tcb.rtt.total().0;
        self.set_timer(tcb);
        Some(segment)
    }

    /// Section 7.4.2: everything sent up to the probe has been acknowledged, by an ACK that has
    /// advanced or not and is without blocks or not.
    fn on_probe_ack(
        &mut self,
        tcb: &mut Tcb,
        now: Instant,
        probe: Probe,
        (advances, is_plain): (bool, bool),
        delivered: u64,
    ) {
        let beyond = tcb.snd_una > probe.end;
        let needless = !advances && is_plain;
        if !probe.is_retransmission || beyond || needless {
            self.probe = None;
        }
        if probe.is_retransmission && beyond {
            // No duplicate came: the probe has repaired the loss of the last segment.
            self.respond(tcb, now, delivered);
        }
    }
}

/// The event of a loss for the congestion control. What is outstanding includes lost and reported
/// segments, and may be far more than the path has been found to hold.
fn loss_event(tcb: &Tcb, now: Instant, delivered: u64) -> AckEvent {
    let mut event = tcb.event(now, 0.0, None);
    event.flight = (event.flight + delivered as f64).min(tcb.congestion.cwnd());
    event
}
