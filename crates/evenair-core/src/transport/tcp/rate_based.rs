//! What a sender does for a congestion control that goes by rates: it tells what is sent, delivered and lost, and
//! measures the delivery rate.

use super::recovery::Recovery;
use super::segment::Segment;
use super::tcb::Tcb;
use crate::congestion::{Repair, SentEvent};
use crate::time::Instant;
use crate::transport::delivery_rate::{AckContext, DeliveryRate};

/// The state of one sender.
#[derive(Clone, Debug, Default)]
pub(super) struct RateBased {
    delivery_rate: DeliveryRate,
    /// Bytes in the network after the last event.
    in_flight: u64,
    /// They have filled cwnd since the last sample.
    is_cwnd_limited: bool,
}

impl RateBased {
    /// An ACK has been taken into account, which expects `ack` next and has these blocks. The next segment may leave
    /// at `next_send_at` by pacing.
    #[cold]
    pub(super) fn on_ack(
        &mut self,
        (tcb, recovery): (&mut Tcb, &mut Recovery),
        now: Instant,
        (ack, blocks): (u64, &[(u64, u64)]),
        next_send_at: Instant,
    ) {
        let prior_in_flight = self.in_flight;
        self.in_flight = recovery.in_flight(tcb);
        let min_rtt = tcb.rtt.min_rtt();
        // Infinite with RFC 3168's feedback: as many as are delivered.
        let marked = (tcb.marked.newly * f64::from(tcb.segment)) as u64;
        let context = AckContext { now, min_rtt, in_flight: self.in_flight, marked };
        let sample = self.delivery_rate.on_ack((ack, blocks), context);
        let newly_lost = self.note_losses((tcb, recovery), now);
        let Some(mut sample) = sample else { return };
        sample.segment = tcb.segment();
        sample.prior_in_flight = prior_in_flight;
        sample.is_cwnd_limited = std::mem::take(&mut self.is_cwnd_limited);
        sample.newly_lost = newly_lost;
        sample.lost += newly_lost;
        sample.total_lost += newly_lost;
        sample.repair = match (tcb.in_recovery, tcb.is_recovering()) {
            (true, _) => Repair::Losses,
            (false, true) => Repair::Timeout,
            (false, false) => Repair::None,
        };
        (sample.next_send_at, sample.srtt) = (next_send_at, tcb.rtt.srtt());
        tcb.congestion.on_rate_sample(&sample);
        if tcb.congestion.lowers_rate() {
            self.delivery_rate.on_app_limited(self.in_flight);
        }
    }

    /// A timer may have marked segments lost.
    #[cold]
    pub(super) fn on_timer(&mut self, of: (&mut Tcb, &mut Recovery), now: Instant) {
        let (tcb, recovery) = of;
        self.note_losses((tcb, recovery), now);
        self.in_flight = recovery.in_flight(tcb);
    }

    /// Tells the congestion control what has been marked lost. Returns how many bytes.
    fn note_losses(&mut self, (tcb, recovery): (&mut Tcb, &mut Recovery), now: Instant) -> u64 {
        let before = self.delivery_rate.lost();
        for range in recovery.take_lost(tcb) {
            let congestion = &mut tcb.congestion;
            self.delivery_rate.mark_lost(now, range, &mut |lost| congestion.on_segment_lost(lost));
        }
        self.delivery_rate.lost() - before
    }

    /// The next segment that may be sent now.
    #[cold]
    pub(super) fn poll_transmit(
        &mut self,
        (tcb, recovery): (&mut Tcb, &mut Recovery),
        now: Instant,
    ) -> Option<Segment> {
        let before = recovery.in_flight(tcb);
        let Some(segment) = recovery.poll_transmit(tcb, now) else {
            if tcb.has_no_data() && before + tcb.segment() <= tcb.cwnd_bytes() {
                self.delivery_rate.on_app_limited(before);
            }
            return None;
        };
        let Segment { seq, payload, retransmission, .. } = segment;
        self.in_flight = recovery.in_flight(tcb);
        self.is_cwnd_limited |= self.in_flight + tcb.segment() > tcb.cwnd_bytes();
        let is_app_limited = self.delivery_rate.is_app_limited();
        self.delivery_rate.sent(now, (seq, seq + u64::from(payload)), self.in_flight);
        let sent =
            SentEvent { now, bytes: payload, retransmission, in_flight: before, is_app_limited };
        tcb.congestion.on_sent(&sent);
        Some(segment)
    }
}
