//! Recovery by selective acknowledgements (RFC 6675): which ACK confirms a loss, and what is sent
//! while the pipe has room.
//!
//! Where the RFC leaves a choice:
//! - limited transmit (section 5, step 3) is as the flow has it, but sends what the pipe allows;
//! - a timeout forgets what was reported (RFC 2018 section 8), and what is reported afterwards is left
//!   out when everything outstanding is sent again;
//! - the timer restarts at each ACK of new data (RFC 6298 section 5.3; section 6 would allow to restart it
//!   at each retransmission too), and when recovery begins.

use crate::time::Instant;
use crate::transport::recovery::{DUP_THRESH, Prr, Scoreboard};
use crate::transport::tcp::segment::{LimitedTransmit, Segment};
use crate::transport::tcp::tcb::Tcb;

/// The state of this form.
#[derive(Clone, Debug)]
pub(in crate::transport::tcp) struct Sack {
    scoreboard: Scoreboard,
    prr: Option<Prr>,
}

impl Sack {
    pub(super) fn new(segment: u32, prr: Option<Prr>) -> Self {
        Self { scoreboard: Scoreboard::new(segment), prr }
    }

    #[cold]
    pub(super) fn is_sacked(&self, byte: u64) -> bool {
        self.scoreboard.contains(byte)
    }

    /// The blocks of an ACK that expects `snd_una` next, to which it has just advanced or not.
    #[cold]
    pub(super) fn on_ack(
        &mut self,
        tcb: &mut Tcb,
        now: Instant,
        advances: bool,
        blocks: &[(u64, u64)],
    ) {
        let (una, max) = (tcb.snd_una, tcb.snd_max);
        let lost_before = self.scoreboard.lost_before();
        let reduces = tcb.reduction.is_gradual;
        self.scoreboard.advance(una);
        // Section 2: a duplicate ACK is one that reports something new, wherever it ends.
        if self.scoreboard.update(una, max, blocks, |_| ()) {
            let lost = self.scoreboard.is_lost(una);
            // The time until the cumulative ACK reaches it includes the repair of a hole.
            tcb.timed = tcb.timed.filter(|&(end, _)| !self.scoreboard.contains(end - 1));
            self.on_report(tcb, now, advances, lost);
        }
        if tcb.in_recovery {
            self.scoreboard.set_pipe(una, max);
        }
        if self.prr.is_some() {
            self.reduce(tcb, (advances, reduces), lost_before);
        }
    }

    /// See [`super::Recovery::begin_reduction`].
    #[cold]
    pub(super) fn begin_reduction(&mut self, tcb: &Tcb, advances: bool) -> bool {
        let outstanding = unreported(tcb, &self.scoreboard).div_ceil(tcb.segment());
        let target = tcb.congestion.cwnd() as u64;
        let prr = self.prr.as_mut();
        prr.map(|prr| prr.begin_for_mark(outstanding, target, advances)).is_some()
    }

    /// Bytes in the network.
    pub(super) fn in_flight(&self, tcb: &Tcb) -> u64 {
        if tcb.in_recovery { self.scoreboard.pipe() } else { outstanding(tcb, &self.scoreboard) }
    }

    /// What a recovery has found lost and not sent again, with what has been reported of it.
    pub(super) fn lost(&self, tcb: &Tcb) -> Option<(u64, u64)> {
        let range = (self.scoreboard.high_rxt().max(tcb.snd_una), self.scoreboard.lost_before());
        (tcb.in_recovery && range.0 < range.1).then_some(range)
    }

    /// RFC 2018 section 8.
    pub(super) fn on_timeout(&mut self, tcb: &mut Tcb) {
        tcb.snd_nxt = tcb.snd_una;
        self.scoreboard.clear();
    }

    /// Proportional rate reduction (RFC 9937): an ACK before which `lost_before` was the end of what
    /// was lost. It has advanced or not, and what is in flight was coming down because of a mark or not.
    fn reduce(&mut self, tcb: &Tcb, (advances, reduces): (bool, bool), lost_before: u64) {
        let segment = tcb.segment();
        let may_send_next = tcb.may_send_next();
        let (Some(prr), scoreboard) = (&mut self.prr, &self.scoreboard) else { return };
        let sacked = scoreboard.sacked_before(tcb.snd_max);
        let delivered = prr.delivered_by(tcb.snd_una, sacked);
        if !tcb.in_recovery {
            if tcb.reduction.is_gradual {
                let inflight = unreported(tcb, scoreboard).div_ceil(segment);
                prr.on_ack(delivered, inflight, tcb.congestion.cwnd() as u64, advances);
            }
            return;
        }
        let mut inflight = scoreboard.pipe().div_ceil(segment);
        if tcb.retransmit {
            // Recovery has just begun. The pipe has the first retransmission already.
            inflight = inflight.saturating_sub(1);
            // The reduction for a mark of the same window goes on (`tcp_enter_recovery`).
            if !reduces {
                let outstanding = (tcb.snd_max - tcb.snd_una - sacked).div_ceil(segment);
                prr.begin(outstanding + delivered, inflight);
            }
        }
        // An ACK after which only a rescue can be sent reports further losses, too (section 6.2).
        let lost = scoreboard.has_hole(lost_before.max(tcb.snd_una), scoreboard.lost_before());
        let rescues = !may_send_next && scoreboard.next_hole(tcb.snd_una).is_none();
        prr.on_ack(
            delivered,
            inflight,
            tcb.congestion.cwnd() as u64,
            advances && !lost && !rescues,
        );
    }

