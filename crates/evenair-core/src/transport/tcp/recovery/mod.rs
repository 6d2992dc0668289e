//! Loss recovery: which ACK or timer confirms a loss, and what is sent until it is repaired.
//!
//! There are four forms. Each works on the [`Tcb`] that the sender shares with it.

mod fine_grained;
mod newreno;
mod rack_tlp;
mod sack;

use self::fine_grained::FineGrained;
use self::newreno::NewReno;
use self::rack_tlp::RackTlp;
use self::sack::Sack;
use super::config::TcpConfig;
use super::segment::Segment;
use super::tcb::Tcb;
use crate::congestion::{EcnResponse, LossDetection, WindowControl};
use crate::time::Instant;
use crate::transport::recovery::Prr;

/// The form of loss recovery of one sender.
#[derive(Clone, Debug)]
#[repr(u8)] // a tag of its own, which takes fewer instructions to test than a niche
pub(super) enum Recovery {
    /// Duplicate and partial ACKs (RFC 6582).
    NewReno(NewReno),
    /// Selective acknowledgements (RFC 6675).
    Sack(Box<Sack>),
    /// Transmission times and tail loss probes, with selective acknowledgements (RFC 8985).
    RackTlp(Box<RackTlp>),
    /// A timer of fine resolution, looked at when ACKs come, without selective acknowledgements
    /// (Brakmo and Peterson 1995).
    FineGrained(Box<FineGrained>),
}

impl Recovery {
    pub(super) fn new(config: &TcpConfig, segment: u32, congestion: &WindowControl) -> Self {
        if congestion.loss_detection() == LossDetection::FineGrained {
            return Self::FineGrained(Box::default());
        }
        let prr = (config.prr && !congestion.limits_itself()).then(|| Prr::new(segment));
        match (config.sack, config.rack) {
            (false, _) => Self::NewReno(NewReno::default()),
            (true, false) => Self::Sack(Box::new(Sack::new(segment, prr))),
            (true, true) => Self::RackTlp(Box::new(RackTlp::new(segment, prr))),
        }
    }

    /// Whether `byte` was reported by SACK before the cumulative ACK reached it. Its round-trip time
    /// then includes the repair of a hole.
    #[inline(always)]
    pub(super) fn is_sacked(&self, byte: u64) -> bool {
        match self {
            Self::NewReno(_) | Self::FineGrained(_) => false,
            Self::Sack(sack) => sack.is_sacked(byte),
            Self::RackTlp(rack) => rack.is_sacked(byte),
        }
    }

    /// An ACK has acknowledged `acked` segments, but not all that was outstanding when recovery
    /// began. Returns whether the timer restarts.
    #[inline]
    pub(super) fn on_partial_ack(&mut self, tcb: &mut Tcb, acked: f64) -> bool {
        match self {
            Self::NewReno(newreno) => newreno.on_partial_ack(tcb, acked),
            Self::Sack(_) | Self::RackTlp(_) | Self::FineGrained(_) => {
                tcb.retransmit = false;
                true
            }
        }
    }

    /// An ACK for `ack` has been taken into account in `tcb`, which it has advanced or not.
    #[inline(always)]
    pub(super) fn on_ack(
        &mut self,
        tcb: &mut Tcb,
        now: Instant,
        (ack, advances): (u64, bool),
        blocks: &[(u64, u64)],
    ) {
        match self {
            Self::NewReno(newreno) => {
                if !advances && ack == tcb.snd_una && tcb.snd_max > tcb.snd_una {
                    newreno.on_duplicate_ack(tcb, now);
                }
            }
            Self::Sack(sack) if ack == tcb.snd_una => sack.on_ack(tcb, now, advances, blocks),
            Self::RackTlp(rack) if ack == tcb.snd_una => rack.on_ack(tcb, now, advances, blocks),
            Self::FineGrained(checks) if ack == tcb.snd_una => checks.on_ack(tcb, now, advances),
            Self::Sack(_) | Self::RackTlp(_) | Self::FineGrained(_) => {}
        }
    }

