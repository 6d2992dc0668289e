//! Recovery by fine-grained timeouts (Brakmo and Peterson 1995, section III-A): the time at which each
//! segment was sent is kept, and looked at when an ACK comes.
//!
//! - A duplicate ACK retransmits the first outstanding segment if its timeout has passed. The third
//!   retransmits it in any case.
//! - The first and the second ACK of new data after a retransmission do the same: they find further
//!   losses of the same window without duplicate ACKs.
//! - The window is reduced only if the lost segment was sent after the last reduction: losses at a
//!   rate that is no longer used say nothing about the present one.
//!
//! All else is Reno's: duplicate ACKs inflate the window by one segment each, and the next ACK of new
//! data takes that off. Selective acknowledgements are ignored, and there is no limited transmit.
//!
//! Where the paper is silent, this follows ns-2's `Agent/TCP/Vegas`, which is a port of the authors'
//! code:
//! - the timeout is 17/16 (SRTT + 2 RTTVAR), with the gains of RFC 6298, and without a lower bound. It
//!   is infinite before the first sample, doubles when a segment is retransmitted that had been before,
//!   and otherwise grows by an eighth, until the next sample sets it anew;
//! - an early retransmission counts as the third duplicate ACK;
//! - the second ACK is looked at only if the first has retransmitted;
//! - after the timer has expired, duplicate ACKs retransmit nothing until all that was outstanding is
//!   acknowledged.
//!
//! What ns-2 has besides, and the paper has not, is left out: see `docs/congestion/vegas.md`.

use std::collections::VecDeque;

use crate::time::{Duration, Instant};
use crate::transport::recovery::DUP_THRESH;
use crate::transport::tcp::rtt::smooth;
use crate::transport::tcp::segment::Segment;
use crate::transport::tcp::tcb::Tcb;

/// ACKs of new data that are looked at after a retransmission.
const CHECKED_ACKS: u32 = 2;

/// The transmissions of an outstanding segment.
#[derive(Clone, Copy, Debug)]
struct Transmission {
    /// When it was last sent.
    at: Instant,
    /// How often.
    count: u32,
}

/// The state of this form.
#[derive(Clone, Debug, Default)]
pub(in crate::transport::tcp) struct FineGrained {
    /// Of each outstanding segment, from `snd_una` on.
    sent: VecDeque<Transmission>,
    /// SRTT and RTTVAR, once there is a sample.
    smoothed: Option<(Duration, Duration)>,
    /// None before the first sample.
    timeout: Option<Duration>,
    /// When the window was last reduced.
    reduced: Option<Instant>,
    /// ACKs of new data that are still to be looked at.
    to_check: u32,
    /// Segments by which duplicate ACKs inflate the window.
    inflation: f64,
    /// The timer has expired, and `recover` is not acknowledged yet.
    after_timeout: bool,
}

impl FineGrained {
    /// An ACK that expects `snd_una` next, to which it has just advanced or not, has come.
    #[cold]
    pub(super) fn on_ack(&mut self, tcb: &mut Tcb, now: Instant, advances: bool) {
        if advances {
            self.on_new_ack(tcb, now);
        } else if tcb.snd_max > tcb.snd_una {
            self.on_duplicate_ack(tcb, now);
        }
    }

    fn on_new_ack(&mut self, tcb: &mut Tcb, now: Instant) {
        self.inflation = 0.0;
        self.after_timeout &= tcb.recover.is_some_and(|recover| tcb.snd_una < recover);
        let outstanding = (tcb.snd_max - tcb.snd_una).div_ceil(tcb.segment()) as usize;
        let acked = self.sent.len() - outstanding;
        let last = self.sent.drain(..acked).next_back();
        if let Some(last) = last.filter(|last| last.count == 1) {
            self.sample(now.since(last.at));
        }
        if self.to_check > 0 {
            self.to_check -= 1;
            if self.has_expired(now) {
                tcb.retransmit = true;
                tcb.duplicate_acks = DUP_THRESH;
            } else {
                self.to_check = 0;
            }
        }
    }

    fn on_duplicate_ack(&mut self, tcb: &mut Tcb, now: Instant) {
        tcb.duplicate_acks += 1;
        let event = tcb.event(now, 0.0, None);
        tcb.congestion.on_duplicate_ack(&event);
        let is_third = tcb.duplicate_acks == DUP_THRESH;
        if self.has_expired(now) || is_third {
            if self.after_timeout {
                return;
            }
            let first = self.sent[0];
            let longer =
                |timeout| if first.count > 1 { timeout * 2 } else { timeout + timeout / 8 };
            self.timeout = self.timeout.map(longer);
            if self.reduced.is_none_or(|reduced| first.at > reduced) {
                tcb.reduce_for_loss(&event);
                self.reduced = Some(now);
                self.inflation = f64::from(tcb.duplicate_acks);
            }
            if tcb.in_recovery {
                tcb.deadline = now + tcb.rtt.rto();
                tcb.timed = None;
            } else {
                tcb.begin_recovery(now);
            }
            tcb.retransmit = true;
            tcb.duplicate_acks = tcb.duplicate_acks.max(DUP_THRESH);
            self.to_check = CHECKED_ACKS;
        } else if tcb.duplicate_acks > DUP_THRESH {
            self.inflation += 1.0;
        }
    }

    /// The retransmission timer has expired.
    pub(super) fn on_timeout(&mut self, tcb: &mut Tcb, now: Instant) {
        tcb.snd_nxt = tcb.snd_una;
        self.reduced = Some(now);
        self.inflation = 0.0;
        self.to_check = 0;
        self.after_timeout = true;
    }

    /// Whether the timeout of the first outstanding segment has passed.
    fn has_expired(&self, now: Instant) -> bool {
        let age = self.sent.front().map(|first| now.since(first.at));
        self.timeout.is_some_and(|timeout| age >= Some(timeout))
    }

    /// Takes a round-trip time measured on a segment that was sent once.
    fn sample(&mut self, rtt: Duration) {
        let (srtt, rttvar) = smooth(self.smoothed, rtt);
        self.smoothed = Some((srtt, rttvar));
        self.timeout = Some((srtt + rttvar * 2) * 17 / 16);
    }

    /// The next segment that may be sent now.
    #[cold]
    pub(super) fn poll_transmit(&mut self, tcb: &mut Tcb, now: Instant) -> Option<Segment> {
        if std::mem::take(&mut tcb.retransmit) {
            self.note_sent(now, 0);
            return Some(tcb.transmit(now, tcb.snd_una));
        }
        let segment = tcb.segment();
        let cwnd = (tcb.congestion.cwnd() + self.inflation) as u64 * segment;
        let end = tcb.snd_nxt + u64::from(tcb.payload_at(tcb.snd_nxt));
        if end > tcb.snd_una + cwnd || !tcb.may_send_next() {
            return None;
        }
        self.note_sent(now, ((tcb.snd_nxt - tcb.snd_una) / segment) as usize);
        Some(tcb.transmit_next(now))
    }

    /// The outstanding segment `number`, counted from the oldest, or the next one is sent.
    fn note_sent(&mut self, now: Instant, number: usize) {
        if let Some(segment) = self.sent.get_mut(number) {
            (segment.at, segment.count) = (now, segment.count + 1);
        } else {
            self.sent.push_back(Transmission { at: now, count: 1 });
        }
    }
}