    /// An ACK has reported something new. `lost`: by that the segment at `snd_una` is lost.
    fn on_report(&mut self, tcb: &mut Tcb, now: Instant, advances: bool, lost: bool) {
        let event = tcb.event(now, 0.0, None);
        if !advances {
            tcb.congestion.on_duplicate_ack(&event);
        }
        if tcb.in_recovery {
            return;
        }
        tcb.duplicate_acks += 1;
        // Section 5.1: no recovery before all that was outstanding at a timeout is acknowledged.
        if (tcb.duplicate_acks >= DUP_THRESH || lost)
            && tcb.recover.is_none_or(|recover| tcb.snd_una >= recover)
        {
            tcb.enter_recovery(now, &event);
            tcb.retransmit = true;
            self.scoreboard.begin(tcb.snd_una + u64::from(tcb.payload_at(tcb.snd_una)));
        }
    }

    /// The next segment that may be sent now.
    #[cold]
    pub(super) fn poll_transmit(&mut self, tcb: &mut Tcb, now: Instant) -> Option<Segment> {
        if tcb.retransmit {
            tcb.retransmit = false;
            if let Some(prr) = &mut self.prr {
                prr.sent();
            }
            return Some(tcb.transmit(now, tcb.snd_una));
        }
        let scoreboard = &mut self.scoreboard;
        let segment = tcb.segment();
        let mut cwnd = tcb.cwnd_bytes();
        let Some(recover) = tcb.recover.filter(|_| tcb.in_recovery) else {
            tcb.snd_nxt = scoreboard.skip(tcb.snd_nxt);
            if tcb.reduction.is_gradual {
                return self.send_reducing(tcb, now);
            }
            let room = outstanding(tcb, scoreboard) + segment <= cwnd;
            return (room && tcb.may_send_next()).then(|| tcb.transmit_next(now));
        };
        if let Some(prr) = &self.prr {
            cwnd = prr.cwnd() * segment;
        }
        if scoreboard.pipe() + segment > cwnd {
            return None;
        }
        // NextSeg, rules 1 to 4.
        let hole = scoreboard.next_hole(tcb.snd_una);
        let lost = hole.filter(|&seq| scoreboard.is_lost(seq));
        let sent = if lost.is_none() && tcb.may_send_next() {
            tcb.transmit_next(now)
        } else {
            let seq = match hole {
                Some(seq) => seq,
                None => scoreboard.rescue(tcb.snd_una, tcb.snd_max, recover)?,
            };
            // Karn: it may be the one that is timed.
            tcb.timed = None;
            let sent = tcb.transmit(now, seq);
            if hole.is_some() {
                scoreboard.retransmitted(seq + u64::from(sent.payload));
            }
            sent
        };
        scoreboard.sent(u64::from(sent.payload));
        if let Some(prr) = &mut self.prr {
            prr.sent();
        }
        Some(sent)
    }

    /// The next segment while what is in flight comes down because of a mark.
    fn send_reducing(&mut self, tcb: &mut Tcb, now: Instant) -> Option<Segment> {
        let prr = self.prr.as_mut()?;
        let segment = tcb.segment();
        let room = outstanding(tcb, &self.scoreboard) + segment <= prr.cwnd() * segment;
        (room && tcb.may_send_next()).then(|| {
            prr.sent();
            tcb.transmit_next(now)
        })
    }
}

/// What is outstanding and has not been reported, bytes, where nothing is lost.
fn unreported(tcb: &Tcb, scoreboard: &Scoreboard) -> u64 {
    tcb.snd_nxt - tcb.snd_una - scoreboard.sacked_before(tcb.snd_nxt)
}

/// What is in the network outside of recovery, bytes. What has been reported is not, but makes
/// room for new segments only as far as limited transmit allows.
fn outstanding(tcb: &Tcb, scoreboard: &Scoreboard) -> u64 {
    let sent = tcb.snd_nxt - tcb.snd_una;
    let limited = tcb.config.limited_transmit;
    if tcb.snd_nxt < tcb.snd_max || limited != LimitedTransmit::Off {
        sent - scoreboard.sacked_before(tcb.snd_nxt)
    } else {
        sent
    }
}
