//! What a sender does for a congestion control that goes by rates: it tells what is sent, measures the
//! delivery rate, and spaces segments.

use super::recovery::Recovery;
use super::segment::Segment;
use super::tcb::Tcb;
use crate::congestion::SentEvent;
use crate::time::Instant;
use crate::transport::delivery_rate::DeliveryRate;
use crate::transport::pacer::Pacer;

/// The state of one sender.
#[derive(Clone, Debug, Default)]
pub(super) struct RateBased {
    delivery_rate: DeliveryRate,
    pacer: Pacer,
}

impl RateBased {
    /// An ACK has been taken into account, which expects `ack` next and has these blocks.
    #[cold]
    pub(super) fn on_ack(
        &mut self,
        (tcb, recovery): (&mut Tcb, &Recovery),
        now: Instant,
        ack: u64,
        blocks: &[(u64, u64)],
    ) {
        let (min_rtt, in_flight) = (tcb.rtt.min_rtt(), recovery.in_flight(tcb));
        if let Some(sample) = self.delivery_rate.on_ack(now, (ack, blocks), min_rtt, in_flight) {
            tcb.congestion.on_rate_sample(&sample);
        }
    }

    /// The next segment that may be sent now.
    #[cold]
    pub(super) fn poll_transmit(
        &mut self,
        (tcb, recovery): (&mut Tcb, &mut Recovery),
        now: Instant,
    ) -> Option<Segment> {
        if self.pacer.holds_back(now) {
            return None;
        }
        let before = recovery.in_flight(tcb);
        let Some(segment) = recovery.poll_transmit(tcb, now) else {
            if tcb.has_no_data() && before + tcb.segment() <= tcb.cwnd_bytes() {
                self.delivery_rate.on_app_limited(before);
            }
            return None;
        };
        let Segment { seq, payload, retransmission, .. } = segment;
        self.delivery_rate.sent(now, (seq, seq + u64::from(payload)), before);
        let sent = SentEvent { now, bytes: payload, retransmission, in_flight: before };
        tcb.congestion.on_sent(&sent);
        if let Some(rate) = tcb.congestion.pacing_rate() {
            self.pacer.sent(now, payload, rate);
        }
        Some(segment)
    }

    /// When a segment that has been held back may leave.
    pub(super) fn poll_at(&self) -> Instant {
        self.pacer.poll_at()
    }

    /// The timer may have expired.
    #[cold]
    pub(super) fn on_timer(&mut self, now: Instant) {
        self.pacer.on_timer(now);
    }
}
