//! Recovery by duplicate and partial ACKs (RFC 6582), with limited transmit (RFC 3042).

use crate::time::Instant;
use crate::transport::recovery::DUP_THRESH;
use crate::transport::tcp::segment::{LimitedTransmit, Segment};
use crate::transport::tcp::tcb::Tcb;

/// The variables of one recovery.
#[derive(Clone, Debug, Default)]
pub(in crate::transport::tcp) struct NewReno {
    /// Segments that duplicate ACKs report as received, less those acknowledged since.
    inflation: f64,
    had_partial_ack: bool,
}

impl NewReno {
    pub(super) fn on_duplicate_ack(&mut self, tcb: &mut Tcb, now: Instant) {
        tcb.duplicate_acks += 1;
        let event = tcb.event(now, 0.0, None);
        tcb.congestion.on_duplicate_ack(&event);
        if tcb.in_recovery {
            self.inflation += 1.0;
        } else if tcb.duplicate_acks == DUP_THRESH
            && tcb.recover.is_none_or(|recover| tcb.snd_una > recover)
        {
            tcb.enter_recovery(now, &event);
            tcb.retransmit = true;
            self.inflation = f64::from(DUP_THRESH);
            self.had_partial_ack = false;
        }
    }

    /// RFC 6582, 3.2, step 3: takes off what was acknowledged, puts back one segment. The timer
    /// restarts at the first partial ACK only ("Impatient").
    pub(super) fn on_partial_ack(&mut self, tcb: &mut Tcb, acked: f64) -> bool {
        self.inflation += 1.0 - acked;
        tcb.retransmit = true;
        !std::mem::replace(&mut self.had_partial_ack, true)
    }

    #[inline(always)]
    pub(super) fn poll_transmit(&mut self, tcb: &mut Tcb, now: Instant) -> Option<Segment> {
        if tcb.retransmit {
            tcb.retransmit = false;
            return Some(tcb.transmit(now, tcb.snd_una));
        }
        let size = u64::from(tcb.payload_at(tcb.snd_nxt));
        if size == 0 || (tcb.stopped && tcb.snd_nxt == tcb.snd_max) {
            return None;
        }
        if tcb.snd_nxt + size > tcb.snd_una + self.usable_window(tcb) {
            return None;
        }
        Some(tcb.transmit_next(now))
    }

    /// Bytes that may be outstanding.
    fn usable_window(&self, tcb: &Tcb) -> u64 {
        let mut cwnd = tcb.congestion.cwnd();
        if tcb.in_recovery {
            cwnd = (cwnd + self.inflation).max(1.0);
        } else if tcb.duplicate_acks < DUP_THRESH && may_exceed_cwnd(tcb) {
            cwnd += f64::from(tcb.duplicate_acks);
        }
        let segments = (cwnd as u32).min(tcb.config.window);
        u64::from(segments) * tcb.segment()
    }
}

/// Whether limited transmit applies to the segment at `snd_nxt`.
fn may_exceed_cwnd(tcb: &Tcb) -> bool {
    match tcb.config.limited_transmit {
        LimitedTransmit::Off => false,
        LimitedTransmit::New => tcb.snd_nxt == tcb.snd_max,
        LimitedTransmit::Any => true,
    }
}