    /// The ACK that has just been taken into account, and has advanced or not, has reported a mark, by which
    /// cwnd was reduced. Returns whether what is in flight comes down to it by proportional rate reduction; not with
    /// a congestion control that goes by rates, or one of L4S, which brings cwnd down step by step itself.
    #[cold]
    pub(super) fn begin_reduction(&mut self, tcb: &Tcb, advances: bool) -> bool {
        if tcb.congestion.is_rate_based() || tcb.ecn == EcnResponse::L4s {
            return false;
        }
        match self {
            Self::NewReno(_) | Self::FineGrained(_) => false,
            Self::Sack(sack) => sack.begin_reduction(tcb, advances),
            Self::RackTlp(rack) => rack.begin_reduction(tcb, advances),
        }
    }

    /// The timer has expired. Returns whether it was a timer of this form and not the
    /// retransmission timer.
    pub(super) fn on_timer(&mut self, tcb: &mut Tcb, now: Instant) -> bool {
        match self {
            Self::NewReno(_) | Self::Sack(_) | Self::FineGrained(_) => false,
            Self::RackTlp(rack) => rack.on_timer(tcb, now),
        }
    }

    /// Whether what is outstanding may exceed by far what is in the network: a lost retransmission
    /// holds the cumulative ACK while new segments are sent and reported.
    pub(super) fn overstates_flight(&self, tcb: &Tcb) -> bool {
        match self {
            Self::NewReno(_) | Self::FineGrained(_) => false,
            Self::Sack(_) => tcb.in_recovery,
            Self::RackTlp(_) => true,
        }
    }

    /// The retransmission timer has expired.
    pub(super) fn on_timeout(&mut self, tcb: &mut Tcb, now: Instant) {
        match self {
            Self::NewReno(_) => tcb.snd_nxt = tcb.snd_una,
            Self::Sack(sack) => sack.on_timeout(tcb),
            Self::RackTlp(rack) => rack.on_timeout(tcb, now),
            Self::FineGrained(checks) => checks.on_timeout(tcb, now),
        }
    }

    /// Bytes in the network: outstanding, and neither reported nor lost as far as this form knows.
    pub(super) fn in_flight(&self, tcb: &Tcb) -> u64 {
        match self {
            Self::NewReno(_) | Self::FineGrained(_) => tcb.snd_nxt - tcb.snd_una,
            Self::Sack(sack) => sack.in_flight(tcb),
            Self::RackTlp(rack) => rack.in_flight(tcb),
        }
    }

    /// What is lost and has not been sent again, as ranges of bytes, in which there may be some that have been reported.
    /// Nothing, if no more has been found lost since this was last called.
    #[cold]
    pub(super) fn take_lost(&mut self, tcb: &Tcb) -> Vec<(u64, u64)> {
        // After a timeout: all that is to be sent again.
        let again = (tcb.snd_nxt < tcb.snd_max).then_some((tcb.snd_nxt, tcb.snd_max));
        let first = || (tcb.snd_una, tcb.snd_una + u64::from(tcb.payload_at(tcb.snd_una)));
        let due = tcb.retransmit.then(first);
        let more = match self {
            Self::NewReno(_) | Self::FineGrained(_) => None,
            Self::Sack(sack) => sack.lost(tcb),
            Self::RackTlp(rack) => return rack.take_lost(),
        };
        [again, due, more].into_iter().flatten().collect()
    }

    /// The next segment that may be sent now.
    #[inline(always)]
    pub(super) fn poll_transmit(&mut self, tcb: &mut Tcb, now: Instant) -> Option<Segment> {
        match self {
            Self::NewReno(newreno) => newreno.poll_transmit(tcb, now),
            Self::Sack(sack) => sack.poll_transmit(tcb, now),
            Self::RackTlp(rack) => rack.poll_transmit(tcb, now),
            Self::FineGrained(checks) => checks.poll_transmit(tcb, now),
        }
    }
}
